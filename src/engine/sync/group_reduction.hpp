// A reduction of the members of a group, up a binomial tree and down again. Pieces are passed through slots of the control memory. Every
// result is formed once, in the order of the members: the same bits everywhere.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "engine/sync/group_links.hpp"

namespace halocline::core {

/// The arguments of a reduction. combine(what, value, other) replaces value by the combination of both; value is that of the lower ranks.
/// It may return `again`, and is called again then.
struct SmallReduction {
  const void *operand = nullptr;
  void *result = nullptr;
  std::int64_t bytes = 0;
  Status (*combine)(const void *what, void *value, const void *other) = nullptr;
  const void *what = nullptr;
};

/// One thread at a time.
class GroupReduction {
 public:
  /// The group has been committed; no piece has been sent.
  void open(const GroupLayout &layout);
  /// Begins a reduction: copies the operand.
  void begin(const SmallReduction &reduction);
  /// Continues as far as possible, with the same arguments as before; `again` until the result is there.
  Status go_on(GroupResources &resources, GroupLinks &links, const SmallReduction &reduction);

 private:
  /// What one member sends to another, in pieces through a slot of the receiver.
  struct Stream {
    GroupPartner *partner;
    int slot;  // of the receiver
    int taken;  // the sender's word for the pieces that have been taken
    std::uint32_t *pieces;  // number sent, or received, since the group was committed
  };
  /// What a step works on.
  struct Step {
    GroupResources &resources;
    GroupLinks &links;
    const SmallReduction &reduction;
  };
  using Counts = std::vector<std::uint32_t>;
  enum class Stage { up, receive, down };

  Stream up(const Step &step, int round, bool sends);
  Stream down(const Step &step, int round, bool sends);
  Status gather(const Step &step);
  Status receive_result(const Step &step);
  Status hand_out(const Step &step);
  Status send(const Step &step, const Stream &stream);
  Status receive(const Step &step, const Stream &stream, std::vector<char> &into);

  Stage stage_ = Stage::up;
  int round_ = 0;
  PendingNotify pending_notify_;
  std::int64_t moved_ = 0;  // bytes of the operand that is being sent or received
  bool has_other_ = false;
  std::vector<char> value_, other_;
  Counts sent_, received_;  // pieces, by round; the last is for the member below
};

}  // namespace halocline::core
