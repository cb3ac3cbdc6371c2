// The progress thread: polls unless a caller does, and sleeps on the provider's wait object or for a time.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/progress/progress.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <system_error>
#include <vector>

#include "base/blocked_signals.hpp"

namespace halocline::core {
namespace {

constexpr long kPause_ns = 50'000;            // while a caller polls
constexpr long kLongestSleep_ns = 100'000'000;
// Of a spare thread: while callers poll; while something arrives; and from kFirstPause_ns to kLongestPause_ns while nothing arrives.
constexpr long kSparePause_ns = 4'000'000, kBusyPause_ns = 50'000, kFirstPause_ns = 1'000'000, kLongestPause_ns = 8'000'000;
constexpr int kBusyPauses = 20;  // after the last arrival
constexpr long kLongestExit_ns = 1'000'000'000;

/// The sleeps of a spare thread.
class Pauses {
 public:
  long next_ns() const { return busy_ > 0 ? kBusyPause_ns : ns_; }
  /// Callers have polled since the last look, and have taken in what arrived.
  void others_polled() {
    busy_ = 0;
    ns_ = kSparePause_ns;
    stands_in_ = false;
  }
  void have_polled(bool any_events) {
    busy_ = any_events ? kBusyPauses : std::max(busy_ - 1, 0);
    ns_ = stands_in_ && busy_ == 0 ? std::min(2 * ns_, kLongestPause_ns) : kFirstPause_ns;
    stands_in_ = true;
  }

 private:
  long ns_ = kSparePause_ns;
  int busy_ = 0;
  bool stands_in_ = false;
};

/// The threads of all endpoints of the process.
struct Running {
  std::mutex mutex;
  std::vector<ProgressThread *> threads;
  bool watched = false;  // the end of the process
};

Running &running() {
  static Running *const all = new Running;  // never destroyed: exit handlers use it
  return *all;
}

}  // namespace

Status ProgressThread::start() {
  stop_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (stop_ < 0) return fail(Status::memory, "no progress thread: eventfd: %s", std::strerror(errno));
  process_ = getpid();
  const BlockedSignals blocked;
  try {
    Running &all = running();
    const std::lock_guard lock(all.mutex);
    all.threads.push_back(this);
    if (!all.watched) all.watched = std::atexit(stop_all) == 0;
    thread_ = std::thread([this] { progress_ == Progress::thread ? run() : run_spare(); });
  } catch (const std::system_error &error) {
    return fail(Status::memory, "no progress thread: %s", error.what());
  }
  return Status::ok;
}

ProgressThread::~ProgressThread() {
  {
    Running &all = running();
    const std::lock_guard lock(all.mutex);
    std::erase(all.threads, this);
  }
  if (process_ != getpid()) {
    // A child of fork: the thread exists only in the parent, and the eventfd would wake that.
    if (thread_.joinable()) thread_.detach();
  } else if (thread_.joinable()) {
    ask_to_stop();
    thread_.join();
  }
  if (stop_ >= 0) close(stop_);
}

void ProgressThread::ask_to_stop() {
  stopping_.store(true, std::memory_order_relaxed);
  static_cast<void>(eventfd_write(stop_, 1));
}

/// A program may end without hlc_finalise: then the thread must not be in libfabric while that is unloaded. If exit has interrupted a call
/// that holds a lock, the thread may never end; so the wait is short.
void ProgressThread::stop_at_exit() {
  if (process_ != getpid() || !thread_.joinable()) return;
  ask_to_stop();
  const std::timespec time{0, kPause_ns};
  // SYNC thread-over (pairs with run, run_spare)
  for (long waited = 0; waited < kLongestExit_ns && !over_.load(std::memory_order_acquire); waited += kPause_ns) nanosleep(&time, nullptr);
}

void ProgressThread::stop_all() {
  Running &all = running();
  const std::lock_guard lock(all.mutex);
  for (ProgressThread *thread : all.threads) thread->stop_at_exit();
}

void ProgressThread::run() {
  std::uint64_t polls = 0;
  while (!stopping_.load(std::memory_order_relaxed)) {
    // A caller that polls is faster than this thread, and needs its core.
    if (polled_.polls() != polls) {
      polls = polled_.polls();
      pause(kPause_ns);
      continue;
    }
    const bool any_events = polled_.poll();
    polls = polled_.polls();
    if (any_events) continue;
    if (polled_.has_more())
      pause(kPause_ns);
    else
      polled_.sleep(stop_, kLongestSleep_ns);
  }
  // SYNC thread-over (pairs with stop_at_exit)
  over_.store(true, std::memory_order_release);
}

void ProgressThread::run_spare() {
  std::uint64_t polls = polled_.polls();
  Pauses pauses;
  while (!stopping_.load(std::memory_order_relaxed)) {
    pause(pauses.next_ns());
    if (polled_.polls() != polls)
      pauses.others_polled();
    else
      pauses.have_polled(polled_.needs_poll() && polled_.poll());
    polls = polled_.polls();
  }
  // SYNC thread-over (pairs with stop_at_exit)
  over_.store(true, std::memory_order_release);
}

void ProgressThread::pause(long ns) const {
  pollfd stop{stop_, POLLIN, 0};
  const std::timespec time{0, ns};
  ppoll(&stop, 1, &time, nullptr);
}

}  // namespace halocline::core
