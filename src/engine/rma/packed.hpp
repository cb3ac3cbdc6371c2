// Packed operations on memory of a rank of another node. One message has many runs or elements, and several messages are under way at a time.
// Each message has its part of the target's runs (strip_code.hpp) and of the data, so that the target needs to know nothing else.
//
// Messages to one rank are carried out in the order in which they were begun, with all other operations that are messages. Where the network
// keeps no order, those must be complete before. Long data that are sent may be read until flush_local. What is fetched is here after it.
// Everything is done at the target after flush.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/elements/basic.hpp"
#include "engine/elements/operation.hpp"
#include "engine/elements/walk.hpp"
#include "engine/rma/remote_memory.hpp"

namespace halocline::core {

/// One side of a packed operation: `count` times what the steps describe, from an address on. At the target it is an offset.
struct Runs {
  const elements::Steps *steps = nullptr;  // null: this side has no data
  std::int64_t count = 0;
  char *base = nullptr;
};

/// All sides have as many bytes of data, with whole elements of the type in each run.
struct PackedOperation {
  enum class Kind { put, get, change, fetch };

  Kind kind = Kind::put;
  elements::Operation operation = elements::Operation::replace;  // of change and fetch
  elements::Basic type = elements::Basic::byte;
  Runs target, origin, result;
  std::int64_t bytes = 0;
  std::int64_t word =
      -1;  // offset of a word of the same memory, which is 1 while this or another operation is done that names it; below 0: none
  bool is_alone = false;  // all ranks that change these elements hold that word, and need no atomic instructions
};

/// Begins one. Waits while too many requests are under way there.
Status begin_packed(const char *call, Target at, const PackedOperation &operation);

/// Compares and swaps an element of 1, 2, 4, 8 or 16 bytes, as those.
struct PackedSwap {
  elements::Basic type;
  elements::Swap values;
  std::int64_t word = -1;
};
Status begin_swap(const char *call, Target at, const PackedSwap &swap);

}  // namespace halocline::core
