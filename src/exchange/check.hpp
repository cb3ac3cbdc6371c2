// Check mode of one exchange (HALOCLINE_CHECK=1). In start each neighbour is sent a descriptor of what this round moves. Before finish
// touches data, the neighbours' descriptors have been compared with this rank's, and all have called the same finish. The halo's cells,
// which an exchange does not know, are checked in halo/check.hpp. See docs/design/006-check-mode.md.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "engine/communicator/check_mailbox.hpp"
#include "exchange/findings.hpp"
#include "exchange/stamp.hpp"

namespace halocline::core {

/// What a rank moves in a round.
struct RoundContent {
  std::vector<std::int64_t> what;  // must be the same at both ends of an edge
  std::string words;  // the same, for a message
};

/// How a rank describes a round when it starts it.
struct RoundDescriptor : RoundContent {
  std::vector<std::vector<char>> values;  // per edge: the cells that it sends; none where there are no cells
};

/// One exchange's check. All calls but create are local.
class Check {
 public:
  /// label is what messages call the exchange, see Findings. The edges have been joined.
  Check(Plan &plan, Packer &packer, std::string label);
  ~Check();

  /// Numbers the exchange and makes room for a stamp in each message. Collective.
  Status create();
  /// Called after the channels have been made, if one of them waits inside MPI. All ranks must then have called finish before a rank waits
  /// there.
  void wait_for_all_ranks() { barrier_.needed = true; }
  /// The packer with a stamp in front of each message.
  Packer &stamped() { return stamped_; }

  Status start(const RoundDescriptor &descriptor);
  /// waits: this thread calls no other finish before this one is over.
  Status announce_finish(bool waits);
  /// Receives what has arrived: ok once every neighbour's descriptor is here and agrees and all have called finish.
  Status meet(bool waits);
  /// As meet, but without the finish.
  Status all_started();
  /// Fails if a neighbour has abandoned this round.
  Status still_wanted();
  /// The timeout's message: which rank has not done what.
  Status late() const;
  /// The error for memory that has run out within the round.
  Status no_memory() const;
  /// Sends the neighbours the error message with which this rank abandons the round, as far as the memory allows.
  void give_up(Status why);

  /// For broken rules that do not end the round.
  Findings &findings() { return findings_; }
  /// Ends the round: ok, or the first rule that was found broken in it.
  Status result();
  /// A call at the wrong time: HLC_ERR_STATE with the names that check mode knows.
  Status wrong_call(const char *call, const char *why) const;

  /// The cells that the neighbour of an edge has sent in this round.
  const std::vector<char> &values_of(int edge) const { return descriptors_[static_cast<std::size_t>(edge)].front().values; }

 private:
  /// A neighbour's descriptor.
  struct TheirDescriptor : RoundContent {
    std::int64_t out = 0, in = 0;
    std::vector<char> values;
    bool agreed = false;

    static TheirDescriptor read(const std::vector<char> &text);
  };
  /// A dissemination barrier, for modes that wait inside MPI for all ranks.
  struct FinishBarrier {
    bool needed = false;
    std::vector<std::uint64_t> ready;  // per stage: the last round whose message was received
    int stage = 0;
    bool notified = false;  // this stage's message has been sent

    int stages() const { return needed ? static_cast<int>(ready.size()) : 0; }
  };
  /// The earliest round that a rank has abandoned, as far as is known here.
  struct Abandonment {
    int rank = -1;
    std::uint64_t round = 0;  // a neighbour may be one ahead of this rank
    std::string reason;

    void note(const CheckMessage &received);
    bool concerns(std::uint64_t running) const { return rank >= 0 && round <= running; }
    /// Fails if it concerns the running round.
    Status look(const Findings &findings) const;
  };
  /// What the last attempt to finish waited for.
  struct Attempt {
    int rank = -1;
    const char *what = "";
    bool starved = false;  // it ran out of memory

    Status again(int late, const char *awaited) {
      rank = late;
      what = awaited;
      return Status::again;
    }
  };
  /// A rank that finishes another plan first.
  struct Crossing {
    int rank = -1;
    std::int64_t plan = 0;
  };

  void make_tables();
  Status sort_messages();
  void sort(const CheckMessage &received);
  Status look_for_all(bool waits);
  Status compare_descriptors();
  Status disagree(int edge, const TheirDescriptor &theirs) const;
  Status look_for_finishes(bool waits);
  Status refuse_order(int rank, std::int64_t other, const std::string &swap);
  Status pass_barrier();
  void notify_all(const std::string &reason);
  CheckMessage message(Word word, std::vector<char> text = {}) const;

  Plan &plan_;
  CheckMailbox &check_mailbox_;
  Findings findings_;
  StampedPacker stamped_;
  std::vector<int> peers_;  // each once

  RoundContent mine_;  // of this round
  std::vector<std::deque<TheirDescriptor>> descriptors_;  // per edge, the oldest first: a neighbour may have started the next round
  std::vector<CheckMessage> received_;  // received, but not sorted
  FinishBarrier barrier_;
  Crossing crossing_;
  Abandonment abandoned_;
  Attempt attempt_;
};

}  // namespace halocline::core
