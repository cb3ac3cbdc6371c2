// Reads of gaspi_read_notify that are under way: the network tells nobody when one is over, so whoever waits looks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/context/context.hpp"
#include "engine/rma/remote_memory.hpp"

namespace halocline::gaspi {

/// Any thread may call.
class Reads {
 public:
  explicit Reads(Context &context) : context_(context) {}

  /// Sets a notification of a segment of this rank once what has been read from the rank of a part is there. Its value is 1.
  void notify_after(const RemoteMemory &from, std::shared_ptr<LocalMemory> segment, int id);
  /// Sets those whose reads are over; true if there were any.
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

}  // namespace halocline::gaspi
