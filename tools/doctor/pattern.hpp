// Self-describing data: every byte belongs to a word of 8 bytes that says who sends it to whom, in which transfer and round, and where in the
// transfer it stands. A word is stirred so that its bytes differ from those of every other word, and can be read back from any 8 bytes
// found in memory. So a wrong offset, stale data, foreign data and data that never came are told apart.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

namespace doctor {

/// Names a stream of bytes. Ranks count modulo 1024, transfers below kPoison, rounds modulo 64.
struct Stream {
  unsigned origin = 0, target = 0, transfer = 0, round = 0;
  bool operator==(const Stream &) const = default;
};

/// The transfer of memory that nobody has written; origin and target are its owner.
inline constexpr unsigned kPoison = 1023;

/// A word of a stream: the stream, and the word's place in it.
struct Word {
  Stream stream;
  std::uint64_t index = 0;
};

inline constexpr std::uint64_t kMagic = 0xA;

/// A bijection of 64 bits that spreads each bit over all of them (the finaliser of splitmix64), and its inverse.
inline std::uint64_t stirred(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}
inline std::uint64_t unstirred(std::uint64_t x) {
  x = (x ^ (x >> 31) ^ (x >> 62)) * 0x319642B2D24D8EC3ull;
  x = (x ^ (x >> 27) ^ (x >> 54)) * 0x96DE1B173F119089ull;
  return x ^ (x >> 30) ^ (x >> 60);
}

/// Magic, round, transfer, target, origin and place in 4 + 6 + 10 + 10 + 10 + 24 bits.
inline std::uint64_t encode(const Word &w) {
  const Stream &s = w.stream;
  return stirred((kMagic << 60) | (std::uint64_t{s.round % 64} << 54) | (std::uint64_t{s.transfer % 1024} << 44) |
                 (std::uint64_t{s.target % 1024} << 34) | (std::uint64_t{s.origin % 1024} << 24) | (w.index & 0xFFFFFF));
}

/// The word that 8 bytes hold, if they can be one of a run with this many ranks.
inline std::optional<Word> decode(const unsigned char *bytes, unsigned ranks) {
  std::uint64_t code = 0;
  std::memcpy(&code, bytes, 8);
  code = unstirred(code);
  const Word w{{unsigned(code >> 24) & 1023, unsigned(code >> 34) & 1023, unsigned(code >> 44) & 1023, unsigned(code >> 54) & 63},
               code & 0xFFFFFF};
  if (code >> 60 != kMagic || w.stream.origin >= ranks || w.stream.target >= ranks) return std::nullopt;
  return w;
}

/// The byte of a stream at a place.
inline unsigned char byte_of(const Stream &stream, std::size_t place) {
  const std::uint64_t word = encode({stream, place / 8});
  return static_cast<unsigned char>(word >> (8 * (place % 8)));
}

/// Writes bytes of a stream, starting at a place of it.
inline void write_stream(unsigned char *memory, std::size_t bytes, const Stream &stream, std::size_t place = 0) {
  std::size_t i = 0;
  for (; i < bytes && (place + i) % 8 != 0; ++i) memory[i] = byte_of(stream, place + i);
  for (; i + 8 <= bytes; i += 8) {
    const std::uint64_t word = encode({stream, (place + i) / 8});
    std::memcpy(memory + i, &word, 8);
  }
  for (; i < bytes; ++i) memory[i] = byte_of(stream, place + i);
}

/// A stream in words, for a message.
inline std::string describe(const Stream &s) {
  const std::string round = ", round " + std::to_string(s.round);
  if (s.transfer == kPoison) return "what rank " + std::to_string(s.target) + " had there before" + round;
  return "transfer " + std::to_string(s.transfer) + " of rank " + std::to_string(s.origin) + " to rank " + std::to_string(s.target) + round;
}

}  // namespace doctor
