// The block of apps/hashtable/README.md, with what a program has around it: each rank has keys of its own, and sees those of all others.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <halocline/halocline.hpp>
#include <optional>
#include <vector>

#include "table.hpp"

namespace {

int faults = 0;

void expect(bool right, const char *what) {
  if (right) return;
  std::printf("FAILED: %s\n", what);
  ++faults;
}

hashtable::Word key_of(int rank, std::uint64_t number) { return 1000u * static_cast<std::uint64_t>(rank + 1) + number; }

/// A key that is inserted, found and erased, and then a hundred at once.
void use(const halocline::Context &context) {
  const hashtable::Word key = key_of(context.rank(), 0), value = key + 7;
  std::vector<hashtable::Request> requests;
  for (std::uint64_t i = 1; i <= 100; ++i) requests.push_back({hashtable::Request::What::insert, key_of(context.rank(), i), i});

  // clang-format off: as the page has it
  hashtable::HashTable table(context, 1 << 16, 1 << 16);   // buckets and heap cells of each rank; collective
  const bool is_new = table.insert(key, value);             // key: not 0; value: up to 2^64 - 2
  const std::optional<std::uint64_t> found = table.find(key);
  table.erase(key);
  table.carry_out(requests, 64);                            // many requests, 64 under way
  table.barrier();
  // clang-format on

  expect(is_new && found == value && !table.find(key), "a key is inserted, found and erased");
  for (int rank = 0; rank < context.size(); ++rank)
    for (std::uint64_t i = 1; i <= 100; ++i) expect(table.find(key_of(rank, i)) == i, "all ranks find the keys of each rank");
  table.barrier();
}

}  // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  use(halocline::Context(MPI_COMM_WORLD));
  MPI_Allreduce(MPI_IN_PLACE, &faults, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return faults ? 1 : 0;
}
