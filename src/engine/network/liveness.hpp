// Detects ranks of other nodes that have ended. Their processes cannot be looked up from here, and a provider may try forever to reach one
// that has ended. But a write that the provider does not even accept is a sign.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "base/mutex.hpp"
#include "engine/network/network_transport.hpp"

namespace halocline::core {

/// How a rank is reached, and the word of its memory that others write as a probe. Plain bytes, to be sent as they are.
struct RankAddress {
  transport::Address address;
  transport::RemoteKey probe;
  char host[32];  // its name, cut to the room
};

/// The word of this process that others write, and one to write from. All contexts that share an endpoint use the same words, so that a
/// late write still finds its target.
struct ProbeWords {
  NetworkSegment mine, source;

  Status open(NetworkEndpoint &endpoint);
};

/// The name of a rank of another node in messages.
std::string on_its_host(int rank, const char *host);

/// Probes the ranks of other nodes that this one communicates with, and the helpers that serve them. Any thread may call.
class Liveness {
 public:
  Liveness(NetworkEndpoint &endpoint, const ProbeWords &words, transport::Failures &failures)
      : endpoint_(endpoint), words_(words), failures_(failures) {}
  /// What others need to probe this rank.
  RankAddress mine() const;
  /// What a process is to a rank: its own, or its node's helper.
  enum class Whose : int { its_own, helper };
  /// From now on a process of a rank is probed.
  Status know(int rank, const RankAddress &there, Whose whose = Whose::its_own);
  /// The time in which a lost rank may be reached again.
  static constexpr std::int64_t kLost_ns = 2'000'000'000;

  /// To be called every few milliseconds by a thread that waits: writes to each rank, and again a second after the last write has ended.
  /// Returns the first rank behind `after` whose own process was reached once and no longer is, -1 if none is known. With `for_ns`: one that
  /// has not been reached for that long. A rank that computes or whose cable is cut is not among them: the provider still accepts writes to it. A
  /// write that the provider does not accept while it is full proves nothing.
  int find_lost(std::int64_t for_ns = 0, int after = -1);
  /// The same for one rank and its helper: true if one of them was reached once, and has not been reached for that long.
  bool has_lost(int rank, std::int64_t for_ns);
  /// True if a probe of the rank has arrived. Until then the rank is not found lost.
  bool has_reached(int rank);
  /// A rank is not probed any more.
  void forget(int rank);
  /// The name of a probed rank in messages.
  std::string name_of(int rank);
  /// No rank is probed any more.
  void stop();
  /// True if the provider still has a write, after stop.
  bool any_under_way();
  /// Releases the peers of all ranks, once no write is under way.
  void part();

  /// Bytes on the heap for each rank that is probed, without the map's own.
  static std::int64_t bytes_per_rank() { return sizeof(Probe); }

 private:
  struct Probe {
    Transfer write;
    std::int64_t next_ns = 0;  // time of the next write, or until which this one is waited for
    std::int64_t lost_since_ns = 0;
    std::uint64_t taken_before = 0;  // transfers accepted by the provider when the write began
    bool asked = true, reached = false, lost = false, forgotten = false;
    std::string name;
  };

  bool is_refused(const Probe &probe) const;
  void look_at(Probe &probe, std::int64_t now_ns);
  void forget(Probe &probe);
  static bool is_lost(const Probe &probe, std::int64_t now_ns, std::int64_t for_ns) {
    return probe.lost && now_ns - probe.lost_since_ns >= for_ns;
  }

  NetworkEndpoint &endpoint_;
  const ProbeWords &words_;
  transport::Failures &failures_;
  Mutex mutex_;
  std::map<std::pair<int, Whose>, Probe> probes_ HLC_GUARDED_BY(mutex_);  // by rank
};

}  // namespace halocline::core
