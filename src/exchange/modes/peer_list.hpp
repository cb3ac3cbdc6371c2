// The ranks at the other ends of a channel's edges, with the edges that the running round moves. Modes use it to count several edges at
// once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "exchange/channel.hpp"

namespace halocline::core {

/// A rank at the other end of one or several edges.
struct PeerOfEdges {
  int rank = 0;
  Member member = kNotOnNode;
  std::int64_t bytes = 0;  // of these edges in a whole round
  std::size_t first = 0, incoming = 0;  // the edges that receive data in a round, in PeerList's table
  std::size_t gives = 0;  // how many edges send data to it in a round
};

/// Peer is a PeerOfEdges with what a mode keeps for each.
template <class Peer>
class PeerList {
 public:
  /// Finds the peers of a channel's edges, and makes room for what parts_changed lists. A rank is several peers if its edges have more
  /// bytes than `most`. Both ends divide them alike, by their order on the lower rank.
  void make(const Plan &plan, std::vector<int> edges, std::int64_t most = INT64_MAX) {
    const int me = plan.topology->rank();
    const auto key = [&](int e) {
      const Edge &edge = plan.edges[static_cast<std::size_t>(e)];
      return std::pair(edge.rank, me < edge.rank ? e : edge.peer_edge);
    };
    std::sort(edges.begin(), edges.end(), [&](int a, int b) { return key(a) < key(b); });
    index_of_.assign(plan.edges.size(), 0);
    incoming_.reserve(edges.size());
    for (const int e : edges) {
      const Edge &edge = plan.edges[static_cast<std::size_t>(e)];
      const std::int64_t bytes = std::max(edge.in, edge.out);  // which the handshake has compared
      const bool known = !peers_.empty() && peers_.back().rank == edge.rank;
      if (!known) members_.push_back(edge.member);
      if (!known || peers_.back().bytes > most - bytes) {
        peers_.emplace_back();
        peers_.back().rank = edge.rank;
        peers_.back().member = edge.member;
      }
      peers_.back().bytes += bytes;
      index_of_[static_cast<std::size_t>(e)] = peers_.size() - 1;
    }
  }

  /// Lists what rounds with these parts move between this rank and each peer. Allocates nothing.
  void parts_changed(const Plan &plan, const std::vector<int> &edges) {
    incoming_.clear();
    for (Peer &peer : peers_) {
      peer.first = incoming_.size();
      peer.gives = 0;
      for (const int e : edges) {
        if (&of(e) != &peer) continue;
        const Part &part = plan.parts[static_cast<std::size_t>(e)];
        if (part.in > 0) incoming_.push_back(e);
        if (part.out > 0) peer.gives += 1;
      }
      peer.incoming = incoming_.size() - peer.first;
    }
  }

  Peer &of(int edge) { return peers_[index(edge)]; }
  const Peer &of(int edge) const { return peers_[index(edge)]; }
  std::size_t index(int edge) const { return index_of_[static_cast<std::size_t>(edge)]; }
  /// The edges that receive data from a peer.
  Edges incoming_of(const Peer &peer) const { return {incoming_.data() + peer.first, peer.incoming}; }
  std::vector<Peer> &all() { return peers_; }
  std::size_t size() const { return peers_.size(); }
  /// The ranks as members of the node, each once.
  const std::vector<Member> &members() const { return members_; }

 private:
  std::vector<Peer> peers_;
  std::vector<Member> members_;
  std::vector<std::size_t> index_of_;  // edge -> peer
  std::vector<int> incoming_;  // edges, peer by peer
};

}  // namespace halocline::core
