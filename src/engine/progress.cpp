// A thread that looks whether a caller polls, polls itself if not, and sleeps on the provider's wait object.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/progress.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <system_error>

#include "base/environment.hpp"
#include "engine/context.hpp"

namespace halocline {
namespace {

constexpr long kNap_ns = 50'000;            // while a caller polls
constexpr long kLongestSleep_ns = 100'000'000;

/// Signals are for the application's threads: a thread inherits what is blocked where it is started.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  BlockedSignals(const BlockedSignals &) = delete;
  BlockedSignals &operator=(const BlockedSignals &) = delete;
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace

const char *name_of(Progress progress) {
  if (progress == Progress::helper) return "helper";
  return progress == Progress::thread ? "thread" : "caller";
}

Status read_progress(int rank, Progress &progress) {
  const char *text = environment("PROGRESS");
  if (*text == '\0') return Status::ok;
  for (const Progress known : {Progress::caller, Progress::thread, Progress::helper})
    if (std::strcmp(text, name_of(known)) == 0) {
      progress = known;
      return Status::ok;
    }
  return fail(Status::argument, "rank %d: HALOCLINE_PROGRESS is '%s', it must be caller, thread or helper", rank, text);
}

Status ProgressThread::start() {
  stop_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (stop_ < 0) return fail(Status::memory, "rank %d: no progress thread: eventfd: %s", context_.rank(), std::strerror(errno));
  const BlockedSignals blocked;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error &error) {
    return fail(Status::memory, "rank %d: no progress thread: %s", context_.rank(), error.what());
  }
  return Status::ok;
}

ProgressThread::~ProgressThread() {
  if (thread_.joinable()) {
    stopping_.store(true, std::memory_order_relaxed);
    static_cast<void>(eventfd_write(stop_, 1));
    thread_.join();
  }
  if (stop_ >= 0) close(stop_);
}

void ProgressThread::run() {
  Network &network = context_.network();
  const NetworkPort &port = *network.port();
  std::uint64_t polls = 0;
  while (!stopping_.load(std::memory_order_relaxed)) {
    // A caller that polls is faster than this thread, and needs its core.
    if (port.polls() != polls) {
      polls = port.polls();
      nap();
      continue;
    }
    const bool came = network.poll();
    polls = port.polls();
    if (!came) network.port()->sleep(stop_, kLongestSleep_ns);
  }
}

void ProgressThread::nap() const {
  pollfd stop{stop_, POLLIN, 0};
  const std::timespec time{0, kNap_ns};
  ppoll(&stop, 1, &time, nullptr);
}

}  // namespace halocline
