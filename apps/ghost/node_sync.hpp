// What the ranks of a node tell each other through counters in shared memory. Every rank has three, which it alone writes and which only
// rise: they count exchanges, one per variable and step, from 1.
//
//   ready    my cells of exchange k may be read                                              "read" in the paper
//   done     I have read what exchange k needs of all neighbours                             "have read" in the paper
//   arrived  I have come to the end of iteration k: exchange, stencil                        the barrier
//
// A variable has one array. Iteration k reads the cells of neighbours, writes averages elsewhere, and puts them into the array at its end.
// So two things must not happen, whoever is early or late:
// - A neighbour reads cells of iteration k before they are there. They were put there in the last iteration of the variable, and the owner
//   stores ready = k after that. With one variable nothing else orders this.
// - The owner puts averages of iteration k where a neighbour still has to read for its iteration k. It waits for done = k of each neighbour
//   first; or for arrived = k of all ranks of the node, each of which stores that when it has read.
// No circle of waits can close: ready = k is stored and messages are sent before anything in iteration k that waits for the node; done = k
// or arrived = k are stored after waits for ready = k and for messages of exchange k alone, and before the wait for either.
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
  /// Returns when all ranks of the node have called it for this iteration.
  void barrier(std::int64_t iteration);

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
