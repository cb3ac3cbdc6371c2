// One write of eight bytes per rank, which is complete when it has been delivered.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/network/pulse.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/clock.hpp"

namespace halocline {
namespace {

constexpr std::int64_t kWordBytes = 8;
constexpr std::int64_t kEvery_ns = 1'000'000'000;
constexpr std::int64_t kAgain_ns = 100'000'000;  // to one that seems lost
constexpr std::int64_t kRoom_ns = 100'000'000;   // for the provider to take a write

}  // namespace

std::string on_its_host(int rank, const char *host) { return "rank " + std::to_string(rank) + " on host " + host; }

Status PulseWords::open(NetworkEndpoint &endpoint) {
  HLC_TRY(mine.open(endpoint, kWordBytes, NetworkSegment::Use::for_peers));
  return source.open(endpoint, kWordBytes, NetworkSegment::Use::for_me);
}

RankAddress Pulses::mine() const {
  RankAddress mine{endpoint_.address(), words_.mine.remote(), ""};
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  std::copy_n(host, sizeof mine.host - 1, mine.host);
  return mine;
}

Status Pulses::know(int rank, const RankAddress &there) {
  const std::lock_guard lock(mutex_);
  if (pulses_.count(rank) != 0) return Status::ok;
  transport::Peer peer = 0;
  HLC_TRY(endpoint_.resolve(there.address, &peer));
  Pulse &pulse = pulses_[rank];
  pulse.name = on_its_host(rank, there.host);
  Transfer &write = pulse.write;
  write.kind = Transfer::Kind::write_delivered;
  write.in_any_order = true;  // what waits for a rank must not hide that it is there
  write.peer = peer;
  write.from = words_.source.base();
  write.desc = words_.source.desc();
  write.bytes = kWordBytes;
  write.address = there.pulse.address;
  write.key = there.pulse.key;
  write.failures = &failures_;
  endpoint_.start(write);
  return Status::ok;
}

std::string Pulses::name_of(int rank) {
  const std::lock_guard lock(mutex_);
  return pulses_.at(rank).name;
}

int Pulses::find_lost(std::int64_t for_ns, int after) {
  const std::lock_guard lock(mutex_);
  const std::int64_t now = now_ns();
  int found = -1;
  for (auto known = pulses_.upper_bound(after); known != pulses_.end(); ++known) {
    auto &[rank, pulse] = *known;
    if (pulse.forgotten) continue;
    look_at(pulse, now);
    if (found < 0 && is_lost(pulse, now, for_ns)) found = rank;
  }
  return found;
}

bool Pulses::has_lost(int rank, std::int64_t for_ns) {
  const std::lock_guard lock(mutex_);
  const std::int64_t now = now_ns();
  const auto known = pulses_.find(rank);
  if (known == pulses_.end() || known->second.forgotten) return false;
  look_at(known->second, now);
  return is_lost(known->second, now, for_ns);
}

void Pulses::forget(int rank) {
  const std::lock_guard lock(mutex_);
  const auto known = pulses_.find(rank);
  if (known == pulses_.end()) return;
  endpoint_.withdraw(known->second.write);
  known->second.forgotten = true;
}

void Pulses::stop() {
  const std::lock_guard lock(mutex_);
  for (auto &[rank, pulse] : pulses_) {
    endpoint_.withdraw(pulse.write);
    pulse.forgotten = true;
  }
}

bool Pulses::any_under_way() {
  const std::lock_guard lock(mutex_);
  // SYNC written-before-reuse (pairs with EndedTransfers::add)
  return std::any_of(pulses_.begin(), pulses_.end(), [](const auto &known) {
    return known.second.write.state.load(std::memory_order_acquire) == Transfer::State::under_way;
  });
}

void Pulses::part() {
  const std::lock_guard lock(mutex_);
  for (const auto &[rank, pulse] : pulses_) endpoint_.release_peer(pulse.write.peer);
  pulses_.clear();
}

/// What the provider has not taken, while it had room: it took others, or holds few.
bool Pulses::is_refused(const Pulse &pulse) const { return endpoint_.taken() != pulse.taken_before || endpoint_.has_room(); }

/// A write that the provider does not take is withdrawn: for each try it may open a connection.
void Pulses::look_at(Pulse &pulse, std::int64_t now) {
  // SYNC written-before-reuse (pairs with EndedTransfers::add)
  const auto state = pulse.write.state.load(std::memory_order_acquire);
  if (pulse.asked) {
    const bool under_way = state == Transfer::State::under_way;
    if (under_way && (now < pulse.next_ns || !endpoint_.withdraw(pulse.write))) return;
    const bool lost = pulse.reached && (under_way ? is_refused(pulse) : state == Transfer::State::failed);
    if (lost && !pulse.lost) pulse.lost_since_ns = now;
    pulse.lost = lost;
    pulse.reached |= state == Transfer::State::at_rest;
    pulse.asked = false;
    pulse.next_ns = now + (pulse.lost ? kAgain_ns : kEvery_ns);
  }
  if (now < pulse.next_ns) return;
  pulse.asked = true;
  pulse.next_ns = now + kRoom_ns;
  pulse.taken_before = endpoint_.taken();
  endpoint_.start(pulse.write);
}

}  // namespace halocline
