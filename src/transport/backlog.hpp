// Transfers that the provider had no room for. Those to one peer are handed over in the order of their start, because a message that
// announces writes must not pass them. Different peers do not wait for each other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <utility>

#include "transport/network.hpp"

namespace halocline::core::transport {

/// One thread at a time. Only `add` allocates memory.
class Backlog {
 public:
  /// Adds a peer, whose transfers may wait from now on; no effect for a known peer.
  void add(Peer peer) { lines_[peer]; }
  /// Removes a peer, unless a transfer to it still waits.
  void remove(Peer peer);

  bool empty() const { return waiting_ == nullptr && !apart_.first; }
  /// True if a transfer has to wait because an older one to its peer does.
  bool holds_up(const Transfer &transfer) const;
  /// Appends a transfer to those that wait for its peer.
  void push(Transfer &transfer);
  /// Takes a transfer out; false if it does not wait here.
  bool withdraw(Transfer &transfer);
  /// Calls try_start(transfer) for the oldest of each peer, and for the next ones as long as it returns true. Each is taken out before the
  /// call. A transfer with in_any_order holds no other up.
  template <class TryStart>
  void retry(TryStart try_start);

 private:
  struct Line {
    Transfer *first = nullptr, *last = nullptr;
    Line *next = nullptr;  // of the lines with waiting transfers
    bool listed = false;
  };

  static void append(Line &line, Transfer &transfer);
  static void prepend(Line &line, Transfer &transfer);
  static Transfer &take_first(Line &line);
  static bool take_out(Line &line, Transfer &transfer);
  Line &line_of(const Transfer &transfer);

  std::map<Peer, Line> lines_;
  Line *waiting_ = nullptr;
  Line apart_;  // those with in_any_order
};

template <class TryStart>
void Backlog::retry(TryStart try_start) {
  // First those with in_any_order: a probe among them must not wait until no other transfer waits.
  for (Line others = std::exchange(apart_, Line()); others.first;)
    if (Transfer &transfer = take_first(others); !try_start(transfer)) append(apart_, transfer);
  for (Line **link = &waiting_; *link;) {
    Line &line = **link;
    while (line.first) {
      // SYNC first-in-first-out (pairs with Endpoint::start): the next one waits until this one has room.
      Transfer &oldest = take_first(line);
      if (try_start(oldest)) continue;
      prepend(line, oldest);
      break;
    }
    if (line.first) {
      link = &line.next;
      continue;
    }
    line.listed = false;
    *link = line.next;
  }
}

}  // namespace halocline::core::transport
