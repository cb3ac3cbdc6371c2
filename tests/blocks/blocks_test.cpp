// Swaps of any set of boxes, in every mode, against the serial oracle.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <functional>
#include <mutex>
#include <thread>

#include <halocline/halocline.hpp>

#include "blocks/boxes_rig.hpp"

namespace halocline::test {
namespace {

/// Boxes cut at random, with float64 fields and a box stencil.
BoxCase cut_case(const std::string &name, Index global, std::int64_t depth, int pieces, Random &random) {
  BoxCase boxes;
  boxes.name = name;
  boxes.ndims = global[2] > 1 ? 3 : 2;
  boxes.global = global;
  boxes.kinds = {float64, float64};
  for (int d = 0; d < boxes.ndims; ++d) boxes.low[static_cast<std::size_t>(d)] = boxes.high[static_cast<std::size_t>(d)] = depth;
  cut_at_random(boxes, size(), pieces, false, random);
  return boxes;
}

/// Whether several threads may call MPI, one at a time.
bool threads_may_call_mpi() {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  return provided >= MPI_THREAD_SERIALIZED;
}

/// Swaps in which every part is driven by a thread of its own. Each thread checks its own part's boxes as soon as its finish returns, and
/// writes them anew, however far the others are.
class PartsRig {
 public:
  PartsRig(BoxCase boxes, int parts, const ModeChoice &mode) : parts_(parts), rig_(std::move(boxes), mode, Memory::shared, parts) {}
  bool ready() const { return rig_.ready(); }
  BoxesRig &rig() { return rig_; }

  /// One thread per part, all swaps without a meeting of the threads.
  void swap(int steps) {
    std::vector<std::thread> threads;
    for (int part = 0; part < parts_; ++part) threads.emplace_back([this, part, steps] { drive(part, steps); });
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(complaint_, "");
  }

 private:
  void drive(int part, int steps) {
    Random random(seed() + static_cast<std::uint64_t>(100 * rank() + part));
    for (int step = 1; step <= steps; ++step) {
      rig_.fill_part(part, step);
      linger(random);
      if (hlc_blocks_start_part(rig_.blocks(), part, nullptr) != HLC_OK) return complain(hlc_error_message());
      linger(random);
      if (hlc_blocks_finish_part(rig_.blocks(), part) != HLC_OK) return complain(hlc_error_message());
      const std::string text = rig_.difference_of_part(part, step);
      if (!text.empty()) complain("step " + std::to_string(step) + ": " + text);
    }
  }
  static void linger(Random &random) {
    const std::int64_t us = between(random, 0, 9) < 7 ? 0 : between(random, 1, 300);
    if (us > 0) std::this_thread::sleep_for(std::chrono::microseconds(us));
  }
  void complain(const std::string &text) {
    const std::lock_guard lock(mutex_);
    if (complaint_.empty()) complaint_ = text;
  }

  int parts_;
  BoxesRig rig_;
  std::mutex mutex_;
  std::string complaint_;
};

class Blocks : public testing::TestWithParam<ModeChoice> {};

TEST_P(Blocks, fill_every_halo_from_whoever_owns_the_cell) {
  Random random(seed());
  for (int i = 0; i < 6; ++i) {
    const Memory memory[] = {Memory::shared, Memory::differs_by_rank, Memory::own};
    BoxesRig rig(random_boxes(size(), random), GetParam(), memory[i % 3]);
    if (!rig.ready()) return;
    for (int step = 1; step <= 3; ++step) rig.swap_once(step);
    if (HasFailure()) return;
  }
}

TEST_P(Blocks, of_one_rank_copy_without_a_message) {
  Random random(seed() + 1);
  BoxCase boxes = cut_case("all on the last rank", {9, 7, 1, 1}, 2, 6, random);
  boxes.periodic = {1, 1, 0, 0};
  for (OwnedBox &box : boxes.boxes) box.rank = size() - 1;
  BoxesRig rig(boxes, GetParam());
  if (!rig.ready()) return;
  rig.swap_once(1);
  hlc_plan_info info{};
  EXPECT_TRUE(ok(hlc_blocks_info(rig.blocks(), &info)));
  EXPECT_EQ(info.neighbours, 0);
  EXPECT_EQ(info.self_copies > 0, rank() == size() - 1);
}

TEST_P(Blocks, send_one_message_to_a_rank_whatever_the_number_of_boxes) {
  Random random(seed() + 2);
  const BoxCase boxes = cut_case("many boxes", {24, 18, 1, 1}, 2, 12 * size(), random);
  BoxesRig rig(boxes, GetParam());
  if (!rig.ready()) return;
  rig.swap_once(1);
  hlc_plan_info info{};
  EXPECT_TRUE(ok(hlc_blocks_info(rig.blocks(), &info)));
  EXPECT_LE(info.neighbours, size() - 1);
}

TEST_P(Blocks, wrap_a_halo_that_is_deeper_than_the_domain) {
  Random random(seed() + 3);
  BoxCase boxes = cut_case("thin", {8, 5, 1, 1}, 2, 2 * size(), random);
  boxes.periodic = {1, 1, 0, 0};
  boxes.low = {3, 12, 0, 0};
  boxes.high = {9, 7, 0, 0};
  BoxesRig rig(boxes, GetParam());
  if (rig.ready()) rig.swap_once(1);
}

TEST_P(Blocks, leave_halo_cells_alone_that_nobody_owns) {
  Random random(seed() + 4);
  BoxCase boxes = cut_case("holes", {12, 9, 4, 1}, 2, 4 * size() + 2, random);
  boxes.boxes.erase(boxes.boxes.begin(), boxes.boxes.begin() + static_cast<std::ptrdiff_t>(boxes.boxes.size() / 3));
  BoxesRig rig(boxes, GetParam());
  if (rig.ready()) rig.swap_once(1);
}

TEST_P(Blocks, swap_the_fields_asked_for) {
  Random random(seed() + 5);
  BoxCase boxes = cut_case("some fields", {12, 9, 1, 1}, 1, 3 * size(), random);
  boxes.kinds = {float64, {HLC_OPAQUE, 3}, {HLC_INT32, 4}};
  BoxesRig rig(boxes, GetParam());
  if (!rig.ready()) return;
  rig.swap_once(1, {0, 2});
  rig.swap_once(2, {1});
  rig.swap_once(3);
}

TEST_P(Blocks, swap_as_deep_as_they_are_asked_to) {
  Random random(seed() + 15);
  for (int i = 0; i < 4; ++i) {
    BoxCase boxes = random_boxes(size(), random);
    boxes.kinds = {float64, {HLC_INT32, 4}};
    BoxesRig rig(boxes, GetParam(), i % 2 ? Memory::shared : Memory::differs_by_rank);
    if (!rig.ready()) return;
    for (int step = 1; step <= 8; ++step) {
      const std::vector<int> fields = between(random, 0, 1) ? std::vector<int>{1} : std::vector<int>();
      rig.swap_once(step, fields, between(random, 0, 2) == 0, between(random, 0, 5));
    }
    hlc_swap wrong{};
    wrong.depth = -3;
    EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_blocks_start(rig.blocks(), &wrong)));
    EXPECT_NE(std::string(hlc_error_message()).find("depth is -3, it must be 0"), std::string::npos) << hlc_error_message();
  }
}

/// HALOCLINE_STAGGERED_CASES, or as many as take a short time.
int cases() {
  const char *asked = std::getenv("HALOCLINE_STAGGERED_CASES");
  return asked ? std::max(1, std::atoi(asked)) : 3;
}

TEST_P(Blocks, have_fields_in_cells_and_on_nodes_with_depths_of_their_own) {
  Random random(seed() + 16);
  for (int i = 0; i < cases(); ++i) {
    BoxCase boxes = random_staggered_boxes(size(), random);
    const bool adds = between(random, 0, 1) == 0;
    for (Kind &kind : boxes.kinds)
      if (adds) kind = summable_kinds()[static_cast<std::size_t>(random() % summable_kinds().size())];
    const Memory memory[] = {Memory::shared, Memory::differs_by_rank, Memory::own};
    BoxesRig rig(boxes, GetParam(), memory[i % 3]);
    if (!rig.ready()) return;
    for (int step = 1; step <= 6; ++step) {
      std::vector<int> fields;
      for (int f = 0; f < boxes.nfields(); ++f)
        if (between(random, 0, 1)) fields.push_back(f);
      rig.swap_once(step, fields, adds && between(random, 0, 2) == 0, step == 1 ? 0 : between(random, 0, 5));
    }
    if (HasFailure()) return;
  }
}

TEST_P(Blocks, add_halos_to_their_owners_in_reverse) {
  Random random(seed() + 6);
  for (const hlc_stencil stencil : {HLC_STENCIL_BOX, HLC_STENCIL_STAR}) {
    BoxCase boxes = cut_case("reverse", {10, 6, 3, 1}, 2, 4 * size(), random);
    boxes.stencil = stencil;
    boxes.periodic = {1, 0, 1, 0};
    boxes.kinds = summable_kinds();
    BoxesRig rig(boxes, GetParam());
    if (!rig.ready()) return;
    rig.swap_once(1, {}, true);
    rig.swap_once(2);
    rig.swap_once(3, {0, 1}, true);
  }
}

/// A program that refines may have none for a while, on all ranks.
TEST_P(Blocks, of_no_rank_swap_in_reverse_too) {
  hlc_blocks_spec spec{};
  spec.ndims = 2;
  spec.global[0] = spec.global[1] = 8;
  spec.depth_low[0] = spec.depth_high[0] = 1;
  spec.nfields = 2;
  spec.mode = GetParam().mode;
  spec.epoch = GetParam().epoch;
  spec.drive = GetParam().drive;
  hlc_blocks *blocks = nullptr;
  REQUIRE_EVERYWHERE(ok(hlc_blocks_init(context(), &spec, &blocks)));
  const hlc_swap reverse{0, nullptr, 0, 0, HLC_SIDE_BOTH, 1, 0};
  for (const hlc_swap *what : {static_cast<const hlc_swap *>(nullptr), &reverse}) {
    EXPECT_TRUE(ok(hlc_blocks_start(blocks, what)));
    EXPECT_TRUE(ok(hlc_blocks_finish(blocks)));
  }
  EXPECT_TRUE(ok(hlc_blocks_finalise(&blocks)));
}

TEST_P(Blocks, keep_their_values_under_any_skew) {
  Random random(seed() + 7);
  const BoxCase boxes = cut_case("skew", {16, 11, 1, 1}, 2, 5 * size(), random);
  BoxesRig rig(boxes, GetParam());
  if (!rig.ready()) return;
  Skew skew(7);
  for (int step = 1; step <= 15; ++step) rig.swap_skewed(step, skew);
}

TEST_P(Blocks, are_driven_by_several_threads) {
  if (!threads_may_call_mpi()) GTEST_SKIP() << "this MPI does not allow MPI_THREAD_SERIALIZED";
  Random random(seed() + 9);
  for (const int parts : {2, 3}) {
    BoxCase boxes = cut_case("parts", {20, 13, 1, 1}, 2, 6 * size(), random);
    boxes.periodic = {1, 0, 0, 0};
    for (OwnedBox &box : boxes.boxes) box.part = static_cast<int>(between(random, 0, parts - 1));
    PartsRig rig(boxes, parts, GetParam());
    if (!rig.ready()) return;
    rig.swap(6);
    rig.rig().swap_once(7);  // all parts by one thread
    rig.swap(2);
  }
}

FOR_ALL_MODES(Blocks);

TEST(BlocksCxx, swap_and_say_what_they_are) {
  Random random(seed() + 8);
  BoxCase boxes = cut_case("C++", {12, 9, 1, 1}, 2, 3 * size(), random);
  boxes.shapes.resize(2);
  boxes.shapes[1].stagger[1] = HLC_NODES_OWNED;
  Arena memory = boxes_before(boxes, rank(), 1, false);
  const BoxSpec made(boxes, rank(), memory.data());
  const Context own(MPI_COMM_WORLD);
  halocline::Blocks blocks(own, made.spec);
  blocks.start();
  blocks.test();
  blocks.finish();
  EXPECT_EQ(boxes_difference(boxes, rank(), boxes_after(boxes, rank(), 1, false, {}), memory), "");
  EXPECT_LE(blocks.info().neighbours, size() - 1);
  blocks.finalise();
  BlocksSpec wrong = made.spec;
  wrong.ndims = 0;
  EXPECT_THROW(halocline::Blocks(own, wrong), Error);
}

/// Whether the last message has these words.
testing::AssertionResult says(const std::string &words) {
  const std::string message = hlc_error_message();
  if (message.find(words) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << words << "' is not in: " << message;
}

hlc_status init(const hlc_blocks_spec &spec) {
  hlc_blocks *blocks = nullptr;
  const hlc_status status = hlc_blocks_init(context(), &spec, &blocks);
  EXPECT_TRUE(status != HLC_OK || ok(hlc_blocks_finalise(&blocks)));
  return status;
}

/// A row of boxes, one per rank, of four cells each.
struct Row {
  Row() {
    boxes.name = "row";
    boxes.global = {4 * size(), 1, 1, 1};
    boxes.low = boxes.high = {1, 0, 0, 0};
    boxes.kinds = {float64};
    for (int r = 0; r < size(); ++r) boxes.boxes.push_back({r, {4 * r, 0, 0, 0}, {4, 1, 1, 1}, 0});
    memory.resize(memory_of(boxes, rank()));
    made = std::make_unique<BoxSpec>(boxes, rank(), memory.data());
  }
  /// Makes room for shapes that have been changed.
  void place() {
    memory.resize(memory.size() + 1000);
    made->fields[0].data = memory.data();
  }
  BoxCase boxes;
  Arena memory;
  std::unique_ptr<BoxSpec> made;
};

TEST(BlocksErrors, overlapping_boxes_are_named_with_both_owners) {
  Row row;
  if (size() > 1 && rank() == size() - 1) row.made->boxes[0].start[0] = 2;
  if (size() == 1) row.made->boxes.push_back(row.made->boxes[0]), row.made->fields.push_back(row.made->fields[0]);
  Arena second = row.memory;
  if (size() == 1) {
    row.made->spec.nblocks = 2;
    row.made->spec.blocks = row.made->boxes.data();
    row.made->fields[1].data = second.data();
    row.made->spec.fields = row.made->fields.data();
  }
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, init(row.made->spec)));
  const int last = size() - 1;
  const std::string other = std::to_string(last);
  const std::string both = "block 0 of rank 0 and block " + other + " of rank " + other + " overlap: both own cell (2)";
  EXPECT_TRUE(says(size() == 1 ? "block 0 of rank 0 and block 0 of rank 0 overlap" : size() == 2 ? both : "overlap"));
}

TEST(BlocksErrors, wrong_arguments_are_named_on_all_ranks) {
  struct Wrong {
    const char *message;
    void (*spoil)(BoxSpec &);
  };
  const Wrong wrong[] = {
      {"ndims is 5", [](BoxSpec &s) { s.spec.ndims = 5; }},
      {"global[0] is 0", [](BoxSpec &s) { s.spec.global[0] = 0; }},
      {"depth_high[0] is -1", [](BoxSpec &s) { s.spec.depth_high[0] = -1; }},
      {": count[0] is 0", [](BoxSpec &s) { s.boxes[0].count[0] = 0; }},
      {": start[0] is -1", [](BoxSpec &s) { s.boxes[0].start[0] = -1; }},
      {": part is 7", [](BoxSpec &s) { s.boxes[0].part = 7; }},
      {"fields[0] 'u', of blocks[0]: data is NULL", [](BoxSpec &s) { s.fields[0].data = nullptr; }},
      {"fields[0] 'u', of blocks[0]: type is 99", [](BoxSpec &s) { s.fields[0].type = static_cast<hlc_type>(99); }},
      {"fields[0] 'u', of blocks[0]: element_bytes is 3", [](BoxSpec &s) { s.fields[0].element_bytes = 3; }},
      {"fields[0] 'u', of blocks[0]: stride_bytes[0] is 4", [](BoxSpec &s) { s.fields[0].stride_bytes[0] = 4; }},
      {"nfields is 0", [](BoxSpec &s) { s.spec.nfields = 0; }},
      {"nblocks is -1", [](BoxSpec &s) { s.spec.nblocks = -1; }},
      {"layout is not set, and fields[0] 'u', of blocks[0], has no stride_bytes",
       [](BoxSpec &s) { s.spec.ndims = 2, s.spec.global[1] = s.boxes[0].count[1] = 1, s.spec.layout = HLC_LAYOUT_UNSET; }},
      {"shapes[0], of field 'u': stagger[0] is 3 but must be HLC_CENTRED, HLC_NODES_SHARED or HLC_NODES_OWNED",
       [](BoxSpec &s) { s.shape(0).stagger[0] = static_cast<hlc_stagger>(3); }},
      {"shapes[0], of field 'u': depth_high[0] is -2", [](BoxSpec &s) { s.shape(0).own_depth = 1, s.shape(0).depth_high[0] = -2; }},
      {"shapes[0], of field 'u': depth_low[0] is 1, and own_depth is 0: set own_depth to 1",
       [](BoxSpec &s) { s.shape(0).depth_low[0] = 1; }},
      {"shapes[0], of field 'u': depth_high[0] is 2, and own_depth is 0", [](BoxSpec &s) { s.shape(0).depth_high[0] = 2; }},
      {"shapes[0], of field 'u': own_depth is -1 but must be 0 or 1", [](BoxSpec &s) { s.shape(0).own_depth = -1; }},
      {"stencil is 7", [](BoxSpec &s) { s.spec.stencil = static_cast<hlc_stencil>(7); }},
  };
  for (const Wrong &way : wrong) {
    Row row;
    row.made->fields[0].name = "u";
    if (rank() == size() - 1) way.spoil(*row.made);
    EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, init(row.made->spec))) << way.message;
    EXPECT_TRUE(says(way.message));
    EXPECT_TRUE(says("hlc_blocks_init of plan "));
    EXPECT_TRUE(says(" on rank " + std::to_string(size() - 1) + ": "));
  }
}

/// Two fields in two boxes per rank, of 4 x 3 cells each with a halo of one: 'u' on nodes along both dimensions, 'h' in the cells.
struct TwoFields {
  TwoFields() {
    spec.ndims = 2;
    spec.global[0] = 8 * size(), spec.global[1] = 3;
    for (int d = 0; d < 2; ++d) spec.depth_low[d] = spec.depth_high[d] = spec.periodic[d] = 1;
    for (int b = 0; b < 2; ++b) boxes[b] = {{8 * rank() + 4 * b, 0}, {4, 3}, b, 0};
    for (int i = 0; i < 4; ++i) fields[i].data = memory.data() + 100 * i, fields[i].type = HLC_FLOAT64, fields[i].name = i % 2 ? "h" : "u";
    shapes[0].stagger[0] = shapes[0].stagger[1] = HLC_NODES_SHARED;
    spec.layout = HLC_ROW_MAJOR;
    spec.nblocks = spec.nfields = 2;
    spec.blocks = boxes, spec.fields = fields, spec.shapes = shapes;
  }
  hlc_blocks_spec spec{};
  hlc_box boxes[2]{};
  hlc_field fields[4]{};
  hlc_field_shape shapes[2]{};
  std::vector<double> memory = std::vector<double>(1000);
};

TEST(BlocksErrors, fields_of_one_block_that_overlap_are_named) {
  const std::string who = " on rank " + std::to_string(size() - 1) + ": ";
  const auto expect = [&](const std::string &words, bool on_nodes, const std::function<void(TwoFields &)> &spoil) {
    TwoFields two;
    if (!on_nodes) two.spec.shapes = nullptr;
    if (rank() == size() - 1) spoil(two);
    EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, init(two.spec)));
    EXPECT_TRUE(says(who + words));
  };
  expect("fields[2] 'u', of blocks[1], and fields[3] 'h', of blocks[1], overlap: their data are 328 bytes apart", true,
         [](TwoFields &two) { two.fields[3].data = two.memory.data() + 241; });  // u ends after 7 * 6 values
  expect("fields[1] 'h', of blocks[0], and fields[0] 'u', of blocks[0], overlap: their data are 232 bytes apart", false,
         [](TwoFields &two) { two.fields[1].data = two.memory.data() + 500, two.fields[0].data = two.memory.data() + 529; });
}

TEST(BlocksErrors, fields_side_by_side_and_boxes_within_one_array_are_accepted) {
  TwoFields close, members, parts;
  for (int i = 0; i < 4; ++i) close.fields[i].data = close.memory.data() + 72 * (i / 2) + 42 * (i % 2);  // 7 * 6 values, then 6 * 5
  EXPECT_TRUE(ok(init(close.spec)));
  members.spec.shapes = parts.spec.shapes = nullptr;
  for (int i = 0; i < 4; ++i) {
    members.fields[i].data = members.memory.data() + 60 * (i / 2) + i % 2;  // struct { double u, h; } [6][5]
    members.fields[i].stride_bytes[0] = 80, members.fields[i].stride_bytes[1] = 16;
    parts.fields[i].data = parts.memory.data() + 100 * (i % 2) + 4 * 5 * (i / 2);  // the halo of one box is the other's cells
  }
  EXPECT_TRUE(ok(init(members.spec)));
  EXPECT_TRUE(ok(init(parts.spec)));
}

TEST(BlocksErrors, a_field_that_is_too_small_for_its_halo_is_refused_on_all_ranks) {
  void *small = nullptr;
  REQUIRE_EVERYWHERE(ok(hlc_field_alloc(context(), 4 * 8, &small)));
  Row row;
  if (rank() == size() - 1) row.made->fields[0].data = small, row.made->fields[0].name = "u";
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, init(row.made->spec)));
  EXPECT_TRUE(says("hlc_blocks_init of plan "));
  EXPECT_TRUE(says(" on rank " + std::to_string(size() - 1) + ": "));
  EXPECT_TRUE(says("fields[0] 'u', of blocks[0], needs "));
  EXPECT_TRUE(says(" bytes, but its hlc_field_alloc block has 32 from its data on"));
  EXPECT_TRUE(ok(hlc_field_free(context(), &small)));
}

TEST(BlocksErrors, plans_made_in_opposite_orders_are_named_with_their_fields) {
  if (size() == 1) GTEST_SKIP() << "one rank has one order";
  const char *names[] = {"u", "v"};
  if (rank() == size() - 1) std::swap(names[0], names[1]);
  for (const char *name : names) {
    Row row;
    row.made->fields[0].name = name;
    EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, init(row.made->spec)));
    EXPECT_TRUE(says("rank 0 is in hlc_blocks_init of plan "));
    EXPECT_TRUE(says("rank " + std::to_string(size() - 1) + " in hlc_blocks_init of plan "));
    EXPECT_TRUE(says("('u')"));
    EXPECT_TRUE(says("('v')"));
  }
}

TEST(BlocksErrors, a_rank_without_blocks_has_no_names_to_compare) {
  Row row;
  row.made->fields[0].name = "u";
  if (rank() == 0) row.made->spec.nblocks = 0;
  EXPECT_TRUE(is_status(HLC_OK, init(row.made->spec)));
  if (size() < 3) return;
  if (rank() == 2) row.made->fields[0].name = "v";
  EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, init(row.made->spec)));
  EXPECT_TRUE(says("rank 1 is in hlc_blocks_init of plan "));
  EXPECT_TRUE(says("rank 2 in hlc_blocks_init of plan "));
}

TEST(BlocksErrors, ranks_that_disagree_are_a_mismatch) {
  if (size() == 1) GTEST_SKIP() << "one rank cannot disagree with itself";
  Row depth, type;
  if (rank() == 1) depth.made->spec.depth_low[0] = 2;
  EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, init(depth.made->spec)));
  EXPECT_TRUE(says("depth_low[0]"));
  if (rank() == 1) type.made->fields[0].type = HLC_INT64;
  EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, init(type.made->spec)));
  EXPECT_TRUE(says("ranks disagree on fields[0] 'field 0': rank 0 has HLC_FLOAT64 of 8 bytes, rank 1 has HLC_INT64 of 8"));
}

TEST(BlocksErrors, a_side_without_a_dimension_is_refused) {
  Row row;
  hlc_blocks *blocks = nullptr;
  REQUIRE_EVERYWHERE(ok(hlc_blocks_init(context(), &row.made->spec, &blocks)));
  const hlc_swap low{0, nullptr, 0, 0, HLC_SIDE_LOW, 0, 0};
  EXPECT_TRUE(is_status(HLC_ERR_UNSUPPORTED, hlc_blocks_start(blocks, &low)));
  EXPECT_TRUE(says("hlc_blocks_start on rank " + std::to_string(rank()) + ": side is 1"));
  EXPECT_TRUE(is_status(HLC_ERR_UNSUPPORTED, hlc_blocks_start_part(blocks, 0, &low)));
  EXPECT_TRUE(says("hlc_blocks_start_part on rank " + std::to_string(rank()) + ": side is 1"));
  EXPECT_TRUE(ok(hlc_blocks_finalise(&blocks)));
}

/// A plane of boxes of one cell, more of them than are looked at one by one: in the cells, and on owned nodes. Dimension 0 is periodic.
class ManyBoxes {
 public:
  static constexpr int kRows = 9, kColumns = 7, kDepth = 2;

  ManyBoxes() {
    for (int i = 0; i < kRows; ++i)
      for (int j = 0; j < kColumns; ++j)
        if ((i * kColumns + j) % size() == rank()) boxes_.push_back({{i, j, 0, 0}, {1, 1, 1, 1}, i * kColumns + j, 0});
    shapes_[1].stagger[0] = shapes_[1].stagger[1] = HLC_NODES_OWNED;
    memory_.assign(boxes_.size() * 2 * kMost * kMost, -1);
    for (std::size_t b = 0; b < boxes_.size(); ++b)
      for (int f = 0; f < 2; ++f) fields_.push_back({array(b, f), HLC_FLOAT64, 0, {}, f ? "nodes" : "cells"});
    spec_.ndims = 2;
    spec_.global[0] = kRows, spec_.global[1] = kColumns;
    spec_.periodic[0] = 1;
    for (int d = 0; d < 2; ++d) spec_.depth_low[d] = spec_.depth_high[d] = kDepth;
    spec_.layout = HLC_ROW_MAJOR;
    spec_.nblocks = static_cast<int>(boxes_.size());
    spec_.blocks = boxes_.data();
    spec_.nfields = 2;
    spec_.fields = fields_.data();
    spec_.shapes = shapes_;
  }

  /// Boxes of which any other value than the owner's is in the halo, after a swap.
  int swap(hlc_mode mode) {
    spec_.mode = mode;
    hlc_blocks *blocks = nullptr;
    EXPECT_TRUE(ok(hlc_blocks_init(context(), &spec_, &blocks)));
    visit([](double &value, double right, bool own) { value = own ? right : -1; });
    EXPECT_TRUE(ok(hlc_blocks_start(blocks, nullptr)));
    EXPECT_TRUE(ok(hlc_blocks_finish(blocks)));
    EXPECT_TRUE(ok(hlc_blocks_finalise(&blocks)));
    int wrong = 0;
    visit([&](double &value, double right, bool) { wrong += value == right ? 0 : 1; });
    return wrong;
  }

 private:
  static constexpr std::size_t kMost = 2 * kDepth + 2;

  double *array(std::size_t box, int f) { return memory_.data() + (2 * box + static_cast<std::size_t>(f)) * kMost * kMost; }
  /// Calls see(value, what it is after a swap, whether the box computes it) for each value of each array.
  template <class See>
  void visit(See see) {
    for (std::size_t b = 0; b < boxes_.size(); ++b)
      for (int f = 0; f < 2; ++f) {
        const int extent = 2 * kDepth + 1 + f;
        for (int i = 0; i < extent; ++i)
          for (int j = 0; j < extent; ++j) {
            const auto row = static_cast<int>(boxes_[b].start[0]) + i - kDepth, column = static_cast<int>(boxes_[b].start[1]) + j - kDepth;
            const bool exists = column >= 0 && column < kColumns + f;
            const double right = exists ? 1000 * f + 10 * ((row + kRows) % kRows) + column : -1;
            see(array(b, f)[i * extent + j], right, i == kDepth && (j == kDepth || (column == kColumns && j == kDepth + 1)));
          }
      }
  }

  std::vector<hlc_box> boxes_;
  std::vector<double> memory_;
  std::vector<hlc_field> fields_;
  hlc_field_shape shapes_[2]{};
  hlc_blocks_spec spec_{};
};

TEST(BlocksOfOneCell, find_their_neighbours_among_many) {
  ManyBoxes plane;
  EXPECT_EQ(plane.swap(HLC_MODE_P2P), 0);
  EXPECT_EQ(plane.swap(HLC_MODE_NOTIFY), 0);
}

/// Ranks may have arrays of different orders of dimensions, with a layout of their own: each cell is that of its owner.
TEST(BlocksOfLayouts, that_differ_between_ranks_have_the_right_halos) {
  constexpr int kCells = 3, kDepth = 2, kWide = kCells + 2 * kDepth;
  std::vector<double> memory(kWide * kWide, -1);
  const bool rows = rank() % 2 == 0;
  const auto at = [&](int i, int j) -> double & { return memory[static_cast<std::size_t>(rows ? i * kWide + j : j * kWide + i)]; };
  const auto value = [](int owner, int i, int j) { return 100.0 * owner + 10 * i + j; };
  for (int i = 0; i < kCells; ++i)
    for (int j = 0; j < kCells; ++j) at(i + kDepth, j + kDepth) = value(rank(), i, j);
  hlc_box box{{kCells * rank(), 0, 0, 0}, {kCells, kCells, 1, 1}, rank(), 0};
  hlc_field field{memory.data(), HLC_FLOAT64, 0, {}, "u"};
  hlc_blocks_spec spec{};
  spec.ndims = 2;
  spec.global[0] = kCells * size(), spec.global[1] = kCells;
  for (int d = 0; d < 2; ++d) spec.periodic[d] = 1, spec.depth_low[d] = spec.depth_high[d] = kDepth;
  spec.layout = rows ? HLC_ROW_MAJOR : HLC_COLUMN_MAJOR;
  spec.nblocks = spec.nfields = 1;
  spec.blocks = &box;
  spec.fields = &field;
  hlc_blocks *blocks = nullptr;
  for (const hlc_mode mode : {HLC_MODE_P2P, HLC_MODE_NOTIFY}) {
    spec.mode = mode;
    REQUIRE_EVERYWHERE(ok(hlc_blocks_init(context(), &spec, &blocks)));
    EXPECT_TRUE(ok(hlc_blocks_start(blocks, nullptr)));
    EXPECT_TRUE(ok(hlc_blocks_finish(blocks)));
    for (int i = -kDepth; i < kCells + kDepth; ++i)
      for (int j = -kDepth; j < kCells + kDepth; ++j) {
        const int owner = (rank() + size() + (i < 0 ? -1 : 0) + (i < kCells ? 0 : 1)) % size();
        EXPECT_EQ(at(i + kDepth, j + kDepth), value(owner, (i + kCells) % kCells, (j + kCells) % kCells)) << i << ", " << j;
      }
    EXPECT_TRUE(ok(hlc_blocks_finalise(&blocks)));
  }
}

TEST(BlocksErrors, ranks_with_different_shapes_are_a_mismatch) {
  if (size() == 1) GTEST_SKIP() << "one rank cannot disagree with itself";
  Row kind, depth, none;
  for (Row *row : {&kind, &depth}) row->made->shape(0).stagger[0] = HLC_NODES_OWNED;
  if (rank() == 1)
    kind.made->shape(0).stagger[0] = HLC_NODES_SHARED, depth.made->shape(0).own_depth = 1, depth.made->shape(0).depth_low[0] = 3;
  kind.place(), depth.place();
  EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, init(kind.made->spec)));
  EXPECT_TRUE(says("shapes[0], of field 'field 0': stagger[0] is HLC_NODES_SHARED on rank 1 and HLC_NODES_OWNED on rank 0"));
  EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, init(depth.made->spec)));
  EXPECT_TRUE(says("shapes[0], of field 'field 0': depth_low[0] is 1 on rank 0 and 3 on rank 1"));
  if (rank() == 1) none.made->shape(0).stagger[0] = HLC_NODES_SHARED;
  none.place();
  EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, init(none.made->spec)));
  EXPECT_TRUE(says("stagger[0] is HLC_CENTRED on rank 0 and HLC_NODES_SHARED on rank 1"));
}

TEST(BlocksErrors, calls_at_the_wrong_time_are_refused) {
  Row row;
  hlc_blocks *blocks = nullptr;
  REQUIRE_EVERYWHERE(ok(hlc_blocks_init(context(), &row.made->spec, &blocks)));
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_blocks_finish(blocks)));
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_blocks_test(blocks)));
  hlc_swap one{};
  one.one_dim = 1;
  EXPECT_TRUE(is_status(HLC_ERR_UNSUPPORTED, hlc_blocks_start(blocks, &one)));
  const int beyond = 1;
  const hlc_swap wrong{1, &beyond, 0, 0, HLC_SIDE_BOTH, 0, 0};
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_blocks_start(blocks, &wrong)));
  EXPECT_TRUE(ok(hlc_blocks_start(blocks, nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_blocks_start(blocks, nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_blocks_finalise(&blocks)));
  EXPECT_TRUE(ok(hlc_blocks_finish(blocks)));
  EXPECT_TRUE(ok(hlc_blocks_finalise(&blocks)));
  EXPECT_EQ(blocks, nullptr);
  EXPECT_TRUE(ok(hlc_blocks_finalise(&blocks))) << "NULL is fine";
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_blocks_start(nullptr, nullptr)));
}

TEST(BlocksErrors, parts_that_ask_for_different_swaps_are_a_mismatch) {
  if (!threads_may_call_mpi()) GTEST_SKIP() << "this MPI does not allow MPI_THREAD_SERIALIZED";
  Row row;
  row.made->spec.parts = 2;
  hlc_blocks *blocks = nullptr;
  REQUIRE_EVERYWHERE(ok(hlc_blocks_init(context(), &row.made->spec, &blocks)));
  const hlc_swap reverse{0, nullptr, 0, 0, HLC_SIDE_BOTH, 1, 0};
  EXPECT_TRUE(is_status(HLC_ERR_ARGUMENT, hlc_blocks_start_part(blocks, 2, nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_blocks_finish_part(blocks, 0)));
  EXPECT_TRUE(ok(hlc_blocks_start_part(blocks, 0, nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_blocks_start_part(blocks, 0, nullptr)));
  const std::string me = "hlc_blocks_start_part on rank " + std::to_string(rank()) + ": part 0";
  EXPECT_TRUE(says(me + " is in flight already; call hlc_blocks_finish_part first"));
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_blocks_start(blocks, nullptr)));
  EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, hlc_blocks_start_part(blocks, 1, &reverse)));
  EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, hlc_blocks_finish_part(blocks, 0)));
  EXPECT_TRUE(says("part 1 requests a different swap"));
  EXPECT_TRUE(is_status(HLC_ERR_MISMATCH, hlc_blocks_finish_part(blocks, 1)));
  EXPECT_TRUE(is_status(HLC_ERR_STATE, hlc_blocks_start_part(blocks, 0, nullptr)));
  EXPECT_TRUE(says(me + ": an earlier swap of these blocks failed"));
  EXPECT_TRUE(ok(hlc_blocks_finalise(&blocks)));
}

}  // namespace
}  // namespace halocline::test
