// Which device a rank uses where a host has several: folders like those of Linux say where cores and devices are.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ofi/nearest_device.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace halocline::core::transport::ofi {
namespace {

TEST(NearestDevice, is_that_of_the_numa_node_of_the_cores) {
  EXPECT_EQ(nearest_device({0, 1}, 1, 0), 1U);
  EXPECT_EQ(nearest_device({0, 1, 1, 0}, 0, 0), 0U);
}

TEST(NearestDevice, is_another_one_for_the_next_rank_of_the_host) {
  EXPECT_EQ(nearest_device({0, 1, 1, 0}, 0, 1), 3U);
  EXPECT_EQ(nearest_device({0, 1, 1, 0}, 0, 2), 0U);
}

TEST(NearestDevice, is_any_where_none_is_near_or_nothing_is_known) {
  EXPECT_EQ(nearest_device({0, 0}, 1, 1), 1U);
  EXPECT_EQ(nearest_device({-1, -1}, 0, 1), 1U);
  EXPECT_EQ(nearest_device({0, 1}, -1, 3), 1U);
  EXPECT_EQ(nearest_device({5}, 0, 7), 0U);
}

/// A folder with cores on these NUMA nodes: core i is on nodes[i].
class Machine {
 public:
  explicit Machine(const std::vector<int> &nodes) : root_(std::filesystem::temp_directory_path() / ("nodes" + std::to_string(getpid()))) {
    for (std::size_t core = 0; core < nodes.size(); ++core)
      std::filesystem::create_directories(root_ / "devices/system/cpu" / ("cpu" + std::to_string(core)) /
                                          ("node" + std::to_string(nodes[core])));
  }
  Machine(const Machine &) = delete;
  Machine &operator=(const Machine &) = delete;
  ~Machine() { std::filesystem::remove_all(root_); }
  std::string root() const { return root_; }

 private:
  std::filesystem::path root_;
};

TEST(NumaNode, is_that_of_all_cores_of_the_thread) {
  EXPECT_EQ(numa_node_of_cores(Machine(std::vector<int>(CPU_SETSIZE, 3)).root()), 3);
  EXPECT_EQ(numa_node_of_cores("/nowhere"), -1);
}

TEST(NumaNode, is_not_known_if_the_cores_are_on_several) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof cores, &cores);
  if (CPU_COUNT(&cores) < 2) GTEST_SKIP() << "there is one core";
  std::vector<int> nodes(CPU_SETSIZE);
  for (std::size_t core = 0; core < nodes.size(); ++core) nodes[core] = static_cast<int>(core % 2);
  EXPECT_EQ(numa_node_of_cores(Machine(nodes).root()), CPU_COUNT(&cores) == 2 && CPU_ISSET(0, &cores) && CPU_ISSET(2, &cores) ? 0 : -1);
}

TEST(NumaNode, of_a_device_is_read_from_its_folder) {
  const Machine machine({0});
  std::ofstream(machine.root() + "/numa_node") << "2\n";
  EXPECT_EQ(numa_node_in(machine.root()), 2);
  EXPECT_EQ(numa_node_in("/nowhere"), -1);
}

TEST(Turn, is_what_the_launcher_says) {
  setenv("MPI_LOCALRANKID", "5", 1);
  EXPECT_EQ(turn_on_host(), 5);
  unsetenv("MPI_LOCALRANKID");
}

}  // namespace
}  // namespace halocline::core::transport::ofi
