// One counter per rank of the MPI calls that it has begun, in a file that the ranks of a node and the doctor all map: as long as one of them
// counts on, nobody hangs, however slow the machine is.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace doctor {

class Progress {
 public:
  Progress() = default;
  /// Maps the counters of this many ranks. A rank of another node, which cannot, counts for itself alone.
  Progress(const std::string &file, int ranks);
  ~Progress();
  Progress(Progress &&other) noexcept { *this = std::move(other); }
  Progress &operator=(Progress &&other) noexcept;

  /// Rank has begun a call. One writer per counter.
  void count(int rank) { cell(rank).fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t sum() const;

  /// Makes the file for this many ranks.
  static void create(const std::string &file, int ranks);

 private:
  struct alignas(64) Cell {
    std::atomic<std::uint64_t> calls;
  };
  std::atomic<std::uint64_t> &cell(int rank) { return cells_ ? cells_[rank].calls : alone_; }

  Cell *cells_ = nullptr;
  int ranks_ = 0;
  std::atomic<std::uint64_t> alone_{0};
};

/// Knows when something has stood still for too long.
class Patience {
 public:
  using Clock = std::chrono::steady_clock;

  /// Begins to wait anew, for so many seconds without progress and ten times as many in all.
  void begin(double limit_s, std::uint64_t sum, Clock::time_point now = Clock::now());
  bool is_over(std::uint64_t sum, Clock::time_point now = Clock::now());

 private:
  std::chrono::duration<double> limit_{0};
  Clock::time_point began_, moved_;
  std::uint64_t sum_ = 0;
};

}  // namespace doctor
