// Atomics: arguments and paths. The arithmetic is in atomics.cpp. Atomic instructions change mapped memory. Memory of the
// application is changed under a lock of the node, memory of other nodes by its owner or the owner's helper process.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <iterator>
#include <string>

#include "engine/communicator/wait_until.hpp"
#include "engine/rma/arguments.hpp"
#include "engine/rma/kernel_copy.hpp"
#include "engine/rma/operations.hpp"
#include "engine/rma/remote_rma.hpp"

namespace halocline::core {
namespace {

constexpr std::int64_t kMaxElements = std::int64_t{1} << 48;

/// Bytes that are changed while the lock is held.
constexpr std::int64_t kLocked = 4096;

/// Finds the address of count numbers; null if they are not mapped.
Status find_numbers(const char *call, Target at, hlc_number type, std::int64_t count, char **place) {
  const std::int64_t bytes = number_bytes(type);
  if (count < 0 || count > kMaxElements)
    return fail(Status::argument, "%s on rank %d: count is %lld but must be 0 or more, and no more than memory holds", call,
                calling_rank(at), static_cast<long long>(count));
  if (!find_path(at, {0, count * bytes}, place)) return wrong_extent(call, at, {0, count * bytes});
  if ((at.offset & (bytes - 1)) != 0)
    return fail(Status::argument, "%s on rank %d: offset is %lld but must be a multiple of the %lld bytes of the type", call,
                calling_rank(at), static_cast<long long>(at.offset), static_cast<long long>(bytes));
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

Status wrong_action(const char *call, Target at, hlc_action action) {
  return fail(Status::argument, "%s on rank %d: action.op %s is not supported for action.type %s", call, calling_rank(at),
              named(kOps, action.op, "not an hlc_op").c_str(), named(kNumbers, action.type, "not an hlc_number").c_str());
}

Status wrong_word(const char *call, Target at, hlc_number type) {
  return fail(Status::argument, "%s on rank %d: type is %s but must be an integer of 32 or 64 bits", call, calling_rank(at),
              named(kNumbers, type, "not an hlc_number").c_str());
}

/// Copies numbers from the memory or back.
Status copy_numbers(const char *call, Target at, KernelCopy::Direction direction, Sink numbers) {
  if (at.memory.path() == Path::kernel) return KernelCopy::copy(call, at, direction, numbers);
  char *place = at.memory.data() + at.offset;
  const bool puts = direction == KernelCopy::Direction::put;
  std::memcpy(puts ? place : numbers.data, puts ? numbers.data : place, static_cast<std::size_t>(numbers.bytes));
  return Status::ok;
}

/// Calls change(numbers), with their bytes in this process, and writes them back if it returns true. The caller holds the lock.
template <class Change>
Status change_copy(const char *call, Target at, std::int64_t bytes, Change change) {
  alignas(std::uint64_t) std::array<char, kLocked> numbers;
  HLC_TRY(copy_numbers(call, at, KernelCopy::Direction::get, {numbers.data(), bytes}));
  return change(numbers.data()) ? copy_numbers(call, at, KernelCopy::Direction::put, {numbers.data(), bytes}) : Status::ok;
}

/// The same under the lock; `again` if another rank holds it for longer than a moment.
template <class Change>
Status try_locked(const char *call, Target at, std::int64_t bytes, Change change) {
  const NodeLock &lock = at.memory.lock();
  if (!lock.try_lock()) return Status::again;
  const Status changed = change_copy(call, at, bytes, change);
  lock.unlock();
  return changed;
}

/// The same, waiting for the lock.
template <class Change>
Status change_locked(const char *call, Target at, std::int64_t bytes, Change change) {
  const auto attempt = [&] { return try_locked(call, at, bytes, change); };
  if (const Status first = attempt(); first != Status::again) return first;
  Communicator &communicator = at.memory.communicator();
  Wait wait(communicator, WakeUp::by_polling);
  wait.expect(at.memory.rank());
  return wait_until(wait, attempt, [&] {
    if (!wait.timed_out()) return Status::ok;
    return fail(Status::timeout, "%s: rank %d timed out after %lld s waiting for the lock of the memory of rank %d (HALOCLINE_TIMEOUT)",
                call, communicator.rank(), static_cast<long long>(communicator.timeout_ns() / 1'000'000'000), at.memory.rank());
  });
}

/// The integer of 64 bits that an instruction of this process changes; null if it is reached otherwise, or if there is none. Most atomics
/// are on one. They need none of what is done for other types, other memory and errors.
inline std::uint64_t *find_word(Target at, hlc_number type) {
  const RemoteMemory &memory = at.memory;
  const bool is_long = type == HLC_NUMBER_INT64 || type == HLC_NUMBER_UINT64;
  if (!is_long || memory.path() != Path::mapped || memory.lock() || (at.offset & 7) != 0) return nullptr;
  char *place = nullptr;
  return find_path(at, {0, 8}, &place) ? reinterpret_cast<std::uint64_t *>(place) : nullptr;
}

/// Carries out an atomic on such an integer; false if it is on none, or if an argument is wrong.
inline bool try_word(Target at, hlc_action action, FetchOp fetch) {
  if (!is_for_words(action.op) || (!fetch.operand && action.op != HLC_OP_READ)) return false;
  std::uint64_t *const word = find_word(at, action.type);
  if (!word) return false;
  std::uint64_t operand = 0;
  if (fetch.operand) std::memcpy(&operand, fetch.operand, sizeof operand);
  const std::uint64_t before = apply_to_word(action.op, *word, operand);
  if (fetch.old) std::memcpy(fetch.old, &before, sizeof before);
  return true;
}

/// A number is sent over the network as the first bytes of a word.
std::uint64_t word_of(hlc_action action, const void *operand) {
  std::uint64_t word = 0;
  if (operand) std::memcpy(&word, operand, static_cast<std::size_t>(number_bytes(action.type)));
  return word;
}

void report(hlc_action action, const std::uint64_t &before, void *old) {
  if (old) std::memcpy(old, &before, static_cast<std::size_t>(number_bytes(action.type)));
}

/// Checks the arguments, and finds the address of the number; null if it is not mapped.
Status find_operand(const char *call, Target at, hlc_action action, FetchOp fetch, char **place) {
  if (!can_combine(action)) return wrong_action(call, at, action);
  if (!fetch.operand && action.op != HLC_OP_READ) return null_argument(call, at, "operand");
  return find_numbers(call, at, action.type, 1, place);
}

Status find_comparands(const char *call, Target at, hlc_number type, CompareSwap swap, char **place) {
  if (number_bytes(type) == 0)
    return fail(Status::argument, "%s on rank %d: invalid hlc_number %d", call, calling_rank(at), static_cast<int>(type));
  if (!swap.expected) return null_argument(call, at, "expected");
  if (!swap.value) return null_argument(call, at, "value");
  return find_numbers(call, at, type, 1, place);
}

/// How fetch_op changes a number that it has a copy of.
auto combine_with(hlc_action action, FetchOp fetch) {
  return [action, fetch](char *number) {
    apply(action, number, fetch.operand, fetch.old);
    return action.op != HLC_OP_READ;
  };
}

auto exchange_with(hlc_number type, CompareSwap swap) {
  return [type, swap](char *number) {
    const bool equal = std::memcmp(number, swap.expected, static_cast<std::size_t>(number_bytes(type))) == 0;
    compare_and_swap(type, number, swap);
    return equal;
  };
}

// Not inlined: with what they need on the stack, an atomic instruction in mapped memory would take longer.

[[gnu::noinline]] Status fetch_locked(const char *call, Target at, hlc_action action, FetchOp fetch) {
  return change_locked(call, at, number_bytes(action.type), combine_with(action, fetch));
}

[[gnu::noinline]] Status try_fetch_locked(const char *call, Target at, hlc_action action, FetchOp fetch) {
  return try_locked(call, at, number_bytes(action.type), combine_with(action, fetch));
}

[[gnu::noinline]] Status fetch_remote(const char *call, Target at, hlc_action action, FetchOp fetch) {
  std::uint64_t before = 0;
  HLC_TRY(RemoteRma(at.memory).combine(call, at.offset, action, word_of(action, fetch.operand), &before));
  report(action, before, fetch.old);
  return Status::ok;
}

/// The arguments have been checked; `place`: the number's address if it is mapped.
inline Status fetch_at(char *place, const char *call, Target at, hlc_action action, FetchOp fetch) {
  if (!at.memory.is_near()) return fetch_remote(call, at, action, fetch);
  if (at.memory.lock()) return fetch_locked(call, at, action, fetch);
  apply(action, place, fetch.operand, fetch.old);
  return Status::ok;
}

/// Combines `bytes` bytes of operands with the numbers at `target`.
void combine_all(hlc_action action, char *target, const char *operands, std::int64_t bytes) {
  const std::int64_t size = number_bytes(action.type);
  for (std::int64_t i = 0; i < bytes; i += size) apply(action, target + i, operands + i, nullptr);
}

[[gnu::noinline]] Status swap_locked(const char *call, Target at, hlc_number type, CompareSwap swap) {
  return change_locked(call, at, number_bytes(type), exchange_with(type, swap));
}

Status accumulate_locked(const char *call, Target at, hlc_action action, Source operands) {
  const auto *data = static_cast<const char *>(operands.data);
  for (std::int64_t begin = 0; begin < operands.bytes; begin += kLocked) {
    const std::int64_t some = std::min(kLocked, operands.bytes - begin);
    HLC_TRY(change_locked(call, {at.memory, at.offset + begin}, some, [&](char *numbers) {
      combine_all(action, numbers, data + begin, some);
      return true;
    }));
  }
  return Status::ok;
}

}  // namespace

Status fetch_op(const char *call, Target at, hlc_action action, FetchOp fetch) {
  if (try_word(at, action, fetch)) return Status::ok;
  char *place = nullptr;
  HLC_TRY(find_operand(call, at, action, fetch, &place));
  return fetch_at(place, call, at, action, fetch);
}

Status fetch_op(const char *call, Target at, hlc_action action, FetchOp fetch, Query &query) {
  if (try_word(at, action, fetch)) return Status::ok;
  char *place = nullptr;
  HLC_TRY(find_operand(call, at, action, fetch, &place));
  if (!at.memory.is_near()) {
    std::uint64_t before = 0;
    const Status status = RemoteRma(at.memory).combine(call, at.offset, action, word_of(action, fetch.operand), &before, query);
    if (status == Status::ok) report(action, before, fetch.old);
    return status;
  }
  if (at.memory.lock()) return try_fetch_locked(call, at, action, fetch);
  apply(action, place, fetch.operand, fetch.old);
  return Status::ok;
}

Status change_silently(const char *call, Target at, hlc_action action, const void *operand) {
  const FetchOp fetch{operand, nullptr};
  char *place = nullptr;
  HLC_TRY(find_operand(call, at, action, fetch, &place));
  if (at.memory.is_near()) return fetch_at(place, call, at, action, fetch);
  return RemoteRma(at.memory).combine_silently(call, at.offset, action, word_of(action, operand));
}

Status put_and_change(const char *call, Target to, Source source, NumberChange change) {
  const RemoteMemory &of_number = change.memory ? *change.memory : to.memory;
  const Target number{of_number, change.offset};
  const FetchOp fetch{&change.operand, nullptr};
  char *place = nullptr, *bytes = nullptr;
  HLC_TRY(find_operand(call, number, change.action, fetch, &place));
  if (to.memory.is_near()) {
    HLC_TRY(put(call, to, source));
    // SYNC data-before-signal (pairs with the look at the number)
    std::atomic_thread_fence(std::memory_order_release);
    return fetch_at(place, call, number, change.action, fetch);
  }
  if (!is_data(source.data, source.bytes)) return wrong_data(call, to, source.bytes);
  if (!find_path(to, {0, source.bytes}, &bytes)) return wrong_extent(call, to, {0, source.bytes});
  RemoteRma remote(to.memory, After::message);
  if (const auto signal = remote.signal_of(change, source.bytes)) return remote.put_signal(call, to.offset, source, *signal);
  if (remote.has_message_room(source.bytes)) return remote.put_combine(call, to.offset, source, change);
  HLC_TRY(remote.put(call, to.offset, static_cast<const char *>(source.data), source.bytes));
  // SYNC put-before-message (pairs with do_as_asked): a message overtakes no write where the network keeps the order.
  if (!to.memory.network().keeps_order()) HLC_TRY(flush(call, to.memory));
  return RemoteRma(of_number).combine_silently(call, change.offset, change.action, word_of(change.action, &change.operand));
}

Status compare_swap(const char *call, Target at, hlc_number type, CompareSwap swap) {
  char *place = nullptr;
  HLC_TRY(find_comparands(call, at, type, swap, &place));
  if (!at.memory.is_near()) return RemoteRma(at.memory).compare(call, at.offset, type, swap);
  if (at.memory.lock()) return swap_locked(call, at, type, swap);
  compare_and_swap(type, place, swap);
  return Status::ok;
}

Status compare_swap(const char *call, Target at, hlc_number type, CompareSwap swap, Query &query) {
  char *place = nullptr;
  HLC_TRY(find_comparands(call, at, type, swap, &place));
  if (!at.memory.is_near()) return RemoteRma(at.memory).compare(call, at.offset, type, swap, query);
  if (at.memory.lock()) return try_locked(call, at, number_bytes(type), exchange_with(type, swap));
  compare_and_swap(type, place, swap);
  return Status::ok;
}

Status fetch_word(const char *call, Target at, hlc_action action, std::int64_t operand, std::int64_t *old) {
  if (is_for_words(action.op))
    if (std::uint64_t *const word = find_word(at, action.type)) {
      const std::uint64_t before = apply_to_word(action.op, *word, static_cast<std::uint64_t>(operand));
      if (old) *old = static_cast<std::int64_t>(before);
      return Status::ok;
    }
  if (!is_word(action.type)) return wrong_word(call, at, action.type);
  char *place = nullptr;
  HLC_TRY(find_numbers(call, at, action.type, 1, &place));
  std::uint64_t word = 0, before = 0;
  write_word(action.type, operand, &word);
  HLC_TRY(fetch_at(place, call, at, action, {&word, &before}));
  if (old) *old = read_word(action.type, &before);
  return Status::ok;
}

Status compare_swap_word(const char *call, Target at, hlc_number type, SwapWord swap) {
  if (std::uint64_t *const word = find_word(at, type)) {
    const auto expected = static_cast<std::uint64_t>(swap.expected);
    const std::uint64_t before = compare_and_swap_word(*word, expected, static_cast<std::uint64_t>(swap.value));
    if (swap.old) *swap.old = static_cast<std::int64_t>(before);
    return Status::ok;
  }
  if (!is_word(type)) return wrong_word(call, at, type);
  std::uint64_t expected = 0, value = 0, before = 0;
  write_word(type, swap.expected, &expected);
  write_word(type, swap.value, &value);
  HLC_TRY(compare_swap(call, at, type, {&expected, &value, &before}));
  if (swap.old) *swap.old = read_word(type, &before);
  return Status::ok;
}

Status check_word(const char *call, Target at, hlc_action action, bool compares) {
  if (!is_word(action.type)) return wrong_word(call, at, action.type);
  if (!compares && !can_combine(action)) return wrong_action(call, at, action);
  char *place = nullptr;
  return find_numbers(call, at, action.type, 1, &place);
}

Status accumulate(const char *call, Target at, hlc_action action, Numbers numbers) {
  char *place = nullptr;
  if (!can_combine(action)) return wrong_action(call, at, action);
  if (!numbers.data && numbers.count > 0 && action.op != HLC_OP_READ) return null_argument(call, at, "data");
  HLC_TRY(find_numbers(call, at, action.type, numbers.count, &place));
  if (action.op == HLC_OP_READ) return Status::ok;
  if (!at.memory.is_near()) return RemoteRma(at.memory).accumulate(call, at.offset, action, numbers);
  const std::int64_t bytes = numbers.count * number_bytes(action.type);
  if (at.memory.lock()) return accumulate_locked(call, at, action, {numbers.data, bytes});
  combine_all(action, place, static_cast<const char *>(numbers.data), bytes);
  return Status::ok;
}

}  // namespace halocline::core
