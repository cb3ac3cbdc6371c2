// What ranks of other nodes ask of this one. A message is believed only if it carries the job's secret, and then only as far as it stays
// within the segment that it names: nothing else is touched, and what is dropped is counted.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>

#include "engine/atomics.hpp"
#include "engine/collective.hpp"
#include "engine/traffic.hpp"

namespace halocline {
namespace {

/// True if count numbers of the type lie within the memory, aligned.
bool lies_within(const Served &memory, hlc_number type, std::int64_t offset, std::int64_t count) {
  const std::int64_t bytes = number_bytes(type);
  return bytes > 0 && offset >= 0 && offset <= memory.bytes && offset % bytes == 0 && count >= 0 &&
         count <= (memory.bytes - offset) / bytes;
}

hlc_action action_of(const Message &message) { return {static_cast<hlc_op>(message.op), static_cast<hlc_number>(message.type)}; }

}  // namespace

/// The buffer is there for the next message in any case.
void Traffic::receive(Transfer &letter) {
  if (letter.error != 0 || !read(letter.into, letter.arrived)) port_.count_stranger();
  port_.start(letter);
}

/// False for a message that is none of ours, or not in order.
bool Traffic::read(const char *text, std::int64_t bytes) {
  Message message;
  if (bytes < static_cast<std::int64_t>(sizeof message)) return false;
  std::memcpy(&message, text, sizeof message);
  if (message.secret != secret_ || message.origin < 0 || message.origin >= context_.size()) return false;
  if (message.kind == Message::Kind::answer) return take_answer(message);
  std::uint64_t old = 0;
  if (!do_as_asked(message, text + sizeof message, bytes - static_cast<std::int64_t>(sizeof message), &old)) return false;
  return !failed(alone(context_, [&] { return reply(message, old); }));
}

/// Late answers of flights that have been given up name a use that is over.
bool Traffic::take_answer(const Message &message) {
  if (message.flight >= chunks_.size() * kChunk) return false;
  Flight &flight = chunks_[message.flight / kChunk]->flights[message.flight % kChunk];
  if (flight.use != message.use || flight.awaited == 0 || flight.link->rank != message.origin) return false;
  flight.answer = message.operand;
  flight.link->confirmed = std::max(flight.link->confirmed, flight.confirms);
  settle(flight);
  return true;
}

bool Traffic::do_as_asked(const Message &message, const char *operands, std::int64_t bytes, std::uint64_t *old) {
  // SYNC announced-before-confirmed (pairs with ask_to_confirm): what was in the queue before the question has been heard.
  if (message.kind == Message::Kind::confirm) return true;
  const auto found = served_.find(message.segment);
  if (found == served_.end()) return false;
  const Served &memory = found->second;
  switch (message.kind) {
    case Message::Kind::combine:
    case Message::Kind::accumulate: return combine(memory, message, operands, bytes, old);
    case Message::Kind::compare: return compare(memory, message, old);
    case Message::Kind::notify: {
      const auto value = static_cast<std::uint32_t>(message.operand);
      if (message.id >= memory.words.count || value == 0) return false;
      set_word(memory.words, message.id, value);
      return true;
    }
    default: return false;
  }
}

bool Traffic::combine(const Served &memory, const Message &message, const char *operands, std::int64_t bytes, std::uint64_t *old) {
  const hlc_action action = action_of(message);
  if (!can_combine(action) || !lies_within(memory, action.type, message.offset, message.count)) return false;
  if (message.kind == Message::Kind::combine) {
    if (message.count != 1) return false;
    apply(action, memory.data + message.offset, &message.operand, old);
    return true;
  }
  const std::int64_t size = number_bytes(action.type);
  if (bytes != message.count * size) return false;
  for (std::int64_t i = 0; i < message.count; ++i) apply(action, memory.data + message.offset + i * size, operands + i * size, nullptr);
  return true;
}

bool Traffic::compare(const Served &memory, const Message &message, std::uint64_t *old) {
  const hlc_number type = action_of(message).type;
  if (!is_word(type) || !lies_within(memory, type, message.offset, 1)) return false;
  *old = static_cast<std::uint64_t>(compare_and_swap(type, memory.data + message.offset, static_cast<std::int64_t>(message.expected),
                                                     static_cast<std::int64_t>(message.operand)));
  return true;
}

/// Answers take flights without limit: whoever asks has a limit, and waits for them.
Status Traffic::reply(const Message &message, std::uint64_t old) {
  Link *link = nullptr;
  Flight *flight = nullptr;
  HLC_TRY(reach(message.origin, &link));
  HLC_TRY(take(*link, "an answer", &flight));
  Message answer;
  answer.flight = message.flight;
  answer.use = message.use;
  answer.operand = old;
  write(*flight, answer, nullptr, 0);
  flight->answers = true;
  answers_ += 1;
  port_.start(*flight);
  return Status::ok;
}

}  // namespace halocline
