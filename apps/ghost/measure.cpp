// SPDX-License-Identifier: BSD-3-Clause
#include "measure.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>

namespace ghost {
namespace {

using Clock = std::chrono::steady_clock;
double seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

/// The slowest rank, and the means.
Sample over_ranks(const Sample &mine) {
  Sample all = mine;
  double parts[2] = {mine.computation, mine.communication};
  const int size = common::size_of(MPI_COMM_WORLD);
  all.total = common::slowest(mine.total, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, parts, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  all.computation = parts[0] / size, all.communication = parts[1] / size;
  return all;
}

}  // namespace

/// As MiniGhost does it: one array per variable, and one for the averages, which are put into place when the stencil is through. Two arrays
/// per variable, used in turn, would need no guard: a neighbour that has come to the next exchange of a variable has read the last one.
Sample Runner::run(int steps) {
  const Index &cells = setup_.grid.cells;
  const Target work = packed(work_.data(), cells);
  variant_->meet();
  Clock::duration computation{}, communication{};
  const Clock::time_point begin = Clock::now();
  Clock::time_point last = begin;
  const auto lap = [&last](Clock::duration &sum) {
    const Clock::time_point now = Clock::now();
    sum += now - last;
    last = now;
  };
  for (int i = 0; i < steps * setup_.options.variables; ++i) {
    const int variable = i % setup_.options.variables;
    variant_->exchange(++exchanges_, variable);
    lap(communication);
    variant_->compute(variable, work);
    lap(computation);
    variant_->guard(exchanges_);
    lap(communication);
    copy_box(work, fields().block(variable), cells);
    lap(computation);
  }
  const Sample mine{seconds(last - begin), seconds(computation), seconds(communication)};
  variant_->meet();
  return over_ranks(mine);
}

// ---- what the machine could do

static std::size_t cells_of_faces(const Index &n) { return 2 * static_cast<std::size_t>(n[0] * n[1] + n[1] * n[2] + n[0] * n[2]); }

Machine::Machine(const Grid &grid)
    : node_(common::machine_of(MPI_COMM_WORLD)),
      handover_(node_),
      cells_(static_cast<std::size_t>(volume(grid.cells))),
      faces_(cells_of_faces(grid.cells)) {
  std::uint64_t room = faces_;
  MPI_Allreduce(MPI_IN_PLACE, &room, 1, MPI_UINT64_T, MPI_MAX, node_);
  memory_ = window_memory(node_, room * sizeof(double));
  from_.assign(cells_, 1.0);
  to_.assign(std::max(cells_, faces_), 1.0);
}

/// Seconds of one copy, the mean of some hundred microseconds of them.
double Machine::copy(const double *from, std::size_t count) {
  const auto times = static_cast<int>(std::clamp<std::size_t>(200'000 / count, 1, 1000));
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < times; ++i) {
    std::copy_n(from, count, to_.data());
    std::atomic_signal_fence(std::memory_order_seq_cst);  // every copy is made
  }
  return seconds(Clock::now() - begin) / times;
}

/// The neighbour has just written what is copied.
Limits Machine::measure() {
  const auto faces_of = [this](int rank) { return reinterpret_cast<double *>(memory_->of(rank)); };
  const int me = common::rank_of(node_);
  std::fill_n(faces_of(me), faces_, static_cast<double>(++turns_));
  common::meet(node_);
  Limits mine;
  mine.faces_s = copy(faces_of((me + 1) % common::size_of(node_)), faces_);
  mine.cells_s = copy(from_.data(), cells_);
  mine.handover_s = handover_.measure() * 1e-6;
  // What took part in the hand-over are two ranks of each machine; the others have 0.
  double sums[4] = {mine.cells_s, mine.faces_s, mine.handover_s, mine.handover_s > 0 ? 1.0 : 0.0};
  const int size = common::size_of(MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return {sums[0] / size, sums[1] / size, sums[3] > 0 ? sums[2] / sums[3] : 0};
}

}  // namespace ghost
