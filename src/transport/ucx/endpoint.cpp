// The worker, what is sent and what arrives.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ucx/endpoint.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <utility>

#include "transport/pinned_memory.hpp"
#include "transport/random.hpp"
#include "transport/ucx/arrival.hpp"
#include "transport/ucx/errors.hpp"
#include "transport/ucx/state.hpp"

namespace halocline::core::transport::ucx {
namespace {

// UCX puts the fragments of a longer message together in memory of its own before it hands the message over.
constexpr std::int64_t kMaxTransferBytes = 1 << 20, kMaxTransferBytesIfFake = 5000, kPieceBytes = 64 << 10;
constexpr std::int64_t kMaxBytesOfPut = 1 << 30;
constexpr std::int64_t kFewTransfers = 1024;
constexpr int kMaxRounds = 16;               // of progress in a poll
constexpr long kRetryEvery_ns = 1'000'000;    // transfers that were refused
constexpr long kWithoutObject_ns = 50'000;    // for a worker without a wait object

}  // namespace

/// What UCX calls.
struct Handlers {
  static bool take_write(Endpoint &endpoint, const Arrival &arrival) {
    Access access;
    if (!arrival.read(&access) || access.bytes != arrival.bytes) return false;
    char *const place = endpoint.exposed_.find({access.address, access.key}, access.bytes);
    if (place) copy_bytes(place, arrival.data, arrival.bytes);
    endpoint.inbox_.count(access.stream);
    if ((access.flags & Access::kWantsAnswer) != 0) endpoint.outbox_.reply(arrival, {access.token, place ? 0 : EACCES}, nullptr, 0);
    const bool has_immediate = (access.flags & Access::kHasImmediate) != 0;
    return place && (!has_immediate || take_immediate(endpoint, access.immediate));
  }
  static bool take_immediate(Endpoint &endpoint, std::uint64_t data) {
    endpoint.count_event();
    // SYNC payload-before-immediate (pairs with SlotReceiver::has_arrived, NodeLink::has_arrived, NodeWireChannel::look_for_lost): take_write has
    // placed the bytes.
    return endpoint.immediate_data_.take(data);
  }
  static bool take_read(Endpoint &endpoint, const Arrival &arrival) {
    Access access;
    if (!arrival.read(&access)) return false;
    const char *const place = endpoint.exposed_.find({access.address, access.key}, access.bytes);
    endpoint.outbox_.reply(arrival, {access.token, place ? 0 : EACCES}, place, place ? access.bytes : 0);
    return place != nullptr;
  }
  static bool ask_key(Endpoint &endpoint, const Arrival &arrival) {
    endpoint.outbox_.give_key(arrival, endpoint.exposed_);
    return true;
  }
  static bool take_key(Endpoint &endpoint, const Arrival &arrival) { return endpoint.outbox_.take_key(arrival); }
  static bool take_answer(Endpoint &endpoint, const Arrival &arrival) { return endpoint.outbox_.take_answer(arrival); }
  static bool take_message(Endpoint &endpoint, const Arrival &arrival) { return endpoint.inbox_.take(arrival); }

  /// This library sends no rendezvous messages.
  template <bool (*take)(Endpoint &, const Arrival &)>
  static ucs_status_t handle(void *at, const void *header, std::size_t header_bytes, void *data, std::size_t bytes,
                             const ucp_am_recv_param_t *param) {
    auto &endpoint = *static_cast<Endpoint *>(at);
    const bool is_here = (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0;
    const bool may_reply = (param->recv_attr & UCP_AM_RECV_ATTR_FIELD_REPLY_EP) != 0;
    const Arrival arrival{header, header_bytes, static_cast<const char *>(data), bytes, may_reply ? param->reply_ep : nullptr};
    if (!is_here || !take(endpoint, arrival)) endpoint.count_foreign();
    return UCS_OK;
  }

  static ucs_status_t set(const State &state, Id id, ucp_am_recv_callback_t handler, Endpoint *endpoint) {
    ucp_am_handler_param_t param{};
    param.field_mask =
        UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
    param.id = static_cast<unsigned>(id);
    param.flags = UCP_AM_FLAG_WHOLE_MSG;
    param.cb = handler;
    param.arg = endpoint;
    return state.library->set_handler(state.worker, &param);
  }

  static Status set_all(const State &state, Endpoint *endpoint) {
    for (const ucs_status_t status :
         {set(state, Id::write, handle<take_write>, endpoint), set(state, Id::read, handle<take_read>, endpoint),
          set(state, Id::answer, handle<take_answer>, endpoint), set(state, Id::message, handle<take_message>, endpoint),
          set(state, Id::ask_key, handle<ask_key>, endpoint), set(state, Id::give_key, handle<take_key>, endpoint)})
      if (status != UCS_OK)
        return fail(Status::unsupported, "%s: ucp_worker_set_am_recv_handler: %s", state.describe().c_str(),
                    state.library->text_of(status));
    return Status::ok;
  }
};

Endpoint::Endpoint() = default;
/// UCX's keys of peers go before its worker.
Endpoint::~Endpoint() { close_endpoint(); }

Status Endpoint::choose(const Wish &wish, Choice *choice) {
  State state;
  HLC_TRY(find_library(wish, &state.library));
  HLC_TRY(find_random_bits());
  HLC_TRY(state.open_context(wish));
  std::snprintf(choice->provider, sizeof choice->provider, "%s", wish.provider.c_str());
  choice->fake = wish.fake;
  choice->secret = random_bits();
  return Status::ok;
}

Status Endpoint::open(const Wish &wish, const Choice &choice) {
  auto state = std::make_unique<State>();
  HLC_TRY(find_library(wish, &state->library));
  HLC_TRY(find_random_bits());
  HLC_TRY(state->open_context(wish));
  if (choice.for_device && !state->one_sided)
    return fail(Status::unsupported, "%s has no device here that writes to memory of peers", state->library->name().c_str());
  description_ = state->describe();
  library_file_ = state->library->path;
  HLC_TRY(state->open_worker(wish.sleeps));
  if (state->one_sided) description_ += caution_of_fork();
  HLC_TRY(Handlers::set_all(*state, this));
  HLC_TRY(state->name(&address_));
  many_threads_ = wish.many_threads;
  report_abilities(choice, state->one_sided);
  immediate_data_ = ImmediateDataTable(random_bits, carries_values());
  outbox_.open(*state);
  state_ = std::move(state);
  return Status::ok;
}

/// Messages wait at the target for the active messages that were sent before them: UCX documents no order. But they do not wait for puts.
void Endpoint::report_abilities(const Choice &choice, bool one_sided) {
  disturbance_ = Disturbance(choice.fake, static_cast<std::uint32_t>(random_bits()));
  const bool poor = choice.fake == Fake::poor;
  abilities_.most_bytes = one_sided ? kMaxBytesOfPut : kMaxTransferBytes;
  if (disturbance_.is_unordered()) abilities_.most_bytes = kMaxTransferBytesIfFake;
  if (!one_sided) abilities_.piece_bytes = kPieceBytes;
  abilities_.few_transfers = kFewTransfers;
  abilities_.carries_values = !poor;
  abilities_.registers_sources = poor;
  abilities_.sends_tails = !poor;
  abilities_.keeps_order = !disturbance_.is_unordered() && !one_sided;
}

void Endpoint::close_endpoint() {
  if (!state_ || !state_->worker) return;
  outbox_.part();
  state_->close_worker();
}

const char *Endpoint::text_of(int error) const {
  return is_of_ucx(error) ? state_->library->text_of(status_of(error)) : std::strerror(error);
}

Status Endpoint::resolve(const Address &address, Peer *peer) {
  if (address.bytes == 0 || address.bytes > sizeof address.text)
    return fail(Status::unsupported, "%s rejected a peer's address", description_.c_str());
  const auto locked = lock();
  *peer = outbox_.peers().resolve(address);
  backlog_.add(*peer);
  return Status::ok;
}

void Endpoint::release_peer(const Address &address) {
  const auto locked = lock();
  if (const auto released = outbox_.peers().release(address)) backlog_.remove(*released);
}

void Endpoint::release_peer(Peer peer) {
  const auto locked = lock();
  if (const auto released = outbox_.peers().release(peer)) backlog_.remove(*released);
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

/// UCX copies or registers sources itself.
Status Endpoint::register_source(Transfer &) { return Status::ok; }

void Endpoint::start(Transfer &transfer) {
  const auto locked = lock();
  transfer.state.store(Transfer::State::under_way, std::memory_order_relaxed);
  if (disturbance_.is_unordered() || transfer.kind == Transfer::Kind::receive) transfer.in_any_order = true;
  // SYNC first-in-first-out (pairs with Backlog::retry): a message must not pass a waiting write, which it may announce.
  if (backlog_.holds_up(transfer) || !try_start(transfer)) backlog_.push(transfer);
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

void Endpoint::abandon(Transfer &transfer, int error) {
  const auto locked = lock();
  if (backlog_.withdraw(transfer)) ended_.add(transfer, error);
}

Transfer *Endpoint::take_ended() {
  const auto locked = lock();
  return ended_.take();
}

/// False if a network with reduced capabilities has no room now; UCX always has.
bool Endpoint::try_start(Transfer &transfer) {
  if (disturbance_.holds_back(transfer)) return false;
  if (transfer.kind == Transfer::Kind::receive) {
    inbox_.give(transfer);
  } else {
    count_taken();
    if (!carries_values()) transfer.immediate &= 0xFFFF'FFFF;
    outbox_.send(transfer);
  }
  return true;
}

void Endpoint::poll() {
  std::unique_lock<std::mutex> locked;
  if (many_threads_) {
    locked = std::unique_lock(mutex_, std::try_to_lock);
    if (!locked.owns_lock()) return;
  }
  count_poll();
  for (int round = 0; round < kMaxRounds && state_->library->progress(state_->worker) != 0; ++round) {
  }
  outbox_.part_from_lost();
  for (Transfer *next = over_.take(); next;) {
    Transfer &transfer = *next;
    next = transfer.next;
    if (transfer.kind != Transfer::Kind::receive) count_complete();
    if (transfer.error == 0) count_event();
    ended_.add(transfer, transfer.error);
  }
  if (!backlog_.empty()) backlog_.retry([this](Transfer &transfer) { return try_start(transfer); });
}

void Endpoint::sleep(int until, long timeout_ns) {
  const int wait_object = state_->wait_object;
  if (wait_object < 0) timeout_ns = std::min(timeout_ns, kWithoutObject_ns);
  {
    const auto locked = lock();
    if (!over_.empty()) return;
    if (!backlog_.empty()) timeout_ns = std::min(timeout_ns, kRetryEvery_ns);
    if (wait_object >= 0 && state_->library->arm(state_->worker) != UCS_OK) return;
  }
  std::array<pollfd, 2> objects{{{until, POLLIN, 0}, {wait_object, POLLIN, 0}}};
  const std::timespec time{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
  ppoll(objects.data(), wait_object >= 0 ? 2 : 1, &time, nullptr);
}

}  // namespace halocline::core::transport::ucx
