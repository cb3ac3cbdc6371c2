// Waiting in three phases: spin (longer with a core per rank), then yield, then sleep until a peer rings or a short time has passed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "base/clock.hpp"
#include "engine/communicator/call.hpp"
#include "engine/communicator/wake_up.hpp"
#include "trace/trace.hpp"

namespace halocline::core {

class Communicator;
class RemoteProgress;

/// Has `check` called in long waits of all threads (hlc_set_wait_check); null: none. A result other than 0 ends the wait.
void set_wait_check(int (*check)());

/// The pauses of one wait. wait_until (wait_until.hpp) pauses each time that it finds nothing, and looks for failures each time that a pause
/// returns `check_peers`.
class Wait {
 public:
  enum class Turn { look_again, check_peers };

  /// `call` is reported to other ranks once the wait is long, unless this rank is in a collective call.
  Wait(Communicator &communicator, WakeUp wake_up, CallWord call = {});
  Wait(const Wait &) = delete;
  Wait &operator=(const Wait &) = delete;
  ~Wait();

  /// Lets some time pass, more with each phase.
  Turn pause();
  /// Something arrived: the next pause is short again, and the time limit starts again.
  void progress();
  /// True from progress() to the next pause.
  bool has_restarted() const { return calls_ == 0; }
  /// The rank that is waited for, for traces.
  void expect(int rank) { expected_ = rank; }
  /// Adds this wait, from its begin to now, to the trace. Swaps record their waits themselves.
  void record(const trace::WaitBegin &begun) const;
  /// True once nothing arrived for HALOCLINE_TIMEOUT seconds plus the grace time, or the program's check has ended the wait.
  bool timed_out(std::int64_t grace_ns = 0) const;

 private:
  void poll();
  void yield();
  Turn pause_slowly();
  long poll_every_ns();
  Turn next_turn();
  void end_sleep();
  void report_call();

  Communicator &communicator_;
  RemoteProgress *network_;  // null if none is open: then no other rank needs progress from this wait
  WakeUp wake_up_;
  long spins_, yields_, yields_ns_;
  long calls_ = 0;
  bool announced_ = false;
  CallWord call_;
  bool reported_ = false;  // this wait has reported its call
  bool ended_ = false;  // by the program's check
  std::uint64_t events_ = 0;  // of the network, before the last sleep between two polls
  std::uint32_t seen_ = 0;
  std::int64_t start_ns_ = 0, checked_ns_ = 0;
  int expected_ = -1;
};

/// Adds a wait to the trace when it ends.
class RecordedWait {
 public:
  explicit RecordedWait(const Wait &wait) : wait_(wait), begun_(trace::is_on() ? trace::begin_wait() : trace::WaitBegin{}) {}
  RecordedWait(const RecordedWait &) = delete;
  RecordedWait &operator=(const RecordedWait &) = delete;
  ~RecordedWait() {
    if (begun_.ns != 0) wait_.record(begun_);
  }

 private:
  const Wait &wait_;
  trace::WaitBegin begun_;
};

}  // namespace halocline::core
