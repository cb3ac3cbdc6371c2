// Puts and gets of every other run of bytes. The other runs stay as they are.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "bench/rma/tasks.hpp"

#include <algorithm>
#include <cstring>

namespace bench {

namespace {

std::int64_t end_of(const RmaBlocks &shape) { return (2 * shape.count - 1) * shape.run_bytes; }

/// What they have in common, from one memory to the other: `from` and `to` return the address in a rank's part.
template <class From, class To>
RmaTask move_of_blocks(RmaRanks &r, const RmaBlocks &shape, const char *verb, int receiver, From from, To to) {
  const std::int64_t run = shape.run_bytes, end = end_of(shape);
  RmaTask task{"blocks", verb + std::string(" of ") + std::to_string(shape.count) + " blocks", shape.count * run};
  task.blocks = shape.count;
  task.prepare = [&r, end, from, to](RmaMemory &s) {
    r.fill(from(s), end);
    std::fill_n(to(s), end, static_cast<char>(r.stamp - 1));
  };
  task.right = [&r, end, run, receiver, to](RmaMemory &s, std::int64_t) {
    for (std::int64_t i = 0; i < end && r.rank == receiver; ++i)
      if (to(s)[i] != (i % (2 * run) < run ? r.byte(i) : static_cast<char>(r.stamp - 1))) return false;
    return true;
  };
  task.verified = end;
  return task;
}

char *window_of(RmaMemory &s) { return s.window; }
char *buffer_of(RmaMemory &s) { return s.buffer.data(); }

void copy_blocks(char *to, const char *from, const RmaBlocks &shape) {
  for (std::int64_t i = 0; i < shape.count; ++i) {
    const std::int64_t at = 2 * shape.run_bytes * i;
    std::memcpy(to + at, from + at, static_cast<std::size_t>(shape.run_bytes));
  }
}

halocline::Block block_of(const RmaBlocks &shape) {
  return {shape.run_bytes, 1, {shape.count}, {2 * shape.run_bytes}, {2 * shape.run_bytes}};
}

}  // namespace

RmaTask put_of_blocks(RmaRanks &r, const RmaBlocks &shape) {
  RmaTask task = move_of_blocks(r, shape, "put", r.target(), buffer_of, window_of);
  const MPI_Datatype type = shape.type;
  task.call = [&r, type](RmaSide &s) {
    s.calls.put(s.buffer.data(), 1, type, r.target(), 0, 1, type, s.win);
    s.calls.flush(r.target(), s.win);
  };
  task.engine = [&r, shape](EngineSide &s) {
    s.segment.put({r.target(), 0}, s.buffer.data(), block_of(shape));
    s.segment.flush(r.target());
  };
  task.limit = [&r, shape] { copy_blocks(r.near, r.plain.data(), shape); };
  return task;
}

RmaTask get_of_blocks(RmaRanks &r, const RmaBlocks &shape) {
  RmaTask task = move_of_blocks(r, shape, "get", 0, window_of, buffer_of);
  const MPI_Datatype type = shape.type;
  task.call = [&r, type](RmaSide &s) {
    s.calls.get(s.buffer.data(), 1, type, r.target(), 0, 1, type, s.win);
    s.calls.flush(r.target(), s.win);
  };
  task.limit = [&r, shape] { copy_blocks(r.plain.data(), r.near, shape); };
  return task;
}

}  // namespace bench
