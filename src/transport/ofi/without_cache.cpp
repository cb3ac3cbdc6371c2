// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ofi/without_cache.hpp"

#include <cstdlib>
#include <cstring>

namespace halocline::core::transport::ofi {

static constexpr char kMostEntries[] = "FI_MR_CACHE_MAX_COUNT";

WithoutCache::WithoutCache() {
  if (const char *const before = std::getenv(kMostEntries)) before_ = before, was_set_ = true;
  if (!is_cache_safe_as_set()) setenv(kMostEntries, "0", 1);
}

WithoutCache::~WithoutCache() { was_set_ ? setenv(kMostEntries, before_.c_str(), 1) : unsetenv(kMostEntries); }

bool is_cache_safe_as_set() {
  const char *const watch = std::getenv("FI_MR_CACHE_MONITOR"), *const most = std::getenv(kMostEntries);
  if (most && std::strcmp(most, "0") == 0) return true;
  return watch && (std::strcmp(watch, "userfaultfd") == 0 || std::strcmp(watch, "disabled") == 0);
}

}  // namespace halocline::core::transport::ofi
