// The links of mode notify_node from this node to others: the memory in which its ranks pack and unpack, and the connections. Made with
// the plan; node_wire.cpp does the rounds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "base/counter.hpp"
#include "engine/communicator/collective.hpp"
#include "engine/memory/node_memory.hpp"
#include "engine/network/slot_channel.hpp"
#include "exchange/channel.hpp"
#include "exchange/handshake.hpp"
#include "exchange/modes/aggregates.hpp"

namespace halocline::core {

inline constexpr std::size_t kSlots = 2;
/// The channel of an aggregate. Nothing announces that a slot has been read: node_wire.cpp says what proves it. The head of a slot says how
/// many writes have been sent. The counter `word` counts notices of a lost rank.
inline constexpr SlotForm kAggregateForm{
    .slots = kSlots, .sources = kSlots, .frees = false, .says_pieces = true, .greets_both_ways = false};

/// Which rank is lost, and which rank detected it. One word in shared memory and in messages, so that it is never torn; 0: no rank is lost.
struct Loss {
  int rank = -1, finder = -1;

  static Loss of(std::uint64_t word) { return {static_cast<int>(word >> 32) - 1, static_cast<int>(word & 0xFFFF'FFFF) - 1}; }
  std::uint64_t word() const { return (static_cast<std::uint64_t>(rank) + 1) << 32 | (static_cast<std::uint64_t>(finder) + 1); }
};

/// What all ranks of this node share about the plan. Each part begins with it; that of the node's first rank is used.
struct NodeWords {
  alignas(kLinePair) std::atomic<std::uint64_t> lost;  // written once, by the first rank of the node that detects a failure
};
static_assert(sizeof(NodeWords) % kLinePair == 0);

/// What ranks of the other node need to write an aggregate to this one.
struct ReachDescriptor {
  SlotDescriptor leader;  // its memory begins with the target
  int rank = 0;  // the leader's
  std::array<std::uint64_t, kAggregateForm.immediates()> immediates{};
};

/// What the ranks of this node share about an aggregate, in their memory.
struct AggregateWords {
  std::array<Counter, kSlots> first, further;  // pieces received, by slot: of each message the first, and those beyond it
  Counter loss;  // notices received; all of these are raised in the leader's process
  std::array<Counter, kSlots> sent;  // the last round whose aggregate has left this slot; written by its sender
  struct alignas(kLinePair) Packing {
    std::atomic<std::uint64_t> used;  // bytes that packing ranks have taken
    std::atomic<std::uint64_t> packed;  // ranks that have packed all
    std::uint64_t further;  // pieces beyond the first, of all rounds; used by the sender alone
  };
  std::array<Packing, kSlots> packing;  // of the round that is being packed
  ReachDescriptor reach;  // written by the leader, once
};

/// The word of a target that notices are written to.
inline std::uint64_t &notice_in(char *target) { return reinterpret_cast<std::uint64_t *>(target)[1]; }
/// The first word of a slot: how many pieces have been sent into it beyond the first ones, in all rounds so far.
inline std::uint64_t &further_in(char *slot) { return *reinterpret_cast<std::uint64_t *>(slot); }
/// The word that says where the data of an edge begin, from the slot's first byte on; the edge by its number in the aggregate.
inline std::uint64_t &begin_in(char *slot, std::int64_t number) { return reinterpret_cast<std::uint64_t *>(slot)[1 + number]; }

/// What the two ends of an edge send each other.
struct NodeDescriptor {
  ReachDescriptor reach;  // of the aggregate that the edge belongs to
  std::int64_t number = 0;  // of the edge in it, as the sender counts
};

/// The connection with one other node, as this rank sees it.
struct NodeLink {
  Aggregate aggregate;
  int some_rank = -1;  // a neighbour there, for messages
  AggregateWords *words = nullptr;
  std::array<char *, kSlots> receive{}, send{};
  char *target_at = nullptr, *notice_at = nullptr;
  std::int64_t head_bytes = 0;
  SlotMemory memory;  // `in`, of the leader: the target and the slots to receive in; `out`: the notice and the slots to send from
  SlotChannel *channel = nullptr;  // to the leader there
  // Of the running round:
  std::int64_t share = 0, next = 0;  // bytes that this rank packs; where the next edge is packed
  int left = 0;  // edges to be packed
  bool placed = false, counted = true, arrived = false;
  std::array<std::uint64_t, kSlots> posted{};  // the round that this rank has sent from a slot, until it has left; 0: none

  AggregateWords::Packing &packing(std::uint64_t round) const { return words->packing[round % kSlots]; }
  /// The offset of this rank's data in a round that is not as planned.
  std::int64_t take_room(std::uint64_t round) const {
    return static_cast<std::int64_t>(packing(round).used.fetch_add(static_cast<std::uint64_t>(share), std::memory_order_relaxed));
  }
  /// True if the slot of this round can be packed: what was sent from it before has left.
  bool is_free(std::uint64_t round) const {
    // SYNC left-before-packed (pairs with note_left)
    return round <= kSlots || reached(words->sent[round % kSlots], round - kSlots);
  }
  /// True if the other node's aggregate of this round has arrived.
  bool has_arrived() {
    if (arrived) return true;
    // SYNC unpacked-before-packed (pairs with count_me, at the other node)
    if (!channel->in.has_arrived()) return false;
    const std::size_t slot = channel->in.slot();
    // SYNC payload-before-immediate (pairs with Endpoint::take_immediate)
    arrived = reached(words->further[slot], further_in(receive[slot]));
    return arrived;
  }
  /// Notifies the node's ranks of an aggregate that this rank has sent from a slot, if it has left.
  bool note_left(std::size_t slot) {
    if (posted[slot] == 0 || !channel->out.has_left(slot)) return false;
    // SYNC left-before-packed (pairs with is_free)
    notify(words->sent[slot], posted[slot]);
    posted[slot] = 0;
    return true;
  }
};

/// All links of one rank. Nothing but the constructor and create allocates.
class NodeLinks {
 public:
  using Link = NodeLink;

  /// The link of an edge, and the edge's number in the aggregates.
  struct EdgeLink {
    std::size_t link = 0;
    std::int64_t number = 0, peer_number = 0;  // in the aggregate that is sent, and in the one that is received
  };

  NodeLinks(Plan &plan, const std::vector<int> &edges);
  NodeLinks(const NodeLinks &) = delete;
  NodeLinks &operator=(const NodeLinks &) = delete;
  /// Leaks what libfabric may still read.
  ~NodeLinks();

  /// Makes the memory and the connections, which work when it returns. Collective over the plan's communicator, the same status on all
  /// ranks.
  Status create();
  /// The plan has failed: frees what the network can no longer access.
  void abandon();

  std::vector<Link> &all() { return made_->links; }
  const std::vector<Link> &all() const { return made_->links; }
  Link &of(int edge) { return made_->links[edge_link(edge).link]; }
  SlotChannels &channels() { return made_->channels; }
  const SlotChannels &channels() const { return made_->channels; }
  const EdgeLink &edge_link(int edge) const { return edge_links_[static_cast<std::size_t>(edge)]; }
  NodeWords &words() const { return *reinterpret_cast<NodeWords *>(made_->memory.part(0)); }
  /// Ranks of this node that contribute to the same aggregates as this rank.
  const std::vector<Member> &partners() const { return partners_; }
  std::int64_t memory_bytes() const;

 private:
  /// What the network may read or write. It is leaked if the network may still do so when the plan is destroyed.
  struct Made : LeakedOnFailure {
    SharedMemory memory;  // of the aggregates: destroyed after what registers it
    std::vector<Link> links;
    SlotChannels channels;

    explicit Made(Network &network)
        : channels(network, "set HALOCLINE_INTERFACE to another interface, or HALOCLINE_PROVIDER=none to use no network", Status::timeout) {
    }
  };

  std::int64_t carried_bytes() const;
  bool is_leader(const Link &link) const { return link.aggregate.leader == plan_.topology->member(); }
  Status share_contributions(const Descriptors &nodes);
  void take(std::vector<Aggregate> aggregates, const std::vector<std::int64_t> &node_of);
  Status open_all();
  Status open(Link &link);
  void write_reach(Link &link) const;
  std::unique_ptr<DescriptorsOf<NodeDescriptor>> write_descriptors();
  Status connect_all(const std::vector<NodeDescriptor> &theirs);
  static Status connect(Link &link, const ReachDescriptor &reach);
  template <class Part>
  Status prepare(Part part) {
    return halocline::core::prepare(*plan_.communicator, plan_.comm, part);
  }

  Plan &plan_;
  const std::vector<int> &edges_;
  Network &network_;
  std::unique_ptr<Made> made_;
  std::vector<EdgeLink> edge_links_;  // by edge
  std::vector<Member> partners_;
  CountedShared shared_;  // any rank of the node may wait for the arrivals
};

}  // namespace halocline::core
