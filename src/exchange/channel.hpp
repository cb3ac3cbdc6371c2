// The contract of a mode. A channel carries a set of edges (neighbours) one way of synchronising; an exchange is one channel, or several side
// by side where a mode reaches some neighbours through shared memory and others through MPI. Files in modes/ are its implementations.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/communicator/collective.hpp"
#include "engine/communicator/wait.hpp"
#include "engine/context/context.hpp"

namespace halocline {

/// A neighbour as one rank sees it, joined to one edge of that neighbour. Bytes are the most that one round moves.
struct Edge {
  int rank = 0;
  int tag_out = 0, tag_in = 0;  // my out goes to the peer's edge whose tag_in is my tag_out
  std::int64_t out = 0, in = 0;  // of a whole round
  std::int64_t space_out = 0, space_in = 0;  // of any round: a reverse round swaps the two
  std::int64_t entries_out = -1, entries_in = -1;  // an index halo's: what the two ends compare, instead of bytes
  std::int64_t shape = 0;  // must be the same at both ends: what lies behind the bytes, as a hash
  bool readable = false;  // mode direct: my side of this edge can be read from the node's memory
  // Found by the handshake:
  int peer_edge = -1;  // the index of the joined edge in the peer's list
  bool peer_readable = false;
  Member member = kNotOnNode;  // the peer, if it is of this node
  std::string host;  // where it runs, if it is not
};

/// Whether each end reads the other's fields where they lie. What the ends tell each other of those goes in messages of this tag, plus the edge.
inline bool is_read(const Edge &edge) { return edge.member != kNotOnNode && edge.readable && edge.peer_readable; }
inline constexpr int kReadDescriptorTag = 3;

/// What the running round moves over an edge; both 0: the edge takes no part.
struct Part {
  std::int64_t out = 0, in = 0;
  bool active() const { return out > 0 || in > 0; }
};

/// Indices into a plan's edges.
using Edges = std::span<const int>;

/// How a channel is told to work.
struct Options {
  hlc_mode mode = HLC_MODE_DEFAULT;
  hlc_epoch epoch = HLC_EPOCH_DEFAULT;
  hlc_drive drive = HLC_DRIVE_DEFAULT;
  bool says_detours = true;  // where fields cannot be read, though the mode would
  std::string name = {};  // the caller's name for the plan, for messages; may be empty
};

/// What all channels of an exchange look at. The parts are set before each round.
struct Plan {
  Context *context = nullptr;
  MPI_Comm comm = MPI_COMM_NULL;
  std::int64_t serial = 0;  // among the plans of the context
  Options options;
  std::vector<Edge> edges;
  std::vector<Part> parts;
  int ndims = 0;  // a halo's, whose tags are directions as hlc_halo_spec counts its neighbours; 0: tags are the caller's own
  bool copies_cells = false;  // the packer packs by copying, so that it can do so past the caches
  bool whole_round = true;  // the same on all ranks: the round moves every edge as planned
  // Where my fields lie in the running round, for those who read them; empty unless they may lie elsewhere in each round. Of those that the round
  // does not move nothing is said.
  std::vector<FieldPlace> places;
  bool views_out = false;  // what came in the running round, or in the last one, is shown where it lies: it has not been released

  /// The host of a neighbour, for messages; NULL if it is of this node.
  const char *other_host(int rank) const {
    for (const Edge &edge : edges)
      if (edge.rank == rank && !edge.host.empty()) return edge.host.c_str();
    return nullptr;
  }
};

/// Carries the edges of one set. A round is: open, then for each edge with out > 0 place, (pack), send; launched; poll until every edge
/// with in > 0 has arrived, each followed by (unpack) release; close until it is ok. A channel that does not pack leaves out place, pack and send, and
/// its edges are copied from the neighbour's memory. Nothing but create allocates.
class Channel : public LeakedOnFailure {
 public:
  Channel(Plan &plan, std::vector<int> edges, bool packs = true) : plan_(plan), edges_(std::move(edges)), packs_(packs) {}
  Channel(const Channel &) = delete;
  Channel &operator=(const Channel &) = delete;

  /// Makes what the channel needs. Collective over the plan's communicator, also for ranks without edges. The destructor takes back what there
  /// is of it, with whatever is collective.
  virtual Status create() = 0;
  /// The plan's parts are other ones than in the last round. Called between rounds, before the first one too.
  virtual void parts_changed() {}
  /// Begins a round.
  virtual Status open() = 0;
  /// False if all edges are read in the neighbour's memory.
  bool packs() const { return packs_; }
  /// Where to pack what edge sends; `again` while the peer has not freed the place. Only of a channel that packs.
  virtual Status place(int, void **) { return Status::ok; }
  /// Edge is packed: send it. Only of a channel that packs.
  virtual Status send(int) { return Status::ok; }
  /// Every edge has been sent.
  virtual Status launched() { return Status::ok; }
  /// Names an edge whose data have come, each once in a round; `again` if there is none now. A channel has this or poll_several.
  virtual Status poll(int *) { return Status::again; }
  /// Names edges whose data have come, each once in a round; `again` if there are none now. What it names stays as it is until the next call. If it
  /// fails it names the edge at fault, or nothing.
  virtual Status poll_several(Edges *come) {
    one_ = -1;
    const Status status = poll(&one_);
    *come = {&one_, one_ < 0 ? std::size_t{0} : std::size_t{1}};
    return status;
  }
  /// The data of an edge that has come; NULL if the edge is read directly.
  virtual const void *arrived(int edge) const = 0;
  /// Where the peer's fields lie in the running round, once the edge has come; nothing if it is not read directly, or fields stay where they are.
  virtual std::span<const FieldPlace> places(int) const { return {}; }
  /// Edge is unpacked, or has been read.
  virtual Status release(int edge) = 0;
  /// The same of several edges.
  virtual Status release_several(Edges edges) {
    for (const int e : edges) HLC_TRY(release(e));
    return Status::ok;
  }
  /// Wakes the peers that sleep and have been told something since the last call. Called before every pause and at the ends of start and
  /// finish, not after each notification: its fence waits until all stores so far have left the core.
  void wake_peers() {
    if (told_) ring_peers();
    told_ = false;
  }
  /// Ends a round: ok once nothing of mine is needed by a peer any more, else `again` with the rank it waits for. While views are out, what
  /// this round shows of mine may still be read, and only earlier rounds are waited for.
  virtual Status close(int *rank) = 0;

  /// Before the channel goes, after its last round: ok once no peer sends it anything any more, else `again` with the rank it waits for.
  virtual Status settle(int *) { return Status::ok; }

  /// True if poll may block inside MPI, so that a test that must not wait cannot use it.
  virtual bool poll_blocks() const { return false; }
  /// True if packing past this core's caches was found faster: what is packed here is read by the peer's core next.
  bool packs_past_caches() const { return past_caches_; }
  /// Ranks of this node who have to move for the round to end, though they may be nobody's peer here.
  virtual const std::vector<Member> &partners() const { return no_partners_; }
  /// Asked every 10 ms of a wait: peer_died once it is known that a rank is lost without which rounds cannot end.
  virtual Status look_for_lost() { return Status::ok; }
  /// A rank is lost, and this one ends for it. Those who wait for this one should end for the same.
  virtual void tell_lost(int) {}
  /// Writes to other nodes that were begun so far.
  virtual std::int64_t network_writes() const { return 0; }
  /// False if arrivals come all at once, so that nobody can tell which neighbour is late.
  virtual bool knows_who() const { return true; }
  /// True if MPI or the network may still write into its memory when a round has failed: the channel is then kept for ever.
  virtual bool outlives_failure() const { return wake_up() == WakeUp::by_polling; }
  /// The channel is about to be kept for ever: it gives back what neither MPI nor the network can still touch.
  virtual void abandon() {}
  virtual std::int64_t memory_bytes() const = 0;
  virtual WakeUp wake_up() const { return WakeUp::by_polling; }
  const std::vector<int> &edges() const { return edges_; }

 protected:
  /// What a rank does alone in create; all leave with the same status.
  template <class Part>
  Status prepare(Part part) {
    return halocline::prepare(*plan_.context, plan_.comm, part);
  }
  const Edge &edge(int index) const { return plan_.edges[static_cast<std::size_t>(index)]; }
  const Part &part(int index) const { return plan_.parts[static_cast<std::size_t>(index)]; }

  Plan &plan_;
  std::vector<int> edges_;  // indices into plan_.edges
  bool past_caches_ = false;
  bool told_ = false;  // a peer was told something since the peers were last woken

 private:
  virtual void ring_peers() {}

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

}  // namespace halocline
