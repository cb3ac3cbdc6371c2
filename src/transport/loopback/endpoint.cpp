// Starting transfers, and processing their completions.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/loopback/endpoint.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <set>
#include <utility>

namespace halocline::core::transport::loopback {
namespace {

constexpr long kLongestSleep_ns = 50'000;  // there is no wait object

/// Immediate data that sets a word:  | 1 | words: 14 bits | id: 17 bits | value: 32 bits |. Other data increases a counter.
constexpr std::uint64_t kSetsWord = std::uint64_t{1} << 63;
constexpr int kWordsAt = 49, kIdAt = 32;
constexpr std::uint64_t kIds = std::uint64_t{1} << (kWordsAt - kIdAt), kMostWords = std::uint64_t{1} << (63 - kWordsAt);
static_assert(kIds == NotificationWords::kMostIds);

}  // namespace

Status Endpoint::choose(const Wish &wish, Choice *choice) {
  if (!wish.provider.empty() && wish.provider != "loopback")
    return fail(Status::unsupported, "HALOCLINE_PROVIDER is '%s'; there is: loopback", wish.provider.c_str());
  std::snprintf(choice->provider, sizeof choice->provider, "loopback");
  choice->fake = wish.fake;
  choice->secret = std::random_device()();
  return Status::ok;
}

Status Endpoint::open(const Wish &, const Choice &choice) {
  const auto locked = fabric_.lock();
  number_ = fabric_.attach();
  address_.bytes =
      static_cast<std::uint32_t>(std::snprintf(address_.text, sizeof address_.text, "%llu", static_cast<unsigned long long>(number_)));
  fake_ = choice.fake != Fake::no;
  poor_ = choice.fake == Fake::poor;
  overtakes_ = poor_ || choice.fake == Fake::unordered;
  crowded_ = choice.fake == Fake::crowded;
  dice_.seed(static_cast<unsigned>(number_));
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
  if (number == 0) return fail(Status::unsupported, "%s does not understand the address of a peer", description_.c_str());
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
  counters_[++last_word_] = counter;
  return last_word_;
}

void Endpoint::release_counter(std::uint64_t word) {
  const auto locked = fabric_.lock();
  counters_.erase(word);
}

Status Endpoint::register_words(const NotificationWords &words, std::uint64_t *words_id) {
  const auto locked = fabric_.lock();
  if (words.ids() > static_cast<int>(kIds) || words_.size() >= kMostWords / 2)
    return fail(Status::memory, "the network has no more announcements for notifications");
  do *words_id = kSetsWord | (++last_words_id_ % kMostWords) << kWordsAt;
  while (words_.count(*words_id) != 0);
  words_[*words_id] = words;
  return Status::ok;
}

void Endpoint::release_words(std::uint64_t words_id) {
  const auto locked = fabric_.lock();
  words_.erase(words_id);
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
  if (overtakes_ || transfer.kind == Transfer::Kind::receive) transfer.in_any_order = true;
  if (!has_to_wait(transfer) && try_start(transfer)) return;
  transfer.waits = true;
  waiting_.push_back(&transfer);
}

/// True if an older transfer to the same peer waits.
bool Endpoint::has_to_wait(const Transfer &transfer) const {
  const auto is_older = [&](const Transfer *one) { return !one->in_any_order && one->peer == transfer.peer; };
  return !transfer.in_any_order && std::any_of(waiting_.begin(), waiting_.end(), is_older);
}

/// True if the network has no room now.
bool Endpoint::is_refused(const Transfer &transfer) {
  if (transfer.bytes > kAlwaysRoomBytes &&
      fabric_.under_way(number_, transfer.peer) + transfer.bytes > std::max(kRoomBytes, transfer.bytes))
    return true;
  if (!crowded_) return fake_ && !dice(3);
  if (transfer.kind == Transfer::Kind::send) return false;
  if (refusals_left_ == 0 && dice(4)) refusals_left_ = 1 + static_cast<int>(dice_() % 30);
  if (refusals_left_ == 0) return false;
  refusals_left_ -= 1;
  return true;
}

/// The error of a transfer that the caller has set up wrongly; 0 if there is none.
int Endpoint::fault_of(const Transfer &transfer) const {
  const bool reads = transfer.kind == Transfer::Kind::read || transfer.kind == Transfer::Kind::receive;
  const char *mine = reads ? transfer.into : transfer.from;
  if (poor_ && !fabric_.is_source(transfer.desc, mine, transfer.bytes)) return EFAULT;
  if (transfer.bytes > most_bytes()) return EMSGSIZE;
  return transfer.kind == Transfer::Kind::receive || peers_.count(transfer.peer) != 0 ? 0 : ENOTCONN;
}

bool Endpoint::try_start(Transfer &transfer) {
  const bool receives = transfer.kind == Transfer::Kind::receive;
  if (!receives && is_refused(transfer)) return false;
  if (!receives) {
    taken_.fetch_add(1, std::memory_order_relaxed);
    held_.fetch_add(1, std::memory_order_relaxed);
  }
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
  Packet packet = packet_of(transfer);
  const bool needs_source =
      packet.kind == Transfer::Kind::write || packet.kind == Transfer::Kind::write_with_immediate || packet.kind == Transfer::Kind::send;
  if (needs_source && dice(2)) {
    packet.copy.assign(transfer.from, transfer.from + transfer.bytes);
    packet.transfer = nullptr;
    fabric_.report(number_, {&transfer, 0, 0});
  }
  fabric_.send(transfer.peer, packet);
}

Packet Endpoint::packet_of(Transfer &t) const {
  const std::uint64_t data = poor_ ? static_cast<std::uint32_t>(t.immediate) : t.immediate;
  return {number_, &t, t.kind, !t.in_any_order, t.from, t.into, t.bytes, {t.address, t.key}, data};
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

void Endpoint::give_up(Transfer &transfer, int error) {
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
  polls_.fetch_add(1, std::memory_order_relaxed);
  fabric_.deliver(number_, [this] { return dice(3); });
  for (Event event; !dice(8) && fabric_.take(number_, &event);) take_in(event);
  retry();
}

void Endpoint::take_in(const Event &event) {
  events_.fetch_add(1, std::memory_order_relaxed);
  if (!event.transfer) return take_immediate(event.data);
  if (event.transfer->kind != Transfer::Kind::receive) held_.fetch_sub(1, std::memory_order_relaxed);
  end(*event.transfer, event.error);
}

void Endpoint::take_immediate(std::uint64_t data) {
  if ((data & kSetsWord) != 0) {
    const auto words = words_.find(data >> kWordsAt << kWordsAt);
    const auto id = static_cast<std::uint32_t>(data >> kIdAt & (kIds - 1)), value = static_cast<std::uint32_t>(data);
    if (words == words_.end() || !words->second.set(id, value)) count_foreign();
  } else if (const auto counter = counters_.find(data); counter != counters_.end()) {
    counter->second->value.fetch_add(1, std::memory_order_release);
  } else {
    count_foreign();
  }
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
