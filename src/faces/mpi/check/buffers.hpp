// HALOCLINE_CHECK=1: the buffers of this process that calls still read or write, as a flush or the end of their epoch is missing.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "faces/mpi/check/access_log.hpp"

namespace halocline::core::mpi {

class Check;
class Window;

/// A buffer of a call.
struct BusyBuffer {
  const Window *window;
  const Check *check;  // of the window
  int target;
  Call call;
  bool is_written;
  std::uint32_t site;
  std::uint64_t id;  // of the access
  ByteRuns runs;  // by address
};

/// Of all windows. Any thread.
class BusyBuffers {
 public:
  static constexpr std::size_t kMax = 1024;

  /// Finds a buffer that is not to be used yet as `wanted` is; false if there is none.
  bool find(const BusyBuffer &wanted, BusyBuffer *found, ByteRange *common) const;
  void add(const BusyBuffer &buffer);
  /// The accesses of a window to a target are complete, as far as the origin's buffers are concerned; to all targets, if it is -1.
  void forget(const Window &window, int target);
  void forget_access(const Window &window, std::uint64_t id);

 private:
  template <class Match>
  void erase(Match match);

  mutable std::mutex mutex_;
  std::vector<BusyBuffer> all_;
};

BusyBuffers &busy_buffers();

}  // namespace halocline::core::mpi
