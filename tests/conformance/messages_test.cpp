// How many messages mode p2p sends: edges to one rank share a message while they are short. Counted where the library calls MPI.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdint>
#include <halocline/halocline.hpp>
#include <vector>

namespace {

int started = 0;  // persistent requests, those that receive included
int reductions = 0;

}  // namespace

extern "C" __attribute__((visibility("default"))) int MPI_Start(MPI_Request *request) {
  started += 1;
  return PMPI_Start(request);
}

extern "C" __attribute__((visibility("default"))) int MPI_Iallreduce(const void *in, void *out, int count, MPI_Datatype type,
                                                                     MPI_Op operation, MPI_Comm comm, MPI_Request *request) {
  reductions += 1;
  return PMPI_Iallreduce(in, out, count, type, operation, comm, request);
}

namespace {

struct Found {
  int requests = 0;     // started in one swap
  int wrong_cells = 0;  // halo cells that do not hold the rank that must have written them
};

/// Swaps once a periodic block of n x n cells, the ranks in a row, so that six of eight neighbours are other ranks. A cell's bytes are its
/// writer's number.
Found swap(const halocline::Context &context, std::int64_t n, std::size_t cell_bytes, hlc_mode mode = HLC_MODE_P2P) {
  const std::int64_t global[] = {n * context.size(), n}, wide = n + 2;
  const int dims[] = {context.size(), 1}, periodic[] = {1, 1};
  hlc_grid grid{};
  halocline::check(hlc_grid_create(context.raw(), 2, global, dims, periodic, &grid));
  std::vector<unsigned char> memory(static_cast<std::size_t>(wide * wide) * cell_bytes, static_cast<unsigned char>(context.rank() + 1));
  hlc_field field{};
  field.data = memory.data();
  field.element_bytes = cell_bytes;
  hlc_halo_spec spec{};
  spec.grid = &grid;
  for (int d = 0; d < 2; ++d) spec.depth_low[d] = spec.depth_high[d] = 1;
  spec.layout = HLC_COLUMN_MAJOR;
  spec.nfields = 1;
  spec.fields = &field;
  spec.mode = mode;
  hlc_halo *halo = nullptr;
  halocline::check(hlc_halo_init(context.raw(), &spec, &halo));

  Found found;
  started = 0;
  halocline::check(hlc_halo_start(halo, nullptr));
  halocline::check(hlc_halo_finish(halo));
  found.requests = started;
  for (std::int64_t y = 0; y < wide; ++y)
    for (std::int64_t x = 0; x < wide; ++x) {
      const int step = x == 0 ? -1 : x == wide - 1 ? 1 : 0;
      const int writer = (context.rank() + step + context.size()) % context.size() + 1;
      found.wrong_cells += memory[static_cast<std::size_t>(x + y * wide) * cell_bytes] == writer ? 0 : 1;
    }
  halocline::check(hlc_halo_finalise(&halo));
  return found;
}

TEST(Planning, tries_how_to_pack_once_for_messages_of_a_size) {
  const halocline::Context context(MPI_COMM_WORLD);
  int needed[3] = {};
  for (int &count : needed) {
    reductions = 0;
    EXPECT_EQ(swap(context, 16, 8, HLC_MODE_NOTIFY).wrong_cells, 0);
    count = reductions;
  }
  EXPECT_LT(needed[1], 40);
  EXPECT_EQ(needed[2], needed[1]);
  EXPECT_LE(needed[1], needed[0]);
}

TEST(Messages, short_edges_to_one_rank_share_one) {
  const halocline::Context context(MPI_COMM_WORLD);
  const int peers = context.size() == 2 ? 1 : 2;
  const Found found = swap(context, 4, 8);
  EXPECT_EQ(found.requests, 2 * peers);
  EXPECT_EQ(found.wrong_cells, 0);
}

TEST(Messages, long_edges_have_one_each) {
  const halocline::Context context(MPI_COMM_WORLD);
  // A face is 384 KiB, a corner 96 KiB. With 2 ranks two corners share a message, twice. With 3 or more a neighbour's face is between its
  // corners.
  const Found found = swap(context, 4, std::size_t{96} << 10);
  EXPECT_EQ(found.requests, 2 * (context.size() == 2 ? 4 : 6));
  EXPECT_EQ(found.wrong_cells, 0);
}

}  // namespace
