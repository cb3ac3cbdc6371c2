// Put, get, and flush. On the node a put is a copy into the target's part: complete when it returns, and ordered by flush.
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cstring>

#include "engine/operations.hpp"

namespace halocline {
namespace {

void copy(void *to, const void *from, std::int64_t bytes) {
  if (bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

Status check_data(const PublicSegment &segment, const char *call, const void *data, std::int64_t bytes) {
  if (bytes < 0)
    return fail(Status::argument, "%s on rank %d: bytes is %lld, it must be 0 or more", call, segment.rank(),
                static_cast<long long>(bytes));
  if (!data && bytes > 0) return fail(Status::argument, "%s on rank %d: data is NULL", call, segment.rank());
  return Status::ok;
}

/// Finds the place of `bytes` bytes that go to or come from data.
Status find_run(const PublicSegment &segment, const char *call, Target target, const void *data, std::int64_t bytes, char **place) {
  HLC_TRY(check_data(segment, call, data, bytes));
  HLC_TRY(segment.route(call, target, {0, bytes}, place));
  return *place ? Status::ok : segment.unreachable(call, target.rank);
}

Status wrong_block(const PublicSegment &segment, const char *call, const char *argument, int d, std::int64_t value) {
  return fail(Status::argument, "%s on rank %d: block.%s[%d] is %lld, it must be 0 or more", call, segment.rank(), argument, d,
              static_cast<long long>(value));
}

/// A block's extent from its offset in the target, and whether it holds any byte.
Status measure(const PublicSegment &segment, const char *call, const hlc_block *block, Extent *extent) {
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

/// The strides of the side that is written, and of the side that is read.
using Strides = const std::int64_t (&)[HLC_MAX_DIMS];

/// Copies run after run, the first dimension fastest.
template <class Copy>
void for_each_run(char *to, Strides to_stride, const char *from, Strides from_stride, const hlc_block &block, Copy copy_run) {
  std::array<std::int64_t, HLC_MAX_DIMS> count{1, 1, 1, 1};
  for (int d = 0; d < block.ndims; ++d) count[static_cast<std::size_t>(d)] = block.count[d];
  const auto at = [&block](Strides stride, int d, std::int64_t i) { return d < block.ndims ? i * stride[d] : 0; };
  for (std::int64_t i3 = 0; i3 < count[3]; ++i3)
    for (std::int64_t i2 = 0; i2 < count[2]; ++i2)
      for (std::int64_t i1 = 0; i1 < count[1]; ++i1) {
        char *t = to + at(to_stride, 1, i1) + at(to_stride, 2, i2) + at(to_stride, 3, i3);
        const char *f = from + at(from_stride, 1, i1) + at(from_stride, 2, i2) + at(from_stride, 3, i3);
        for (std::int64_t i0 = 0; i0 < count[0]; ++i0) copy_run(t + at(to_stride, 0, i0), f + at(from_stride, 0, i0));
      }
}

void copy_block(char *to, Strides to_stride, const char *from, Strides from_stride, const hlc_block &block) {
  const auto bytes = static_cast<std::size_t>(block.run_bytes);
  if (bytes == 8) return for_each_run(to, to_stride, from, from_stride, block, [](char *t, const char *f) { std::memcpy(t, f, 8); });
  for_each_run(to, to_stride, from, from_stride, block, [bytes](char *t, const char *f) { std::memcpy(t, f, bytes); });
}

/// Finds the place of a block; null with ok if it is empty.
Status find_block(const PublicSegment &segment, const char *call, Target target, const void *data, const hlc_block *block, char **place) {
  Extent extent;
  HLC_TRY(measure(segment, call, block, &extent));
  HLC_TRY(check_data(segment, call, data, extent.high - extent.low));
  HLC_TRY(segment.route(call, target, extent, place));
  if (!*place) return segment.unreachable(call, target.rank);
  if (extent.high == extent.low) *place = nullptr;
  return Status::ok;
}

/// On the node operations are complete when they return; here they come before whatever this thread does next.
Status order(const PublicSegment &segment, const char *call, int rank) {
  if (rank < 0 || rank >= segment.context().size()) return segment.wrong_rank(call, rank);
  if (!segment.word_of(rank, 0)) return segment.unreachable(call, rank);
  // SYNC put-before-flush (pairs with whatever tells the target): also a later get does not pass an earlier put.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return Status::ok;
}

}  // namespace

Status put(PublicSegment &segment, Target to, const void *data, std::int64_t bytes) {
  char *place = nullptr;
  HLC_TRY(find_run(segment, "hlc_put", to, data, bytes, &place));
  copy(place, data, bytes);
  return Status::ok;
}

Status get(PublicSegment &segment, Target from, void *data, std::int64_t bytes) {
  char *place = nullptr;
  HLC_TRY(find_run(segment, "hlc_get", from, data, bytes, &place));
  copy(data, place, bytes);
  return Status::ok;
}

Status put_strided(PublicSegment &segment, Target to, const void *data, const hlc_block *block) {
  char *place = nullptr;
  HLC_TRY(find_block(segment, "hlc_put_strided", to, data, block, &place));
  if (place) copy_block(place, block->target_stride, static_cast<const char *>(data), block->local_stride, *block);
  return Status::ok;
}

Status get_strided(PublicSegment &segment, Target from, void *data, const hlc_block *block) {
  char *place = nullptr;
  HLC_TRY(find_block(segment, "hlc_get_strided", from, data, block, &place));
  if (place) copy_block(static_cast<char *>(data), block->local_stride, place, block->target_stride, *block);
  return Status::ok;
}

Status put_notify(PublicSegment &segment, Target to, const void *data, std::int64_t bytes, hlc_notification notification) {
  char *place = nullptr;
  NotificationWord *word = nullptr;
  HLC_TRY(segment.route("hlc_put_notify", to.rank, notification, &word));
  HLC_TRY(find_run(segment, "hlc_put_notify", to, data, bytes, &place));
  copy(place, data, bytes);
  segment.set_and_ring(to.rank, *word, notification.value);
  return Status::ok;
}

Status flush(PublicSegment &segment, int rank) { return order(segment, "hlc_flush", rank); }
Status flush_local(PublicSegment &segment, int rank) { return order(segment, "hlc_flush_local", rank); }
Status flush_all(PublicSegment &segment) { return order(segment, "hlc_flush_all", segment.rank()); }
Status flush_local_all(PublicSegment &segment) { return order(segment, "hlc_flush_local_all", segment.rank()); }

}  // namespace halocline
