// Sending active messages.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ucx/outbox.hpp"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "transport/ucx/arrival.hpp"
#include "transport/ucx/errors.hpp"
#include "transport/ucx/state.hpp"

namespace halocline::core::transport::ucx {
namespace {

constexpr std::int64_t kParting_ns = 500'000'000;

constexpr std::uint32_t kAnnounces = 1u << 31;  // in the flags of a put: an active message follows, which has others

struct MessageParts {
  Place place;
  ucp_dt_iov_t pieces[2];
};

/// What a transfer under way needs until UCX has released it.
struct Work {
  explicit Work(Outbox &owner) : outbox(&owner), access() {}

  Outbox *outbox;
  int parts = 0;  // that are not over
  int error = 0;  // the first
  union {
    Access access;
    MessageParts message;
  };
};
static_assert(sizeof(Work) <= sizeof(Transfer::for_network));

Work &work_of(Transfer &transfer) { return *reinterpret_cast<Work *>(transfer.for_network.data()); }

bool has_immediate(Transfer::Kind kind) {
  return kind == Transfer::Kind::write_with_immediate || kind == Transfer::Kind::write_delivered_with_immediate;
}
bool is_flushed(Transfer::Kind kind) { return kind == Transfer::Kind::write_delivered || has_immediate(kind); }
bool is_answered(Transfer::Kind kind) {
  return kind == Transfer::Kind::read || kind == Transfer::Kind::write_delivered || kind == Transfer::Kind::write_delivered_with_immediate;
}

Access access_of(const Transfer &transfer, std::uint64_t stream, std::uint64_t token) {
  std::uint32_t flags = 0;
  if (has_immediate(transfer.kind)) flags |= Access::kHasImmediate;
  if (is_answered(transfer.kind)) flags |= Access::kWantsAnswer;
  return {transfer.key, transfer.address, transfer.immediate, token, stream, flags, static_cast<std::uint32_t>(transfer.bytes)};
}

/// An active message, as UCX is given it.
struct Sending {
  Id id = Id::write;
  std::size_t header_bytes = 0;
  const void *from = nullptr;
  std::size_t count = 0;  // of bytes, or of pieces
  ucp_request_param_t param{};
};

/// Long ones, too, are sent at once: the target has memory for them.
Sending sending(ucp_send_nbx_callback_t over, void *data) {
  Sending made;
  made.param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
  made.param.flags = UCP_AM_SEND_FLAG_EAGER;
  made.param.cb.send = over;
  made.param.user_data = data;
  return made;
}

void part_is_over(void *request, ucs_status_t status, void *data) {
  Transfer &transfer = *static_cast<Transfer *>(data);
  Outbox &outbox = *work_of(transfer).outbox;
  outbox.release(request);
  outbox.note_part(transfer, error_of(status));
}

/// An active message that belongs to no transfer of this process. UCX reads it until it is sent.
struct Note {
  const Library *library = nullptr;
  std::vector<char> header, bytes;
};

void note_is_over(void *request, ucs_status_t, void *note) {
  const std::unique_ptr<Note> sent(static_cast<Note *>(note));
  sent->library->request_free(request);
}

/// Short writes with immediate data are one active message: a put would have to be flushed first.
bool is_one_message(const Transfer &transfer) {
  constexpr std::int64_t kShort = 4096;
  return transfer.kind == Transfer::Kind::send || (has_immediate(transfer.kind) && transfer.bytes <= kShort);
}

void add_message(Transfer &transfer, Connection &connection, Sending &made) {
  Work &work = work_of(transfer);
  work.message.place = {connection.stream, connection.sent++};
  made.id = Id::message;
  made.header_bytes = sizeof work.message.place;
  if (transfer.tail_bytes == 0) return;
  work.message.pieces[0] = {const_cast<char *>(transfer.from), static_cast<std::size_t>(transfer.bytes)};
  work.message.pieces[1] = {const_cast<char *>(transfer.tail), static_cast<std::size_t>(transfer.tail_bytes)};
  made.param.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE;
  made.param.datatype = UCP_DATATYPE_IOV;
  made.from = work.message.pieces;
  made.count = 2;
}

}  // namespace

void Outbox::send(Transfer &transfer) {
  int error = 0;
  if (Connection *const connection = peers_.reach(*state_, transfer.peer, &error))
    state_->one_sided && !is_one_message(transfer) ? hand_over_one_sided(transfer, *connection) : hand_over(transfer, *connection);
  else
    over_.add(transfer, error);
}

void Outbox::hand_over(Transfer &transfer, Connection &connection) {
  Work &work = *new (transfer.for_network.data()) Work(*this);
  const bool answered = is_answered(transfer.kind), reads = transfer.kind == Transfer::Kind::read;
  work.parts = answered ? 2 : 1;
  Sending made = sending(part_is_over, &transfer);
  if (answered) made.param.flags |= UCP_AM_SEND_FLAG_REPLY;
  made.from = transfer.from;
  made.count = static_cast<std::size_t>(reads ? 0 : transfer.bytes);
  if (transfer.kind == Transfer::Kind::send) {
    add_message(transfer, connection, made);
  } else {
    work.access = access_of(transfer, connection.stream, answered ? tokens_.add(transfer) : 0);
    made.id = reads ? Id::read : Id::write;
    made.header_bytes = sizeof work.access;
    connection.sent += reads ? 0 : 1;
  }
  const ucs_status_ptr_t sent = state_->library->am_send(connection.endpoint, static_cast<unsigned>(made.id), &work.access,
                                                         made.header_bytes, made.from, made.count, &made.param);
  note_sent(transfer, sent);
}

/// What UCX has ended at once is over; else it calls back.
void Outbox::note_sent(Transfer &transfer, void *sent) {
  if (!UCS_PTR_IS_PTR(sent)) note_part(transfer, error_of(UCS_PTR_STATUS(sent)));
}

/// The owner is asked for UCX's key of its memory once per connection.
void Outbox::hand_over_one_sided(Transfer &transfer, Connection &connection) {
  const auto [found, is_new] = connection.memory.try_emplace(transfer.key);
  RemoteMemory &memory = found->second;
  if (memory.key) return put_or_get(transfer, connection, memory.key);
  transfer.next = memory.waiting;
  memory.waiting = &transfer;
  if (is_new) ask_for_key(transfer.key, connection);
}

/// A flush ends when all before it is complete at the target.
void Outbox::put_or_get(Transfer &transfer, Connection &connection, ucp_rkey *key) {
  Work &work = *new (transfer.for_network.data()) Work(*this);
  const bool flushes = is_flushed(transfer.kind);
  work.access.flags = has_immediate(transfer.kind) ? kAnnounces : 0;
  work.parts = flushes ? 2 : 1;
  const Sending made = sending(part_is_over, &transfer);
  const Library &library = *state_->library;
  const auto bytes = static_cast<std::size_t>(transfer.bytes);
  ucp_request_param_t param = made.param;
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  param.flags = 0;
  if (transfer.kind == Transfer::Kind::read)
    note_sent(transfer, library.get(connection.endpoint, transfer.into, bytes, transfer.address, key, &param));
  else
    note_sent(transfer, library.put(connection.endpoint, transfer.from, bytes, transfer.address, key, &param));
  if (flushes) note_sent(transfer, library.flush(connection.endpoint, &param));
}

/// The bytes are placed: an active message carries the immediate data.
void Outbox::announce(Transfer &transfer) {
  Work &work = work_of(transfer);
  Connection *const connection = peers_.find(transfer.peer);
  if (!connection || !connection->endpoint || connection->is_lost) return over_.add(transfer, ENOTCONN);
  work.parts = 1;
  work.access = access_of(transfer, connection->stream, 0);
  work.access.flags = Access::kHasImmediate;
  work.access.bytes = 0;
  connection->sent += 1;
  const Sending made = sending(part_is_over, &transfer);
  note_sent(transfer, state_->library->am_send(connection->endpoint, static_cast<unsigned>(Id::write), &work.access, sizeof work.access,
                                               nullptr, 0, &made.param));
}

void Outbox::ask_for_key(std::uint64_t key, const Connection &connection) {
  const Key ask{key, connection.peer};
  send_note(connection.endpoint, Id::ask_key, &ask, sizeof ask, nullptr, 0);
}

void Outbox::give_key(const Arrival &arrival, const Exposed &exposed) {
  Key ask;
  if (!arrival.reply_to || !arrival.read(&ask)) return;
  const std::vector<char> *const key = exposed.find_ucx_key(ask.key);
  send_note(arrival.reply_to, Id::give_key, &ask, sizeof ask, key ? key->data() : nullptr, key ? key->size() : 0);
}

bool Outbox::take_key(const Arrival &arrival) {
  Key given;
  Connection *const connection = arrival.read(&given) ? peers_.find(given.peer) : nullptr;
  if (!connection || !connection->endpoint) return false;
  const auto asked = connection->memory.find(given.key);
  if (asked == connection->memory.end() || asked->second.key) return false;
  ucp_rkey *key = nullptr;
  const bool is_known = arrival.bytes > 0 && state_->library->rkey_unpack(connection->endpoint, arrival.data, &key) == UCS_OK;
  if (!is_known) {
    fail_waiting(asked->second, EACCES);
    connection->memory.erase(asked);
    return true;
  }
  asked->second.key = key;
  for (Transfer *next = std::exchange(asked->second.waiting, nullptr); next;) {
    Transfer &transfer = *next;
    next = transfer.next;
    put_or_get(transfer, *connection, key);
  }
  return true;
}

void Outbox::fail_waiting(RemoteMemory &memory, int error) {
  for (Transfer *next = std::exchange(memory.waiting, nullptr); next;) {
    Transfer &transfer = *next;
    next = transfer.next;
    over_.add(transfer, error);
  }
}

/// UCX's keys are of one endpoint. They are kept until the end: puts that UCX still has name them.
void Outbox::forget_memory(Connection &connection, int error) {
  for (auto &[key, memory] : connection.memory) {
    fail_waiting(memory, error);
    if (memory.key) left_.push_back(memory.key);
  }
  connection.memory.clear();
}

/// What could not be sent is never answered.
void Outbox::note_part(Transfer &transfer, int error) {
  Work &work = work_of(transfer);
  if (work.error == 0) work.error = error;
  if (error != 0 && work.parts == 2 && tokens_.take(work.access.token)) work.parts -= 1;
  if (--work.parts > 0) return;
  if (work.error == 0 && work.access.flags == kAnnounces && transfer.kind != Transfer::Kind::send) return announce(transfer);
  over_.add(transfer, work.error);
}

void Outbox::release(void *request) const { state_->library->request_free(request); }

/// The bytes are copied, so that the memory may go while UCX sends them. A peer that takes no answers any more has lost its connection, and its
/// transfers have failed.
void Outbox::reply(const Arrival &arrival, const Answer &answer, const char *bytes, std::size_t count) {
  if (!arrival.reply_to) return;
  send_note(arrival.reply_to, Id::answer, &answer, sizeof answer, bytes, count);
}

void Outbox::send_note(ucp_ep *endpoint, Id id, const void *header, std::size_t header_bytes, const char *bytes, std::size_t count) {
  const auto *const head = static_cast<const char *>(header);
  auto note =
      std::make_unique<Note>(Note{state_->library, std::vector<char>(head, head + header_bytes), std::vector<char>(bytes, bytes + count)});
  Sending made = sending(note_is_over, note.get());
  if (id == Id::ask_key) made.param.flags |= UCP_AM_SEND_FLAG_REPLY;
  const ucs_status_ptr_t sent = state_->library->am_send(endpoint, static_cast<unsigned>(id), note->header.data(), note->header.size(),
                                                         note->bytes.data(), note->bytes.size(), &made.param);
  [[maybe_unused]] const Note *const under_way = UCS_PTR_IS_PTR(sent) ? note.release() : nullptr;
}

bool Outbox::take_answer(const Arrival &arrival) {
  Answer answer;
  Transfer *const transfer = arrival.read(&answer) ? tokens_.take(answer.token) : nullptr;
  if (!transfer) return false;
  int error = static_cast<int>(answer.error);
  if (error == 0 && transfer->kind == Transfer::Kind::read) {
    if (arrival.bytes == static_cast<std::size_t>(transfer->bytes))
      copy_bytes(transfer->into, arrival.data, arrival.bytes);
    else
      error = EPROTO;
  }
  note_part(*transfer, error);
  return true;
}

void Outbox::part_from_lost() {
  peers_.take_lost([this](Connection &connection) {
    ucp_request_param_t force{};
    force.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    force.flags = UCP_EP_CLOSE_FLAG_FORCE;
    forget_memory(connection, connection.error);
    const ucs_status_ptr_t parting = state_->library->ep_close(std::exchange(connection.endpoint, nullptr), &force);
    if (UCS_PTR_IS_PTR(parting)) release(parting);
    connection.is_lost = false;
    tokens_.take_all(connection.peer, [&](Transfer &transfer) { note_part(transfer, connection.error); });
  });
}

void Outbox::part() {
  std::vector<ucs_status_ptr_t> partings;
  const ucp_request_param_t flush{};
  for (const auto &connection : peers_.all()) {
    if (!connection->endpoint) continue;
    forget_memory(*connection, ECANCELED);
    const ucs_status_ptr_t parting = state_->library->ep_close(std::exchange(connection->endpoint, nullptr), &flush);
    if (UCS_PTR_IS_PTR(parting)) partings.push_back(parting);
  }
  const std::int64_t end = now_ns() + kParting_ns;
  const auto is_open = [&](ucs_status_ptr_t parting) { return state_->library->request_status(parting) == UCS_INPROGRESS; };
  while (std::any_of(partings.begin(), partings.end(), is_open) && now_ns() < end) state_->library->progress(state_->worker);
  for (const ucs_status_ptr_t parting : partings) release(parting);
  for (ucp_rkey *const key : std::exchange(left_, {})) state_->library->rkey_destroy(key);
}

}  // namespace halocline::core::transport::ucx
