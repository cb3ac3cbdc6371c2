// The edges of the ring: their creation.
// SPDX-License-Identifier: BSD-3-Clause
#include "reduce/ring.hpp"

#include <algorithm>
#include <cstring>

#include "engine/network/request_engine.hpp"

namespace halocline::core {
namespace {

constexpr int kFirstTag = 64;

/// The ranks of a node, in order; nodes[r] is the node of rank r.
std::vector<int> ranks_of(const std::vector<int> &nodes, int node) {
  std::vector<int> ranks;
  for (std::size_t r = 0; r < nodes.size(); ++r)
    if (nodes[r] == node) ranks.push_back(static_cast<int>(r));
  return ranks;
}

/// The node of every rank, while the plan is made.
struct NodeTable : Job {
  int mine = 0;
  std::vector<int> nodes;
};

}  // namespace

/// The exchange of the descriptors of all channels, each with the immediate data of its counters behind it.
struct Ring::Talk : Job {
  static constexpr std::size_t kHead = sizeof(SlotDescriptor) / sizeof(std::uint64_t);
  static_assert(sizeof(SlotDescriptor) % sizeof(std::uint64_t) == 0);
  std::vector<Join> joins;  // by channel
  std::vector<std::vector<std::uint64_t>> said, received;  // the same

  void note(const SlotDescriptor &descriptor, const std::vector<std::uint64_t> &immediates) {
    std::vector<std::uint64_t> &words = said.emplace_back(kHead);
    std::memcpy(words.data(), &descriptor, sizeof descriptor);
    words.insert(words.end(), immediates.begin(), immediates.end());
    received.emplace_back(words.size());
  }
};

Ring::Ring(Network &network, const Layout &layout, std::int64_t messages)
    : network_(network),
      communicator_(network.communicator()),
      layout_(layout),
      announces_room_(layout.slots < 2 * messages),
      channels_(network, "HALOCLINE_INTERFACE names another interface", Status::peer_died) {}

void Ring::retire(std::unique_ptr<Ring> ring) {
  ring->channels_.leave();
  if (!ring->channels_.is_ended()) leak(std::move(ring));
}

Status Ring::create(SharedMemory memory) {
  memory_ = std::move(memory);
  std::unique_ptr<NodeTable> table;
  std::unique_ptr<Talk> talk;
  HLC_TRY(prepare(communicator_, communicator_.comm(), [&] {
    table = std::make_unique<NodeTable>();
    table->nodes.resize(static_cast<std::size_t>(communicator_.size()));
    table->requests.resize(1, MPI_REQUEST_NULL);
    table->mine = communicator_.node();
    return channels_.name_me(open_channels());
  }));
  HLC_TRY(check_mpi(MPI_Iallgather(&table->mine, 1, MPI_INT, table->nodes.data(), 1, MPI_INT, communicator_.comm(), table->requests.data()),
                    "MPI_Iallgather"));
  HLC_TRY(await(communicator_, table));
  HLC_TRY(prepare(communicator_, communicator_.comm(), [&] {
    talk = std::make_unique<Talk>();
    talk->joins = find_peers(table->nodes);
    for (int i = 0; i < lanes(); ++i) {
      const SlotPlaces places{Layout::word, incoming_at(i, 0), incoming_at(i, 1) - incoming_at(i, 0)};
      for (const SlotChannel *each : {&from(i), &to(i)}) talk->note(each->describe(registered_, places), each->immediates());
    }
    talk->requests.resize(2 * channels_.size(), MPI_REQUEST_NULL);
    return Status::ok;
  }));
  HLC_TRY(swap_descriptors(talk));
  HLC_TRY(prepare(communicator_, communicator_.comm(), [&] { return channels_.name_me(connect(*talk)); }));
  channels_.greet();
  return prepare(communicator_, communicator_.comm(), [&] { return channels_.await_greetings(WakeUp::by_polling); });
}

Status Ring::open_channels() {
  const Member me = communicator_.member();
  const int count = layout_.lanes_of(me);
  for (int i = 0; i < count; ++i) numbers_.push_back(layout_.doubles() ? i : me + i * communicator_.members());
  HLC_TRY(registered_.cover_in(network_, memory_.part(me), layout_.bytes(me)));
  HLC_TRY(registered_.cover_out(network_, memory_.part(me), layout_.bytes(me)));
  channels_.make(2 * numbers_.size());
  const auto slots = static_cast<std::size_t>(layout_.slots), sources = static_cast<std::size_t>(layout_.result_slots);
  for (int i = 0; i < count; ++i) {
    from(i).open(network_, {.slots = slots, .frees = announces_room_});
    to(i).open(network_,
               {.slots = slots, .receives = false, .sources = sources, .most_bytes = layout_.chunk_bytes, .frees = announces_room_});
  }
  return Status::ok;
}

/// Lane l is driven by rank l of each node, modulo the ranks of the node; in doubling all lanes by the first rank. The rank after me
/// receives from the rank before it, which is me; and vice versa.
std::vector<Ring::Join> Ring::find_peers(const std::vector<int> &nodes) {
  const int n = communicator_.nodes();
  ranks_on_.resize(static_cast<std::size_t>(n));
  for (const int node : nodes) ranks_on_[static_cast<std::size_t>(node)] += 1;
  std::vector<Join> joins;
  for (const int number : numbers_) {
    const int distance = layout_.distance_of(number), forth = kFirstTag + 2 * number, back = forth + 1;
    const std::vector<int> before = ranks_of(nodes, (communicator_.node() + n - distance) % n);
    const std::vector<int> after = ranks_of(nodes, (communicator_.node() + distance) % n);
    const auto driver = static_cast<std::size_t>(layout_.doubles() ? 0 : number);
    joins.push_back({before[driver % before.size()], back, forth});
    joins.push_back({after[driver % after.size()], forth, back});
  }
  return joins;
}

Status Ring::swap_descriptors(std::unique_ptr<Talk> &talk) {
  for (std::size_t i = 0; i < talk->joins.size(); ++i) {
    const Join &join = talk->joins[i];
    const auto words = static_cast<int>(talk->said[i].size());
    MPI_Request *requests = &talk->requests[2 * i];
    HLC_TRY(check_mpi(MPI_Irecv(talk->received[i].data(), words, MPI_UINT64_T, join.rank, join.tag_in, communicator_.comm(), &requests[0]),
                      "MPI_Irecv"));
    HLC_TRY(check_mpi(MPI_Isend(talk->said[i].data(), words, MPI_UINT64_T, join.rank, join.tag_out, communicator_.comm(), &requests[1]),
                      "MPI_Isend"));
  }
  return await(communicator_, talk);
}

Status Ring::connect(const Talk &talk) {
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    SlotDescriptor descriptor;
    std::memcpy(static_cast<void *>(&descriptor), talk.received[i].data(), sizeof descriptor);
    const SlotPeer peer{talk.joins[i].rank, descriptor.rank.host, registered_, Layout::source};
    HLC_TRY(channels_[i].connect(peer, descriptor, talk.received[i].data() + Talk::kHead));
  }
  return Status::ok;
}

const char *Ring::incoming(int lane) const {
  return memory_.part(communicator_.member()) + incoming_at(lane, static_cast<int>(from(lane).in.slot()));
}

void Ring::send(int lane, int slot, std::int64_t bytes) {
  const char *result = memory_.part(communicator_.member()) + layout_.result_at(communicator_.member(), slot, lane);
  to(lane).out.send(static_cast<std::size_t>(slot), result, bytes);
}

/// A process that computes or is stopped may keep the provider from accepting more. Then the provider holds a transfer to it.
Status Ring::find_lost() {
  Network &network = network_;
  const std::int64_t for_ns = network.has_failed() ? 0 : Liveness::kLost_ns;
  const auto is_on_its_way = [&](int rank) { return network.requests()->failures().is_on_its_way(rank) || channels_.holds(rank); };
  int lost = network.liveness()->find_lost(for_ns);
  while (lost >= 0 && is_on_its_way(lost)) lost = network.liveness()->find_lost(for_ns, lost);
  if (lost < 0) return Status::ok;
  network.note_lost(lost);
  return fail(Status::peer_died, "rank %d waits for ranks of other nodes and cannot reach %s", communicator_.rank(), name_of(lost).c_str());
}

}  // namespace halocline::core
