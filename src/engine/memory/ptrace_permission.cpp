// Finds the common ancestor of the node's ranks in /proc, and permits it to trace this process.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/memory/ptrace_permission.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "engine/communicator/communicator.hpp"

namespace halocline::core {
namespace {

/// kernel.yama.ptrace_scope. 1: only ancestors, and a tracer that a process names; 0 where the kernel has no Yama.
int ptrace_scope() {
  std::FILE *file = std::fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
  if (!file) return 0;
  int scope = 0;
  if (std::fscanf(file, "%d", &scope) != 1) scope = 0;
  std::fclose(file);
  return scope;
}

pid_t parent_of(pid_t process) {
  const std::string name = "/proc/" + std::to_string(process) + "/status";
  std::FILE *file = std::fopen(name.c_str(), "re");
  if (!file) return 0;
  int parent = 0;
  char line[256];
  while (std::fgets(line, sizeof line, file))
    if (std::sscanf(line, "PPid: %d", &parent) == 1) break;
  std::fclose(file);
  return parent;
}

/// A process and its ancestors, without process 1.
std::vector<pid_t> line_of(pid_t process) {
  std::vector<pid_t> line;
  for (; process > 1; process = parent_of(process)) line.push_back(process);
  return line;
}

}  // namespace

pid_t common_ancestor(const std::vector<pid_t> &processes) {
  std::vector<pid_t> common = line_of(processes.empty() ? 0 : processes.front());
  for (const pid_t process : processes) {
    const std::vector<pid_t> line = line_of(process);
    const auto is_strange = [&](pid_t each) { return std::find(line.begin(), line.end(), each) == line.end(); };
    common.erase(std::remove_if(common.begin(), common.end(), is_strange), common.end());
  }
  return common.empty() ? 0 : common.front();
}

void permit_node_to_trace(Communicator &communicator) {
  if (ptrace_scope() != 1) return;
  std::vector<pid_t> ranks;
  ranks.reserve(static_cast<std::size_t>(communicator.members()));
  for (Member member = 0; member < communicator.members(); ++member) ranks.push_back(communicator.doorbell().process_of(member));
  const pid_t ancestor = common_ancestor(ranks);
  if (ancestor != 0) prctl(PR_SET_PTRACER, static_cast<unsigned long>(ancestor), 0, 0, 0);
}

}  // namespace halocline::core
