// baseline [NX NY NZ [FIELDS [SWAPS]]]: the hand-written swap on its own, with MPI and nothing else. Verifies every halo cell, prints the
// time of a swap on the slowest rank, and exits 1 if a cell is wrong.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "baseline.hpp"

#include <cstdio>
#include <cstdlib>

using baseline::Block;
using baseline::Index;

namespace {

/// The ranks of a periodic grid, split in x and y; y runs fastest over the ranks.
struct Ranks {
  int px = 0, py = 0, cx = 0, cy = 0, me = 0, size = 0;
  explicit Ranks(MPI_Comm comm) {
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &size);
    int dims[2] = {0, 0};
    MPI_Dims_create(size, 2, dims);
    px = dims[0], py = dims[1];
    cx = me / py, cy = me % py;
  }
  int at(const Index &v) const {
    const int x = static_cast<int>(cx + v[0] + px) % px, y = static_cast<int>(cy + v[1] + py) % py;
    return x * py + y;
  }
};

/// Every interior cell of every rank and field has a value of its own.
double value(int rank, int field, const Block &block, std::int64_t x, std::int64_t y, std::int64_t z) {
  const std::int64_t cell = (x * block.cells[1] + y) * block.cells[2] + z;
  return static_cast<double>((rank * 1000LL + field) * block.interior().cells() + cell);
}

/// Visits the cells of a region of one field with the place they have in their owner's interior.
template <class Visit>
void for_each_cell(const Block &block, const baseline::Region &region, char *field, Visit &&visit) {
  auto wrap = [&](std::int64_t i, int d) { return (i - block.depth[d] + block.cells[d]) % block.cells[d]; };
  baseline::for_each_column(region, [&](std::int64_t x, std::int64_t y) {
    auto *column = reinterpret_cast<double *>(field + block.offset(x, y, region.first[2]));
    for (std::int64_t z = 0; z < region.count[2]; ++z) visit(column[z], wrap(x, 0), wrap(y, 1), wrap(region.first[2] + z, 2));
  });
}

void fill(const Block &block, const std::vector<char *> &fields, int rank) {
  for (std::size_t f = 0; f < fields.size(); ++f)
    for_each_cell(block, block.interior(), fields[f], [&](double &cell, std::int64_t x, std::int64_t y, std::int64_t z) {
      cell = value(rank, static_cast<int>(f), block, x, y, z);
    });
}

long long count_wrong(const Block &block, const std::vector<char *> &fields, const Ranks &ranks, long long &checked) {
  long long wrong = 0;
  for (const Index &v : baseline::directions(block, true))
    for (std::size_t f = 0; f < fields.size(); ++f)
      for_each_cell(block, block.halo(v), fields[f], [&](double &cell, std::int64_t x, std::int64_t y, std::int64_t z) {
        ++checked;
        if (cell != value(ranks.at(v), static_cast<int>(f), block, x, y, z)) ++wrong;
      });
  return wrong;
}

double slowest(double seconds) {
  double all = 0;
  MPI_Allreduce(&seconds, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

double time_swaps(baseline::Swap &swap, int swaps) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < swaps; ++i) swap.run();
  return slowest(MPI_Wtime() - begin) / swaps;
}

std::int64_t argument(int argc, char **argv, int i, std::int64_t otherwise) { return i < argc ? std::atoll(argv[i]) : otherwise; }

}  // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const Block block{{argument(argc, argv, 1, 16), argument(argc, argv, 2, 16), argument(argc, argv, 3, 256)}, {2, 2, 0}, sizeof(double)};
  const auto nfields = static_cast<std::size_t>(argument(argc, argv, 4, 29));
  const int swaps = static_cast<int>(argument(argc, argv, 5, 20));
  if (block.cells[0] < 2 || block.cells[1] < 2 || block.cells[2] < 1 || nfields < 1 || swaps < 1) {
    std::fprintf(stderr, "usage: baseline [NX NY NZ [FIELDS [SWAPS]]], NX and NY at least 2 (the depth of the halo), the others 1\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }

  // Fields, filled with self-describing values; the halos hold -1, which is no value of any cell.
  const Ranks ranks(MPI_COMM_WORLD);
  std::vector<std::vector<double>> memory(nfields, std::vector<double>(block.array_bytes() / sizeof(double), -1.0));
  std::vector<char *> fields;
  for (auto &field : memory) fields.push_back(reinterpret_cast<char *>(field.data()));
  fill(block, fields, ranks.me);

  std::vector<int> neighbours;
  for (const Index &v : baseline::directions(block, true)) neighbours.push_back(ranks.at(v));
  baseline::Swap swap(MPI_COMM_WORLD, block, true, neighbours, fields);
  swap.run();

  long long checked = 0, counts[2], sums[2] = {0, 0};
  counts[0] = count_wrong(block, fields, ranks, checked);
  counts[1] = checked;
  MPI_Allreduce(counts, sums, 2, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  const double seconds = time_swaps(swap, swaps);
  if (ranks.me == 0)
    std::printf("baseline: %s, %lld halo cells verified, %lld wrong; %.2f us per swap of %zu fields on %d x %d ranks\n",
                sums[0] == 0 && sums[1] > 0 ? "right" : "WRONG", sums[1], sums[0], seconds * 1e6, nfields, ranks.px, ranks.py);
  MPI_Finalize();
  return sums[0] == 0 && sums[1] > 0 ? 0 : 1;
}
