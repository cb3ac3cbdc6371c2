// Collective calls that one rank does not enter: the message of HLC_ERR_TIMEOUT names it, and the call that it is in. Run with
// HALOCLINE_TIMEOUT=1. Each test loses a context of its own. Ranks that wait time out at about the same time. A message may therefore name,
// beside the late rank, another one that has just timed out.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include "support/plane.hpp"

namespace halocline::test {
namespace {

constexpr int kLate = 1;

class Absence : public testing::Test {
 protected:
  void SetUp() override {
    if (size() < 2) GTEST_SKIP() << "needs a rank that waits and one that does not come";
    open();
  }
  void open() {
    ASSERT_TRUE(ok(open_context(MPI_COMM_WORLD, &context_)));
    hlc_context_info_t mine{};
    ASSERT_TRUE(ok(hlc_context_info(context_, &mine)));
    int node = mine.node;
    MPI_Bcast(&node, 1, MPI_INT, kLate, MPI_COMM_WORLD);
    same_node_ = node == mine.node;
  }
  /// The late rank waits inside MPI until the others are done.
  static void wait_outside() {
    for (int r = 0; r < size(); ++r)
      if (r != kLate) MPI_Recv(nullptr, 0, MPI_BYTE, r, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  static void let_late_rank_go() { MPI_Send(nullptr, 0, MPI_BYTE, kLate, 5, MPI_COMM_WORLD); }
  /// The others wait inside MPI until the late rank is done.
  static void wait_for_late_rank() { MPI_Recv(nullptr, 0, MPI_BYTE, kLate, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
  static void let_others_go() {
    for (int r = 0; r < size(); ++r)
      if (r != kLate) MPI_Send(nullptr, 0, MPI_BYTE, r, 6, MPI_COMM_WORLD);
  }
  /// The late rank waits for a notification when the waits of the others end. Returns whether this rank's message says so.
  testing::AssertionResult wait_for_something_else();
  /// What messages say of a late rank that is in no wait of the library.
  std::string outside() const { return same_node_ ? "rank 1 (in no blocking call)" : "rank 1 (not responding)"; }
  void close() {
    const hlc_status status = hlc_finalise(&context_);
    EXPECT_TRUE(status == HLC_ERR_TIMEOUT || status == HLC_OK) << hlc_error_message();
    EXPECT_EQ(context_, nullptr);
  }

  /// Makes what a test begins with, on all ranks. In another context where a rank of a busy machine is too late for that.
  template <class Make, class Release>
  hlc_status make_together(Make make, Release release) {
    hlc_status made = make();
    for (int tries = 0; tries < 10 && !everyone(made == HLC_OK); ++tries) {
      if (made == HLC_OK) static_cast<void>(release());
      close();
      open();
      made = make();
    }
    return made;
  }

  hlc_context *context_ = nullptr;
  bool same_node_ = false;
};

TEST_F(Absence, of_a_rank_outside_the_library_is_named) {
  void *data = nullptr;
  if (rank() == kLate) {
    wait_outside();
  } else {
    EXPECT_TRUE(is_status(HLC_ERR_TIMEOUT, hlc_field_alloc(context_, 64, &data)));
    EXPECT_TRUE(message_names({"timed out after 1 s in hlc_field_alloc: ", outside(), " did not enter the call"}));
    let_late_rank_go();
  }
  everyone(true);
  close();
}

testing::AssertionResult Absence::wait_for_something_else() {
  hlc_segment_spec spec{};
  spec.notifications = 1;
  hlc_segment *segment = nullptr;
  const hlc_status made =
      make_together([&] { return hlc_segment_create(context_, &spec, &segment); }, [&] { return hlc_segment_free(&segment); });
  if (!everyone(made == HLC_OK)) return ok(made);
  void *data = nullptr;
  testing::AssertionResult named = testing::AssertionSuccess();
  if (rank() == kLate) {
    usleep(500'000);  // so that it still waits when the others end
    int id = 0;
    EXPECT_TRUE(is_status(HLC_ERR_TIMEOUT, hlc_notify_wait(segment, {0, 1}, &id)));
    wait_outside();
  } else {
    EXPECT_TRUE(is_status(HLC_ERR_TIMEOUT, hlc_field_alloc(context_, 64, &data)));
    named = message_names({"in hlc_field_alloc: ", "rank 1 (in hlc_notify_wait of plan 1)", " did not enter the call"});
    let_late_rank_go();
  }
  everyone(true);
  EXPECT_NE(hlc_segment_free(&segment), HLC_OK);
  close();
  return named;
}

/// Three times at most. A busy machine may stop a rank for as long as the others wait; then no rank can say what it does.
TEST_F(Absence, of_a_rank_that_waits_for_something_else_names_that) {
  testing::AssertionResult named = wait_for_something_else();
  for (int again = 0; again < 2 && !everyone(named); ++again) {
    open();
    named = wait_for_something_else();
  }
  EXPECT_TRUE(named);
}

TEST_F(Absence, from_a_release_ends_before_twice_the_timeout) {
  Plane plane;
  hlc_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(make_together([&] { return hlc_halo_init(context_, &plane.spec, &halo); }, [&] { return hlc_halo_finalise(&halo); }) ==
                     HLC_OK);
  if (rank() == kLate) {
    wait_outside();
  } else {
    EXPECT_TRUE(is_status(HLC_ERR_TIMEOUT, hlc_halo_finalise(&halo)));
    EXPECT_TRUE(message_names({"timed out after 1.5 s in hlc_halo_finalise of plan 1: ", outside()}));
    EXPECT_EQ(halo, nullptr);
    let_late_rank_go();
  }
  everyone(true);
  if (rank() == kLate) {
    EXPECT_NE(hlc_halo_finalise(&halo), HLC_OK);
    EXPECT_EQ(halo, nullptr);
  }
  close();
}

/// The late rank is first in the call, times out, and is again outside MPI when the others enter it.
TEST_F(Absence, of_a_rank_that_has_given_up_hlc_finalise_is_named) {
  if (rank() == kLate) {
    EXPECT_TRUE(is_status(HLC_ERR_TIMEOUT, hlc_finalise(&context_)));
    let_others_go();
    usleep(3'000'000);
  } else {
    wait_for_late_rank();
    EXPECT_TRUE(is_status(HLC_ERR_TIMEOUT, hlc_finalise(&context_)));
    EXPECT_TRUE(message_names({"in hlc_finalise: ", outside(), " did not enter the call"}));
  }
  everyone(true);
  EXPECT_EQ(context_, nullptr);
}

TEST_F(Absence, from_a_barrier_and_a_reduction_is_named_on_its_node) {
  const hlc_segment_spec spec{};
  hlc_segment *segment = nullptr;
  REQUIRE_EVERYWHERE(
      make_together([&] { return hlc_segment_create(context_, &spec, &segment); }, [&] { return hlc_segment_free(&segment); }) == HLC_OK);
  if (rank() == kLate) {
    wait_outside();
  } else {
    EXPECT_TRUE(is_status(HLC_ERR_TIMEOUT, hlc_barrier(segment)));
    if (same_node_) {
      EXPECT_TRUE(message_names({"rank 1 (in no blocking call)"}));
    }
    let_late_rank_go();
  }
  everyone(true);
  EXPECT_TRUE(ok(hlc_segment_free(&segment)));
  close();
}

}  // namespace
}  // namespace halocline::test
