// Puts and gets. On the node the calling process copies the rows. To another node long rows are messages of their own, and short ones are
// packed: one message has as many as it has room for, and the target copies them.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/armci/one_sided.hpp"

#include <cstring>
#include <vector>

#include "engine/elements/operations.hpp"
#include "engine/rma/operations.hpp"
#include "engine/rma/packed.hpp"

namespace halocline::core::armci {
namespace {

/// Shorter rows are packed: a message for each takes longer than to copy them twice.
constexpr std::int64_t kShortRow = 4096;

/// The two sides of a copy within this process.
struct Sides {
  char *to;
  const char *from;
};

/// `is_put`: the target's side is written.
void copy_rows(const Block &block, bool is_put, Sides sides) {
  block.for_each_strip([&](std::int64_t local, std::int64_t remote, std::int64_t rows, std::int64_t by_local, std::int64_t by_remote) {
    if (is_put)
      elements::copy_strided({sides.to + remote, sides.from + local, by_remote, by_local}, block.row(), rows);
    else
      elements::copy_strided({sides.to + local, sides.from + remote, by_local, by_remote}, block.row(), rows);
  });
}

void copy(const Block &block, bool is_put, Sides sides) {
  if (block.is_contiguous())
    std::memcpy(sides.to, sides.from, static_cast<std::size_t>(block.row()));
  else
    copy_rows(block, is_put, sides);
}

std::vector<Run> runs_of(const Block &block) {
  std::vector<Run> runs;
  block.for_each_strip([&](std::int64_t local, std::int64_t remote, std::int64_t rows, std::int64_t by_local, std::int64_t by_remote) {
    for (std::int64_t row = 0; row < rows; ++row) runs.push_back({remote + row * by_remote, local + row * by_local, block.row()});
  });
  return runs;
}

Status copy_packed(Target at, const OneSided &access, bool is_put) {
  const elements::Steps local = access.block.local_steps(), remote = access.block.remote_steps();
  PackedOperation operation;
  operation.kind = is_put ? PackedOperation::Kind::put : PackedOperation::Kind::get;
  operation.type = elements::Basic::byte;
  operation.target = {&remote, 1, nullptr};
  (is_put ? operation.origin : operation.result) = {&local, 1, static_cast<char *>(access.local)};
  operation.bytes = access.block.bytes();
  return begin_packed(access.call, at, operation);
}

Status copy_far(Target at, const OneSided &access, bool is_put) {
  const Block &block = access.block;
  if (block.is_contiguous())
    return is_put ? core::put(access.call, at, {access.local, block.row()}) : core::get(access.call, at, {access.local, block.row()});
  if (block.row() < kShortRow) return copy_packed(at, access, is_put);
  const std::vector<Run> runs = runs_of(block);
  return is_put ? put_indexed(access.call, at, access.local, runs) : get_indexed(access.call, at, access.local, runs);
}

void move_far(Job &job, const OneSided &access, const Place &place, bool is_put) {
  const Target at{*place.memory, place.offset};
  settle(job.unordered.begin(access.call, at, access.block.remote_extent(), is_put ? Access::write : Access::read));
  settle(copy_far(at, access, is_put));
  if (access.mode == Mode::blocking) settle(flush_local(access.call, *place.memory));
}

}  // namespace

int put(Job &job, const OneSided &access) {
  Place place;
  if (const int code = find_place(job, access.call, remote_of(access), &place)) return code;
  if (place.here)
    copy(access.block, true, {place.here, static_cast<const char *>(access.local)});
  else
    move_far(job, access, place, true);
  return 0;
}

int get(Job &job, const OneSided &access) {
  Place place;
  if (const int code = find_place(job, access.call, remote_of(access), &place)) return code;
  if (place.here)
    copy(access.block, false, {static_cast<char *>(access.local), place.here});
  else
    move_far(job, access, place, false);
  return 0;
}

int refuse_place(const Job &job, const char *call, const Remote &remote) {
  return refuse(FAIL2, "%s on rank %d: %lld bytes at %p are not memory of rank %d that ARMCI_Malloc has returned", call, job.rank(),
                static_cast<long long>(remote.extent.high - remote.extent.low), remote.address, remote.proc);
}

void complete_local(Job &job, const char *call, int proc) {
  if (job.is_on_node(proc)) return;
  RemoteMemory *part = nullptr;
  settle(job.control.find(proc, &part));
  settle(flush_local(call, *part));
}

int refuse_proc(const Job &job, const char *call, int proc, int code) {
  return refuse(code, "%s on rank %d: proc is %d but must be 0 to %d", call, job.rank(), proc, job.size() - 1);
}

int refuse_address(const Job &job, const char *call, const char *name) {
  return refuse(FAIL, "%s on rank %d: %s is NULL", call, job.rank(), name);
}

int check_levels(const Job &job, const char *call, const int *count, int levels) {
  if (levels < 0 || levels > ARMCI_MAX_STRIDE_LEVEL)
    return refuse(FAIL4, "%s on rank %d: stride_levels is %d but must be 0 to %d", call, job.rank(), levels, ARMCI_MAX_STRIDE_LEVEL);
  if (!count) return refuse(FAIL3, "%s on rank %d: count is NULL", call, job.rank());
  for (int level = 0; level <= levels; ++level)
    if (count[level] < 0)
      return refuse(FAIL3, "%s on rank %d: count[%d] is %d but must be 0 or more", call, job.rank(), level, count[level]);
  return 0;
}

int check_accumulate(const Job &job, const char *call, const Scaled &scaled, std::int64_t row) {
  const std::int64_t bytes = element_bytes(scaled.type);
  if (bytes == 0)
    return refuse(FAIL6, "%s on rank %d: datatype is %d but must be one of ARMCI_ACC_INT to ARMCI_ACC_DCP", call, job.rank(), scaled.type);
  if (!scaled.scale) return refuse(FAIL, "%s on rank %d: scale is NULL", call, job.rank());
  if (row % bytes != 0)
    return refuse(FAIL3, "%s on rank %d: %lld bytes must be a multiple of the element size %lld", call, job.rank(),
                  static_cast<long long>(row), static_cast<long long>(bytes));
  return 0;
}

}  // namespace halocline::core::armci
