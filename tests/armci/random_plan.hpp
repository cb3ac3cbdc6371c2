// Random ARMCI programs, the same on all ranks for a seed. In a phase each block of memory has one use by which the ranks cannot conflict:
// one rank may write it, or all may add to it, or all may read it. So a serial oracle knows every byte.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace random_armci {

/// Whole numbers that depend on nothing but the seed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  /// From 0 to below `limit`.
  int below(int limit) { return static_cast<int>(next() % static_cast<std::uint64_t>(limit)); }

 private:
  std::uint64_t state_;
};

inline constexpr std::size_t kBlock = 256;
inline constexpr int kTypes = 6;                                    // as ARMCI_ACC_INT and its neighbours
inline constexpr std::size_t kElement[kTypes] = {4, 8, 4, 8, 8, 16};

/// One rank may write it; all may add elements of a type; all may add to its words of 4 or 8 bytes; all may read it.
enum class Use { written, added, counted, read };

struct Block {
  Use use;
  int rank;          // that may write it
  int type;          // of what is added
  int word;          // bytes of a counter
};

enum class Kind { put, get, accumulate, rmw, value };
enum class Shape { plain, strided, vector };
enum class Form { blocking, handle, implicit, flag };

/// Bytes that move: where they are in the buffer, and in the target's memory.
struct Piece {
  std::size_t buffer, memory, bytes;
};

struct Operation {
  Kind kind = Kind::get;
  Shape shape = Shape::plain;
  Form form = Form::blocking;
  int allocation = 0, target = 0, type = 0, scale = 1, word = 8;
  bool swaps = false;
  std::vector<int> count, memory_strides, buffer_strides;           // of a section
  std::vector<Piece> pieces;
  std::size_t start = 0, buffer_bytes = 0, first_block = 0, blocks = 0;
  std::uint64_t seed = 0;                                           // of its values
};

struct Options {
  std::uint64_t seed = 1;
  int ranks = 1, phases = 4, operations = 40, allocations = 3;
  int delay_us = 0;  ///< before every fourth operation or so a rank sleeps up to so long
};

class Plan {
 public:
  explicit Plan(const Options &options);

  const Options &options() const { return options_; }
  std::size_t bytes(int allocation, int rank) const { return bytes_[at(allocation, rank)]; }
  const std::vector<Block> &blocks(int phase, int allocation, int rank) const {
    return blocks_[static_cast<std::size_t>(phase)][at(allocation, rank)];
  }
  const std::vector<Operation> &operations(int phase, int rank) const {
    return operations_[static_cast<std::size_t>(phase)][static_cast<std::size_t>(rank)];
  }

 private:
  std::size_t at(int allocation, int rank) const { return static_cast<std::size_t>(allocation * options_.ranks + rank); }
  Block draw_block(Random &random) const;
  void draw_phase(int phase, Random &random);
  bool draw_operation(int phase, int rank, Random &random, Operation &result) const;
  static void draw_kind(const Block &block, Random &random, Operation &operation);
  static void draw_shape(std::size_t element, Random &random, Operation &operation);

  Options options_;
  std::vector<std::size_t> bytes_;
  std::vector<std::vector<std::vector<Block>>> blocks_;
  std::vector<std::vector<std::vector<Operation>>> operations_;
};

/// The whole numbers of an operation, small, so that sums of them are exact in every type.
inline int number_of(std::uint64_t seed, std::size_t index) { return static_cast<int>(Random(seed + index).next() % 17) - 8; }

/// Writes a number as an element of a type; a complex one has another imaginary part.
void write_element(char *to, int type, int number);
/// to += scale * from, for elements of a type.
void add_element(char *to, int type, int scale, const char *from);
/// The scale as ARMCI takes it.
void write_scale(char *to, int type, int scale);

}  // namespace random_armci
