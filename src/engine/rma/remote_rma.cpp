// Operations on memory of other nodes. Long puts and gets are split into pieces that one transfer may carry. Nothing is assumed about the
// order of transfers: what must arrive first is waited for.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/rma/remote_rma.hpp"

#include <algorithm>
#include <cstring>

#include "engine/network/request_engine.hpp"

namespace halocline::core {
namespace {

/// Calls piece(offset, bytes) for pieces of at most `most` bytes.
template <class Piece>
Status for_pieces(std::int64_t bytes, std::int64_t most, Piece piece) {
  for (std::int64_t begin = 0; begin < bytes; begin += most) HLC_TRY(piece(begin, std::min(most, bytes - begin)));
  return Status::ok;
}

void set_action(Message *message, hlc_action action) {
  message->op = static_cast<std::int8_t>(action.op);
  message->type = static_cast<std::int8_t>(action.type);
}

}  // namespace

Message RemoteRma::about(Message::Kind kind, std::int64_t offset) const {
  Message message;
  message.kind = kind;
  message.segment = descriptor_.number;
  message.offset = offset;
  message.count = 1;
  return message;
}

Message RemoteRma::notify_message(hlc_notification notification) const {
  Message message = about(Message::Kind::notify, 0);
  message.id = static_cast<std::uint32_t>(notification.id);
  message.operand = notification.value;
  return message;
}

Message RemoteRma::combine_message(std::int64_t offset, hlc_action action, std::uint64_t operand) const {
  Message message = about(Message::Kind::combine, offset);
  set_action(&message, action);
  message.operand = operand;
  return message;
}

Message RemoteRma::compare_message(std::int64_t offset, hlc_number type, CompareSwap swap) const {
  Message message = about(Message::Kind::compare, offset);
  message.type = static_cast<std::int8_t>(type);
  const auto bytes = static_cast<std::size_t>(number_bytes(type));
  std::memcpy(&message.expected, swap.expected, bytes);
  std::memcpy(&message.operand, swap.value, bytes);
  return message;
}

transport::RemoteKey RemoteRma::key_of(std::int64_t offset) const {
  return {descriptor_.part.address + static_cast<std::uint64_t>(std::int64_t{descriptor_.dummy_target} + offset), descriptor_.part.key};
}

Status RemoteRma::put_piece(const char *call, std::int64_t offset, const char *data, std::int64_t bytes) {
  // For a short write the flush confirms the arrival, where its query cannot overtake writes.
  const bool confirmed_by_flush = endpoint_.keeps_order() && bytes <= Request::kShort;
  const Transfer::Kind kind = confirmed_by_flush ? Transfer::Kind::write : Transfer::Kind::write_delivered;
  return requests_.post(
      call,
      {.kind = kind, .rank = memory_.rank(), .at = key_of(offset), .from = data, .bytes = bytes, .is_announced = after_ == After::message});
}

Status RemoteRma::get_piece(const char *call, std::int64_t offset, char *data, std::int64_t bytes) {
  return requests_.post(call, {.kind = Transfer::Kind::read, .rank = memory_.rank(), .at = key_of(offset), .into = data, .bytes = bytes});
}

/// The size of the pieces of a transfer of `bytes` bytes. Up to the size that may be under way at a time there is one piece. Above, pieces are
/// few enough that a put need not wait for room.
std::int64_t RemoteRma::piece_of(std::int64_t bytes) const {
  constexpr std::int64_t kMaxPieces = 256;
  if (bytes / 2 <= endpoint_.piece_bytes()) return endpoint_.most_bytes();
  return std::min(endpoint_.most_bytes(), std::max(endpoint_.piece_bytes(), (bytes + kMaxPieces - 1) / kMaxPieces));
}

Status RemoteRma::put(const char *call, std::int64_t offset, const char *data, std::int64_t bytes) {
  return for_pieces(bytes, piece_of(bytes),
                    [&](std::int64_t begin, std::int64_t piece) { return put_piece(call, offset + begin, data + begin, piece); });
}

Status RemoteRma::get(const char *call, std::int64_t offset, char *data, std::int64_t bytes) {
  return for_pieces(bytes, piece_of(bytes),
                    [&](std::int64_t begin, std::int64_t piece) { return get_piece(call, offset + begin, data + begin, piece); });
}

Status RemoteRma::put(const char *call, std::int64_t offset, Source source, std::int64_t &done) {
  while (done < source.bytes) {
    if (const Status room = memory_.find_room(call); room != Status::ok) return room;
    const std::int64_t piece = std::min(piece_of(source.bytes), source.bytes - done);
    HLC_TRY(put_piece(call, offset + done, static_cast<const char *>(source.data) + done, piece));
    done += piece;
  }
  return Status::ok;
}

Status RemoteRma::get(const char *call, std::int64_t offset, Sink sink, std::int64_t &done) {
  while (done < sink.bytes) {
    if (const Status room = memory_.find_room(call); room != Status::ok) return room;
    const std::int64_t piece = std::min(piece_of(sink.bytes), sink.bytes - done);
    HLC_TRY(get_piece(call, offset + done, static_cast<char *>(sink.data) + done, piece));
    done += piece;
  }
  return Status::ok;
}

/// The bytes to be sent before the piece that carries the notification: all of them where immediate data carry no values.
std::int64_t RemoteRma::first_pieces(std::int64_t bytes) const {
  if (!endpoint_.carries_values() || bytes == 0) return bytes;
  return (bytes - 1) / endpoint_.most_bytes() * endpoint_.most_bytes();
}

/// Puts all but the last piece, and waits for them.
Status RemoteRma::put_first(const char *call, std::int64_t offset, Source source) {
  const std::int64_t first = first_pieces(source.bytes);
  if (first == 0) return Status::ok;
  HLC_TRY(put(call, offset, static_cast<const char *>(source.data), first));
  // SYNC pieces-before-notification (pairs with NotificationWords::set and SignalledNumbers::change): the last piece may overtake the others.
  // A message that notifies must overtake none of the posted pieces.
  return requests_.flush(memory_.rank(), call, endpoint_.carries_values());
}

Status RemoteRma::put_notify(const char *call, std::int64_t offset, Source source, hlc_notification notification) {
  HLC_TRY(put_first(call, offset, source));
  return put_last(call, offset, source, notification);
}

Status RemoteRma::put_notify(const char *call, std::int64_t offset, Source source, hlc_notification notification, PendingNotify &pending) {
  const std::int64_t first = first_pieces(source.bytes);
  if (first > 0 && !pending.begun) {
    if (const Status put_all = put(call, offset, {source.data, first}, pending.done); put_all != Status::ok) return put_all;
    pending = {true, requests_.begin_flush(memory_.rank(), endpoint_.carries_values()), first};
  }
  // SYNC pieces-before-notification (pairs with NotificationWords::set)
  if (first > 0)
    if (const Status flushed = requests_.look(pending.before, call); flushed != Status::ok) return flushed;
  if (const Status room = memory_.find_room(call); room != Status::ok) return room;
  return put_last(call, offset, source, notification);
}

Source RemoteRma::last_piece(Source source) const {
  const std::int64_t first = first_pieces(source.bytes);
  const auto *data = static_cast<const char *>(source.data);
  return {data ? data + first : data, source.bytes - first, source.is_brief};
}

/// The last piece, with the notification.
Status RemoteRma::put_last(const char *call, std::int64_t offset, Source source, hlc_notification notification) {
  if (!endpoint_.carries_values() || (source.bytes == 0 && descriptor_.dummy_target == 0)) return notify_by_message(call, notification);
  const std::uint64_t immediate =
      NetworkEndpoint::immediate_data(descriptor_.words_id, static_cast<std::uint32_t>(notification.id), notification.value);
  return write_with_immediate(call, offset + first_pieces(source.bytes), last_piece(source), immediate);
}

Status RemoteRma::put_signal(const char *call, std::int64_t offset, Source source, std::uint64_t immediate) {
  HLC_TRY(put_first(call, offset, source));
  return write_with_immediate(call, offset + first_pieces(source.bytes), last_piece(source), immediate);
}

std::optional<std::uint64_t> RemoteRma::signal_of(const NumberChange &change, std::int64_t bytes) const {
  const RemoteDescriptor &of_number = change.memory ? change.memory->descriptor() : descriptor_;
  const hlc_action action = change.action;
  const bool is_word = action.type == HLC_NUMBER_UINT64 || action.type == HLC_NUMBER_INT64;
  if (of_number.takes_signals == 0 || !is_word || (action.op != HLC_OP_SUM && action.op != HLC_OP_REPLACE)) return std::nullopt;
  if (bytes == 0 && descriptor_.dummy_target == 0) return std::nullopt;
  const std::optional<std::uint64_t> code = SignalledNumbers::code_of(
      SignalledNumbers::count_in(of_number.bytes),
      {.place = SignalledNumbers::count_in(change.offset), .operand = change.operand, .adds = action.op == HLC_OP_SUM});
  if (!code) return std::nullopt;
  return NetworkEndpoint::immediate_data(of_number.words_id, *code);
}

/// One write with immediate data. Without data it writes a word to the dummy target.
Status RemoteRma::write_with_immediate(const char *call, std::int64_t offset, Source source, std::uint64_t immediate) {
  constexpr std::uint64_t nothing = 0;
  NetworkOperation write;
  write.kind = endpoint_.keeps_order() ? Transfer::Kind::write_with_immediate : Transfer::Kind::write_delivered_with_immediate;
  write.rank = memory_.rank();
  write.at = key_of(source.bytes > 0 ? offset : -std::int64_t{descriptor_.dummy_target});
  write.from = source.bytes > 0 ? static_cast<const char *>(source.data) : reinterpret_cast<const char *>(&nothing);
  write.bytes = source.bytes > 0 ? source.bytes : std::int64_t{sizeof nothing};
  if (source.is_brief) write.most_copied = Request::kRoom;
  write.immediate = immediate;
  return requests_.post(call, write);
}

Status RemoteRma::raise_in_order(const char *call, hlc_notification notification) {
  return requests_.queries().send_silent(memory_.rank(), call, notify_message(notification), nullptr, 0);
}

Status RemoteRma::combine_silently(const char *call, std::int64_t offset, hlc_action action, std::uint64_t operand) {
  return requests_.queries().send_silent(memory_.rank(), call, combine_message(offset, action, operand), nullptr, 0);
}

/// Above, a copy into the message and one out of it take longer than a second message.
bool RemoteRma::has_message_room(std::int64_t bytes) const {
  return bytes <= std::min(Request::kShort, endpoint_.most_bytes() - static_cast<std::int64_t>(sizeof(Message)));
}

Status RemoteRma::put_combine(const char *call, std::int64_t offset, Source source, NumberChange change) {
  Message message = combine_message(offset, change.action, change.operand);
  message.kind = Message::Kind::put_combine;
  message.count = source.bytes;
  message.expected = static_cast<std::uint64_t>(change.offset);
  message.id = change.memory ? change.memory->descriptor().number : descriptor_.number;
  return requests_.queries().send_silent(memory_.rank(), call, message, source.data, source.bytes);
}

Status RemoteRma::notify_in_order(const char *call, hlc_notification notification, PendingNotify &pending) {
  if (!endpoint_.keeps_order()) {
    if (!pending.begun) pending = {true, requests_.begin_flush(memory_.rank(), false), 0};
    // SYNC writes-before-notification (pairs with NotificationWords::set): a message may overtake writes, unless the provider keeps the
    // order.
    if (const Status flushed = requests_.look(pending.before, call); flushed != Status::ok) return flushed;
  }
  if (const Status room = memory_.find_room(call); room != Status::ok) return room;
  return notify_by_message(call, notification);
}

Status RemoteRma::notify_by_message(const char *call, hlc_notification notification) {
  return requests_.queries().send_query(memory_.rank(), call, notify_message(notification), nullptr, 0);
}

Status RemoteRma::combine(const char *call, std::int64_t offset, hlc_action action, std::uint64_t operand, std::uint64_t *old) {
  return requests_.queries().ask(memory_.rank(), call, combine_message(offset, action, operand), old);
}

Status RemoteRma::combine(const char *call, std::int64_t offset, hlc_action action, std::uint64_t operand, std::uint64_t *old,
                          Query &query) {
  return requests_.queries().look(query, memory_.rank(), call, combine_message(offset, action, operand), old);
}

Status RemoteRma::compare(const char *call, std::int64_t offset, hlc_number type, CompareSwap swap) {
  std::uint64_t before = 0;
  HLC_TRY(requests_.queries().ask(memory_.rank(), call, compare_message(offset, type, swap), &before));
  if (swap.old) std::memcpy(swap.old, &before, static_cast<std::size_t>(number_bytes(type)));
  return Status::ok;
}

Status RemoteRma::compare(const char *call, std::int64_t offset, hlc_number type, CompareSwap swap, Query &query) {
  std::uint64_t before = 0;
  const Status status = requests_.queries().look(query, memory_.rank(), call, compare_message(offset, type, swap), &before);
  if (status == Status::ok && swap.old) std::memcpy(swap.old, &before, static_cast<std::size_t>(number_bytes(type)));
  return status;
}

Status RemoteRma::start_atomics(const char *call, const AtomicsQuery &several, Query &query) {
  Message message = about(Message::Kind::atomics, 0);
  message.count = static_cast<std::int64_t>(several.olds.size());
  return requests_.queries().start(query, memory_.rank(), call, message, several);
}

Status RemoteRma::accumulate(const char *call, std::int64_t offset, hlc_action action, Numbers numbers) {
  const std::int64_t size = number_bytes(action.type), room = std::min(kMessageRoom, endpoint_.most_bytes());
  const std::int64_t most = (room - static_cast<std::int64_t>(sizeof(Message))) / size;
  return for_pieces(numbers.count, most, [&](std::int64_t begin, std::int64_t some) {
    Message message = about(Message::Kind::accumulate, offset + begin * size);
    set_action(&message, action);
    message.count = some;
    const char *const operands = static_cast<const char *>(numbers.data) + begin * size;
    // The reply to the last piece says that all have been carried out.
    const auto send = begin + some < numbers.count ? &RequestQueries::send_silent : &RequestQueries::send_query;
    return (requests_.queries().*send)(memory_.rank(), call, message, operands, some * size);
  });
}

}  // namespace halocline::core
