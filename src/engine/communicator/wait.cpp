// The three phases of a wait. The lengths were chosen on oversubscribed and on idle cores: see docs/design/002-waiting.md.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/communicator/wait.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <utility>

#include "engine/communicator/communicator.hpp"
#include "engine/communicator/remote_progress.hpp"

namespace halocline::core {
namespace {

constexpr long kSpinsWithCore = 20'000, kSpinsWithout = 20;
constexpr long kYieldsWithCore = 200, kYieldsWithout = 50;
constexpr long kPollEvery_ns = 50'000;      // no rank rings for what arrives by MPI or over a network
// Without a core per rank the polls of the network by many waits would take the cores. There a sleep lasts this part of the wait so far, up
// to a limit, if no poll since the last one has found anything.
constexpr long kPartOfWait = 8, kMaxPollEvery_ns = 1'000'000;
constexpr long kSpinsOfLook = 8;
constexpr long kYieldsForNetwork_ns = 50'000'000;  // a sleep delays a stream of data by its whole length
constexpr long kYieldsWithoutCore_ns = 2'000'000;  // and a small message, which takes microseconds, by many times that
// Spins before the wait yields, by WakeUp: tens of microseconds, some microseconds, none. Then other processes of this core run between two
// looks. One of them may be a rank of another node, where several hosts share a machine.
constexpr long kSpinsAlone[] = {1'000, 20, 0};
constexpr long kCheckEvery_ns = 10'000'000;  // also the longest sleep; the doorbell ends it sooner

/// How long a wait yields before it sleeps, if no other thread drives progress of the network.
long yields_for_network_ns(const Communicator &communicator, const RemoteProgress *network) {
  if (!network || network->has_thread()) return 0;
  return communicator.core_per_rank() ? kYieldsForNetwork_ns : kYieldsWithoutCore_ns;
}

std::atomic<int (*)()> the_check{nullptr};

bool check_ends_wait() {
  const auto check = the_check.load(std::memory_order_relaxed);
  return check && check() != 0;
}

}  // namespace

void set_wait_check(int (*check)()) { the_check.store(check, std::memory_order_relaxed); }

Wait::Wait(Communicator &communicator, WakeUp wake_up, CallWord call)
    : communicator_(communicator),
      network_(communicator.remote()),
      wake_up_(wake_up),
      spins_(communicator.core_per_rank() ? kSpinsWithCore : kSpinsWithout),
      yields_(communicator.core_per_rank() ? kYieldsWithCore : kYieldsWithout),
      yields_ns_(yields_for_network_ns(communicator, network_)),
      call_(call) {}

Wait::~Wait() {
  end_sleep();
  if (reported_) communicator_.calls().leave_wait();
}

/// Only a long wait reports its call: a short one need not write to memory that others read.
void Wait::report_call() {
  if (reported_ || call_.name == CallName::none) return;
  reported_ = communicator_.calls().enter_wait(call_);
}

Wait::Turn Wait::pause() {
  if (network_) poll();
  if (calls_++ >= spins_) return pause_slowly();
  if (network_ && calls_ > kSpinsAlone[static_cast<int>(wake_up_)])
    yield();
  else
    cpu_pause();
  return Turn::look_again;
}

/// Where others want this core, a yield may take tens of milliseconds, and the yields of these phases many times as long as peers may go unchecked.
/// Then the wait continues as one that has yielded enough.
void Wait::yield() {
  sched_yield();
  const std::int64_t now = now_ns();
  if (start_ns_ == 0) start_ns_ = checked_ns_ = now;
  if (now - start_ns_ >= kCheckEvery_ns) calls_ = std::max(calls_, spins_ + yields_);
}

/// A poll of the network takes longer than a spin, and counts as several. While it spins one pause in four polls, because callers may poll
/// themselves.
void Wait::poll() {
  if (calls_ < spins_ && calls_ % 4 != 0) return;
  network_->poll();
  if (calls_ < spins_) calls_ += kSpinsOfLook;
}

Wait::Turn Wait::pause_slowly() {
  if (start_ns_ == 0) start_ns_ = checked_ns_ = now_ns();
  if (calls_ < spins_ + yields_) {
    yield();
    return Turn::look_again;
  }
  if (yields_ns_ > 0 && now_ns() - start_ns_ < yields_ns_) {
    sched_yield();
    return next_turn();
  }
  if (wake_up_ != WakeUp::by_doorbell) {
    communicator_.drive_progress();
    const std::timespec time{0, poll_every_ns()};
    nanosleep(&time, nullptr);
    return next_turn();
  }
  // SYNC doorbell-before-sleep (pairs with Doorbell::wake): the caller checks once more between announcement and sleep, so no ring is lost.
  if (!announced_) {
    communicator_.drive_progress();
    seen_ = communicator_.doorbell().word();
    communicator_.doorbell().announce_sleep();
    announced_ = true;
    return Turn::look_again;
  }
  const bool rings = !network_ || network_->has_thread();
  communicator_.doorbell().sleep(seen_, rings ? kCheckEvery_ns : poll_every_ns());
  seen_ = communicator_.doorbell().word();
  return next_turn();
}

/// What this wait serves may be polled by its caller, or by another thread.
long Wait::poll_every_ns() {
  if (communicator_.core_per_rank() || !network_) return kPollEvery_ns;
  const std::uint64_t events = network_->events();
  if (std::exchange(events_, events) != events) return kPollEvery_ns;
  return std::clamp<long>((now_ns() - start_ns_) / kPartOfWait, kPollEvery_ns, kMaxPollEvery_ns);
}

Wait::Turn Wait::next_turn() {
  const std::int64_t now = now_ns();
  if (now - checked_ns_ < kCheckEvery_ns) return Turn::look_again;
  checked_ns_ = now;
  report_call();
  communicator_.drive_progress();
  ended_ = ended_ || check_ends_wait();
  return Turn::check_peers;
}

void Wait::record(const trace::WaitBegin &begun) const {
  const CallWord call = call_.name == CallName::none ? communicator_.calls().collective() : call_;
  if (call.name == CallName::swap) return;
  trace::Event event{"wait", "wait"};
  event.call = call.name == CallName::none ? nullptr : name_of(call.name);
  event.begin_ns = begun.ns;
  event.end_ns = now_ns();
  trace::count_wait(begun, event.end_ns);
  event.rank = communicator_.in_world(communicator_.rank());
  event.peer = communicator_.in_world(expected_);
  event.context = communicator_.number();
  event.plan = call.plan;
  trace::record(event);
}

void Wait::progress() {
  end_sleep();
  calls_ = 0;
  start_ns_ = 0;
}

void Wait::end_sleep() {
  if (announced_) communicator_.doorbell().awake();
  announced_ = false;
}

bool Wait::timed_out(std::int64_t grace_ns) const {
  if (ended_) return true;
  return communicator_.timeout_ns() > 0 && start_ns_ != 0 && now_ns() - start_ns_ > communicator_.timeout_ns() + grace_ns;
}

}  // namespace halocline::core
