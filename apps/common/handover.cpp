// SPDX-License-Identifier: BSD-3-Clause
#include "handover.hpp"

#include "comm.hpp"

#include <sched.h>

#include <memory>
#include <new>

namespace common {

/// Each line has one writer: rank 0 of the node the first, rank 1 the second.
struct Handover::Lines {
  alignas(128) std::atomic<std::int64_t> ping;
  alignas(128) std::atomic<std::int64_t> pong;
};

Handover::Handover(MPI_Comm node) : node_(node), rank_(rank_of(node)), size_(size_of(node)) {
  void *mine = nullptr, *first = nullptr;
  MPI_Aint bytes = 0;
  int unit = 1;
  MPI_Win_allocate_shared(rank_ == 0 ? sizeof(Lines) + alignof(Lines) : 0, 1, MPI_INFO_NULL, node, &mine, &window_);
  MPI_Win_shared_query(window_, 0, &bytes, &unit, &first);
  std::size_t room = static_cast<std::size_t>(bytes);
  lines_ = static_cast<Lines *>(std::align(alignof(Lines), sizeof(Lines), first, room));
  if (rank_ == 0) new (lines_) Lines{{0}, {0}};
  meet(node);
}

Handover::~Handover() { MPI_Win_free(&window_); }

/// Spins, and gives the core away now and then so that two ranks on one core get on.
void Handover::wait_for(const std::atomic<std::int64_t> &line, std::int64_t value) const {
  for (int spins = 0; line.load(std::memory_order_acquire) != value; ++spins)
    if (spins % 4096 == 4095) sched_yield();
}

void Handover::serve(std::int64_t first, std::int64_t last) {
  for (std::int64_t i = first; i < last; ++i) {
    if (rank_ == 0) {
      lines_->ping.store(i, std::memory_order_release);
      wait_for(lines_->pong, i);
    } else {
      wait_for(lines_->ping, i);
      lines_->pong.store(i, std::memory_order_release);
    }
  }
}

double Handover::measure() {
  constexpr int warm = 20, timed = 100;
  meet(node_);
  if (size_ < 2 || rank_ > 1) return 0;
  const std::int64_t first = count_ + 1;
  count_ += warm + timed;
  serve(first, first + warm);
  const double begin = MPI_Wtime();
  serve(first + warm, first + warm + timed);
  return (MPI_Wtime() - begin) / timed / 2 * 1e6;
}

}  // namespace common
