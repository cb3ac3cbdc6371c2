// Waits that nobody ends: after HALOCLINE_TIMEOUT seconds they are an error that says what was waited for. Run with HALOCLINE_TIMEOUT=1.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/segments.hpp"

namespace halocline::test {
namespace {

bool said(const std::string &words) { return std::string(hlc_error_message()).find(words) != std::string::npos; }

TEST(Wait, for_a_notification_that_nobody_sends_ends_with_its_ids) {
  TestSegment segment(0, 8);
  int id = -1;
  EXPECT_TRUE(is_status(HLC_ERR_TIMEOUT, hlc_notify_wait(segment.raw(), {2, 3}, &id)));
  EXPECT_TRUE(said("rank " + std::to_string(rank()) + " has waited 1 s for a notification of 2 to 4")) << hlc_error_message();
  // The segment works on.
  EXPECT_TRUE(ok(hlc_notify(segment.raw(), rank(), {2, 1})));
  EXPECT_TRUE(ok(hlc_notify_wait(segment.raw(), {2, 3}, &id)));
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(Wait, in_a_barrier_to_which_one_rank_does_not_come_ends_with_a_name) {
  if (size() == 1) GTEST_SKIP() << "needs a rank that waits and one that does not come";
  const int missing = size() - 1;
  TestSegment segment(0);
  if (rank() != missing) {
    EXPECT_TRUE(is_status(HLC_ERR_TIMEOUT, hlc_barrier(segment.raw())));
    EXPECT_TRUE(said("hlc_barrier: rank " + std::to_string(rank()) + " has waited 1 s for rank ")) << hlc_error_message();
    EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_barrier(segment.raw())));
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
}  // namespace halocline::test
