// Start, test and finish allocate nothing, in any mode, for any kind of swap, whether or not a rank waits. Nor do operations on segments
// and reductions. The memory of a plan depends on a rank's neighbours, not on the number of ranks.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <thread>

#include "allocation/counter.hpp"
#include "support/index_rig.hpp"
#include "support/links.hpp"
#include "support/rig.hpp"

namespace halocline::test {
namespace {

class Allocation : public testing::TestWithParam<ModeChoice> {
 protected:
  void SetUp() override {
    if (!can_count_allocations()) GTEST_SKIP() << "the sanitizer of this build brings its own malloc";
  }
  Random random_{21};
};

void expect_none(const AllocationCount &count) { EXPECT_EQ(count.of_halocline(), 0) << "first allocation at\n" << count.first_place(); }

TEST_P(Allocation, the_counter_sees_what_the_library_allocates_in_init) {
  const Case halo = plain_case("counted", decompose(size(), 2, {4, 6}, 0b11, random_), 2, 3);
  const AllocationCount count;
  const Rig rig(halo, GetParam());
  EXPECT_GT(count.of_halocline(), 0);
}

TEST_P(Allocation, start_test_and_finish_of_a_halo_allocate_nothing) {
  Rig rig(plain_case("counted", decompose(size(), 2, {4, 6}, 0b11, random_), 2, 3), GetParam());
  if (!rig.ready()) return;
  const int fields[] = {0, 2};
  const hlc_swap swaps[] = {everything,
                            {2, fields, 0, 0, HLC_SIDE_BOTH, 0, 0},
                            {0, nullptr, 0, 0, HLC_SIDE_BOTH, 0, 1},
                            {0, nullptr, 1, 1, HLC_SIDE_LOW, 0, 0},
                            {0, nullptr, 0, 0, HLC_SIDE_BOTH, 1, 0}};
  const AllocationCount count;
  for (int round = 0; round < 5; ++round)
    for (const hlc_swap &what : swaps) {
      EXPECT_EQ(hlc_halo_start(rig.halo(), &what), HLC_OK);
      const hlc_status tested = hlc_halo_test(rig.halo());
      EXPECT_TRUE(tested == HLC_OK || tested == HLC_AGAIN);
      EXPECT_EQ(hlc_halo_finish(rig.halo()), HLC_OK);
    }
  expect_none(count);
}

TEST_P(Allocation, swaps_that_bring_other_arrays_allocate_nothing) {
  Rig rig(plain_case("other arrays", decompose(size(), 2, {4, 6}, 0b11, random_), 2, 3), GetParam(), Memory::shared, 2);
  if (!rig.ready()) return;
  rig.choose(1);
  const std::vector<void *> others = rig.addresses();
  const AllocationCount count;
  for (int round = 0; round < 5; ++round)
    for (void *const *data : {others.data(), static_cast<void *const *>(nullptr)}) {
      EXPECT_EQ(hlc_halo_start_with(rig.halo(), nullptr, data), HLC_OK);
      EXPECT_EQ(hlc_halo_finish(rig.halo()), HLC_OK);
    }
  expect_none(count);
}

TEST_P(Allocation, start_test_and_finish_of_an_index_halo_allocate_nothing) {
  IndexRig rig(random_index_case(size(), {float64, {HLC_INT32, 4}}, random_), GetParam());
  if (!rig.ready()) return;
  const int field = 1;
  const hlc_index_swap swaps[] = {{0, nullptr, 0}, {1, &field, 0}, {0, nullptr, 1}};
  rig.write(index_before(rig.lists(), rank(), 1, true));
  const AllocationCount count;
  for (int round = 0; round < 5; ++round)
    for (const hlc_index_swap &what : swaps) {
      EXPECT_EQ(hlc_index_halo_start(rig.halo(), &what), HLC_OK);
      const hlc_status tested = hlc_index_halo_test(rig.halo());
      EXPECT_TRUE(tested == HLC_OK || tested == HLC_AGAIN);
      EXPECT_EQ(hlc_index_halo_finish(rig.halo()), HLC_OK);
    }
  expect_none(count);
}

TEST(SegmentAllocation, no_operation_allocates_whether_or_not_it_waits) {
  if (!can_count_allocations()) GTEST_SKIP() << "the sanitizer of this build brings its own malloc";
  const hlc_segment_spec spec{128, 2, 0};
  const hlc_block block{8, 1, {2}, {8}, {16}};
  hlc_segment *segment = nullptr;
  REQUIRE_EVERYWHERE(hlc_segment_create(context(), &spec, &segment) == HLC_OK);
  // Ranks of other nodes are connected in the first operation on them, and in the first reply to one of theirs.
  EXPECT_EQ(hlc_barrier(segment), HLC_OK);
  EXPECT_EQ(hlc_flush_all(segment), HLC_OK);
  EXPECT_EQ(hlc_barrier(segment), HLC_OK);
  const AllocationCount count;
  for (int round = 0; round < 3; ++round) {
    const hlc_target mine{segment, rank(), 0};
    std::int64_t words[2] = {1, 2}, old = 0;
    int id = -1;
    std::uint32_t value = 0;
    EXPECT_EQ(hlc_put(mine, words, 16), HLC_OK);
    EXPECT_EQ(hlc_get(mine, words, 16), HLC_OK);
    EXPECT_EQ(hlc_put_strided(mine, words, &block), HLC_OK);
    EXPECT_EQ(hlc_accumulate(mine, {HLC_OP_SUM, HLC_NUMBER_INT64}, words, 2), HLC_OK);
    EXPECT_EQ(hlc_atomic_compare_swap(mine, HLC_NUMBER_INT64, 1, 2, &old), HLC_OK);
    EXPECT_EQ(hlc_flush_all(segment), HLC_OK);
    EXPECT_EQ(hlc_put_notify(mine, words, 16, {1, 1}), HLC_OK);
    EXPECT_EQ(hlc_notify_wait(segment, {0, 2}, &id), HLC_OK);
    EXPECT_EQ(hlc_notify_reset(segment, id, &value), HLC_OK);
    if (rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(30));
    EXPECT_EQ(hlc_barrier(segment), HLC_OK);
  }
  expect_none(count);
  EXPECT_TRUE(ok(hlc_segment_free(&segment)));
}

/// A plan of this many numbers; NULL, on all ranks, where other nodes cannot be reached.
hlc_allreduce *plan_of(std::int64_t count, hlc_reduce_fn function) {
  hlc_allreduce_spec spec{};
  spec.type = HLC_INT64;
  spec.count = count;
  spec.reduction = function ? HLC_REDUCE_USER : HLC_REDUCE_SUM;
  spec.function = function;
  hlc_allreduce *plan = nullptr;
  const hlc_status status = hlc_allreduce_create(context(), &spec, &plan);
  EXPECT_TRUE(status == HLC_OK || status == HLC_ERR_UNSUPPORTED) << hlc_error_message();
  return plan;
}

/// Few enough elements that each rank combines all; several chunks; and more than there is room for at once.
class ReductionAllocation : public testing::TestWithParam<std::int64_t> {};

TEST_P(ReductionAllocation, no_run_allocates_whether_or_not_it_waits) {
  if (!can_count_allocations()) GTEST_SKIP() << "the sanitizer of this build brings its own malloc";
  const auto multiply = [](const void *in, void *inout, std::int64_t count, void *) {
    for (std::int64_t i = 0; i < count; ++i) static_cast<std::int64_t *>(inout)[i] *= static_cast<const std::int64_t *>(in)[i];
  };
  hlc_allreduce *sum = plan_of(GetParam(), nullptr), *product = plan_of(GetParam(), multiply);
  if (!sum || !product) GTEST_SKIP() << hlc_error_message();
  const auto count_of_all = static_cast<std::size_t>(GetParam());
  std::vector<std::int64_t> data(count_of_all, 3), out(count_of_all);
  {
    const AllocationCount count;
    for (int round = 0; round < 5; ++round) {
      if (rank() == round % size()) std::this_thread::sleep_for(std::chrono::milliseconds(30));
      EXPECT_EQ(hlc_allreduce_run(sum, data.data(), out.data()), HLC_OK);
      EXPECT_EQ(hlc_allreduce_run(product, out.data(), out.data()), HLC_OK);
    }
    expect_none(count);
  }
  std::int64_t power = 1;
  for (int r = 0; r < size(); ++r) power *= 3 * size();
  EXPECT_EQ(out.back(), power);
  EXPECT_TRUE(ok(hlc_allreduce_destroy(&sum)));
  EXPECT_TRUE(ok(hlc_allreduce_destroy(&product)));
}

INSTANTIATE_TEST_SUITE_P(Elements, ReductionAllocation, testing::Values(5, 30'000, 1'000'000), testing::PrintToStringParamName());

TEST_P(Allocation, waiting_for_a_late_rank_allocates_nothing) {
  Rig rig(plain_case("late", decompose(size(), 1, {4, 6}, 0b1, random_), 2), GetParam());
  if (!rig.ready()) return;
  EXPECT_EQ(hlc_halo_start(rig.halo(), nullptr), HLC_OK);
  EXPECT_EQ(hlc_halo_finish(rig.halo()), HLC_OK);
  const AllocationCount count;
  if (rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(60));
  EXPECT_EQ(hlc_halo_start(rig.halo(), nullptr), HLC_OK);
  EXPECT_EQ(hlc_halo_finish(rig.halo()), HLC_OK);
  expect_none(count);
}

TEST_P(Allocation, start_test_and_finish_of_an_exchange_allocate_nothing) {
  std::vector<hlc_neighbour> neighbours;
  for (int r = 0; r < size(); ++r) neighbours.push_back({r, 0, 0, 1000, 1000});
  hlc_exchange_spec spec{};
  spec.nneighbours = size();
  spec.neighbours = neighbours.data();
  spec.pack = [](int, void *buffer, void *) { std::memset(buffer, 7, 1000); };
  spec.unpack = [](int, const void *, void *) {};
  spec.mode = GetParam().mode;
  spec.epoch = GetParam().epoch;
  spec.drive = GetParam().drive;
  hlc_exchange *exchange = nullptr;
  REQUIRE_EVERYWHERE(hlc_exchange_create(context(), &spec, &exchange) == HLC_OK);
  {
    const AllocationCount count;
    for (int round = 0; round < 10; ++round) {
      EXPECT_EQ(hlc_exchange_start(exchange), HLC_OK);
      const hlc_status tested = hlc_exchange_test(exchange);
      EXPECT_TRUE(tested == HLC_OK || tested == HLC_AGAIN);
      EXPECT_EQ(hlc_exchange_finish(exchange), HLC_OK);
    }
    expect_none(count);
  }
  EXPECT_TRUE(ok(hlc_exchange_destroy(&exchange)));
}

FOR_ALL_MODES(Allocation);

class PlanMemory : public testing::TestWithParam<ModeChoice> {};

/// The plan's memory of rank 0 in a periodic row of `ranks` ranks, with two neighbours; the other ranks have no part in it.
std::int64_t memory_in_row_of(int ranks, const ModeChoice &mode) {
  MPI_Comm some = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank() < ranks, 0, &some);
  std::int64_t bytes = 0;
  if (rank() < ranks) {
    hlc_context *row = nullptr;
    EXPECT_TRUE(ok(hlc_init(some, &row)));
    const std::int64_t global = 8 * ranks;
    const int periodic = 1;
    hlc_grid grid{};
    EXPECT_TRUE(ok(hlc_grid_create(row, 1, &global, nullptr, &periodic, &grid)));
    void *data = nullptr;
    EXPECT_TRUE(ok(hlc_field_alloc(row, 12 * sizeof(double), &data)));
    hlc_field field{};
    field.data = data;
    field.type = HLC_FLOAT64;
    hlc_halo_spec spec{};
    spec.grid = &grid;
    spec.depth_low[0] = spec.depth_high[0] = 2;
    spec.nfields = 1;
    spec.fields = &field;
    spec.mode = mode.mode;
    spec.epoch = mode.epoch;
    spec.drive = mode.drive;
    hlc_halo *halo = nullptr;
    hlc_plan_info info{};
    EXPECT_TRUE(ok(hlc_halo_init(row, &spec, &halo)));
    EXPECT_TRUE(ok(hlc_halo_info(halo, &info)));
    EXPECT_EQ(info.neighbours, 2);
    bytes = info.memory_bytes;
    EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
    EXPECT_TRUE(ok(hlc_field_free(row, &data)));
    EXPECT_TRUE(ok(hlc_finalise(&row)));
  }
  MPI_Comm_free(&some);
  return bytes;
}

TEST_P(PlanMemory, does_not_grow_with_the_number_of_ranks) {
  if (size() < 4) GTEST_SKIP() << "needs at least 4 ranks to compare with 3";
  const std::int64_t small = memory_in_row_of(3, GetParam()), large = memory_in_row_of(size(), GetParam());
  if (rank() > 0) return;
  EXPECT_GT(small, 0) << "the plan must own up to its buffers";
  EXPECT_EQ(small, large) << "3 ranks against " << size();
}

FOR_ALL_MODES(PlanMemory);

}  // namespace
}  // namespace halocline::test
