// Operations on parts of other nodes. Long puts and gets are split into pieces that one transfer may carry. Nothing is assumed about the
// order of transfers: what must arrive first is waited for.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/rma/remote_rma.hpp"

#include <algorithm>

#include "engine/communicator/collective.hpp"
#include "engine/memory/atomics.hpp"

namespace halocline::core {
namespace {

/// Calls piece(offset, bytes) for pieces of at most `most` bytes.
template <class Piece>
Status for_pieces(std::int64_t bytes, std::int64_t most, Piece piece) {
  for (std::int64_t begin = 0; begin < bytes; begin += most) HLC_TRY(piece(begin, std::min(most, bytes - begin)));
  return Status::ok;
}

void set_action(Message *message, hlc_action action) {
  message->op = static_cast<std::int16_t>(action.op);
  message->type = static_cast<std::int16_t>(action.type);
}

}  // namespace

ExposedPart::~ExposedPart() {
  if (is_open_ && helper_) helper_->stop_serving(number_);
  if (is_open_ && !helper_) requests_.served().stop_serving(number_);
  if (words_id_ != 0) endpoint_.release_words(words_id_);
}

Status ExposedPart::open(const Served &mine, const SharedMemory &memory, Member member, RemoteDescriptor *descriptor) {
  if (!helper_) return open_here(mine, descriptor);
  HelperReply reply;
  HLC_TRY(helper_->serve(number_, memory, member, mine, &reply));
  is_open_ = true;
  *descriptor = {mine.bytes, reply.part, reply.words_id};
  return Status::ok;
}

Status ExposedPart::open_here(const Served &mine, RemoteDescriptor *descriptor) {
  const std::int64_t before = dummy_target_ ? kDummyTarget : 0;
  requests_.served().serve(number_, mine);
  is_open_ = true;
  HLC_TRY(memory_.cover(endpoint_, mine.data - before, mine.bytes + before));
  if (endpoint_.carries_values()) HLC_TRY(endpoint_.register_words(mine.words, &words_id_));
  *descriptor = {mine.bytes, memory_.remote(), words_id_};
  return Status::ok;
}

Message SegmentMessages::about(Message::Kind kind, std::int64_t offset) const {
  Message message;
  message.kind = kind;
  message.segment = number;
  message.offset = offset;
  message.count = 1;
  return message;
}

Message SegmentMessages::notify(hlc_notification notification) const {
  Message message = about(Message::Kind::notify, 0);
  message.id = static_cast<std::uint32_t>(notification.id);
  message.operand = notification.value;
  return message;
}

Message SegmentMessages::combine(std::int64_t offset, hlc_action action, std::uint64_t operand) const {
  Message message = about(Message::Kind::combine, offset);
  set_action(&message, action);
  message.operand = operand;
  return message;
}

Message SegmentMessages::compare(std::int64_t offset, hlc_number type, std::uint64_t expected, std::uint64_t value) const {
  Message message = about(Message::Kind::compare, offset);
  message.type = static_cast<std::int16_t>(type);
  message.expected = expected;
  message.operand = value;
  return message;
}

Status RemoteRma::connect(const Served &mine, const SharedMemory &memory) {
  Communicator &communicator = network_.communicator();
  HLC_TRY(network_.open());
  HLC_TRY(network_.requests()->open());
  find_network();
  messages_.number = requests_->served().next_segment();
  RemoteDescriptor descriptor;
  HLC_TRY(prepare(communicator, communicator.comm(), [&] {
    mine_.emplace(network_, messages_.number, dummy_target_);
    return mine_->open(mine, memory, communicator.member(), &descriptor);
  }));
  return descriptors_.share(communicator, network_.leaders(), descriptor);
}

void RemoteRma::find_network() {
  requests_ = network_.requests();
  endpoint_ = network_.endpoint();
}

Status RemoteRma::serve(std::uint32_t number, const Served &mine, const SharedMemory &memory, bool dummy_target,
                        RemoteDescriptor *descriptor) {
  find_network();
  messages_.number = number;
  dummy_target_ = dummy_target;
  if (network_.helper() && !dummy_target)
    return fail(Status::unsupported, "rank %d: a helper process (HALOCLINE_PROGRESS) reaches no memory that the application brings",
                network_.communicator().rank());
  mine_.emplace(network_, number, dummy_target);
  return mine_->open(mine, memory, 0, descriptor);
}

void RemoteRma::reach(std::uint32_t number, const RemoteDescriptor &descriptor, bool dummy_target) {
  find_network();
  messages_.number = number;
  dummy_target_ = dummy_target;
  only_ = descriptor;
}

transport::RemoteKey RemoteRma::key_of(Target target) const {
  const RemoteDescriptor &descriptor = descriptor_of(target.rank);
  const std::int64_t offset = (dummy_target_ ? kDummyTarget : 0) + target.offset;
  return {descriptor.part.address + static_cast<std::uint64_t>(offset), descriptor.part.key};
}

Status RemoteRma::put_piece(const char *call, Target to, const char *data, std::int64_t bytes) {
  // For a short write the flush confirms the arrival, where its query cannot overtake writes.
  const bool confirmed_by_flush = endpoint_->keeps_order() && bytes <= Request::kRoom;
  const Transfer::Kind kind = confirmed_by_flush ? Transfer::Kind::write : Transfer::Kind::write_delivered;
  return requests_->post(call, {.kind = kind, .rank = to.rank, .at = key_of(to), .from = data, .bytes = bytes});
}

Status RemoteRma::get_piece(const char *call, Target from, char *data, std::int64_t bytes) {
  return requests_->post(call, {.kind = Transfer::Kind::read, .rank = from.rank, .at = key_of(from), .into = data, .bytes = bytes});
}

Status RemoteRma::put(const char *call, Target to, const char *data, std::int64_t bytes) {
  return for_pieces(bytes, endpoint_->most_bytes(), [&](std::int64_t begin, std::int64_t piece) {
    return put_piece(call, {to.rank, to.offset + begin}, data + begin, piece);
  });
}

Status RemoteRma::get(const char *call, Target from, char *data, std::int64_t bytes) {
  return for_pieces(bytes, endpoint_->most_bytes(), [&](std::int64_t begin, std::int64_t piece) {
    return get_piece(call, {from.rank, from.offset + begin}, data + begin, piece);
  });
}

Status RemoteRma::put(const char *call, Target to, const char *data, std::int64_t bytes, std::int64_t &done) {
  while (done < bytes) {
    if (const Status room = requests_->find_room(to.rank, call); room != Status::ok) return room;
    const std::int64_t piece = std::min(endpoint_->most_bytes(), bytes - done);
    HLC_TRY(put_piece(call, {to.rank, to.offset + done}, data + done, piece));
    done += piece;
  }
  return Status::ok;
}

Status RemoteRma::get(const char *call, Target from, char *data, std::int64_t bytes, std::int64_t &done) {
  while (done < bytes) {
    if (const Status room = requests_->find_room(from.rank, call); room != Status::ok) return room;
    const std::int64_t piece = std::min(endpoint_->most_bytes(), bytes - done);
    HLC_TRY(get_piece(call, {from.rank, from.offset + done}, data + done, piece));
    done += piece;
  }
  return Status::ok;
}

/// The bytes to be sent before the piece that carries the notification: all of them where immediate data carry no values.
std::int64_t RemoteRma::first_pieces(std::int64_t bytes) const {
  if (!endpoint_->carries_values() || bytes == 0) return bytes;
  return (bytes - 1) / endpoint_->most_bytes() * endpoint_->most_bytes();
}

Status RemoteRma::put_notify(const char *call, Target to, const char *data, std::int64_t bytes, hlc_notification notification) {
  const std::int64_t first = first_pieces(bytes);
  if (first > 0) {
    HLC_TRY(put(call, to, data, first));
    // SYNC pieces-before-notification (pairs with NotificationWords::set): the last piece may overtake the others. A message that notifies
    // must overtake none of the posted pieces.
    HLC_TRY(requests_->flush(to.rank, call, endpoint_->carries_values()));
  }
  return put_last(call, to, data, bytes, notification);
}

Status RemoteRma::put_notify(const char *call, Target to, const char *data, std::int64_t bytes, hlc_notification notification,
                             PendingNotify &pending) {
  const std::int64_t first = first_pieces(bytes);
  if (first > 0 && !pending.begun) {
    if (const Status put_all = put(call, to, data, first, pending.done); put_all != Status::ok) return put_all;
    pending = {true, requests_->begin_flush(to.rank, endpoint_->carries_values()), first};
  }
  // SYNC pieces-before-notification (pairs with NotificationWords::set)
  if (first > 0)
    if (const Status gone = requests_->look(pending.before, call); gone != Status::ok) return gone;
  if (const Status room = requests_->find_room(to.rank, call); room != Status::ok) return room;
  return put_last(call, to, data, bytes, notification);
}

/// The last piece, with the notification.
Status RemoteRma::put_last(const char *call, Target to, const char *data, std::int64_t bytes, hlc_notification notification) {
  const std::int64_t first = first_pieces(bytes);
  if (!endpoint_->carries_values() || (bytes == 0 && !dummy_target_)) return notify_by_message(call, to.rank, notification);
  return write_with_immediate(call, {to.rank, to.offset + first}, data ? data + first : data, bytes - first, notification);
}

/// One write whose immediate data carry the notification. Without data it writes a word to the dummy target.
Status RemoteRma::write_with_immediate(const char *call, Target to, const char *data, std::int64_t bytes, hlc_notification notification) {
  constexpr std::uint64_t nothing = 0;
  NetworkOperation write;
  write.kind = endpoint_->keeps_order() ? Transfer::Kind::write_with_immediate : Transfer::Kind::write_delivered_with_immediate;
  write.rank = to.rank;
  write.at = key_of(bytes > 0 ? to : Target{to.rank, -kDummyTarget});
  write.from = bytes > 0 ? data : reinterpret_cast<const char *>(&nothing);
  write.bytes = bytes > 0 ? bytes : std::int64_t{sizeof nothing};
  write.immediate =
      NetworkEndpoint::immediate_data(descriptor_of(to.rank).words_id, static_cast<std::uint32_t>(notification.id), notification.value);
  return requests_->post(call, write);
}

Status RemoteRma::notify_in_order(const char *call, int rank, hlc_notification notification, PendingNotify &pending) {
  if (!endpoint_->keeps_order()) {
    if (!pending.begun) pending = {true, requests_->begin_flush(rank, false), 0};
    // SYNC writes-before-notification (pairs with NotificationWords::set): a message may overtake writes, unless the provider keeps the
    // order.
    if (const Status gone = requests_->look(pending.before, call); gone != Status::ok) return gone;
  }
  return notify_by_message(call, rank, notification);
}

Status RemoteRma::notify_by_message(const char *call, int rank, hlc_notification notification) {
  return requests_->queries().send_query(rank, call, messages_.notify(notification), nullptr, 0);
}

Status RemoteRma::combine(const char *call, Target at, hlc_action action, std::uint64_t operand, std::uint64_t *old) {
  return requests_->queries().ask(at.rank, call, messages_.combine(at.offset, action, operand), old);
}

Status RemoteRma::compare(const char *call, Target at, hlc_number type, std::int64_t expected, std::int64_t value, std::int64_t *old) {
  std::uint64_t before = 0;
  const Message message = messages_.compare(at.offset, type, static_cast<std::uint64_t>(expected), static_cast<std::uint64_t>(value));
  HLC_TRY(requests_->queries().ask(at.rank, call, message, &before));
  *old = static_cast<std::int64_t>(before);
  return Status::ok;
}

Status RemoteRma::combine(const char *call, Target at, hlc_action action, std::uint64_t operand, Query &query, std::uint64_t *old) {
  return requests_->queries().look(query, at.rank, call, messages_.combine(at.offset, action, operand), old);
}

Status RemoteRma::compare(const char *call, Target at, std::uint64_t expected, std::uint64_t value, Query &query, std::uint64_t *old) {
  return requests_->queries().look(query, at.rank, call, messages_.compare(at.offset, HLC_NUMBER_UINT64, expected, value), old);
}

Status RemoteRma::accumulate(const char *call, Target at, hlc_action action, const char *data, std::int64_t count) {
  const std::int64_t size = number_bytes(action.type), most = (Request::kRoom - static_cast<std::int64_t>(sizeof(Message))) / size;
  return for_pieces(count, most, [&](std::int64_t begin, std::int64_t some) {
    Message message = messages_.about(Message::Kind::accumulate, at.offset + begin * size);
    set_action(&message, action);
    message.count = some;
    return requests_->queries().send_query(at.rank, call, message, data + begin * size, some * size);
  });
}

}  // namespace halocline::core
