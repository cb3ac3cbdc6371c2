// What is said of pinned memory: its limit, and forks. This program has in place of libibverbs the function that says whether it may fork.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/pinned_memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace {

int fork_status = 0;  // of enum ibv_fork_status: disabled, enabled, not needed

}  // namespace

extern "C" [[gnu::visibility("default")]] int ibv_is_fork_initialized() { return fork_status; }

namespace halocline::core::transport {
namespace {

TEST(Fork, is_warned_of_where_pinned_pages_do_not_live_through_it) {
  fork_status = 0;
  EXPECT_EQ(caution_of_fork(), ", the program must not fork: set RDMAV_FORK_SAFE=1 if it does");
}

TEST(Fork, is_not_warned_of_where_libibverbs_or_the_kernel_sees_to_it) {
  for (fork_status = 1; fork_status <= 2; ++fork_status) EXPECT_EQ(caution_of_fork(), "");
}

TEST(PinnedMemory, has_the_limit_of_the_system) {
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_MEMLOCK, &limit), 0);
  limit.rlim_cur = 4096;
  ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
  EXPECT_EQ(limit_of_pinned_memory(), "; it pins them, and this process may pin 4096 bytes in all: raise 'ulimit -l'");
  limit.rlim_cur = limit.rlim_max;
  ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
  EXPECT_EQ(limit_of_pinned_memory().empty(), limit.rlim_cur == RLIM_INFINITY);
}

}  // namespace
}  // namespace halocline::core::transport
