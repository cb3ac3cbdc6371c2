// SPDX-License-Identifier: BSD-3-Clause
#include "digest.hpp"

#include <mpi.h>

#include <cinttypes>
#include <cstdio>

namespace hashtable {

void Digest::add(Word key, Word value) {
  count += 1;
  keys += mixed(key);
  pairs += mixed(key + mixed(value + 1));
}

std::string Digest::text_of_keys() const {
  char line[80];
  std::snprintf(line, sizeof line, "%" PRIu64 " keys, digest %016" PRIx64, count, keys);
  return line;
}

std::string Digest::text() const {
  char line[48];
  std::snprintf(line, sizeof line, ", with their values %016" PRIx64, pairs);
  return text_of_keys() + line;
}

Digest digest_of(std::span<const Word> part, const Shape &shape) {
  const auto at = [&](std::int64_t cell, Field field) { return part[static_cast<std::size_t>(word_of(cell, field))]; };
  Digest digest;
  for (std::int64_t bucket = 1; bucket <= shape.buckets; ++bucket)
    for (std::int64_t cell = bucket; cell != 0 && at(cell, kKey) != 0; cell = static_cast<std::int64_t>(at(cell, kNext)))
      if (const Word stored = at(cell, kValue); stored != 0) digest.add(at(cell, kKey), stored - 1);
  return digest;
}

Digest digest_of_all(std::span<const Word> part, const Shape &shape) {
  const Digest mine = digest_of(part, shape);
  Word sums[] = {mine.count, mine.keys, mine.pairs};
  MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return {sums[0], sums[1], sums[2]};
}

}  // namespace hashtable
