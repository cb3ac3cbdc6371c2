// Rings between the processes of a node; matching and keeping what arrives through them.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/armci/node_messages.hpp"

#include <algorithm>
#include <bit>

#include "engine/memory/node_memory.hpp"

namespace halocline::core::armci {
namespace {

/// Bytes of all rings to a process, and of one ring: the fewer processes, the longer.
constexpr std::int64_t kAllRings = std::int64_t{512} * 1024, kShortestRing = 2048, kLongestRing = std::int64_t{64} * 1024;

std::int64_t capacity_for(int members) {
  const auto share = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(kAllRings / members)));
  return std::clamp(share, kShortestRing, kLongestRing);
}

/// What has been found, without its bytes where they do not fit.
void describe(Wanted &wanted, const MessageHead &head) {
  wanted.count = head.bytes;
  wanted.carrier = head.carrier;
}

}  // namespace

/// A ring is in the receiver's part.
MessageRing &NodeMessages::ring(Member from, Member to) const {
  return *reinterpret_cast<MessageRing *>(memory_.part(to) + from * MessageRing::memory(capacity_));
}

Status NodeMessages::open(Communicator &communicator) {
  communicator_ = &communicator;
  const int members = communicator.members();
  const Member me = communicator.member();
  capacity_ = capacity_for(members);
  HLC_TRY(create_shared_memory(communicator, members * MessageRing::memory(capacity_), memory_));
  peers_ = std::vector<Peer>(static_cast<std::size_t>(members));
  for (Member other = 0; other < members; ++other) {
    peer(other).incoming = RingEnd(ring(other, me), capacity_);
    peer(other).outgoing = RingEnd(ring(me, other), capacity_);
  }
  return Status::ok;
}

/// Writes where `room` bytes are left.
Status NodeMessages::write(const Outgoing &message, Carrier carrier, std::int64_t room) {
  RingEnd &to = peer(message.to).outgoing;
  if (!to.has_room(room)) return Status::again;
  to.write({message.tag, carrier, message.count}, message.bytes);
  communicator_->doorbell().ring(message.to);
  return Status::ok;
}

Status NodeMessages::send(const Outgoing &message, Carrier *carrier) {
  const std::lock_guard lock(mutex_);
  constexpr std::int64_t head = sizeof(MessageHead);
  *carrier = Carrier::ring;
  if (message.count <= longest() && write(message, Carrier::ring, capacity_ / 2 + longest() + head) == Status::ok) return Status::ok;
  *carrier = Carrier::mpi;
  const Status sent = write(message, Carrier::mpi, head);
  if (sent == Status::again) keep_all();
  return sent;
}

Status NodeMessages::send_by_ring(const Outgoing &message) {
  const std::lock_guard lock(mutex_);
  const Status sent = write(message, Carrier::ring, RingEnd::bytes_of({message.tag, Carrier::ring, message.count}));
  if (sent == Status::again) keep_all();
  return sent;
}

bool NodeMessages::take_kept(Peer &from, Wanted &wanted) {
  if (from.kept.empty()) return false;
  const auto found = std::find_if(from.kept.begin(), from.kept.end(), [&](const Kept &kept) { return kept.head.tag == wanted.tag; });
  if (found == from.kept.end()) return false;
  describe(wanted, found->head);
  if (wanted.count <= wanted.capacity) std::copy(found->bytes.begin(), found->bytes.end(), static_cast<char *>(wanted.to));
  from.kept.erase(found);
  return true;
}

void NodeMessages::keep(Peer &from, const MessageHead &head) {
  Kept &kept = from.kept.emplace_back(Kept{head, {}});
  if (head.carrier == Carrier::ring) kept.bytes.resize(static_cast<std::size_t>(head.bytes));
  from.incoming.take(head, kept.bytes.data());
}

/// Takes the first one with the tag from the ring, and keeps those before it.
bool NodeMessages::take_next(Peer &from, Wanted &wanted) {
  MessageHead head{};
  while (from.incoming.next(&head)) {
    if (head.tag != wanted.tag || (head.carrier == Carrier::ring && head.bytes > wanted.capacity)) {
      keep(from, head);
      if (head.tag == wanted.tag) return take_kept(from, wanted);
      continue;
    }
    from.incoming.take(head, wanted.to);
    describe(wanted, head);
    return true;
  }
  return false;
}

Status NodeMessages::receive(Wanted &wanted) {
  const std::lock_guard lock(mutex_);
  Peer &from = peer(wanted.from);
  return take_kept(from, wanted) || take_next(from, wanted) ? Status::ok : Status::again;
}

Status NodeMessages::receive_any(Wanted &wanted) {
  const std::lock_guard lock(mutex_);
  const auto members = static_cast<Member>(peers_.size());
  for (Member i = 1; i <= members; ++i) {
    wanted.from = (last_ + i) % members;
    Peer &from = peer(wanted.from);
    if (!take_kept(from, wanted) && !take_next(from, wanted)) continue;
    last_ = wanted.from;
    return Status::ok;
  }
  return Status::again;
}

void NodeMessages::keep_all() {
  MessageHead head{};
  for (Peer &from : peers_)
    while (from.incoming.next(&head)) keep(from, head);
}

void NodeMessages::make_room() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock) keep_all();
}

}  // namespace halocline::core::armci
