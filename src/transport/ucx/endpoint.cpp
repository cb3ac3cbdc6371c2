// The worker, the transfers that it carries as active messages, and what arrives.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ucx/endpoint.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <limits>
#include <new>
#include <utility>

#include "base/clock.hpp"
#include "transport/random.hpp"
#include "transport/ucx/arrival.hpp"
#include "transport/ucx/errors.hpp"
#include "transport/ucx/state.hpp"

namespace halocline::core::transport::ucx {
namespace {

// UCX puts the fragments of a longer message together in memory of its own before it hands the message over.
constexpr std::int64_t kMostTransferBytes = 1 << 20, kMostTransferBytesIfFake = 5000, kPieceBytes = 64 << 10;
constexpr std::int64_t kFewTransfers = 1024;
constexpr int kMostRounds = 16;               // of progress in a poll
constexpr long kRetryEvery_ns = 1'000'000;    // transfers that were refused
constexpr long kWithoutObject_ns = 50'000;    // for a worker without a wait object
constexpr std::int64_t kParting_ns = 500'000'000;

/// What a transfer under way needs until UCX has released it.
struct Work {
  explicit Work(Endpoint &owner) : endpoint(&owner), access() {}

  Endpoint *endpoint;
  int parts = 0;  // of it that have not ended: the sending, and the answer
  int error = 0;  // the first
  union {
    Access access;
    struct {
      Place place;
      ucp_dt_iov_t pieces[2];
    } message;
  };
};
static_assert(sizeof(Work) <= sizeof(Transfer::for_network));

Work &work_of(Transfer &transfer) { return *reinterpret_cast<Work *>(transfer.for_network.data()); }

bool has_immediate(Transfer::Kind kind) {
  return kind == Transfer::Kind::write_with_immediate || kind == Transfer::Kind::write_delivered_with_immediate;
}
bool is_answered(Transfer::Kind kind) {
  return kind == Transfer::Kind::read || kind == Transfer::Kind::write_delivered || kind == Transfer::Kind::write_delivered_with_immediate;
}

Access access_of(const Transfer &transfer, std::uint64_t stream, std::uint64_t token) {
  std::uint32_t flags = 0;
  if (has_immediate(transfer.kind)) flags |= Access::kHasImmediate;
  if (is_answered(transfer.kind)) flags |= Access::kWantsAnswer;
  return {transfer.key, transfer.address, transfer.immediate, token, stream, flags, static_cast<std::uint32_t>(transfer.bytes)};
}

void copy_bytes(char *to, const char *from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}

/// An answer, which UCX reads until it is sent.
struct Reply {
  const Library *library = nullptr;
  Answer answer;
  std::vector<char> bytes;
};

void release_reply(void *request, ucs_status_t, void *reply) {
  const std::unique_ptr<Reply> sent(static_cast<Reply *>(reply));
  sent->library->request_free(request);
}

}  // namespace

/// What UCX calls.
struct Handlers {
  static void part_is_over(void *request, ucs_status_t status, void *data) {
    Transfer &transfer = *static_cast<Transfer *>(data);
    Endpoint &endpoint = *work_of(transfer).endpoint;
    endpoint.state_->library->request_free(request);
    endpoint.note_part(transfer, error_of(status));
  }

  /// A rendezvous is none of ours.
  template <bool (Endpoint::*take)(const Arrival &)>
  static ucs_status_t handle(void *at, const void *header, std::size_t header_bytes, void *data, std::size_t bytes,
                             const ucp_am_recv_param_t *param) {
    auto &endpoint = *static_cast<Endpoint *>(at);
    const bool is_here = (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0;
    const bool may_reply = (param->recv_attr & UCP_AM_RECV_ATTR_FIELD_REPLY_EP) != 0;
    const Arrival arrival{header, header_bytes, static_cast<const char *>(data), bytes, may_reply ? param->reply_ep : nullptr};
    if (!is_here || !(endpoint.*take)(arrival)) endpoint.count_foreign();
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
         {set(state, Id::write, handle<&Endpoint::take_write>, endpoint), set(state, Id::read, handle<&Endpoint::take_read>, endpoint),
          set(state, Id::answer, handle<&Endpoint::take_answer>, endpoint),
          set(state, Id::message, handle<&Endpoint::take_message>, endpoint)})
      if (status != UCS_OK)
        return fail(Status::unsupported, "%s: ucp_worker_set_am_recv_handler: %s", state.describe().c_str(),
                    state.library->text_of(status));
    return Status::ok;
  }
};

Endpoint::Endpoint() = default;
Endpoint::~Endpoint() = default;

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
  description_ = state->describe();
  library_file_ = state->library->path;
  HLC_TRY(state->open_worker(wish.sleeps));
  HLC_TRY(Handlers::set_all(*state, this));
  HLC_TRY(state->name(&address_));
  many_threads_ = wish.many_threads;
  report_abilities(choice);
  immediate_data_ = ImmediateDataTable(random_bits, carries_values());
  state_ = std::move(state);
  return Status::ok;
}

/// Messages wait at the target for what was sent before them: UCX documents no order.
void Endpoint::report_abilities(const Choice &choice) {
  disturbance_ = Disturbance(choice.fake, static_cast<std::uint32_t>(random_bits()));
  const bool poor = choice.fake == Fake::poor;
  abilities_.most_bytes = disturbance_.is_unordered() ? kMostTransferBytesIfFake : kMostTransferBytes;
  abilities_.piece_bytes = kPieceBytes;
  abilities_.few_transfers = kFewTransfers;
  abilities_.carries_values = !poor;
  abilities_.registers_sources = poor;
  abilities_.sends_tails = !poor;
  abilities_.keeps_order = !disturbance_.is_unordered();
}

/// What was sent before leaves first, as far as the peers take it.
void Endpoint::close_endpoint() {
  if (!state_ || !state_->worker) return;
  const Library &library = *state_->library;
  std::vector<ucs_status_ptr_t> partings;
  const ucp_request_param_t flush{};
  for (const auto &connection : peers_.all()) {
    if (!connection->endpoint) continue;
    const ucs_status_ptr_t parting = library.ep_close(std::exchange(connection->endpoint, nullptr), &flush);
    if (UCS_PTR_IS_PTR(parting)) partings.push_back(parting);
  }
  const std::int64_t end = now_ns() + kParting_ns;
  const auto is_open = [&](ucs_status_ptr_t parting) { return library.request_status(parting) == UCS_INPROGRESS; };
  while (std::any_of(partings.begin(), partings.end(), is_open) && now_ns() < end) library.progress(state_->worker);
  for (const ucs_status_ptr_t parting : partings) library.request_free(parting);
  state_->close_worker();
}

const char *Endpoint::text_of(int error) const {
  return is_of_ucx(error) ? state_->library->text_of(status_of(error)) : std::strerror(error);
}

Status Endpoint::resolve(const Address &address, Peer *peer) {
  if (address.bytes == 0 || address.bytes > sizeof address.text)
    return fail(Status::unsupported, "%s does not understand the address of a peer", description_.c_str());
  const auto locked = lock();
  *peer = peers_.resolve(address);
  backlog_.add(*peer);
  return Status::ok;
}

void Endpoint::release_peer(const Address &address) {
  const auto locked = lock();
  if (const auto released = peers_.release(address)) backlog_.remove(*released);
}

void Endpoint::release_peer(Peer peer) {
  const auto locked = lock();
  if (const auto released = peers_.release(peer)) backlog_.remove(*released);
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
    give_buffer(transfer);
    return true;
  }
  count_taken();
  int error = 0;
  if (Connection *const connection = peers_.reach(*state_, transfer.peer, &error))
    hand_over(transfer, *connection);
  else
    end_soon(transfer, error);
  return true;
}

/// A message without a buffer may be there already.
void Endpoint::give_buffer(Transfer &buffer) {
  if (unexpected_.empty()) {
    buffers_.push_back(&buffer);
    return;
  }
  fill_buffer(buffer, unexpected_.front().data(), unexpected_.front().size());
  unexpected_.pop_front();
}

void Endpoint::fill_buffer(Transfer &buffer, const char *from, std::size_t bytes) {
  const bool fits = bytes <= static_cast<std::size_t>(buffer.bytes);
  buffer.arrived = fits ? static_cast<std::int64_t>(bytes) : 0;
  if (fits) copy_bytes(buffer.into, from, bytes);
  end_soon(buffer, fits ? 0 : EMSGSIZE);
}

void Endpoint::hand_over(Transfer &transfer, Connection &connection) {
  Work &work = *new (transfer.for_network.data()) Work(*this);
  const bool is_message = transfer.kind == Transfer::Kind::send, reads = transfer.kind == Transfer::Kind::read;
  const bool answered = is_answered(transfer.kind);
  work.parts = answered ? 2 : 1;
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
  param.flags = UCP_AM_SEND_FLAG_EAGER;
  if (answered) param.flags |= UCP_AM_SEND_FLAG_REPLY;
  param.cb.send = Handlers::part_is_over;
  param.user_data = &transfer;
  const void *source = transfer.from;
  auto count = static_cast<std::size_t>(reads ? 0 : transfer.bytes);
  if (is_message) {
    work.message.place = {connection.stream, connection.sent++};
    if (transfer.tail_bytes > 0) {
      work.message.pieces[0] = {const_cast<char *>(transfer.from), count};
      work.message.pieces[1] = {const_cast<char *>(transfer.tail), static_cast<std::size_t>(transfer.tail_bytes)};
      param.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE;
      param.datatype = UCP_DATATYPE_IOV;
      source = work.message.pieces;
      count = 2;
    }
  } else {
    work.access = access_of(transfer, connection.stream, answered ? tokens_.add(transfer) : 0);
    if (!carries_values()) work.access.immediate &= 0xFFFF'FFFF;
    connection.sent += reads ? 0 : 1;
  }
  const Id id = is_message ? Id::message : reads ? Id::read : Id::write;
  const std::size_t header_bytes = is_message ? sizeof work.message.place : sizeof work.access;
  const ucs_status_ptr_t sent =
      state_->library->am_send(connection.endpoint, static_cast<unsigned>(id), &work.access, header_bytes, source, count, &param);
  if (UCS_PTR_IS_PTR(sent)) return;
  note_part(transfer, error_of(UCS_PTR_STATUS(sent)));
}

/// One of the parts of a transfer is over: it is sent, or answered.
void Endpoint::note_part(Transfer &transfer, int error) {
  Work &work = work_of(transfer);
  if (work.error == 0) work.error = error;
  // What could not be sent is never answered.
  if (error != 0 && work.parts == 2 && tokens_.take(work.access.token)) work.parts -= 1;
  if (--work.parts == 0) end_soon(transfer, work.error);
}

/// The next poll ends it: transfers end in no other call.
void Endpoint::end_soon(Transfer &transfer, int error) {
  transfer.error = error;
  transfer.next = nullptr;
  (over_ ? last_over_->next : over_) = &transfer;
  last_over_ = &transfer;
}

void Endpoint::end_those_over() {
  for (Transfer *next = std::exchange(over_, nullptr); next;) {
    Transfer &transfer = *next;
    next = transfer.next;
    if (transfer.kind != Transfer::Kind::receive) count_complete();
    if (transfer.error == 0) count_event();
    ended_.add(transfer, transfer.error);
  }
}

void Endpoint::poll() {
  std::unique_lock<std::mutex> locked;
  if (many_threads_) {
    locked = std::unique_lock(mutex_, std::try_to_lock);
    if (!locked.owns_lock()) return;
  }
  count_poll();
  for (int round = 0; round < kMostRounds && state_->library->progress(state_->worker) != 0; ++round) {
  }
  part_from_lost();
  end_those_over();
  if (!backlog_.empty()) backlog_.retry([this](Transfer &transfer) { return try_start(transfer); });
}

/// Closes UCX's endpoints that have an error: the next transfer to such a peer connects anew. What waits for its answers has failed.
void Endpoint::part_from_lost() {
  peers_.take_lost([this](Connection &connection) {
    ucp_request_param_t force{};
    force.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    force.flags = UCP_EP_CLOSE_FLAG_FORCE;
    const ucs_status_ptr_t parting = state_->library->ep_close(std::exchange(connection.endpoint, nullptr), &force);
    if (UCS_PTR_IS_PTR(parting)) state_->library->request_free(parting);
    connection.is_lost = false;
    tokens_.take_all(connection.peer, [&](Transfer &transfer) { note_part(transfer, connection.error); });
  });
}

void Endpoint::sleep(int until, long timeout_ns) {
  const int wait_object = state_->wait_object;
  if (wait_object < 0) timeout_ns = std::min(timeout_ns, kWithoutObject_ns);
  {
    const auto locked = lock();
    if (over_) return;
    if (!backlog_.empty()) timeout_ns = std::min(timeout_ns, kRetryEvery_ns);
    if (wait_object >= 0 && state_->library->arm(state_->worker) != UCS_OK) return;
  }
  std::array<pollfd, 2> objects{{{until, POLLIN, 0}, {wait_object, POLLIN, 0}}};
  const std::timespec time{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
  ppoll(objects.data(), wait_object >= 0 ? 2 : 1, &time, nullptr);
}

bool Endpoint::take_write(const Arrival &arrival) {
  Access access;
  if (!arrival.read(&access) || access.bytes != arrival.bytes) return false;
  char *const place = exposed_.find({access.address, access.key}, static_cast<std::int64_t>(arrival.bytes));
  if (place) copy_bytes(place, arrival.data, arrival.bytes);
  count_arrival(access.stream);
  if ((access.flags & Access::kWantsAnswer) != 0) reply(arrival, {access.token, place ? 0 : EACCES}, {});
  if (!place) return false;
  if ((access.flags & Access::kHasImmediate) == 0) return true;
  count_event();
  // SYNC payload-before-immediate (pairs with SlotReceiver::has_arrived, NodeLink::has_come, NodeWireChannel::look_for_lost): the bytes were
  // placed above.
  return immediate_data_.take(access.immediate);
}

/// The bytes are copied, so that the memory may go while UCX sends them.
bool Endpoint::take_read(const Arrival &arrival) {
  Access access;
  if (!arrival.read(&access)) return false;
  const char *const place = exposed_.find({access.address, access.key}, access.bytes);
  reply(arrival, {access.token, place ? 0 : EACCES}, place ? std::vector<char>(place, place + access.bytes) : std::vector<char>());
  return place != nullptr;
}

bool Endpoint::take_answer(const Arrival &arrival) {
  Answer answer;
  Transfer *const transfer = arrival.read(&answer) ? tokens_.take(answer.token) : nullptr;
  if (!transfer) return false;
  int error = static_cast<int>(answer.error);
  if (error == 0 && transfer->kind == Transfer::Kind::read) {
    if (arrival.bytes != static_cast<std::size_t>(transfer->bytes))
      error = EPROTO;
    else
      copy_bytes(transfer->into, arrival.data, arrival.bytes);
  }
  note_part(*transfer, error);
  return true;
}

bool Endpoint::take_message(const Arrival &arrival) {
  Place place;
  if (!arrival.read(&place)) return false;
  if (order_.is_next(place.stream, place.number)) {
    deliver(arrival.data, arrival.bytes);
    count_arrival(place.stream);
  } else {
    order_.keep(place.stream, place.number, arrival.data, arrival.bytes);
  }
  return true;
}

/// A write or a message has arrived: messages that have waited for it follow.
void Endpoint::count_arrival(std::uint64_t stream) {
  order_.count(stream);
  while (const auto message = order_.next(stream)) deliver(message->data(), message->size());
}

/// Puts a message into a buffer, or keeps it until there is one.
void Endpoint::deliver(const char *from, std::size_t bytes) {
  if (buffers_.empty()) {
    unexpected_.emplace_back(from, from + bytes);
    return;
  }
  Transfer &buffer = *buffers_.front();
  buffers_.pop_front();
  fill_buffer(buffer, from, bytes);
}

/// A peer that takes no answers any more has lost its connection, and its transfers have failed.
void Endpoint::reply(const Arrival &arrival, const Answer &answer, std::vector<char> bytes) {
  if (!arrival.reply_to) return;
  auto reply = std::make_unique<Reply>();
  reply->library = state_->library;
  reply->answer = answer;
  reply->bytes = std::move(bytes);
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
  param.flags = UCP_AM_SEND_FLAG_EAGER;
  param.cb.send = release_reply;
  param.user_data = reply.get();
  const ucs_status_ptr_t sent = state_->library->am_send(arrival.reply_to, static_cast<unsigned>(Id::answer), &reply->answer,
                                                         sizeof reply->answer, reply->bytes.data(), reply->bytes.size(), &param);
  if (UCS_PTR_IS_PTR(sent)) static_cast<void>(reply.release());
}

}  // namespace halocline::core::transport::ucx
