// OpenSHMEM 1.5, atomic memory operations. On the node an instruction of the processor on the mapped word; to other nodes the engine's
// operation, which the target's process carries out with the same instruction. So all operations on a word are atomic with each other. The
// non-blocking forms return once they are complete. The names of the functions are made by the macros below from type_lists.hpp;
// halocline/shmem/atomics.h has each written out.
// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <type_traits>

#include "faces/shmem/context.hpp"
#include "faces/shmem/place.hpp"
#include "faces/shmem/type_lists.hpp"

namespace halocline::core::shmem {
namespace {

/// What an atomic is and where it goes: `pe` is one of the world.
struct AtomicCall {
  const char *name;
  ContextState &context;
  int pe;
};

inline AtomicCall in_default(const char *name, int pe) { return {name, default_context, pe}; }

inline AtomicCall in_context(const char *name, shmem_ctx_t ctx, int pe) {
  ContextState &context = state_of(name, ctx);
  return {name, context, to_world(name, context, pe)};
}

template <class T>
constexpr hlc_number number_of() {
  if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? HLC_NUMBER_FLOAT32 : HLC_NUMBER_FLOAT64;
  if constexpr (std::is_signed_v<T>) return sizeof(T) == 4 ? HLC_NUMBER_INT32 : HLC_NUMBER_INT64;
  return sizeof(T) == 4 ? HLC_NUMBER_UINT32 : HLC_NUMBER_UINT64;
}

[[noreturn, gnu::cold]] void stop_for_alignment(const AtomicCall &call, const void *address, std::size_t bytes) {
  stop("%s on PE %d: the address is %p but must be a multiple of %zu", call.name, need_job(call.name).rank(), address, bytes);
}

/// The word of a PE of this node; null for a PE of another node. Programs repeat atomics until another PE has changed the word: so PEs of
/// other nodes are served meanwhile.
template <class T>
inline T *find_word(const AtomicCall &call, const T *address) {
  if (reinterpret_cast<std::uintptr_t>(address) % sizeof(T) != 0) [[unlikely]]
    stop_for_alignment(call, address, sizeof(T));
  poll_sometimes();
  return reinterpret_cast<T *>(find_place(call.name, {address, sizeof(T), "dest"}, call.pe));
}

/// An operation on a word of another node that returns what it was.
template <class T>
[[gnu::cold]] T fetch_far(const AtomicCall &call, const T *address, hlc_op op, T operand) {
  T old{};
  with_target(call.name, {address, sizeof(T), "dest"}, call.pe,
              [&](Target at) { return fetch_op(call.name, at, {op, number_of<T>()}, {&operand, &old}); });
  return old;
}

/// One that returns nothing: shmem_quiet waits for it.
template <class T>
[[gnu::cold]] void change_far(const AtomicCall &call, const T *address, hlc_op op, T operand) {
  with_target(call.name, {address, sizeof(T), "dest"}, call.pe, [&](Target at) {
    HLC_TRY(accumulate(call.name, at, {op, number_of<T>()}, {&operand, 1}));
    call.context.note_far();
    return Status::ok;
  });
}

/// Where a non-blocking operation writes what the word was.
template <class T>
inline T &result_at(const AtomicCall &call, T *fetch) {
  if (!fetch) [[unlikely]]
    stop_for_null(call.name, "fetch");
  return *fetch;
}

template <class T>
inline T atomic_fetch(const AtomicCall &call, const T *source) {
  if (T *word = find_word(call, source)) [[likely]]
    return std::atomic_ref<T>(*word).load(std::memory_order_relaxed);
  return fetch_far(call, source, HLC_OP_READ, T{});
}

template <class T>
inline void atomic_set(const AtomicCall &call, T *dest, T value) {
  if (T *word = find_word(call, dest)) [[likely]]
    return std::atomic_ref<T>(*word).store(value, std::memory_order_relaxed);
  change_far(call, dest, HLC_OP_REPLACE, value);
}

template <class T>
inline T atomic_swap(const AtomicCall &call, T *dest, T value) {
  if (T *word = find_word(call, dest)) [[likely]]
    return std::atomic_ref<T>(*word).exchange(value, std::memory_order_seq_cst);
  return fetch_far(call, dest, HLC_OP_REPLACE, value);
}

template <class T>
inline T atomic_compare_swap(const AtomicCall &call, T *dest, T cond, T value) {
  T old = cond;
  if (T *word = find_word(call, dest)) [[likely]] {
    std::atomic_ref<T>(*word).compare_exchange_strong(old, value, std::memory_order_seq_cst);
    return old;
  }
  with_target(call.name, {dest, sizeof(T), "dest"}, call.pe,
              [&](Target at) { return compare_swap(call.name, at, number_of<T>(), {&cond, &value, &old}); });
  return old;
}

template <class T>
inline T atomic_fetch_add(const AtomicCall &call, T *dest, T value) {
  if (T *word = find_word(call, dest)) [[likely]]
    return std::atomic_ref<T>(*word).fetch_add(value, std::memory_order_seq_cst);
  return fetch_far(call, dest, HLC_OP_SUM, value);
}

template <class T>
inline void atomic_add(const AtomicCall &call, T *dest, T value) {
  if (T *word = find_word(call, dest)) [[likely]] {
    std::atomic_ref<T>(*word).fetch_add(value, std::memory_order_seq_cst);
    return;
  }
  change_far(call, dest, HLC_OP_SUM, value);
}

/// Bitwise operations, each with its instruction and its number in the engine.
struct And {
  static constexpr hlc_op kOp = HLC_OP_BAND;
  template <class T>
  static T fetch(T *word, T value) {
    return std::atomic_ref<T>(*word).fetch_and(value, std::memory_order_seq_cst);
  }
};
struct Or {
  static constexpr hlc_op kOp = HLC_OP_BOR;
  template <class T>
  static T fetch(T *word, T value) {
    return std::atomic_ref<T>(*word).fetch_or(value, std::memory_order_seq_cst);
  }
};
struct Xor {
  static constexpr hlc_op kOp = HLC_OP_BXOR;
  template <class T>
  static T fetch(T *word, T value) {
    return std::atomic_ref<T>(*word).fetch_xor(value, std::memory_order_seq_cst);
  }
};

template <class Operation, class T>
inline T atomic_fetch_bits(const AtomicCall &call, T *dest, T value) {
  if (T *word = find_word(call, dest)) [[likely]]
    return Operation::fetch(word, value);
  return fetch_far(call, dest, Operation::kOp, value);
}

template <class Operation, class T>
inline void atomic_bits(const AtomicCall &call, T *dest, T value) {
  if (T *word = find_word(call, dest)) [[likely]] {
    Operation::fetch(word, value);
    return;
  }
  change_far(call, dest, Operation::kOp, value);
}

}  // namespace
}  // namespace halocline::core::shmem

using namespace halocline::core::shmem;

// A function without and with a context: `arguments` in parentheses, then what it does with `call`.
#define HLC_SHMEM_BARE(...) __VA_ARGS__
#define HLC_SHMEM_ATOMIC(result, name, arguments, work)                         \
  result pshmem_##name(HLC_SHMEM_BARE arguments, int pe) {                      \
    const AtomicCall call = in_default("shmem_" #name, pe);                     \
    work;                                                                       \
  }                                                                             \
  HLC_SHMEM_ALIAS(name);                                                        \
  result pshmem_ctx_##name(shmem_ctx_t ctx, HLC_SHMEM_BARE arguments, int pe) { \
    const AtomicCall call = in_context("shmem_ctx_" #name, ctx, pe);            \
    work;                                                                       \
  }                                                                             \
  HLC_SHMEM_ALIAS(ctx_##name);

#define HLC_SHMEM_MOVING(name, type)                                                                                                       \
  HLC_SHMEM_ATOMIC(type, name##_atomic_fetch, (const type *source), return atomic_fetch(call, source))                                     \
  HLC_SHMEM_ATOMIC(void, name##_atomic_set, (type * dest, type value), atomic_set(call, dest, value))                                      \
  HLC_SHMEM_ATOMIC(type, name##_atomic_swap, (type * dest, type value), return atomic_swap(call, dest, value))                             \
  HLC_SHMEM_ATOMIC(void, name##_atomic_fetch_nbi, (type * fetch, const type *source), result_at(call, fetch) = atomic_fetch(call, source)) \
  HLC_SHMEM_ATOMIC(void, name##_atomic_swap_nbi, (type * fetch, type * dest, type value),                                                  \
                   result_at(call, fetch) = atomic_swap(call, dest, value))

#define HLC_SHMEM_COUNTING(name, type)                                                                                      \
  HLC_SHMEM_ATOMIC(type, name##_atomic_compare_swap, (type * dest, type cond, type value),                                  \
                   return atomic_compare_swap(call, dest, cond, value))                                                     \
  HLC_SHMEM_ATOMIC(type, name##_atomic_fetch_inc, (type * dest), return atomic_fetch_add(call, dest, static_cast<type>(1))) \
  HLC_SHMEM_ATOMIC(void, name##_atomic_inc, (type * dest), atomic_add(call, dest, static_cast<type>(1)))                    \
  HLC_SHMEM_ATOMIC(type, name##_atomic_fetch_add, (type * dest, type value), return atomic_fetch_add(call, dest, value))    \
  HLC_SHMEM_ATOMIC(void, name##_atomic_add, (type * dest, type value), atomic_add(call, dest, value))                       \
  HLC_SHMEM_ATOMIC(void, name##_atomic_compare_swap_nbi, (type * fetch, type * dest, type cond, type value),                \
                   result_at(call, fetch) = atomic_compare_swap(call, dest, cond, value))                                   \
  HLC_SHMEM_ATOMIC(void, name##_atomic_fetch_inc_nbi, (type * fetch, type * dest),                                          \
                   result_at(call, fetch) = atomic_fetch_add(call, dest, static_cast<type>(1)))                             \
  HLC_SHMEM_ATOMIC(void, name##_atomic_fetch_add_nbi, (type * fetch, type * dest, type value),                              \
                   result_at(call, fetch) = atomic_fetch_add(call, dest, value))

#define HLC_SHMEM_BITWISE_OF(name, type, operation, Operation)                                                            \
  HLC_SHMEM_ATOMIC(void, name##_atomic_##operation, (type * dest, type value), atomic_bits<Operation>(call, dest, value)) \
  HLC_SHMEM_ATOMIC(type, name##_atomic_fetch_##operation, (type * dest, type value),                                      \
                   return atomic_fetch_bits<Operation>(call, dest, value))                                                \
  HLC_SHMEM_ATOMIC(void, name##_atomic_fetch_##operation##_nbi, (type * fetch, type * dest, type value),                  \
                   result_at(call, fetch) = atomic_fetch_bits<Operation>(call, dest, value))
#define HLC_SHMEM_BITWISE(name, type)        \
  HLC_SHMEM_BITWISE_OF(name, type, and, And) \
  HLC_SHMEM_BITWISE_OF(name, type, or, Or)   \
  HLC_SHMEM_BITWISE_OF(name, type, xor, Xor)

// The deprecated names.
#define HLC_SHMEM_OLD(result, name, arguments, work)        \
  result pshmem_##name(HLC_SHMEM_BARE arguments, int pe) {  \
    const AtomicCall call = in_default("shmem_" #name, pe); \
    work;                                                   \
  }                                                         \
  HLC_SHMEM_ALIAS(name);
#define HLC_SHMEM_OLD_MOVING(name, type)                                                     \
  HLC_SHMEM_OLD(type, name##_fetch, (const type *source), return atomic_fetch(call, source)) \
  HLC_SHMEM_OLD(void, name##_set, (type * dest, type value), atomic_set(call, dest, value))  \
  HLC_SHMEM_OLD(type, name##_swap, (type * dest, type value), return atomic_swap(call, dest, value))
#define HLC_SHMEM_OLD_COUNTING(name, type)                                                                                     \
  HLC_SHMEM_OLD(type, name##_cswap, (type * dest, type cond, type value), return atomic_compare_swap(call, dest, cond, value)) \
  HLC_SHMEM_OLD(type, name##_finc, (type * dest), return atomic_fetch_add(call, dest, static_cast<type>(1)))                   \
  HLC_SHMEM_OLD(void, name##_inc, (type * dest), atomic_add(call, dest, static_cast<type>(1)))                                 \
  HLC_SHMEM_OLD(type, name##_fadd, (type * dest, type value), return atomic_fetch_add(call, dest, value))                      \
  HLC_SHMEM_OLD(void, name##_add, (type * dest, type value), atomic_add(call, dest, value))

extern "C" {

HLC_SHMEM_EXTENDED_AMO_TYPES(HLC_SHMEM_MOVING)
HLC_SHMEM_AMO_TYPES(HLC_SHMEM_COUNTING)
HLC_SHMEM_BITWISE_AMO_TYPES(HLC_SHMEM_BITWISE)
HLC_SHMEM_OLD_EXTENDED_AMO_TYPES(HLC_SHMEM_OLD_MOVING)
HLC_SHMEM_OLD_AMO_TYPES(HLC_SHMEM_OLD_COUNTING)

}  // extern "C"
