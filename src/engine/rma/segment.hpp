// Memory that all ranks make together: some bytes and notifications of each. A segment finds every rank's memory (remote_memory.hpp), on
// which the operations work (operations.hpp); its barrier is in engine/sync.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/segment.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/notifications.hpp"
#include "engine/communicator/communicator.hpp"
#include "engine/memory/node_memory.hpp"
#include "engine/memory/rank_table.hpp"
#include "engine/network/network.hpp"
#include "engine/rma/remote_memory.hpp"

namespace halocline::core {

class ExposedMemory;
class Wait;

/// What a rank gives to a segment. `notifications` and `shared` are the same on all ranks.
struct SegmentSpec {
  std::int64_t bytes = 0;
  int notifications = 0;
  bool shared = false;  // the ranks of a node share notifications
  bool pauses_queries = false;  // a rank that is alone on its node changes its own numbers only while it pauses the service of queries
  char *memory = nullptr;  // of the application, which keeps it until the segment has ended; null: it is allocated. Each rank may choose.
  Pages pages = Pages::reserved;  // of what is allocated
};

/// One rank's part in the node's shared memory:
///
///   | PartHeader | notifications | a word per round of the barrier | a dummy target | the rank's bytes, from a page on |
///
/// The header is written once, by its rank. A notification is set by any rank and taken by its owner. Where the ranks of the node share
/// notifications, all use those in the part of the first, and any rank of the node takes them. Other nodes access what follows the words.
/// Where the application provides a rank's bytes, its part ends with the dummy target, which then holds the lock of atomics.
struct alignas(kLinePair) PartHeader {
  std::int64_t bytes;
  std::uint64_t memory;  // the address of the application's memory in its process, else 0
};
static_assert(sizeof(PartHeader) == kLinePair);

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

/// The memory of all ranks of a communicator. Made and ended collectively. Any thread may call the other functions.
class Segment {
 public:
  explicit Segment(Network &network);
  Segment(const Segment &) = delete;
  Segment &operator=(const Segment &) = delete;
  ~Segment();

  /// Checks the spec on this rank, for the function `call`.
  Status check(const char *call, const SegmentSpec &spec) const;
  /// Makes the memory; all ranks have checked their specs. Collective.
  Status create(const char *call, const SegmentSpec &spec);
  /// Waits for all ranks before the segment is freed; `broken` if a barrier has failed on any of them. Collective.
  Status end(bool broken);

  Network &network() const { return network_; }
  Communicator &communicator() const { return communicator_; }
  int rank() const { return communicator_.rank(); }
  int notifications() const { return notifications_; }

  /// A rank's memory: of this node's ranks an object, of others a value that is made from the node's table. The rank exists.
  RemoteMemory memory_of(int rank) const {
    const Member member = member_of(rank);
    return member != kNotOnNode ? of(member) : remote(rank);
  }
  /// This rank's memory.
  const RemoteMemory &mine() const { return of(communicator_.member()); }
  /// Calls use(memory of a rank) without a copy of it; fails for a rank that does not exist.
  template <class Use>
  Status with(const char *call, int rank, Use use) const {
    if (const RemoteMemory *usual = find_usual(rank)) return use(*usual);
    std::optional<RemoteMemory> made;
    const RemoteMemory *memory = find_memory(call, rank, made);
    return memory ? use(*memory) : Status::argument;
  }
  /// The memory of a rank of this node if their ranks are consecutive, as usual; else it may be null.
  const RemoteMemory *find_usual(int rank) const {
    if (rank < 0) return nullptr;
    const int guess = rank - node_.front().rank();
    return guess >= 0 && guess < communicator_.members() && of(guess).rank() == rank ? &of(guess) : nullptr;
  }

  /// Drives progress of the network, where there are other nodes.
  void poll() const {
    if (communicator_.nodes() > 1) network_.poll();
  }
  /// The first notification from `first` to before `end` that this rank may take; `end` if there is none.
  int find(int first, int end) const { return mine().words().notifications.find(first, end); }
  /// Before this rank leaves the library: waits until what `call` has sent to other nodes has left this process.
  Status flush_outgoing(const char *call) const;

  /// For waits: whether a process of the node has ended, or the wait has timed out.
  WaitStatus check_failure(const Wait &wait) const;
  /// For waits: whether a request to a rank of another node has failed.
  Status check_network(const char *call) const;
  /// The name of a rank in messages, with its host if it is on another node.
  std::string name_of(int rank) const;

  BarrierCount barriers;
  /// The segment's number among the plans of the communicator.
  std::int64_t plan() const { return plan_; }

 private:
  const RemoteMemory &of(Member member) const { return node_[static_cast<std::size_t>(member)]; }
  RemoteMemory remote(int rank) const { return {network_, rank, descriptors_.of(rank), notifications_}; }
  /// The member that a rank is, kNotOnNode if it is on another node. Members are numbered in the order of their ranks.
  Member member_of(int rank) const {
    if (const RemoteMemory *usual = find_usual(rank)) return usual->member();
    const auto found =
        std::lower_bound(node_.begin(), node_.end(), rank, [](const RemoteMemory &memory, int wanted) { return memory.rank() < wanted; });
    return found != node_.end() && found->rank() == rank ? static_cast<Member>(found - node_.begin()) : kNotOnNode;
  }
  /// Finds a rank's memory, or makes it in `made`; null if there is no such rank.
  const RemoteMemory *find_memory(const char *call, int rank, std::optional<RemoteMemory> &made) const;
  Status make_memory(const SegmentSpec &spec, const char *user_memory);
  void list_memory(char *user_memory);
  Status connect(bool user_memory, bool pauses_queries);

  Network &network_;
  Communicator &communicator_;
  std::int64_t plan_ = 0;
  int notifications_ = 0;
  bool shared_ = false;
  SharedMemory object_;
  std::vector<RemoteMemory> node_;  // by member
  RankTable<RemoteDescriptor> descriptors_;  // there if there are other nodes, as the next
  std::unique_ptr<ExposedMemory> exposed_;  // destroyed before the object
  CountedShared counted_;  // if its notifications are shared
};

// Waiting for this rank's notifications, specified in halocline/segment.h. Any thread may call.
Status notify_wait(CallName call, Segment &segment, hlc_ids ids, int *id);
Status notify_test(const char *call, Segment &segment, hlc_ids ids, int *id);
Status notify_reset(const char *call, Segment &segment, int id, std::uint32_t *value);

}  // namespace halocline::core
