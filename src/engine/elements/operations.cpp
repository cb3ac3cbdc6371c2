// The operations of accumulates on rows of elements: alone, or atomically with each other. Numbers and operations that the engine has are
// changed by its atomics, others by compare and swap of their bytes.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/elements/operations.hpp"

#include <array>
#include <atomic>
#include <cstring>

#include "engine/elements/kernels.hpp"
#include "engine/elements/word16.hpp"
#include "engine/memory/atomics.hpp"

namespace halocline::core::elements {
namespace {

// SYNC atomic-to-atomic (pairs with itself): as in the engine's atomics, on the same numbers.
constexpr std::memory_order kOrder = std::memory_order_acq_rel;

/// Bytes of an element as one number.
template <class Bits>
class Word {
 public:
  explicit Word(void *at) : word_(*static_cast<Bits *>(at)) {}
  Bits load() const { return word_.load(std::memory_order_acquire); }
  void store(Bits value) const { word_.store(value, std::memory_order_release); }
  Bits exchange(Bits value) const { return word_.exchange(value, kOrder); }
  bool compare_exchange(Bits &expected, Bits value) const {
    return word_.compare_exchange_strong(expected, value, kOrder, std::memory_order_acquire);
  }

 private:
  std::atomic_ref<Bits> word_;
};

template <>
class Word<Int128> : public Word16 {
 public:
  using Word16::Word16;
};

template <class Bits>
Bits load_bits(const void *from) {
  Bits value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// An operation on elements of the size of Bits. What has gaps keeps them.
struct Change {
  Operation op;
  Kernel kernel;
  Basic type;
  bool has_gaps;
};

template <class Bits>
Bits combined(const Change &change, Bits before, const char *origin) {
  auto *const at = reinterpret_cast<char *>(&before);
  if (change.op == Operation::replace)
    copy_element(change.type, at, origin);
  else
    change.kernel({at, origin, nullptr, sizeof before, sizeof before, 0, 1});
  return before;
}

/// Returns what was there before.
template <class Bits>
Bits change_word(const Change &change, const Word<Bits> &word, const char *origin) {
  if (change.op == Operation::no_op) return word.load();
  if (change.op == Operation::replace && !change.has_gaps) return word.exchange(load_bits<Bits>(origin));
  Bits before = word.load();
  while (!word.compare_exchange(before, combined(change, before, origin))) continue;
  return before;
}

/// Without a result there is nothing to exchange: the value is stored.
template <class Bits>
void change_element(const Change &change, const Row &row, std::int64_t i) {
  const Word<Bits> word(row.target + i * row.target_stride);
  const char *origin = row.origin + i * row.origin_stride;
  if (change.op == Operation::replace && !row.result && !change.has_gaps) return word.store(load_bits<Bits>(origin));
  const Bits before = change_word(change, word, origin);
  if (row.result) copy_element(change.type, row.result + i * row.result_stride, reinterpret_cast<const char *>(&before));
}

void change_atomically(std::int64_t bytes, const Change &change, const Row &row, std::int64_t i) {
  switch (bytes) {
    case 1: return change_element<std::uint8_t>(change, row, i);
    case 2: return change_element<std::uint16_t>(change, row, i);
    case 4: return change_element<std::uint32_t>(change, row, i);
    case 8: return change_element<std::uint64_t>(change, row, i);
    default: return change_element<Int128>(change, row, i);
  }
}

constexpr bool is_power_of_two(std::int64_t bytes) { return bytes > 0 && (bytes & (bytes - 1)) == 0; }

bool is_atomic_at(const void *address, std::int64_t bytes) {
  return (bytes <= 8 || bytes <= longest_atomic()) && is_power_of_two(bytes) &&
         (reinterpret_cast<std::uintptr_t>(address) & static_cast<std::uintptr_t>(bytes - 1)) == 0;
}

/// The engine's name of an operation; HLC_OP_COUNT_ if it has none.
constexpr hlc_op engine_op(Operation op) {
  switch (op) {
    case Operation::sum: return HLC_OP_SUM;
    case Operation::prod: return HLC_OP_PROD;
    case Operation::min: return HLC_OP_MIN;
    case Operation::max: return HLC_OP_MAX;
    case Operation::band: return HLC_OP_BAND;
    case Operation::bor: return HLC_OP_BOR;
    case Operation::bxor: return HLC_OP_BXOR;
    default: return HLC_OP_COUNT_;
  }
}

/// The engine's name of a type; HLC_NUMBER_COUNT_ if it has none.
constexpr hlc_number engine_number(Basic type) {
  switch (like_c(type)) {
    case Basic::int8: return HLC_NUMBER_INT8;
    case Basic::int16: return HLC_NUMBER_INT16;
    case Basic::int32: return HLC_NUMBER_INT32;
    case Basic::int64: return HLC_NUMBER_INT64;
    case Basic::byte:
    case Basic::uint8: return HLC_NUMBER_UINT8;
    case Basic::uint16: return HLC_NUMBER_UINT16;
    case Basic::uint32: return HLC_NUMBER_UINT32;
    case Basic::uint64: return HLC_NUMBER_UINT64;
    case Basic::float32: return HLC_NUMBER_FLOAT32;
    case Basic::float64: return HLC_NUMBER_FLOAT64;
    default: return HLC_NUMBER_COUNT_;
  }
}

template <std::size_t kBytes>
void copy_fixed(const Strided &where, std::int64_t count) {
  char *__restrict to = where.to;
  const char *__restrict from = where.from;
  const std::int64_t to_stride = where.to_stride, from_stride = where.from_stride;
  for (std::int64_t i = 0; i < count; ++i, to += to_stride, from += from_stride) std::memcpy(to, from, kBytes);
}

/// Copies elements that have gaps: one part of each, then the other.
void copy_parts(const ElementData &data, const Strided &where, std::int64_t count) {
  copy_strided(where, data.first_bytes, count);
  if (data.second_bytes == 0) return;
  copy_strided({where.to + data.second_offset, where.from + data.second_offset, where.to_stride, where.from_stride}, data.second_bytes,
               count);
}

template <class Bits>
void swap_word(Access access, void *target, const Swap &values) {
  Bits before = load_bits<Bits>(values.expected);
  const Bits expected = before, value = load_bits<Bits>(values.value);
  if (access == Access::atomic && is_atomic_at(target, sizeof(Bits))) {
    Word<Bits>(target).compare_exchange(before, value);
  } else {
    before = load_bits<Bits>(target);
    if (before == expected) std::memcpy(target, &value, sizeof value);
  }
  std::memcpy(values.result, &before, sizeof before);
}

}  // namespace

bool is_defined(Operation op, Basic type) {
  if (op == Operation::replace || op == Operation::no_op) return is_element(type);
  return kernel_of(op, type) != nullptr;
}

hlc_action engine_action(Operation op, Basic type) { return {engine_op(op), engine_number(type)}; }

void copy_strided(const Strided &where, std::int64_t bytes, std::int64_t count) {
  switch (bytes) {
    case 1: return copy_fixed<1>(where, count);
    case 2: return copy_fixed<2>(where, count);
    case 4: return copy_fixed<4>(where, count);
    case 8: return copy_fixed<8>(where, count);
    case 10: return copy_fixed<10>(where, count);
    case 12: return copy_fixed<12>(where, count);
    case 16: return copy_fixed<16>(where, count);
    case 24: return copy_fixed<24>(where, count);
    case 32: return copy_fixed<32>(where, count);
    default: break;
  }
  const auto size = static_cast<std::size_t>(bytes);
  for (std::int64_t i = 0; i < count; ++i) std::memcpy(where.to + i * where.to_stride, where.from + i * where.from_stride, size);
}

void copy_runs(Basic type, const Strided &where, std::int64_t bytes, std::int64_t count) {
  if (!has_gaps(type)) return copy_strided(where, bytes, count);
  const std::int64_t element = basic_bytes(type);
  for (std::int64_t i = 0; i < count; ++i)
    copy_parts(data_of(type), {where.to + i * where.to_stride, where.from + i * where.from_stride, element, element}, bytes / element);
}

std::int64_t longest_atomic() { return Word16::is_supported() ? 16 : 8; }

void swap_element(Access access, std::int64_t bytes, void *target, const Swap &values) {
  switch (bytes) {
    case 1: return swap_word<std::uint8_t>(access, target, values);
    case 2: return swap_word<std::uint16_t>(access, target, values);
    case 4: return swap_word<std::uint32_t>(access, target, values);
    case 8: return swap_word<std::uint64_t>(access, target, values);
    default: return swap_word<Int128>(access, target, values);
  }
}

void copy_element(Basic type, char *to, const char *from) {
  const ElementData data = data_of(type);
  std::memcpy(to, from, static_cast<std::size_t>(data.first_bytes));
  std::memcpy(to + data.second_offset, from + data.second_offset, static_cast<std::size_t>(data.second_bytes));
}

Applier::Applier(Accumulate how, Basic type) : op_(how.op), access_(how.access), type_(type), bytes_(basic_bytes(type)) {}

/// A datatype without data has no basic type, and so no kernel.
void Applier::apply(const Row &row) const {
  if (row.count == 0) return;
  access_ == Access::exclusive ? apply_exclusive(row) : apply_atomic(row);
}

void Applier::apply_runs(std::int64_t bytes, const Row &runs) const {
  if (bytes == bytes_) return apply(runs);
  for (std::int64_t i = 0; i < runs.count; ++i)
    apply({runs.target + i * runs.target_stride, runs.origin + i * runs.origin_stride,
           runs.result ? runs.result + i * runs.result_stride : nullptr, bytes_, bytes_, bytes_, bytes / bytes_});
}

/// The elements of a row without gaps are copied as one.
void Applier::apply_exclusive(const Row &row) const {
  const auto copy = [&](const Strided &where) {
    if (has_gaps(type_)) return copy_parts(data_of(type_), where, row.count);
    const bool together = where.to_stride == bytes_ && where.from_stride == bytes_;
    copy_strided(where, together ? bytes_ * row.count : bytes_, together ? 1 : row.count);
  };
  if (row.result) copy({row.result, row.target, row.result_stride, row.target_stride});
  if (op_ == Operation::no_op) return;
  if (op_ == Operation::replace) return copy({row.target, row.origin, row.target_stride, row.origin_stride});
  kernel_of(op_, type_)(row);
}

/// Elements that are not aligned are changed as if alone: then the caller holds the target's lock.
void Applier::apply_atomic(const Row &row) const {
  const hlc_action action = engine_action(op_, type_);
  const bool by_engine = action.op != HLC_OP_COUNT_ && action.type != HLC_NUMBER_COUNT_;
  const Change change{op_, kernel_of(op_, type_), type_, has_gaps(type_)};
  for (std::int64_t i = 0; i < row.count; ++i) {
    char *target = row.target + i * row.target_stride, *result = row.result ? row.result + i * row.result_stride : nullptr;
    const char *origin = row.origin + i * row.origin_stride;
    if (!is_atomic_at(target, bytes_))
      apply_exclusive({target, origin, result, bytes_, bytes_, bytes_, 1});
    else if (by_engine)
      core::apply(action, target, origin, result);
    else
      change_atomically(bytes_, change, row, i);
  }
}

}  // namespace halocline::core::elements
