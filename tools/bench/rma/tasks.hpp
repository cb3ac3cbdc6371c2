// One-sided operations that are timed: what must be true after them, and the least that the machine needs for each.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/shared.hpp"
#include "bench/rma/calls.hpp"

#include <halocline/halocline.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bench {

/// Bytes of each rank that the command `operations` uses, and `rma`, which has longer transfers.
constexpr std::int64_t kOperationBytes = std::int64_t{1} << 20, kMaxRmaBytes = std::int64_t{4} << 20;

/// A rank's part of what all can access, and what rank 0 moves, each of so many bytes.
struct RmaMemory {
  explicit RmaMemory(std::int64_t bytes) : buffer(static_cast<std::size_t>(bytes)) {}

  char *window = nullptr;
  std::vector<char> buffer;
};

/// A window by one set of names.
struct RmaSide : RmaMemory {
  RmaSide(const RmaCalls &of, MPI_Comm comm, std::int64_t bytes = kOperationBytes);
  ~RmaSide() { calls.free(&win); }
  RmaSide(const RmaSide &) = delete;
  RmaSide &operator=(const RmaSide &) = delete;

  const RmaCalls &calls;
  MPI_Win win = MPI_WIN_NULL;
};

/// The same by the engine: a segment, with a notification for each neighbour in a ring.
struct EngineSide : RmaMemory {
  explicit EngineSide(const halocline::Context &context);

  halocline::Segment segment;
};

/// Every other run of so many bytes, and the datatype for that.
struct RmaBlocks {
  std::int64_t count = 0, run_bytes = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

/// The ranks, and what the operations of both sides share.
struct RmaRanks {
  RmaRanks(MPI_Comm all, std::int64_t bytes);
  ~RmaRanks();
  RmaRanks(const RmaRanks &) = delete;
  RmaRanks &operator=(const RmaRanks &) = delete;

  int target() const { return size - 1; }
  int next() const { return (rank + 1) % size; }
  int previous() const { return (rank + size - 1) % size; }
  /// What byte `i` of the present sample is.
  char byte(std::int64_t i) const { return static_cast<char>(stamp + i % 113); }
  void fill(char *memory, std::int64_t bytes) const {
    for (std::int64_t i = 0; i < bytes; ++i) memory[i] = byte(i);
  }
  bool holds(const char *memory, std::int64_t bytes) const {
    for (std::int64_t i = 0; i < bytes; ++i)
      if (memory[i] != byte(i)) return false;
    return true;
  }

  MPI_Comm comm;
  int rank, size;
  Comm node;
  MPI_Group left = MPI_GROUP_NULL, right = MPI_GROUP_NULL;  // of one neighbour each
  std::vector<RmaBlocks> blocks{{16000, 4}, {8192, 8}, {1024, 64}, {128, 512}, {16, 4096}};
  MPI_Win near_win = MPI_WIN_NULL;
  char *near = nullptr;  // memory of another rank of the node
  std::vector<char> plain;
  char stamp = 0;  // changes with every sample
};

/// An operation of one size, on rank 0 alone or on all ranks.
struct RmaTask {
  using OnSide = std::function<void(RmaSide &)>;
  using OnMemory = std::function<void(RmaMemory &)>;
  /// Whether what the target or rank 0 has is right after `done` calls.
  using Right = std::function<bool(RmaMemory &, std::int64_t done)>;

  std::string part, operation;
  std::int64_t bytes = 0;
  bool all_ranks = false;
  bool in_epoch = true;         // rank 0 is in a lock_all epoch
  OnMemory prepare = nullptr;   // on all ranks, before a sample; may be empty
  OnSide call = nullptr;
  std::function<void(EngineSide &)> engine = nullptr;  // the same by the engine; empty where it has none
  Right right = nullptr;        // on each rank
  std::int64_t verified = 0;    // bytes that `right` compares, on all ranks together
  std::function<void()> limit = nullptr;  // empty: hand-overs of a cache line, so many
  int handovers = 1;
  int most = 1'000'000;  // calls in a sample
  std::int64_t blocks = 1;
};

/// Commits the datatype of a shape.
void make_type(RmaBlocks &shape);

/// Puts or gets of every other run of bytes, and a flush.
RmaTask put_of_blocks(RmaRanks &ranks, const RmaBlocks &shape);
RmaTask get_of_blocks(RmaRanks &ranks, const RmaBlocks &shape);

/// All tasks of these parts: those of the command `operations`, and a few that only tests/bench/library has. The tasks refer to `ranks`.
std::vector<RmaTask> rma_tasks(RmaRanks &ranks, const std::vector<std::int64_t> &sizes, const std::vector<std::string> &parts);

}  // namespace bench
