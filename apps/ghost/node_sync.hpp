// What the ranks of a node tell each other through counters in shared memory. Every rank has three, which it alone writes and which only
// rise. An exchange has a number, 1 for the first: step * variables + variable + 1.
//
//   ready    my cells of exchange k may be read                                 "read" in the paper
//   done     I have read what I need of exchange k from all neighbours          "have read" in the paper
//   arrived  I have come to the end of so many steps                            the barrier
//
// Who may write what, and when. A variable has two arrays, used in turn: in step s all read array s % 2 and write the other one. So
// the computation of exchange k overwrites what neighbours read in exchange k - variables, the same variable one step before.
// - With a barrier at the end of each step, all have read step s - 1 before anyone computes in step s.
// - Without, a rank waits for done >= k - variables of each neighbour before it computes exchange k. Neighbours stored that about a whole step
//   ago, unless they are late: so the wait costs a look, where the barrier costs a meeting. Reading one's own future is not needed for it:
//   done of k - variables comes before ready of k at every rank, so no circle of waits can close.
// - What is read in exchange k was written in the step before, by a rank that has stored ready = k since. (With a barrier, that alone would
//   order this, too: the counter is kept there because the paper's program has both.)
//
// Source: Simmendinger et al., section 4.3.1.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "grid.hpp"
#include "memory.hpp"

#include <atomic>
#include <functional>
#include <vector>

namespace ghost {

/// At the beginning of every shared part. Counters stand two cache lines apart, and the fields on pages of their own.
struct Counters {
  alignas(128) std::atomic<std::int64_t> ready;
  alignas(128) std::atomic<std::int64_t> done;
  alignas(128) std::atomic<std::int64_t> arrived;
};
inline constexpr std::size_t kCountersBytes = 4096;
static_assert(sizeof(Counters) == 384 && std::atomic<std::int64_t>::is_always_lock_free);

class NodeSync {
 public:
  /// nudge is called now and then in long waits, for those who wait for this rank's part in a message.
  NodeSync(const Grid &grid, Memory &memory, std::function<void()> nudge);

  void say_ready(std::int64_t exchange);
  /// Whether a rank of the node has said so. Looks once.
  bool is_ready(int node_rank, std::int64_t exchange) const;
  void await_ready(int node_rank, std::int64_t exchange) const;
  void say_done(std::int64_t exchange);
  void await_done(int node_rank, std::int64_t exchange) const;
  /// Returns when all ranks of the node have called it for this step.
  void barrier(std::int64_t step);

  /// Node ranks of the neighbours in this node, each once.
  const std::vector<int> &neighbours() const { return neighbours_; }

  /// One turn of a caller's loop of looks: the longer it takes, the more of the core is given away.
  class Pause {
   public:
    explicit Pause(const NodeSync &sync) : sync_(sync) {}
    void operator()();

   private:
    const NodeSync &sync_;
    int turns_ = 0;
  };

 private:
  void await(const std::atomic<std::int64_t> &counter, std::int64_t value) const;
  Counters &counters(int node_rank) const { return *counters_[static_cast<std::size_t>(node_rank)]; }

  int me_;
  int spins_;
  std::vector<Counters *> counters_;
  std::vector<int> neighbours_;
  std::function<void()> nudge_;
};

}  // namespace ghost
