// Makes the patterns and recognises them.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/poison.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>

namespace halocline::core {
namespace {

// Quiet NaNs, the same in both precisions, so that a conversion preserves them. A float's 22 bits of payload are the upper ones of a
// double's 51. Twelve bits mark poison, ten hold the rank. The sign is not compared.
constexpr std::uint32_t kNaN32 = 0x7fc00000u | 0x28a000u, kAny32 = 0x7ffffc00u, kOwned32 = 0x7fffffffu;
constexpr std::uint64_t upper(std::uint32_t word) { return std::uint64_t{0x7ff80000} << 32 | std::uint64_t{word & 0x3fffffu} << 29; }
constexpr std::uint64_t kNaN64 = upper(kNaN32), kAny64 = upper(kAny32), kOwned64 = upper(kOwned32);
constexpr char kPattern[] = "HALOCLIN";

std::uint32_t owned_by(int rank) { return kNaN32 | (static_cast<std::uint32_t>(rank) & 0x3ffu); }

template <class Word>
bool is_poison(const char *bytes, Word expected, Word mask) {
  Word word;
  std::memcpy(&word, bytes, sizeof word);
  return (word & mask) == expected;
}

bool poisoned32(const char *bytes) { return is_poison<std::uint32_t>(bytes, kNaN32, kAny32); }
bool poisoned64(const char *bytes) { return is_poison<std::uint64_t>(bytes, kNaN64, kAny64); }

template <class Word>
void repeat(std::vector<char> &cell, Word word) {
  for (std::size_t done = 0; done < cell.size(); done += sizeof word) std::memcpy(cell.data() + done, &word, sizeof word);
}

std::string number(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

std::string word32(const char *bytes) {
  float value;
  std::memcpy(&value, bytes, sizeof value);
  return poisoned32(bytes) ? "poison" : number(static_cast<double>(value), 9);
}

std::string word64(const char *bytes) {
  double value;
  std::memcpy(&value, bytes, sizeof value);
  return poisoned64(bytes) ? "poison" : number(value, 17);
}

std::string bytes_in_words(const char *cell, std::int64_t element) {
  std::string words = "bytes";
  char text[4];
  for (std::int64_t b = 0; b < std::min<std::int64_t>(element, 16); ++b) {
    std::snprintf(text, sizeof text, " %02x", static_cast<unsigned char>(cell[b]));
    words += text;
  }
  return words + (element > 16 ? " ..." : "");
}

}  // namespace

Poison::Poison(hlc_type type, std::int64_t element, int rank)
    : type_(type), nan_(owned_by(rank)), cell_(static_cast<std::size_t>(element)) {
  if (type == HLC_FLOAT32 || type == HLC_COMPLEX64)
    repeat(cell_, nan_);
  else if (type == HLC_FLOAT64 || type == HLC_COMPLEX128)
    repeat(cell_, upper(nan_));
  else
    for (std::size_t b = 0; b < cell_.size(); ++b)
      cell_[b] = static_cast<char>(kPattern[b % 8] ^ (b % 4 == 2 ? rank & 0xff : b % 4 == 3 ? rank >> 8 & 0xff : 0));
}

bool Poison::found_in(const char *cell) const {
  const auto mine32 = [&](int at) { return is_poison<std::uint32_t>(cell + at, nan_, kOwned32); };
  const auto mine64 = [&](int at) { return is_poison<std::uint64_t>(cell + at, upper(nan_), kOwned64); };
  switch (type_) {
    case HLC_FLOAT32: return mine32(0);
    case HLC_FLOAT64: return mine64(0);
    case HLC_COMPLEX64: return mine32(0) || mine32(4);
    case HLC_COMPLEX128: return mine64(0) || mine64(8);
    default: return cell_.size() >= 4 && std::memcmp(cell, cell_.data(), cell_.size()) == 0;
  }
}

std::string element_in_words(hlc_type type, std::int64_t element, const char *cell) {
  std::int32_t small;
  std::int64_t large;
  switch (type) {
    case HLC_FLOAT32: return word32(cell);
    case HLC_FLOAT64: return word64(cell);
    case HLC_COMPLEX64: return word32(cell) + " + " + word32(cell + 4) + "i";
    case HLC_COMPLEX128: return word64(cell) + " + " + word64(cell + 8) + "i";
    case HLC_INT32: std::memcpy(&small, cell, sizeof small); return std::to_string(small);
    case HLC_INT64: std::memcpy(&large, cell, sizeof large); return std::to_string(large);
    default: return bytes_in_words(cell, element);
  }
}

}  // namespace halocline::core
