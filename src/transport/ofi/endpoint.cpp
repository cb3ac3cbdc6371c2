// The endpoint, its completion queue, and the backlog of transfers that had no room.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ofi/endpoint.hpp"

#include <poll.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "transport/ofi/completion_queue.hpp"
#include "transport/ofi/registration_cache.hpp"
#include "transport/ofi/state.hpp"
#include "transport/pinned_memory.hpp"
#include "transport/random.hpp"

namespace halocline::core::transport::ofi {
namespace {

constexpr std::size_t kMaxTransferBytes = std::size_t{1} << 30;
constexpr long kRetryEvery_ns = 1'000'000;    // transfers that had no room: there may be no event when there is room
constexpr long kWithoutObject_ns = 50'000;    // for a provider without a wait object
constexpr long kQuiet_ns = 10'000'000;        // before an endpoint of verbs is closed
static_assert(sizeof(Transfer::for_network) >= sizeof(fi_context2));
static_assert(offsetof(Transfer, for_network) == 0);

bool is_verbs(const fi_info &info) { return std::strncmp(info.fabric_attr->prov_name, "verbs", 5) == 0; }

std::int64_t write(fid_ep *endpoint, Transfer &t, std::uint64_t flags) {
  const iovec from{const_cast<char *>(t.from), static_cast<std::size_t>(t.bytes)};
  const fi_rma_iov to{t.address, static_cast<std::size_t>(t.bytes), t.key};
  const fi_msg_rma message{&from, &t.desc, 1, t.peer, &to, 1, &t.for_network, t.immediate};
  return fi_writemsg(endpoint, &message, flags | FI_COMPLETION);
}

std::int64_t send(fid_ep *endpoint, Transfer &t, std::uint64_t flags) {
  const std::array<iovec, 2> from{{{const_cast<char *>(t.from), static_cast<std::size_t>(t.bytes)},
                                   {const_cast<char *>(t.tail), static_cast<std::size_t>(t.tail_bytes)}}};
  std::array<void *, 2> descs{t.desc, nullptr};
  const fi_msg message{from.data(), descs.data(), t.tail_bytes > 0 ? from.size() : 1, t.peer, &t.for_network, 0};
  return fi_sendmsg(endpoint, &message, flags | FI_COMPLETION);
}

bool has_immediate(const Transfer &t) {
  return t.kind == Transfer::Kind::write_with_immediate || t.kind == Transfer::Kind::write_delivered_with_immediate;
}

/// A write with immediate data; without them if a message is to follow.
std::int64_t write_with_immediate(const State &state, Transfer &t, std::uint64_t flags) {
  if (!state.traits.announces) return write(state.endpoint, t, flags | FI_REMOTE_CQ_DATA);
  return t.announces ? state.announcements.send(t) : write(state.endpoint, t, FI_DELIVERY_COMPLETE);
}

/// A write has ended that a message with its immediate data is to follow.
bool is_to_be_announced(const State &state, const Completion &ended) {
  return state.traits.announces && ended.error == 0 && has_immediate(*ended.transfer) && !ended.transfer->announces;
}

/// Calls libfabric's function for this kind of transfer.
std::int64_t hand_over(const State &state, Transfer &t) {
  fid_ep *endpoint = state.endpoint;
  const auto bytes = static_cast<std::size_t>(t.bytes);
  // Few bytes are sent in the provider's own buffer, behind its header.
  const std::uint64_t inject_write = bytes <= state.inject_write_bytes ? FI_INJECT : 0;
  const std::uint64_t inject = bytes <= state.inject_bytes && t.tail_bytes == 0 ? FI_INJECT : 0;
  switch (t.kind) {
    case Transfer::Kind::write: return write(endpoint, t, inject_write);
    case Transfer::Kind::write_with_immediate: return write_with_immediate(state, t, inject_write);
    case Transfer::Kind::write_delivered: return write(endpoint, t, FI_DELIVERY_COMPLETE);
    case Transfer::Kind::write_delivered_with_immediate: return write_with_immediate(state, t, FI_DELIVERY_COMPLETE);
    case Transfer::Kind::read: return fi_read(endpoint, t.into, bytes, t.desc, t.peer, t.address, t.key, &t.for_network);
    case Transfer::Kind::send: return send(endpoint, t, inject);
    case Transfer::Kind::receive: return fi_recv(endpoint, t.into, bytes, t.desc, FI_ADDR_UNSPEC, &t.for_network);
  }
  return -FI_EINVAL;
}

void forget(const std::optional<Peer> &released, Backlog &backlog, LongTransfers &long_transfers) {
  if (!released) return;
  backlog.remove(*released);
  long_transfers.forget(*released);
}

}  // namespace

Endpoint::Endpoint() = default;
Endpoint::~Endpoint() = default;

Status Endpoint::choose(const Wish &wish, Choice *choice) {
  const Library *library = nullptr;
  HLC_TRY(find_library(wish, &library));
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
  HLC_TRY(find_library(wish, &library));
  HLC_TRY(find_random_bits());
  auto state = std::make_unique<State>();
  state->library = library;
  HLC_TRY(ofi::choose(*library, wish, &choice, state->info));
  simulate(*state->info, choice.fake);
  state->traits = traits_of(*state->info, choice.fake);
  many_threads_ = wish.many_threads;
  description_ = state->description = describe(*state->info) + ", " + library->name();
  library_file_ = library->path;
  HLC_TRY(state->open(wish.sleeps));
  if (registers_pages(state->info->fabric_attr->prov_name)) description_ += caution_of_fork();
  HLC_TRY(state->name(&address_));
  state_ = std::move(state);
  report_abilities(choice);
  peers_.open(*state_);
  immediate_data_ = ImmediateDataTable(random_bits, carries_values());
  return Status::ok;
}

void Endpoint::report_abilities(const Choice &choice) {
  const fi_info &info = *state_->info;
  const Traits &traits = state_->traits;
  disturbance_ = Disturbance(choice.fake, static_cast<std::uint32_t>(random_bits()));
  abilities_.most_bytes = static_cast<std::int64_t>(std::min(info.ep_attr->max_msg_size, kMaxTransferBytes));
  abilities_.few_transfers = static_cast<std::int64_t>(info.tx_attr->size) / 2;
  if (traits.moves_by_processor) {
    abilities_.piece_bytes = LongTransfers::kPieceBytes;
    long_transfers_.limit();
  }
  abilities_.carries_values = traits.announces || info.domain_attr->cq_data_size >= sizeof(std::uint64_t);
  abilities_.registers_sources = (info.domain_attr->mr_mode & FI_MR_LOCAL) != 0;
  abilities_.sends_tails = !abilities_.registers_sources && info.tx_attr->iov_limit >= 2;
  // The provider keeps the order in which transfers are handed to it, and the backlog hands them over in order. A message that announces a write
  // is sent later than others.
  constexpr std::uint64_t kOrder = FI_ORDER_SAW | FI_ORDER_SAS;
  abilities_.keeps_order = !traits.announces && (info.tx_attr->msg_order & kOrder) == kOrder;
}

/// A provider that registers memory per endpoint may refuse while memory is registered: then ~State closes the endpoint.
void Endpoint::close_endpoint() {
  if (!state_ || !state_->endpoint) return;
  const auto locked = lock();
  take_in_what_arrives(is_verbs(*state_->info) ? kQuiet_ns : 0);
  if (fi_close(&state_->endpoint->fid) == 0) state_->endpoint = nullptr;
}

/// Until nothing more arrives for a while, or peers that still send have done so for ten times as long. rxm to version 2.5 ends with a
/// segmentation fault if it closes a connection of verbs on which something has arrived unread (libfabric's issue 11828).
void Endpoint::take_in_what_arrives(long quiet_ns) {
  const std::int64_t end = now_ns() + 10 * quiet_ns;
  std::int64_t quiet_until = 0;
  for (int reads = 0; reads < 2 || now_ns() < std::min(quiet_until, end); ++reads) {
    const std::uint64_t before = events() + foreign();
    read_completions(state_->queue, [this](const Completion &completion) { take_in(completion); });
    if (reads == 0 || events() + foreign() != before) quiet_until = now_ns() + quiet_ns;
  }
}

const char *Endpoint::text_of(int error) const { return state_->library->text_of(error); }

Status Endpoint::resolve(const Address &address, Peer *peer) {
  const auto locked = lock();
  HLC_TRY(peers_.resolve(address, peer));
  backlog_.add(*peer);
  return Status::ok;
}

void Endpoint::release_peer(const Address &address) {
  const auto locked = lock();
  take_in_what_arrives(0);
  forget(peers_.release(address), backlog_, long_transfers_);
}

void Endpoint::release_peer(Peer peer) {
  const auto locked = lock();
  take_in_what_arrives(0);
  forget(peers_.release(peer), backlog_, long_transfers_);
}

std::uint64_t Endpoint::register_counter(Counter *counter) {
  const auto locked = lock();
  return immediate_data_.add(counter);
}

void Endpoint::release_counter(std::uint64_t word) {
  const auto locked = lock();
  immediate_data_.remove(word);
}

Status Endpoint::register_words(const NotificationWords &words, std::uint64_t *words_id) {
  const auto locked = lock();
  return immediate_data_.add_words(words, words_id);
}

void Endpoint::release_words(std::uint64_t words_id) {
  const auto locked = lock();
  immediate_data_.remove_words(words_id);
}

void Endpoint::start(Transfer &transfer) {
  const auto locked = lock();
  transfer.state.store(Transfer::State::under_way, std::memory_order_relaxed);
  transfer.announces = false;
  if (disturbance_.is_unordered() || transfer.kind == Transfer::Kind::receive) transfer.in_any_order = true;
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
  if (transfer.announces) count_complete();
  transfer.state.store(Transfer::State::at_rest, std::memory_order_relaxed);
  return true;
}

void Endpoint::abandon(Transfer &transfer, int error) {
  const auto locked = lock();
  if (!backlog_.withdraw(transfer)) return;
  if (transfer.announces) count_complete();
  end(transfer, error);
}

Transfer *Endpoint::take_ended() {
  const auto locked = lock();
  return ended_.take();
}

/// False if the provider has no room now.
bool Endpoint::try_start(Transfer &transfer) {
  if (disturbance_.holds_back(transfer) || long_transfers_.holds_up(transfer)) return false;
  const std::int64_t code = hand_over(*state_, transfer);
  if (code == -FI_EAGAIN) return false;
  if (code != 0) {
    if (transfer.announces) count_complete();
    end(transfer, static_cast<int>(-code));
  } else if (transfer.kind != Transfer::Kind::receive && !transfer.announces) {
    count_taken();
    long_transfers_.begin(transfer);
  }
  return true;
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
  count_poll();
  read_completions(state_->queue, [this](const Completion &completion) { take_in(completion); });
  if (state_->announcements.are_open()) state_->announcements.post_again();
  if (!backlog_.empty()) backlog_.retry([this](Transfer &transfer) { return try_start(transfer); });
}

void Endpoint::sleep(int until, long timeout_ns) {
  const int wait_object = state_->wait_object;
  if (wait_object < 0) timeout_ns = std::min(timeout_ns, kWithoutObject_ns);
  {
    const auto locked = lock();
    if (!backlog_.empty()) timeout_ns = std::min(timeout_ns, kRetryEvery_ns);
    fid *queue = &state_->queue->fid;
    if (wait_object >= 0 && fi_trywait(state_->fabric, &queue, 1) != 0) return;
  }
  std::array<pollfd, 2> objects{{{until, POLLIN, 0}, {wait_object, POLLIN, 0}}};
  const std::timespec time{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
  ppoll(objects.data(), wait_object >= 0 ? 2 : 1, &time, nullptr);
}

void Endpoint::take_in(const Completion &completion) {
  if (completion.error == 0) count_event();
  if (completion.transfer && state_->announcements.own(*completion.transfer)) {
    const std::optional<std::uint64_t> data = state_->announcements.take(completion);
    return data ? take_immediate(*data) : count_foreign();
  }
  switch (completion.kind) {
    case Completion::Kind::received:
      completion.transfer->arrived = static_cast<std::int64_t>(completion.bytes);
      return end(*completion.transfer, 0);
    case Completion::Kind::ended:
      if (is_to_be_announced(*state_, completion)) {
        // SYNC payload-before-immediate (pairs with Endpoint::take_immediate): the write is complete when its bytes are placed; only then this starts.
        completion.transfer->announces = true;
        if (backlog_.holds_up(*completion.transfer) || !try_start(*completion.transfer)) backlog_.push(*completion.transfer);
        return;
      }
      if (completion.transfer->kind != Transfer::Kind::receive) count_complete();
      long_transfers_.end(*completion.transfer);
      return end(*completion.transfer, completion.error);
    case Completion::Kind::immediate: return take_immediate(completion.data);
    case Completion::Kind::foreign: return count_foreign();
    case Completion::Kind::nothing: return;
  }
}

void Endpoint::take_immediate(std::uint64_t data) {
  // SYNC payload-before-immediate (pairs with SlotReceiver::has_arrived, NodeLink::has_arrived, NodeWireChannel::look_for_lost): the provider
  // reports immediate data after its bytes are placed.
  if (!immediate_data_.take(data)) count_foreign();
}

}  // namespace halocline::core::transport::ofi
