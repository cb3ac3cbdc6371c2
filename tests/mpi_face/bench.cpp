// Times of the engine beside those of the MPI: a look at one's machine. One line per measurement, the best of several rounds, interleaved.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <limits>
#include <vector>

#include "faces/mpi/datatype/typed_copy.hpp"

namespace {

using halocline::mpi::Access;
using halocline::mpi::accumulate;
using halocline::mpi::compare_and_swap;
using halocline::mpi::copy;
using halocline::mpi::fetch_and_op;
using halocline::mpi::layout_of;
using halocline::mpi::Operation;

double nanoseconds(const std::function<void()> &work, int times) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < times; ++i) work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / times;
}

struct Measurement {
  const char *name;
  std::function<void()> ours, theirs;
  int times;
};

void measure(const Measurement &m) {
  double ours = std::numeric_limits<double>::max(), theirs = ours;
  for (int round = 0; round < 15; ++round) {
    ours = std::min(ours, nanoseconds(m.ours, m.times));
    if (m.theirs) theirs = std::min(theirs, nanoseconds(m.theirs, m.times));
  }
  if (m.theirs)
    std::printf("%-52s %12.1f ns   MPI %12.1f ns   ratio %6.2f\n", m.name, ours, theirs, theirs / ours);
  else
    std::printf("%-52s %12.1f ns\n", m.name, ours);
}

void measure_lookups() {
  MPI_Datatype vector = MPI_DATATYPE_NULL;
  MPI_Type_vector(4, 1, 2, MPI_DOUBLE, &vector);
  MPI_Type_commit(&vector);
  const void *volatile seen = nullptr;
  measure({"layout of MPI_DOUBLE", [&] { seen = layout_of(MPI_DOUBLE); }, {}, 1000000});
  measure({"layout of a vector", [&] { seen = layout_of(vector); }, {}, 1000000});
  std::vector<MPI_Datatype> many(1000);
  for (std::size_t i = 0; i < many.size(); ++i) {
    MPI_Type_contiguous(static_cast<int>(i) + 1, MPI_INT, &many[i]);
    MPI_Type_commit(&many[i]);
    layout_of(many[i]);
  }
  std::size_t next = 0;
  measure({"layout of one of 1,000 datatypes in turn", [&] { seen = layout_of(many[next++ % many.size()]); }, {}, 1000000});
  measure({"datatype made, committed, flattened and freed",
           [&] {
             MPI_Datatype type = MPI_DATATYPE_NULL;
             MPI_Type_vector(4, 1, 3, MPI_DOUBLE, &type);
             MPI_Type_commit(&type);
             layout_of(type);
             MPI_Type_free(&type);
           },
           [&] {
             MPI_Datatype type = MPI_DATATYPE_NULL;
             MPI_Type_vector(4, 1, 3, MPI_DOUBLE, &type);
             MPI_Type_commit(&type);
             MPI_Type_free(&type);
           },
           10000});
  for (MPI_Datatype &type : many) MPI_Type_free(&type);
  MPI_Type_free(&vector);
}

void measure_copies(const char *name, MPI_Datatype type) {
  MPI_Type_commit(&type);
  int size = 0;
  MPI_Aint lower = 0, extent = 0;
  MPI_Type_size(type, &size);
  MPI_Type_get_true_extent(type, &lower, &extent);
  std::vector<char> wide(static_cast<std::size_t>(extent), 1), row(static_cast<std::size_t>(size), 2);
  const auto *layout = layout_of(type), *bytes = layout_of(MPI_BYTE);
  measure({name, [&] { copy({wide.data() - lower, layout, 1}, {row.data(), bytes, size}); },
           [&] {
             int position = 0;
             MPI_Unpack(row.data(), size, &position, wide.data() - lower, 1, type, MPI_COMM_SELF);
           },
           100});
  MPI_Type_free(&type);
}

void measure_all_copies() {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(16000, 1, 2, MPI_DOUBLE, &type);
  measure_copies("row to a vector of 16,000 blocks of 8 bytes", type);
  MPI_Type_vector(16000, 3, 5, MPI_DOUBLE, &type);
  measure_copies("row to a vector of 16,000 blocks of 24 bytes", type);
  std::vector<int> places(16000);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int>(2 * i + i * i % 2);
  MPI_Type_create_indexed_block(16000, 1, places.data(), MPI_DOUBLE, &type);
  measure_copies("row to 16,000 indexed blocks of 8 bytes", type);
  const int sizes[3] = {64, 64, 64}, part[3] = {32, 32, 32}, start[3] = {1, 2, 3};
  MPI_Type_create_subarray(3, sizes, part, start, MPI_ORDER_C, MPI_DOUBLE, &type);
  measure_copies("row to a cube of 32 x 32 x 32 doubles", type);
  const int column[3] = {64, 64, 1}, behind[3] = {0, 0, 3};
  MPI_Type_create_subarray(3, sizes, column, behind, MPI_ORDER_C, MPI_DOUBLE, &type);
  measure_copies("row to a plane across the rows of 64 x 64 x 64", type);
}

void measure_operations() {
  std::vector<double> target(8192, 1), origin(8192, 1e-9), result(8192);
  const auto *real = layout_of(MPI_DOUBLE), *word = layout_of(MPI_INT64_T);
  measure({"sum of 8,192 doubles, exclusive",
           [&] { accumulate({Operation::sum, Access::exclusive}, {target.data(), real, 8192}, {origin.data(), real, 8192}); },
           [&] { MPI_Reduce_local(origin.data(), target.data(), 8192, MPI_DOUBLE, MPI_SUM); }, 1000});
  measure({"sum of 8,192 doubles, atomic",
           [&] { accumulate({Operation::sum, Access::atomic}, {target.data(), real, 8192}, {origin.data(), real, 8192}); },
           [&] { MPI_Reduce_local(origin.data(), target.data(), 8192, MPI_DOUBLE, MPI_SUM); }, 100});
  measure({"sum of 1 double, atomic",
           [&] { accumulate({Operation::sum, Access::atomic}, {target.data(), real, 1}, {origin.data(), real, 1}); },
           [&] { MPI_Reduce_local(origin.data(), target.data(), 1, MPI_DOUBLE, MPI_SUM); }, 100000});
  std::int64_t number = 0, one = 1, old = 0;
  measure({"fetch and add of an int64, with both lookups",
           [&] { fetch_and_op({halocline::mpi::operation_of(MPI_SUM), Access::atomic}, *layout_of(MPI_INT64_T), &number, {&one, &old}); },
           {},
           100000});
  measure({"compare and swap of an int64", [&] { compare_and_swap(Access::atomic, *word, &number, {&old, &one, &old}); }, {}, 100000});
  measure({"copy of 8 bytes", [&] { copy({target.data(), real, 1}, {origin.data(), real, 1}); }, {}, 100000});
}

}  // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  measure_lookups();
  measure_all_copies();
  measure_operations();
  MPI_Finalize();
}
