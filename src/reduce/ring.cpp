// The edges of the ring: their creation, and the counting of slots.
// SPDX-License-Identifier: BSD-3-Clause
#include "reduce/ring.hpp"

#include <algorithm>
#include <cstring>

#include "base/counter.hpp"
#include "engine/communicator/wait_until.hpp"

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

bool is_done(const Transfer &transfer) {
  // SYNC written-before-reuse (pairs with EndedTransfers::add)
  return transfer.state.load(std::memory_order_acquire) == Transfer::State::at_rest;
}

/// Makes a transfer of one word, which announces something to the owner of the memory.
void aim_ring_word(Transfer &word, std::uint64_t immediate, const transport::RemoteKey &memory, const Transfer &model) {
  word.aim_as(model);
  word.from = model.from;
  word.bytes = sizeof(std::uint64_t);
  word.address = memory.address + static_cast<std::uint64_t>(Layout::word);
  word.immediate = immediate;
}

}  // namespace

/// The exchange of the descriptors of all lanes with the ranks before and after me.
struct Ring::Talk : Job {
  std::size_t words = 0;  // of 8 bytes: the length of one descriptor with its counter ids
  std::vector<std::uint64_t> said, received;  // per lane: the descriptor sent to both; those received from before and from after

  std::uint64_t *said_in(int lane) { return said.data() + static_cast<std::size_t>(lane) * words; }
  std::uint64_t *received_in(int lane, int direction) { return received.data() + static_cast<std::size_t>(2 * lane + direction) * words; }
  const std::uint64_t *received_in(int lane, int direction) const {
    return received.data() + static_cast<std::size_t>(2 * lane + direction) * words;
  }
};

template <class Look>
void Ring::for_each_transfer(Look look) const {
  for (const Lane &each : lanes_) {
    for (const auto &slot : each.sending)
      for (const Transfer &piece : slot) look(piece, each.after.rank);
    for (const Transfer &word : each.freeing) look(word, each.before.rank);
    look(each.before.greeting, each.before.rank);
    look(each.after.greeting, each.after.rank);
  }
}

Ring::~Ring() {
  for (Lane &each : lanes_) each.leave(*endpoint_);
}

void Ring::retire(std::unique_ptr<Ring> ring) {
  for (Lane &each : ring->lanes_) each.leave(*ring->endpoint_);
  bool over = true;
  ring->for_each_transfer(
      [&](const Transfer &transfer, int) { over = over && transfer.state.load(std::memory_order_acquire) != Transfer::State::under_way; });
  if (!over) leak(std::move(ring));
}

void Ring::Peer::leave(NetworkEndpoint &endpoint) {
  if (is_registered) endpoint.release_counter(greeted_word);
  if (met) endpoint.release_peer(address);
  is_registered = false;
  met = false;
}

void Ring::Lane::leave(NetworkEndpoint &endpoint) {
  for (std::size_t slot = 0; slot < registered; ++slot) {
    endpoint.release_counter(arrived_words[slot]);
    endpoint.release_counter(freed_words[slot]);
  }
  withdraw(endpoint);
  before.leave(endpoint);
  after.leave(endpoint);
  registered = 0;
}

void Ring::Lane::withdraw(NetworkEndpoint &endpoint) {
  if (!before.met && !after.met) return;
  for (Transfer *greeting : {&before.greeting, &after.greeting}) endpoint.withdraw(*greeting);
  for (Transfer &word : freeing) endpoint.withdraw(word);
  for (auto &slot : sending)
    for (Transfer &piece : slot) endpoint.withdraw(piece);
}

Status Ring::create(SharedMemory memory) {
  memory_ = std::move(memory);
  endpoint_ = context_.network().endpoint();
  std::unique_ptr<NodeTable> table;
  std::unique_ptr<Talk> talk;
  HLC_TRY(prepare(context_, context_.comm(), [&] {
    table = std::make_unique<NodeTable>();
    table->nodes.resize(static_cast<std::size_t>(context_.size()));
    table->requests.resize(1, MPI_REQUEST_NULL);
    table->mine = context_.node();
    return name_me(make_lanes());
  }));
  HLC_TRY(check_mpi(MPI_Iallgather(&table->mine, 1, MPI_INT, table->nodes.data(), 1, MPI_INT, context_.comm(), table->requests.data()),
                    "MPI_Iallgather"));
  HLC_TRY(await(context_, table));
  HLC_TRY(prepare(context_, context_.comm(), [&] {
    HLC_TRY(find_peers(table->nodes));
    talk = std::make_unique<Talk>();
    talk->words = sizeof(Descriptor) / sizeof(std::uint64_t) + 2 * slots();
    talk->said.resize(lanes_.size() * talk->words);
    talk->received.resize(2 * lanes_.size() * talk->words);
    talk->requests.resize(4 * lanes_.size(), MPI_REQUEST_NULL);
    return listen();
  }));
  HLC_TRY(swap_descriptors(talk));
  HLC_TRY(prepare(context_, context_.comm(), [&] { return name_me(connect(*talk)); }));
  return greet();
}

Status Ring::make_lanes() {
  const Member me = context_.member();
  lanes_ = std::vector<Lane>(static_cast<std::size_t>(layout_.lanes_of(me)));
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Lane &made = lanes_[i];
    made.number = layout_.doubles() ? static_cast<int>(i) : me + static_cast<int>(i) * context_.members();
    made.arrived = std::vector<Counter>(slots());
    made.freed = std::vector<Counter>(slots());
    made.awaited.resize(slots());
    made.arrived_words.resize(slots());
    made.freed_words.resize(slots());
    made.chunk_immediate.resize(slots());
    made.addresses.resize(slots());
    made.freeing = std::vector<Transfer>(slots());
    made.sending.resize(static_cast<std::size_t>(layout_.result_slots));
    for (auto &slot : made.sending) slot = std::vector<Transfer>(pieces(layout_.chunk_bytes));
  }
  char *mine = memory_.part(me);
  HLC_TRY(for_peers_.cover(*endpoint_, mine, layout_.bytes(me), NetworkSegment::Use::for_peers));
  return for_me_.cover(*endpoint_, mine, layout_.bytes(me), NetworkSegment::Use::for_me);
}

/// Lane l is driven by rank l of each node, modulo the ranks of the node; in doubling all lanes by the first rank.
Status Ring::find_peers(const std::vector<int> &nodes) {
  const int n = context_.nodes();
  ranks_on_.resize(static_cast<std::size_t>(n));
  for (const int node : nodes) ranks_on_[static_cast<std::size_t>(node)] += 1;
  for (Lane &each : lanes_) {
    const int distance = layout_.distance_of(each.number);
    const std::vector<int> before = ranks_of(nodes, (context_.node() + n - distance) % n);
    const std::vector<int> after = ranks_of(nodes, (context_.node() + distance) % n);
    const auto driver = static_cast<std::size_t>(layout_.doubles() ? 0 : each.number);
    each.before.rank = before[driver % before.size()];
    each.after.rank = after[driver % after.size()];
  }
  return Status::ok;
}

Status Ring::listen() {
  for (Lane &each : lanes_) {
    for (Peer *peer : {&each.before, &each.after}) {
      peer->greeted_word = endpoint_->register_counter(&peer->greeted);
      peer->is_registered = true;
    }
    for (; each.registered < slots(); ++each.registered) {
      each.arrived_words[each.registered] = endpoint_->register_counter(&each.arrived[each.registered]);
      each.freed_words[each.registered] = endpoint_->register_counter(&each.freed[each.registered]);
    }
  }
  return Status::ok;
}

void Ring::write_descriptors(Talk &talk) const {
  static_assert(sizeof(Descriptor) % sizeof(std::uint64_t) == 0);
  for (int i = 0; i < lanes(); ++i) {
    const Lane &from = lane(i);
    const Descriptor descriptor{context_.network().liveness()->mine(),
                                for_peers_.remote(),
                                layout_.incoming_at(context_.member(), 0, i),
                                layout_.incoming_at(context_.member(), 1, i) - layout_.incoming_at(context_.member(), 0, i),
                                from.before.greeted_word,
                                from.after.greeted_word};
    std::uint64_t *words = talk.said_in(i);
    std::memcpy(words, &descriptor, sizeof descriptor);
    words += sizeof descriptor / sizeof *words;
    std::copy(from.arrived_words.begin(), from.arrived_words.end(), words);
    std::copy(from.freed_words.begin(), from.freed_words.end(), words + slots());
  }
}

/// The rank after me receives from the rank before it, which is me; and vice versa.
Status Ring::swap_descriptors(std::unique_ptr<Talk> &talk) {
  write_descriptors(*talk);
  const auto bytes = static_cast<int>(talk->words * sizeof(std::uint64_t));
  for (int i = 0; i < lanes(); ++i) {
    const Lane &each = lane(i);
    MPI_Request *requests = &talk->requests[4 * static_cast<std::size_t>(i)];
    const int forth = kFirstTag + 2 * each.number, back = forth + 1;
    const MPI_Comm comm = context_.comm();
    HLC_TRY(check_mpi(MPI_Irecv(talk->received_in(i, 0), bytes, MPI_BYTE, each.before.rank, forth, comm, &requests[0]), "MPI_Irecv"));
    HLC_TRY(check_mpi(MPI_Irecv(talk->received_in(i, 1), bytes, MPI_BYTE, each.after.rank, back, comm, &requests[1]), "MPI_Irecv"));
    HLC_TRY(check_mpi(MPI_Isend(talk->said_in(i), bytes, MPI_BYTE, each.after.rank, forth, comm, &requests[2]), "MPI_Isend"));
    HLC_TRY(check_mpi(MPI_Isend(talk->said_in(i), bytes, MPI_BYTE, each.before.rank, back, comm, &requests[3]), "MPI_Isend"));
  }
  const Status swapped = await(context_, static_cast<int>(talk->requests.size()), talk->requests.data());
  if (failed(swapped)) leak(std::move(talk));
  return swapped;
}

Status Ring::connect(const Talk &talk) {
  for (int i = 0; i < lanes(); ++i) {
    Lane &to = lane(i);
    Descriptor before, after;
    const std::uint64_t *words_before = talk.received_in(i, 0), *words_after = talk.received_in(i, 1);
    std::memcpy(static_cast<void *>(&before), words_before, sizeof before);
    std::memcpy(static_cast<void *>(&after), words_after, sizeof after);
    words_before += sizeof(Descriptor) / sizeof(std::uint64_t) + slots();
    words_after += sizeof(Descriptor) / sizeof(std::uint64_t);
    Transfer to_before, to_after;
    HLC_TRY(meet(to.before, before, &to_before));
    HLC_TRY(meet(to.after, after, &to_after));
    aim_ring_word(to.before.greeting, before.greeting_from_after, before.memory, to_before);
    aim_ring_word(to.after.greeting, after.greeting_from_before, after.memory, to_after);
    for (std::size_t slot = 0; slot < slots(); ++slot) aim_ring_word(to.freeing[slot], words_before[slot], before.memory, to_before);
    to.aim_chunks(after, words_after, to_after);
  }
  return Status::ok;
}

Status Ring::meet(Peer &peer, const Descriptor &descriptor, Transfer *model) {
  HLC_TRY(context_.network().liveness()->know(peer.rank, descriptor.rank));
  HLC_TRY(endpoint_->resolve(descriptor.rank.address, &model->peer));
  peer.address = descriptor.rank.address;
  peer.met = true;
  model->failures = context_.network().count_failures();
  model->desc = for_me_.desc();
  model->from = memory_.part(context_.member()) + Layout::source;
  model->key = descriptor.memory.key;
  return Status::ok;
}

void Ring::Lane::aim_chunks(const Descriptor &descriptor, const std::uint64_t *words, const Transfer &model) {
  for (std::size_t slot = 0; slot < addresses.size(); ++slot) {
    chunk_immediate[slot] = words[slot];
    addresses[slot] = descriptor.memory.address +
                      static_cast<std::uint64_t>(descriptor.incoming + static_cast<std::int64_t>(slot) * descriptor.slot_distance);
  }
  for (auto &slot : sending)
    for (Transfer &piece : slot) piece.aim_as(model);
}

std::uint64_t Ring::pieces(std::int64_t bytes) const {
  return static_cast<std::uint64_t>((bytes + endpoint_->most_bytes() - 1) / endpoint_->most_bytes());
}

/// Greetings establish the connections before the first run, so that a peer that cannot be reached is an error of creating the plan.
Status Ring::greet() {
  for (Lane &each : lanes_)
    for (Peer *peer : {&each.before, &each.after}) endpoint_->start(peer->greeting);
  return prepare(context_, context_.comm(), [this] { return await_greetings(); });
}

Status Ring::await_greetings() {
  Wait wait(context_, WakeUp::by_polling);
  int silent = -1;
  const auto look = [&] {
    HLC_TRY(progress());
    silent = -1;
    for (const Lane &each : lanes_)
      for (const Peer *peer : {&each.before, &each.after})
        if (!reached(peer->greeted, 1) || !is_done(peer->greeting)) silent = peer->rank;
    return silent < 0 ? Status::ok : Status::again;
  };
  const std::int64_t grace_ns = -context_.timeout_ns() / 2;
  return wait_until(wait, look, [&] { return wait.timed_out(grace_ns) ? unreached(silent, "") : Status::ok; });
}

Status Ring::unreached(int rank, const char *reason) const {
  return fail(Status::timeout, "rank %d does not reach %s over the network, %s%s%s (HALOCLINE_INTERFACE names another interface)",
              context_.rank(), name_of(rank).c_str(), endpoint_->description().c_str(), *reason ? ": " : "", reason);
}

Status Ring::name_me(Status status) const {
  return failed(status) ? fail(status, "rank %d: %s", context_.rank(), error_message()) : status;
}

void Ring::expect(int i, std::int64_t bytes) {
  Lane &from = lane(i);
  from.received += 1;
  from.awaited[from.received % slots()] += pieces(bytes);
}

/// The chunk's arrival shows that its sender has seen the slot's earlier release. The transfer of that release must also have ended here,
/// so that it can be started again.
bool Ring::has_come(int i) const {
  const Lane &from = lane(i);
  const std::size_t slot = from.received % slots();
  // SYNC payload-before-immediate (pairs with Endpoint::take_immediate)
  return reached(from.arrived[slot], from.awaited[slot]) && is_done(from.freeing[slot]);
}

const char *Ring::incoming(int i) const {
  const auto slot = static_cast<int>(lane(i).received % slots());
  return memory_.part(context_.member()) + layout_.incoming_at(context_.member(), slot, i);
}

void Ring::release(int i) {
  Lane &from = lane(i);
  // SYNC unpacked-before-rewrite (pairs with has_room)
  if (announces_room_) endpoint_->start(from.freeing[from.received % slots()]);
}

bool Ring::has_room(int i) const {
  const Lane &to = lane(i);
  const std::uint64_t next = to.sent + 1;
  // Messages use D slots in turn: before message m, (m - 1) / D others have used its slot.
  // SYNC unpacked-before-rewrite (pairs with release)
  return !announces_room_ || reached(to.freed[next % slots()], (next - 1) / slots());
}

void Ring::send(int i, int slot, std::int64_t bytes) {
  Lane &to = lane(i);
  to.sent += 1;
  const std::size_t there = to.sent % slots();
  const char *from = memory_.part(context_.member()) + layout_.result_at(context_.member(), slot, i);
  std::int64_t done = 0;
  for (Transfer &piece : to.sending[static_cast<std::size_t>(slot)]) {
    if (done >= bytes) break;
    piece.from = from + done;
    piece.bytes = std::min(bytes - done, endpoint_->most_bytes());
    piece.address = to.addresses[there] + static_cast<std::uint64_t>(done);
    piece.immediate = to.chunk_immediate[there];
    done += piece.bytes;
    endpoint_->start(piece);
  }
}

bool Ring::has_left(int i, int slot) const {
  const std::vector<Transfer> &pieces = lane(i).sending[static_cast<std::size_t>(slot)];
  return std::all_of(pieces.begin(), pieces.end(), is_done);
}

bool Ring::is_quiet() const {
  bool quiet = true;
  for_each_transfer([&](const Transfer &transfer, int) { quiet = quiet && is_done(transfer); });
  return quiet;
}

/// Message m has used slot m modulo D, so slot s has been used (sent + D - s) / D times, slot 0 once less.
bool Ring::is_settled() const {
  for (const Lane &to : lanes_)
    for (std::size_t slot = 0; announces_room_ && slot < slots(); ++slot) {
      const std::uint64_t uses = slot == 0 ? to.sent / slots() : (to.sent + slots() - slot) / slots();
      if (!reached(to.freed[slot], uses)) return false;
    }
  return is_quiet();
}

Status Ring::progress() {
  context_.network().poll();
  if (context_.network().failures() == failures_) return Status::ok;
  failures_ = context_.network().failures();
  Status found = Status::ok;
  for_each_transfer([&](const Transfer &transfer, int rank) {
    if (failed(found) || transfer.state.load(std::memory_order_acquire) != Transfer::State::failed) return;
    found = fail(Status::peer_died, "rank %d cannot reach %s over the network (any more): %s", context_.rank(), name_of(rank).c_str(),
                 endpoint_->text_of(transfer.error));
  });
  return found;
}

/// A process that computes or is stopped may keep the provider from accepting more. Then the provider holds a transfer to it.
bool Ring::is_on_its_way(int rank) const {
  if (context_.network().requests()->failures().is_on_its_way(rank)) return true;
  bool held = false;
  for_each_transfer([&](const Transfer &transfer, int to) {
    const bool under_way = transfer.state.load(std::memory_order_acquire) == Transfer::State::under_way;
    held = held || (to == rank && under_way && !endpoint_->waits_for_room(transfer));
  });
  return held;
}

Status Ring::find_lost() {
  Network &network = context_.network();
  const std::int64_t for_ns = network.has_failed() ? 0 : Liveness::kLost_ns;
  int lost = network.liveness()->find_lost(for_ns);
  while (lost >= 0 && is_on_its_way(lost)) lost = network.liveness()->find_lost(for_ns, lost);
  if (lost < 0) return Status::ok;
  network.note_lost(lost);
  return fail(Status::peer_died, "rank %d waits for ranks of other nodes, and cannot reach %s any more", context_.rank(),
              name_of(lost).c_str());
}

}  // namespace halocline::core
