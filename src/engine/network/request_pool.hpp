// Requests, which are transfers to the ranks of other nodes, and the pool that they are taken from. The pool grows as needed and never
// shrinks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/network/service.hpp"
#include "engine/network/unpacking.hpp"

namespace halocline::core {

struct Request;

/// How much room a message needs: as each request has, or up to kMessageRoom.
enum class Room { usual, of_long_message };
/// Requests to one rank at a time, so that a rank that receives nothing does not block the others. So many of them have a long room, which
/// limits what that rank lends for its replies as well.
inline constexpr std::size_t kMaxRequests = 1024, kMaxLongRooms = 16;

/// Memory for a long message.
struct LongRoom {
  char *base = nullptr;
  void *desc = nullptr;
  LongRoom *after = nullptr;  // in the pool
};

/// The owner of requests, which is notified when one has ended.
class RequestOwner {
 public:
  RequestOwner() = default;
  RequestOwner(const RequestOwner &) = delete;
  RequestOwner &operator=(const RequestOwner &) = delete;
  virtual void ended(Request &request) = 0;

 protected:
  ~RequestOwner() = default;
};

/// A rank of another node and the requests to it.
struct Connection {
  int rank = 0;
  transport::Peer peer = 0;
  Request *oldest = nullptr, *newest = nullptr;  // under way, in the order in which they began
  // How many requests were started there whose completion does not say that they are done at the target, and how many are known to be.
  std::uint64_t posted = 0, confirmed = 0;
  std::uint64_t written = 0;  // posted after the last write among these; later ones are messages without a reply
  std::size_t in_use = 0, long_rooms = 0;  // requests, and how many of these have a long room
  std::size_t reads = 0, borrowers = 0;  // under way: into memory of a caller, and all that use such memory
  std::size_t accumulates = 0;  // under way, and packed puts
  std::uint64_t progress = 0;  // how many events of this rank's requests there have happened
  int error = 0;  // libfabric's number, once something has failed
  const char *failed_call = nullptr;

  /// Whether one more request may begin now.
  bool has_room(Room room = Room::usual) const { return in_use < kMaxRequests && (room == Room::usual || long_rooms < kMaxLongRooms); }
};

/// One transfer with its bookkeeping. It belongs to the caller from begin to its end, then to the pool.
struct Request : Transfer {
  static constexpr std::int64_t kRoom = 16'384 + 128;
  static constexpr std::int64_t kShort = 2048;  // bytes of a put that are copied

  RequestOwner *owner = nullptr;  // null once the owner has left
  Connection *connection = nullptr;
  Request *before = nullptr, *after = nullptr;  // of the same connection; `after` also in the pool
  std::uint64_t number = 0;  // requests are numbered as they begin
  const char *call = "";
  char *room = nullptr;  // what may be sent from, of room_bytes()
  void *room_desc = nullptr;
  LongRoom *lent = nullptr;  // while it has a long room: holds its own one
  int awaited = 0;  // number of events still awaited: its own end, and of a query the reply
  bool listed = false;  // in the list of its connection
  bool is_reply = false;  // to a query of another rank
  bool awaits_reply = false;  // a query that has not been answered
  bool is_silent = false;  // a query without a reply
  bool borrows = false;  // uses memory of a caller
  bool accumulates = false;  // a message that changes memory of its target, and which no caller awaits
  bool held = false;  // a caller waits for the reply and releases the request
  std::uint32_t place = 0, use = 0;  // where it is in the pool, and how often it was taken from there
  std::uint64_t reply = 0;
  std::size_t listed_atomics = 0;  // of a query of several: the reply has as many old values,
  std::uint64_t *olds = nullptr;  // which go there unless they are not wanted any more
  Unpacking unpacking;  // of a query's values
  std::uint64_t posted_before = 0;  // Connection::posted before this one
  std::uint64_t confirms = 0;  // of a query to confirm: how many of the posted requests

  static Room room_for(std::int64_t bytes) { return bytes > kRoom ? Room::of_long_message : Room::usual; }
  std::int64_t room_bytes() const { return lent ? kMessageRoom : kRoom; }
  /// Where the operands of its message are written.
  char *operands() const { return room + sizeof(Message); }
  /// Makes it send a message, followed by this number of bytes of operands.
  void carry(const Message &message, std::int64_t operand_bytes);
  /// The same, with a copy of operands or values.
  void carry(const Message &message, const void *operands, std::int64_t operand_bytes);
};

/// The pool. One thread at a time.
class RequestPool {
 public:
  /// What all requests of a pool have in common.
  struct Common {
    NetworkEndpoint *endpoint = nullptr;
    RequestOwner *owner = nullptr;
    transport::Failures *failures = nullptr;
  };

  /// The pool grows by this number of requests, and of buffers for long messages.
  static constexpr std::size_t kChunk = 32, kLongChunk = 4;
  /// Bytes that the network sends from, of such a step.
  static constexpr std::int64_t kChunkBytes = static_cast<std::int64_t>(kChunk) * Request::kRoom,
                                kLongChunkBytes = static_cast<std::int64_t>(kLongChunk) * kMessageRoom;

  RequestPool() = default;
  explicit RequestPool(const Common &common) : common_(common) {}

  /// Takes a request to the rank of a connection; `call` is its name in messages. May allocate, and fail.
  Status take(Connection &connection, const char *call, Room room, Request **request);
  void release(Request &request);
  std::size_t in_use() const { return in_use_; }
  /// The one at a place; null if there is no such place.
  Request *at(std::uint32_t place);
  /// The owner leaves: requests that wait for room are abandoned, and completions of the others are ignored.
  void disown();
  /// True if the provider still holds a request.
  bool any_under_way() const;
  /// True if the provider holds a request to the connection's rank.
  bool is_held(const Connection &connection) const;
  /// Calls each(request) for all requests last used for a connection, whether or not they have ended.
  template <class Each>
  void of(const Connection &connection, Each each) {
    for (const auto &chunk : chunks_)
      for (Request &request : chunk->requests)
        if (request.connection == &connection) each(request);
  }

 private:
  struct Chunk {
    std::array<Request, kChunk> requests;
    NetworkSegment room;
  };
  struct LongChunk {
    std::array<LongRoom, kLongChunk> rooms;
    NetworkSegment memory;
  };
  Status add_chunk();
  Status add_long_chunk();
  void lend_long_room(Request &request);
  void take_back_long_room(Request &request);

  Common common_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<std::unique_ptr<LongChunk>> long_chunks_;
  Request *free_ = nullptr;
  LongRoom *free_long_ = nullptr;
  std::size_t in_use_ = 0;
};

inline Status RequestPool::take(Connection &connection, const char *call, Room room, Request **request) {
  if (!free_) HLC_TRY(add_chunk());
  const bool is_long = room == Room::of_long_message;
  if (is_long && !free_long_) HLC_TRY(add_long_chunk());
  Request &taken = *free_;
  free_ = taken.after;
  in_use_ += 1;
  connection.in_use += 1;
  taken.connection = &connection;
  taken.call = call;
  taken.peer = connection.peer;
  taken.reported = true;
  taken.listed = taken.held = taken.is_reply = taken.awaits_reply = false;
  taken.is_silent = taken.borrows = taken.accumulates = false;
  taken.awaited = 1;
  taken.confirms = 0;
  taken.listed_atomics = 0;
  taken.unpacking.bytes = taken.tail_bytes = 0;
  if (is_long) lend_long_room(taken);
  *request = &taken;
  return Status::ok;
}

inline void RequestPool::release(Request &request) {
  if (request.lent) take_back_long_room(request);
  request.use += 1;
  request.after = free_;
  free_ = &request;
  request.connection->in_use -= 1;
  in_use_ -= 1;
}

}  // namespace halocline::core
