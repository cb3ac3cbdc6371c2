// The message of a long wait, and the limit that a user sets.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/common/long_wait.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "base/environment.hpp"

namespace halocline::core {

void LongWait::report_first(const char *call, const char *who, int rank, const char *what) {
  static std::atomic<bool> reported{false};
  if (reported.exchange(true)) return;
  std::fprintf(stderr, "halocline: %s: %s %d waits for %s, for more than %d s by now; %s\n", call, who, rank, what,
               static_cast<int>(kLong_ns / kSecond_ns),
               *environment("TIMEOUT") == '\0' ? "if it should not, HALOCLINE_TIMEOUT=60 ends waits of more than 60 s"
                                               : "HALOCLINE_TIMEOUT ends it");
}

bool LongWait::has_timed_out() const {
  const char *const seconds = environment("TIMEOUT");
  const std::int64_t limit = *seconds == '\0' ? 0 : std::atoll(seconds);
  return limit > 0 && (now_ns() - begun_ns_) / kSecond_ns >= limit;
}

}  // namespace halocline::core
