// A segment as the API hands it out: a part of memory and some notifications per rank. Here it is made, and here every operation learns
// where its target lies; what the operations do stands in put_get.cpp, fetch.cpp and notify.cpp, and for other nodes in far.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/segment.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/notifications.hpp"
#include "engine/rma/remote_rma.hpp"

namespace halocline {

class Wait;

/// How far an operation reaches from its offset: the bytes from `low` to before `high`.
struct Extent {
  std::int64_t low = 0, high = 0;
};

/// One rank's part in the node's shared memory, a piece of a Region:
///
///   | PartHeader | notifications | a word per round of the barrier | a dummy target | the rank's bytes, from a page on |
///
/// The header is written once, by its rank. A notification is set by any rank and taken by its owner; where the ranks of the node share theirs, all
/// use those in the part of the first, and any takes them. Other nodes reach what follows the words.
struct alignas(kLinePair) PartHeader {
  std::int64_t bytes;
};
static_assert(sizeof(PartHeader) == kLinePair);

/// What a wait has come to.
struct WaitStatus {
  Status status = Status::ok;  // ok: wait on
  int dead_rank = -1;
};

/// Made and ended by all ranks together. Other functions: any thread.
class Segment {
 public:
  explicit Segment(Network &network) : network_(network), communicator_(network.communicator()) {}
  Segment(const Segment &) = delete;
  Segment &operator=(const Segment &) = delete;
  ~Segment();

  /// Whether a spec may be made, on this rank.
  Status check(const hlc_segment_spec *spec) const;
  /// Collective; makes the memory. All ranks have checked their specs.
  Status create(const hlc_segment_spec *spec);
  /// Waits for all ranks, which have met to free it; `broken` if one of them is in trouble. Collective.
  Status end(bool broken);

  Network &network() const { return network_; }
  Communicator &communicator() const { return communicator_; }
  int rank() const { return communicator_.rank(); }
  int notifications() const { return notifications_; }
  std::int64_t bytes() const { return parts_[static_cast<std::size_t>(communicator_.member())].bytes; }

  /// The one routing decision: finds the target of the operation `call`, which has to lie within the rank's part. *place becomes its address,
  /// or null if the rank is on another node.
  Status route(const char *call, Target target, Extent extent, char **place) const {
    if (target.rank < 0 || target.rank >= communicator_.size()) return wrong_rank(call, target.rank);
    const Member member = member_of(target.rank);
    const bool here = member != kNotOnNode;
    const std::int64_t bytes = here ? parts_[static_cast<std::size_t>(member)].bytes : remote_->bytes_of(target.rank);
    if (target.offset < 0 || target.offset > bytes || extent.low < -target.offset || extent.high > bytes - target.offset)
      return wrong_offset(call, target, extent, bytes);
    *place = here ? parts_[static_cast<std::size_t>(member)].data + target.offset : nullptr;
    if (remote_) network_.poll_sometimes();
    return Status::ok;
  }
  /// Whether there is such a notification.
  Status check(const char *call, int rank, hlc_notification notification) const {
    if (rank < 0 || rank >= communicator_.size()) return wrong_rank(call, rank);
    if (notification.id < 0 || notification.id >= notifications_) return wrong_id(call, "notification.id", notification.id);
    return notification.value != 0 ? Status::ok : zero_value(call, notification.id);
  }
  /// The ranks of other nodes; there if there are any.
  RemoteRma &far() { return *remote_; }
  /// Moves the network along, where there are other nodes.
  void poll() const {
    if (remote_) network_.poll();
  }

  const NotificationWords &my_words() const { return parts_[static_cast<std::size_t>(communicator_.member())].words; }
  /// The first notification from `first` to before `end` that this rank may take; `end` if there is none.
  int find(int first, int end) const { return my_words().notifications.find(first, end); }
  /// Sets a notification of any rank; who waits for it wakes up.
  Status tell(const char *call, int rank, hlc_notification notification) {
    const Member member = member_of(rank);
    if (member == kNotOnNode) return remote_->notify(call, rank, notification);
    parts_[static_cast<std::size_t>(member)].words.notifications.set(notification.id, notification.value);
    ring(member);
    return Status::ok;
  }
  /// Raises the word of a round of the barrier of any rank, which wakes up.
  Status tell_round(const char *call, int rank, int round, std::uint32_t number) {
    const Member member = member_of(rank);
    if (member == kNotOnNode) return remote_->notify(call, rank, {NotificationWords::first_monotonic(notifications_) + round, number});
    parts_[static_cast<std::size_t>(member)].words.raise(round, number);
    communicator_.doorbell().ring(member);
    return Status::ok;
  }

  /// Before this rank leaves the library: what `call` has sent to other nodes has gone.
  Status flush_outgoing(const char *call) const { return remote_ ? network_.requests()->flush_outgoing(call) : Status::ok; }

  /// For waits: whether a process of the node has ended, or the time is over.
  WaitStatus check_failure(const Wait &wait) const;
  /// For waits: whether something to a rank of another node has failed.
  Status check_network(const char *call) const { return remote_ ? network_.requests()->look_for_failure(call) : Status::ok; }
  /// A rank in messages, with its host if it is on another node.
  std::string name_of(int rank) const;
  Status wrong_rank(const char *call, int rank) const;
  Status wrong_id(const char *call, const char *argument, int id) const;
  Status zero_value(const char *call, int id) const;

  Status describe(int rank, hlc_segment_info_t *info) const;

  /// The number of the next barrier: what its notifications are set to, so it is never 0.
  std::uint32_t next_barrier() { return ++barriers_ != 0 ? barriers_ : ++barriers_; }
  bool barrier_failed = false;
  /// Its number among the plans of the communicator.
  std::int64_t plan() const { return plan_; }

 private:
  /// A part of this node as this process sees it.
  struct Part {
    char *data = nullptr;
    std::int64_t bytes = 0;
    NotificationWords words;
  };

  Status compare(const char *what, std::int64_t mine);
  int barrier_words() const;
  std::int64_t bytes_before_data() const;
  /// After something of a member was set that it may wait for.
  void ring(Member member) const {
    if (shared_)
      communicator_.ring_node();
    else
      communicator_.doorbell().ring(member);
  }
  void find_parts();
  Status connect();
  Status wrong_offset(const char *call, Target target, Extent extent, std::int64_t bytes) const;

  /// Members are numbered as their ranks are; mostly the ranks of a node follow each other.
  Member member_of(int rank) const {
    const int guess = rank - ranks_.front();
    if (guess >= 0 && guess < communicator_.members() && ranks_[static_cast<std::size_t>(guess)] == rank) return guess;
    const auto found = std::lower_bound(ranks_.begin(), ranks_.end(), rank);
    return found != ranks_.end() && *found == rank ? static_cast<Member>(found - ranks_.begin()) : kNotOnNode;
  }

  Network &network_;
  Communicator &communicator_;
  std::uint32_t barriers_ = 0;
  std::int64_t plan_ = 0;
  int notifications_ = 0;
  bool shared_ = false, counted_ = false;
  SharedMemory memory_;
  std::vector<Part> parts_;  // by member
  std::vector<int> ranks_;  // by member
  std::unique_ptr<RemoteRma> remote_;  // goes before the memory
};

}  // namespace halocline
