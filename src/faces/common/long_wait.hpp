// Waits of faces have no limit of their own, so calls that do not match on all ranks would hang without a word.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "base/clock.hpp"

namespace halocline::core {

/// One wait. The first that is long is reported, once in a process.
class LongWait {
 public:
  /// `who` is "rank" or "PE"; `what` is what the call waits for.
  void report(const char *call, const char *who, int rank, const char *what) const {
    if (now_ns() - begun_ns_ >= kLong_ns) report_first(call, who, rank, what);
  }
  /// Whether it has lasted as long as HALOCLINE_TIMEOUT says; false where that is not set.
  bool has_timed_out() const;

 private:
  static constexpr std::int64_t kSecond_ns = 1'000'000'000, kLong_ns = 30 * kSecond_ns;
  static void report_first(const char *call, const char *who, int rank, const char *what);

  std::int64_t begun_ns_ = now_ns();
};

}  // namespace halocline::core
