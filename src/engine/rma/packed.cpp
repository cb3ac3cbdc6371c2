// Messages of packed operations. Each is written where it is sent from.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/rma/packed.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "engine/elements/operations.hpp"
#include "engine/elements/strip_code.hpp"
#include "engine/network/request_engine.hpp"
#include "engine/network/request_queries.hpp"

namespace halocline::core {
namespace {

using elements::Basic;
using elements::Operation;
using elements::Side;
using elements::Strip;
using Kind = PackedOperation::Kind;

Message::Kind kind_of(Kind kind) {
  switch (kind) {
    case Kind::put: return Message::Kind::scatter;
    case Kind::get: return Message::Kind::gather;
    case Kind::change: return Message::Kind::change;
    case Kind::fetch: break;
  }
  return Message::Kind::fetch;
}

Message message_to(Target at, Message::Kind kind, Basic type, std::int64_t word) {
  Message message;
  message.kind = kind;
  message.type = static_cast<std::int8_t>(type);
  message.segment = at.memory.descriptor().number;
  message.offset = at.offset;
  message.expected = static_cast<std::uint64_t>(word + 1);
  return message;
}

Side side_of(const Runs &runs) {
  static const elements::Steps none;
  return runs.steps ? Side(*runs.steps, runs.count) : Side(none, 0);
}

/// Takes the next bytes of a side if they are one run; null if they are not.
const char *take_run(const char *base, Side &side, std::int64_t bytes) {
  if (!side.fill()) return nullptr;
  const std::int64_t run = std::min(side.bytes(), bytes), count = bytes / run;
  const bool is_whole = run * count == bytes && count <= side.pieces(run) && (count == 1 || side.stride(run) == run);
  if (!is_whole) return nullptr;
  const char *const begin = base + side.offset();
  side.take(run, count);
  return begin;
}

/// Copies the next bytes of a side one after the other.
void pack(Basic type, const char *base, Side &side, std::int64_t bytes, char *to) {
  if (elements::has_gaps(type)) std::memset(to, 0, static_cast<std::size_t>(bytes));
  elements::take_strips(side, bytes, [&](const Strip &strip) {
    elements::copy_runs(type, {to, base + strip.offset, strip.bytes, strip.stride}, strip.bytes, strip.count);
    to += strip.bytes * strip.count;
  });
}

/// Data of a message for which a request's own room is enough, where they are one run.
constexpr std::int64_t kShort = Request::kRoom - static_cast<std::int64_t>(sizeof(Message)) - elements::kMaxCode;

/// So many bytes take longer to copy than the network needs for a part more.
constexpr std::int64_t kTail = 4096;

/// The messages of one operation. A long one has a long room, also for the values in its reply: so few of these are under way.
class PackedMessages {
 public:
  PackedMessages(const char *call, Target at, const PackedOperation &operation)
      : call_(call),
        queries_(at.memory.network().requests()->queries()),
        operation_(operation),
        message_(message_to(at, kind_of(operation.kind), operation.type, operation.word)),
        rank_(at.memory.rank()),
        sends_tails_(at.memory.network().endpoint()->sends_tails() && !elements::has_gaps(operation.type)),
        most_bytes_(at.memory.network().endpoint()->most_bytes()),
        element_bytes_(elements::basic_bytes(operation.type)),
        target_(side_of(operation.target)),
        origin_(side_of(operation.origin)),
        result_(side_of(operation.result)) {
    message_.op = static_cast<std::int8_t>(operation.operation);
    message_.alone = operation.is_alone ? 1 : 0;
  }

  Status send_all() {
    for (std::int64_t left = operation_.bytes; left > 0; left -= message_.count) HLC_TRY(send_next(left));
    return Status::ok;
  }

 private:
  bool sends() const { return operation_.origin.steps != nullptr; }
  bool fetches() const { return operation_.result.steps != nullptr; }

  Status send_next(std::int64_t left) {
    RequestFilling filling(queries_);
    HLC_TRY(filling.take(rank_, call_, left > kShort ? Room::of_long_message : Room::usual));
    Request &request = filling.request();
    room_ = std::min(request.room_bytes(), most_bytes_) - static_cast<std::int64_t>(sizeof(Message));
    char *const operands = request.operands();
    elements::StripWriter code(operands);
    message_.count = take_target(code, left);
    message_.id = static_cast<std::uint32_t>(code.bytes());
    char *const values = operands + code.bytes();
    const bool has_tail = sends() && take_tail(request);
    if (sends() && !has_tail) pack(operation_.type, operation_.origin.base, origin_, message_.count, values);
    if (fetches()) plan_unpacking(request.unpacking);
    // The reply to the last one says that all have been carried out.
    message_.silent = message_.count < left && !fetches() ? 1 : 0;
    return filling.start(message_, code.bytes() + (sends() && !has_tail ? message_.count : 0));
  }

  /// Long data without gaps are not copied.
  bool take_tail(Request &request) {
    if (!sends_tails_ || message_.count < kTail) return false;
    request.tail = take_run(operation_.origin.base, origin_, message_.count);
    if (request.tail) request.tail_bytes = message_.count;
    return request.tail_bytes > 0;
  }

  /// The bytes of data that a message has room for, after those used and a further strip.
  std::int64_t free_after(std::int64_t code_bytes, std::int64_t data_bytes) const {
    const std::int64_t in_query = room_ - code_bytes - elements::kMaxCode,
                       in_reply = fetches() ? room_ : std::numeric_limits<std::int64_t>::max();
    if (in_query < 0) return 0;
    return std::min(sends() ? in_query - data_bytes : std::numeric_limits<std::int64_t>::max(), in_reply - data_bytes);
  }

  /// Takes as much of the target as a message has room for; at least one element. Returns its bytes.
  std::int64_t take_target(elements::StripWriter &code, std::int64_t left) {
    std::int64_t bytes = 0;
    while (bytes < left && target_.fill()) {
      const std::int64_t free = std::min(left - bytes, free_after(code.bytes(), bytes)) / element_bytes_ * element_bytes_;
      if (free <= 0) break;
      const std::int64_t run = std::min(target_.bytes(), free), count = std::min(target_.pieces(run), free / run);
      code.add({target_.offset(), run, count, target_.stride(run)});
      target_.take(run, count);
      bytes += run * count;
    }
    return bytes;
  }

  void plan_unpacking(Unpacking &unpacking) {
    unpacking.strips.clear();
    elements::take_strips(result_, message_.count, [&](const Strip &strip) { unpacking.strips.push_back(strip); });
    unpacking.base = operation_.result.base;
    unpacking.type = operation_.type;
    unpacking.bytes = message_.count;
  }

  const char *call_;
  RequestQueries &queries_;
  const PackedOperation &operation_;
  Message message_;
  int rank_;
  bool sends_tails_;
  std::int64_t most_bytes_, element_bytes_;
  std::int64_t room_ = 0;  // of the present message, for its operands and for its reply's values
  Side target_, origin_, result_;
};

}  // namespace

Status begin_packed(const char *call, Target at, const PackedOperation &operation) {
  at.memory.poll_sometimes();
  return PackedMessages(call, at, operation).send_all();
}

Status begin_swap(const char *call, Target at, const PackedSwap &swap) {
  at.memory.poll_sometimes();
  const std::int64_t bytes = elements::basic_bytes(swap.type);
  const Strip whole{0, bytes, 1, 0};
  RequestFilling filling(at.memory.network().requests()->queries());
  HLC_TRY(filling.take(at.memory.rank(), call));
  Request &request = filling.request();
  elements::StripWriter code(request.operands());
  code.add(whole);
  char *const values = request.operands() + code.bytes();
  std::memcpy(values, swap.values.expected, static_cast<std::size_t>(bytes));
  std::memcpy(values + bytes, swap.values.value, static_cast<std::size_t>(bytes));
  request.unpacking.strips.assign(1, whole);
  request.unpacking.base = static_cast<char *>(swap.values.result);
  request.unpacking.type = swap.type;
  request.unpacking.bytes = bytes;
  Message message = message_to(at, Message::Kind::swap, swap.type, swap.word);
  message.count = bytes;
  message.id = static_cast<std::uint32_t>(code.bytes());
  return filling.start(message, code.bytes() + 2 * bytes);
}

}  // namespace halocline::core
