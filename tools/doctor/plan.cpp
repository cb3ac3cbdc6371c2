// SPDX-License-Identifier: BSD-3-Clause
#include "plan.hpp"

#include <algorithm>

namespace doctor {
namespace {

const Base kByte{MPI_BYTE, 1, "MPI_BYTE"};
const Base kInt{MPI_INT32_T, 4, "MPI_INT32_T"};
const Base kLong{MPI_INT64_T, 8, "MPI_INT64_T"};
const Base kDouble{MPI_DOUBLE, 8, "MPI_DOUBLE"};

std::size_t up(std::size_t value, std::size_t unit) { return (value + unit - 1) / unit * unit; }

std::vector<int> sorted(std::vector<int> ranks) {
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

}  // namespace

const char *name_of(Operation operation) {
  constexpr const char *names[] = {"put", "get", "accumulate", "get_accumulate"};
  return names[static_cast<int>(operation)];
}

std::string Piece::describe() const {
  std::string text = std::to_string(elements) + " x " + base->name;
  if (at_origin != Arrangement::basic || at_target != Arrangement::basic)
    text += std::string(" (") + name_of(at_origin) + " at the origin, " + name_of(at_target) + " at the target)";
  return text;
}

void Scheme::add(const Base &base, int elements, Arrangement at_origin, Arrangement at_target, std::size_t gap) {
  Piece piece{&base, elements, at_origin, at_target, Layout(at_origin, base, elements), Layout(at_target, base, elements)};
  piece.in_region = up(region_bytes + gap, base.bytes);
  piece.in_buffer = up(buffer_bytes + gap, base.bytes);
  region_bytes = piece.in_region + piece.target.span;
  buffer_bytes = piece.in_buffer + piece.origin.span;
  pieces.push_back(std::move(piece));
}

Scheme make_full_scheme(bool bytes_only) {
  using enum Arrangement;
  Scheme scheme;
  // The gaps move each piece to another alignment.
  std::size_t gap = 0;
  for (const int bytes : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 255, 1000, 4097, 16385})
    scheme.add(kByte, bytes, basic, basic, 1 + gap++ % 8);
  for (const auto at_origin : {basic, contiguous, vector, indexed, subarray, structure})
    for (const auto at_target : {basic, contiguous, vector, indexed, subarray, structure}) {
      const Base &base = bytes_only ? kByte : gap % 3 == 0 ? kInt : gap % 3 == 1 ? kDouble : kLong;
      scheme.add(base, 12 + static_cast<int>(gap % 5), at_origin, at_target, 1 + gap % 24);
      ++gap;
    }
  scheme.region_bytes = up(scheme.region_bytes + 16, 16);
  scheme.buffer_bytes = up(scheme.buffer_bytes + 16, 16);
  return scheme;
}

Scheme make_big_scheme() {
  Scheme scheme;
  scheme.add(kByte, 100003, Arrangement::basic, Arrangement::basic, 3);
  scheme.add(kDouble, 5000, Arrangement::subarray, Arrangement::vector, 5);
  return scheme;
}

Scheme make_whole_scheme(std::size_t bytes) {
  Scheme scheme;
  scheme.add(kLong, static_cast<int>(bytes / 8), Arrangement::basic, Arrangement::basic, 0);
  return scheme;
}

Scheme make_split_scheme(std::size_t bytes) {
  Scheme scheme;
  scheme.add(kInt, 1, Arrangement::basic, Arrangement::basic, 0);
  scheme.add(kByte, 1, Arrangement::basic, Arrangement::basic, 0);
  scheme.add(kByte, 3, Arrangement::basic, Arrangement::basic, 0);
  for (std::size_t done = 8; done < bytes; done += 8) scheme.add(kDouble, 1, Arrangement::basic, Arrangement::basic, 0);
  return scheme;
}

void Plan::add(Operation operation, int distance, const Scheme &scheme) {
  regions_.push_back({operation, distance % size_, &scheme, window_bytes_, buffer_bytes_});
  window_bytes_ += scheme.region_bytes;
  buffer_bytes_ += up(scheme.buffer_bytes, 8);
}

std::vector<int> Plan::targets() const {
  std::vector<int> ranks;
  for (const Region &region : regions_) ranks.push_back(target(region));
  return sorted(ranks);
}

std::vector<int> Plan::origins() const {
  std::vector<int> ranks;
  for (const Region &region : regions_) ranks.push_back(origin(region));
  return sorted(ranks);
}

Stream Plan::stream(const Region &region, std::size_t piece, int origin, int target, unsigned round) const {
  std::size_t number = piece;
  for (const Region &earlier : regions_) {
    if (&earlier == &region) break;
    number += earlier.scheme->pieces.size();
  }
  return {static_cast<unsigned>(origin), static_cast<unsigned>(target), static_cast<unsigned>(number), round};
}

}  // namespace doctor
