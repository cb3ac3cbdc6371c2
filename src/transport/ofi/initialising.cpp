// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ofi/initialising.hpp"

#include <cstdlib>
#include <cstring>

namespace halocline::core::transport::ofi {
namespace {

constexpr char kMaxCached[] = "FI_MR_CACHE_MAX_COUNT", kPeers[] = "FI_UNIVERSE_SIZE";
constexpr int kFewestPeers = 16, kDefaultPeers = 256;

std::string text_of_peers(int ranks) {
  const int peers = std::getenv(kPeers) ? 0 : peers_of(ranks);
  return peers == 0 ? "" : std::to_string(peers);
}

}  // namespace

InitialisingVariables::InitialisingVariables(int ranks)
    : most_cached_(kMaxCached, is_cache_safe_as_set() ? "" : "0"), peers_(kPeers, text_of_peers(ranks)) {}

std::string shared_receives_for(const std::string &provider) {
  return provider.rfind("verbs", 0) == 0 && std::getenv(kSharedReceives) ? "0" : "";
}

int peers_of(int ranks) {
  if (ranks <= 0 || ranks > kDefaultPeers / 2) return 0;
  int peers = kFewestPeers;
  while (peers < ranks) peers *= 2;
  return peers;
}

bool is_cache_safe_as_set() {
  const char *const watch = std::getenv("FI_MR_CACHE_MONITOR"), *const most = std::getenv(kMaxCached);
  if (most && std::strcmp(most, "0") == 0) return true;
  return watch && (std::strcmp(watch, "userfaultfd") == 0 || std::strcmp(watch, "disabled") == 0);
}

}  // namespace halocline::core::transport::ofi
