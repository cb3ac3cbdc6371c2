// Memory of each rank in which it publishes what others look up, and to which others write. All ranks make theirs together; a rank opens
// that of another at its first use.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "engine/memory/rank_table.hpp"
#include "engine/rma/local_memory.hpp"

namespace halocline::core {

/// Any thread may call, except open and close.
class ControlMemory {
 public:
  explicit ControlMemory(Network &network) : network_(network), mine_(network) {}
  ControlMemory(const ControlMemory &) = delete;
  ControlMemory &operator=(const ControlMemory &) = delete;

  /// Makes this rank's memory, the same size on all ranks, and shares the descriptors of all. Collective over the communicator, the same
  /// status on all ranks.
  Status open(const MemorySpec &spec);
  /// Releases it, before the network is closed.
  void close();

  LocalMemory &mine() { return mine_; }
  const LocalMemory &mine() const { return mine_; }
  /// Finds the memory of any rank. It stays valid.
  Status find(int rank, RemoteMemory **memory);

 private:
  Network &network_;
  LocalMemory mine_;
  RankTable<MemoryDescriptor> descriptors_;
  std::mutex mutex_;  // of what follows
  std::map<int, std::unique_ptr<OpenedMemory>> known_;  // by rank
};

}  // namespace halocline::core
