// An exchange that `halocline advise` has recorded: who sends how much to whom, in which stage, and how it lies in memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace replay {

struct Bad : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One message per step. Stages follow each other in the program, as swaps of x, then y do. Packed data have runs of their whole length.
struct Message {
  int from = 0, to = 0, stage = 0;
  std::int64_t bytes = 0, run = 0, step = 0;  // bytes in a row, and from one run to the next
  bool is_typed = false;  // an MPI datatype describes the runs; else the program packs
  int tag = 0;  // the place in the file
};

/// Lines `message FROM TO STAGE BYTES RUN STEP TYPED`; throws Bad.
std::vector<Message> read_pattern(const std::string &path, int ranks);

}  // namespace replay
