// Whether the ranks of other nodes are still there. Their processes cannot be looked up from here, and a provider may try for ever to reach one
// that has ended; but a write that it does not even take is a sign.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "engine/network/network_transport.hpp"

namespace halocline {

/// How a rank is reached, and the word of its memory that others may write to see whether it is there. Plain bytes, to be sent as they are.
struct RankAddress {
  transport::Address address;
  transport::RemoteKey probe;
  char host[32];  // as much of its name as there is room for
};

/// The word of this process that others write, and one to write from: once for all contexts that share an endpoint, so that what comes late
/// still finds it.
struct ProbeWords {
  NetworkSegment mine, source;

  Status open(NetworkEndpoint &endpoint);
};

/// As messages name a rank of another node.
std::string on_its_host(int rank, const char *host);

/// The ranks of other nodes that this one has had to do with. Any thread may call.
class Liveness {
 public:
  Liveness(NetworkEndpoint &endpoint, const ProbeWords &words, transport::Failures &failures)
      : endpoint_(endpoint), words_(words), failures_(failures) {}
  /// What others need to know to look for this rank.
  RankAddress mine() const;
  /// From now on a rank is looked for.
  Status know(int rank, const RankAddress &there);
  /// To be called every few milliseconds by whoever waits: writes to each of them, and again a second after the last write was taken in.
  /// A rank that the network takes nothing for is given so much time to be reached again.
  static constexpr std::int64_t kGone_ns = 2'000'000'000;

  /// Returns the first rank behind `after` that was reached once and no longer is, -1 if none is known. A rank that computes and one whose cable
  /// is cut are not among them: the provider takes what goes there. With `for_ns`: one that has not been reached for so long. What the provider
  /// does not take while it is full says nothing.
  int find_lost(std::int64_t for_ns = 0, int after = -1);
  /// The same for one rank: true if it is looked for, was reached once, and has not been for so long.
  bool has_lost(int rank, std::int64_t for_ns);
  /// A rank is not looked for any more.
  void forget(int rank);
  /// A rank that is looked for, in messages.
  std::string name_of(int rank);
  /// No rank is looked for any more.
  void stop();
  /// True if the provider still has a write, after stop.
  bool any_under_way();
  /// Parts from all ranks, once none is under way.
  void part();

 private:
  struct Probe {
    Transfer write;
    std::int64_t next_ns = 0;  // the next write, or the end of the patience with this one
    std::int64_t lost_since_ns = 0;
    std::uint64_t taken_before = 0;  // by the provider, when the write began
    bool asked = true, reached = false, lost = false, forgotten = false;
    std::string name;
  };

  bool is_refused(const Probe &probe) const;
  void look_at(Probe &probe, std::int64_t now_ns);
  static bool is_lost(const Probe &probe, std::int64_t now_ns, std::int64_t for_ns) {
    return probe.lost && now_ns - probe.lost_since_ns >= for_ns;
  }

  NetworkEndpoint &endpoint_;
  const ProbeWords &words_;
  transport::Failures &failures_;
  std::mutex mutex_;
  std::map<int, Probe> probes_;  // by rank
};

}  // namespace halocline
