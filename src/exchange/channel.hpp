// The contract of a mode. A channel carries a set of edges (neighbours) with one method of synchronisation. An exchange has one channel, or
// several where a mode reaches some neighbours through shared memory and others through MPI. Files in modes/ are its implementations.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/halocline.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/leaked_on_failure.hpp"
#include "base/status.hpp"
#include "engine/communicator/topology.hpp"
#include "engine/communicator/wake_up.hpp"
#include "engine/memory/field_place.hpp"
#include "exchange/engine_parts.hpp"
#include "exchange/swap.hpp"

namespace halocline::core {

/// A neighbour as one rank sees it, joined to one edge of that neighbour. Bytes are the most that one round moves.
struct Edge {
  int rank = 0;
  int tag_out = 0, tag_in = 0;  // my out goes to the peer's edge whose tag_in is my tag_out
  std::int64_t out = 0, in = 0;  // of a whole round
  std::int64_t space_out = 0, space_in = 0;  // of any round: a reverse round swaps the two
  std::int64_t entries_out = -1, entries_in = -1;  // an index halo's: what the two ends compare, instead of bytes
  std::int64_t shape = 0;  // must be the same at both ends: a hash of what the bytes mean
  // Mode direct: 0: my side of this edge cannot be read by the peer. Else it can, if the peer has the same number: what says how the two read.
  int readable = 0;
  // Found by the handshake:
  int peer_edge = -1;  // the index of the joined edge in the peer's list
  int peer_readable = 0;
  Member member = kNotOnNode;  // the peer, if it is on this node
  std::string host;  // the peer's host, if it is on another node
};

/// Whether each end reads the other's fields in place. Descriptors of such fields are sent with kReadDescriptorTag plus the receiver's
/// edge.
inline bool is_read(const Edge &edge) { return edge.member != kNotOnNode && edge.readable != 0 && edge.readable == edge.peer_readable; }
inline constexpr int kReadDescriptorTag = 3;

/// What the running round moves over an edge; both 0: the edge takes no part.
struct Part {
  std::int64_t out = 0, in = 0;
  bool active() const { return out > 0 || in > 0; }
};

/// Indices into a plan's edges.
using Edges = std::span<const int>;

/// The options of a plan, which its channels follow.
struct Options {
  hlc_mode mode = HLC_MODE_DEFAULT;
  hlc_epoch epoch = HLC_EPOCH_DEFAULT;
  hlc_drive drive = HLC_DRIVE_DEFAULT;
  bool says_detours = true;  // report edges whose fields cannot be read, though the mode would
  bool chosen = false;  // by the library in mode auto, and not by the caller
  int stages = 1;  // exchanges that move a swap's data one after the other
  std::string name = {};  // the caller's name for the plan, for messages; may be empty
};

/// What all channels of an exchange share. The parts are set before each round.
struct Plan {
  Communicator *communicator = nullptr;
  const Topology *topology = nullptr;  // the same ranks, where nothing is sent
  Network *network = nullptr;
  Packings *packings = nullptr;
  CheckMailbox *check_mailbox = nullptr;  // null unless HALOCLINE_CHECK=1
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm lent_comm = MPI_COMM_NULL;  // then comm is this one; null: the exchange has its own
  SwapTimes *times = nullptr;  // of the caller's plan, which may have several exchanges
  Options options;
  std::vector<Edge> edges;
  std::vector<Part> parts;
  int ndims = 0;  // a halo's, whose tags are directions as hlc_halo_spec counts its neighbours; 0: tags are the caller's own
  bool copies_cells = false;  // the packer packs by copying, so that it can do so past the caches
  bool whole_round = true;  // the same on all ranks: the round moves every edge as planned
  bool open_blocks = false;  // the start of a round may wait inside MPI until the neighbours start it, too
  // Where my fields are in the running round, for the ranks that read them; empty unless they may move between rounds. Entries of fields
  // that the round does not move are not used.
  std::vector<FieldPlace> places;
  RoundState state;  // of the calls of the exchange's owner
  bool views_out = false;  // what arrived in the running round, or in the last one, is shown in place: it has not been released

  /// The name of a rank in messages, with its host if it is a neighbour on another node.
  std::string name_of(int rank) const {
    for (const Edge &edge : edges)
      if (edge.rank == rank && !edge.host.empty()) return "rank " + std::to_string(rank) + " on host " + edge.host;
    return "rank " + std::to_string(rank);
  }
  /// "plan 'flow'", or "plan 2" without a name (swap_times.cpp).
  std::string text() const;
};

/// Steps of a round that may block until the peers have done the same.
struct BlockingSteps {
  bool open = false, poll = false;
};

/// Carries the edges of one set. A round is: open; place, (pack) and send for each edge with out > 0; launched. Then poll until every edge
/// with in > 0 has arrived, each followed by (unpack) and release. Then close until it is ok. A channel that does not pack leaves out
/// place, pack and send, and its edges are copied from the neighbour's memory. Nothing but create allocates.
class Channel : public LeakedOnFailure {
 public:
  Channel(Plan &plan, std::vector<int> edges, bool packs = true) : plan_(plan), edges_(std::move(edges)), packs_(packs) {}

  /// Makes what the channel needs. Collective over the plan's communicator, also for ranks without edges. The destructor frees what there
  /// is of it, and is then collective too.
  virtual Status create() = 0;
  /// The plan's parts differ from those of the last round. Called between rounds, also before the first one.
  virtual void parts_changed() {}
  /// Begins a round.
  virtual Status open() = 0;
  /// False if all edges are read in the neighbour's memory.
  bool packs() const { return packs_; }
  /// Where to pack what edge sends; `again` while the peer has not freed the place. Only for a channel that packs.
  virtual Status place(int, void **) { return Status::ok; }
  /// Edge is packed: send it. Only for a channel that packs.
  virtual Status send(int) { return Status::ok; }
  /// Every edge has been sent.
  virtual Status launched() { return Status::ok; }
  /// Names an edge whose data have arrived, each once in a round; `again` if there is none now. A channel has this or poll_several.
  virtual Status poll(int *) { return Status::again; }
  /// Names edges whose data have arrived, each once in a round; `again` if there are none now. The list is valid until the next call. If it
  /// fails it names the edge at fault, or nothing.
  virtual Status poll_several(Edges *received) {
    one_ = -1;
    const Status status = poll(&one_);
    *received = {&one_, one_ < 0 ? std::size_t{0} : std::size_t{1}};
    return status;
  }
  /// The data of an edge that has arrived; NULL if the edge is read directly.
  virtual const void *arrived(int edge) const = 0;
  /// Where the peer's fields are in the running round, once the edge has arrived. Empty if it is not read directly, or fields do not move.
  virtual std::span<const FieldPlace> places(int) const { return {}; }
  /// Edge is unpacked, or has been read.
  virtual Status release(int edge) = 0;
  /// The same for several edges.
  virtual Status release_several(Edges edges) {
    for (const int e : edges) HLC_TRY(release(e));
    return Status::ok;
  }
  /// Wakes the sleeping peers that have been notified since the last call. Called before every pause and at the ends of start and finish.
  /// It is not called after each notification: its fence waits until all stores so far have left the core.
  void wake_peers() {
    if (notified_) ring_peers();
    notified_ = false;
  }
  /// Ends a round: ok once no peer needs my data any more, else `again` with the rank it waits for. While views are out, peers may still
  /// read my data of this round, and only earlier rounds are waited for.
  virtual Status close(int *rank) = 0;

  /// Called after the last round, before the destructor: ok once no peer sends it anything any more, else `again` with the rank awaited.
  virtual Status settle(int *) { return Status::ok; }

  /// Which steps may block inside MPI, so that a test that must not wait cannot use them.
  virtual BlockingSteps blocks() const { return {}; }
  /// True if packing past this core's caches was measured to be faster: what is packed here is read by the peer's core next.
  bool packs_past_caches() const { return past_caches_; }
  /// Ranks of this node without whose progress the round cannot end. They need not be neighbours.
  virtual const std::vector<Member> &partners() const { return no_partners_; }
  /// Called every 10 ms of a wait: peer_died once a rank is known to be lost without which rounds cannot end.
  virtual Status look_for_lost() { return Status::ok; }
  /// A rank is lost, and this rank fails because of it. Ranks that wait for this one should fail for the same reason.
  virtual void report_lost(int) {}
  /// Number of writes to other nodes that were begun so far.
  virtual std::int64_t network_writes() const { return 0; }
  /// False if all edges arrive at once, so that it is not known which neighbour is late.
  virtual bool knows_who() const { return true; }
  /// True if MPI or the network may still write into its memory when a round has failed: the channel is then never destroyed.
  virtual bool outlives_failure() const { return wake_up() == WakeUp::by_polling; }
  /// The channel will never be destroyed: it frees what neither MPI nor the network can still access.
  virtual void abandon() {}
  virtual std::int64_t memory_bytes() const = 0;
  virtual WakeUp wake_up() const { return WakeUp::by_polling; }
  const std::vector<int> &edges() const { return edges_; }

 protected:
  /// What a rank does alone in create; all leave with the same status.
  template <class Part>
  Status prepare(Part part) {
    return prepare_by([](void *of) { return (*static_cast<Part *>(of))(); }, &part);
  }
  const Edge &edge(int index) const { return plan_.edges[static_cast<std::size_t>(index)]; }
  const Part &part(int index) const { return plan_.parts[static_cast<std::size_t>(index)]; }

  Plan &plan_;
  std::vector<int> edges_;  // indices into plan_.edges
  bool past_caches_ = false;
  bool notified_ = false;  // a peer was notified since the peers were last woken

 private:
  virtual void ring_peers() {}
  Status prepare_by(Status (*step)(void *), void *of);

  bool packs_;
  std::vector<Member> no_partners_;
  int one_ = -1;  // what poll has named
};

/// Makers of channels, one per file in modes/. Local; create follows.
using MakeChannel = std::unique_ptr<Channel> (*)(Plan &plan, std::vector<int> edges);
std::unique_ptr<Channel> make_p2p(Plan &plan, std::vector<int> edges);
std::unique_ptr<Channel> make_neighbor(Plan &plan, std::vector<int> edges);
std::unique_ptr<Channel> make_fence(Plan &plan, std::vector<int> edges);
std::unique_ptr<Channel> make_pscw(Plan &plan, std::vector<int> edges);
std::unique_ptr<Channel> make_passive(Plan &plan, std::vector<int> edges);
std::unique_ptr<Channel> make_passive_naive(Plan &plan, std::vector<int> edges);
std::unique_ptr<Channel> make_notify(Plan &plan, std::vector<int> edges);
std::unique_ptr<Channel> make_wire(Plan &plan, std::vector<int> edges);
std::unique_ptr<Channel> make_direct(Plan &plan, std::vector<int> edges);
std::unique_ptr<Channel> make_node_wire(Plan &plan, std::vector<int> edges);

}  // namespace halocline::core
