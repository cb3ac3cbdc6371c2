// Put, get, and flush. Each operation checks its arguments, finds its path, and copies: by memcpy, by the kernel, or over the network.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstring>

#include "engine/network/request_engine.hpp"
#include "engine/rma/arguments.hpp"
#include "engine/rma/copy.hpp"
#include "engine/rma/kernel_copy.hpp"
#include "engine/rma/operations.hpp"
#include "engine/rma/remote_rma.hpp"

namespace halocline::core {
namespace {

using Direction = KernelCopy::Direction;

/// The error of a put or a get whose arguments are wrong.
Status wrong_bytes(const char *call, Target target, const void *data, std::int64_t bytes) {
  return is_data(data, bytes) ? wrong_extent(call, target, {0, bytes}) : wrong_data(call, target, bytes);
}

/// Finds the address of the bytes in the target; null if they are not mapped. False if an argument is wrong.
bool find_bytes(Target target, const void *data, std::int64_t bytes, char **place) {
  return is_data(data, bytes) && find_path(target, {0, bytes}, place);
}

Status wrong_block(const char *call, Target target, const char *argument, int d, std::int64_t value) {
  return fail(Status::argument, "%s on rank %d: block.%s[%d] is %lld but must be 0 or more", call, calling_rank(target), argument, d,
              static_cast<long long>(value));
}

/// Finds a block's extent, relative to its offset in the target; {0, 0} if it has no bytes.
Status measure(const char *call, Target target, const hlc_block *block, Extent *extent) {
  if (!block) return fail(Status::argument, "%s on rank %d: block is NULL", call, calling_rank(target));
  if (block->ndims < 0 || block->ndims > HLC_MAX_DIMS)
    return fail(Status::argument, "%s on rank %d: block.ndims is %d but must be 0 to %d", call, calling_rank(target), block->ndims,
                HLC_MAX_DIMS);
  if (block->run_bytes < 0)
    return fail(Status::argument, "%s on rank %d: block.run_bytes is %lld but must be 0 or more", call, calling_rank(target),
                static_cast<long long>(block->run_bytes));
  *extent = {0, block->run_bytes};
  bool empty = block->run_bytes == 0;
  for (int d = 0; d < block->ndims; ++d) {
    if (block->count[d] < 0) return wrong_block(call, target, "count", d, block->count[d]);
    empty = empty || block->count[d] == 0;
  }
  if (empty) *extent = {0, 0};
  for (int d = 0; d < block->ndims && !empty; ++d) {
    std::int64_t reach = 0, &end = block->target_stride[d] < 0 ? extent->low : extent->high;
    if (__builtin_mul_overflow(block->count[d] - 1, block->target_stride[d], &reach) || __builtin_add_overflow(end, reach, &end))
      return fail(Status::argument, "%s on rank %d: block.target_stride[%d] is %lld: with count %lld the block is larger than any memory",
                  call, calling_rank(target), d, static_cast<long long>(block->target_stride[d]), static_cast<long long>(block->count[d]));
  }
  return Status::ok;
}

/// Calls run(offset in the target, offset in the local buffer) for each run, the first dimension fastest.
template <class Run>
void for_each_run(const hlc_block &block, Run run) {
  std::array<std::int64_t, HLC_MAX_DIMS> count{1, 1, 1, 1};
  for (int d = 0; d < block.ndims; ++d) count[static_cast<std::size_t>(d)] = block.count[d];
  const auto at = [&block](const std::int64_t *stride, int d, std::int64_t i) { return d < block.ndims ? i * stride[d] : 0; };
  for (std::int64_t i3 = 0; i3 < count[3]; ++i3)
    for (std::int64_t i2 = 0; i2 < count[2]; ++i2)
      for (std::int64_t i1 = 0; i1 < count[1]; ++i1) {
        const auto base = [&](const std::int64_t *stride) { return at(stride, 1, i1) + at(stride, 2, i2) + at(stride, 3, i3); };
        const std::int64_t target = base(block.target_stride), local = base(block.local_stride);
        for (std::int64_t i0 = 0; i0 < count[0]; ++i0) run(target + at(block.target_stride, 0, i0), local + at(block.local_stride, 0, i0));
      }
}

/// Removes repeated writes to the same address, which a stride of 0 on the destination side causes: of such runs the last one stays.
/// *from becomes the offset, on the source side, of the first run that stays.
hlc_block without_repeats(hlc_block block, const std::int64_t *into_stride, const std::int64_t *from_stride, std::int64_t *from) {
  *from = 0;
  for (int d = 0; d < block.ndims; ++d) {
    if (into_stride[d] != 0) continue;
    *from += (block.count[d] - 1) * from_stride[d];
    block.count[d] = 1;
  }
  return block;
}

/// Calls work with a function that copies `bytes` bytes: a special one for the most frequent size, or a general one.
template <class Work>
void with_copy(std::int64_t bytes, Work work) {
  if (bytes == 8) return work([](char *to, const char *from) { std::memcpy(to, from, 8); });
  work([bytes](char *to, const char *from) { std::memcpy(to, from, static_cast<std::size_t>(bytes)); });
}

/// Calls transfer(offset in the target, offset in the local buffer, bytes) for each stretch that is contiguous on both sides.
template <class Transfer>
Status for_each_stretch(const hlc_block &block, Transfer transfer) {
  std::int64_t target = 0, local = 0, bytes = 0;
  Status status = Status::ok;
  for_each_run(block, [&](std::int64_t t, std::int64_t l) {
    const bool follows = t == target + bytes && l == local + bytes;
    if (!follows && bytes > 0 && !failed(status)) status = transfer(target, local, bytes);
    if (!follows) target = t, local = l, bytes = 0;
    bytes += block.run_bytes;
  });
  return failed(status) ? status : transfer(target, local, bytes);
}

/// A block that has been checked: its address in the target, null if that is not mapped.
struct BlockPlace {
  char *place = nullptr;
  bool empty = false;
};

Status find_block(const char *call, Target target, const void *data, const hlc_block *block, BlockPlace *found) {
  Extent extent{0, 0};
  HLC_TRY(measure(call, target, block, &extent));
  found->empty = extent.high == extent.low;
  if (!data && !found->empty) return null_argument(call, target, "data");
  return find_path(target, extent, &found->place) ? Status::ok : wrong_extent(call, target, extent);
}

/// Puts the runs that for_each(put_run) calls its argument with: put_run(offset in the target, offset in the data, bytes).
template <class ForEach>
Status put_unmapped(const char *call, Target to, const char *data, ForEach for_each) {
  if (to.memory.path() == Path::network) {
    RemoteRma remote(to.memory);
    return for_each([&](std::int64_t t, std::int64_t l, std::int64_t bytes) { return remote.put(call, to.offset + t, data + l, bytes); });
  }
  KernelCopy kernel(call, to.memory, Direction::put);
  HLC_TRY(for_each(
      [&](std::int64_t t, std::int64_t l, std::int64_t bytes) { return kernel.add(to.offset + t, const_cast<char *>(data) + l, bytes); }));
  return kernel.run();
}

template <class ForEach>
Status get_unmapped(const char *call, Target from, char *data, ForEach for_each) {
  if (from.memory.path() == Path::network) {
    RemoteRma remote(from.memory);
    return for_each([&](std::int64_t t, std::int64_t l, std::int64_t bytes) { return remote.get(call, from.offset + t, data + l, bytes); });
  }
  KernelCopy kernel(call, from.memory, Direction::get);
  HLC_TRY(for_each([&](std::int64_t t, std::int64_t l, std::int64_t bytes) { return kernel.add(from.offset + t, data + l, bytes); }));
  return kernel.run();
}

Status wrong_run(const char *call, Target target, std::size_t i, const Run &run) {
  return fail(Status::argument, "%s on rank %d: run %zu has %lld bytes at %lld, outside the target's memory", call, calling_rank(target), i,
              static_cast<long long>(run.bytes), static_cast<long long>(run.target));
}

/// Checks a list of runs, and finds the address of its origin; null if the target is not mapped.
Status find_runs(const char *call, Target target, const void *data, std::span<const Run> runs, char **place) {
  Extent extent{0, 0};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::int64_t end = 0;
    if (runs[i].bytes < 0 || __builtin_add_overflow(runs[i].target, runs[i].bytes, &end)) return wrong_run(call, target, i, runs[i]);
    if (runs[i].bytes > 0) extent = {std::min(extent.low, runs[i].target), std::max(extent.high, end)};
  }
  if (!data && extent.high != extent.low) return null_argument(call, target, "data");
  return find_path(target, extent, place) ? Status::ok : wrong_extent(call, target, extent);
}

template <class Transfer>
Status for_runs(std::span<const Run> runs, Transfer transfer) {
  for (const Run &run : runs) HLC_TRY(transfer(run.target, run.local, run.bytes));
  return Status::ok;
}

/// On the node operations are complete when they return. The fence orders them before what this thread does next.
void order() {
  // SYNC put-before-flush (pairs with the message that tells the target): also a later get does not pass an earlier put.
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

/// Orders the operations on the node, and waits for those to other nodes; to all ranks if rank is below 0.
Status complete(const char *call, Network &network, int rank, bool confirm) {
  order();
  RequestEngine *requests = network.requests();
  if (!requests) return Status::ok;
  return requests->flush(rank, call, confirm);
}

Status complete_one(const char *call, const RemoteMemory &memory, bool confirm) {
  return complete(call, memory.network(), memory.rank(), confirm);
}

}  // namespace

Status put(const char *call, Target to, Source source, After after) {
  char *place = nullptr;
  if (!find_bytes(to, source.data, source.bytes, &place)) return wrong_bytes(call, to, source.data, source.bytes);
  switch (to.memory.path()) {
    case Path::mapped: copy_bytes(place, source.data, source.bytes); return Status::ok;
    case Path::kernel: return KernelCopy::copy(call, to, Direction::put, {const_cast<void *>(source.data), source.bytes});
    case Path::network: return RemoteRma(to.memory, after).put(call, to.offset, static_cast<const char *>(source.data), source.bytes);
  }
  return Status::ok;
}

Status get(const char *call, Target from, Sink sink) {
  char *place = nullptr;
  if (!find_bytes(from, sink.data, sink.bytes, &place)) return wrong_bytes(call, from, sink.data, sink.bytes);
  switch (from.memory.path()) {
    case Path::mapped: copy_bytes(sink.data, place, sink.bytes); return Status::ok;
    case Path::kernel: return KernelCopy::copy(call, from, Direction::get, sink);
    case Path::network: return RemoteRma(from.memory).get(call, from.offset, static_cast<char *>(sink.data), sink.bytes);
  }
  return Status::ok;
}

Status put(const char *call, Target to, Source source, std::int64_t &done) {
  if (to.memory.is_near()) return put(call, to, source);
  char *place = nullptr;
  if (!find_bytes(to, source.data, source.bytes, &place)) return wrong_bytes(call, to, source.data, source.bytes);
  return RemoteRma(to.memory).put(call, to.offset, source, done);
}

Status get(const char *call, Target from, Sink sink, std::int64_t &done) {
  if (from.memory.is_near()) return get(call, from, sink);
  char *place = nullptr;
  if (!find_bytes(from, sink.data, sink.bytes, &place)) return wrong_bytes(call, from, sink.data, sink.bytes);
  return RemoteRma(from.memory).get(call, from.offset, sink, done);
}

Status put_strided(const char *call, Target to, const void *data, const hlc_block *block) {
  const auto *source = static_cast<const char *>(data);
  BlockPlace found;
  HLC_TRY(find_block(call, to, data, block, &found));
  if (found.empty) return Status::ok;
  std::int64_t first = 0;
  const hlc_block once = without_repeats(*block, block->target_stride, block->local_stride, &first);
  source += first;
  if (!found.place) return put_unmapped(call, to, source, [&](auto put_run) { return for_each_stretch(once, put_run); });
  with_copy(block->run_bytes,
            [&](auto copy_run) { for_each_run(once, [&](std::int64_t t, std::int64_t l) { copy_run(found.place + t, source + l); }); });
  return Status::ok;
}

Status get_strided(const char *call, Target from, void *data, const hlc_block *block) {
  auto *into = static_cast<char *>(data);
  BlockPlace found;
  HLC_TRY(find_block(call, from, data, block, &found));
  if (found.empty) return Status::ok;
  std::int64_t first = 0;
  const hlc_block once = without_repeats(*block, block->local_stride, block->target_stride, &first);
  const Target begin{from.memory, from.offset + first};
  if (!found.place) return get_unmapped(call, begin, into, [&](auto get_run) { return for_each_stretch(once, get_run); });
  const char *place = found.place + first;
  with_copy(block->run_bytes,
            [&](auto copy_run) { for_each_run(once, [&](std::int64_t t, std::int64_t l) { copy_run(into + l, place + t); }); });
  return Status::ok;
}

Status put_indexed(const char *call, Target to, const void *data, std::span<const Run> runs) {
  const auto *source = static_cast<const char *>(data);
  char *place = nullptr;
  HLC_TRY(find_runs(call, to, data, runs, &place));
  if (!place) return put_unmapped(call, to, source, [&](auto put_run) { return for_runs(runs, put_run); });
  for (const Run &run : runs) copy_bytes(place + run.target, source + run.local, run.bytes);
  return Status::ok;
}

Status get_indexed(const char *call, Target from, void *data, std::span<const Run> runs) {
  auto *into = static_cast<char *>(data);
  char *place = nullptr;
  HLC_TRY(find_runs(call, from, data, runs, &place));
  if (!place) return get_unmapped(call, from, into, [&](auto get_run) { return for_runs(runs, get_run); });
  for (const Run &run : runs) copy_bytes(into + run.local, place + run.target, run.bytes);
  return Status::ok;
}

Status flush(const char *call, const RemoteMemory &memory) { return complete_one(call, memory, true); }
Status flush_local(const char *call, const RemoteMemory &memory) { return complete_one(call, memory, false); }
Status flush_all(const char *call, Network &network) { return complete(call, network, -1, true); }
Status flush_local_all(const char *call, Network &network) { return complete(call, network, -1, false); }

}  // namespace halocline::core
