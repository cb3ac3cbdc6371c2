// SPDX-License-Identifier: BSD-3-Clause
#include "node_sync.hpp"

#include "fault.hpp"

#include <sched.h>

#include <algorithm>

namespace ghost {

static void cpu_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// The parts hold zeros, which are the counters' first values.
NodeSync::NodeSync(const Grid &grid, Memory &memory, std::function<void()> nudge)
    : me_(grid.info.node_rank), spins_(grid.core_per_rank ? 5000 : 20), nudge_(std::move(nudge)) {
  for (int r = 0; r < grid.info.node_size; ++r) counters_.push_back(reinterpret_cast<Counters *>(memory.of(r)));
  for (const Neighbour &n : grid.neighbours)
    if (n.where == Where::same_node && std::find(neighbours_.begin(), neighbours_.end(), n.node_rank) == neighbours_.end())
      neighbours_.push_back(n.node_rank);
}

// SYNC written-before-ready (pairs with NodeSync::is_ready, await_ready): the cells of an exchange, before anyone reads them.
void NodeSync::say_ready(std::int64_t exchange) { counters(me_).ready.store(exchange, std::memory_order_release); }

// SYNC written-before-ready (pairs with NodeSync::say_ready)
bool NodeSync::is_ready(int node_rank, std::int64_t exchange) const {
  return has_fault("ready") || counters(node_rank).ready.load(std::memory_order_acquire) >= exchange;
}

void NodeSync::await_ready(int node_rank, std::int64_t exchange) const {
  if (!has_fault("ready")) await(counters(node_rank).ready, exchange);
}

// SYNC read-before-overwrite (pairs with NodeSync::await_done): my reads of an exchange, before their owner writes there again.
void NodeSync::say_done(std::int64_t exchange) { counters(me_).done.store(exchange, std::memory_order_release); }

// SYNC read-before-overwrite (pairs with NodeSync::say_done)
void NodeSync::await_done(int node_rank, std::int64_t exchange) const {
  if (!has_fault("done")) await(counters(node_rank).done, exchange);
}

// SYNC read-before-barrier (pairs with itself): the reads of all ranks of the node, before any of them writes.
void NodeSync::barrier(std::int64_t iteration) {
  if (has_fault("barrier")) return;
  counters(me_).arrived.store(iteration, std::memory_order_release);
  for (const Counters *other : counters_) await(other->arrived, iteration);
}

void NodeSync::await(const std::atomic<std::int64_t> &counter, std::int64_t value) const {
  Pause pause(*this);
  while (counter.load(std::memory_order_acquire) < value) pause();
}

void NodeSync::Pause::operator()() {
  if (++turns_ < sync_.spins_) return cpu_pause();
  if (turns_ % 16 == 0) sync_.nudge_();
  sched_yield();
}

}  // namespace ghost
