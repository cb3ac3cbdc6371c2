// Lists of atomics on integers of 32 and 64 bits (hlc_atomics). Those on this node are atomic instructions. Those on other nodes are queries,
// of which all are under way at the same time. One query carries those on one memory, as many as a message has room for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "engine/rma/operations.hpp"

namespace halocline::core {

/// Atomics that are under way at the same time.
constexpr int kMaxAtomicsAtOnce = 256;

/// Requests the cache line of an atomic that will be carried out, if it is mapped here. So those of several arrive at the same time.
void fetch_line(const RemoteMemory &memory, const hlc_atomic &atomic);

/// Carries out an atomic on memory of this node.
Status carry_out_near(const char *call, const RemoteMemory &memory, hlc_atomic &atomic);

/// Some atomics on other nodes. Made for one call, by one thread.
class FarAtomics {
 public:
  explicit FarAtomics(const char *call) : call_(call) {}
  FarAtomics(const FarAtomics &) = delete;
  FarAtomics &operator=(const FarAtomics &) = delete;
  /// Replies that are still under way are not wanted any more.
  ~FarAtomics();

  /// Adds one, kMaxAtomicsAtOnce in all, if its arguments are right. It stays where it is until they are carried out.
  Status add(const RemoteMemory &memory, hlc_atomic &atomic);
  bool empty() const { return groups_ == 0; }
  /// Starts those for whose queries there is room. Follows the last `add`.
  Status start();
  /// Starts the others, and waits for all replies; there is at least one.
  Status await();

 private:
  enum class State : int { added, asked, done };
  /// The atomics of one query, linked in the order in which they were added. No member is initialised before there is such a query.
  struct Group {
    Network *network;
    const RemoteDescriptor *descriptor;
    int rank;
    std::size_t first, last, count, words;
    std::uint64_t *olds;
    State state;
  };
  struct Listed {
    hlc_atomic *atomic;
    std::size_t next;
  };

  Group &group_for(const RemoteMemory &memory, std::size_t words);
  Status ask(Group &group, Query &query) const;
  /// Starts a query, or tests for its reply, and writes the previous numbers to its atomics.
  Status look(Group &group, Query &query) const;
  Status late() const;

  const char *call_;
  std::size_t groups_ = 0, count_ = 0;
  std::array<Group, kMaxAtomicsAtOnce> group_;
  std::array<Query, kMaxAtomicsAtOnce> query_;
  std::array<Listed, kMaxAtomicsAtOnce> list_;
  std::array<std::uint64_t, kMaxAtomicsAtOnce> olds_;
};

}  // namespace halocline::core
