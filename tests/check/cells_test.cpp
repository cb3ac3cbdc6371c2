// Rules about cells, each broken once in every mode. Check mode returns HLC_ERR_RULE and names rank, field, cell, neighbour and step. The
// swap is completed all the same. Run with HALOCLINE_CHECK=1.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "check/basin.hpp"
#include "support/rig.hpp"

namespace halocline::test {
namespace {

int last() { return size() - 1; }

class Cells : public testing::TestWithParam<ModeChoice> {};

TEST_P(Cells, a_correct_program_is_left_alone) {
  Basin basin(GetParam());
  if (!basin.ready()) return;
  for (int step = 1; step <= 4; ++step) basin.swap(step);
  const int second[] = {1};
  hlc_swap what{};
  what.nfields = 1;
  what.fields = second;
  what.one_dim = 1;
  what.side = HLC_SIDE_LOW;
  basin.fill(5);
  EXPECT_TRUE(ok(hlc_halo_start(basin.halo(), &what)));
  basin.at(0, 0, 0) = -1;  // an edge of the field that is not swapped
  basin.at(1, 0, 1) = -1;  // the low edge, which no rank needs for a low halo
  basin.at(1, 1, 1) = -1;  // no edge at all
  EXPECT_TRUE(ok(hlc_halo_finish(basin.halo())));
  what.reverse = 1;
  EXPECT_TRUE(ok(hlc_halo_start(basin.halo(), &what)));
  EXPECT_TRUE(ok(hlc_halo_finish(basin.halo())));
}

TEST_P(Cells, an_edge_written_in_flight_is_named) {
  Basin basin(GetParam());
  if (!basin.ready()) return;
  basin.swap(1);
  basin.fill(2);
  EXPECT_TRUE(ok(hlc_halo_start(basin.halo(), nullptr)));
  const double was = basin.at(0, 0, 1);
  if (rank() == last()) basin.at(0, 0, 1) = 0.5;
  const hlc_status status = hlc_halo_finish(basin.halo());

  // A rank that reads late has the new value, and its message names the owner.
  const bool got_it = Basin::right() == last() && basin.at(0, Basin::cells, 1) == 0.5;
  if (rank() == last())
    basin.expect_rule(status, {rank_words(rank()), "('u', 'v')", "swap 2", "cell (0, 1) of field 0 'u'", "edge", rank_words(Basin::left()),
                               std::to_string(static_cast<int>(was)), "0.5 now"});
  else if (got_it)
    basin.expect_rule(status, {rank_words(rank()), "swap 2", "cell (4, 1) of field 0 'u'", "holds 0.5 where", rank_words(last()) + " had"});
  else
    EXPECT_TRUE(ok(status));
  hlc_plan_info info{};
  EXPECT_TRUE(ok(hlc_halo_info(basin.halo(), &info)));
  if (rank() != last() && Basin::right() == last() && info.via_direct == info.neighbours) {
    EXPECT_TRUE(got_it) << "a direct read is late for certain";
  }
  EXPECT_FALSE(size() > 1 && got_it && info.via_direct == 0) << "a copy is not";
  basin.swap(3);
}

TEST_P(Cells, a_halo_written_in_flight_is_named_and_filled) {
  Basin basin(GetParam());
  if (!basin.ready()) return;
  basin.fill(1);
  EXPECT_TRUE(ok(hlc_halo_start(basin.halo(), nullptr)));
  if (rank() == 0) basin.at(1, -1, 2) = 0.25;
  const hlc_status status = hlc_halo_finish(basin.halo());
  if (rank() == 0)
    basin.expect_rule(status,
                      {"rank 0", "swap 1", "cell (-1, 2) of field 1 'v'", "halo", rank_words(Basin::left()) + " fills", "0.25 now"});
  else
    EXPECT_TRUE(ok(status));
  basin.expect_faces(1);
  basin.swap(2);
}

TEST_P(Cells, a_halo_read_in_flight_is_seen_at_finish_in_what_was_computed_from_it) {
  Basin basin(GetParam());
  if (!basin.ready()) return;
  basin.swap(1);
  basin.fill(2);
  EXPECT_TRUE(ok(hlc_halo_start(basin.halo(), nullptr)));
  if (rank() == last()) basin.at(0, 1, 2) = 0.25 * (basin.at(0, -1, 2) + basin.at(0, 2, 2)) - 1;
  const hlc_status status = hlc_halo_finish(basin.halo());
  if (rank() == last())
    basin.expect_rule(status,
                      {rank_words(rank()), "swap 2", "cell (1, 2) of field 0 'u'", "poison", "at finish", rank_words(Basin::left())});
  else
    EXPECT_TRUE(ok(status));

  // It is reported once; a block that has been clean may be poisoned anew.
  EXPECT_TRUE(ok(hlc_halo_start(basin.halo(), nullptr)));
  EXPECT_TRUE(ok(hlc_halo_finish(basin.halo())));
  basin.swap(4);
}

TEST_P(Cells, a_halo_read_in_flight_is_seen_at_the_next_start_too) {
  Basin basin(GetParam());
  if (!basin.ready()) return;
  basin.fill(1);
  EXPECT_TRUE(ok(hlc_halo_start(basin.halo(), nullptr)));
  const double early = basin.at(1, Basin::cells, 1);
  EXPECT_TRUE(ok(hlc_halo_finish(basin.halo())));
  if (rank() == 0) basin.at(1, 2, 1) = early * 2;
  EXPECT_TRUE(ok(hlc_halo_start(basin.halo(), nullptr)));
  const hlc_status status = hlc_halo_finish(basin.halo());
  if (rank() == 0)
    basin.expect_rule(
        status, {"rank 0", "swap 1", "cell (2, 1) of field 1 'v'", "poison", "when the next swap was started", rank_words(Basin::right())});
  else
    EXPECT_TRUE(ok(status));
  basin.swap(3);
}

TEST_P(Cells, poison_that_comes_from_a_neighbour_is_not_blamed_on_the_reader) {
  if (size() < 2) GTEST_SKIP() << "needs a neighbour";
  Basin basin(GetParam());
  if (!basin.ready()) return;
  basin.fill(1);
  EXPECT_TRUE(ok(hlc_halo_start(basin.halo(), nullptr)));
  const double early = basin.at(0, -1, 1);
  EXPECT_TRUE(ok(hlc_halo_finish(basin.halo())));
  if (rank() == 0) basin.at(0, 0, 1) = basin.at(0, 3, 1) = early;
  EXPECT_TRUE(ok(hlc_halo_start(basin.halo(), nullptr)));
  EXPECT_TRUE(is_status(rank() == 0 ? HLC_ERR_RULE : HLC_OK, hlc_halo_finish(basin.halo())));
  for (int j = 0; j < Basin::cells; ++j) basin.at(0, 1, j) = basin.at(0, -1, j) + basin.at(0, Basin::cells, j);
  EXPECT_TRUE(ok(hlc_halo_start(basin.halo(), nullptr)));
  EXPECT_TRUE(ok(hlc_halo_finish(basin.halo())));
}

/// Jacobi with two arrays, each computed from the halo of the other. What one rank has read spreads to all ranks in both arrays, one cell
/// per step.
TEST_P(Cells, poison_that_spreads_from_field_to_field_is_blamed_on_nobody_else) {
  if (size() < 2) GTEST_SKIP() << "needs a neighbour";
  Basin basin(GetParam());
  if (!basin.ready()) return;
  basin.fill(1);
  const auto relax = [&](int to, int from) {
    for (int j = 0; j < Basin::cells; ++j)
      for (int i = 0; i < Basin::cells; ++i) basin.at(to, i, j) = 0.5 * (basin.at(from, i - 1, j) + basin.at(from, i + 1, j));
  };
  for (int step = 0; step < Basin::cells * size(); ++step) {
    const int from = step % 2, to = 1 - from;
    hlc_swap one{};
    one.nfields = 1;
    one.fields = &from;
    EXPECT_TRUE(ok(hlc_halo_start(basin.halo(), &one)));
    const bool early = step == 0 && rank() == 0;
    if (early) relax(to, from);
    const hlc_status status = hlc_halo_finish(basin.halo());
    EXPECT_TRUE(rank() == 0 || ok(status));
    if (!early) relax(to, from);
  }
  EXPECT_TRUE(rank() == 0 || std::isnan(basin.at(0, 0, 0))) << "the poison did not spread";
}

TEST_P(Cells, in_a_reverse_swap_neither_halo_nor_edge_may_be_written) {
  Basin basin(GetParam());
  if (!basin.ready()) return;
  hlc_swap reverse{};
  reverse.reverse = 1;
  for (const int i : {-1, 0}) {
    basin.swap(1);
    EXPECT_TRUE(ok(hlc_halo_start(basin.halo(), &reverse)));
    if (rank() == last()) basin.at(0, i, 1) += 1;
    const hlc_status status = hlc_halo_finish(basin.halo());
    if (rank() == last())
      basin.expect_rule(status, {rank_words(rank()), i < 0 ? "swap 2" : "swap 4", i < 0 ? "cell (-1, 1)" : "cell (0, 1)", "field 0 'u'",
                                 i < 0 ? "halo" : "edge", rank_words(Basin::left())});
    else
      EXPECT_TRUE(status == HLC_OK || status == HLC_ERR_RULE) << hlc_error_message();
  }
  basin.swap(5);
}

/// In reverse the second dimension is swapped first; its block includes the halo of the first.
TEST_P(Cells, of_a_swap_in_stages_are_counted_from_the_block_too) {
  Basin basin(GetParam(), false, true);
  if (!basin.ready()) return;
  basin.swap(1);
  hlc_swap reverse{};
  reverse.reverse = 1;
  EXPECT_TRUE(ok(hlc_halo_start(basin.halo(), &reverse)));
  if (rank() == last()) basin.at(0, 2, -1) += 1;
  const hlc_status status = hlc_halo_finish(basin.halo());
  if (rank() == last())
    basin.expect_rule(status, {rank_words(rank()), "swap 2", "cell (2, -1) of field 0 'u'", "halo"});
  else
    EXPECT_TRUE(ok(status));
  basin.swap(3);
}

TEST_P(Cells, read_in_flight_leave_a_swap_in_stages_complete) {
  Basin basin(GetParam(), false, true);
  if (!basin.ready()) return;
  basin.fill(1);
  EXPECT_TRUE(ok(hlc_halo_start(basin.halo(), nullptr)));
  if (rank() == last()) basin.at(0, 1, 2) = basin.at(0, -1, 2);
  const hlc_status status = hlc_halo_finish(basin.halo());
  if (rank() == last())
    basin.expect_rule(status, {rank_words(rank()), "swap 1", "cell (1, 2) of field 0 'u'", "poison", "at finish"});
  else
    EXPECT_TRUE(ok(status));
  basin.expect_faces(1);
  for (int i = -1; i <= Basin::cells; ++i)
    EXPECT_EQ(basin.at(1, i, -1), basin.at(1, i, Basin::cells - 1)) << "the second stage, cell " << i;
  basin.swap(2);
}

FOR_ALL_MODES(Cells);

/// Copies a halo cell into the block between start and finish, for one element type.
void read_early(const Kind &kind) {
  Random random(3);
  Case halo = plain_case("early", decompose(size(), 1, {6, 6}, 1, random), 2);
  halo.field_shapes = contiguous({kind});
  Rig rig(halo, all_modes[0]);
  if (!rig.ready()) return;
  rig.fill(1);
  EXPECT_TRUE(ok(hlc_halo_start(rig.halo(), nullptr)));
  Image image = rig.read();
  std::copy_n(image[0].begin(), kind.bytes, image[0].begin() + static_cast<std::ptrdiff_t>(4 * kind.bytes));
  rig.write(image);
  const hlc_status status = hlc_halo_finish(rig.halo());
  const bool recognisable = kind.bytes >= 4;
  EXPECT_TRUE(is_status(recognisable ? HLC_ERR_RULE : HLC_OK, status));
  if (recognisable) {
    EXPECT_TRUE(message_names({rank_words(rank()), "swap 1", "cell (2) of field 0", "poison"}));
  }
}

TEST(Poison, is_recognised_in_every_element_type_of_four_bytes_or_more) {
  for (const Kind &kind : all_kinds()) read_early(kind);
}

}  // namespace
}  // namespace halocline::test
