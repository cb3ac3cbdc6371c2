// What one rank sends and receives of a pattern, and where it lies: all in one array that the ranks of a node can read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/halocline.h>

#include <cstdint>
#include <vector>

#include "pattern.hpp"

namespace replay {

/// The side of a message that this rank has: its runs in an array.
struct Side {
  Message message;
  std::int64_t place;  // of its first byte in the array of all sides
  unsigned char *memory = nullptr;

  std::int64_t extent() const { return message.bytes / message.run * message.step; }
  void pack(void *buffer) const;
  void unpack(const void *buffer);
  /// What the sender writes, and whether that is here; each message and turn has other bytes.
  void fill(int turn);
  bool is_right(int turn) const;
  void clear();
  /// Writes to each cache line what is there, as a program computes new values: lines that others have read come back to this core.
  void touch();
};

/// What this rank sends and receives. Collective: the array is from hlc_field_alloc.
class Sides {
 public:
  Sides(hlc_context *context, const std::vector<Message> &messages, int rank);
  Sides(const Sides &) = delete;
  Sides &operator=(const Sides &) = delete;
  ~Sides();

  /// The most bytes of which all runs and their distances are multiples, the same on all ranks.
  std::int64_t unit() const { return unit_; }
  std::int64_t bytes() const { return bytes_; }
  unsigned char *data() const { return data_; }

  std::vector<Side> out, in;

 private:
  void add(std::vector<Side> &sides, const Message &message);

  hlc_context *context_;
  std::int64_t unit_ = 64, bytes_ = 0;
  unsigned char *data_ = nullptr;
};

/// The entries of an exchange's list of neighbours. A message and one of the other direction between the same ranks share an entry, as both
/// directions of a side do in a program that is written for the library.
struct Entry {
  int rank = 0, tag_out = 0, tag_in = 0;
  int out = -1, in = -1;  // which side; -1: nothing in this direction
};

std::vector<Entry> entries_of(const std::vector<Message> &messages, int rank);

}  // namespace replay
