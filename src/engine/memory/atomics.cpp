// Atomic operations, one template for all types: by the processor's atomic instructions where it has them, else by compare and swap.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/memory/atomics.hpp"

#include <atomic>
#include <cstring>
#include <type_traits>

#include "base/operators.hpp"

namespace halocline::core {
namespace {

using namespace operators;  // NOLINT(google-build-using-namespace): one vocabulary

// Several processes change the same numbers, mapped at different addresses: the atomics must be lock-free.
static_assert(std::atomic_ref<std::int8_t>::is_always_lock_free && std::atomic_ref<std::int16_t>::is_always_lock_free);
static_assert(std::atomic_ref<std::int32_t>::is_always_lock_free && std::atomic_ref<std::int64_t>::is_always_lock_free);
static_assert(std::atomic_ref<float>::is_always_lock_free && std::atomic_ref<double>::is_always_lock_free);

// SYNC atomic-to-atomic (pairs with itself): what was done before an atomic may be read after a later one that sees its value. All atomics of
// a rank are seen in its order.
constexpr std::memory_order kOrder = std::memory_order_seq_cst;

template <class T>
T load_bytes(const void *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
T combine_bits(hlc_op op, T a, T b) {
  if constexpr (Integer<T>) return op == HLC_OP_BAND ? BitAnd::of(a, b) : op == HLC_OP_BOR ? BitOr::of(a, b) : BitXor::of(a, b);
  return a;  // can_combine has refused it
}

template <class T>
T combine(hlc_op op, T target, T operand) {
  switch (op) {
    case HLC_OP_SUM: return Sum::of(target, operand);
    case HLC_OP_MIN: return Least::of(target, operand);
    case HLC_OP_MAX: return Greatest::of(target, operand);
    case HLC_OP_PROD: return Product::of(target, operand);
    case HLC_OP_BAND:
    case HLC_OP_BOR:
    case HLC_OP_BXOR: return combine_bits(op, target, operand);
    case HLC_OP_REPLACE: return operand;
    case HLC_OP_READ:
    case HLC_OP_COUNT_: return target;
  }
  return target;
}

template <class T>
T apply_as(hlc_op op, T &target, T operand) {
  const std::atomic_ref<T> word(target);
  if (op == HLC_OP_READ) return word.load(kOrder);
  if (op == HLC_OP_REPLACE) return word.exchange(operand, kOrder);
  if constexpr (std::is_integral_v<T>)
    if (op == HLC_OP_SUM) return word.fetch_add(operand, kOrder);
  T before = word.load(std::memory_order_relaxed);
  while (!word.compare_exchange_weak(before, combine(op, before, operand), kOrder, std::memory_order_relaxed)) continue;
  return before;
}

template <class T, class Change>
void change_row(char *__restrict targets, const char *__restrict operands, std::int64_t count, Change change) {
  constexpr std::int64_t bytes = sizeof(T);
  for (std::int64_t at = 0; at < count * bytes; at += bytes) {
    const T changed = change(load_bytes<T>(targets + at), load_bytes<T>(operands + at));
    std::memcpy(targets + at, &changed, sizeof changed);
  }
}

/// Returns the previous content.
template <class T>
T exchange_if(T &target, T expected, T value) {
  const std::atomic_ref<T> word(target);
  word.compare_exchange_strong(expected, value, kOrder, kOrder);
  return expected;
}

/// Calls `work` with a value of the number's type.
template <class Work>
void with_type(hlc_number type, Work work) {
  switch (type) {
    case HLC_NUMBER_INT8: return work(std::int8_t{});
    case HLC_NUMBER_INT16: return work(std::int16_t{});
    case HLC_NUMBER_INT32: return work(std::int32_t{});
    case HLC_NUMBER_INT64: return work(std::int64_t{});
    case HLC_NUMBER_UINT8: return work(std::uint8_t{});
    case HLC_NUMBER_UINT16: return work(std::uint16_t{});
    case HLC_NUMBER_UINT32: return work(std::uint32_t{});
    case HLC_NUMBER_UINT64: return work(std::uint64_t{});
    case HLC_NUMBER_FLOAT32: return work(float{});
    case HLC_NUMBER_FLOAT64: return work(double{});
    case HLC_NUMBER_COUNT_: return;
  }
}

/// The same for integers of 32 and 64 bits; for other types it does nothing.
template <class Work>
void with_word(hlc_number type, Work work) {
  switch (type) {
    case HLC_NUMBER_INT32: return work(std::int32_t{});
    case HLC_NUMBER_INT64: return work(std::int64_t{});
    case HLC_NUMBER_UINT32: return work(std::uint32_t{});
    case HLC_NUMBER_UINT64: return work(std::uint64_t{});
    default: return;
  }
}

/// The same with an unsigned integer of the number's size.
template <class Work>
void with_bits(hlc_number type, Work work) {
  switch (number_bytes(type)) {
    case 1: return work(std::uint8_t{});
    case 2: return work(std::uint16_t{});
    case 4: return work(std::uint32_t{});
    case 8: return work(std::uint64_t{});
    default: return;
  }
}

}  // namespace

std::int64_t number_bytes(hlc_number type) {
  std::int64_t bytes = 0;
  with_type(type, [&](auto kind) { bytes = sizeof kind; });
  return bytes;
}

bool can_combine(hlc_action action) {
  const bool real = action.type == HLC_NUMBER_FLOAT32 || action.type == HLC_NUMBER_FLOAT64;
  const bool on_bits = action.op == HLC_OP_BAND || action.op == HLC_OP_BOR || action.op == HLC_OP_BXOR;
  return action.op >= HLC_OP_SUM && action.op < HLC_OP_COUNT_ && number_bytes(action.type) > 0 && !(real && on_bits);
}

bool is_word(hlc_number type) {
  return type == HLC_NUMBER_INT32 || type == HLC_NUMBER_INT64 || type == HLC_NUMBER_UINT32 || type == HLC_NUMBER_UINT64;
}

void apply(hlc_action action, void *target, const void *operand, void *old) {
  with_type(action.type, [&](auto kind) {
    using Number = decltype(kind);
    const Number value = action.op == HLC_OP_READ ? Number{} : load_bytes<Number>(operand);
    const Number before = apply_as(action.op, *static_cast<Number *>(target), value);
    if (old) std::memcpy(old, &before, sizeof before);
  });
}

void apply_alone(hlc_action action, char *targets, const char *operands, std::int64_t count) {
  with_type(action.type, [&](auto kind) {
    using Number = decltype(kind);
    // The most frequent one in a loop of its own, which the compiler makes vectors of.
    if (action.op == HLC_OP_SUM)
      change_row<Number>(targets, operands, count, [](Number a, Number b) { return Sum::of(a, b); });
    else
      change_row<Number>(targets, operands, count, [op = action.op](Number a, Number b) { return combine(op, a, b); });
  });
}

void compare_and_swap(hlc_number type, void *target, CompareSwap swap) {
  with_bits(type, [&](auto kind) {
    using Bits = decltype(kind);
    const auto before = exchange_if(*static_cast<Bits *>(target), load_bytes<Bits>(swap.expected), load_bytes<Bits>(swap.value));
    if (swap.old) std::memcpy(swap.old, &before, sizeof before);
  });
}

std::uint64_t apply_to_word(hlc_op op, std::uint64_t &word, std::uint64_t operand) { return apply_as(op, word, operand); }

std::uint64_t compare_and_swap_word(std::uint64_t &word, std::uint64_t expected, std::uint64_t value) {
  return exchange_if(word, expected, value);
}

void write_word(hlc_number type, std::int64_t value, void *word) {
  with_word(type, [&](auto kind) {
    const auto cut = static_cast<decltype(kind)>(value);
    std::memcpy(word, &cut, sizeof cut);
  });
}

std::int64_t read_word(hlc_number type, const void *word) {
  std::int64_t value = 0;
  with_word(type, [&](auto kind) { value = static_cast<std::int64_t>(load_bytes<decltype(kind)>(word)); });
  return value;
}

}  // namespace halocline::core
