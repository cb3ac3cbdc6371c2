// Check mode of one exchange (HALOCLINE_CHECK=1): in start each neighbour is sent a descriptor that says what this round moves; before finish
// touches anything, the neighbours' descriptors are compared with my own, and all have come to the same finish. What an exchange cannot see, the
// halo's cells, is checked in halo/check.hpp. See docs/design/006-check-mode.md.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "exchange/findings.hpp"
#include "exchange/stamp.hpp"

namespace halocline {

/// What a rank says of a round when it starts it.
struct RoundDescriptor {
  std::vector<std::int64_t> what;  // must be the same at both ends of an edge
  std::string words;  // the same, for a message
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
  /// Every channel has been made: all ranks have to come to a finish if one of them waits inside MPI.
  void wait_for_all_ranks() { all_ranks_ = true; }
  /// The packer with a stamp in front of each message.
  Packer &stamped() { return stamped_; }

  Status start(const RoundDescriptor &descriptor);
  /// waits: this thread comes to no other finish before this one is over.
  Status announce_finish(bool waits);
  /// One look at what has come: ok once every neighbour's descriptor is here and agrees and all have come to finish.
  Status meet(bool waits);
  /// As meet, but without the finish.
  Status all_started();
  /// Fails if a neighbour has given this round up.
  Status still_wanted();
  /// The timeout's message: who has not done what.
  Status late() const;
  /// A status with a message: memory has run out within the round.
  Status no_memory() const;
  /// Tells the neighbours why this rank cannot go on, which is the message, as well as the memory allows.
  void give_up(Status why);

  /// For rules that are broken without harm to the round.
  Findings &findings() { return findings_; }
  /// Ends the round: ok, or the first rule that was found broken in it.
  Status verdict();
  /// A call at the wrong time: HLC_ERR_STATE with the names that check mode knows.
  Status wrong_call(const char *call, const char *why) const;

  /// The cells that the neighbour of an edge has sent in this round.
  const std::vector<char> &values_of(int edge) const { return descriptors_[static_cast<std::size_t>(edge)].front().values; }

 private:
  /// A neighbour's descriptor.
  struct TheirDescriptor {
    std::int64_t out = 0, in = 0;
    std::vector<std::int64_t> what;
    std::string words;
    std::vector<char> values;
    bool agreed = false;
  };

  void make_tables();
  Status sort_messages();
  void sort(const CheckMessage &come);
  Status look_for_all(bool waits);
  Status compare_descriptors();
  bool given_up() const { return quitter_ >= 0 && quit_round_ <= findings_.round(); }
  Status look_for_quitter() const;
  Status disagree(int edge, const TheirDescriptor &theirs) const;
  Status look_for_finishes(bool waits);
  Status refuse_order(int rank, std::int64_t other, const std::string &swap);
  Status pass_barrier();
  Status again(int rank, const char *what);
  void tell_all(const std::string &reason);
  CheckMessage message(Word word, std::vector<char> text = {}) const;
  std::vector<char> descriptor_for(std::size_t edge, const RoundDescriptor &descriptor) const;
  static TheirDescriptor read_descriptor(const std::vector<char> &text);

  Plan &plan_;
  CheckMailbox &check_mailbox_;
  Findings findings_;
  StampedPacker stamped_;
  std::vector<int> peers_;  // each once
  bool all_ranks_ = false;

  std::vector<std::int64_t> what_;  // of this round
  std::string words_;
  std::vector<std::deque<TheirDescriptor>> descriptors_;  // per edge, the oldest first: a neighbour may have started the next round
  std::vector<CheckMessage> come_;  // that have not been sorted
  std::vector<std::uint64_t> ready_;  // per stage of the barrier: the last round that has come
  int stage_ = 0;
  bool told_ = false;  // of this stage
  int crossing_rank_ = -1;  // that finishes another plan first
  std::int64_t crossing_plan_ = 0;
  int quitter_ = -1;  // the rank that has given up
  std::uint64_t quit_round_ = 0;  // a neighbour may be a round ahead: what it gives up then is not mine yet
  std::string reason_;  // why somebody has given up
  int late_rank_ = -1;  // whom the last look waited for
  const char *late_for_ = "";
  bool starved_ = false;  // the last look had no memory
};

}  // namespace halocline
