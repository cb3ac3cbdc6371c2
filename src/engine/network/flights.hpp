// Transfers to the ranks of other nodes, and the pool that they are taken from: it grows as far as is needed and never shrinks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/network/service.hpp"

namespace halocline {

struct Flight;

/// Whose flights they are: it is told when one has ended.
class FlightOwner {
 public:
  FlightOwner() = default;
  FlightOwner(const FlightOwner &) = delete;
  FlightOwner &operator=(const FlightOwner &) = delete;
  virtual void ended(Flight &flight) = 0;

 protected:
  ~FlightOwner() = default;
};

/// A rank of another node.
struct Link {
  int rank = 0;
  transport::Peer peer = 0;
  Flight *oldest = nullptr, *newest = nullptr;  // in flight, in the order in which they began
  // What has gone there whose end does not say that it is there, and how much of it is known to be.
  std::uint64_t posted = 0, confirmed = 0;
  std::size_t in_use = 0;  // flights
  std::uint64_t progress = 0;  // how much of what this rank has begun there has come to something
  int error = 0;  // libfabric's number, once something has failed
  const char *failed_call = nullptr;
};

/// One transfer with all that goes with it. From begin to its end it is the caller's, then the pool's.
struct Flight : Transfer {
  static constexpr std::int64_t kRoom = Letterbox::kRoom;

  FlightOwner *owner = nullptr;  // null once that has gone
  Link *link = nullptr;
  Flight *before = nullptr, *after = nullptr;  // of the same link; `after` also in the pool
  std::uint64_t number = 0;  // flights are numbered as they begin
  const char *call = "";
  char *room = nullptr;  // kRoom bytes that may be sent from
  void *room_descriptor = nullptr;
  int awaited = 0;  // its own end, and of a request the answer
  bool listed = false;  // in the list of its link
  bool answers = false;  // a request of another rank
  bool asks = false;  // and has not been answered
  bool held = false;  // somebody waits for the answer and gives the flight back
  std::uint32_t place = 0, use = 0;  // where it is in the pool, and how often it was taken from there
  std::uint64_t answer = 0;
  std::uint64_t posted_before = 0;  // how much had been posted there before this one
  std::uint64_t confirms = 0;  // a request to confirm: how much of what was posted
};

/// The pool. One thread at a time.
class Flights {
 public:
  /// What all flights of a pool have in common.
  struct Common {
    NetworkPort *port = nullptr;
    FlightOwner *owner = nullptr;
    transport::Failures *failures = nullptr;
  };

  Flights() = default;
  explicit Flights(const Common &common) : common_(common) {}

  /// Takes one to the rank of a link, for `call`, its name in messages. May allocate, and fail.
  Status take(Link &link, const char *call, Flight **flight);
  void release(Flight &flight);
  std::size_t in_use() const { return in_use_; }
  /// The one at a place; null if there is no such place.
  Flight *at(std::uint32_t place);
  /// The owner goes: what waits for room is given up, and ends of the others are nobody's.
  void disown();
  /// True if the provider still has one.
  bool any_under_way() const;
  /// Calls each(flight) for all that have last gone to the rank of a link, whether or not they are over.
  template <class Each>
  void of(const Link &link, Each each) {
    for (const auto &chunk : chunks_)
      for (Flight &flight : chunk->flights)
        if (flight.link == &link) each(flight);
  }

 private:
  static constexpr std::size_t kChunk = 32;
  struct Chunk {
    std::array<Flight, kChunk> flights;
    NetworkSegment room;
  };
  Status add_chunk();

  Common common_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  Flight *free_ = nullptr;
  std::size_t in_use_ = 0;
};

inline Status Flights::take(Link &link, const char *call, Flight **flight) {
  if (!free_) HLC_TRY(add_chunk());
  Flight &taken = *free_;
  free_ = taken.after;
  in_use_ += 1;
  link.in_use += 1;
  taken.link = &link;
  taken.call = call;
  taken.peer = link.peer;
  taken.reported = true;
  taken.listed = taken.held = taken.answers = taken.asks = false;
  taken.awaited = 1;
  taken.confirms = 0;
  *flight = &taken;
  return Status::ok;
}

inline void Flights::release(Flight &flight) {
  flight.use += 1;
  flight.after = free_;
  free_ = &flight;
  flight.link->in_use -= 1;
  in_use_ -= 1;
}

}  // namespace halocline
