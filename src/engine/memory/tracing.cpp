// Finds the common ancestor of the node's ranks in /proc, and permits it to trace this process.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/memory/tracing.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <string>

#include "engine/communicator/communicator.hpp"

namespace halocline::core {
namespace {

std::mutex mutex;
int allowing = 0;

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

void TracedByNode::allow(Communicator &communicator) {
  std::vector<pid_t> ranks;
  ranks.reserve(static_cast<std::size_t>(communicator.members()));
  for (Member member = 0; member < communicator.members(); ++member) ranks.push_back(communicator.doorbell().process_of(member));
  const pid_t ancestor = common_ancestor(ranks);
  if (ancestor == 0) return;
  const std::lock_guard lock(mutex);
  prctl(PR_SET_PTRACER, static_cast<unsigned long>(ancestor), 0, 0, 0);  // fails only where tracing is not restricted
  allowing += 1;
  allowed_ = true;
}

TracedByNode::~TracedByNode() {
  if (!allowed_) return;
  const std::lock_guard lock(mutex);
  if (--allowing == 0) prctl(PR_SET_PTRACER, 0, 0, 0, 0);
}

}  // namespace halocline::core
