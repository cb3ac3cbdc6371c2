// Times neighbourhood collectives of halo sizes by the drop-in and by the host MPI, sample by sample in turn in one process. Every sample's data
// are verified. Periodic grids of 1, 2 and 3 dimensions; MPI_Neighbor_alltoall, MPI_Neighbor_alltoallw with the faces of a box as subarrays,
// and both persistent. Arguments: --samples=N, --sample-us=N, --dimensions=1, 2 or 3.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <halocline/mpi4.h>

#include "race.hpp"

namespace {

using race::rewrite;
using race::Side;

struct Options : race::Options {
  std::vector<int> dimensions{1, 2, 3};
};

struct Grid {
  MPI_Comm comm = MPI_COMM_NULL;
  int dimensions = 0, rank = 0, ranks = 0;
};

Grid make_grid(int dimensions) {
  Grid grid;
  grid.dimensions = dimensions;
  MPI_Comm_size(MPI_COMM_WORLD, &grid.ranks);
  std::vector<int> dims(static_cast<std::size_t>(dimensions)), periods(dims.size(), 1);
  MPI_Dims_create(grid.ranks, dimensions, dims.data());
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, dims.data(), periods.data(), 0, &grid.comm);
  MPI_Comm_rank(grid.comm, &grid.rank);
  return grid;
}

/// Where a side has the faces of a box of side^3 doubles, or rows of bytes.
struct Halo {
  std::vector<double> sent, received;
  std::vector<int> counts;
  std::vector<MPI_Aint> places;
  std::vector<MPI_Datatype> out, in;
  int count = 0;
};

double value_of(int rank, int block, std::size_t i) { return rank * 1e6 + block * 1e5 + static_cast<double>(i); }

/// The neighbour whose block arrives as block `b`, and which block of it.
void find_source(const Grid &grid, int b, int *rank, int *block) {
  int below = 0, above = 0;
  MPI_Cart_shift(grid.comm, b / 2, 1, &below, &above);
  *rank = b % 2 == 0 ? below : above;
  *block = b ^ 1;
}

bool is_row_right(const Grid &grid, Halo &halo) {
  bool right = true;
  const auto length = static_cast<std::size_t>(halo.count);
  for (int b = 0; b < 2 * grid.dimensions; ++b) {
    int rank = 0, block = 0;
    find_source(grid, b, &rank, &block);
    for (std::size_t i = 0; i < length; ++i) {
      double &there = halo.received[static_cast<std::size_t>(b) * length + i];
      right = right && there == value_of(rank, block, i);
      there = -1;
    }
  }
  return right;
}

void fill_rows(const Grid &grid, Halo &halo, int doubles) {
  halo.count = doubles;
  const auto length = static_cast<std::size_t>(doubles);
  const std::size_t blocks = static_cast<std::size_t>(2 * grid.dimensions);
  halo.sent.resize(blocks * length), halo.received.assign(blocks * length, -1);
  for (std::size_t b = 0; b < blocks; ++b)
    for (std::size_t i = 0; i < length; ++i) halo.sent[b * length + i] = value_of(grid.rank, static_cast<int>(b), i);
}

/// A box with a halo of one cell; the sent faces are inside, the received ones outside.
void fill_faces(const Grid &grid, Halo &halo, int side) {
  const int whole = side + 2;
  halo.sent.resize(static_cast<std::size_t>(whole) * whole * whole);
  for (std::size_t i = 0; i < halo.sent.size(); ++i) halo.sent[i] = value_of(grid.rank, 0, i);
  for (int b = 0; b < 2 * grid.dimensions; ++b) {
    const int sizes[3] = {whole, whole, whole};
    int extents[3] = {side, side, side}, from[3] = {1, 1, 1}, to[3] = {1, 1, 1};
    extents[b / 2] = 1;
    from[b / 2] = b % 2 == 0 ? 1 : side;
    to[b / 2] = b % 2 == 0 ? 0 : side + 1;
    for (const bool is_out : {true, false}) {
      MPI_Datatype face = MPI_DATATYPE_NULL;
      MPI_Type_create_subarray(3, sizes, extents, is_out ? from : to, MPI_ORDER_C, MPI_DOUBLE, &face);
      MPI_Type_commit(&face);
      (is_out ? halo.out : halo.in).push_back(face);
    }
    halo.counts.push_back(1), halo.places.push_back(0);
  }
}

bool are_faces_right(const Grid &grid, Halo &halo, int side) {
  const int whole = side + 2;
  bool right = true;
  const auto at = [&](const int(&cell)[3]) {
    return (static_cast<std::size_t>(cell[0]) * static_cast<std::size_t>(whole) + static_cast<std::size_t>(cell[1])) *
               static_cast<std::size_t>(whole) +
           static_cast<std::size_t>(cell[2]);
  };
  for (int b = 0; b < 2 * grid.dimensions; ++b) {
    int rank = 0, block = 0;
    find_source(grid, b, &rank, &block);
    for (int i = 1; i <= side; ++i)
      for (int j = 1; j <= side; ++j) {
        int here[3] = {}, there[3] = {};
        const int d = b / 2;
        here[d] = b % 2 == 0 ? 0 : side + 1, there[d] = b % 2 == 0 ? side : 1;
        here[(d + 1) % 3] = there[(d + 1) % 3] = i, here[(d + 2) % 3] = there[(d + 2) % 3] = j;
        right = right && halo.sent[at(here)] == value_of(rank, 0, at(there));
        halo.sent[at(here)] = -1;
      }
  }
  return right;
}

bool compare(const Options &options, const Grid &grid, const char *what, long bytes, std::vector<Side> sides) {
  const bool right = race::run(options, sides);
  char line[80];
  std::snprintf(line, sizeof line, "%-28s %dD %8ld", what, grid.dimensions, bytes);
  race::print(line, sides[0], sides[1], right);
  return right;
}

bool race_rows(const Options &options, const Grid &grid, int doubles) {
  static auto *const host = HOST(MPI_Neighbor_alltoall);
  static Halo halos[2];
  for (Halo &halo : halos) fill_rows(grid, halo, doubles);
  const auto side = [&](const char *name, int i, auto *function) {
    Halo &halo = halos[i];
    return Side{name,
                [&halo, &grid, function] {
                  rewrite(halo.sent);
                  function(halo.sent.data(), halo.count, MPI_DOUBLE, halo.received.data(), halo.count, MPI_DOUBLE, grid.comm);
                  race::reread(halo.received);
                },
                [&halo, &grid] { return is_row_right(grid, halo); },
                {}};
  };
  return compare(options, grid, "MPI_Neighbor_alltoall", 8L * doubles, {side("drop-in", 0, &MPI_Neighbor_alltoall), side("host", 1, host)});
}

bool race_faces(const Options &options, const Grid &grid, int length) {
  static auto *const host = HOST(MPI_Neighbor_alltoallw);
  std::vector<Halo> halos(2);
  for (Halo &halo : halos) fill_faces(grid, halo, length);
  const auto side = [&](const char *name, std::size_t i, auto *function) {
    Halo &halo = halos[i];
    return Side{name,
                [&halo, &grid, function] {
                  rewrite(halo.sent);
                  function(halo.sent.data(), halo.counts.data(), halo.places.data(), halo.out.data(), halo.sent.data(), halo.counts.data(),
                           halo.places.data(), halo.in.data(), grid.comm);
                },
                [&halo, &grid, length] { return are_faces_right(grid, halo, length); },
                {}};
  };
  const bool right = compare(options, grid, "MPI_Neighbor_alltoallw", 8L * length * length,
                             {side("drop-in", 0, &MPI_Neighbor_alltoallw), side("host", 1, host)});
  for (Halo &halo : halos)
    for (auto *types : {&halo.out, &halo.in})
      for (MPI_Datatype &type : *types) MPI_Type_free(&type);
  return right;
}

/// Where the host has no persistent call its nonblocking one stands for it.
bool race_persistent(const Options &options, const Grid &grid, int doubles) {
  static auto *const host_init = HOST(MPI_Neighbor_alltoall_init);
  static auto *const host_begin = HOST(MPI_Ineighbor_alltoall);
  std::vector<Halo> halos(2);
  for (Halo &halo : halos) fill_rows(grid, halo, doubles);
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Neighbor_alltoall_init(halos[0].sent.data(), doubles, MPI_DOUBLE, halos[0].received.data(), doubles, MPI_DOUBLE, grid.comm,
                             MPI_INFO_NULL, &requests[0]);
  if (host_init)
    host_init(halos[1].sent.data(), doubles, MPI_DOUBLE, halos[1].received.data(), doubles, MPI_DOUBLE, grid.comm, MPI_INFO_NULL,
              &requests[1]);
  const auto right_of = [&](std::size_t i) { return [&grid, &halo = halos[i]] { return is_row_right(grid, halo); }; };
  Side own{"drop-in",
           [&] {
             rewrite(halos[0].sent);
             MPI_Start(&requests[0]);
             MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
             race::reread(halos[0].received);
           },
           right_of(0),
           {}};
  Side other{"host",
             [&] {
               rewrite(halos[1].sent);
               if (host_init)
                 MPI_Start(&requests[1]);
               else
                 host_begin(halos[1].sent.data(), doubles, MPI_DOUBLE, halos[1].received.data(), doubles, MPI_DOUBLE, grid.comm,
                            &requests[1]);
               MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
               race::reread(halos[1].received);
             },
             right_of(1),
             {}};
  const bool right =
      compare(options, grid, host_init ? "MPI_Neighbor_alltoall_init" : "_init, host nonblocking", 8L * doubles, {own, other});
  MPI_Request_free(&requests[0]);
  if (host_init) MPI_Request_free(&requests[1]);
  return right;
}

}  // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.rfind("--dimensions=", 0) == 0)
      options.dimensions.assign(1, std::clamp(std::atoi(word.c_str() + 13), 1, 3));
    else
      race::take(&options, word);
  }
  bool right = true;
  if (race::world_rank() == 0)
    std::printf(
        "microseconds: drop-in, host, host / drop-in; of the least samples, of the lower quartiles, of the medians. Bytes: of a block\n");
  for (const int dimensions : options.dimensions) {
    Grid grid = make_grid(dimensions);
    for (const int doubles : {1, 64, 256, 512, 1024, 2048, 4096, 16384, 65536}) right &= race_rows(options, grid, doubles);
    for (const int doubles : {1, 512, 4096, 65536}) right &= race_persistent(options, grid, doubles);
    if (dimensions == 3)
      for (const int side : {8, 32, 64, 128}) right &= race_faces(options, grid, side);
    MPI_Comm_free(&grid.comm);
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
