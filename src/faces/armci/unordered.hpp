// What this process has written to other nodes and not flushed yet. ARMCI promises that a process's operations on the same bytes of a target
// take effect in their order; the network promises no order. So an operation on bytes that are listed here waits for a flush first. What is
// elsewhere needs no order.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "engine/rma/operations.hpp"

namespace halocline::core::armci {

/// What an operation does with its target's bytes. Accumulates may be done in any order.
enum class Access { read, write, accumulate };

/// Any thread may call.
class Unordered {
 public:
  explicit Unordered(Network &network) : network_(network) {}

  /// To be called before an operation on memory of another node: waits until it may begin, and lists what it writes.
  Status begin(const char *call, Target at, Extent extent, Access access) {
    const std::lock_guard lock(mutex_);
    std::vector<Bytes> &listed = listed_[at.memory.rank()];
    const Bytes bytes{&at.memory, at.offset + extent.low, at.offset + extent.high, access};
    if (listed.size() >= kMost || collides(listed, bytes)) {
      listed.clear();
      HLC_TRY(flush(call, at.memory));
    }
    if (access != Access::read) listed.push_back(bytes);
    return Status::ok;
  }
  /// Waits until a process, or all, have everything.
  Status complete(const char *call, int proc) {
    const std::lock_guard lock(mutex_);
    const auto found = listed_.find(proc);
    if (found == listed_.end() || found->second.empty()) return Status::ok;
    const RemoteMemory &memory = *found->second.front().memory;
    found->second.clear();
    return flush(call, memory);
  }
  Status complete_all(const char *call) {
    const std::lock_guard lock(mutex_);
    if (listed_.empty()) return Status::ok;
    listed_.clear();
    return flush_all(call, network_);
  }

 private:
  static constexpr std::size_t kMost = 64;

  struct Bytes {
    const RemoteMemory *memory;
    std::int64_t begin, end;
    Access access;
  };

  static bool collides(const std::vector<Bytes> &listed, const Bytes &bytes) {
    for (const Bytes &other : listed)
      if (other.memory == bytes.memory && other.begin < bytes.end && bytes.begin < other.end &&
          (other.access != Access::accumulate || bytes.access != Access::accumulate))
        return true;
    return false;
  }

  Network &network_;
  std::mutex mutex_;
  std::unordered_map<int, std::vector<Bytes>> listed_;  // by process
};

}  // namespace halocline::core::armci
