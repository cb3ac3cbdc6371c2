// Atomic operations on numbers in memory that several processes map: the only place where such numbers are changed, whatever way a request
// for it came. Two routes that both end here cannot tear each other's values.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/segment.h>

#include <cstdint>

namespace halocline {

/// Bytes of a number, 0 for a value that is none.
std::int64_t number_bytes(hlc_number type);

/// True if the operation is one, and works on numbers of that type.
bool can_combine(hlc_action action);

/// True for the types of fetch_add, swap and compare_swap: integers of 32 and 64 bits.
bool is_word(hlc_number type);

/// The number at the target becomes what the action makes of it and the operand, in one step; what it was goes to old unless that is null.
/// The target is aligned to its size, operand and old need not be. Only for what can_combine.
void apply(hlc_action action, void *target, const void *operand, void *old);

/// The word at the target becomes `value` if it is `expected`, in one step. Returns what it was. Only for what is_word.
std::int64_t compare_and_swap(hlc_number type, void *target, std::int64_t expected, std::int64_t value);

/// Writes an integer as a word of the type, cutting what does not fit; reads a word as an integer.
void write_word(hlc_number type, std::int64_t value, void *word);
std::int64_t read_word(hlc_number type, const void *word);

}  // namespace halocline
