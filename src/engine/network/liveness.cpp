// Probes of ranks: one write of eight bytes per rank, which is complete when it has been delivered.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/network/liveness.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/clock.hpp"

namespace halocline::core {
namespace {

constexpr std::int64_t kWordBytes = 8;
constexpr std::int64_t kEvery_ns = 1'000'000'000;
constexpr std::int64_t kAgain_ns = 100'000'000;  // to a rank that seems lost or was never reached
constexpr std::int64_t kRoom_ns = 100'000'000;   // for the provider to take a write

}  // namespace

std::string on_its_host(int rank, const char *host) { return "rank " + std::to_string(rank) + " on host " + host; }

Status ProbeWords::open(NetworkEndpoint &endpoint) {
  HLC_TRY(mine.open(endpoint, kWordBytes, NetworkSegment::Use::for_peers));
  return source.open(endpoint, kWordBytes, NetworkSegment::Use::for_me);
}

RankAddress Liveness::mine() const {
  RankAddress mine{endpoint_.address(), words_.mine.remote(), ""};
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  std::copy_n(host, sizeof mine.host - 1, mine.host);
  return mine;
}

Status Liveness::know(int rank, const RankAddress &there, Whose whose) {
  const Lock lock(mutex_);
  if (probes_.count({rank, whose}) != 0) return Status::ok;
  transport::Peer peer = 0;
  HLC_TRY(endpoint_.resolve(there.address, &peer));
  Probe &probe = probes_[{rank, whose}];
  probe.name = on_its_host(rank, there.host);
  Transfer &write = probe.write;
  write.kind = Transfer::Kind::write_delivered;
  write.in_any_order = true;  // transfers that wait for a rank must not delay its probe
  write.peer = peer;
  write.from = words_.source.base();
  write.desc = words_.source.desc();
  write.bytes = kWordBytes;
  write.address = there.probe.address;
  write.key = there.probe.key;
  write.failures = &failures_;
  probe.next_ns = now_ns() + kRoom_ns;
  endpoint_.start(write);
  return Status::ok;
}

std::string Liveness::name_of(int rank) {
  const Lock lock(mutex_);
  return probes_.at({rank, Whose::its_own}).name;
}

int Liveness::find_lost(std::int64_t for_ns, int after) {
  const Lock lock(mutex_);
  const std::int64_t now = now_ns();
  int found = -1;
  for (auto known = probes_.upper_bound({after, Whose::helper}); known != probes_.end(); ++known) {
    auto &[process, probe] = *known;
    if (probe.forgotten || process.second != Whose::its_own) continue;
    look_at(probe, now);
    if (found < 0 && is_lost(probe, now, for_ns)) found = process.first;
  }
  return found;
}

bool Liveness::has_lost(int rank, std::int64_t for_ns) {
  const Lock lock(mutex_);
  const std::int64_t now = now_ns();
  bool lost = false;
  for (const Whose whose : {Whose::its_own, Whose::helper}) {
    const auto known = probes_.find({rank, whose});
    if (known == probes_.end() || known->second.forgotten) continue;
    look_at(known->second, now);
    lost |= is_lost(known->second, now, for_ns);
  }
  return lost;
}

bool Liveness::has_reached(int rank) {
  const Lock lock(mutex_);
  const auto known = probes_.find({rank, Whose::its_own});
  return known != probes_.end() && known->second.reached;
}

void Liveness::forget(int rank) {
  const Lock lock(mutex_);
  for (const Whose whose : {Whose::its_own, Whose::helper})
    if (const auto known = probes_.find({rank, whose}); known != probes_.end()) forget(known->second);
}

void Liveness::stop() {
  const Lock lock(mutex_);
  for (auto &[process, probe] : probes_) forget(probe);
}

void Liveness::forget(Probe &probe) {
  endpoint_.withdraw(probe.write);
  probe.forgotten = true;
}

bool Liveness::any_under_way() {
  const Lock lock(mutex_);
  // SYNC written-before-reuse (pairs with EndedTransfers::add)
  return std::any_of(probes_.begin(), probes_.end(), [](const auto &known) {
    return known.second.write.state.load(std::memory_order_acquire) == Transfer::State::under_way;
  });
}

void Liveness::part() {
  const Lock lock(mutex_);
  for (const auto &[process, probe] : probes_) endpoint_.release_peer(probe.write.peer);
  probes_.clear();
}

/// True if the provider has not accepted the probe although it had room: it accepted other transfers, or holds few.
bool Liveness::is_refused(const Probe &probe) const { return endpoint_.taken() != probe.taken_before || endpoint_.has_room(); }

/// A write that the provider does not accept is withdrawn, since it may open a connection for each try.
void Liveness::look_at(Probe &probe, std::int64_t now) {
  // SYNC written-before-reuse (pairs with EndedTransfers::add)
  const auto state = probe.write.state.load(std::memory_order_acquire);
  if (probe.asked) {
    const bool under_way = state == Transfer::State::under_way;
    if (under_way && (now < probe.next_ns || !endpoint_.withdraw(probe.write))) return;
    const bool lost = probe.reached && (under_way ? is_refused(probe) : state == Transfer::State::failed);
    if (lost && !probe.lost) probe.lost_since_ns = now;
    probe.lost = lost;
    probe.reached |= state == Transfer::State::at_rest;
    probe.asked = false;
    probe.next_ns = now + (probe.lost || !probe.reached ? kAgain_ns : kEvery_ns);
  }
  if (now < probe.next_ns) return;
  probe.asked = true;
  probe.next_ns = now + kRoom_ns;
  probe.taken_before = endpoint_.taken();
  endpoint_.start(probe.write);
}

}  // namespace halocline::core
