// Flags of specs, swaps and grids: each is 0 or 1. Another value was not meant as a flag: it is refused by name, with its value.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <functional>

#include "support/plane.hpp"

namespace halocline::test {
namespace {

/// A field in columns of the plane as the only block of this rank.
struct BlockPlan {
  explicit BlockPlan(Plane &plane) {
    for (int d = 0; d < 2; ++d) {
      box.start[d] = plane.grid.start[d];
      box.count[d] = plane.grid.local[d];
      spec.global[d] = plane.grid.global[d];
      spec.periodic[d] = 1;
      spec.depth_low[d] = spec.depth_high[d] = 2;
    }
    spec.ndims = 2;
    spec.layout = HLC_COLUMN_MAJOR;
    spec.nblocks = spec.nfields = 1;
    spec.blocks = &box;
    spec.fields = &plane.field;
    spec.mode = HLC_MODE_P2P;
  }
  hlc_box box{};
  hlc_blocks_spec spec{};
};

/// The flags of a call that makes something, each of which is wrong on the last rank alone.
void expect_refused_everywhere(const std::string &call, const std::string &flag, const std::function<hlc_status(int)> &make, int right) {
  for (const int wrong : {2, -1}) {
    SCOPED_TRACE(call + " with " + flag + " " + std::to_string(wrong));
    EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, make(rank() == size() - 1 ? wrong : right)));
    EXPECT_TRUE(message_names(
        {call, " on rank " + std::to_string(size() - 1) + ": ", flag + " is " + std::to_string(wrong) + " but must be 0 or 1"}));
    everyone(true);
  }
}

TEST(Flags, of_plans_are_0_or_1) {
  const auto halo_with = [](int hlc_halo_spec::*flag, int value) {
    Plane plane;
    plane.spec.*flag = value;
    hlc_halo *halo = nullptr;
    const hlc_status status = hlc_halo_init(context(), &plane.spec, &halo);
    if (status == HLC_OK) {
      EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
    }
    return status;
  };
  expect_refused_everywhere("hlc_halo_init", "rebind", [&](int value) { return halo_with(&hlc_halo_spec::rebind, value); }, 1);
  expect_refused_everywhere("hlc_halo_init", "staged", [&](int value) { return halo_with(&hlc_halo_spec::staged, value); }, 1);
  const auto periodic_halo = [](int value) {
    Plane plane;
    plane.grid.periodic[1] = value;
    hlc_halo *halo = nullptr;
    const hlc_status status = hlc_halo_init(context(), &plane.spec, &halo);
    if (status == HLC_OK) {
      EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
    }
    return status;
  };
  expect_refused_everywhere("hlc_halo_init", "grid.periodic[1]", periodic_halo, 1);
  const auto periodic_blocks = [](int value) {
    Plane plane;
    BlockPlan plan(plane);
    plan.spec.periodic[1] = value;
    hlc_blocks *blocks = nullptr;
    const hlc_status status = hlc_blocks_init(context(), &plan.spec, &blocks);
    if (status == HLC_OK) {
      EXPECT_TRUE(ok(hlc_blocks_finalise(&blocks)));
    }
    return status;
  };
  expect_refused_everywhere("hlc_blocks_init", "periodic[1]", periodic_blocks, 1);
  const auto shared_segment = [](int value) {
    const hlc_segment_spec spec{64, 1, value};
    hlc_segment *segment = nullptr;
    const hlc_status status = hlc_segment_create(context(), &spec, &segment);
    if (status == HLC_OK) {
      EXPECT_TRUE(ok(hlc_segment_free(&segment)));
    }
    return status;
  };
  expect_refused_everywhere("hlc_segment_create", "shared", shared_segment, 1);
}

TEST(Flags, of_grids_are_0_or_1) {
  const std::int64_t global[] = {4 * size(), 4};
  int periodic[] = {1, 0};
  hlc_grid grid{};
  REQUIRE_EVERYWHERE(hlc_grid_create(context(), 2, global, nullptr, periodic, &grid) == HLC_OK);
  const auto reorder = [&](int value) {
    hlc_grid mine = grid;
    mine.periodic[1] = value;
    return hlc_grid_reorder(context(), nullptr, &mine, nullptr);
  };
  expect_refused_everywhere("hlc_grid_reorder", "grid.periodic[1]", reorder, 0);
  periodic[1] = 8;
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_grid_create(context(), 2, global, nullptr, periodic, &grid)));
  EXPECT_TRUE(message_names({"hlc_grid_create on rank " + std::to_string(rank()), "periodic[1] is 8 but must be 0 or 1"}));
}

/// A swap with a wrong flag is refused on this rank alone, and nothing is started.
void expect_refused_here(const std::string &call, const std::string &flag, const std::function<hlc_status(int)> &start) {
  for (const int wrong : {2, -1}) {
    SCOPED_TRACE(call + " with " + flag + " " + std::to_string(wrong));
    EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, start(wrong)));
    EXPECT_TRUE(message_names(
        {call + " on rank " + std::to_string(rank()) + ": " + flag + " is " + std::to_string(wrong) + " but must be 0 or 1"}));
  }
}

TEST(Flags, of_swaps_are_0_or_1) {
  Plane plane;
  hlc_halo *halo = nullptr;
  hlc_blocks *blocks = nullptr;
  BlockPlan plan(plane);
  plane.spec.rebind = 1;
  REQUIRE_EVERYWHERE(hlc_halo_init(context(), &plane.spec, &halo) == HLC_OK);
  REQUIRE_EVERYWHERE(hlc_blocks_init(context(), &plan.spec, &blocks) == HLC_OK);
  for (const auto &[flag, member] : {std::pair{"reverse", &hlc_swap::reverse}, {"one_dim", &hlc_swap::one_dim}}) {
    hlc_swap what{};
    const auto with = [&what, flag = member](int value) { return what.*flag = value, &what; };
    expect_refused_here("hlc_halo_start", flag, [&](int value) { return hlc_halo_start(halo, with(value)); });
    void *data[] = {plane.cells.data()};
    expect_refused_here("hlc_halo_start_with", flag, [&](int value) { return hlc_halo_start_with(halo, with(value), data); });
  }
  hlc_swap what{};
  const auto reverse = [&](int value) { return what.reverse = value, &what; };
  expect_refused_here("hlc_blocks_start", "reverse", [&](int value) { return hlc_blocks_start(blocks, reverse(value)); });
  expect_refused_here("hlc_blocks_start_part", "reverse", [&](int value) { return hlc_blocks_start_part(blocks, 0, reverse(value)); });
  EXPECT_TRUE(ok(hlc_halo_start(halo, nullptr)));
  EXPECT_TRUE(ok(hlc_halo_finish(halo)));
  EXPECT_TRUE(ok(hlc_blocks_finalise(&blocks)));
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
}

TEST(Flags, of_swaps_of_an_index_halo_are_0_or_1) {
  double value = 1;
  hlc_index_field field{};
  field.data = &value;
  field.type = HLC_FLOAT64;
  hlc_index_halo_spec spec{};
  spec.nentries = 1;
  spec.nfields = 1;
  spec.fields = &field;
  hlc_index_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(hlc_index_halo_init(context(), &spec, &halo) == HLC_OK);
  expect_refused_here("hlc_index_halo_start", "reverse", [&](int wrong) {
    const hlc_index_swap what{0, nullptr, wrong};
    return hlc_index_halo_start(halo, &what);
  });
  EXPECT_TRUE(ok(hlc_index_halo_finalise(&halo)));
}

}  // namespace
}  // namespace halocline::test
