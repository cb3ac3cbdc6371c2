// Atomics on segments: arguments and routes. The arithmetic is in atomics.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>
#include <iterator>
#include <span>
#include <string>

#include "engine/memory/atomics.hpp"
#include "engine/rma/operations.hpp"

namespace halocline::core {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 48;

/// Finds the address of count numbers; null if it is on another node.
Status find_numbers(const Segment &segment, const char *call, Target at, hlc_number type, std::int64_t count, char **place) {
  const std::int64_t bytes = number_bytes(type);
  if (count < 0 || count > kMostElements)
    return fail(Status::argument, "%s on rank %d: count is %lld, it must be 0 or more, and no more than memory holds", call, segment.rank(),
                static_cast<long long>(count));
  HLC_TRY(segment.route(call, at, {0, count * bytes}, place));
  if (at.offset % bytes != 0)
    return fail(Status::argument, "%s on rank %d: offset is %lld, it must be a multiple of the %lld bytes of the type", call,
                segment.rank(), static_cast<long long>(at.offset), static_cast<long long>(bytes));
  return Status::ok;
}

constexpr const char *kOps[] = {"HLC_OP_SUM", "HLC_OP_MIN",  "HLC_OP_MAX",     "HLC_OP_PROD", "HLC_OP_BAND",
                                "HLC_OP_BOR", "HLC_OP_BXOR", "HLC_OP_REPLACE", "HLC_OP_READ"};
static_assert(std::size(kOps) == HLC_OP_COUNT_);
constexpr const char *kNumbers[] = {"HLC_NUMBER_INT8",    "HLC_NUMBER_INT16",  "HLC_NUMBER_INT32",  "HLC_NUMBER_INT64",
                                    "HLC_NUMBER_UINT8",   "HLC_NUMBER_UINT16", "HLC_NUMBER_UINT32", "HLC_NUMBER_UINT64",
                                    "HLC_NUMBER_FLOAT32", "HLC_NUMBER_FLOAT64"};
static_assert(std::size(kNumbers) == HLC_NUMBER_COUNT_);

/// The name of a value of an enum; of one that has none "9 (no hlc_op)".
std::string named(std::span<const char *const> names, int value, const char *none) {
  if (value >= 0 && static_cast<std::size_t>(value) < names.size()) return names[static_cast<std::size_t>(value)];
  return std::to_string(value) + " (" + none + ")";
}

Status check_action(const Segment &segment, const char *call, hlc_action action) {
  if (can_combine(action)) return Status::ok;
  return fail(Status::argument, "%s on rank %d: action.op %s does not go with action.type %s", call, segment.rank(),
              named(kOps, action.op, "no hlc_op").c_str(), named(kNumbers, action.type, "no hlc_number").c_str());
}

Status check_word(const Segment &segment, const char *call, hlc_number type) {
  if (is_word(type)) return Status::ok;
  return fail(Status::argument, "%s on rank %d: type is %d, it must be an integer of 32 or 64 bits", call, segment.rank(),
              static_cast<int>(type));
}

Status null_operand(const Segment &segment, const char *call, const char *argument) {
  return fail(Status::argument, "%s on rank %d: %s is NULL", call, segment.rank(), argument);
}

/// A number is sent over the network as the first bytes of a word.
Status fetch_far(Segment &segment, Target at, hlc_action action, const void *operand, void *old) {
  const auto bytes = static_cast<std::size_t>(number_bytes(action.type));
  std::uint64_t word = 0, before = 0;
  if (operand) std::memcpy(&word, operand, bytes);
  HLC_TRY(segment.far().combine("hlc_fetch_op", at, action, word, &before));
  if (old) std::memcpy(old, &before, bytes);
  return Status::ok;
}

}  // namespace

Status fetch_word(Segment &segment, const char *call, Target at, hlc_action action, std::int64_t value, std::int64_t *old) {
  char *place = nullptr;
  HLC_TRY(check_word(segment, call, action.type));
  HLC_TRY(find_numbers(segment, call, at, action.type, 1, &place));
  std::uint64_t operand = 0, before = 0;
  write_word(action.type, value, &operand);
  if (place)
    apply(action, place, &operand, &before);
  else
    HLC_TRY(segment.far().combine(call, at, action, operand, &before));
  if (old) *old = read_word(action.type, &before);
  return Status::ok;
}

Status compare_swap(Segment &segment, Target at, hlc_number type, std::int64_t expected, std::int64_t value, std::int64_t *old) {
  constexpr const char *call = "hlc_atomic_compare_swap";
  char *place = nullptr;
  HLC_TRY(check_word(segment, call, type));
  HLC_TRY(find_numbers(segment, call, at, type, 1, &place));
  std::int64_t before = 0;
  if (place)
    before = compare_and_swap(type, place, expected, value);
  else
    HLC_TRY(segment.far().compare(call, at, type, expected, value, &before));
  if (old) *old = before;
  return Status::ok;
}

Status fetch_op(Segment &segment, Target at, hlc_action action, const void *operand, void *old) {
  constexpr const char *call = "hlc_fetch_op";
  char *place = nullptr;
  HLC_TRY(check_action(segment, call, action));
  if (!operand && action.op != HLC_OP_READ) return null_operand(segment, call, "operand");
  HLC_TRY(find_numbers(segment, call, at, action.type, 1, &place));
  if (place)
    apply(action, place, operand, old);
  else
    HLC_TRY(fetch_far(segment, at, action, operand, old));
  return Status::ok;
}

Status accumulate(Segment &segment, Target at, hlc_action action, const void *data, std::int64_t count) {
  constexpr const char *call = "hlc_accumulate";
  char *place = nullptr;
  HLC_TRY(check_action(segment, call, action));
  if (!data && count > 0 && action.op != HLC_OP_READ) return null_operand(segment, call, "data");
  HLC_TRY(find_numbers(segment, call, at, action.type, count, &place));
  if (action.op == HLC_OP_READ) return Status::ok;
  if (!place) return segment.far().accumulate(call, at, action, static_cast<const char *>(data), count);
  const std::int64_t bytes = number_bytes(action.type);
  for (std::int64_t i = 0; i < count; ++i) apply(action, place + i * bytes, static_cast<const char *>(data) + i * bytes, nullptr);
  return Status::ok;
}

}  // namespace halocline::core
