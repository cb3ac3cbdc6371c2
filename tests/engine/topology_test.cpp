// What a context knows of its cores: of those of its node, and of the host that emulates several nodes, with ranks bound to one core each.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <sched.h>

#include <algorithm>
#include <vector>

#include "engine/communicator/collective.hpp"
#include "engine/context/context.hpp"
#include "support/mpi_test.hpp"

namespace halocline::test {
namespace {

/// The cores that this process may run on, until the object ends.
class Affinity {
 public:
  Affinity() { sched_getaffinity(0, sizeof before_, &before_); }
  Affinity(const Affinity &) = delete;
  Affinity &operator=(const Affinity &) = delete;
  ~Affinity() { sched_setaffinity(0, sizeof before_, &before_); }

  std::vector<int> cores() const {
    std::vector<int> found;
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &before_)) found.push_back(core);
    return found;
  }
  static bool bind(int core) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
  }

 private:
  cpu_set_t before_;
};

struct Cores {
  int of_node = 0, members = 0;
  double ranks_per_core = 0;
};

/// Collective.
Cores cores_of_context() {
  core::Context context;
  const core::Status opened = context.open(MPI_COMM_WORLD, core::Status::ok);
  EXPECT_FALSE(core::failed(opened)) << core::error_message();
  const Cores found{context.cores(), context.members(), context.ranks_per_core()};
  int largest = 0;
  EXPECT_FALSE(core::failed(core::meet_to_release(context, 0, &largest)));
  EXPECT_FALSE(core::failed(core::agree_on_largest(context, context.comm(), 0, &largest)));
  return found;
}

/// Emulated nodes share the cores of their host, and each has those to which its own ranks are bound.
TEST(Topology, counts_the_cores_of_ranks_that_are_bound_to_one_each) {
  const Affinity affinity;
  const std::vector<int> cores = affinity.cores();
  if (!everyone(cores.size() >= 2)) GTEST_SKIP() << "there is one core";
  const int used = std::min(size(), static_cast<int>(cores.size()));
  REQUIRE_EVERYWHERE(Affinity::bind(cores[static_cast<std::size_t>(rank() % used)]));
  const Cores found = cores_of_context();
  EXPECT_EQ(found.ranks_per_core, static_cast<double>(size()) / used);
  EXPECT_EQ(found.of_node, std::min(found.members, used));
}

TEST(Topology, counts_one_core_that_all_ranks_are_bound_to) {
  const Affinity affinity;
  REQUIRE_EVERYWHERE(Affinity::bind(affinity.cores().front()));
  const Cores found = cores_of_context();
  EXPECT_EQ(found.ranks_per_core, size());
  EXPECT_EQ(found.of_node, 1);
}

TEST(Topology, counts_the_cores_of_ranks_that_are_not_bound) {
  const Affinity affinity;
  const auto cores = static_cast<int>(affinity.cores().size());
  const Cores found = cores_of_context();
  EXPECT_EQ(found.ranks_per_core, static_cast<double>(size()) / cores);
  EXPECT_EQ(found.of_node, cores);
}

}  // namespace
}  // namespace halocline::test
