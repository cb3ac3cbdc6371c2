// Wrong arguments: each gets its documented status on every rank, and a message that names the argument, its value and the rank.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <functional>
#include <limits>
#include <thread>

#include <halocline/halocline.hpp>

#include "support/plane.hpp"

namespace halocline::test {
namespace {

/// Plans a halo whose spec is wrong on the last rank alone, and expects the same status and message on all ranks.
void expect_refused(const char *what, const std::function<void(Plane &)> &spoil, hlc_status expected, std::vector<std::string> words) {
  SCOPED_TRACE(what);
  Plane plane;
  if (rank() == size() - 1) spoil(plane);
  hlc_halo *halo = nullptr;
  const hlc_status status = hlc_halo_init(context(), &plane.spec, &halo);
  EXPECT_TRUE(is_status(expected, status));
  words.push_back("hlc_halo_init of plan ");
  words.push_back(" on rank " + std::to_string(size() - 1) + ": ");
  EXPECT_TRUE(message_names(words));
  if (status == HLC_OK) {
    EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
  }
  everyone(true);
}

std::string last_rank() { return "rank " + std::to_string(size() - 1); }

TEST(Arguments, of_hlc_halo_init_are_checked_on_all_ranks) {
  const auto refuse = [](const char *what, std::vector<std::string> words, const std::function<void(Plane &)> &spoil) {
    words.push_back(last_rank());
    expect_refused(what, spoil, HLC_ERR_ARGUMENT, words);
  };
  refuse("no grid", {"grid"}, [](Plane &p) { p.spec.grid = nullptr; });
  refuse("no dimensions", {"ndims", "0"}, [](Plane &p) { p.grid.ndims = 0; });
  refuse("too many dimensions", {"ndims", "5"}, [](Plane &p) { p.grid.ndims = 5; });
  refuse("no fields", {"nfields", "0"}, [](Plane &p) { p.spec.nfields = 0; });
  refuse("a negative number of fields", {"nfields", "-3"}, [](Plane &p) { p.spec.nfields = -3; });
  refuse("no list of fields", {"fields"}, [](Plane &p) { p.spec.fields = nullptr; });
  refuse("a field without data", {"data", "theta"}, [](Plane &p) { p.field.data = nullptr; });
  refuse("negative low depth", {"depth_low", "-1"}, [](Plane &p) { p.spec.depth_low[1] = -1; });
  refuse("negative high depth", {"depth_high", "-7"}, [](Plane &p) { p.spec.depth_high[0] = -7; });
  refuse("opaque elements without bytes", {"element_bytes is 0", "HLC_OPAQUE"}, [](Plane &p) { p.field.type = HLC_OPAQUE; });
  refuse("bytes that are not the type's", {"element_bytes is 4", "HLC_FLOAT64 has 8"}, [](Plane &p) { p.field.element_bytes = 4; });
  refuse("an unknown type", {"type", "77"}, [](Plane &p) { p.field.type = static_cast<hlc_type>(77); });
  refuse("a negative stride", {"stride", "-8"}, [](Plane &p) { p.field.stride_bytes[0] = -8, p.field.stride_bytes[1] = 64; });
  refuse("an unknown stencil", {"stencil", "9"}, [](Plane &p) { p.spec.stencil = static_cast<hlc_stencil>(9); });
  refuse("an unknown layout", {"layout", "8"}, [](Plane &p) { p.spec.layout = static_cast<hlc_layout>(8); });
  refuse("no layout", {"layout is not set", "fields[0] 'theta'", "HLC_ROW_MAJOR"}, [](Plane &p) { p.spec.layout = HLC_LAYOUT_UNSET; });
  refuse("an unknown mode", {"hlc_halo_init of plan ", " on rank ", ": mode is 55 but must be an hlc_mode"},
         [](Plane &p) { p.spec.mode = static_cast<hlc_mode>(55); });
  refuse("an unknown epoch", {"epoch", "6"}, [](Plane &p) { p.spec.epoch = static_cast<hlc_epoch>(6); });
  refuse("an unknown drive", {"drive", "6"}, [](Plane &p) { p.spec.drive = static_cast<hlc_drive>(6); });
  refuse("no cells", {"local", "0"}, [](Plane &p) { p.grid.local[1] = 0; });
}

TEST(Arguments, that_do_not_go_with_stages_are_refused) {
  static const int nobody[9] = {-1, -1, -1, -1, -1, -1, -1, -1, -1};
  static const unsigned char nothing[9] = {};
  expect_refused("stages with a table", [](Plane &p) { p.spec.staged = 1, p.spec.neighbours = nobody; }, HLC_ERR_UNSUPPORTED,
                 {"staged", "neighbours must be NULL", last_rank()});
  expect_refused("stages with fills", [](Plane &p) { p.spec.staged = 1, p.spec.fills = nothing; }, HLC_ERR_UNSUPPORTED,
                 {"staged", "fills must be NULL", last_rank()});
}

/// Makes the field of a plane one with a shape; memory that fits any of them.
void give_shape(Plane &plane, hlc_field_shape &shape) {
  shape = {};
  plane.cells.resize(2000);
  plane.field.data = plane.cells.data();
  plane.spec.shapes = &shape;
}

TEST(Arguments, of_shapes_are_checked) {
  static hlc_field_shape shape;
  const auto refuse = [](const char *what, std::vector<std::string> words, hlc_status status, const std::function<void(Plane &)> &spoil) {
    words.push_back(last_rank());
    SCOPED_TRACE(what);
    Plane plane;
    give_shape(plane, shape);
    plane.spec.name = "flow";
    if (rank() == size() - 1) spoil(plane);
    words.push_back("hlc_halo_init of plan 'flow' on " + last_rank() + ": ");
    hlc_halo *halo = nullptr;
    EXPECT_TRUE(is_status(status, hlc_halo_init(context(), &plane.spec, &halo)));
    EXPECT_TRUE(message_names(words));
    EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
    everyone(true);
  };
  const std::string field = "shapes[0], of field 'theta': ";
  refuse("no stagger", {field + "stagger[1] is 3", "HLC_CENTRED"}, HLC_ERR_ARGUMENT,
         [](Plane &) { shape.stagger[1] = static_cast<hlc_stagger>(3); });
  refuse("a negative stagger", {field + "stagger[0] is -1"}, HLC_ERR_ARGUMENT,
         [](Plane &) { shape.stagger[0] = static_cast<hlc_stagger>(-1); });
  refuse("a depth that is not said to be the field's", {field + "depth_low[1] is 1, and own_depth is 0: set own_depth to 1"},
         HLC_ERR_ARGUMENT, [](Plane &) { shape.depth_low[1] = 1; });
  refuse("the same on the high side", {field + "depth_high[0] is -1, and own_depth is 0"}, HLC_ERR_ARGUMENT,
         [](Plane &) { shape.depth_high[0] = -1; });
  refuse("no own_depth", {field + "own_depth is 2 but must be 0 or 1"}, HLC_ERR_ARGUMENT, [](Plane &) { shape.own_depth = 2; });
  refuse("a negative depth", {field + "depth_low[0] is -2", "0 to the rank's cells, 4"}, HLC_ERR_ARGUMENT,
         [](Plane &) { shape.own_depth = 1, shape.depth_low[0] = -2; });
  refuse("a depth beyond the block", {field + "depth_high[1] is 5", "0 to the rank's cells, 4"}, HLC_ERR_ARGUMENT,
         [](Plane &) { shape.own_depth = 1, shape.depth_high[1] = 5; });
  refuse("as many owned nodes as the rank has", {field + "depth_high[1] is 4", "0 to 3", "HLC_NODES_OWNED", "owns 4"}, HLC_ERR_ARGUMENT,
         [](Plane &) { shape.own_depth = 1, shape.depth_high[1] = 4, shape.stagger[1] = HLC_NODES_OWNED; });
  refuse("the same by the spec's depths", {field + "depth_high[0] is 4", "owns 4"}, HLC_ERR_ARGUMENT, [](Plane &p) {
    p.spec.depth_high[0] = 4;
    shape.stagger[0] = HLC_NODES_OWNED;
  });
  refuse("stages", {"staged is set and shapes are given", "set staged to 0, or shapes to NULL"}, HLC_ERR_UNSUPPORTED,
         [](Plane &p) { p.spec.staged = 1; });
  refuse("a halo deeper than the block", {"depth_low[1] is 6 and shapes are given", "deeper than the block of 4 cells", "set at most that"},
         HLC_ERR_UNSUPPORTED, [](Plane &p) { p.spec.depth_low[1] = 6; });
}

TEST(Arguments, a_depth_that_no_field_uses_need_not_fit_the_block) {
  hlc_field_shape shape;
  Plane plane;
  give_shape(plane, shape);
  shape.own_depth = 1;
  for (int d = 0; d < 2; ++d) {
    shape.depth_low[d] = shape.depth_high[d] = 1;
    plane.spec.depth_low[d] = plane.spec.depth_high[d] = 9;
  }
  std::fill(plane.cells.begin(), plane.cells.end(), 100.0 + rank());
  hlc_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(ok(hlc_halo_init(context(), &plane.spec, &halo)));
  EXPECT_TRUE(ok(hlc_halo_start(halo, nullptr)));
  EXPECT_TRUE(ok(hlc_halo_finish(halo)));
  for (std::size_t row = 0; row < 6; ++row) {
    EXPECT_EQ(plane.cells[6 * row], 100 + (rank() + size() - 1) % size());
    EXPECT_EQ(plane.cells[6 * row + 5], 100 + (rank() + 1) % size());
  }
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
}

TEST(Arguments, of_a_field_on_nodes_may_overlap_no_other) {
  Plane plane;
  std::vector<double> cells(200);
  hlc_field two[2] = {plane.field, plane.field};
  hlc_field_shape shapes[2] = {};
  shapes[0].stagger[0] = HLC_NODES_SHARED;
  two[0].data = cells.data();
  two[1].data = cells.data() + 8 * 8;  // where the field would end if it were in the cells
  plane.spec.nfields = 2;
  plane.spec.fields = two;
  plane.spec.shapes = shapes;
  for (hlc_field &field : two) field.stride_bytes[0] = 8, field.stride_bytes[1] = 72;
  hlc_halo *halo = nullptr;
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_init(context(), &plane.spec, &halo)));
  EXPECT_TRUE(message_names({"fields[0] 'theta' and fields[1] 'theta' overlap", "512 bytes apart"}));
  two[1].data = cells.data() + 9 * 8;
  REQUIRE_EVERYWHERE(ok(hlc_halo_init(context(), &plane.spec, &halo)));
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
}

TEST(Arguments, that_a_swap_of_less_depth_excludes_are_refused) {
  const auto refuse = [](Plane &plane, std::int64_t depth, hlc_status status, const std::vector<std::string> &words) {
    plane.cells.resize(2000);
    plane.field.data = plane.cells.data();
    hlc_halo *halo = nullptr;
    REQUIRE_EVERYWHERE(ok(hlc_halo_init(context(), &plane.spec, &halo)));
    hlc_swap what{};
    what.depth = depth;
    EXPECT_TRUE(is_status(status, hlc_halo_start(halo, &what)));
    EXPECT_TRUE(message_names(words));
    EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
  };
  const std::string me = "hlc_halo_start on rank " + std::to_string(rank());
  Plane plane, deep, staged;
  refuse(plane, -1, HLC_ERR_ARGUMENT, {me + ": depth is -1, it must be 0 (the whole halo) or more"});
  deep.spec.depth_low[1] = 6;
  refuse(deep, 2, HLC_ERR_UNSUPPORTED, {me + ": depth is 2, but the halo is deeper than the block"});
  staged.spec.staged = 1;
  refuse(staged, 1, HLC_ERR_UNSUPPORTED, {me + ": depth is 1, but a staged halo is swapped at its whole depth"});
}

TEST(Arguments, that_no_memory_fits_are_refused_and_overflow_nothing) {
  const auto refuse = [](const char *what, std::vector<std::string> words, const std::function<void(Plane &)> &spoil) {
    words.push_back(last_rank());
    expect_refused(what, spoil, HLC_ERR_ARGUMENT, words);
  };
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  refuse("a block of all cells", {"local[0]", std::to_string(most)}, [=](Plane &p) { p.grid.local[0] = most; });
  refuse("a plane of 2^54 by 2^54", {"theta", "stride_bytes", "memory"}, [=](Plane &p) {
    p.grid.global[0] = p.grid.global[1] = 0;
    p.grid.local[0] = p.grid.local[1] = most >> 9;
  });
  refuse("an endless halo", {"depth_high[1]", std::to_string(most)}, [=](Plane &p) { p.spec.depth_high[1] = most; });
  refuse("an endless stride", {"theta", "stride_bytes[1]"}, [=](Plane &p) {
    p.field.stride_bytes[0] = 8;
    p.field.stride_bytes[1] = most;
  });
  refuse("endless elements", {"element_bytes", "theta"}, [](Plane &p) {
    p.field.type = HLC_OPAQUE;
    p.field.element_bytes = std::numeric_limits<std::size_t>::max() / 2;
  });
  refuse("ranks whose product is 2^64", {"dims"}, [](Plane &p) { p.grid.dims[0] = p.grid.dims[1] = std::numeric_limits<int>::max(); });
  refuse("most negative numbers", {"ndims"}, [](Plane &p) { p.grid.ndims = std::numeric_limits<int>::min(); });
  refuse("the most negative depth", {"depth_low[0]"}, [](Plane &p) { p.spec.depth_low[0] = std::numeric_limits<std::int64_t>::min(); });

  hlc_grid grid{};
  const std::int64_t global[] = {most, most};
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_grid_create(context(), 2, global, nullptr, nullptr, &grid)));
  EXPECT_TRUE(message_names({"global[0]", std::to_string(most), "rank " + std::to_string(rank())}));
}

TEST(Arguments, of_a_grid_filled_by_hand_must_fit_together) {
  const auto refuse = [](const char *what, std::vector<std::string> words, const std::function<void(Plane &)> &spoil) {
    words.push_back(last_rank());
    expect_refused(what, spoil, HLC_ERR_ARGUMENT, words);
  };
  refuse("coords beyond dims", {"coords[0]", "99"}, [](Plane &p) { p.grid.coords[0] = 99; });
  refuse("a block that starts before the grid", {"start[1]", "-1"}, [](Plane &p) { p.grid.start[1] = -1; });
  refuse("a block that ends behind the grid", {"start[1]", "1"}, [](Plane &p) { p.grid.start[1] = 1; });
  if (size() > 1) refuse("another rank's place", {"coords", "rank 0"}, [](Plane &p) { p.grid.start[0] = p.grid.coords[0] = 0; });
  static int table[9];
  for (const int wrong : {-7, 1000}) {
    refuse("a neighbour that is no rank", {"neighbours[1]", std::to_string(wrong)}, [=](Plane &p) {
      for (int &rank : table) rank = HLC_NO_NEIGHBOUR;
      table[1] = wrong;
      p.spec.neighbours = table;
    });
  }
  refuse("a neighbour that is no rank, opposite to the rank itself", {"neighbours[7] is 99", "0 to " + std::to_string(size() - 1)},
         [](Plane &p) {
           for (int &neighbour : table) neighbour = HLC_NO_NEIGHBOUR;
           table[1] = rank();
           table[7] = 99;
           p.spec.neighbours = table;
         });
  refuse("myself on one side only", {"neighbours"}, [](Plane &p) {
    for (int &neighbour : table) neighbour = HLC_NO_NEIGHBOUR;
    table[1] = rank();
    p.spec.neighbours = table;
  });
}

/// A halo of two fields of 8 x 8 cells that start `apart` bytes from each other and share their strides.
hlc_status plan_two_fields(Plane &plane, std::vector<double> &cells, std::int64_t apart, std::int64_t inner_stride) {
  hlc_field two[2] = {plane.field, plane.field};
  for (hlc_field &field : two) {
    field.data = cells.data();
    field.stride_bytes[0] = inner_stride;
    field.stride_bytes[1] = 8 * inner_stride;
  }
  two[1].data = reinterpret_cast<char *>(cells.data()) + apart;
  plane.spec.nfields = 2;
  plane.spec.fields = two;
  hlc_halo *halo = nullptr;
  const hlc_status status = hlc_halo_init(context(), &plane.spec, &halo);
  return halo && hlc_halo_finalise(&halo) != HLC_OK ? HLC_ERR_STATE : status;
}

TEST(Arguments, fields_that_overlap_each_other_are_refused_and_interleaved_ones_are_not) {
  Plane plane;
  std::vector<double> cells(400);
  for (const std::int64_t apart : {0, 4, 8, 64, 504}) {
    EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, plan_two_fields(plane, cells, apart, 8))) << apart;
    EXPECT_TRUE(message_names({"fields[0]", "fields[1]", "overlap", std::to_string(apart), "rank"}));
  }
  EXPECT_TRUE(ok(plan_two_fields(plane, cells, 512, 8)));  // one after the other
  EXPECT_TRUE(ok(plan_two_fields(plane, cells, 8, 16)));   // members of a struct
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, plan_two_fields(plane, cells, 4, 16)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, plan_two_fields(plane, cells, 32, 16)));
}

TEST(Arguments, that_are_missing_on_one_rank_are_an_error_of_all) {
  const bool wrong = rank() == size() - 1;
  Plane plane;
  hlc_halo *halo = nullptr;
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_init(context(), wrong ? nullptr : &plane.spec, &halo)));
  EXPECT_TRUE(message_names({"spec", last_rank()}));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_init(context(), &plane.spec, wrong ? nullptr : &halo)));
  EXPECT_TRUE(message_names({"result", last_rank()}));
  EXPECT_EQ(halo, nullptr);
  void *data = nullptr;
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_field_alloc(context(), 100, wrong ? nullptr : &data)));
  EXPECT_TRUE(message_names({"data", last_rank()}));
  EXPECT_EQ(data, nullptr);
  hlc_context *other = nullptr;
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_init(MPI_COMM_WORLD, wrong ? nullptr : &other)));
  EXPECT_TRUE(message_names({"context", last_rank()}));
  EXPECT_EQ(other, nullptr);
  hlc_exchange_spec spec{};
  hlc_exchange *exchange = nullptr;
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_exchange_create(context(), wrong ? nullptr : &spec, &exchange)));
  EXPECT_TRUE(message_names({"spec", last_rank()}));
}

TEST(Arguments, that_are_missing_are_named) {
  Plane plane;
  hlc_halo *halo = nullptr;
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_init(nullptr, &plane.spec, &halo)));
  EXPECT_TRUE(message_names({"context"}));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_init(context(), nullptr, &halo)));
  EXPECT_TRUE(message_names({"spec"}));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_init(context(), &plane.spec, nullptr)));
  EXPECT_TRUE(message_names({"halo"}));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_start(nullptr, nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_test(nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_finish(nullptr)));
  EXPECT_TRUE(is_status(HLC_OK, hlc_halo_finalise(nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_info(nullptr, nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_exchange_start(nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_exchange_test(nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_exchange_finish(nullptr)));
  EXPECT_TRUE(is_status(HLC_OK, hlc_exchange_destroy(nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_context_info(nullptr, nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_init(MPI_COMM_WORLD, nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_field_alloc(nullptr, 8, &plane.field.data)));
  EXPECT_TRUE(is_status(HLC_OK, hlc_finalise(nullptr)));
  hlc_context *other = nullptr;
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_init(MPI_COMM_NULL, &other)));
  EXPECT_TRUE(message_names({"comm"}));
}

TEST(Arguments, a_depth_that_reaches_across_several_neighbours_is_refused_with_both_numbers) {
  if (size() == 1) GTEST_SKIP() << "one rank is its own neighbour: it may have any depth";
  for (const bool low : {true, false}) {
    Plane plane;
    (low ? plane.spec.depth_low : plane.spec.depth_high)[0] = 5;
    plane.cells.resize(11 * 8);
    plane.field.data = plane.cells.data();
    hlc_halo *halo = nullptr;
    EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_init(context(), &plane.spec, &halo)));
    EXPECT_TRUE(message_names({"rank", low ? "depth_low" : "depth_high", "5", "4", "neighbour's neighbour"}));
  }
}

TEST(Arguments, of_a_grid_are_the_places_of_ranks_or_neighbours_alone) {
  Plane plane;
  int table[9], coords[2];
  for (int v = 0; v < 9; ++v) {
    coords[0] = plane.grid.coords[0] + v % 3 - 1, coords[1] = v / 3 - 1;
    table[v] = hlc_grid_rank(&plane.grid, coords);
  }
  for (int d = 0; d < 2; ++d) plane.grid.dims[d] = plane.grid.coords[d] = 0;
  plane.spec.neighbours = table;
  std::fill(plane.cells.begin(), plane.cells.end(), 100.0 + rank());
  hlc_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(ok(hlc_halo_init(context(), &plane.spec, &halo)));
  EXPECT_TRUE(ok(hlc_halo_start(halo, nullptr)));
  EXPECT_TRUE(ok(hlc_halo_finish(halo)));
  for (std::size_t row = 0; row < 8; ++row) {
    EXPECT_EQ(plane.cells[8 * row], 100 + (rank() + size() - 1) % size());
    EXPECT_EQ(plane.cells[8 * row + 7], 100 + (rank() + 1) % size());
  }
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
}

TEST(Arguments, a_depth_that_repeats_the_block_too_often_is_refused) {
  const auto spoil = [](Plane &p) { p.spec.depth_low[1] = std::int64_t{1} << 40; };
  expect_refused("2^38 times the block", spoil, HLC_ERR_ARGUMENT, {last_rank(), "depth_low[1]", "repeated"});
}

TEST(Arguments, of_hlc_fills_moving_are_checked) {
  const int velocity[] = {1, 0, -1};
  unsigned char fills[HLC_DIRECTIONS(3)];
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_fills_moving(5, velocity, fills)));
  EXPECT_TRUE(message_names({"hlc_fills_moving", "ndims", "5"}));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_fills_moving(3, nullptr, fills)));
  EXPECT_TRUE(message_names({"hlc_fills_moving", "velocity"}));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_fills_moving(3, velocity, nullptr)));
  EXPECT_TRUE(message_names({"hlc_fills_moving", "fills"}));
}

TEST(Arguments, of_fills_must_fill_what_a_deep_halo_repeats) {
  static unsigned char fills[9];
  std::fill(std::begin(fills), std::end(fills), 1);
  fills[3] = 0;  // direction (-1, 0), whose cells direction (-1, -1) repeats
  Plane plane;
  plane.cells.resize(100);
  plane.field.data = plane.cells.data();
  plane.spec.depth_low[1] = 6;
  plane.spec.fills = fills;
  hlc_halo *halo = nullptr;
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_init(context(), &plane.spec, &halo)));
  EXPECT_TRUE(message_names({"hlc_halo_init of plan ", " on rank ", "fills[0 * 9 + 3]", "direction 0", "deeper than the block"}));
  plane.spec.name = "flow";
  plane.field.name = "theta";
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_init(context(), &plane.spec, &halo)));
  EXPECT_TRUE(message_names({"hlc_halo_init of plan 'flow' on rank", "direction 0 of fields[0] 'theta'"}));
}

TEST(Arguments, of_a_swap_are_checked) {
  Plane plane;
  hlc_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(hlc_halo_init(context(), &plane.spec, &halo) == HLC_OK);
  const auto refuse = [&](const hlc_swap &what, const std::vector<std::string> &words) {
    EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_start(halo, &what)));
    EXPECT_TRUE(message_names(words));
  };
  const int beyond[] = {1}, twice[] = {0, 0}, negative[] = {-1};
  refuse({1, beyond, 0, 0, HLC_SIDE_BOTH, 0, 0}, {"fields", "1"});
  refuse({1, negative, 0, 0, HLC_SIDE_BOTH, 0, 0}, {"fields", "-1"});
  refuse({2, twice, 0, 0, HLC_SIDE_BOTH, 0, 0}, {"fields"});
  refuse({1, nullptr, 0, 0, HLC_SIDE_BOTH, 0, 0}, {"fields"});
  refuse({-2, beyond, 0, 0, HLC_SIDE_BOTH, 0, 0}, {"nfields", "-2"});
  refuse({0, nullptr, 1, 2, HLC_SIDE_BOTH, 0, 0}, {"dim", "2"});
  refuse({0, nullptr, 1, -1, HLC_SIDE_BOTH, 0, 0}, {"dim", "-1"});
  refuse({0, nullptr, 1, 0, static_cast<hlc_side>(4), 0, 0}, {"side is 4", "HLC_SIDE_BOTH (0), HLC_SIDE_LOW (1) or HLC_SIDE_HIGH (2)"});
  refuse({0, nullptr, 0, 0, HLC_SIDE_LOW, 0, 0}, {"side is 1", "one_dim"});

  // None of the refused starts has started anything.
  EXPECT_TRUE(ok(hlc_halo_start(halo, nullptr)));
  EXPECT_TRUE(ok(hlc_halo_finish(halo)));
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
}

TEST(Arguments, of_a_swap_with_other_arrays_name_that_call) {
  Plane plane;
  plane.spec.rebind = 1;
  hlc_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(hlc_halo_init(context(), &plane.spec, &halo) == HLC_OK);
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, [&] {
    const hlc_swap what{0, nullptr, 1, 7, HLC_SIDE_BOTH, 0, 0};
    return hlc_halo_start_with(halo, &what, nullptr);
  }()));
  EXPECT_TRUE(message_names({"hlc_halo_start_with on rank", "dim is 7"}));
  EXPECT_TRUE(ok(hlc_halo_start_with(halo, nullptr, nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_halo_start_with(halo, nullptr, nullptr)));
  EXPECT_TRUE(message_names({"hlc_halo_start_with on rank"}));
  EXPECT_TRUE(ok(hlc_halo_finish(halo)));
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
}

/// A field without room for its halo, and what messages say of it: the plane's array has 512 bytes, a block 128.
TEST(Arguments, a_field_that_is_too_small_for_its_halo_is_refused_on_all_ranks) {
  void *block = nullptr, *whole = nullptr;
  REQUIRE_EVERYWHERE(hlc_field_alloc(context(), 4 * 4 * 8, &block) == HLC_OK && hlc_field_alloc(context(), 8 * 8 * 8, &whole) == HLC_OK);
  for (const int staged : {0, 1})
    expect_refused("the block alone", [=](Plane &p) { p.field.data = block, p.spec.staged = staged; }, HLC_ERR_ARGUMENT,
                   {"hlc_halo_init of plan ", " on " + last_rank() + ": ",
                    "fields[0] 'theta' needs 512 bytes, but its hlc_field_alloc block has 128 from its data on"});
  expect_refused("not from the beginning", [=](Plane &p) { p.field.data = static_cast<char *>(whole) + 8; }, HLC_ERR_ARGUMENT,
                 {"hlc_halo_init of plan ", " on " + last_rank() + ": ", "needs 512 bytes", "has 504"});
  expect_refused("behind the end", [=](Plane &p) { p.field.data = static_cast<char *>(whole) + 600; }, HLC_ERR_ARGUMENT,
                 {"hlc_halo_init of plan ", " on " + last_rank() + ": ", "needs 512 bytes", "has 0"});
  Plane plane;
  plane.field.data = whole;
  hlc_halo *halo = nullptr;
  EXPECT_TRUE(ok(hlc_halo_init(context(), &plane.spec, &halo)));
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
  EXPECT_TRUE(ok(hlc_field_free(context(), &block)));
  EXPECT_TRUE(ok(hlc_field_free(context(), &whole)));
}

TEST(Arguments, an_array_of_a_swap_that_is_too_small_for_its_halo_is_refused) {
  void *block = nullptr;
  REQUIRE_EVERYWHERE(hlc_field_alloc(context(), 4 * 4 * 8, &block) == HLC_OK);
  for (const int staged : {0, 1}) {
    Plane plane;
    plane.spec.rebind = 1;
    plane.spec.staged = staged;
    hlc_halo *halo = nullptr;
    REQUIRE_EVERYWHERE(hlc_halo_init(context(), &plane.spec, &halo) == HLC_OK);
    EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_start_with(halo, nullptr, &block)));
    EXPECT_TRUE(message_names({"hlc_halo_start_with on rank", "data[0], for field 'theta', needs 512 bytes", "has 128"}));
    EXPECT_TRUE(ok(hlc_halo_start(halo, nullptr)));  // nothing has been started
    EXPECT_TRUE(ok(hlc_halo_finish(halo)));
    EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
  }
  EXPECT_TRUE(ok(hlc_field_free(context(), &block)));
}

/// The first dimension has no neighbour that reads, the second one has.
TEST(Arguments, an_array_that_only_a_later_stage_refuses_ends_the_halo) {
  if (size() != 2) GTEST_SKIP() << "needs 2 ranks";
  Plane plane(HLC_MODE_DIRECT);
  for (int d = 0; d < 2; ++d) {
    plane.grid.dims[d] = d == 0 ? 1 : size();
    plane.grid.coords[d] = d == 0 ? 0 : rank();
    plane.grid.start[d] = 4 * plane.grid.coords[d];
    plane.grid.global[d] = 4 * plane.grid.dims[d];
  }
  plane.spec.rebind = plane.spec.staged = 1;
  void *shared = nullptr;
  REQUIRE_EVERYWHERE(hlc_field_alloc(context(), 8 * 8 * 8, &shared) == HLC_OK);
  plane.field.data = shared;
  hlc_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(hlc_halo_init(context(), &plane.spec, &halo) == HLC_OK);
  void *own = plane.cells.data();
  const hlc_status started = hlc_halo_start_with(halo, nullptr, &own);
  const hlc_status finished = started == HLC_OK ? hlc_halo_finish(halo) : started;
  if (finished == HLC_OK) {
    EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
    EXPECT_TRUE(ok(hlc_field_free(context(), &shared)));
    GTEST_SKIP() << "no neighbour of this rank reads its array";
  }
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, finished));
  if (started == HLC_OK) {
    EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_halo_finish(halo)));
    EXPECT_TRUE(message_names({"has failed; the halo can only be finalised"}));
    EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_halo_test(halo)));
    EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_halo_start(halo, nullptr)));
  }
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
  EXPECT_TRUE(ok(hlc_field_free(context(), &shared)));
}

TEST(Arguments, opaque_elements_cannot_be_added) {
  Plane plane;
  plane.field.type = HLC_OPAQUE;
  plane.field.element_bytes = 8;
  hlc_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(hlc_halo_init(context(), &plane.spec, &halo) == HLC_OK);
  hlc_swap what{};
  what.reverse = 1;
  const hlc_status status = hlc_halo_start(halo, &what);
  EXPECT_TRUE(status == HLC_ERR_ARGUMENT || status == HLC_ERR_UNSUPPORTED) << hlc_status_name(status);
  EXPECT_TRUE(message_names({"theta"}));
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
}

TEST(Arguments, of_an_exchange_are_checked) {
  const auto refuse = [](const char *what, hlc_neighbour neighbour, const std::vector<std::string> &words, bool callbacks = true) {
    SCOPED_TRACE(what);
    hlc_exchange_spec spec{};
    spec.nneighbours = 1;
    spec.neighbours = &neighbour;
    if (callbacks) {
      spec.pack = [](int, void *, void *) {};
      spec.unpack = [](int, const void *, void *) {};
    }
    hlc_exchange *exchange = nullptr;
    EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_exchange_create(context(), &spec, &exchange)));
    EXPECT_TRUE(message_names(words));
  };
  refuse("a rank beyond the last", {size(), 0, 0, 8, 8}, {"rank", std::to_string(size())});
  refuse("a negative rank", {-2, 0, 0, 8, 8}, {"rank", "-2"});
  refuse("a negative tag_out", {rank(), -5, 0, 8, 8}, {"tag_out", "-5"});
  refuse("a negative tag_in", {rank(), 0, -6, 8, 8}, {"tag_in", "-6"});
  refuse("negative bytes out", {rank(), 0, 0, -8, 8}, {"bytes_out", "-8"});
  refuse("negative bytes in", {rank(), 0, 0, 8, -9}, {"bytes_in", "-9"});
  refuse("no pack", {rank(), 0, 0, 8, 8}, {"pack"}, false);
  hlc_exchange_spec spec{};
  spec.nneighbours = 2;
  hlc_exchange *exchange = nullptr;
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_exchange_create(context(), &spec, &exchange)));
  EXPECT_TRUE(message_names({"neighbours"}));
}

TEST(Names, of_every_mode_are_found_again) {
  for (int m = HLC_MODE_P2P; m < HLC_MODE_COUNT_; ++m) {
    hlc_mode found = HLC_MODE_DEFAULT;
    EXPECT_TRUE(ok(hlc_mode_from_name(hlc_mode_name(static_cast<hlc_mode>(m)), &found)));
    EXPECT_EQ(found, m);
  }
  EXPECT_STREQ(hlc_mode_name(HLC_MODE_PASSIVE_NAIVE), "passive_naive");
  EXPECT_STREQ(hlc_mode_name(HLC_MODE_COUNT_), "unknown");
  EXPECT_STREQ(hlc_mode_name(static_cast<hlc_mode>(-1)), "unknown");
}

TEST(Names, that_are_misspelt_are_answered_with_the_nearest_one) {
  const char *misspelt[][2] = {{"notfy", "notify"}, {"fense", "fence"}, {"pasive_naive", "passive_naive"}, {"neighbour", "neighbor"}};
  for (const auto &[given, nearest] : misspelt) {
    hlc_mode mode = HLC_MODE_DEFAULT;
    EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_mode_from_name(given, &mode)));
    EXPECT_TRUE(message_names({given, nearest}));
  }
  hlc_mode mode = HLC_MODE_DEFAULT;
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_mode_from_name(nullptr, &mode)));
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_mode_from_name("p2p", nullptr)));
}

TEST(Messages, of_sizes_that_cannot_be_had_tell_the_sizes) {
  hlc_grid grid{};
  const std::int64_t small[] = {1, 5};
  const int dims[] = {size() + 1, 0};
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_grid_create(context(), 2, small, dims, nullptr, &grid)));
  EXPECT_TRUE(message_names({"hlc_grid_create", "global is (1, 5)", "dims is (" + std::to_string(size() + 1) + ", 0)"}));
  void *memory = nullptr;
  EXPECT_TRUE(is_status(HLC_ERR_MEMORY, hlc_field_alloc(context(), std::size_t{1} << 60, &memory)));
  EXPECT_TRUE(message_names({"hlc_field_alloc", "1152921504606846976"}));
}

TEST(Messages, name_the_fields_of_a_cxx_halo) {
  const Context cxx(MPI_COMM_WORLD);
  const Grid grid(cxx, {8, 8 * static_cast<std::int64_t>(size())}, {true, true});
  Field<double, 2> field(cxx, grid, 1);
  try {
    const Halo halo(cxx, grid, {{field, "theta"}, {field, "rho"}});
    ADD_FAILURE() << "two fields in one place";
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("'theta' and fields[1] 'rho'"), std::string::npos) << error.what();
  }
}

TEST(Arguments, of_fields_without_gaps_may_not_overlap_whatever_their_strides) {
  Plane plane;
  std::vector<double> cells(200);
  hlc_field two[2] = {plane.field, plane.field};
  hlc_field_shape shapes[2] = {};
  shapes[0].stagger[0] = shapes[0].stagger[1] = HLC_NODES_SHARED;
  for (hlc_field &field : two) std::fill_n(field.stride_bytes, HLC_MAX_DIMS, 0);
  plane.spec.nfields = 2, plane.spec.fields = two, plane.spec.shapes = shapes, plane.spec.layout = HLC_ROW_MAJOR;
  const std::int64_t values = (plane.grid.local[0] + plane.spec.depth_low[0] + plane.spec.depth_high[0] + 1) *
                              (plane.grid.local[1] + plane.spec.depth_low[1] + plane.spec.depth_high[1] + 1);
  cells.resize(static_cast<std::size_t>(2 * values));
  two[0].data = cells.data();
  hlc_halo *halo = nullptr;
  two[1].data = cells.data() + values - 1;
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_init(context(), &plane.spec, &halo)));
  EXPECT_TRUE(message_names({"fields[0]", "fields[1]", "overlap", std::to_string(8 * (values - 1)) + " bytes apart"}));
  two[1].data = cells.data() + values;
  EXPECT_TRUE(ok(hlc_halo_init(context(), &plane.spec, &halo)));
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
}

TEST(Names, of_statuses_are_their_own) {
  const char *names[] = {"HLC_OK",         "HLC_AGAIN",           "HLC_ERR_ARGUMENT", "HLC_ERR_STATE",
                         "HLC_ERR_MEMORY", "HLC_ERR_MISMATCH",    "HLC_ERR_TIMEOUT",  "HLC_ERR_PEER_DIED",
                         "HLC_ERR_MPI",    "HLC_ERR_UNSUPPORTED", "HLC_ERR_RULE",     "HLC_ERR_DEVICE"};
  for (int s = HLC_OK; s <= HLC_ERR_DEVICE; ++s) EXPECT_STREQ(hlc_status_name(static_cast<hlc_status>(s)), names[s]);
  EXPECT_NE(hlc_status_name(static_cast<hlc_status>(1234)), nullptr);
  EXPECT_STREQ(hlc_version(), "0.2.0");
}

TEST(Messages, belong_to_a_thread) {
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_test(nullptr)));
  std::thread([] { EXPECT_STREQ(hlc_error_message(), ""); }).join();
  EXPECT_STRNE(hlc_error_message(), "");
}

TEST(Environment, HALOCLINE_MODE_chooses_the_mode_that_the_caller_leaves_open) {
  for (const hlc_mode wanted : {HLC_MODE_FENCE, HLC_MODE_NOTIFY}) {
    setenv("HALOCLINE_MODE", hlc_mode_name(wanted), 1);
    Plane plane(HLC_MODE_DEFAULT);
    hlc_halo *halo = nullptr;
    REQUIRE_EVERYWHERE(hlc_halo_init(context(), &plane.spec, &halo) == HLC_OK);
    hlc_plan_info info{};
    EXPECT_TRUE(ok(hlc_halo_info(halo, &info)));
    EXPECT_EQ(info.mode, wanted);
    EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
  }
  unsetenv("HALOCLINE_MODE");
}

TEST(Environment, a_misspelt_HALOCLINE_MODE_is_refused_with_the_nearest_name) {
  setenv("HALOCLINE_MODE", "pasive", 1);
  Plane plane(HLC_MODE_DEFAULT);
  hlc_halo *halo = nullptr;
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_init(context(), &plane.spec, &halo)));
  EXPECT_TRUE(message_names({"hlc_halo_init of plan ", " on rank 0: HALOCLINE_MODE", "pasive", "passive"}));
  unsetenv("HALOCLINE_MODE");
}

TEST(Environment, numbers_that_are_none_are_refused) {
  for (const char *variable : {"HALOCLINE_TIMEOUT", "HALOCLINE_FAKE_NODES"}) {
    const char *set = std::getenv(variable);
    const std::string before = set ? set : "";
    setenv(variable, "many", 1);
    hlc_context *other = nullptr;
    EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_init(MPI_COMM_WORLD, &other)));
    EXPECT_TRUE(message_names({variable, "many"}));
    set ? setenv(variable, before.c_str(), 1) : unsetenv(variable);
  }
}

TEST(Environment, switches_are_0_or_1) {
  for (const std::string name : {"HALOCLINE_CHECK", "HALOCLINE_SUMMARY"}) {
    const char *set = std::getenv(name.c_str());
    const std::string before = set ? set : "";
    for (const std::string wrong : {"yes", "2", "-1"}) {
      setenv(name.c_str(), wrong.c_str(), 1);
      hlc_context *other = context();
      EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_init(MPI_COMM_WORLD, &other)));
      EXPECT_TRUE(message_names({"hlc_init on rank 0: " + name + " is '" + wrong + "' but must be 0 or 1"}));
      EXPECT_EQ(other, nullptr) << "a call that fails leaves no result";
    }
    set ? setenv(name.c_str(), before.c_str(), 1) : unsetenv(name.c_str());
  }
}

TEST(Environment, auto_period_is_named_with_the_call_that_reads_it) {
  const char *set = std::getenv("HALOCLINE_AUTO_PERIOD");
  const std::string before = set ? set : "";
  setenv("HALOCLINE_AUTO_PERIOD", "x", 1);
  hlc_exchange_spec spec{};
  spec.mode = HLC_MODE_AUTO;
  auto *exchange = reinterpret_cast<hlc_exchange *>(&spec);
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_exchange_create(context(), &spec, &exchange)));
  EXPECT_TRUE(message_names({"hlc_exchange_create of plan ", " on rank 0: HALOCLINE_AUTO_PERIOD is 'x'"}));
  EXPECT_EQ(exchange, nullptr);
  set ? setenv("HALOCLINE_AUTO_PERIOD", before.c_str(), 1) : unsetenv("HALOCLINE_AUTO_PERIOD");
}

TEST(Results, of_calls_that_fail_are_NULL) {
  static int anything;
  void *const some = &anything;
  auto *halo = static_cast<hlc_halo *>(some);
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_halo_init(context(), nullptr, &halo)));
  EXPECT_EQ(halo, nullptr);
  auto *segment = static_cast<hlc_segment *>(some);
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_segment_create(context(), nullptr, &segment)));
  EXPECT_EQ(segment, nullptr);
  auto *plan = static_cast<hlc_allreduce *>(some);
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_allreduce_create(context(), nullptr, &plan)));
  EXPECT_EQ(plan, nullptr);
  auto *sparse = static_cast<hlc_sparse *>(some);
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_sparse_create(context(), nullptr, &sparse)));
  EXPECT_EQ(sparse, nullptr);
  auto *model = static_cast<hlc_model *>(some);
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_model_open("/", &model))) << "a folder cannot be read";
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_model_open("/nonexistent", &model)));
  EXPECT_EQ(model, nullptr);
  void *data = some;
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_field_alloc(nullptr, 8, &data)));
  EXPECT_EQ(data, nullptr);
}

TEST(Environment, words_that_are_none_are_refused_with_the_choices) {
  const char *set = std::getenv("HALOCLINE_PROGRESS");
  const std::string before = set ? set : "";
  hlc_context *other = nullptr;
  setenv("HALOCLINE_PROGRESS", "threads", 1);
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_init(MPI_COMM_WORLD, &other)));
  EXPECT_TRUE(message_names({"HALOCLINE_PROGRESS", "'threads'", "caller, spare, thread or helper"}));
  set ? setenv("HALOCLINE_PROGRESS", before.c_str(), 1) : unsetenv("HALOCLINE_PROGRESS");
}

TEST(Arguments, of_fields_with_strides_of_their_own_need_no_layout) {
  Plane plane;
  plane.field.stride_bytes[0] = 64;
  plane.field.stride_bytes[1] = 8;
  plane.spec.layout = HLC_LAYOUT_UNSET;
  hlc_halo *halo = nullptr;
  EXPECT_TRUE(ok(hlc_halo_init(context(), &plane.spec, &halo)));
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
}

TEST(Context, says_who_shares_the_node) {
  hlc_context_info_t info{};
  EXPECT_TRUE(ok(hlc_context_info(context(), &info)));
  EXPECT_EQ(info.rank, rank());
  EXPECT_EQ(info.size, size());
  const char *fake = std::getenv("HALOCLINE_FAKE_NODES");
  EXPECT_EQ(info.nodes, fake ? std::atoi(fake) : 1);
  EXPECT_GE(info.cores, 1);
  EXPECT_LT(info.node_rank, info.node_size);
  int rank_sum = 0, members = 0;
  MPI_Allreduce(&info.node_rank, &rank_sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  const int first = info.node_rank == 0 ? info.node_size : 0;
  MPI_Allreduce(&first, &members, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(members, size()) << "every rank belongs to one node";
}

TEST(Context, several_may_be_open_and_the_callers_communicator_is_left_alone) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank() % 2, 0, &half);
  hlc_context *other = nullptr;
  REQUIRE_EVERYWHERE(hlc_init(half, &other) == HLC_OK);
  hlc_context_info_t info{};
  EXPECT_TRUE(ok(hlc_context_info(other, &info)));
  EXPECT_EQ(info.size, (size() + (rank() % 2 == 0)) / 2);
  int pending = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, half, &pending, MPI_STATUS_IGNORE);
  EXPECT_EQ(pending, 0);
  EXPECT_TRUE(ok(hlc_finalise(&other)));
  EXPECT_EQ(other, nullptr);
  MPI_Comm_free(&half);
}

}  // namespace
}  // namespace halocline::test
