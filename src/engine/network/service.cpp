// Reading messages, carrying out queries.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/network/service.hpp"

#include <atomic>
#include <cstring>

#include "engine/memory/atomics.hpp"

namespace halocline::core {
namespace {

/// True if count numbers of the type are within the memory, aligned.
bool lies_within(const Served &memory, hlc_number type, std::int64_t offset, std::int64_t count) {
  const std::int64_t bytes = number_bytes(type);
  return bytes > 0 && offset >= 0 && offset <= memory.bytes && offset % bytes == 0 && count >= 0 &&
         count <= (memory.bytes - offset) / bytes;
}

/// Of a message or a listed atomic.
template <class Asked>
hlc_action action_of(const Asked &asked) {
  return {static_cast<hlc_op>(asked.op), static_cast<hlc_number>(asked.type)};
}

/// Calls change(number). Where a lock protects the memory, the number is a copy that is written back: the application's need not be aligned.
template <class Change>
void on_number(const Served &memory, std::int64_t offset, std::int64_t bytes, Change change) {
  if (!memory.lock) return change(memory.data + offset);
  alignas(std::uint64_t) char number[sizeof(std::uint64_t)];
  std::memcpy(number, memory.data + offset, static_cast<std::size_t>(bytes));
  change(number);
  std::memcpy(memory.data + offset, number, static_cast<std::size_t>(bytes));
}

bool combine(const Served &memory, const Message &message, const char *operands, std::int64_t bytes, std::uint64_t *old) {
  const hlc_action action = action_of(message);
  if (!can_combine(action) || !lies_within(memory, action.type, message.offset, message.count)) return false;
  const std::int64_t size = number_bytes(action.type);
  if (message.kind == Message::Kind::combine) {
    if (message.count != 1) return false;
    on_number(memory, message.offset, size, [&](void *number) { apply(action, number, &message.operand, old); });
    return true;
  }
  if (bytes != message.count * size) return false;
  if (memory.lock || memory.is_alone) return apply_alone(action, memory.data + message.offset, operands, message.count), true;
  for (std::int64_t i = 0; i < message.count; ++i) apply(action, memory.data + message.offset + i * size, operands + i * size, nullptr);
  return true;
}

bool compare(const Served &memory, const Message &message, std::uint64_t *old) {
  const hlc_number type = action_of(message).type;
  if (!lies_within(memory, type, message.offset, 1)) return false;
  on_number(memory, message.offset, number_bytes(type),
            [&](void *number) { compare_and_swap(type, number, {&message.expected, &message.operand, old}); });
  return true;
}

bool is_valid(const Served &memory, const ListedAtomic &one) {
  const bool known = one.op == ListedAtomic::kCompares || can_combine(action_of(one));
  return known && lies_within(memory, action_of(one).type, one.offset, 1);
}

void carry_out_one(const Served &memory, const ListedAtomic &one, std::uint64_t *old) {
  const hlc_action action = action_of(one);
  on_number(memory, one.offset, number_bytes(action.type), [&](void *number) {
    if (one.op == ListedAtomic::kCompares)
      compare_and_swap(action.type, number, {&one.expected, &one.operand, old});
    else
      apply(action, number, &one.operand, old);
  });
}

/// Calls each(atomic) for all operands until it returns false; false then, and if they do not fill the bytes.
template <class Each>
bool for_listed(const Message &query, const char *operands, std::int64_t bytes, Each each) {
  auto left = static_cast<std::size_t>(bytes) / sizeof(std::uint64_t);
  ListedAtomic one;
  for (std::int64_t i = 0; i < query.count; ++i) {
    if (!one.read(operands, left) || !each(one)) return false;
    left -= one.words();
    operands += one.words() * sizeof(std::uint64_t);
  }
  return left == 0 && bytes % static_cast<std::int64_t>(sizeof(std::uint64_t)) == 0;
}

/// Bytes, and then a number that says that they are there.
bool put_combine(const Served &memory, const Served &of_number, const Message &query, const char *operands, std::int64_t bytes) {
  const hlc_action action = action_of(query);
  const auto number = static_cast<std::int64_t>(query.expected);
  if (!can_combine(action) || !lies_within(of_number, action.type, number, 1)) return false;
  if (bytes != query.count || query.offset < 0 || query.offset > memory.bytes || bytes > memory.bytes - query.offset) return false;
  if (bytes > 0) std::memcpy(memory.data + query.offset, operands, static_cast<std::size_t>(bytes));
  // SYNC data-before-signal (pairs with the look at the number)
  std::atomic_thread_fence(std::memory_order_release);
  on_number(of_number, number, number_bytes(action.type), [&](void *place) { apply(action, place, &query.operand, nullptr); });
  return true;
}

/// All are checked before the first is carried out.
bool carry_out_all(const Served &memory, const Message &query, const char *operands, std::int64_t bytes, Reply *reply) {
  if (query.count < 1 || query.count > static_cast<std::int64_t>(kMaxListed)) return false;
  if (!for_listed(query, operands, bytes, [&](const ListedAtomic &one) { return is_valid(memory, one); })) return false;
  auto *old = reinterpret_cast<std::uint64_t *>(reply->values);
  if (!old) return false;
  reply->value_bytes = query.count * static_cast<std::int64_t>(sizeof(std::uint64_t));
  return for_listed(query, operands, bytes, [&](const ListedAtomic &one) {
    *old = 0;
    carry_out_one(memory, one, old++);
    return true;
  });
}

bool change(const Served &memory, const Message &query, const char *operands, std::int64_t bytes, Reply *reply) {
  std::uint64_t *const old = &reply->message.operand;
  switch (query.kind) {
    case Message::Kind::combine:
    case Message::Kind::accumulate: return combine(memory, query, operands, bytes, old);
    case Message::Kind::compare: return compare(memory, query, old);
    case Message::Kind::atomics: return carry_out_all(memory, query, operands, bytes, reply);
    case Message::Kind::notify: return memory.words.set(query.id, static_cast<std::uint32_t>(query.operand));
    default: return false;
  }
}

}  // namespace

bool Service::read(const char *text, std::int64_t bytes, Message *message) const {
  if (bytes < static_cast<std::int64_t>(sizeof *message) || bytes > ReceiveBuffers::kRoom) return false;
  std::memcpy(message, text, sizeof *message);
  return message->secret == secret_ && message->origin >= 0 && message->origin < ranks_;
}

Outcome Service::carry_out(const Message &query, const char *operands, std::int64_t bytes, Reply *reply) const {
  Message &message = reply->message;
  message = Message();
  reply->value_bytes = 0;
  message.secret = secret_;
  message.origin = query.target;
  message.target = query.origin;
  message.request = query.request;
  message.use = query.use;
  return do_as_asked(query, operands, bytes, reply);
}

/// The number may be in another memory of the same rank.
bool Service::put_and_combine(const Served &memory, const Message &query, const char *operands, std::int64_t bytes) const {
  const auto of_number = query.id == query.segment ? served_.end() : served_.find({query.target, query.id});
  if (query.id == query.segment) return put_combine(memory, memory, query, operands, bytes);
  return of_number != served_.end() && put_combine(memory, of_number->second, query, operands, bytes);
}

Outcome Service::do_as_asked(const Message &query, const char *operands, std::int64_t bytes, Reply *reply) const {
  // SYNC announced-before-confirmed (pairs with ask_to_confirm): what was in the completion queue before the query has been read.
  if (query.kind == Message::Kind::confirm) return Outcome::done;
  // SYNC put-before-message (pairs with complete_and_unlock and complete_started)
  const auto found = served_.find({query.target, query.segment});
  if (found == served_.end()) return Outcome::refused;
  const Served &memory = found->second;
  if (is_packed(query)) return carry_out_packed(memory, query, {operands, bytes}, reply);
  const bool locks = memory.lock && query.kind != Message::Kind::notify;
  if (locks && !memory.lock.try_lock()) return Outcome::later;
  const bool done = query.kind == Message::Kind::put_combine ? put_and_combine(memory, query, operands, bytes)
                                                             : change(memory, query, operands, bytes, reply);
  if (locks) memory.lock.unlock();
  return done ? Outcome::done : Outcome::refused;
}

Status ReceiveBuffers::open(NetworkEndpoint &endpoint) {
  if (is_open()) return Status::ok;
  HLC_TRY(room_.open(endpoint, static_cast<std::int64_t>(kBuffers) * kRoom, NetworkSegment::Use::for_me));
  endpoint_ = &endpoint;
  return Status::ok;
}

/// Clears the message: a foreign process can make the provider report a message without writing one, and the old one must not be read
/// again.
void ReceiveBuffers::receive_again(Transfer &buffer) {
  std::memset(buffer.into, 0, sizeof(Message));
  endpoint_->start(buffer);
}

void ReceiveBuffers::receive() {
  for (std::size_t i = 0; i < kBuffers; ++i) {
    Transfer &buffer = buffers_[i];
    buffer.kind = Transfer::Kind::receive;
    buffer.reported = true;
    buffer.into = room_.base() + static_cast<std::int64_t>(i) * kRoom;
    buffer.bytes = kRoom;
    buffer.desc = room_.desc();
    endpoint_->start(buffer);
  }
}

}  // namespace halocline::core
