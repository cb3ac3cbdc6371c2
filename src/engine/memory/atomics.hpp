// Atomic operations on numbers in memory that several processes map. Such numbers are changed only here, by whichever route the request
// arrives, so that all operations on a number are atomic with each other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/segment.h>

#include <cstdint>

namespace halocline::core {

/// Bytes of a number of this type, 0 if there is no such type.
std::int64_t number_bytes(hlc_number type);

/// True if the operation exists and works on numbers of that type.
bool can_combine(hlc_action action);

/// True for the types of fetch_add, swap and compare_swap: integers of 32 and 64 bits.
bool is_word(hlc_number type);

/// Atomically replaces the number at `target` by the action's result for it and the operand. Writes the previous value to `old` unless that
/// is null. The target is aligned to its size, operand and old need not be. Requires can_combine(action).
void apply(hlc_action action, void *target, const void *operand, void *old);

/// The same for numbers one after the other, not atomically and in fewer instructions. Nothing need be aligned. No other thread or process
/// changes the numbers meanwhile.
void apply_alone(hlc_action action, char *targets, const char *operands, std::int64_t count);

/// What compare_and_swap compares with, what it writes, and where it reports the previous number unless that is null. Need not be aligned.
struct CompareSwap {
  const void *expected, *value;
  void *old;
};

/// Atomically replaces the number at `target` if its bytes equal those expected. So 0.0 and -0.0 differ. Requires number_bytes(type) > 0.
void compare_and_swap(hlc_number type, void *target, CompareSwap swap);

/// True for what one instruction does to an integer of 64 bits, with a sign or without.
inline bool is_for_words(hlc_op op) { return op == HLC_OP_SUM || op == HLC_OP_REPLACE || op == HLC_OP_READ; }

/// The two above for an aligned integer of 64 bits, in fewer instructions. They return the previous content. Requires is_for_words(op).
std::uint64_t apply_to_word(hlc_op op, std::uint64_t &word, std::uint64_t operand);
std::uint64_t compare_and_swap_word(std::uint64_t &word, std::uint64_t expected, std::uint64_t value);

/// Writes an integer as a word of the type, truncated if it does not fit; reads a word as an integer.
void write_word(hlc_number type, std::int64_t value, void *word);
std::int64_t read_word(hlc_number type, const void *word);

}  // namespace halocline::core
