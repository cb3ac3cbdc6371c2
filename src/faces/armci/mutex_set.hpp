// Mutexes of a group of processes: ticket locks in memory of their owners.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mutex>
#include <vector>

#include "faces/armci/job.hpp"

namespace halocline::core::armci {

/// A mutex that is taken in the order in which processes ask for it.
struct alignas(kLinePair) Mutex {
  std::uint64_t next;  // the next ticket
  std::uint64_t served;  // the ticket that has the mutex
};

class MutexSet {
 public:
  explicit MutexSet(Network &network) : memory_(network) {}

  /// Makes `count` mutexes of this process. Collective over the group. Fails alike on all.
  Status open(Job &job, const char *call, const ARMCI_Group &group, int count);

  /// Waits for a mutex of a rank of the group.
  void lock(Job &job, const char *call, int mutex, int rank);
  bool try_lock(Job &job, const char *call, int mutex, int rank);
  void unlock(Job &job, const char *call, int mutex, int rank);

 private:
  struct Held {
    int mutex, rank;
    bool operator==(const Held &) const = default;
  };

  const RemoteMemory &memory_of(Job &job, const char *call, int mutex, int rank) const;
  bool holds(Held held);
  void note(Held held);
  bool forget(Held held);

  Allocation memory_;
  std::mutex guard_;  // of what follows
  std::vector<Held> held_;  // by this process
};

}  // namespace halocline::core::armci
