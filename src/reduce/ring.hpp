// One rank's part of the ring over the nodes. For each of its lanes it receives from its counterpart on the node before, and sends to that
// on the node after. For few elements, in doubling, these are the nodes 2^l before and after for lane l. Sources: Simmendinger et al.,
// section 5.4; the same protocol as exchange/modes/wire.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "engine/communicator/collective.hpp"
#include "engine/context/context.hpp"
#include "engine/network/network_transport.hpp"
#include "reduce/plan.hpp"

namespace halocline::core {

/// Made and ended collectively. Only create allocates.
///
/// A chunk is a put with notification into a slot of the receiver's shared memory. A receiver that has read a slot announces that to the
/// sender, which checks this before it writes the slot again. Where there are slots for two runs, nothing is announced. Then a run's result
/// proves that the run before has been read. It has contributions of all nodes, and each was sent after all ranks of its node gave
/// something. Slots and pieces are counted one by one: the network may deliver in any order.
class Ring : public LeakedOnFailure {
 public:
  /// `messages`: the number that a lane sends in each run.
  Ring(Context &context, const Layout &layout, std::int64_t messages)
      : context_(context), layout_(layout), announces_room_(layout.slots < 2 * messages) {}
  ~Ring() override;

  /// Takes over the memory that Layout describes, and connects my lanes. Collective over the context.
  Status create(SharedMemory memory);
  /// Ends a ring that could not be made; leaks it if the provider still reads or writes its memory.
  static void retire(std::unique_ptr<Ring> ring);
  char *part(Member member) const { return memory_.part(member); }
  int lanes() const { return static_cast<int>(lanes_.size()); }
  /// Number of ranks on a node.
  int ranks_on(int node) const { return ranks_on_[static_cast<std::size_t>(node)]; }

  /// Receives the next chunk of a lane: `expect` once, then `has_come` until it is true; its bytes are at `incoming` until `release`.
  void expect(int lane, std::int64_t bytes);
  bool has_come(int lane) const;
  const char *incoming(int lane) const;
  void release(int lane);

  /// Sends the content of a lane's result slot, once the receiver has room for it: `has_room` until it is true, then `send`.
  bool has_room(int lane) const;
  void send(int lane, int slot, std::int64_t bytes);
  /// True if the last message from a result slot has left.
  bool has_left(int lane, int slot) const;

  /// True if all that I have sent has left this process.
  bool is_quiet() const;
  /// True if it has also been read, so that nothing for this ring is under way any more.
  bool is_settled() const;
  /// Drives progress of the network, and fails if a write of mine has failed.
  Status progress();
  /// Fails if a rank that was reached once no longer is; for long waits.
  Status find_lost();

  /// The rank that a lane receives from or sends to.
  int before(int lane) const { return lanes_[static_cast<std::size_t>(lane)].before.rank; }
  int after(int lane) const { return lanes_[static_cast<std::size_t>(lane)].after.rank; }
  std::string name_of(int rank) const { return context_.network().liveness()->name_of(rank); }

 private:
  bool is_on_its_way(int rank) const;

  /// What a rank sends to its two neighbours in a lane. The ids of its registered counters follow: those for arriving chunks, one per slot,
  /// then those for chunks that have been read.
  struct Descriptor {
    RankAddress rank;
    transport::RemoteKey memory;
    std::int64_t incoming = 0, slot_distance = 0;  // of its slots, in its part
    std::uint64_t greeting_from_before = 0, greeting_from_after = 0;
  };
  /// One neighbour in the ring.
  struct Peer {
    int rank = -1;
    bool met = false;
    transport::Address address;
    Transfer greeting;
    Counter greeted;
    std::uint64_t greeted_word = 0;
    bool is_registered = false;  // the counter `greeted`

    void leave(NetworkEndpoint &endpoint);
  };
  /// One lane; its slots are used in turn.
  struct Lane {
    int number = 0;
    Peer before, after;
    std::vector<Counter> arrived, freed;  // per slot: pieces that have arrived; chunks of mine that have been read
    std::vector<std::uint64_t> arrived_words, freed_words;
    std::vector<std::uint64_t> awaited;  // per slot: pieces that must have arrived
    std::vector<std::uint64_t> chunk_immediate;  // per slot: id of the receiver's counter
    std::vector<std::uint64_t> addresses;  // of the receiver's slots
    std::vector<std::vector<Transfer>> sending;  // per result slot, its pieces
    std::vector<Transfer> freeing;  // per slot
    std::uint64_t sent = 0, received = 0;
    std::size_t registered = 0;

    /// Ends the peers' access to the counters, and the connections.
    void leave(NetworkEndpoint &endpoint);
    /// Withdraws the transfers that wait for room at the provider.
    void withdraw(NetworkEndpoint &endpoint);
    /// Makes the transfers of chunks to the receiver; `words`: the ids of its counters.
    void aim_chunks(const Descriptor &descriptor, const std::uint64_t *words, const Transfer &model);
  };
  struct Talk;

  Status make_lanes();
  Status find_peers(const std::vector<int> &nodes);
  Status listen();
  void write_descriptors(Talk &talk) const;
  Status swap_descriptors(std::unique_ptr<Talk> &talk);
  Status connect(const Talk &talk);
  Status meet(Peer &peer, const Descriptor &descriptor, Transfer *model);
  Status greet();
  Status await_greetings();
  Status unreached(int rank, const char *reason) const;
  Status name_me(Status status) const;
  Lane &lane(int i) { return lanes_[static_cast<std::size_t>(i)]; }
  const Lane &lane(int i) const { return lanes_[static_cast<std::size_t>(i)]; }
  std::size_t slots() const { return static_cast<std::size_t>(layout_.slots); }
  std::uint64_t pieces(std::int64_t bytes) const;
  template <class Look>
  void for_each_transfer(Look look) const;

  Context &context_;
  Layout layout_;
  bool announces_room_;
  SharedMemory memory_;
  NetworkSegment for_peers_, for_me_;  // the same memory, registered for others' writes and for my sends
  NetworkEndpoint *endpoint_ = nullptr;
  std::vector<Lane> lanes_;
  std::vector<int> ranks_on_;  // by node
  std::uint64_t failures_ = 0;
};

}  // namespace halocline::core
