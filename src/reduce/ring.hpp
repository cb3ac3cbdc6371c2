// One rank's part of the ring over the nodes. For each of its lanes it receives from its counterpart on the node before, and sends to that
// on the node after. Each direction is a channel of slots. For few elements, in doubling, these are the nodes 2^l before and after for lane l.
// Source: Simmendinger et al., section 5.4.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "engine/communicator/collective.hpp"
#include "engine/network/network.hpp"
#include "engine/network/slot_channel.hpp"
#include "reduce/plan.hpp"

namespace halocline::core {

/// Made and ended collectively. Only create allocates.
///
/// A chunk is a message in a slot of the receiver's shared memory. A receiver that has read a slot announces that to the sender, which
/// checks this before it writes the slot again. Where there are slots for two runs, nothing is announced. Then a run's result proves that
/// the run before has been read. It has contributions of all nodes, and each was sent after all ranks of its node gave something.
class Ring : public LeakedOnFailure {
 public:
  /// `messages`: the number that a lane sends in each run.
  Ring(Network &network, const Layout &layout, std::int64_t messages);

  /// Takes over the memory that Layout describes, and connects my lanes. Collective over the communicator.
  Status create(SharedMemory memory);
  /// Ends a ring that could not be made; leaks it if the provider still reads or writes its memory.
  static void retire(std::unique_ptr<Ring> ring);
  char *part(Member member) const { return memory_.part(member); }
  int lanes() const { return static_cast<int>(numbers_.size()); }
  /// Number of ranks on a node.
  int ranks_on(int node) const { return ranks_on_[static_cast<std::size_t>(node)]; }

  /// Receives the next chunk of a lane: `expect` once, then `has_arrived` until it is true; its bytes are at `incoming` until `release`.
  void expect(int lane, std::int64_t bytes) { from(lane).in.expect(bytes); }
  bool has_arrived(int lane) const { return from(lane).in.has_arrived(); }
  const char *incoming(int lane) const;
  void release(int lane) { from(lane).in.free(); }

  /// Sends the content of a lane's result slot, once the receiver has room for it: `has_room` until it is true, then `send`.
  bool has_room(int lane) const { return to(lane).out.has_room(); }
  void send(int lane, int slot, std::int64_t bytes);
  /// True if the last message from a result slot has left.
  bool has_left(int lane, int slot) const { return to(lane).out.has_left(static_cast<std::size_t>(slot)); }

  /// True if all that I have sent has left this process.
  bool is_quiet() const { return channels_.is_quiet(); }
  /// True if it has also been read, so that nothing for this ring is under way any more.
  bool is_settled() const { return channels_.is_settled(); }
  /// Drives progress of the network, and fails if a write of mine has failed.
  Status progress() { return channels_.progress(); }
  /// Fails if a rank that was reached once no longer is; for long waits.
  Status find_lost();

  /// The rank that a lane receives from or sends to.
  int before(int lane) const { return from(lane).rank(); }
  int after(int lane) const { return to(lane).rank(); }
  std::string name_of(int rank) const { return network_.liveness()->name_of(rank); }

 private:
  /// A channel whose peer is not known yet, with the ranks and tags of its descriptors.
  struct Join {
    int rank = -1, tag_out = 0, tag_in = 0;
  };
  struct Talk;

  Status open_channels();
  std::vector<Join> find_peers(const std::vector<int> &nodes);
  Status swap_descriptors(std::unique_ptr<Talk> &talk);
  Status connect(const Talk &talk);
  std::int64_t incoming_at(int lane, int slot) const { return layout_.incoming_at(communicator_.member(), slot, lane); }
  SlotChannel &from(int lane) { return channels_[2 * static_cast<std::size_t>(lane)]; }
  SlotChannel &to(int lane) { return channels_[2 * static_cast<std::size_t>(lane) + 1]; }
  const SlotChannel &from(int lane) const { return channels_[2 * static_cast<std::size_t>(lane)]; }
  const SlotChannel &to(int lane) const { return channels_[2 * static_cast<std::size_t>(lane) + 1]; }

  Network &network_;
  Communicator &communicator_;
  Layout layout_;
  bool announces_room_;
  SharedMemory memory_;
  SlotMemory registered_;  // the same memory
  std::vector<int> numbers_;  // of my lanes
  SlotChannels channels_;  // per lane: from the node before, to the node after
  std::vector<int> ranks_on_;  // by node
};

}  // namespace halocline::core
