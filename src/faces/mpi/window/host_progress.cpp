// MPICH has its functions for that since version 4.3 (MPIX_Async_start), and Open MPI an inner one (opal_progress_register).
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/window/host_progress.hpp"

#include <dlfcn.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/clock.hpp"
#include "base/never_destroyed.hpp"

namespace halocline::core::mpi {
namespace {

// Looks follow each other while something arrives. Later they take at most one part in 10 of the time: one takes a microsecond over TCP.
constexpr std::int64_t kActive_ns = 200'000, kBreak = 10, kLongestBreak_ns = 20'000;

/// The networks of all communicators that span nodes. Never destroyed.
struct Driven {
  std::mutex mutex;
  std::vector<Network *> networks;
  std::atomic<bool> any{false};
  std::atomic<std::int64_t> next_ns{0};
  std::int64_t arrived_ns = 0, shortest_ns = kLongestBreak_ns;
};
Driven &driven() { return never_destroyed<Driven>(); }

/// Once for those in a row that share an endpoint. Calls no MPI.
bool poll_each(const std::vector<Network *> &networks) {
  bool any = false;
  const void *polled = nullptr;  // an endpoint
  for (Network *network : networks) {
    if (network->endpoint() != polled) any |= network->poll();
    polled = network->endpoint();
  }
  return any;
}

/// A look at all networks, from `begin` to *end. arrived: there were events. busy: or the network has carried out puts and gets of others, which
/// makes no event, but takes longer.
struct Look {
  bool arrived, busy;
};
Look look_at_networks(Driven &all, std::int64_t begin, std::int64_t *end) {
  const bool arrived = poll_each(all.networks);
  *end = now_ns();
  all.shortest_ns = std::min(all.shortest_ns, *end - begin);
  return {arrived, arrived || *end - begin > 2 * all.shortest_ns};
}

/// Called by the host whenever it progresses. 1 if something has arrived. While ranks of other nodes are at work here it looks several times:
/// the host's own progress takes as long as that.
int drive_networks() {
  constexpr int kLooksIfActive = 4;
  Driven &all = driven();
  if (!all.any.load(std::memory_order_relaxed)) return 0;
  const std::int64_t start = now_ns();
  if (start < all.next_ns.load(std::memory_order_relaxed)) return 0;
  const std::unique_lock lock(all.mutex, std::try_to_lock);
  if (!lock.owns_lock()) return 0;
  const auto is_active = [&all](std::int64_t now) { return now - all.arrived_ns < kActive_ns; };
  std::int64_t begin = start, end = start;
  Look look{false, false};
  for (int looks = is_active(start) ? kLooksIfActive : 1; looks > 0 && !look.busy; --looks, begin = end)
    look = look_at_networks(all, begin, &end);
  if (look.busy) all.arrived_ns = end;
  all.next_ns.store(is_active(end) ? end : end + std::min(kBreak * (end - start), kLongestBreak_ns), std::memory_order_relaxed);
  return look.arrived ? 1 : 0;
}

std::atomic<bool> shares_cores{false}, ended{false};
std::atomic<unsigned> looks_of_host{0};  // not exact, if several threads wait

/// MPICH spins while it waits. With more ranks than cores those for which it waits need the core (src/faces/mpi/sync/README.md).
void yield_if_cores_are_shared() {
  constexpr unsigned kLooksPerYield = 20;
  if (!shares_cores.load(std::memory_order_relaxed)) return;
  const unsigned looks = looks_of_host.load(std::memory_order_relaxed) + 1;
  looks_of_host.store(looks, std::memory_order_relaxed);
  if (looks % kLooksPerYield == 0) sched_yield();
}

std::atomic<int (*)()> more_work{nullptr};

int take_part() {
  yield_if_cores_are_shared();
  const auto more = more_work.load(std::memory_order_relaxed);
  return (more ? more() : 0) + drive_networks();
}

/// MPICH waits in MPI_Finalize until each such function has said that it is done, before it deletes attributes.
int drive_for_mpich(void *) {
  constexpr int kNothingYet = 0, kDone = 1;  // MPIX_ASYNC_NOPROGRESS, MPIX_ASYNC_DONE
  if (ended.load(std::memory_order_relaxed)) return kDone;
  take_part();
  return kNothingYet;
}

bool join_progress_of_mpich() {
  using Start = int (*)(int (*)(void *), void *, int);
  constexpr int kNoStream = 0x3c000000;  // MPIX_STREAM_NULL
  const auto start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "PMPIX_Async_start"));
  return start && start(drive_for_mpich, nullptr, kNoStream) == 0;
}

void join_progress_of_host() {
  static const bool joined = join_progress_of_mpich() || join_progress_of_openmpi(take_part);
  static_cast<void>(joined);
}

}  // namespace

DrivenByHost::DrivenByHost(Network &network) : network_(network) {
  join_progress_of_host();
  Driven &all = driven();
  const std::lock_guard lock(all.mutex);
  all.networks.push_back(&network_);
  all.any.store(true, std::memory_order_relaxed);
}

DrivenByHost::~DrivenByHost() {
  Driven &all = driven();
  const std::lock_guard lock(all.mutex);
  all.networks.erase(std::find(all.networks.begin(), all.networks.end(), &network_));
  all.any.store(!all.networks.empty(), std::memory_order_relaxed);
}

void answer_other_nodes() { drive_networks(); }

void yield_while_host_waits() {
  shares_cores.store(true, std::memory_order_relaxed);
  join_progress_of_host();
}

void drive_while_host_waits(int (*work)()) {
  more_work.store(work, std::memory_order_relaxed);
  join_progress_of_host();
}

void leave_progress_of_host() { ended.store(true, std::memory_order_relaxed); }

bool join_progress_of_openmpi(int (*work)()) {
  const auto add = reinterpret_cast<int (*)(int (*)())>(dlsym(RTLD_NEXT, "opal_progress_register"));
  return add && add(work) == 0;
}

}  // namespace halocline::core::mpi
