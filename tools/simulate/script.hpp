// What a simulated rank does in a round: a list of steps. A protocol writes one such script for each rank; the simulation runs them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace simulate {

/// Words that other ranks reach. Those below kQueues hold what has arrived, in its order, with the work that it costs the rank that takes it. The
/// others count. A round has its own: what a rank sends in a round reaches the words of that round, as messages match receives by source and tag.
/// So a rank that is ahead does not stand for one that is late. Within a round each rank that is waited for must reach a word once.
using Flag = std::int16_t;
constexpr Flag kNone = -1, kData = 0, kQueues = 1, kAcknowledged = 1, kSent = 2, kPosted = 3, kCompleted = 4, kRead = 5, kReady = 6,
               kPacked = 7, kFetched = 8, kBarrier = 9, kBarrierBefore = 29, kEntered = 49, kReleased = 50, kFlags = 60;

enum class Kind : std::uint8_t { work, noise, send, wait, take, begin, end };

/// How a message goes to another node. A get brings `bytes` back; an atomic operation acts in the port of the target.
enum class Way : std::uint8_t { put, rendezvous, atomic, get };

/// What is sent. Within a node it is a store that the target sees, and the copy is the sender's work.
struct Send {
  int target = 0;  ///< a rank
  Flag flag = kNone;  ///< at the target, when all bytes are there
  double bytes = 0;
  double cost_us = 0;  ///< work of the rank that takes it, if the flag is a queue
  Flag ack = kNone;  ///< at the origin, when it knows of the remote completion
  Way way = Way::put;
  double delay_us = 0;  ///< between the last byte's arrival and the delivery
  int group = -1;  ///< the flag is set at all ranks of this group of the job instead
};

struct Step {
  Kind kind = Kind::work;
  Send send{};  ///< of Kind::send
  double us = 0;  ///< of Kind::work; of Kind::noise the mean
  Flag flag = kNone;  ///< of Kind::wait and Kind::take
  int count = 0;
};

class Script {
 public:
  /// The rank computes or copies. Consecutive work is one step.
  void work(double us) {
    if (us <= 0) return;
    if (!steps_.empty() && steps_.back().kind == Kind::work) {
      steps_.back().us += us;
    } else {
      steps_.push_back({Kind::work, {}, us});
    }
  }
  /// Work of random length.
  void noise(double mean_us) {
    if (mean_us > 0) steps_.push_back({Kind::noise, {}, mean_us});
  }
  void send(const Send &what) { steps_.push_back({Kind::send, what}); }
  /// Until the flag of this round, which counts, has reached `count`, which is then subtracted.
  void wait(Flag flag, int count) {
    if (count > 0) steps_.push_back({Kind::wait, {}, 0, flag, count});
  }
  /// Takes `count` arrivals of this round of a queue in their order, each with its work.
  void take(Flag flag, int count) {
    if (count > 0) steps_.push_back({Kind::take, {}, 0, flag, count});
  }
  /// The time from begin to end is what is reported.
  void begin() { steps_.push_back({Kind::begin}); }
  void end() { steps_.push_back({Kind::end}); }

  /// Any step, as it is.
  void add(const Step &step) { steps_.push_back(step); }

  const std::vector<Step> &steps() const { return steps_; }

 private:
  std::vector<Step> steps_;
};

/// A script for each rank, and the groups that they send to.
struct Job {
  std::vector<Script> scripts;
  std::vector<std::vector<int>> groups;
  explicit Job(int ranks) : scripts(static_cast<std::size_t>(ranks)) {}
  int ranks() const { return static_cast<int>(scripts.size()); }
  Script &of(int rank) { return scripts[static_cast<std::size_t>(rank)]; }
};

}  // namespace simulate
