// A segment of the API: a part of memory and some notifications per rank. This class makes it and finds the target of every operation.
// The operations are in put_get.cpp, fetch.cpp and notify.cpp, those to other nodes in remote_rma.cpp, the barrier in engine/sync.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/segment.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/notifications.hpp"
#include "engine/rma/remote_rma.hpp"

namespace halocline::core {

class Wait;

/// The bytes that an operation accesses, relative to its offset: from `low` to before `high`.
struct Extent {
  std::int64_t low = 0, high = 0;
};

/// One rank's part in the node's shared memory:
///
///   | PartHeader | notifications | a word per round of the barrier | a dummy target | the rank's bytes, from a page on |
///
/// The header is written once, by its rank. A notification is set by any rank and taken by its owner. Where the ranks of the node share
/// notifications, all use those in the part of the first, and any rank of the node takes them. Other nodes access what follows the words.
struct alignas(kLinePair) PartHeader {
  std::int64_t bytes;
};
static_assert(sizeof(PartHeader) == kLinePair);

/// The parts of this node as mapped in this process, by member.
class NodeParts {
 public:
  struct Part {
    int rank = 0;
    char *data = nullptr;
    std::int64_t bytes = 0;
    NotificationWords words;
  };

  /// Lists the members without their memory.
  void list(const Communicator &communicator);
  Part &of(Member member) { return parts_[static_cast<std::size_t>(member)]; }
  const Part &of(Member member) const { return parts_[static_cast<std::size_t>(member)]; }
  /// The member that a rank is, kNotOnNode if it is on another node. Members are numbered in the order of their ranks; the ranks of a node
  /// are usually consecutive.
  Member member_of(int rank) const {
    const int guess = rank - parts_.front().rank;
    if (guess >= 0 && guess < members_ && of(guess).rank == rank) return guess;
    const auto found =
        std::lower_bound(parts_.begin(), parts_.end(), rank, [](const Part &part, int wanted) { return part.rank < wanted; });
    return found != parts_.end() && found->rank == rank ? static_cast<Member>(found - parts_.begin()) : kNotOnNode;
  }

 private:
  std::vector<Part> parts_;
  int members_ = 0;
};

/// The barriers of a segment that this rank has entered.
struct BarrierCount {
  std::uint32_t last = 0;
  bool failed = false;  // one of them

  /// The number of the next barrier: the value of its words, so it is never 0.
  std::uint32_t next() { return ++last != 0 ? last : ++last; }
};

/// Whether a wait may continue.
struct WaitStatus {
  Status status = Status::ok;  // ok: continue to wait
  int dead_rank = -1;
};

/// Made and ended collectively. Any thread may call the other functions.
class Segment {
 public:
  explicit Segment(Network &network) : network_(network), communicator_(network.communicator()) {}

  /// Checks the spec on this rank.
  Status check(const hlc_segment_spec *spec) const;
  /// Makes the memory; all ranks have checked their specs. Collective.
  Status create(const hlc_segment_spec *spec);
  /// Waits for all ranks before the segment is freed; `broken` if a barrier has failed on any of them. Collective.
  Status end(bool broken);

  Network &network() const { return network_; }
  Communicator &communicator() const { return communicator_; }
  int rank() const { return communicator_.rank(); }
  int notifications() const { return notifications_; }
  std::int64_t bytes() const { return parts_.of(communicator_.member()).bytes; }

  /// The one routing decision: finds the target of the operation `call`, which must be within the rank's part. *place becomes its address,
  /// or null if the rank is on another node.
  Status route(const char *call, Target target, Extent extent, char **place) const {
    if (target.rank < 0 || target.rank >= communicator_.size()) return wrong_rank(call, target.rank);
    const Member member = parts_.member_of(target.rank);
    const bool here = member != kNotOnNode;
    const std::int64_t bytes = here ? parts_.of(member).bytes : remote_->bytes_of(target.rank);
    if (target.offset < 0 || target.offset > bytes || extent.low < -target.offset || extent.high > bytes - target.offset)
      return wrong_offset(call, target, extent, bytes);
    *place = here ? parts_.of(member).data + target.offset : nullptr;
    if (remote_) network_.poll_sometimes();
    return Status::ok;
  }
  /// Checks a notification's rank, id and value.
  Status check(const char *call, int rank, hlc_notification notification) const {
    if (rank < 0 || rank >= communicator_.size()) return wrong_rank(call, rank);
    if (notification.id < 0 || notification.id >= notifications_) return wrong_id(call, "notification.id", notification.id);
    return notification.value != 0 ? Status::ok : zero_value(call, notification.id);
  }
  /// Operations on ranks of other nodes; there if there are any.
  RemoteRma &far() { return *remote_; }
  /// Drives progress of the network, where there are other nodes.
  void poll() const {
    if (remote_) network_.poll();
  }

  const NotificationWords &my_words() const { return parts_.of(communicator_.member()).words; }
  /// The first notification from `first` to before `end` that this rank may take; `end` if there is none.
  int find(int first, int end) const { return my_words().notifications.find(first, end); }
  /// Sets a notification of any rank, and wakes the ranks that may wait for it.
  Status tell(const char *call, int rank, hlc_notification notification) {
    const Member member = parts_.member_of(rank);
    if (member == kNotOnNode) return remote_->notify(call, rank, notification);
    parts_.of(member).words.notifications.set(notification.id, notification.value);
    ring(member);
    return Status::ok;
  }
  /// Raises the word of a barrier round of any rank, and wakes that rank.
  Status tell_round(const char *call, int rank, int round, std::uint32_t number) {
    const Member member = parts_.member_of(rank);
    if (member == kNotOnNode) return remote_->notify(call, rank, {NotificationWords::first_monotonic(notifications_) + round, number});
    parts_.of(member).words.raise(round, number);
    communicator_.doorbell().ring(member);
    return Status::ok;
  }

  /// Before this rank leaves the library: waits until what `call` has sent to other nodes has left this process.
  Status flush_outgoing(const char *call) const { return remote_ ? network_.requests()->flush_outgoing(call) : Status::ok; }

  /// For waits: whether a process of the node has ended, or the wait has timed out.
  WaitStatus check_failure(const Wait &wait) const;
  /// For waits: whether a request to a rank of another node has failed.
  Status check_network(const char *call) const { return remote_ ? network_.requests()->failures().look_for_failure(call) : Status::ok; }
  /// The name of a rank in messages, with its host if it is on another node.
  std::string name_of(int rank) const;
  Status wrong_rank(const char *call, int rank) const;
  Status wrong_id(const char *call, const char *argument, int id) const;
  Status zero_value(const char *call, int id) const;

  Status describe(int rank, hlc_segment_info_t *info) const;

  BarrierCount barriers;
  /// The segment's number among the plans of the communicator.
  std::int64_t plan() const { return plan_; }

 private:
  /// To be called after a word was set that a member may wait for.
  void ring(Member member) const {
    if (shared_)
      communicator_.ring_node();
    else
      communicator_.doorbell().ring(member);
  }
  void find_parts();
  Status connect();
  Status wrong_offset(const char *call, Target target, Extent extent, std::int64_t bytes) const;

  Network &network_;
  Communicator &communicator_;
  std::int64_t plan_ = 0;
  int notifications_ = 0;
  bool shared_ = false;
  SharedMemory memory_;
  NodeParts parts_;
  std::unique_ptr<RemoteRma> remote_;  // destroyed before the memory
  CountedShared counted_;  // if its notifications are shared
};

}  // namespace halocline::core
