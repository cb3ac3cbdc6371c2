// Lists of atomics on integers of 32 and 64 bits (hlc_atomics). Those on this node are atomic instructions. Those on other nodes are queries,
// of which all are under way at the same time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "engine/rma/operations.hpp"

namespace halocline::core {

/// Queries that are under way at the same time.
constexpr int kMostAtomicsAtOnce = 64;

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

  /// Adds one, kMostAtomicsAtOnce in all; the atomic stays where it is until they are carried out.
  void add(const RemoteMemory &memory, hlc_atomic &atomic) { list_[static_cast<std::size_t>(count_++)] = {memory, &atomic, {}, false}; }
  /// Starts them and waits for all replies; there is at least one.
  Status carry_out();

 private:
  struct Listed {
    RemoteMemory memory;
    hlc_atomic *atomic = nullptr;
    Query query;
    bool done = false;
  };
  /// Starts one, or tests for its reply.
  Status look(Listed &listed) const;
  Status late() const;

  const char *call_;
  int count_ = 0;
  std::array<Listed, kMostAtomicsAtOnce> list_;
};

}  // namespace halocline::core
