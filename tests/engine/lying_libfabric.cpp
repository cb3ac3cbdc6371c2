// Intercepts libfabric for its process: with each message of the library it sends broken copies that carry the job's secret. None of them
// is valid, so none may have an effect. The functions at the end let a test request more of them.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <limits>

#include "engine/network/message.hpp"
#include "network/real_libfabric.hpp"

namespace {

using halocline::core::ListedAtomic;
using halocline::core::Message;
using Kind = Message::Kind;
constexpr std::uint32_t kKinds = static_cast<std::uint32_t>(Kind::put_combine) + 1;  // the first number that is none

constexpr std::size_t kRoom = 2048, kCopies = 4096;  // libfabric is done with a copy before its place is used again
constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max(), kSmallest = std::numeric_limits<std::int64_t>::min();

std::array<std::array<char, kRoom>, kCopies> copies;
std::atomic<std::uint64_t> sent{0};
std::atomic<int> forging{0};
std::uint32_t dice = 1;

std::uint32_t throw_dice(std::uint32_t sides) {
  dice = dice * 1664525 + 1013904223;
  return (dice >> 8) % sides;
}

template <class Number>
Number one_of(std::initializer_list<Number> numbers) {
  return numbers.begin()[throw_dice(static_cast<std::uint32_t>(numbers.size()))];
}

fi_ops_fabric of_fabric, lying_fabric;
fi_ops_domain of_domain, lying_domain;
fi_ops_msg of_messages, lying_messages;

/// Endpoint, local descriptor and destination of a message.
struct Way {
  fid_ep *endpoint;
  void *desc;
  fi_addr_t to;
};

void send_copy(const Way &way, const Message &message, const char *operands, std::size_t bytes) {
  char *copy = copies[sent % kCopies].data();
  std::memcpy(copy, &message, sizeof message);
  if (bytes > sizeof message) std::memcpy(copy + sizeof message, operands, bytes - sizeof message);
  // No context receives its completion.
  if (of_messages.send(way.endpoint, copy, bytes, way.desc, way.to, nullptr) == 0) sent += 1;
}

/// Changes what a query asks for, so that it is outside of the memory.
void leave_memory(Message &message) {
  if (throw_dice(2) == 0)
    message.offset = one_of<std::int64_t>({-1, -8, -4096, kSmallest, kLargest, kLargest - 7, std::int64_t{1} << 40});
  else
    message.count = one_of<std::int64_t>({-1, kSmallest, kLargest, kLargest / 8 + 1, std::int64_t{1} << 61, std::int64_t{1} << 30});
  message.id = one_of<std::uint32_t>({1U << 31, 1U << 17, 0xFFFFFFFF});
  if (message.kind == Kind::compare) message.offset = -8;  // compare has no count
}

void choose_no_action(Message &message) {
  message.type = one_of<std::int8_t>({-1, 10, 11, 127, -128});
  if (throw_dice(2) == 0) message.op = one_of<std::int8_t>({-1, 9, 10, 127, -128});
  message.id = 0xFFFFFFFF;
}

/// Makes a message invalid, in one of many respects; returns how many bytes of it are sent.
std::size_t spoil(Message &message, std::size_t bytes) {
  const bool asks_confirmation = message.kind == Kind::confirm;
  switch (throw_dice(asks_confirmation ? 4 : message.kind == Kind::atomics ? 6 : 8)) {
    case 0: message.kind = static_cast<Kind>(one_of<std::uint32_t>({kKinds, kKinds + 1, 255, 0x80000000, 0xFFFFFFFF})); return bytes;
    case 1: return throw_dice(sizeof message);  // truncated
    case 2: message.origin = one_of<std::int32_t>({-1, 1 << 20, std::numeric_limits<std::int32_t>::min()}); return bytes;
    case 3: message.secret ^= std::uint64_t{1} << throw_dice(64); return bytes;
    case 4: message.segment += 1000 + throw_dice(1 << 30); return bytes;
    case 5: message.target = one_of<std::int32_t>({-1, 1 << 20, std::numeric_limits<std::int32_t>::min()}); return bytes;
    case 6: leave_memory(message); return bytes;
    default: choose_no_action(message); return bytes;
  }
}

/// Fewer operands than the count says, and counts that do not fit a single number.
void cut_operands(const Way &way, const Message &message, const char *operands, std::size_t bytes) {
  if (message.kind == Kind::combine) {
    Message none = message;
    none.count = 0;
    send_copy(way, none, operands, bytes);
  }
  if (message.kind != Kind::accumulate || bytes < sizeof message + 16) return;
  send_copy(way, message, operands, bytes - 1 - throw_dice(15));
  Message more = message;
  more.count += 1;
  send_copy(way, more, operands, bytes);
}

/// An atomic on an unaligned number. Any offset is aligned for numbers of one byte.
void misalign(const Way &way, Message message, const char *operands, std::size_t bytes) {
  constexpr std::int8_t int8 = 0, uint8 = 4;
  const bool atomic = message.kind == Kind::combine || message.kind == Kind::compare || message.kind == Kind::accumulate;
  if (!atomic || message.type == int8 || message.type == uint8) return;
  message.offset += 1;
  send_copy(way, message, operands, bytes);
}

/// The first word of an atomic that is invalid: offset, type, op.
std::uint64_t spoiled(std::uint64_t word) {
  switch (throw_dice(4)) {
    case 0:
      return (word & 0xFFFF) | one_of<std::uint64_t>({~std::uint64_t{0}, ~std::uint64_t{7}, std::uint64_t{1} << 40, std::uint64_t{1} << 47})
                                   << 16;
    case 1: return word + (1 << 16);  // all are on integers of 32 or 64 bits
    case 2: return (word & ~std::uint64_t{0xFF00}) | one_of<std::uint64_t>({10, 11, 128, 255}) << 8;
    default: return (word & ~std::uint64_t{0xFF}) | one_of<std::uint64_t>({9, 10, 128, 254});
  }
}

/// Several atomics of which one is invalid, so that none may have an effect. Other numbers of them than the message says.
void spoil_list(const Way &way, const Message &message, const char *operands, std::size_t bytes) {
  if (message.kind != Kind::atomics) return;
  std::array<char, kRoom> list;
  std::memcpy(list.data(), operands, bytes - sizeof message);
  std::size_t left = (bytes - sizeof message) / sizeof(std::uint64_t), place = 0;
  ListedAtomic one;
  for (std::uint32_t i = throw_dice(static_cast<std::uint32_t>(message.count)); one.read(operands + place, left) && i > 0; --i) {
    left -= one.words();
    place += one.words() * sizeof(std::uint64_t);
  }
  std::uint64_t word = 0;
  std::memcpy(&word, operands + place, sizeof word);
  word = spoiled(word);
  std::memcpy(list.data() + place, &word, sizeof word);
  send_copy(way, message, list.data(), bytes);
  Message other = message;
  other.count =
      one_of<std::int64_t>({message.count + 1, message.count - 1, 0, -1, kSmallest, kLargest, (std::int64_t{1} << 59) + message.count});
  send_copy(way, other, operands, bytes);
  send_copy(way, message, operands, bytes - 1 - throw_dice(8));
}

/// Replies that no rank awaits: to all queries that the other may have outstanding, or may have had.
void forge_answers(const Way &way, Message message) {
  message.kind = Kind::reply;
  for (std::uint32_t request = 0; request < 96; ++request)
    for (std::uint32_t use = 0; use < 4; ++use) {
      message.request = request;
      message.use = use;
      send_copy(way, message, "", sizeof message);
    }
  message.request = one_of<std::uint32_t>({1024, 1U << 20, 0xFFFFFFFF});
  send_copy(way, message, "", sizeof message);
}

void lie(const Way &way, const char *text, std::size_t bytes) {
  Message message;
  std::memcpy(&message, text, sizeof message);
  if (forging > 0) return forge_answers(way, message);
  if (message.kind == Kind::reply) return send_copy(way, message, text + sizeof message, bytes);  // once more
  for (int i = 0; i < 6; ++i) {
    Message broken = message;
    send_copy(way, broken, text + sizeof message, spoil(broken, bytes));
  }
  cut_operands(way, message, text + sizeof message, bytes);
  misalign(way, message, text + sizeof message, bytes);
  spoil_list(way, message, text + sizeof message, bytes);
}

/// Before a reply: the same without its last old value, or with one that no rank awaits.
void lie_before(const Way &way, const char *text, std::size_t bytes) {
  Message message;
  std::memcpy(&message, text, sizeof message);
  if (forging > 0 || message.kind != Kind::reply) return;
  const std::array<char, sizeof(std::uint64_t)> none{};
  if (bytes == sizeof message) return send_copy(way, message, none.data(), bytes + none.size());
  send_copy(way, message, text + sizeof message, bytes - none.size());
}

ssize_t send(fid_ep *endpoint, const fi_msg *sent_message, std::uint64_t flags) {
  const Way way{endpoint, sent_message->desc ? sent_message->desc[0] : nullptr, sent_message->addr};
  const iovec text = sent_message->msg_iov[0];
  const bool message = text.iov_len >= sizeof(Message) && text.iov_len <= kRoom;
  if (message) lie_before(way, static_cast<const char *>(text.iov_base), text.iov_len);
  const ssize_t code = of_messages.sendmsg(endpoint, sent_message, flags);
  if (message && code == 0) lie(way, static_cast<const char *>(text.iov_base), text.iov_len);
  return code;
}

int open_endpoint(fid_domain *domain, fi_info *info, fid_ep **endpoint, void *context) {
  const int code = of_domain.endpoint(domain, info, endpoint, context);
  if (code != 0) return code;
  of_messages = lying_messages = *(*endpoint)->msg;
  lying_messages.sendmsg = send;
  (*endpoint)->msg = &lying_messages;
  return code;
}

int open_domain(fid_fabric *fabric, fi_info *info, fid_domain **domain, void *context) {
  const int code = of_fabric.domain(fabric, info, domain, context);
  if (code != 0) return code;
  of_domain = lying_domain = *(*domain)->ops;
  lying_domain.endpoint = open_endpoint;
  (*domain)->ops = &lying_domain;
  return code;
}

}  // namespace

// NOLINTBEGIN: the names and types are libfabric's
EXPORTED int fi_getinfo(std::uint32_t version, const char *node, const char *service, std::uint64_t flags, const fi_info *hints,
                        fi_info **info) {
  return real(&fi_getinfo, "fi_getinfo")(version, node, service, flags, hints, info);
}
EXPORTED int fi_fabric(fi_fabric_attr *attributes, fid_fabric **fabric, void *context) {
  const int code = real(&fi_fabric, "fi_fabric")(attributes, fabric, context);
  if (code != 0) return code;
  of_fabric = lying_fabric = *(*fabric)->ops;
  lying_fabric.domain = open_domain;
  (*fabric)->ops = &lying_fabric;
  return code;
}
// NOLINTEND
/// How many broken messages have been sent.
EXPORTED std::uint64_t halocline_test_lies() { return sent; }
/// From now on (1), until reset (0), each message is followed by replies that no rank has asked for.
EXPORTED void halocline_test_forge(int on) { forging = on; }
