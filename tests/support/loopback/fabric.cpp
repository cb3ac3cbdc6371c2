// Delivering packets.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/loopback/fabric.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <utility>

namespace halocline::core::transport::loopback {
namespace {

const char *source_of(const Packet &packet) { return packet.transfer ? packet.from : packet.copy.data(); }

void copy_bytes(char *to, const char *from, std::int64_t bytes) {
  if (bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

bool has_immediate(Transfer::Kind kind) {
  return kind == Transfer::Kind::write_with_immediate || kind == Transfer::Kind::write_delivered_with_immediate;
}

}  // namespace

Fabric &Fabric::instance() {
  static Fabric *const fabric = new Fabric;  // never destroyed: exit handlers use it
  return *fabric;
}

Peer Fabric::attach() {
  endpoints_[++last_];
  return last_;
}

void Fabric::detach(Peer endpoint) {
  const auto detached = endpoints_.extract(endpoint);
  if (detached.empty()) return;
  for (const Packet &packet : detached.mapped().arriving) finish(packet, ECONNRESET);
  for (auto &[number, other] : endpoints_)
    other.arriving.remove_if([&](const Packet &packet) { return packet.origin == endpoint && packet.transfer; });
}

Memory *Fabric::register_memory(const Memory &memory) {
  constexpr std::uint64_t spread = 0x9E3779B97F4A7C15;  // odd, so that keys are unique
  const std::uint64_t key = ++last_key_ * spread;
  Memory &registered = memory_[key] = memory;
  registered.key = key;
  return &registered;
}

char *Fabric::find(Peer owner, RemoteKey at, std::int64_t bytes) const {
  const auto found = memory_.find(at.key);
  if (found == memory_.end()) return nullptr;
  const Memory &memory = found->second;
  const auto begin = static_cast<std::int64_t>(at.address);
  const bool within = begin >= 0 && bytes >= 0 && begin <= memory.bytes && bytes <= memory.bytes - begin;
  return within && memory.owner == owner && memory.use == Use::for_peers ? memory.base + begin : nullptr;
}

bool Fabric::is_source(const void *desc, const char *base, std::int64_t bytes) const {
  return std::any_of(memory_.begin(), memory_.end(), [&](const auto &entry) {
    const Memory &memory = entry.second;
    return &memory == desc && memory.use == Use::for_me && base >= memory.base && base + bytes <= memory.base + memory.bytes;
  });
}

void Fabric::send(Peer to, const Packet &packet) {
  const auto target = endpoints_.find(to);
  if (target == endpoints_.end()) return finish(packet, EHOSTUNREACH);
  target->second.arriving.push_back(packet);
}

std::int64_t Fabric::under_way(Peer origin, Peer to) const {
  const auto target = endpoints_.find(to);
  std::int64_t bytes = 0;
  if (target != endpoints_.end())
    for (const Packet &packet : target->second.arriving) bytes += packet.origin == origin ? packet.bytes : 0;
  return bytes;
}

void Fabric::report(Peer endpoint, const Event &event) {
  const auto found = endpoints_.find(endpoint);
  if (found != endpoints_.end()) found->second.events.push_back(event);
}

bool Fabric::take(Peer endpoint, Event *event) {
  const auto found = endpoints_.find(endpoint);
  if (found == endpoints_.end() || found->second.events.empty()) return false;
  *event = found->second.events.front();
  found->second.events.pop_front();
  return true;
}

void Fabric::finish(const Packet &packet, int error) {
  if (packet.transfer) report(packet.origin, {packet.transfer, error, 0});
}

void Fabric::deliver(Peer endpoint, const std::function<bool()> &late) {
  const auto found = endpoints_.find(endpoint);
  if (found == endpoints_.end()) return;
  FabricEndpoint &target = found->second;
  std::set<Peer> sending;  // origins with writes or messages that have not arrived: no message passes those
  for (auto next = target.arriving.begin(); next != target.arriving.end();) {
    const auto packet = next++;
    const bool message = packet->kind == Transfer::Kind::send;
    if (late() || (message && (target.buffers.empty() || (packet->in_order && sending.count(packet->origin) != 0)))) {
      if (packet->in_order) sending.insert(packet->origin);
      continue;
    }
    arrive(endpoint, target, *packet);
    target.arriving.erase(packet);
  }
}

void Fabric::arrive(Peer at, FabricEndpoint &target, const Packet &packet) {
  const int error = packet.kind == Transfer::Kind::send ? copy_message(target, packet) : access(at, packet);
  if (error == 0 && has_immediate(packet.kind)) target.events.push_back({nullptr, 0, packet.data});
  finish(packet, error);
}

int Fabric::copy_message(FabricEndpoint &target, const Packet &packet) {
  Transfer &buffer = *target.buffers.front();
  target.buffers.pop_front();
  const bool fits = packet.bytes <= buffer.bytes;
  buffer.arrived = fits ? packet.bytes : 0;
  if (fits) copy_bytes(buffer.into, source_of(packet), packet.bytes);
  target.events.push_back({&buffer, fits ? 0 : EMSGSIZE, 0});
  return 0;
}

int Fabric::access(Peer target, const Packet &packet) {
  char *place = find(target, packet.to, packet.bytes);
  if (!place) return EACCES;
  if (packet.kind == Transfer::Kind::read)
    copy_bytes(packet.into, place, packet.bytes);
  else
    copy_bytes(place, source_of(packet), packet.bytes);
  return 0;
}

}  // namespace halocline::core::transport::loopback
