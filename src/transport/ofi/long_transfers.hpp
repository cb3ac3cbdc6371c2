// Bounds the bytes of long transfers that are under way to a peer, on networks whose data the processors move. Then what is under way may stay
// in the caches.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>

#include "base/clock.hpp"
#include "transport/network.hpp"

namespace halocline::core::transport::ofi {

/// The long transfers under way whose completion says that all has arrived. One thread at a time.
class LongTransfers {
 public:
  static constexpr std::int64_t kPieceBytes = 128 << 10, kPatience_ns = 500'000;

  void limit() { limits_ = true; }
  /// True if enough is under way to its peer. A peer that has completed none for a while is given all: it computes, and what is in its sockets
  /// arrives at its next poll.
  bool holds_up(const Transfer &transfer, std::int64_t at_ns = now_ns()) const {
    if (!is_long(transfer)) return false;
    const auto found = peers_.find(transfer.peer);
    if (found == peers_.end() || found->second.bytes == 0 || found->second.bytes + transfer.bytes <= kMaxBytes) return false;
    return at_ns - found->second.changed_ns < kPatience_ns;
  }
  void begin(const Transfer &transfer) {
    if (is_long(transfer)) change(transfer, transfer.bytes);
  }
  void end(const Transfer &transfer) {
    if (is_long(transfer)) change(transfer, -transfer.bytes);
  }
  void forget(Peer peer) { peers_.erase(peer); }

 private:
  static constexpr std::int64_t kMaxBytes = 2 * kPieceBytes, kLongBytes = kPieceBytes / 2;
  struct UnderWay {
    std::int64_t bytes = 0, changed_ns = 0;
  };

  bool is_long(const Transfer &transfer) const {
    const bool is_confirmed = transfer.kind == Transfer::Kind::write_delivered || transfer.kind == Transfer::Kind::read;
    return limits_ && is_confirmed && transfer.bytes >= kLongBytes;
  }
  /// What is under way to a peer that has been forgotten ends uncounted.
  void change(const Transfer &transfer, std::int64_t bytes) {
    if (bytes < 0 && peers_.count(transfer.peer) == 0) return;
    UnderWay &peer = peers_[transfer.peer];
    peer.bytes += bytes;
    peer.changed_ns = now_ns();
  }

  bool limits_ = false;
  std::map<Peer, UnderWay> peers_;
};

}  // namespace halocline::core::transport::ofi
