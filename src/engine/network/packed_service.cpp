// Carrying out packed queries.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/network/packed_service.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "engine/elements/operations.hpp"
#include "engine/elements/strip_code.hpp"

namespace halocline::core {
namespace {

using elements::Access;
using elements::Basic;
using elements::Operation;
using elements::Strip;
using Kind = Message::Kind;

constexpr std::int64_t kHeldBytes = sizeof(std::uint64_t);

/// A query and its parts.
struct Packed {
  const Served &memory;
  const Message &query;
  Operands code, values;

  Operation operation() const { return static_cast<Operation>(query.op); }
  Basic type() const { return static_cast<Basic>(query.type); }
  bool moves() const { return query.kind == Kind::scatter || query.kind == Kind::gather; }
  bool holds_alone() const { return query.alone != 0 && query.expected != 0; }
  /// Other ranks of the node change elements without this thread's knowledge, unless a lock keeps them out.
  Access access() const { return memory.lock || memory.is_alone || holds_alone() ? Access::exclusive : Access::atomic; }
};

/// Calls each(strip) for all strips, with offsets in the memory, until it returns false; false then, and if the code is invalid.
template <class Each>
bool for_strips(const Packed &packed, Each each) {
  elements::StripReader reader(packed.code.data, packed.code.bytes);
  for (Strip strip; reader.next(strip);) {
    if (__builtin_add_overflow(packed.query.offset, strip.offset, &strip.offset)) return false;
    if (!each(strip)) return false;
  }
  return reader.is_at_end();
}

/// What a query's strips consist of. The gap behind the last element need not be within the memory.
struct Unit {
  std::int64_t bytes = 1, gap = 0;
};

Unit unit_of(const Packed &packed) {
  if (packed.moves()) return {};
  const std::int64_t bytes = elements::basic_bytes(packed.type());
  return {bytes, bytes - elements::data_of(packed.type()).end()};
}

bool lies_within(const Served &memory, const Strip &strip, std::int64_t gap) {
  std::int64_t distance = 0, last = 0;
  if (__builtin_mul_overflow(strip.count - 1, strip.stride, &distance)) return false;
  if (__builtin_add_overflow(strip.offset, distance, &last)) return false;
  const std::int64_t bytes = strip.bytes - gap;
  return std::min(strip.offset, last) >= 0 && bytes <= memory.bytes && std::max(strip.offset, last) <= memory.bytes - bytes;
}

/// True if the strips are within the memory, in whole units, and have as many bytes as the query says.
bool has_right_strips(const Packed &packed) {
  const Unit unit = unit_of(packed);
  std::int64_t left = packed.query.count;
  const bool fits = for_strips(packed, [&](const Strip &strip) {
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(strip.bytes, strip.count, &bytes) || bytes > left) return false;
    left -= bytes;
    return strip.bytes % unit.bytes == 0 && lies_within(packed.memory, strip, unit.gap);
  });
  return fits && left == 0;
}

/// How many values the query carries for each of its bytes.
std::int64_t values_of(const Packed &packed) {
  if (packed.query.kind == Kind::swap) return 2;
  if (packed.query.kind == Kind::gather) return 0;
  return packed.query.kind == Kind::fetch && packed.operation() == Operation::no_op ? 0 : 1;
}

bool has_known_elements(const Packed &packed) {
  if (packed.moves()) return true;
  if (packed.query.type < 0 || packed.query.type >= elements::kBasics || !elements::is_element(packed.type())) return false;
  const std::int64_t bytes = elements::basic_bytes(packed.type());
  if (packed.query.kind == Kind::swap) return packed.query.count == bytes && bytes <= 16 && (bytes & (bytes - 1)) == 0;
  return packed.query.op >= 0 && packed.operation() < Operation::count_ && elements::is_defined(packed.operation(), packed.type());
}

bool is_valid(const Packed &packed) {
  const std::int64_t count = packed.query.count;
  if (count <= 0 || count > kMaxValueBytes || !has_known_elements(packed)) return false;
  if (packed.values.bytes != values_of(packed) * count) return false;
  return has_right_strips(packed);
}

void move(const Packed &packed, char *values) {
  const bool in = packed.query.kind == Kind::scatter;
  for_strips(packed, [&](const Strip &strip) {
    char *const there = packed.memory.data + strip.offset;
    const std::int64_t bytes = strip.bytes;
    elements::copy_strided(
        in ? elements::Strided{there, values, strip.stride, bytes} : elements::Strided{values, there, bytes, strip.stride}, bytes,
        strip.count);
    values += bytes * strip.count;
    return true;
  });
}

bool fetches(const Packed &packed) {
  return packed.query.kind == Kind::gather || packed.query.kind == Kind::fetch || packed.query.kind == Kind::swap;
}

/// `olds`: where the elements before go; null if nothing is fetched.
void change(const Packed &packed, char *olds) {
  const elements::Applier applier({packed.operation(), packed.access()}, packed.type());
  const char *values = packed.values.data;
  const bool reads = packed.operation() == Operation::no_op;
  for_strips(packed, [&](const Strip &strip) {
    char *const there = packed.memory.data + strip.offset;
    const std::int64_t bytes = strip.bytes;
    applier.apply_runs(bytes, {there, reads ? there : values, olds, strip.stride, reads ? strip.stride : bytes, bytes, strip.count});
    if (!reads) values += bytes * strip.count;
    if (olds) olds += bytes * strip.count;
    return true;
  });
}

void swap(const Packed &packed, char *old) {
  for_strips(packed, [&](const Strip &strip) {
    const char *const values = packed.values.data;
    elements::swap_element(packed.access(), strip.bytes, packed.memory.data + strip.offset, {values, values + strip.bytes, old});
    return true;
  });
}

void do_work(const Packed &packed, Reply *reply) {
  char *const olds = reply->values;
  reply->value_bytes = fetches(packed) ? packed.query.count : 0;
  switch (packed.query.kind) {
    case Kind::scatter: return move(packed, const_cast<char *>(packed.values.data));
    case Kind::gather: return move(packed, olds);
    case Kind::swap: return swap(packed, olds);
    default: break;
  }
  // The gaps of elements are sent as well.
  if (fetches(packed) && elements::has_gaps(packed.type())) std::memset(olds, 0, static_cast<std::size_t>(reply->value_bytes));
  change(packed, fetches(packed) ? olds : nullptr);
}

/// The word that ranks of the node hold while they change these elements; null if the query names none.
std::uint64_t *word_of(const Packed &packed) {
  return packed.query.expected == 0
             ? nullptr
             : reinterpret_cast<std::uint64_t *>(packed.memory.data + static_cast<std::int64_t>(packed.query.expected - 1));
}

bool has_right_word(const Packed &packed) {
  if (packed.query.expected == 0) return true;
  const std::uint64_t offset = packed.query.expected - 1;
  return offset % kHeldBytes == 0 && packed.memory.bytes >= kHeldBytes &&
         offset <= static_cast<std::uint64_t>(packed.memory.bytes - kHeldBytes);
}

/// Others hold it for some instructions.
bool try_word(std::uint64_t &word) {
  constexpr int kTries = 500;
  for (int tries = 0; tries < kTries; ++tries) {
    std::uint64_t free = 0;
    // SYNC accumulated-before-next (pairs with unlock_accumulates_of_nodes and AccumulateLock::unlock)
    if (std::atomic_ref(word).compare_exchange_strong(free, 1, std::memory_order_acquire)) return true;
    cpu_pause();
  }
  return false;
}

Outcome do_holding_word(const Packed &packed, Reply *reply) {
  std::uint64_t *const word = word_of(packed);
  if (word && !try_word(*word)) return Outcome::later;
  do_work(packed, reply);
  // SYNC accumulated-before-next (pairs with lock_accumulates_of_nodes and AccumulateLock::try_lock)
  if (word) std::atomic_ref(*word).store(0, std::memory_order_release);
  return Outcome::done;
}

}  // namespace

Outcome carry_out_packed(const Served &memory, const Message &query, Operands operands, Reply *reply) {
  const auto code_bytes = static_cast<std::int64_t>(query.id);
  if (code_bytes > operands.bytes) return Outcome::refused;
  const Packed packed{memory, query, {operands.data, code_bytes}, {operands.data + code_bytes, operands.bytes - code_bytes}};
  if (!has_right_word(packed) || !is_valid(packed) || (fetches(packed) && !reply->values)) return Outcome::refused;
  const bool locks = memory.lock && !packed.moves();
  if (locks && !memory.lock.try_lock()) return Outcome::later;
  const Outcome outcome = do_holding_word(packed, reply);
  if (locks) memory.lock.unlock();
  return outcome;
}

}  // namespace halocline::core
