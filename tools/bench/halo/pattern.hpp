// Self-describing values: every element says which rank, field, cell and step wrote it, so that a wrong offset, a stale halo and a torn
// write can be told apart. Values are bit patterns, since a halo swap only copies.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

namespace bench {

/// Who wrote an element: the step (modulo kSteps), the rank, the field, and the cell by number in that rank's interior.
struct Writer {
  std::uint32_t step, rank, field;
  std::uint64_t cell;
};

constexpr std::uint32_t kSteps = 127, kMaxRanks = 1u << 17, kMaxFields = 1u << 8;
constexpr std::uint64_t kMaxCells = 1ull << 32;
/// No writer's code: step 127 does not occur.
constexpr std::uint64_t kPoison = ~0ull;

/// Step, rank, field and cell in 7 + 17 + 8 + 32 bits.
inline std::uint64_t encode(const Writer &w) {
  return (std::uint64_t{w.step % kSteps} << 57) | (std::uint64_t{w.rank} << 40) | (std::uint64_t{w.field} << 32) | w.cell;
}

inline Writer decode(std::uint64_t code) {
  return {static_cast<std::uint32_t>(code >> 57), static_cast<std::uint32_t>(code >> 40) & (kMaxRanks - 1),
          static_cast<std::uint32_t>(code >> 32) & (kMaxFields - 1), code & (kMaxCells - 1)};
}

/// The 32 bits that stand for a code in an element of 4 bytes. They cannot be decoded, only compared.
inline std::uint32_t folded(std::uint64_t code) {
  if (code == kPoison) return ~0u;
  code = (code ^ (code >> 30)) * 0xBF58476D1CE4E5B9ull;
  code = (code ^ (code >> 27)) * 0x94D049BB133111EBull;
  const auto bits = static_cast<std::uint32_t>(code >> 32);
  return bits == ~0u ? 0 : bits;
}

/// Writes a code into one element of 4, 8 or 16 bytes; the second half of 16 bytes is the complement, to catch torn elements.
inline void store(char *element, std::size_t bytes, std::uint64_t code) {
  if (bytes == 4) {
    const std::uint32_t bits = folded(code);
    std::memcpy(element, &bits, 4);
    return;
  }
  std::memcpy(element, &code, 8);
  if (bytes != 16) return;
  const std::uint64_t second = code == kPoison ? kPoison : ~code;
  std::memcpy(element + 8, &second, 8);
}

/// True if the element holds this code.
inline bool holds(const char *element, std::size_t bytes, std::uint64_t code) {
  char expected[16];
  store(expected, bytes, code);
  return std::memcmp(element, expected, bytes) == 0;
}

/// An element in words, for a message. cells: the size of a rank's interior along x, y, z.
inline std::string describe(const char *element, std::size_t bytes, const std::array<std::int64_t, 3> &cells) {
  if (holds(element, bytes, kPoison)) return "the poison, so no rank wrote it";
  char text[160];
  std::uint64_t code = 0;
  std::memcpy(&code, element, bytes < 8 ? bytes : 8);
  const Writer w = decode(code);
  const auto cell = static_cast<std::int64_t>(w.cell), columns = cell / cells[2];
  if (bytes < 8)
    std::snprintf(text, sizeof text, "bits %08" PRIx64, code);
  else if (w.step >= kSteps || !holds(element, bytes, code))
    std::snprintf(text, sizeof text, "not a value of this test, bits %016" PRIx64, code);
  else
    std::snprintf(text, sizeof text, "rank %u, field %u, cell (%" PRId64 ", %" PRId64 ", %" PRId64 "), step %u", w.rank, w.field,
                  columns / cells[1], columns % cells[1], cell % cells[2], w.step);
  return text;
}

}  // namespace bench
