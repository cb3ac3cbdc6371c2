// Check mode of index halos: each rule about entries broken once in every mode. Run with HALOCLINE_CHECK=1.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "support/strip.hpp"

namespace halocline::test {
namespace {

int last() { return size() - 1; }
std::string words_of(int of) { return "rank " + std::to_string(of); }

class IndexCheck : public testing::TestWithParam<ModeChoice> {};

TEST_P(IndexCheck, a_correct_program_is_left_alone) {
  Strip strip(GetParam());
  REQUIRE_EVERYWHERE(strip.init() == HLC_OK);
  for (int step = 1; step <= 4; ++step) {
    strip.fill(step);
    const hlc_index_swap what{0, nullptr, step % 2};
    EXPECT_TRUE(ok(hlc_index_halo_start(strip.halo, &what)));
    EXPECT_TRUE(ok(hlc_index_halo_finish(strip.halo)));
  }
}

TEST_P(IndexCheck, an_entry_written_in_flight_is_named) {
  Strip strip(GetParam());
  REQUIRE_EVERYWHERE(strip.init() == HLC_OK);
  strip.fill(1);
  EXPECT_TRUE(ok(hlc_index_halo_start(strip.halo, nullptr)));
  if (rank() == last()) strip.cells[1][1] = 0.5;
  const hlc_status status = hlc_index_halo_finish(strip.halo);
  if (rank() == last()) {
    EXPECT_TRUE(is_status(HLC_ERR_RULE, status));
    EXPECT_TRUE(
        message_names({words_of(rank()), "index halo plan", "('u', 'v')", "swap 1", "entry 1 of field 1 'v'",
                       words_of(Strip::below()) + " needs", std::to_string(static_cast<int>(Strip::value(rank(), 1, 1, 1))), "0.5 now"}));
  }
  everyone(true);
}

TEST_P(IndexCheck, a_ghost_written_in_flight_is_named) {
  Strip strip(GetParam());
  REQUIRE_EVERYWHERE(strip.init() == HLC_OK);
  strip.fill(1);
  EXPECT_TRUE(ok(hlc_index_halo_start(strip.halo, nullptr)));
  if (rank() == last()) strip.cells[0][3] = 0.25;
  const hlc_status status = hlc_index_halo_finish(strip.halo);
  EXPECT_TRUE(is_status(rank() == last() ? HLC_ERR_RULE : HLC_OK, status));
  if (rank() == last()) {
    EXPECT_TRUE(
        message_names({"entry 3 of field 0 'u'", "a ghost that " + words_of(Strip::above()) + " fills", "poison at start", "0.25 now"}));
  }
  EXPECT_EQ(strip.cells[0][3], Strip::value(Strip::above(), 0, 1, 1)) << "the swap is complete all the same";
}

TEST_P(IndexCheck, a_ghost_read_before_finish_is_found_in_what_was_computed_from_it) {
  Strip strip(GetParam());
  strip.spec.nentries = 5;  // one more, which is in no list
  REQUIRE_EVERYWHERE(strip.init() == HLC_OK);
  strip.fill(1);
  EXPECT_TRUE(ok(hlc_index_halo_start(strip.halo, nullptr)));
  EXPECT_TRUE(std::isnan(strip.cells[0][0]));
  if (rank() == last()) strip.cells[0][4] = 2 * strip.cells[0][0];
  const hlc_status status = hlc_index_halo_finish(strip.halo);
  EXPECT_TRUE(is_status(rank() == last() ? HLC_ERR_RULE : HLC_OK, status));
  if (rank() == last()) {
    EXPECT_TRUE(message_names({"entry 4 of field 0 'u'", "holds poison", "read between start and finish"}));
  }
}

TEST_P(IndexCheck, ranks_that_swap_different_fields_are_named) {
  if (size() < 2) GTEST_SKIP() << "needs 2 ranks that disagree";
  Strip strip(GetParam());
  REQUIRE_EVERYWHERE(strip.init() == HLC_OK);
  strip.fill(1);
  const int one[] = {0}, two[] = {1};
  const hlc_index_swap what{1, rank() == last() ? two : one, 0};
  hlc_status status = hlc_index_halo_start(strip.halo, &what);
  if (status == HLC_OK) status = hlc_index_halo_finish(strip.halo);
  EXPECT_TRUE(is_status(HLC_ERR_RULE, status));
  EXPECT_TRUE(message_names({"disagree on swap 1", "the fields 'u'", "the fields 'v'"}));
}

FOR_ALL_MODES(IndexCheck);

}  // namespace
}  // namespace halocline::test
