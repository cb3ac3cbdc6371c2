// SPDX-License-Identifier: BSD-3-Clause
#include "layout.hpp"

#include <algorithm>

#include "watchdog.hpp"

namespace doctor {

const char *name_of(Arrangement arrangement) {
  constexpr const char *names[] = {"basic", "contiguous", "vector", "indexed", "subarray", "struct"};
  return names[static_cast<int>(arrangement)];
}

Layout::Layout(Arrangement arrangement, const Base &base, int n) {
  switch (arrangement) {
    case Arrangement::basic:
      type = base.type;
      count = n;
      derived_ = false;
      break;
    case Arrangement::contiguous: CALL(MPI_Type_contiguous, n, base.type, &type); break;
    case Arrangement::vector: arrange_vector(base, n); break;
    case Arrangement::indexed: arrange_indexed(base, n); break;
    case Arrangement::subarray: arrange_subarray(base, n); break;
    case Arrangement::structure: arrange_structure(base, n); break;
  }
  if (runs.empty()) add(0, static_cast<std::size_t>(n), base);
  if (derived_) CALL(MPI_Type_commit, &type);
  for (const Run &run : runs) span = std::max(span, run.offset + run.bytes);
}

Layout::~Layout() {
  if (derived_ && type != MPI_DATATYPE_NULL) MPI_Type_free(&type);
}

void Layout::add(std::size_t first, std::size_t elements, const Base &base) { runs.push_back({first * base.bytes, elements * base.bytes}); }

/// Blocks of two elements (one if n is odd), one element apart.
void Layout::arrange_vector(const Base &base, int n) {
  const int block = n % 2 == 0 ? 2 : 1;
  CALL(MPI_Type_vector, n / block, block, block + 1, base.type, &type);
  for (int i = 0; i < n / block; ++i) add(static_cast<std::size_t>(i * (block + 1)), static_cast<std::size_t>(block), base);
}

/// Blocks of 1, 2, 3, 1, 2, 3, ... elements, with gaps of as many elements behind each, and the last block first.
void Layout::arrange_indexed(const Base &base, int n) {
  std::vector<int> lengths, places;
  int place = 0;
  for (int done = 0; done < n; done += lengths.back()) {
    lengths.push_back(std::min(n - done, 1 + static_cast<int>(lengths.size()) % 3));
    places.push_back(place);
    place += 2 * lengths.back();
  }
  std::rotate(places.begin(), places.end() - 1, places.end());
  std::rotate(lengths.begin(), lengths.end() - 1, lengths.end());
  CALL(MPI_Type_indexed, static_cast<int>(lengths.size()), lengths.data(), places.data(), base.type, &type);
  for (std::size_t i = 0; i < lengths.size(); ++i) add(static_cast<std::size_t>(places[i]), static_cast<std::size_t>(lengths[i]), base);
}

/// The interior of a two-dimensional array with a border, as a halo code would send it.
void Layout::arrange_subarray(const Base &base, int n) {
  const int columns = n % 4 == 0 ? 4 : n % 3 == 0 ? 3 : 1, rows = n / columns;
  const int sizes[2] = {rows + 2, columns + 3}, parts[2] = {rows, columns}, starts[2] = {1, 2};
  CALL(MPI_Type_create_subarray, 2, sizes, parts, starts, MPI_ORDER_C, base.type, &type);
  for (int i = 0; i < rows; ++i) add(static_cast<std::size_t>((i + 1) * (columns + 3) + 2), static_cast<std::size_t>(columns), base);
  // The extent is that of the whole array; the border behind the last row belongs to it, but no element lies there.
}

/// Two blocks of elements with a gap of one element.
void Layout::arrange_structure(const Base &base, int n) {
  const int first = (n + 1) / 2;
  const int lengths[2] = {first, n - first};
  const MPI_Aint places[2] = {0, static_cast<MPI_Aint>(static_cast<std::size_t>(first + 1) * base.bytes)};
  const MPI_Datatype types[2] = {base.type, base.type};
  CALL(MPI_Type_create_struct, n > 1 ? 2 : 1, lengths, places, types, &type);
  add(0, static_cast<std::size_t>(first), base);
  if (n > 1) add(static_cast<std::size_t>(first + 1), static_cast<std::size_t>(n - first), base);
}

}  // namespace doctor
