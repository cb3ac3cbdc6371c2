// Ranks that disagree: every rank gets HLC_ERR_MISMATCH, with both ranks and both values in the message, and no rank hangs.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <functional>
#include <string>
#include <tuple>

#include "support/plane.hpp"

namespace halocline::test {
namespace {

/// Changes the spec on the last rank alone and expects that every rank reports a mismatch.
void expect_mismatch(const char *what, const std::function<void(Plane &)> &change, const std::vector<std::string> &words) {
  SCOPED_TRACE(what);
  if (size() < 2) GTEST_SKIP() << "needs 2 ranks that disagree";
  Plane plane;
  plane.cells.resize(1000);
  plane.field.data = plane.cells.data();
  plane.spec.name = "flow";
  if (rank() == size() - 1) change(plane);
  hlc_halo *halo = nullptr;
  const hlc_status status = hlc_halo_init(context(), &plane.spec, &halo);
  EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, status));
  EXPECT_TRUE(message_names({"hlc_halo_init of plan ", "'flow'", "rank " + std::to_string(size() - 1)}));
  EXPECT_TRUE(message_names(words));
  if (status == HLC_OK) {
    EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
  }
  everyone(true);
}

TEST(Mismatch, of_extents_names_both_ranks_and_sizes_and_the_direction) {
  expect_mismatch("5 cells against 4", [](Plane &p) { p.grid.local[1] = p.grid.global[1] = 5; }, {"64", "80", "direction ("});
}

TEST(Mismatch, of_element_sizes_is_found) {
  expect_mismatch("float32 against float64", [](Plane &p) { p.field.type = HLC_FLOAT32; }, {});
}

TEST(Mismatch, of_element_types_of_one_size_is_found) {
  expect_mismatch("int64 against float64", [](Plane &p) { p.field.type = HLC_INT64; }, {"HLC_INT64", "HLC_FLOAT64"});
}

TEST(Mismatch, of_depths_is_found) {
  expect_mismatch("depth 1 against 2", [](Plane &p) { p.spec.depth_low[0] = 1; }, {});
}

TEST(Mismatch, of_fills_is_found) {
  static unsigned char fills[9];
  std::fill(std::begin(fills), std::end(fills), 1);
  fills[5] = 0;
  expect_mismatch("a direction that one rank leaves out", [](Plane &p) { p.spec.fills = fills; }, {"fills of fields[0] 'theta'"});
}

TEST(Mismatch, of_a_list_of_shapes_is_found) {
  static hlc_field_shape shape;
  expect_mismatch("shapes on one rank", [](Plane &p) { p.spec.shapes = &shape; }, {"shapes", "NULL", "given"});
}

TEST(Mismatch, of_the_shape_of_a_field_names_what_differs) {
  if (size() < 2) GTEST_SKIP() << "needs 2 ranks that disagree";
  const std::string last = "rank " + std::to_string(size() - 1);
  const std::vector<std::pair<std::string, std::function<void(hlc_field_shape &)>>> changes = {
      {"stagger[1] of fields[0] 'theta': rank 0 has HLC_CENTRED, " + last + " has HLC_NODES_SHARED",
       [](hlc_field_shape &shape) { shape.stagger[1] = HLC_NODES_SHARED; }},
      {"stagger[0] of fields[0] 'theta': rank 0 has HLC_CENTRED, " + last + " has HLC_NODES_OWNED",
       [](hlc_field_shape &shape) { shape.stagger[0] = HLC_NODES_OWNED; }},
      {"own_depth of fields[0] 'theta': rank 0 has 1, " + last + " has 0 (the spec's depths)", [](hlc_field_shape &shape) { shape = {}; }},
      {"depth_low[0] of fields[0] 'theta': rank 0 has 1, " + last + " has 2", [](hlc_field_shape &shape) { shape.depth_low[0] = 2; }},
      {"depth_high[1] of fields[0] 'theta': rank 0 has 1, " + last + " has 0", [](hlc_field_shape &shape) { shape.depth_high[1] = 0; }},
  };
  for (const auto &[words, change] : changes) {
    Plane plane;
    plane.cells.resize(2000);
    plane.field.data = plane.cells.data();
    hlc_field_shape shape{};
    shape.own_depth = 1;
    for (int d = 0; d < 2; ++d) shape.depth_low[d] = shape.depth_high[d] = 1;
    if (rank() == size() - 1) change(shape);
    plane.spec.shapes = &shape;
    plane.spec.name = "flow";
    hlc_halo *halo = nullptr;
    EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, hlc_halo_init(context(), &plane.spec, &halo)));
    EXPECT_TRUE(message_names({"hlc_halo_init of plan 'flow': ranks disagree on shape." + words}));
  }
}

TEST(Mismatch, of_the_order_of_dimensions_names_the_field_and_the_dimensions) {
  expect_mismatch("rows against columns", [](Plane &p) { p.spec.layout = HLC_ROW_MAJOR; },
                  {"order of the dimensions of field 'theta' in memory", "on rank 0 dimension 0 varies faster than dimension 1, on rank",
                   "it is the other way round", "the same layout, or stride_bytes that grow in the same order"});
}

TEST(Mismatch, of_modes_is_found) {
  expect_mismatch("fence against p2p", [](Plane &p) { p.spec.mode = HLC_MODE_FENCE; }, {});
}

TEST(Mismatch, of_other_arrays_in_swaps_is_found) {
  expect_mismatch("rebind on one rank", [](Plane &p) { p.spec.rebind = 1; }, {"rebind"});
}

TEST(Mismatch, of_stages_is_found) {
  expect_mismatch("staged on one rank", [](Plane &p) { p.spec.staged = 1; }, {"staged"});
}

TEST(Mismatch, of_stencils_is_found) {
  expect_mismatch("star against box", [](Plane &p) { p.spec.stencil = HLC_STENCIL_STAR; }, {"star", "box"});
}

TEST(Mismatch, of_the_number_of_fields_is_found) {
  static hlc_field two[2];
  expect_mismatch("2 fields against 1",
                  [](Plane &p) {
                    two[0] = two[1] = p.field;
                    two[1].data = p.cells.data() + 500;
                    p.spec.fields = two;
                    p.spec.nfields = 2;
                  },
                  {});
}

TEST(Mismatch, of_exchanged_bytes_names_both_ranks_and_sizes_on_all_ranks) {
  if (size() < 2) GTEST_SKIP() << "needs 2 ranks that disagree";
  const hlc_neighbour of_first{1, 3, 3, 100, 200}, of_second{0, 3, 3, 200, 104};
  hlc_exchange_spec spec{};
  spec.nneighbours = rank() < 2 ? 1 : 0;
  spec.neighbours = rank() == 0 ? &of_first : &of_second;
  spec.name = "ring";
  spec.pack = [](int, void *, void *) {};
  spec.unpack = [](int, const void *, void *) {};
  hlc_exchange *exchange = nullptr;
  EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, hlc_exchange_create(context(), &spec, &exchange)));
  EXPECT_TRUE(message_names({"hlc_exchange_create of plan 'ring' on rank ", ": neighbours disagree: ", "rank 0", "rank 1", "100", "104"}));
}

TEST(Mismatch, of_the_modes_of_an_exchange_is_found) {
  if (size() < 2) GTEST_SKIP() << "needs 2 ranks that disagree";
  hlc_exchange_spec spec{};
  spec.mode = rank() == size() - 1 ? HLC_MODE_FENCE : HLC_MODE_P2P;
  hlc_exchange *exchange = nullptr;
  EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, hlc_exchange_create(context(), &spec, &exchange)));
  EXPECT_TRUE(message_names({"mode: rank 0 has p2p", "has fence", "rank " + std::to_string(size() - 1)}));
}

/// The number that the context gives to its next plan, as a message of a plan that cannot be made says it.
int next_plan() {
  Plane plane;
  plane.spec.mode = rank() == size() - 1 ? HLC_MODE_FENCE : HLC_MODE_P2P;
  hlc_halo *halo = nullptr;
  EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, hlc_halo_init(context(), &plane.spec, &halo)));
  const std::string words = " of plan ", message = hlc_error_message();
  const auto begin = message.find(words);
  return begin == std::string::npos ? -1 : std::atoi(message.c_str() + begin + words.size()) + 1;
}

TEST(Mismatch, names_the_plan_whatever_it_is) {
  if (size() < 2) GTEST_SKIP() << "needs 2 ranks that disagree";
  const bool last = rank() == size() - 1;
  double value = 1;
  hlc_index_field entry{};
  entry.data = &value;
  entry.type = HLC_FLOAT64;
  entry.name = "u";
  entry.components = last ? 2 : 1;
  hlc_index_halo_spec entries{};
  entries.nfields = 1;
  entries.fields = &entry;
  hlc_blocks_spec boxes{};
  boxes.ndims = boxes.nfields = 1;
  boxes.global[0] = 4;
  boxes.depth_low[0] = last ? 1 : 2;
  hlc_exchange_spec list{};
  list.mode = last ? HLC_MODE_FENCE : HLC_MODE_P2P;
  list.name = "ring";
  hlc_allreduce_spec sum{};
  sum.count = last ? 3 : 2;
  sum.type = HLC_FLOAT64;
  hlc_sparse_spec sparse{};
  sparse.slots = last ? 128 : 64;
  sparse.receive = [](int, const void *, std::int64_t, void *) {};
  const hlc_segment_spec part{8, last ? 2 : 1, 0};
  hlc_index_halo *index_halo = nullptr;
  hlc_blocks *blocks = nullptr;
  hlc_exchange *exchange = nullptr;
  hlc_allreduce *allreduce = nullptr;
  hlc_sparse *messages = nullptr;
  hlc_segment *segment = nullptr;
  const std::vector<std::pair<std::string, std::function<hlc_status()>>> calls = {
      {"hlc_index_halo_init", [&] { return hlc_index_halo_init(context(), &entries, &index_halo); }},
      {"hlc_blocks_init", [&] { return hlc_blocks_init(context(), &boxes, &blocks); }},
      {"hlc_exchange_create", [&] { return hlc_exchange_create(context(), &list, &exchange); }},
      {"hlc_allreduce_create", [&] { return hlc_allreduce_create(context(), &sum, &allreduce); }},
      {"hlc_sparse_create", [&] { return hlc_sparse_create(context(), &sparse, &messages); }},
      {"hlc_segment_create", [&] { return hlc_segment_create(context(), &part, &segment); }}};
  for (const auto &[call, make] : calls) {
    const int number = next_plan();
    EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, make()));
    EXPECT_TRUE(
        message_names({call + " of plan " + (call == "hlc_exchange_create" ? "'ring'" : std::to_string(number)) + ": ranks disagree on "}));
    everyone(true);
  }
  sum.name = sparse.name = "named";
  EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, hlc_allreduce_create(context(), &sum, &allreduce)));
  EXPECT_TRUE(message_names({"hlc_allreduce_create of plan 'named': ranks disagree on count: rank 0 has 2, "}));
  EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, hlc_sparse_create(context(), &sparse, &messages)));
  EXPECT_TRUE(message_names({"hlc_sparse_create of plan 'named': ranks disagree on slots: from 64 to 128"}));
  EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, hlc_index_halo_init(context(), &entries, &index_halo)));
  EXPECT_TRUE(message_names({"components of fields[0] 'u': rank 0 has 1, "}));
}

TEST(Mismatch, of_lists_that_do_not_join_is_found_on_all_ranks) {
  if (size() < 2) GTEST_SKIP() << "needs 2 ranks that disagree";
  for (const bool other_tag : {false, true}) {
    const hlc_neighbour lists[] = {{1, 3, 3, 8, 8}, {0, 3, other_tag ? 4 : 3, 8, 8}};
    hlc_exchange_spec spec{};
    spec.nneighbours = rank() == 0 || (rank() == 1 && other_tag) ? 1 : 0;
    spec.neighbours = &lists[rank() == 0 ? 0 : 1];
    spec.pack = [](int, void *, void *) {};
    spec.unpack = [](int, const void *, void *) {};
    hlc_exchange *exchange = nullptr;
    EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, hlc_exchange_create(context(), &spec, &exchange)));
    EXPECT_TRUE(message_names({"rank 0", "rank 1"}));
  }
}

TEST(Mismatch, of_explicit_neighbour_tables_is_found) {
  expect_mismatch("a table without neighbours",
                  [](Plane &p) {
                    static const int nobody[9] = {-1, -1, -1, -1, -1, -1, -1, -1, -1};
                    p.spec.neighbours = nobody;
                  },
                  {});
}

TEST(Mismatch, of_shapes_with_as_many_cells_is_found) {
  if (size() != 2) GTEST_SKIP() << "needs exactly 2 ranks whose faces are 2 x 3 and 3 x 2";
  hlc_grid grid{3, {2, 1, 1}, {}, {rank(), 0, 0}, {8, 6, 6}, {4 * rank(), 0, 0}, {4, rank() == 0 ? 2 : 3, rank() == 0 ? 3 : 2}, {}, 0, {}};
  std::vector<double> cells(6 * 6 * 6);
  hlc_field field{};
  field.data = cells.data();
  field.type = HLC_FLOAT64;
  hlc_halo_spec spec{};
  spec.grid = &grid;
  spec.depth_low[0] = spec.depth_high[0] = 1;
  spec.layout = HLC_COLUMN_MAJOR;
  spec.nfields = 1;
  spec.fields = &field;
  hlc_halo *halo = nullptr;
  EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, hlc_halo_init(context(), &spec, &halo)));
  EXPECT_TRUE(message_names({"rank 0", "rank 1", "shape"}));
}

TEST(Mismatch, is_not_seen_in_the_stride_of_a_single_cell) {
  // 3 columns over 2 ranks: the rank with one column does not define the order of dimensions.
  if (size() != 2) GTEST_SKIP() << "needs exactly 2 ranks, one of them with a single column";
  const std::int64_t global[] = {8, 3};
  const int dims[] = {1, 2}, periodic[] = {1, 1};
  hlc_grid grid{};
  REQUIRE_EVERYWHERE(hlc_grid_create(context(), 2, global, dims, periodic, &grid) == HLC_OK);
  std::vector<double> cells(static_cast<std::size_t>(10 * grid.local[1]), 1.0);
  hlc_field field{};
  field.data = cells.data();
  field.type = HLC_FLOAT64;
  hlc_halo_spec spec{};
  spec.grid = &grid;
  spec.depth_low[0] = spec.depth_high[0] = 1;
  spec.layout = HLC_ROW_MAJOR;
  spec.nfields = 1;
  spec.fields = &field;
  hlc_halo *halo = nullptr;
  EXPECT_TRUE(ok(hlc_halo_init(context(), &spec, &halo)));
  if (halo) {
    EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
  }
}

TEST(Mismatch, of_variables_names_the_variable_both_ranks_and_both_values) {
  if (size() < 2) GTEST_SKIP() << "needs 2 ranks that disagree";
  const bool last = rank() == size() - 1;
  for (const auto &[variable, here, there] : {std::tuple{"HALOCLINE_TIMEOUT", "50", "70"},
                                              {"HALOCLINE_FAKE_NODES", "1", "2"},
                                              {"HALOCLINE_CHECK", "0", "1"},
                                              {"HALOCLINE_PROGRESS", "caller", "thread"},
                                              {"HALOCLINE_AUTO_MODES", "p2p", "p2p,direct"},
                                              {"HALOCLINE_AUTO_PERIOD", "", "10"},
                                              {"HALOCLINE_CARD", "default", "/tmp/card.json"},
                                              {"HALOCLINE_DOCTOR", "/tmp/report.json", "none"}}) {
    SCOPED_TRACE(variable);
    const char *set = std::getenv(variable);
    const std::string before = set ? set : "";
    setenv(variable, last ? there : here, 1);
    hlc_context *other = nullptr;
    EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, hlc_init(MPI_COMM_WORLD, &other)));
    const std::string said = hlc_error_message(), quote = said.find("rank 0 has '") != std::string::npos ? "'" : "";
    EXPECT_TRUE(message_names({"hlc_init", variable, "rank 0 has " + quote + here + quote,
                               "rank " + std::to_string(size() - 1) + " has " + quote + there + quote}));
    EXPECT_EQ(other, nullptr);
    set ? setenv(variable, before.c_str(), 1) : unsetenv(variable);
  }
}

TEST(Mismatch, leaves_the_context_usable) {
  if (size() < 2) GTEST_SKIP() << "needs 2 ranks that disagree";
  expect_mismatch("fence against p2p", [](Plane &p) { p.spec.mode = HLC_MODE_FENCE; }, {});
  Plane plane;
  hlc_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(hlc_halo_init(context(), &plane.spec, &halo) == HLC_OK);
  EXPECT_TRUE(ok(hlc_halo_start(halo, nullptr)));
  EXPECT_TRUE(ok(hlc_halo_finish(halo)));
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
}

}  // namespace
}  // namespace halocline::test
