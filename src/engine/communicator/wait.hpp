// Waiting politely: spin while there is a core per rank, then yield, then sleep until a peer rings or a short time is over.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "base/clock.hpp"
#include "engine/communicator/communicator.hpp"

namespace halocline {

/// What wakes the wait: only peers of this node, that ring the doorbell; also MPI or the network, which must be asked again and again; or the
/// network alone, where every answer takes microseconds.
enum class WakeUp { by_doorbell, by_polling, by_network };

/// One wait. The loop that uses it looks at what it waits for, and calls pause() each time it finds nothing:
///
///   Wait wait(communicator, WakeUp::by_doorbell);
///   while (!arrived())
///     if (wait.pause() == Wait::Turn::check_peers) ...   // now and then: time to ask about timeouts and dead peers
class Wait {
 public:
  enum class Turn { look_again, check_peers };

  /// `call` is what other ranks are told of this one once the wait is long, if it is not in a collective call.
  Wait(Communicator &communicator, WakeUp wake_up, CallWord call = {});
  Wait(const Wait &) = delete;
  Wait &operator=(const Wait &) = delete;
  ~Wait();

  /// Lets some time pass; how much grows with the number of calls.
  Turn pause();
  /// Something came: the next pause is short again, and the time limit starts anew.
  void progress();
  /// True once nothing came for HALOCLINE_TIMEOUT seconds, and some more if grace is given.
  bool timed_out(std::int64_t grace_ns = 0) const;

 private:
  void poll();
  Turn pause_slowly();
  Turn next_turn();
  void end_sleep();
  void tell_call();

  Communicator &communicator_;
  RemoteProgress *network_;  // null if none is open: then nobody needs this wait to move anything
  WakeUp wake_up_;
  long spins_, yields_, yields_ns_;
  long calls_ = 0;
  bool announced_ = false;
  CallWord call_;
  bool told_ = false;  // in which call this rank is
  std::uint32_t seen_ = 0;
  std::int64_t start_ns_ = 0, checked_ns_ = 0;
};

}  // namespace halocline
