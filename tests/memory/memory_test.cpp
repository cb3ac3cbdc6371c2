// What a rank holds depends on its neighbours and its node, not on the job. The test is the same local problem on few and on many ranks, on
// emulated nodes of the same size. It must need the same bytes on the heap and in shared memory.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "memory/live_bytes.hpp"
#include "soak/footprint.hpp"
#include "support/modes.hpp"
#include "support/mpi_test.hpp"

namespace halocline::test {
namespace {

constexpr int kColumns = 4;  // ranks in a row of the process grid; a node holds whole rows

/// Largest values over all ranks: bytes on the heap at the end and at the peak, KiB of shared memory, and the plan's own bytes.
struct Held {
  std::array<std::int64_t, 4> numbers{};
  std::int64_t heap() const { return numbers[0]; }
  std::int64_t most() const { return numbers[1]; }
  std::int64_t shared_kib() const { return numbers[2]; }
  std::int64_t plan() const { return numbers[3]; }
};

int ranks_per_node() { return std::max(kColumns, size() / 8); }

/// A context, a field and a halo over so many ranks, 8 neighbours for each, swapped once.
Held hold(MPI_Comm comm, int ranks, hlc_mode mode) {
  const LiveBytes live;
  const std::int64_t mapped_before = mapped_kib();
  setenv("HALOCLINE_FAKE_NODES", std::to_string(ranks / ranks_per_node()).c_str(), 1);
  hlc_context *context = nullptr;
  EXPECT_TRUE(ok(hlc_init(comm, &context)));
  const std::int64_t global[] = {8 * (ranks / kColumns), 8 * kColumns};
  const int dims[] = {ranks / kColumns, kColumns}, periodic[] = {1, 1};
  hlc_grid grid{};
  EXPECT_TRUE(ok(hlc_grid_create(context, 2, global, dims, periodic, &grid)));
  void *data = nullptr;
  EXPECT_TRUE(ok(hlc_field_alloc(context, 12 * 12 * sizeof(double), &data)));
  hlc_field field{};
  field.data = data;
  field.type = HLC_FLOAT64;
  hlc_halo_spec spec{};
  spec.grid = &grid;
  spec.depth_low[0] = spec.depth_low[1] = spec.depth_high[0] = spec.depth_high[1] = 2;
  spec.layout = HLC_ROW_MAJOR;
  spec.nfields = 1;
  spec.fields = &field;
  spec.mode = mode;
  hlc_halo *halo = nullptr;
  EXPECT_TRUE(ok(hlc_halo_init(context, &spec, &halo)));
  EXPECT_TRUE(ok(hlc_halo_start(halo, nullptr)));
  EXPECT_TRUE(ok(hlc_halo_finish(halo)));
  hlc_plan_info info{};
  EXPECT_TRUE(ok(hlc_halo_info(halo, &info)));
  EXPECT_EQ(info.neighbours, 8);
  Held held{{live.held(), live.most(), mapped_kib() - mapped_before, info.memory_bytes}};
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
  EXPECT_TRUE(ok(hlc_field_free(context, &data)));
  EXPECT_TRUE(ok(hlc_finalise(&context)));
  MPI_Allreduce(MPI_IN_PLACE, held.numbers.data(), 4, MPI_INT64_T, MPI_MAX, comm);
  return held;
}

/// A context and a segment over so many ranks, and a notified put to the rank at the same place on the next node.
Held hold_segment(MPI_Comm comm, int ranks) {
  const LiveBytes live;
  const std::int64_t mapped_before = mapped_kib();
  setenv("HALOCLINE_FAKE_NODES", std::to_string(ranks / ranks_per_node()).c_str(), 1);
  hlc_context *context = nullptr;
  EXPECT_TRUE(ok(hlc_init(comm, &context)));
  hlc_segment *segment = nullptr;
  const hlc_segment_spec spec{256, 4, 0};
  EXPECT_TRUE(ok(hlc_segment_create(context, &spec, &segment)));
  const double value = rank();
  int id = -1;
  EXPECT_TRUE(ok(hlc_put_notify({segment, (rank() + ranks_per_node()) % ranks, 0}, &value, sizeof value, {1, 1})));
  EXPECT_TRUE(ok(hlc_notify_wait(segment, {1, 1}, &id)));
  EXPECT_TRUE(ok(hlc_flush_all(segment)));
  Held held{{live.held(), live.most(), mapped_kib() - mapped_before, 0}};
  EXPECT_TRUE(ok(hlc_segment_free(&segment)));
  EXPECT_TRUE(ok(hlc_finalise(&context)));
  MPI_Allreduce(MPI_IN_PLACE, held.numbers.data(), 4, MPI_INT64_T, MPI_MAX, comm);
  return held;
}

/// A context and a sparse exchange over so many ranks. Each rank sends twice to the rank at the same place on the next node, and to the next
/// rank.
Held hold_sparse(MPI_Comm comm, int ranks) {
  const LiveBytes live;
  const std::int64_t mapped_before = mapped_kib();
  setenv("HALOCLINE_FAKE_NODES", std::to_string(ranks / ranks_per_node()).c_str(), 1);
  hlc_context *context = nullptr;
  EXPECT_TRUE(ok(hlc_init(comm, &context)));
  int received = 0;
  const auto count = [](int, const void *, std::int64_t, void *user) { ++*static_cast<int *>(user); };
  const hlc_sparse_spec spec{8, count, &received, nullptr};
  hlc_sparse *sparse = nullptr;
  EXPECT_TRUE(ok(hlc_sparse_create(context, &spec, &sparse)));
  const std::array<char, 3000> data{};
  const hlc_sparse_message messages[] = {{(rank() + ranks_per_node()) % ranks, data.data(), 100},
                                         {(rank() + 1) % ranks, data.data(), static_cast<std::int64_t>(data.size())}};
  for (int exchange = 0; exchange < 2; ++exchange) EXPECT_TRUE(ok(hlc_sparse_exchange(sparse, 2, messages)));
  EXPECT_EQ(received, 4);
  Held held{{live.held(), live.most(), mapped_kib() - mapped_before, 0}};
  EXPECT_TRUE(ok(hlc_sparse_destroy(&sparse)));
  EXPECT_TRUE(ok(hlc_finalise(&context)));
  MPI_Allreduce(MPI_IN_PLACE, held.numbers.data(), 4, MPI_INT64_T, MPI_MAX, comm);
  return held;
}

/// The same on the first `ranks` ranks of the launch; the others only receive the result. The least of a few tries: what libfabric holds
/// for a connection depends on which side connects first.
template <class Hold>
Held hold_on_first(int ranks, Hold hold) {
  constexpr int tries = 3;
  MPI_Comm some = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank() < ranks, 0, &some);
  Held least;
  for (int i = 0; i < tries && rank() < ranks; ++i) {
    const Held held = hold(some, ranks);
    for (std::size_t n = 0; n < held.numbers.size(); ++n)
      least.numbers[n] = i == 0 ? held.numbers[n] : std::min(least.numbers[n], held.numbers[n]);
  }
  MPI_Comm_free(&some);
  MPI_Bcast(least.numbers.data(), 4, MPI_INT64_T, 0, MPI_COMM_WORLD);
  return least;
}

std::string both(std::int64_t few, std::int64_t more) { return std::to_string(few) + " and " + std::to_string(more); }

class Memory : public testing::TestWithParam<ModeChoice> {};

TEST_P(Memory, of_a_rank_does_not_grow_with_the_job) {
  if (!can_count_bytes()) GTEST_SKIP() << "the sanitizer of this build brings its own malloc";
  if (size() < 16 || size() % 16 != 0) GTEST_SKIP() << "needs 16 ranks, or a multiple";
  // The first run makes what is made only once. Three rows at least, so that those above and below a rank are different ranks. In mode
  // notify_node what is held depends on nodes, so there these are different nodes.
  const int fewest = std::max(3 * (GetParam().mode == HLC_MODE_NOTIFY_NODE ? ranks_per_node() : kColumns), size() / 4);
  const auto hold_mode = [](MPI_Comm comm, int ranks) { return hold(comm, ranks, GetParam().mode); };
  hold_on_first(fewest, hold_mode);
  const Held few = hold_on_first(fewest, hold_mode);
  for (int ranks = size(); ranks > fewest; ranks /= 2) {
    const Held more = hold_on_first(ranks, hold_mode);
    if (rank() > 0) continue;
    std::printf("  %s, %d and %d ranks, %d per node: heap %s, at most %s, shared %s KiB\n", GetParam().name, fewest, ranks,
                ranks_per_node(), both(few.heap(), more.heap()).c_str(), both(few.most(), more.most()).c_str(),
                both(few.shared_kib(), more.shared_kib()).c_str());
    EXPECT_GT(more.heap(), 1000) << "a context and a plan hold something";
    EXPECT_LE(more.heap(), few.heap());
    EXPECT_LE(more.most(), few.most()) << "no table of all ranks, not even for a moment";
    EXPECT_LE(more.shared_kib(), few.shared_kib());
    EXPECT_EQ(more.plan(), few.plan());
  }
}

/// The tables of all ranks are in shared memory, once per node: only there bytes grow with the job.
TEST(SegmentMemory, of_a_rank_does_not_grow_with_the_job) {
  if (!can_count_bytes()) GTEST_SKIP() << "the sanitizer of this build brings its own malloc";
  if (size() < 16 || size() % 16 != 0) GTEST_SKIP() << "needs 16 ranks, or a multiple";
  // Three nodes at least, so that the rank that this one puts to and the one that puts here are different ranks.
  const int fewest = 3 * ranks_per_node();
  hold_on_first(fewest, hold_segment);
  const Held few = hold_on_first(fewest, hold_segment);
  for (int ranks = size(); ranks > fewest; ranks /= 2) {
    const Held more = hold_on_first(ranks, hold_segment);
    if (rank() > 0) continue;
    std::printf("  segment, %d and %d ranks, %d per node: heap %s, at most %s, shared %s KiB\n", fewest, ranks, ranks_per_node(),
                both(few.heap(), more.heap()).c_str(), both(few.most(), more.most()).c_str(),
                both(few.shared_kib(), more.shared_kib()).c_str());
    EXPECT_GT(more.heap(), 1000) << "a context and a segment hold something";
    EXPECT_LE(more.heap(), few.heap());
    EXPECT_LE(more.most(), few.most()) << "no table of all ranks, not even for a moment";
  }
}

/// O(k + log p): with as many neighbours what is added per doubling of the ranks is a round of the barrier. Its lists are 4 KiB of shared memory
/// per rank of the node, and the rank of the round is connected.
TEST(SparseMemory, of_a_rank_grows_with_the_logarithm_of_the_job) {
  if (!can_count_bytes()) GTEST_SKIP() << "the sanitizer of this build brings its own malloc";
  if (size() < 16 || size() % 16 != 0) GTEST_SKIP() << "needs 16 ranks, or a multiple";
  constexpr std::int64_t kHeapPerRound = 4096, kSharedKibPerRound = 8;
  const int fewest = 2 * ranks_per_node();
  hold_on_first(fewest, hold_sparse);
  const Held few = hold_on_first(fewest, hold_sparse);
  for (int ranks = 2 * fewest, rounds = 1; ranks <= size(); ranks *= 2, ++rounds) {
    const Held more = hold_on_first(ranks, hold_sparse);
    if (rank() > 0) continue;
    std::printf("  sparse, %d and %d ranks, %d per node: heap %s, at most %s, shared %s KiB\n", fewest, ranks, ranks_per_node(),
                both(few.heap(), more.heap()).c_str(), both(few.most(), more.most()).c_str(),
                both(few.shared_kib(), more.shared_kib()).c_str());
    EXPECT_GT(more.heap(), 1000) << "a context and an exchange hold something";
    EXPECT_LE(more.most(), few.most() + rounds * kHeapPerRound);
    EXPECT_LE(more.shared_kib(), few.shared_kib() + rounds * kSharedKibPerRound * ranks_per_node());
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, Memory,
                         testing::Values(ModeChoice{"p2p", HLC_MODE_P2P}, ModeChoice{"pscw", HLC_MODE_PSCW},
                                         ModeChoice{"notify", HLC_MODE_NOTIFY}, ModeChoice{"direct", HLC_MODE_DIRECT},
                                         ModeChoice{"notify_node", HLC_MODE_NOTIFY_NODE}),
                         mode_name);

}  // namespace
}  // namespace halocline::test
