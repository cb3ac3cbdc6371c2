// Starting transfers, and processing their completions.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/loopback/endpoint.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <set>
#include <utility>

namespace halocline::core::transport::loopback {
namespace {

constexpr long kLongestSleep_ns = 50'000;  // there is no wait object

constexpr std::int64_t kMaxBytes = 1 << 16, kMaxBytesIfFake = 5000;
constexpr std::int64_t kRoomBytes = 1 << 14;  // under way to one peer
constexpr std::int64_t kAlwaysRoomBytes = 64;
constexpr std::int64_t kFewTransfers = 32;

/// The same bits in each run. The caller holds the fabric's lock.
std::uint64_t draw_bits() {
  static std::mt19937_64 bits;
  return bits();
}

/// True if an older transfer to the same peer waits.
bool has_to_wait(const Transfer &transfer, const std::list<Transfer *> &waiting) {
  const auto is_older = [&](const Transfer *one) { return !one->in_any_order && one->peer == transfer.peer; };
  return !transfer.in_any_order && std::any_of(waiting.begin(), waiting.end(), is_older);
}

Packet packet_of(Peer origin, Transfer &t, bool carries_values) {
  const std::uint64_t data = carries_values ? t.immediate : static_cast<std::uint32_t>(t.immediate);
  return {origin, &t, t.kind, !t.in_any_order, t.from, t.into, t.bytes, {t.address, t.key}, data};
}

}  // namespace

Status Endpoint::choose(const Wish &wish, Choice *choice) {
  if (!wish.provider.empty() && wish.provider != "loopback")
    return fail(Status::unsupported, "HALOCLINE_PROVIDER is '%s'; available: loopback", wish.provider.c_str());
  std::snprintf(choice->provider, sizeof choice->provider, "loopback");
  choice->fake = wish.fake;
  choice->secret = std::random_device()();
  return Status::ok;
}

Status Endpoint::open(const Wish &, const Choice &choice) {
  const auto locked = fabric_.lock();
  number_ = fabric_.attach();
  description_ = "loopback between the threads of a process";
  address_.bytes =
      static_cast<std::uint32_t>(std::snprintf(address_.text, sizeof address_.text, "%llu", static_cast<unsigned long long>(number_)));
  const bool poor = choice.fake == Fake::poor, unordered = is_unordered(choice.fake);
  abilities_.carries_values = !poor;
  abilities_.registers_sources = poor;
  abilities_.keeps_order = !unordered;
  abilities_.most_bytes = unordered ? kMaxBytesIfFake : kMaxBytes;
  abilities_.few_transfers = kFewTransfers;
  immediate_data_ = ImmediateDataTable(draw_bits, carries_values());
  chance_ = Chance(choice.fake, number_);
  return Status::ok;
}

void Endpoint::close_endpoint() {
  const auto locked = fabric_.lock();
  fabric_.detach(std::exchange(number_, 0));
  waiting_.clear();
}

const char *Endpoint::text_of(int error) const { return std::strerror(error); }

Status Endpoint::resolve(const Address &address, Peer *peer) {
  const Peer number = std::strtoull(address.text, nullptr, 10);
  if (number == 0) return fail(Status::unsupported, "%s rejected a peer's address", description_.c_str());
  const auto locked = fabric_.lock();
  peers_[number] += 1;
  *peer = number;
  return Status::ok;
}

void Endpoint::release_peer(const Address &address) { release_peer(std::strtoull(address.text, nullptr, 10)); }

void Endpoint::release_peer(Peer peer) {
  const auto locked = fabric_.lock();
  const auto known = peers_.find(peer);
  if (known != peers_.end() && --known->second == 0) peers_.erase(known);
}

std::uint64_t Endpoint::register_counter(Counter *counter) {
  const auto locked = fabric_.lock();
  return immediate_data_.add(counter);
}

void Endpoint::release_counter(std::uint64_t word) {
  const auto locked = fabric_.lock();
  immediate_data_.remove(word);
}

Status Endpoint::register_words(const NotificationWords &words, std::uint64_t *words_id) {
  const auto locked = fabric_.lock();
  return immediate_data_.add_words(words, words_id);
}

void Endpoint::release_words(std::uint64_t words_id) {
  const auto locked = fabric_.lock();
  immediate_data_.remove_words(words_id);
}

Status Endpoint::register_source(Transfer &transfer) {
  const auto locked = fabric_.lock();
  char *base = transfer.kind == Transfer::Kind::read ? transfer.into : const_cast<char *>(transfer.from);
  transfer.registered = transfer.desc = fabric_.register_memory({number_, base, transfer.bytes, Use::for_me});
  return Status::ok;
}

void Endpoint::start(Transfer &transfer) {
  const auto locked = fabric_.lock();
  transfer.state.store(Transfer::State::under_way, std::memory_order_relaxed);
  if (!keeps_order() || transfer.kind == Transfer::Kind::receive) transfer.in_any_order = true;
  if (!has_to_wait(transfer, waiting_) && try_start(transfer)) return;
  transfer.waits = true;
  waiting_.push_back(&transfer);
}

/// True if the network has no room now.
bool Endpoint::is_refused(const Transfer &transfer) {
  if (transfer.bytes > kAlwaysRoomBytes &&
      fabric_.under_way(number_, transfer.peer) + transfer.bytes > std::max(kRoomBytes, transfer.bytes))
    return true;
  return chance_.refuses(transfer);
}

/// The error of a transfer that the caller has set up wrongly; 0 if there is none.
int Endpoint::fault_of(const Transfer &transfer) const {
  const bool reads = transfer.kind == Transfer::Kind::read || transfer.kind == Transfer::Kind::receive;
  const char *mine = reads ? transfer.into : transfer.from;
  if (registers_sources() && !fabric_.is_source(transfer.desc, mine, transfer.bytes)) return EFAULT;
  // A receive buffer may have more room than a message can have bytes.
  if (transfer.kind == Transfer::Kind::receive) return 0;
  if (transfer.bytes > most_bytes()) return EMSGSIZE;
  return peers_.count(transfer.peer) != 0 ? 0 : ENOTCONN;
}

bool Endpoint::try_start(Transfer &transfer) {
  const bool receives = transfer.kind == Transfer::Kind::receive;
  if (!receives && is_refused(transfer)) return false;
  if (!receives) count_taken();
  if (const int fault = fault_of(transfer); fault != 0)
    fabric_.report(number_, {&transfer, fault, 0});
  else if (receives)
    fabric_.add_buffer(number_, transfer);
  else
    send(transfer);
  return true;
}

/// A transfer that is complete when its source may be reused may complete long before it arrives.
void Endpoint::send(Transfer &transfer) {
  Packet packet = packet_of(number_, transfer, carries_values());
  const bool needs_source =
      packet.kind == Transfer::Kind::write || packet.kind == Transfer::Kind::write_with_immediate || packet.kind == Transfer::Kind::send;
  if (needs_source && chance_.one_in(2)) {
    packet.copy.assign(transfer.from, transfer.from + transfer.bytes);
    packet.transfer = nullptr;
    fabric_.report(number_, {&transfer, 0, 0});
  }
  fabric_.send(transfer.peer, packet);
}

void Endpoint::retry() {
  std::set<Peer> held_up;
  for (auto next = waiting_.begin(); next != waiting_.end();) {
    const auto place = next++;
    Transfer &transfer = **place;
    const bool in_order = !transfer.in_any_order;
    if (in_order && held_up.count(transfer.peer) != 0) continue;
    if (try_start(transfer)) {
      transfer.waits = false;
      waiting_.erase(place);
      continue;
    }
    if (in_order) held_up.insert(transfer.peer);
  }
}

bool Endpoint::waits_for_room(const Transfer &transfer) {
  const auto locked = fabric_.lock();
  return transfer.waits;
}

bool Endpoint::withdraw(Transfer &transfer) {
  const auto locked = fabric_.lock();
  if (!take_back(transfer)) return false;
  transfer.state.store(Transfer::State::at_rest, std::memory_order_relaxed);
  return true;
}

void Endpoint::abandon(Transfer &transfer, int error) {
  const auto locked = fabric_.lock();
  if (take_back(transfer)) end(transfer, error);
}

/// The lock is held.
bool Endpoint::take_back(Transfer &transfer) {
  if (!transfer.waits) return false;
  waiting_.remove(&transfer);
  transfer.waits = false;
  return true;
}

void Endpoint::poll() {
  const auto locked = fabric_.lock();
  count_poll();
  fabric_.deliver(number_, [this] { return chance_.one_in(3); });
  for (Event event; !chance_.one_in(8) && fabric_.take(number_, &event);) take_in(event);
  retry();
}

void Endpoint::take_in(const Event &event) {
  count_event();
  if (!event.transfer) {
    if (!immediate_data_.take(event.data)) count_foreign();
    return;
  }
  if (event.transfer->kind != Transfer::Kind::receive) count_complete();
  end(*event.transfer, event.error);
}

void Endpoint::end(Transfer &transfer, int error) {
  if (transfer.registered) fabric_.unregister(*static_cast<Memory *>(std::exchange(transfer.registered, nullptr)));
  ended_.add(transfer, error);
}

Transfer *Endpoint::take_ended() {
  const auto locked = fabric_.lock();
  return ended_.take();
}

void Endpoint::sleep(int until, long timeout_ns) {
  pollfd object{until, POLLIN, 0};
  const std::timespec time{0, std::min(timeout_ns, kLongestSleep_ns)};
  ppoll(&object, 1, &time, nullptr);
}

}  // namespace halocline::core::transport::loopback
