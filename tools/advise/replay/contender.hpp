// The exchange of a pattern as one rank sees it, in one way: as the program has it, or in a mode of the library. Packing and unpacking are part
// of each, to and from the same arrays.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/halocline.h>

#include <memory>
#include <string>
#include <vector>

#include "pattern.hpp"

namespace replay {

/// The side of a message that this rank has: its runs in an array.
struct Side {
  Message message;
  std::vector<unsigned char> memory;

  explicit Side(const Message &one);
  void pack(void *buffer) const;
  void unpack(const void *buffer);
  /// What the sender writes, and whether that is here; each message and turn has other bytes.
  void fill(int turn);
  bool is_right(int turn) const;
};

/// What this rank sends and receives.
struct Sides {
  std::vector<Side> out, in;
};

Sides sides_of(const std::vector<Message> &messages, int rank);

class Contender {
 public:
  virtual ~Contender() = default;
  virtual void exchange() = 0;
};

/// MPI_Irecv, MPI_Isend and MPI_Waitall, stage by stage, with datatypes where the program has them.
std::unique_ptr<Contender> as_recorded(Sides &sides);

/// hlc_exchange in a mode; null if it can't be made here, with the reason.
std::unique_ptr<Contender> in_mode(hlc_context *context, Sides &sides, hlc_mode mode, std::string &reason);

}  // namespace replay
