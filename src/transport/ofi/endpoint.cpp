// The endpoint, its completion queue, and the backlog of transfers that had no room.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ofi/endpoint.hpp"

#include <poll.h>

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <utility>

#include "transport/ofi/random.hpp"
#include "transport/ofi/state.hpp"

namespace halocline::core::transport::ofi {
namespace {

constexpr std::size_t kMostTransferBytes = std::size_t{1} << 30;
constexpr long kRetryEvery_ns = 1'000'000;    // transfers that had no room: there may be no event when there is room
constexpr long kWithoutObject_ns = 50'000;    // for a provider without a wait object
static_assert(sizeof(Transfer::for_network) >= sizeof(fi_context2));
static_assert(offsetof(Transfer, for_network) == 0);

constexpr std::size_t kMostTransferBytesIfFake = 5000, kWordBytesIfPoor = 4;

/// Immediate data that sets a word:  | 1 | words: 14 bits | id: 17 bits | value: 32 bits |
constexpr std::uint64_t kSetsWord = std::uint64_t{1} << 63;
constexpr int kWordsAt = 49, kIdAt = 32;
constexpr std::uint64_t kIds = std::uint64_t{1} << (kWordsAt - kIdAt), kMostWords = std::uint64_t{1} << (63 - kWordsAt);
static_assert(kIds == NotificationWords::kMostIds);

/// Immediate data that increases a counter:  | 0 | salt: 40 bits | place in the table of counters: 23 bits |. The salt is random, so that
/// immediate data of a foreign process is recognised. Where the provider carries only four bytes there is no salt.
constexpr int kSaltAt = 23;
constexpr std::uint64_t kPlaces = std::uint64_t{1} << kSaltAt;

std::uint64_t make_word(std::size_t place, std::size_t word_bytes) {
  const std::uint64_t salt = word_bytes >= 8 ? random_bits() >> (kSaltAt + 1) : 0;
  return salt << kSaltAt | place;
}
std::size_t place_in(std::uint64_t word) { return word & (kPlaces - 1); }

std::int64_t write(fid_ep *endpoint, Transfer &t, std::uint64_t flags) {
  const iovec from{const_cast<char *>(t.from), static_cast<std::size_t>(t.bytes)};
  const fi_rma_iov to{t.address, static_cast<std::size_t>(t.bytes), t.key};
  const fi_msg_rma message{&from, &t.desc, 1, t.peer, &to, 1, &t.for_network, t.immediate};
  return fi_writemsg(endpoint, &message, flags | FI_COMPLETION);
}

}  // namespace

Endpoint::Endpoint() = default;
Endpoint::~Endpoint() = default;

Status Endpoint::choose(const Wish &wish, Choice *choice) {
  const Library *library = nullptr;
  HLC_TRY(find_library(wish.library, &library));
  HLC_TRY(find_random_bits());
  Info info;
  HLC_TRY(ofi::choose(*library, wish, nullptr, info));
  *choice = choice_of(*info);
  choice->fake = wish.fake;
  choice->secret = random_bits();
  return Status::ok;
}

Status Endpoint::open(const Wish &wish, const Choice &choice) {
  const Library *library = nullptr;
  HLC_TRY(find_library(wish.library, &library));
  HLC_TRY(find_random_bits());
  auto state = std::make_unique<State>();
  state->library = library;
  HLC_TRY(ofi::choose(*library, wish, &choice, state->info));
  many_threads_ = wish.many_threads;
  description_ = state->description = describe(*state->info) + ", " + library->name();
  library_file_ = library->path;
  HLC_TRY(state->open(wish.sleeps));
  wait_object_ = state->wait_object();
  HLC_TRY(state->name(&address_));
  const fi_domain_attr &domain = *state->info->domain_attr;
  const bool poor = choice.fake == Fake::poor;
  const bool unordered = poor || choice.fake == Fake::unordered;
  const std::size_t most = unordered ? kMostTransferBytesIfFake : kMostTransferBytes;
  most_bytes_ = static_cast<std::int64_t>(std::min(state->info->ep_attr->max_msg_size, most));
  inject_bytes_ = state->info->tx_attr->inject_size;
  most_held_ = static_cast<std::int64_t>(state->info->tx_attr->size);
  word_bytes_ = poor ? kWordBytesIfPoor : domain.cq_data_size;
  registers_sources_ = poor || (domain.mr_mode & FI_MR_LOCAL) != 0;
  keeps_order_ = !unordered && (state->info->tx_attr->msg_order & FI_ORDER_SAW) != 0;
  overtakes_ = unordered;
  crowded_ = choice.fake == Fake::crowded;
  if (choice.fake != Fake::no) dice_ = static_cast<std::uint32_t>(random_bits()) | 1;
  state_ = std::move(state);
  return Status::ok;
}

/// A provider that registers memory per endpoint may refuse while memory is registered: then ~State closes the endpoint.
void Endpoint::close_endpoint() {
  if (state_ && state_->endpoint && fi_close(&state_->endpoint->fid) == 0) state_->endpoint = nullptr;
}

const char *Endpoint::text_of(int error) const { return state_->library->text_of(error); }

Status Endpoint::resolve(const Address &address, Peer *peer) {
  const auto locked = lock();
  KnownPeer &known = known_peers_[address];
  if (known.users == 0) {
    fi_addr_t number = FI_ADDR_UNSPEC;
    if (fi_av_insert(state_->addresses, address.text, 1, &number, 0, nullptr) != 1) {
      known_peers_.erase(address);
      return fail(Status::unsupported, "%s does not understand the address of a peer", description_.c_str());
    }
    known.peer = number;
    backlog_.add(number);
  }
  known.users += 1;
  *peer = known.peer;
  return Status::ok;
}

void Endpoint::release_peer(const Address &address) {
  const auto locked = lock();
  abandon(known_peers_.find(address));
}

void Endpoint::release_peer(Peer peer) {
  const auto locked = lock();
  abandon(std::find_if(known_peers_.begin(), known_peers_.end(), [&](const auto &known) { return known.second.peer == peer; }));
}

void Endpoint::abandon(KnownPeers::iterator known) {
  if (known == known_peers_.end() || --known->second.users > 0) return;
  fi_addr_t number = known->second.peer;
  fi_av_remove(state_->addresses, &number, 1, 0);
  backlog_.remove(number);
  known_peers_.erase(known);
}

std::uint64_t Endpoint::register_counter(Counter *counter) {
  const auto locked = lock();
  if (free_counters_.empty()) {
    free_counters_.reserve(counters_.size() + 1);  // so that release_counter allocates nothing
    counters_.emplace_back();
    free_counters_.push_back(counters_.size() - 1);
  }
  const std::size_t place = free_counters_.back();
  free_counters_.pop_back();
  counters_[place] = {counter, make_word(place, word_bytes_)};
  return counters_[place].word;
}

void Endpoint::release_counter(std::uint64_t word) {
  const auto locked = lock();
  counters_[place_in(word)].counter = nullptr;
  free_counters_.push_back(place_in(word));
}

Status Endpoint::register_words(const NotificationWords &words, std::uint64_t *words_id) {
  const auto locked = lock();
  if (words.ids() > static_cast<int>(kIds) || words_.size() >= kMostWords / 2)
    return fail(Status::memory, "the network has no more announcements for notifications");
  do *words_id = kSetsWord | (random_bits() % kMostWords) << kWordsAt;
  while (words_.count(*words_id) != 0);
  words_[*words_id] = words;
  return Status::ok;
}

void Endpoint::release_words(std::uint64_t words_id) {
  const auto locked = lock();
  words_.erase(words_id);
}

void Endpoint::start(Transfer &transfer) {
  const auto locked = lock();
  transfer.state.store(Transfer::State::under_way, std::memory_order_relaxed);
  if (overtakes_ || transfer.kind == Transfer::Kind::receive) transfer.in_any_order = true;
  // SYNC first-in-first-out (pairs with Backlog::retry): a message must not pass a waiting write, which it may announce.
  if (backlog_.holds_up(transfer) || !try_start(transfer)) backlog_.push(transfer);
}

Status Endpoint::register_source(Transfer &transfer) {
  const bool reads = transfer.kind == Transfer::Kind::read;
  const auto locked = lock();
  fid_mr *registration = nullptr;
  HLC_TRY(state_->register_memory({reads ? transfer.into : transfer.from, transfer.bytes, false}, &registration));
  transfer.registered = registration;
  transfer.desc = fi_mr_desc(registration);
  return Status::ok;
}

bool Endpoint::waits_for_room(const Transfer &transfer) {
  const auto locked = lock();
  return transfer.waits;
}

bool Endpoint::withdraw(Transfer &transfer) {
  const auto locked = lock();
  if (!backlog_.withdraw(transfer)) return false;
  transfer.state.store(Transfer::State::at_rest, std::memory_order_relaxed);
  return true;
}

void Endpoint::give_up(Transfer &transfer, int error) {
  const auto locked = lock();
  if (backlog_.withdraw(transfer)) end(transfer, error);
}

Transfer *Endpoint::take_ended() {
  const auto locked = lock();
  return ended_.take();
}

/// For tests: an unordered network holds back two of three transfers at random. A crowded one holds back all but messages while is_crowded.
bool Endpoint::hold_back(const Transfer &transfer) {
  if (dice_ == 0 || transfer.kind == Transfer::Kind::receive) return false;
  if (crowded_) return transfer.kind != Transfer::Kind::send && is_crowded();
  dice_ = dice_ * 1664525 + 1013904223;
  return (dice_ >> 16) % 3 != 0;
}

/// True for some milliseconds, from a transfer that is chosen at random, one in four.
bool Endpoint::is_crowded() {
  constexpr std::chrono::milliseconds length{3};
  const auto now = std::chrono::steady_clock::now();
  if (now < room_from_) return true;
  dice_ = dice_ * 1664525 + 1013904223;
  if ((dice_ >> 16) % 4 != 0) return false;
  room_from_ = now + length;
  return true;
}

/// False if the provider has no room now.
bool Endpoint::try_start(Transfer &transfer) {
  if (hold_back(transfer)) return false;
  const std::int64_t code = hand_over(transfer);
  if (code == -FI_EAGAIN) return false;
  if (code != 0) {
    end(transfer, static_cast<int>(-code));
  } else if (transfer.kind != Transfer::Kind::receive) {
    taken_.store(taken() + 1, std::memory_order_relaxed);
    hold(+1);
  }
  return true;
}

/// Calls libfabric's function for this kind of transfer.
std::int64_t Endpoint::hand_over(Transfer &t) {
  fid_ep *endpoint = state_->endpoint;
  const auto bytes = static_cast<std::size_t>(t.bytes);
  // Few bytes are sent in the provider's own buffer, behind its header.
  const std::uint64_t inject = bytes <= inject_bytes_ ? FI_INJECT : 0;
  switch (t.kind) {
    case Transfer::Kind::write: return write(endpoint, t, inject);
    case Transfer::Kind::write_with_immediate: return write(endpoint, t, FI_REMOTE_CQ_DATA | inject);
    case Transfer::Kind::write_delivered: return write(endpoint, t, FI_DELIVERY_COMPLETE);
    case Transfer::Kind::write_delivered_with_immediate: return write(endpoint, t, FI_DELIVERY_COMPLETE | FI_REMOTE_CQ_DATA);
    case Transfer::Kind::read: return fi_read(endpoint, t.into, bytes, t.desc, t.peer, t.address, t.key, &t.for_network);
    case Transfer::Kind::send: return fi_send(endpoint, t.from, bytes, t.desc, t.peer, &t.for_network);
    case Transfer::Kind::receive: return fi_recv(endpoint, t.into, bytes, t.desc, FI_ADDR_UNSPEC, &t.for_network);
  }
  return -FI_EINVAL;
}

/// Ends a transfer that the provider no longer holds.
void Endpoint::complete(Transfer &transfer, int error) {
  if (transfer.kind != Transfer::Kind::receive) hold(-1);
  end(transfer, error);
}

void Endpoint::end(Transfer &transfer, int error) {
  if (transfer.registered) fi_close(&static_cast<fid_mr *>(std::exchange(transfer.registered, nullptr))->fid);
  ended_.add(transfer, error);
}

void Endpoint::poll() {
  std::unique_lock<std::mutex> locked;
  if (many_threads_) {
    locked = std::unique_lock(mutex_, std::try_to_lock);
    if (!locked.owns_lock()) return;
  }
  polls_.store(polls() + 1, std::memory_order_relaxed);
  read_queue();
  if (!backlog_.empty()) backlog_.retry([this](Transfer &transfer) { return try_start(transfer); });
}

void Endpoint::sleep(int until, long timeout_ns) {
  if (wait_object_ < 0) timeout_ns = std::min(timeout_ns, kWithoutObject_ns);
  {
    const auto locked = lock();
    if (!backlog_.empty()) timeout_ns = std::min(timeout_ns, kRetryEvery_ns);
    fid *queue = &state_->queue->fid;
    if (wait_object_ >= 0 && fi_trywait(state_->fabric, &queue, 1) != 0) return;
  }
  std::array<pollfd, 2> objects{{{until, POLLIN, 0}, {wait_object_, POLLIN, 0}}};
  const std::timespec time{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
  ppoll(objects.data(), wait_object_ >= 0 ? 2 : 1, &time, nullptr);
}

void Endpoint::read_queue() {
  std::array<fi_cq_data_entry, 16> entries;
  while (true) {
    const ssize_t count = fi_cq_read(state_->queue, entries.data(), entries.size());
    if (count == -FI_EAVAIL) read_error();
    if (count <= 0) return;
    events_.store(events() + static_cast<std::uint64_t>(count), std::memory_order_relaxed);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
      if ((entries[i].flags & FI_RECV) != 0)
        receive(entries[i].op_context, entries[i].len);
      else if ((entries[i].flags & FI_REMOTE_CQ_DATA) != 0)
        take_immediate(entries[i].data);
      else if (entries[i].op_context)
        complete(*static_cast<Transfer *>(entries[i].op_context), 0);
    // A read that finds the queue empty would cost as much as one that returns an entry.
    if (static_cast<std::size_t>(count) < entries.size()) return;
  }
}

void Endpoint::receive(void *transfer, std::size_t bytes) {
  if (!transfer) return count_foreign();
  auto &buffer = *static_cast<Transfer *>(transfer);
  buffer.arrived = static_cast<std::int64_t>(bytes);
  end(buffer, 0);
}

/// Errors at the target of a peer's write, and errors without a transfer, are only counted.
void Endpoint::read_error() {
  fi_cq_err_entry entry{};
  if (fi_cq_readerr(state_->queue, &entry, 0) <= 0) return;
  if (entry.op_context && (entry.flags & (FI_WRITE | FI_READ | FI_SEND | FI_RECV)) != 0)
    complete(*static_cast<Transfer *>(entry.op_context), entry.err);
  else
    count_foreign();
}

void Endpoint::take_immediate(std::uint64_t word) {
  if ((word & kSetsWord) != 0 && word_bytes_ >= sizeof word) return set_value(word);
  const std::size_t place = place_in(word);
  if (place >= counters_.size() || !counters_[place].counter || counters_[place].word != word) return count_foreign();
  // SYNC payload-before-immediate (pairs with WireChannel::poll, NodeWireChannel::has_come and look_for_lost, Ring::has_come): the provider
  // reports immediate data after its bytes are placed.
  counters_[place].counter->value.fetch_add(1, std::memory_order_release);
}

void Endpoint::set_value(std::uint64_t word) {
  const auto words = words_.find(word >> kWordsAt << kWordsAt);
  const auto id = static_cast<std::uint32_t>(word >> kIdAt & (kIds - 1)), value = static_cast<std::uint32_t>(word);
  if (words == words_.end() || !words->second.set(id, value)) count_foreign();
}

}  // namespace halocline::core::transport::ofi
