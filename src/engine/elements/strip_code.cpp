// Strips as bytes: numbers of 7 bits per byte, the last of which has the highest bit clear.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/elements/strip_code.hpp"

namespace halocline::core::elements {
namespace {

constexpr int kBits = 7;
constexpr std::uint64_t kMore = std::uint64_t{1} << kBits;

std::uint64_t bits_of(std::int64_t number) { return static_cast<std::uint64_t>(number); }

/// Numbers near 0 become small ones, with either sign.
std::uint64_t folded(std::uint64_t number) { return number << 1 ^ (number >> 63 != 0 ? ~std::uint64_t{0} : 0); }
std::uint64_t unfolded(std::uint64_t number) { return number >> 1 ^ ((number & 1) != 0 ? ~std::uint64_t{0} : 0); }

/// Where the last run of a strip ends. The sums may wrap around: they are computed alike on both sides.
std::uint64_t end_of(const Strip &strip) {
  return bits_of(strip.offset) + bits_of(strip.count - 1) * bits_of(strip.stride) + bits_of(strip.bytes);
}

}  // namespace

void StripWriter::write(std::uint64_t number) {
  for (; number >= kMore; number >>= kBits) *next_++ = static_cast<char>(number % kMore | kMore);
  *next_++ = static_cast<char>(number);
}

void StripWriter::add(const Strip &strip) {
  write(folded(bits_of(strip.offset) - end_));
  write(bits_of(strip.bytes));
  write(bits_of(strip.count));
  if (strip.count > 1) write(folded(bits_of(strip.stride)));
  end_ = end_of(strip);
}

bool StripReader::read(std::uint64_t &number) {
  number = 0;
  for (int shift = 0; next_ != end_of_code_ && shift < 64; shift += kBits) {
    const std::uint64_t byte = static_cast<unsigned char>(*next_++);
    number |= byte % kMore << shift;
    if (byte < kMore) return true;
  }
  return false;
}

bool StripReader::next(Strip &strip) {
  if (is_at_end()) return false;
  std::uint64_t offset = 0, bytes = 0, count = 0, stride = 0;
  const char *const begin = next_;
  const bool whole = read(offset) && read(bytes) && read(count) && (count <= 1 || read(stride));
  strip = {static_cast<std::int64_t>(unfolded(offset) + end_), static_cast<std::int64_t>(bytes), static_cast<std::int64_t>(count),
           static_cast<std::int64_t>(unfolded(stride))};
  if (!whole || strip.bytes <= 0 || strip.count <= 0) {
    next_ = begin;
    return false;
  }
  end_ = end_of(strip);
  return true;
}

}  // namespace halocline::core::elements
