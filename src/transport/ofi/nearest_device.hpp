// Which of a host's devices a rank uses, where several are on one network: the nearest to its cores. Of equally near ones the ranks of a host use
// one after the other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace halocline::core::transport::ofi {

/// The place in a list of devices, by their NUMA nodes; -1: not known, as far as any other. `mine`: of the rank's cores, -1: several or not known.
/// `turn` counts the ranks of the host. The list is not empty.
std::size_t nearest_device(const std::vector<int> &numa_nodes, int mine, int turn);

/// The NUMA node of all cores on which this thread may run; -1 if they are on several, or if Linux does not say. `sysfs`: where that is mounted.
int numa_node_of_cores(const std::string &sysfs = "/sys");

/// The NUMA node of a device, from the folder that Linux has for it; -1: none is near it, or there is no such folder.
int numa_node_in(const std::string &folder);

/// This rank's number among those of its host, as the launcher says; else the first of its cores. The same for the whole run.
int turn_on_host();

}  // namespace halocline::core::transport::ofi
