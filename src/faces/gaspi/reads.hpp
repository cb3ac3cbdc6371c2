// Reads of gaspi_read_notify that are under way. The network reports their end to no thread, so every wait tests for it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/context/context.hpp"
#include "engine/network/pending.hpp"
#include "engine/rma/local_memory.hpp"

namespace halocline::core::gaspi {

/// Any thread may call.
class Reads {
 public:
  explicit Reads(Context &context) : context_(context) {}

  /// Sets a notification of a segment of this rank to 1, once the reads begun so far from the rank of a part have ended.
  void notify_after(const RemoteMemory &from, std::shared_ptr<LocalMemory> segment, int id);
  /// Sets the notifications whose reads have ended; true if any read has.
  bool look();

 private:
  struct Read {
    Flush flush;
    std::shared_ptr<LocalMemory> segment;
    int id;
  };

  void notify(const LocalMemory &segment, int id);

  Context &context_;
  std::atomic<int> count_{0};
  std::mutex mutex_;
  std::vector<Read> under_way_;
};

}  // namespace halocline::core::gaspi
