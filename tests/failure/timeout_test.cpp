// A rank that never starts. After HALOCLINE_TIMEOUT seconds the ranks that wait for it report its number. The halo can only be finalised,
// and the context stays usable. Run with HALOCLINE_TIMEOUT=1.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>

#include "support/links.hpp"
#include "support/plane.hpp"
#include "support/rig.hpp"

namespace halocline::test {
namespace {

constexpr int late = 1;

/// What a blocking MPI call does while it waits cannot be bounded by the library.
const char *unbounded(const ModeChoice &mode) {
  switch (mode.mode) {
    case HLC_MODE_FENCE: return "MPI_Win_fence waits inside MPI";
    case HLC_MODE_PSCW: return mode.epoch == HLC_EPOCH_LATE ? "MPI_Win_start waits inside MPI" : nullptr;
    default: return nullptr;
  }
}

class Timeout : public testing::TestWithParam<ModeChoice> {
 protected:
  void SetUp() override {
    if (size() < 2) GTEST_SKIP() << "needs a rank that waits and one that is late";
    if (const char *reason = unbounded(GetParam())) GTEST_SKIP() << reason;
  }
  Random random_{8};
};

/// Every rank but the late one does its part; the late one waits until they have.
template <class Part>
hlc_status without_the_late_rank(Part part) {
  hlc_status status = HLC_OK;
  if (rank() == late) {
    for (int r = 0; r < size(); ++r)
      if (r != late) MPI_Recv(nullptr, 0, MPI_BYTE, r, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return status;
  }
  status = part();
  MPI_Send(nullptr, 0, MPI_BYTE, late, 77, MPI_COMM_WORLD);
  return status;
}

/// Swaps until a call fails.
hlc_status swap_without_the_late_rank(hlc_halo *halo) {
  return without_the_late_rank([&] {
    hlc_status status = HLC_OK;
    for (int round = 0; round < 4 && status == HLC_OK; ++round) {
      status = hlc_halo_start(halo, nullptr);
      if (status == HLC_OK) status = hlc_halo_finish(halo);
    }
    return status;
  });
}

TEST_P(Timeout, names_the_rank_that_does_not_come) {
  {
    Rig rig(plain_case("row", decompose(size(), 1, {4, 4}, 0b1, random_), 2), GetParam());
    if (!rig.ready()) return;
    rig.swap_once(1);
    const hlc_status status = swap_without_the_late_rank(rig.halo());
    if (rank() != late) {
      EXPECT_TRUE(is_status(HLC_ERR_TIMEOUT, status));
      if (GetParam().unpacks_by_arrival()) {  // the others only know that not all have arrived
        EXPECT_NE(std::string(hlc_error_message()).find("rank " + std::to_string(late)), std::string::npos) << hlc_error_message();
      }
      EXPECT_NE(hlc_halo_start(rig.halo(), nullptr), HLC_OK) << "a halo that failed can only be finalised";
    }
    everyone(true);
  }  // finalises the failed halo on all ranks

  Rig next(plain_case("the next halo", decompose(size(), 1, {4, 4}, 0b1, random_), 2), GetParam());
  if (!next.ready()) return;
  for (int step = 1; step <= 3; ++step) next.swap_once(step);
}

FOR_ALL_MODES(Timeout);

TEST(TimeoutOfASwap, names_the_plan) {
  if (size() < 2) GTEST_SKIP() << "needs a rank that waits and one that is late";
  Plane plane(HLC_MODE_NOTIFY);
  plane.spec.name = "flow";
  hlc_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(hlc_halo_init(context(), &plane.spec, &halo) == HLC_OK);
  const hlc_status status = swap_without_the_late_rank(halo);
  if (rank() != late) {
    EXPECT_TRUE(is_status(HLC_ERR_TIMEOUT, status));
    const bool checks = std::getenv("HALOCLINE_CHECK") != nullptr;
    EXPECT_TRUE(message_names(
        {checks ? "rank " + std::to_string(rank()) + ", halo plan 1 'flow' ('theta'), swap 1: timed out after 1 s waiting for rank "
                : "a swap of plan 'flow': rank " + std::to_string(rank()) + " timed out after 1 s waiting for rank "}));
    EXPECT_TRUE(checks || message_names({"(HALOCLINE_TIMEOUT); HALOCLINE_CHECK=1 finds ranks that start different swaps"}));
  }
  everyone(true);
  EXPECT_NE(hlc_halo_finalise(&halo), HLC_AGAIN);
}

TEST(TimeoutOfViews, names_the_rank_that_keeps_them) {
  if (std::getenv("HALOCLINE_CHECK")) GTEST_SKIP() << "check mode copies the cells, and nobody reads them where they lie";
  if (size() < 2) GTEST_SKIP() << "needs a rank that waits and one that is late";
  Random random(9);
  Rig rig(plain_case("row", decompose(size(), 1, {4, 4}, 0b1, random), 2), {"view", HLC_MODE_VIEW});
  if (!rig.ready()) return;
  rig.fill(1);
  EXPECT_TRUE(ok(hlc_halo_start(rig.halo(), nullptr)));
  EXPECT_TRUE(ok(hlc_halo_finish_views(rig.halo())));
  const hlc_status status = without_the_late_rank([&] { return hlc_halo_release(rig.halo()); });
  if (rank() != late) {
    EXPECT_TRUE(is_status(HLC_ERR_TIMEOUT, status));
    EXPECT_NE(std::string(hlc_error_message()).find("rank " + std::to_string(late)), std::string::npos) << hlc_error_message();
    EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_halo_start(rig.halo(), nullptr)));
  }
  everyone(true);
}

}  // namespace
}  // namespace halocline::test
