// Put, get, and flush. On the node a put is a copy into the target's part: complete when it returns, and ordered by flush. RemoteRma does
// the operations to other nodes.
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cstring>

#include "engine/rma/operations.hpp"

namespace halocline::core {
namespace {

void copy(void *to, const void *from, std::int64_t bytes) {
  if (bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

Status check_data(const Segment &segment, const char *call, const void *data, std::int64_t bytes) {
  if (bytes < 0)
    return fail(Status::argument, "%s on rank %d: bytes is %lld, it must be 0 or more", call, segment.rank(),
                static_cast<long long>(bytes));
  if (!data && bytes > 0) return fail(Status::argument, "%s on rank %d: data is NULL", call, segment.rank());
  return Status::ok;
}

/// Checks the arguments, and finds the address of `bytes` bytes in the target; null if it is on another node.
Status find_run(const Segment &segment, const char *call, Target target, const void *data, std::int64_t bytes, char **place) {
  HLC_TRY(check_data(segment, call, data, bytes));
  return segment.route(call, target, {0, bytes}, place);
}

Status wrong_block(const Segment &segment, const char *call, const char *argument, int d, std::int64_t value) {
  return fail(Status::argument, "%s on rank %d: block.%s[%d] is %lld, it must be 0 or more", call, segment.rank(), argument, d,
              static_cast<long long>(value));
}

/// Finds a block's extent, relative to its offset in the target; {0, 0} if it has no bytes.
Status measure(const Segment &segment, const char *call, const hlc_block *block, Extent *extent) {
  if (!block) return fail(Status::argument, "%s on rank %d: block is NULL", call, segment.rank());
  if (block->ndims < 0 || block->ndims > HLC_MAX_DIMS)
    return fail(Status::argument, "%s on rank %d: block.ndims is %d, it must be 0 to %d", call, segment.rank(), block->ndims, HLC_MAX_DIMS);
  if (block->run_bytes < 0)
    return fail(Status::argument, "%s on rank %d: block.run_bytes is %lld, it must be 0 or more", call, segment.rank(),
                static_cast<long long>(block->run_bytes));
  *extent = {0, block->run_bytes};
  bool empty = block->run_bytes == 0;
  for (int d = 0; d < block->ndims; ++d) {
    if (block->count[d] < 0) return wrong_block(segment, call, "count", d, block->count[d]);
    empty = empty || block->count[d] == 0;
  }
  if (empty) *extent = {0, 0};
  for (int d = 0; d < block->ndims && !empty; ++d) {
    std::int64_t reach = 0, &end = block->target_stride[d] < 0 ? extent->low : extent->high;
    if (__builtin_mul_overflow(block->count[d] - 1, block->target_stride[d], &reach) || __builtin_add_overflow(end, reach, &end))
      return fail(Status::argument, "%s on rank %d: block.target_stride[%d] is %lld: with count %lld the block is larger than any memory",
                  call, segment.rank(), d, static_cast<long long>(block->target_stride[d]), static_cast<long long>(block->count[d]));
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

/// The address of a block: null if it is on another node.
struct BlockPlace {
  char *place = nullptr;
  bool empty = false;
};

Status find_block(const Segment &segment, const char *call, Target target, const void *data, const hlc_block *block, BlockPlace *found) {
  Extent extent;
  HLC_TRY(measure(segment, call, block, &extent));
  HLC_TRY(check_data(segment, call, data, extent.high - extent.low));
  found->empty = extent.high == extent.low;
  return segment.route(call, target, extent, &found->place);
}

/// On the node operations are complete when they return. The fence orders them before what this thread does next.
void order() {
  // SYNC put-before-flush (pairs with the message that tells the target): also a later get does not pass an earlier put.
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

/// Orders the operations on the node, and waits for those to other nodes; to all ranks if rank is below 0.
Status complete(Segment &segment, const char *call, int rank, bool confirm) {
  order();
  RequestEngine *requests = segment.network().requests();
  if (!requests) return Status::ok;
  return requests->flush(rank, call, confirm);
}

Status complete_one(Segment &segment, const char *call, int rank, bool confirm) {
  if (rank < 0 || rank >= segment.communicator().size()) return segment.wrong_rank(call, rank);
  return complete(segment, call, rank, confirm);
}

}  // namespace

Status put(Segment &segment, Target to, const void *data, std::int64_t bytes) {
  char *place = nullptr;
  HLC_TRY(find_run(segment, "hlc_put", to, data, bytes, &place));
  if (!place) return segment.far().put("hlc_put", to, static_cast<const char *>(data), bytes);
  copy(place, data, bytes);
  return Status::ok;
}

Status get(Segment &segment, Target from, void *data, std::int64_t bytes) {
  char *place = nullptr;
  HLC_TRY(find_run(segment, "hlc_get", from, data, bytes, &place));
  if (!place) return segment.far().get("hlc_get", from, static_cast<char *>(data), bytes);
  copy(data, place, bytes);
  return Status::ok;
}

Status put_strided(Segment &segment, Target to, const void *data, const hlc_block *block) {
  constexpr const char *call = "hlc_put_strided";
  const auto *source = static_cast<const char *>(data);
  BlockPlace found;
  HLC_TRY(find_block(segment, call, to, data, block, &found));
  if (found.empty) return Status::ok;
  std::int64_t first = 0;
  const hlc_block once = without_repeats(*block, block->target_stride, block->local_stride, &first);
  source += first;
  if (!found.place)
    return for_each_stretch(once, [&](std::int64_t t, std::int64_t l, std::int64_t bytes) {
      return segment.far().put(call, {to.rank, to.offset + t}, source + l, bytes);
    });
  with_copy(block->run_bytes,
            [&](auto copy_run) { for_each_run(once, [&](std::int64_t t, std::int64_t l) { copy_run(found.place + t, source + l); }); });
  return Status::ok;
}

Status get_strided(Segment &segment, Target from, void *data, const hlc_block *block) {
  constexpr const char *call = "hlc_get_strided";
  auto *into = static_cast<char *>(data);
  BlockPlace found;
  HLC_TRY(find_block(segment, call, from, data, block, &found));
  if (found.empty) return Status::ok;
  std::int64_t first = 0;
  const hlc_block once = without_repeats(*block, block->local_stride, block->target_stride, &first);
  if (!found.place)
    return for_each_stretch(once, [&](std::int64_t t, std::int64_t l, std::int64_t bytes) {
      return segment.far().get(call, {from.rank, from.offset + first + t}, into + l, bytes);
    });
  const char *place = found.place + first;
  with_copy(block->run_bytes,
            [&](auto copy_run) { for_each_run(once, [&](std::int64_t t, std::int64_t l) { copy_run(into + l, place + t); }); });
  return Status::ok;
}

Status put_notify(Segment &segment, Target to, const void *data, std::int64_t bytes, hlc_notification notification) {
  constexpr const char *call = "hlc_put_notify";
  char *place = nullptr;
  HLC_TRY(segment.check(call, to.rank, notification));
  HLC_TRY(find_run(segment, call, to, data, bytes, &place));
  if (!place) return segment.far().put_notify(call, to, static_cast<const char *>(data), bytes, notification);
  copy(place, data, bytes);
  return segment.tell(call, to.rank, notification);
}

Status flush(Segment &segment, int rank) { return complete_one(segment, "hlc_flush", rank, true); }
Status flush_local(Segment &segment, int rank) { return complete_one(segment, "hlc_flush_local", rank, false); }
Status flush_all(Segment &segment) { return complete(segment, "hlc_flush_all", -1, true); }
Status flush_local_all(Segment &segment) { return complete(segment, "hlc_flush_local_all", -1, false); }

}  // namespace halocline::core
