// Reading where devices and cores are.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ofi/nearest_device.hpp"

#include <dirent.h>
#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace halocline::core::transport::ofi {
namespace {

cpu_set_t allowed_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof cores, &cores);
  return cores;
}

/// The folder of a core has a link "nodeN".
int numa_node_of_core(const std::string &sysfs, std::size_t core) {
  const std::string folder = sysfs + "/devices/system/cpu/cpu" + std::to_string(core);
  const std::unique_ptr<DIR, int (*)(DIR *)> entries(opendir(folder.c_str()), closedir);
  int node = -1;
  if (!entries) return node;
  while (const dirent *entry = readdir(entries.get()))
    if (std::sscanf(entry->d_name, "node%d", &node) == 1) break;
  return node;
}

}  // namespace

std::size_t nearest_device(const std::vector<int> &numa_nodes, int mine, int turn) {
  std::vector<std::size_t> nearest, others;
  for (std::size_t i = 0; i < numa_nodes.size(); ++i) (mine >= 0 && numa_nodes[i] == mine ? nearest : others).push_back(i);
  const std::vector<std::size_t> &best = nearest.empty() ? others : nearest;
  return best[static_cast<std::size_t>(turn < 0 ? 0 : turn) % best.size()];
}

int numa_node_of_cores(const std::string &sysfs) {
  const cpu_set_t cores = allowed_cores();
  int found = -1;
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &cores)) continue;
    const int node = numa_node_of_core(sysfs, core);
    if (node < 0 || (found >= 0 && node != found)) return -1;
    found = node;
  }
  return found;
}

int numa_node_in(const std::string &folder) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen((folder + "/numa_node").c_str(), "re"), std::fclose);
  int node = -1;
  return file && std::fscanf(file.get(), "%d", &node) == 1 ? node : -1;
}

int turn_on_host() {
  for (const char *name : {"MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", "PALS_LOCAL_RANKID"})
    if (const char *text = std::getenv(name)) return std::atoi(text);
  const cpu_set_t cores = allowed_cores();
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &cores)) return static_cast<int>(core);
  return 0;
}

}  // namespace halocline::core::transport::ofi
