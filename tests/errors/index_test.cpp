// Index halos: wrong arguments of one rank, ranks that disagree, calls at the wrong time. Every rank returns with the status, and the
// message names rank, argument, place and value.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <functional>

#include "support/strip.hpp"

namespace halocline::test {
namespace {

int last() { return size() - 1; }

/// Changes the spec on the last rank alone.
void expect_refused(hlc_status expected, const std::function<void(Strip &)> &change, const std::vector<std::string> &words) {
  Strip strip;
  if (rank() == last()) change(strip);
  EXPECT_TRUE(is_status(expected, strip.init()));
  EXPECT_TRUE(message_names({"rank " + std::to_string(last())}));
  EXPECT_TRUE(message_names(words));
  EXPECT_EQ(strip.halo, nullptr);
  everyone(true);
}

TEST(IndexErrors, an_index_out_of_range_is_named_with_its_place) {
  expect_refused(HLC_ERR_ARGUMENT, [](Strip &s) { s.lists[3] = 4; }, {"neighbours[1].in[0] is 4", "which is 3"});
  expect_refused(HLC_ERR_ARGUMENT, [](Strip &s) { s.lists[1] = -1; }, {"neighbours[0].out[0] is -1", "which is 3"});
}

TEST(IndexErrors, a_ghost_has_one_owner_and_is_not_sent_on) {
  expect_refused(HLC_ERR_ARGUMENT, [](Strip &s) { s.lists[3] = 0; }, {"neighbours[1].in[0] is 0", "neighbours[0].in[0] fills already"});
  expect_refused(HLC_ERR_ARGUMENT, [](Strip &s) { s.lists[1] = 3; }, {"neighbours[0].out[0] is 3", "neighbours[1].in[0] fills"});
}

TEST(IndexErrors, lists_and_neighbours_are_checked) {
  expect_refused(HLC_ERR_ARGUMENT, [](Strip &s) { s.neighbours[1].out = nullptr; }, {"neighbours[1].out is NULL", "1 entries"});
  expect_refused(HLC_ERR_ARGUMENT, [](Strip &s) { s.neighbours[0].nin = -5; }, {"neighbours[0].in is -5"});
  expect_refused(HLC_ERR_ARGUMENT, [](Strip &s) { s.neighbours[1].nin = std::int64_t{1} << 40; },
                 {"neighbours[1].nin is 1099511627776", "at most nentries, 4"});
  expect_refused(HLC_ERR_ARGUMENT, [](Strip &s) { s.neighbours[1].rank = 99; }, {"neighbours[1].rank is 99"});
  expect_refused(HLC_ERR_ARGUMENT, [](Strip &s) { s.neighbours[1].tag_in = -2; }, {"neighbours[1].tag_in is -2"});
  expect_refused(HLC_ERR_ARGUMENT, [](Strip &s) { s.spec.nentries = -1; }, {"nentries is -1"});
  expect_refused(HLC_ERR_ARGUMENT, [](Strip &s) { s.spec.nneighbours = -3; }, {"nneighbours is -3"});
  expect_refused(HLC_ERR_ARGUMENT, [](Strip &s) { s.spec.neighbours = nullptr; }, {"spec.neighbours is NULL"});
}

/// In a ring of one or two ranks both sides face the same rank. Without numbers what is sent down would arrive as if from below.
TEST(IndexErrors, sides_that_face_one_rank_need_numbers) {
  if (size() > 2) GTEST_SKIP() << "for 1 or 2 ranks, where both neighbours are one rank";
  for (const auto &change : {+[](Strip &s) { s.neighbours[0].tag_out = s.neighbours[1].tag_out = 0; },
                             +[](Strip &s) { s.neighbours[0].tag_in = s.neighbours[1].tag_in = 5; }})
    expect_refused(HLC_ERR_ARGUMENT, change, {"hlc_index_halo_init", "neighbours[0] and neighbours[1] both have rank", "different tags"});
}

TEST(IndexErrors, fields_are_checked) {
  expect_refused(HLC_ERR_ARGUMENT, [](Strip &s) { s.spec.nfields = 0; }, {"nfields is 0"});
  expect_refused(HLC_ERR_ARGUMENT, [](Strip &s) { s.fields[1].data = nullptr; }, {"fields[1] 'v'", "data is NULL"});
  expect_refused(HLC_ERR_ARGUMENT, [](Strip &s) { s.fields[1].element_bytes = 4; }, {"fields[1] 'v'", "element_bytes is 4", "HLC_FLOAT64"});
  expect_refused(HLC_ERR_ARGUMENT, [](Strip &s) { s.fields[0].type = HLC_OPAQUE; }, {"fields[0] 'u'", "element_bytes is 0"});
  expect_refused(HLC_ERR_ARGUMENT, [](Strip &s) { s.fields[0].components = -1; }, {"fields[0] 'u'", "components is -1"});
  expect_refused(HLC_ERR_ARGUMENT, [](Strip &s) { s.fields[0].entry_stride_bytes = 4; }, {"fields[0] 'u'", "entry_stride_bytes is 4"});
  expect_refused(HLC_ERR_ARGUMENT,
                 [](Strip &s) {
                   s.fields[0].components = 3;
                   s.fields[0].entry_stride_bytes = 16;
                 },
                 {"fields[0] 'u'", "entries overlap", "16", "3 components"});
  expect_refused(HLC_ERR_ARGUMENT, [](Strip &s) { s.fields[1].data = s.fields[0].data; }, {"'u'", "'v'", "overlap"});
}

TEST(IndexErrors, a_field_that_is_too_small_is_refused_on_all_ranks) {
  void *small = nullptr;
  REQUIRE_EVERYWHERE(hlc_field_alloc(context(), 2 * 8, &small) == HLC_OK);
  expect_refused(HLC_ERR_ARGUMENT, [=](Strip &s) { s.fields[1].data = small; },
                 {"hlc_index_halo_init", "fields[1] 'v' needs 32 bytes, but its hlc_field_alloc block has 16 from its data on"});
  EXPECT_TRUE(ok(hlc_field_free(context(), &small)));
}

TEST(IndexErrors, neighbours_that_disagree_are_named_with_both_numbers) {
  if (size() < 2) GTEST_SKIP() << "needs 2 ranks that disagree";
  expect_refused(HLC_ERR_MISMATCH, [](Strip &s) { s.neighbours[1].nout = 0; }, {"0 entries", "which expects 1"});
  expect_refused(HLC_ERR_MISMATCH, [](Strip &s) { s.neighbours[1].tag_out = 7; }, {"tag", "1 entries out"});
  expect_refused(HLC_ERR_MISMATCH, [](Strip &s) { s.fields[1].components = 2; }, {"components of fields[1] 'v'", "has 1", "has 2"});
}

TEST(IndexErrors, a_rank_that_disagrees_with_itself_is_told_so) {
  if (size() > 1) GTEST_SKIP() << "for 1 rank, which is its own neighbour";
  expect_refused(HLC_ERR_MISMATCH, [](Strip &s) { s.neighbours[1].nout = 0; }, {"sends 0 entries to itself", "neighbours[1]", "expects 1"});
  expect_refused(HLC_ERR_MISMATCH, [](Strip &s) { s.neighbours[1].tag_out = 7; }, {"names that rank itself with tag_in 2"});
  // Only one of the two directions disagrees.
  expect_refused(HLC_ERR_MISMATCH, [](Strip &s) { s.neighbours[0].nout = 0, s.neighbours[1].nin = 1; },
                 {"sends 0 entries to itself", "expects 1"});
}

TEST(IndexErrors, calls_at_the_wrong_time_are_refused_and_harm_nothing) {
  Strip strip;
  REQUIRE_EVERYWHERE(strip.init() == HLC_OK);
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_index_halo_finish(strip.halo)));
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_index_halo_test(strip.halo)));
  strip.fill(1);
  EXPECT_TRUE(ok(hlc_index_halo_start(strip.halo, nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_index_halo_start(strip.halo, nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_index_halo_finalise(&strip.halo)));
  hlc_index_view view{};
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_index_halo_view(strip.halo, 0, 0, &view)));
  EXPECT_TRUE(ok(hlc_index_halo_finish(strip.halo)));
  EXPECT_EQ(strip.cells[1][0], Strip::value(Strip::below(), 1, 2, 1));
  EXPECT_EQ(strip.cells[0][3], Strip::value(Strip::above(), 0, 1, 1));
}

TEST(IndexErrors, what_a_swap_cannot_do_is_refused) {
  Strip strip;
  strip.fields[1].type = HLC_OPAQUE;
  strip.fields[1].element_bytes = 8;
  REQUIRE_EVERYWHERE(strip.init() == HLC_OK);
  const int descending[] = {1, 0};
  hlc_index_swap what{2, descending, 0};
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_index_halo_start(strip.halo, &what)));
  EXPECT_TRUE(message_names({"fields[1] is 0"}));
  what = {3, descending, 0};
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_index_halo_start(strip.halo, &what)));
  EXPECT_TRUE(message_names({"nfields is 3"}));
  what = {0, nullptr, 1};
  EXPECT_TRUE(is_status(HLC_ERR_UNSUPPORTED, hlc_index_halo_start(strip.halo, &what)));
  EXPECT_TRUE(message_names({"'v'", "HLC_OPAQUE"}));
  hlc_index_view view{};
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_index_halo_view(strip.halo, 2, 0, &view)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_index_halo_view(strip.halo, 0, 2, &view)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_index_halo_view(strip.halo, 0, 0, nullptr)));
}

TEST(IndexErrors, handles_that_are_NULL_are_refused) {
  hlc_index_halo *none = nullptr;
  hlc_plan_info info{};
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_index_halo_start(nullptr, nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_index_halo_finish(nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_index_halo_finish_views(nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_index_halo_release(nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_index_halo_test(nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_index_halo_view(nullptr, 0, 0, nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_index_halo_info(none, &info)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_index_halo_init(nullptr, nullptr, &none)));
}

}  // namespace
}  // namespace halocline::test
