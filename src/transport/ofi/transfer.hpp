// What goes from one endpoint to another, and how the endpoints are named.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>

struct fid_mr;

namespace halocline::transport::ofi {

/// How an endpoint is reached. Plain bytes, to be sent as they are.
struct Address {
  std::uint32_t bytes = 0;
  char text[124] = "";
  bool operator<(const Address &other) const { return std::memcmp(this, &other, sizeof *this) < 0; }
};

/// A peer's memory, as its owner describes it. Plain numbers, to be sent as they are.
struct RemotePart {
  std::uint64_t address = 0, key = 0;
};

/// Another process's endpoint, as this one calls it.
using Peer = std::uint64_t;

/// How many transfers of one owner have failed. Whoever has some under way looks at them when it grows.
using Failures = std::atomic<std::uint64_t>;

/// One write, read or message, used again and again. From start until it is at rest it belongs to the port, which links and marks it.
struct Transfer {
  enum class State : int { at_rest, under_way, failed };
  /// write: at rest when its source may be reused. announce: a write that the target hears of. deliver: a write that is at rest when its bytes
  /// are there. fetch: a read. send, receive: a message.
  enum class Kind : int { write, announce, deliver, deliver_and_announce, fetch, send, receive };

  std::array<void *, 8> for_libfabric{};  // must stand first: it names the transfer in the completion queue
  Kind kind = Kind::announce;
  bool reported = false;  // take_ended hands it out
  Peer peer = 0;
  const char *from = nullptr;
  char *into = nullptr;  // of fetch and receive
  void *descriptor = nullptr;  // of the region that `from` or `into` lies in
  fid_mr *lent = nullptr;  // a registration for this transfer alone
  std::int64_t bytes = 0;
  std::int64_t arrived = 0;  // bytes of a received message
  std::uint64_t address = 0, key = 0;  // where to
  std::uint64_t announcement = 0;
  bool in_any_order = false;  // holds no other up, and waits for none
  bool waits = false;  // for room in the provider
  Transfer *next = nullptr;  // while it waits, or has ended and is reported
  int error = 0;  // libfabric's number, if it has failed
  Failures *failures = nullptr;  // of its owner, where it is counted if it fails; lives as long as the port
  std::atomic<State> state{State::at_rest};

  /// Goes to the same memory of the same peer, from the same region of the same owner.
  void aim_as(const Transfer &other) {
    peer = other.peer;
    descriptor = other.descriptor;
    key = other.key;
    failures = other.failures;
  }
};

}  // namespace halocline::transport::ofi
