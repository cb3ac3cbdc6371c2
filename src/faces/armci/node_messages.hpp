// Messages between processes of a node, through rings in shared memory (message_ring.hpp). Those of a process to another are matched by
// tag, in the order in which they were sent. A message that is long, or finds a quarter of its ring in use, leaves its head there and is
// sent by MPI, which holds as much as it does without rings. What is not waited for yet is kept by its receiver. Any thread may call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <list>
#include <mutex>
#include <vector>

#include "engine/communicator/communicator.hpp"
#include "faces/armci/message_ring.hpp"

namespace halocline::core::armci {

/// A message to another process of the node.
struct Outgoing {
  Member to;
  int tag;
  const void *bytes;
  std::int64_t count;
};

/// What a receive looks for, and what it has found.
struct Wanted {
  Member from;
  int tag;
  void *to;
  std::int64_t capacity;
  std::int64_t count = 0;  // bytes of the message
  Carrier carrier = Carrier::ring;  // mpi: the next message of MPI from that process with that tag
};

class NodeMessages {
 public:
  /// Makes the rings. Collective over the processes of the node, which all return the same status.
  Status open(Communicator &communicator);
  /// Bytes that a message through a ring may have, the same on all processes of the node.
  std::int64_t longest() const { return capacity_ / kPartOfRing; }

  /// Writes a message, or its head alone: then the caller sends the bytes by MPI. `again` if there is no room for a head.
  Status send(const Outgoing &message, Carrier *carrier);
  /// Writes a message of at most longest() bytes; `again` while there is no room.
  Status send_by_ring(const Outgoing &message);
  /// Takes the first message with the tag; `again` if there is none. One that is longer than the capacity is not copied.
  Status receive(Wanted &wanted);
  /// The same from any other process of the node, and says from which.
  Status receive_any(Wanted &wanted);
  /// Keeps what has arrived, so that the rings are empty, unless another thread is here. For long waits: senders may be waiting for room.
  void make_room();

 private:
  static constexpr std::int64_t kPartOfRing = 4;

  struct Kept {
    MessageHead head;
    std::vector<char> bytes;
  };
  /// The rings from another process and to it, and its messages that no receive has asked for.
  struct Peer {
    RingEnd incoming, outgoing;
    std::list<Kept> kept;
  };

  Peer &peer(Member member) { return peers_[static_cast<std::size_t>(member)]; }
  MessageRing &ring(Member from, Member to) const;
  bool take_kept(Peer &from, Wanted &wanted);
  bool take_next(Peer &from, Wanted &wanted);
  void keep(Peer &from, const MessageHead &head);
  void keep_all();
  Status write(const Outgoing &message, Carrier carrier, std::int64_t room);

  Communicator *communicator_ = nullptr;
  SharedMemory memory_;
  std::int64_t capacity_ = 0;
  std::mutex mutex_;
  std::vector<Peer> peers_;
  Member last_ = 0;  // whose message receive_any has taken last
};

}  // namespace halocline::core::armci
