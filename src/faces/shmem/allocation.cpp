// OpenSHMEM 1.5, section 9.3: symmetric memory. All PEs make each call together: they compare their arguments in a reduction, which is the barrier
// that the standard asks for as well.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <span>

#include "base/pages.hpp"
#include "faces/shmem/context.hpp"
#include "faces/shmem/job.hpp"
#include "faces/shmem/reduce.hpp"
#include "faces/shmem/team.hpp"

namespace halocline::core::shmem {
namespace {

constexpr std::int64_t kCommitStep = std::int64_t{2} << 20;

std::mutex mutex;  // of the heap

/// An argument of a collective call.
struct Argument {
  const char *name;
  std::int64_t value;
};

/// The least of each number of all PEs, which wait for each other as in a barrier.
void find_least(const char *call, std::span<std::int64_t> numbers) {
  const Collective all = collective_of_all(call);
  std::memcpy(scratch_of(all.channel), numbers.data(), numbers.size_bytes());
  reduce_members(all, {reduction_of<std::int64_t>(Operation::min), scratch_of(all.channel), numbers.data(), numbers.size()});
}

/// The PE with the least value and that with the most, for the message.
[[noreturn, gnu::cold]] void stop_for_disagreement(const char *call, Job &job, const Argument &argument, std::int64_t least,
                                                   std::int64_t most) {
  std::int64_t first[2] = {argument.value == least ? job.rank() : job.size(), argument.value == most ? job.rank() : job.size()};
  find_least(call, first);
  // One PE writes the message for all.
  if (job.rank() == first[0])
    stop("%s: PEs disagree on %s: PE %lld has %lld, PE %lld has %lld", call, argument.name, static_cast<long long>(first[0]),
         static_cast<long long>(least), static_cast<long long>(first[1]), static_cast<long long>(most));
  find_least(call, first);
  end_all(EXIT_FAILURE);
}

/// Where PEs compare one argument.
constexpr Argument kNoOther{"", 0};

/// Waits for all PEs, which must have the same arguments. Returns whether all of them have succeeded so far.
bool meet(const char *call, Job &job, const Argument &argument, bool succeeded = true, const Argument &other = kNoOther) {
  quiet(call, default_context);
  std::int64_t numbers[5] = {argument.value, -argument.value, other.value, -other.value, succeeded ? 1 : 0};
  static_assert(sizeof numbers <= ChannelLayout::kScratchBytes);
  find_least(call, numbers);
  if (numbers[0] != -numbers[1]) stop_for_disagreement(call, job, argument, numbers[0], -numbers[1]);
  if (numbers[2] != -numbers[3]) stop_for_disagreement(call, job, other, numbers[2], -numbers[3]);
  return numbers[4] != 0;
}

std::int64_t as_number(std::size_t size) { return static_cast<std::int64_t>(std::min<std::size_t>(size, std::size_t{1} << 62)); }

/// Provides the pages of the heap up to the end of a block, in steps. False if there is no room for them.
bool commit(Job &job, std::int64_t end) {
  const std::int64_t wanted = std::min(round_up(end, kCommitStep), job.heap.bytes());
  if (wanted <= job.committed) return true;
  if (reserve_pages(job.heap_begin() + job.committed, wanted - job.committed) != 0) return false;
  job.committed = wanted;
  return true;
}

/// Takes a block on all PEs or on none.
void *allocate(const char *call, std::size_t size, std::size_t alignment, bool zero) {
  Job &job = need_job(call);
  if (size == 0) return nullptr;
  const std::lock_guard lock(mutex);
  const std::int64_t offset = job.heap.take(as_number(size), as_number(alignment));
  const bool taken = offset != Heap::kNone && commit(job, offset + as_number(size));
  if (taken && zero) std::memset(job.heap_begin() + offset, 0, size);
  if (meet(call, job, {"size", as_number(size)}, taken, {"alignment", as_number(alignment)})) return job.heap_begin() + offset;
  if (offset != Heap::kNone) job.heap.release(offset);
  return nullptr;
}

/// The offset of a block that the program names by its address.
std::int64_t block_at(const char *call, const Job &job, const void *ptr) {
  const std::int64_t offset = static_cast<const char *>(ptr) - job.heap_begin();
  if (job.heap.bytes_of(offset) == Heap::kNone)
    stop("%s on PE %d: ptr is %p but must be an address that shmem_malloc or a relative has returned, not freed since", call, job.rank(),
         ptr);
  return offset;
}

void release(const char *call, void *ptr) {
  Job &job = need_job(call);
  if (!ptr) return;
  const std::lock_guard lock(mutex);
  const std::int64_t offset = block_at(call, job, ptr);
  meet(call, job, {"ptr (its offset in the heap)", offset});
  job.heap.release(offset);
}

/// Moves a block to a larger place.
void *move(const char *call, Job &job, std::int64_t from, std::size_t size) {
  const std::int64_t to = job.heap.take(as_number(size), Heap::kAlignment);
  const bool taken = to != Heap::kNone && commit(job, to + as_number(size));
  if (taken)
    std::memcpy(job.heap_begin() + to, job.heap_begin() + from,
                static_cast<std::size_t>(std::min(job.heap.bytes_of(from), as_number(size))));
  const bool all = meet(call, job, {"size", as_number(size)}, taken);
  if (to != Heap::kNone) job.heap.release(all ? from : to);
  return all ? job.heap_begin() + to : nullptr;
}

void *reallocate(const char *call, void *ptr, std::size_t size) {
  Job &job = need_job(call);
  const std::lock_guard lock(mutex);
  const std::int64_t offset = block_at(call, job, ptr);
  meet(call, job, {"ptr (its offset in the heap)", offset});
  if (!job.heap.resize(offset, as_number(size))) return move(call, job, offset, size);
  const bool all = meet(call, job, {"size", as_number(size)}, commit(job, offset + as_number(size)));
  return all ? job.heap_begin() + offset : nullptr;
}

}  // namespace
}  // namespace halocline::core::shmem

using namespace halocline::core::shmem;

extern "C" {

void *pshmem_malloc(size_t size) { return allocate("shmem_malloc", size, Heap::kAlignment, false); }

void *pshmem_malloc_with_hints(size_t size, long hints) {
  constexpr long known = SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE;
  if ((hints & ~known) != 0)
    stop(
        "shmem_malloc_with_hints on PE %d: hints is %ld but must be a sum of SHMEM_MALLOC_ATOMICS_REMOTE and SHMEM_MALLOC_SIGNAL_REMOTE, "
        "or 0",
        need_job("shmem_malloc_with_hints").rank(), hints);
  return allocate("shmem_malloc_with_hints", size, Heap::kAlignment, false);
}

void *pshmem_calloc(size_t count, size_t size) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) bytes = SIZE_MAX;
  return allocate("shmem_calloc", bytes, Heap::kAlignment, true);
}

void *pshmem_align(size_t alignment, size_t size) {
  if (!std::has_single_bit(alignment) || alignment % sizeof(void *) != 0)
    stop("shmem_align on PE %d: alignment is %zu but must be a power of 2 from %zu on", need_job("shmem_align").rank(), alignment,
         sizeof(void *));
  return allocate("shmem_align", size, alignment, false);
}

void *pshmem_realloc(void *ptr, size_t size) {
  constexpr const char *call = "shmem_realloc";
  if (!ptr) return allocate(call, size, Heap::kAlignment, false);
  if (size > 0) return reallocate(call, ptr, size);
  release(call, ptr);
  return nullptr;
}

void pshmem_free(void *ptr) { release("shmem_free", ptr); }

HLC_SHMEM_ALIAS(malloc);
HLC_SHMEM_ALIAS(malloc_with_hints);
HLC_SHMEM_ALIAS(calloc);
HLC_SHMEM_ALIAS(align);
HLC_SHMEM_ALIAS(realloc);
HLC_SHMEM_ALIAS(free);

}  // extern "C"
