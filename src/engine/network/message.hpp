// Active messages between ranks of different nodes, for what a write or a read cannot do: an atomic, a notification, a confirmation of
// arrival.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace halocline::core {

/// A query or its reply, as it is sent. Raise kBuild (engine/context/context.cpp) with every change. The operands of a query and the old values of a reply follow it. Received messages are checked before
/// they are used (engine/network/service.cpp).
///
/// `put_combine` writes the bytes that follow it at `offset`, `count` of them, and then combines the number at `expected` of the
/// memory `id`.
///
/// The five kinds from `scatter` on are packed (packed_service.cpp): they are about `count` bytes of memory in strips, from `offset` on. The operands begin
/// with the code of the strips (elements/strip_code.hpp), `id` bytes. Values follow. Of `scatter`, `change` and `fetch` they are as many bytes as
/// the strips, or none if a fetch only reads. Of `swap` they are what is expected and what replaces it. `type` is an elements::Basic, `op` an
/// elements::Operation. `expected` is 0, or 1 + the offset of a word in the same memory that is held meanwhile. `alone` is 1 if all ranks
/// that change the elements hold that word: no instruction has to be atomic then.
struct Message {
  enum class Kind : std::uint32_t {
    reply,
    combine,
    compare,
    accumulate,
    notify,
    confirm,
    atomics,
    scatter,
    gather,
    change,
    fetch,
    swap,
    put_combine
  };

  std::uint64_t secret = 0;  // of the job
  Kind kind = Kind::reply;
  std::int32_t origin = 0;  // the rank that asks, or replies
  std::uint32_t request = 0, use = 0;  // of the query, to find it again
  std::uint32_t segment = 0;
  std::int8_t op = 0, type = 0;
  std::uint8_t silent = 0;  // 1: no reply is wanted
  std::uint8_t alone = 0;  // of `change`, `fetch` and `swap`
  std::int32_t target = 0;  // the rank that is asked, or whose reply is awaited
  std::uint32_t id = 0;  // of a notification, or of the memory of a number
  std::int64_t offset = 0, count = 0;
  std::uint64_t operand = 0, expected = 0;  // numbers as their bytes; also the old value in a reply, and a notification's value
};
static_assert(sizeof(Message) == 72);

/// Bytes of a message at most, with what follows it; of one with a list of atomics. One of 64 KiB takes a system call and what
/// the kernel does for it once, where four of 16 KiB take them four times.
inline constexpr std::int64_t kMessageRoom = 65'536 + 128, kListRoom = 2048;

/// An atomic among the operands of `atomics`, as words of 64 bits. The first has the offset, the type and the op. The operand follows unless
/// the op is HLC_OP_READ, and what is expected if it compares.
struct ListedAtomic {
  static constexpr int kCompares = 255;  // in place of an hlc_op
  static constexpr int kRead = 8;  // HLC_OP_READ

  std::int64_t offset = 0;  // below 2^47
  int op = 0, type = 0;
  std::uint64_t operand = 0, expected = 0;

  std::size_t words() const { return op == kRead ? 1 : op == kCompares ? 3 : 2; }
  /// Writes that many words.
  void write(std::uint64_t *to) const {
    to[0] = static_cast<std::uint64_t>(offset) << 16 | static_cast<std::uint64_t>(type) << 8 | static_cast<std::uint64_t>(op);
    if (words() > 1) to[1] = operand;
    if (words() > 2) to[2] = expected;
  }
  /// Reads it from the first of `there` words; false if there are too few.
  bool read(const char *from, std::size_t there) {
    std::uint64_t word[3] = {};
    if (there == 0) return false;
    std::memcpy(word, from, sizeof word[0]);
    offset = static_cast<std::int64_t>(word[0]) >> 16;
    type = static_cast<int>(word[0] >> 8 & 255);
    op = static_cast<int>(word[0] & 255);
    if (there < words()) return false;
    std::memcpy(word, from, words() * sizeof word[0]);
    operand = word[1];
    expected = word[2];
    return true;
  }
};

/// What follows a query.
struct Operands {
  const char *data = nullptr;
  std::int64_t bytes = 0;
};

/// Words of the operands of `atomics` at most, and so atomics.
inline constexpr std::size_t kMaxListed = (kListRoom - sizeof(Message)) / sizeof(std::uint64_t);

/// Bytes of values in a reply at most.
inline constexpr std::int64_t kMaxValueBytes = kMessageRoom - static_cast<std::int64_t>(sizeof(Message));

/// A reply, and where the values that follow it are written: as many as reply_room says. Null if no reply is wanted.
struct Reply {
  Message message;
  char *values = nullptr;  // aligned to words
  std::int64_t value_bytes = 0;
};

/// Bytes of values that a query may want in its reply, of which it has not been checked.
inline std::int64_t reply_room(const Message &query) {
  const auto upto = [&query](std::int64_t most) { return query.count < 0 ? 0 : query.count < most ? query.count : most; };
  switch (query.kind) {
    case Message::Kind::atomics: return upto(static_cast<std::int64_t>(kMaxListed)) * static_cast<std::int64_t>(sizeof(std::uint64_t));
    case Message::Kind::gather:
    case Message::Kind::fetch:
    case Message::Kind::swap: return upto(kMaxValueBytes);
    default: return 0;
  }
}

}  // namespace halocline::core
