// Checks of the arguments of accesses.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/access/resolve_target.hpp"

#include "faces/mpi/check/checker.hpp"
#include "faces/mpi/datatype/iterate.hpp"
#include "faces/mpi/interpose/error_text.hpp"

namespace halocline::core::mpi {
namespace {

/// If not all of its reach, then each of its runs.
bool is_attached(const Window &window, const ResolvedTarget &resolved, const typed::Reach &reach) {
  const auto is_there = [&](std::int64_t begin, std::int64_t bytes) {
    return window.attached.has(resolved.rank, static_cast<std::uint64_t>(resolved.offset) + static_cast<std::uint64_t>(begin), bytes);
  };
  if (is_there(reach.begin, reach.end - reach.begin)) return true;
  if (resolved.layout->contiguous()) return false;
  bool all = true;
  typed::for_each_run(*resolved.layout, resolved.count,
                      [&](std::int64_t begin, std::int64_t bytes) { all = all && is_there(begin, bytes); });
  return all;
}

bool is_inside(const Window &window, const ResolvedTarget &resolved, const typed::Reach &reach) {
  if (window.attributes.flavor == MPI_WIN_FLAVOR_DYNAMIC) return is_attached(window, resolved, reach);
  std::int64_t begin = 0, end = 0;
  return !__builtin_add_overflow(resolved.offset, reach.begin, &begin) && !__builtin_add_overflow(resolved.offset, reach.end, &end) &&
         begin >= 0 && end <= resolved.place.bytes;
}

int refuse_range(const ResolvedTarget &resolved, const typed::Reach &reach, bool dynamic) {
  const auto at = [&](std::int64_t of) {
    const std::uint64_t sum = static_cast<std::uint64_t>(resolved.offset) + static_cast<std::uint64_t>(of);
    return static_cast<long long>(sum);
  };
  const long long first = at(reach.begin);
  if (dynamic)
    return refuse(MPI_ERR_RMA_RANGE, "%lld bytes at address %#llx of rank %d are not attached",
                  static_cast<long long>(reach.end - reach.begin), first, resolved.rank);
  return refuse(MPI_ERR_RMA_RANGE, "bytes %lld to %lld are not all inside the %lld bytes of rank %d", first, at(reach.end - 1),
                static_cast<long long>(resolved.place.bytes), resolved.rank);
}

/// For a buffer whose address is not an address of data: its datatype may have addresses as displacements.
int check_bottom(const typed::Buffer &buffer) {
  const typed::Reach reach = buffer.layout->reach(buffer.count);
  const bool is_bottom = buffer.address == MPI_BOTTOM && is_address(static_cast<char *>(buffer.address) + reach.begin);
  if (reach.begin == reach.end || is_bottom) return MPI_SUCCESS;
  return refuse(MPI_ERR_BUFFER, "invalid address %p of %lld bytes of data", buffer.address,
                static_cast<long long>(reach.end - reach.begin));
}

}  // namespace

int resolve_target(const Window &window, const TargetBuffer &target, ResolvedTarget *resolved) {
  if (resolve_plain_target(window, target, resolved)) return MPI_SUCCESS;
  if (target.rank < 0 || target.rank >= window.size())
    return refuse(MPI_ERR_RANK, "target rank %d out of range (window has %d ranks)", target.rank, window.size());
  if (target.count < 0) return refuse(MPI_ERR_COUNT, "target count %lld is negative", static_cast<long long>(target.count));
  const Layout *layout = typed::layout_of(target.type);
  if (!layout) return refuse(MPI_ERR_TYPE, "the target's datatype is null or not committed");
  if (!layout->can_count(target.count))
    return refuse(MPI_ERR_COUNT, "target count %lld is too large", static_cast<long long>(target.count));
  if (!window.epochs.may_access(target.rank)) return refuse(MPI_ERR_RMA_SYNC, "no epoch is open for rank %d", target.rank);
  const Place place = window.memory.at(target.rank);
  const bool dynamic = window.attributes.flavor == MPI_WIN_FLAVOR_DYNAMIC;
  if (target.displacement < 0 && !dynamic)
    return refuse(MPI_ERR_DISP, "displacement %lld is negative", static_cast<long long>(target.displacement));
  std::int64_t offset = 0;
  if (__builtin_mul_overflow(static_cast<std::int64_t>(target.displacement), place.unit, &offset)) return MPI_ERR_RMA_RANGE;
  *resolved = {target.rank, place, offset, layout, static_cast<std::int64_t>(target.count)};
  const typed::Reach reach = layout->reach(resolved->count);
  if (reach.begin == reach.end) return MPI_SUCCESS;
  if (dynamic && place.is_far)
    if (const int code = code_of(window.attached.read(target.rank))) return code;
  return is_inside(window, *resolved, reach) ? MPI_SUCCESS : refuse_range(*resolved, reach, dynamic);
}

int find_buffer(const OriginBuffer &origin, typed::Buffer *buffer) {
  if (origin.count < 0) return refuse(MPI_ERR_COUNT, "count %lld is negative", static_cast<long long>(origin.count));
  const Layout *layout = typed::layout_of(origin.type);
  if (!layout) return refuse(MPI_ERR_TYPE, "a datatype of this rank is null or not committed");
  if (!layout->can_count(origin.count)) return refuse(MPI_ERR_COUNT, "count %lld is too large", static_cast<long long>(origin.count));
  *buffer = {origin.address, layout, static_cast<std::int64_t>(origin.count)};
  return is_address(origin.address) ? MPI_SUCCESS : check_bottom(*buffer);
}

int refuse_request(const Window &window, int target, const MPI_Request *request) {
  const Epochs &epochs = window.epochs;
  if (!request) return answer(window, refuse(MPI_ERR_ARG, "request is NULL"));
  if (target < 0 || target >= window.size() || !epochs.is_open(target) || epochs.is_locked(target)) return MPI_SUCCESS;
  return answer(window, refuse(MPI_ERR_RMA_SYNC, "rank %d is not locked; request-based operations need a lock", target));
}

/// A send to MPI_PROC_NULL is complete at once in every MPI, and its request works in each form of wait and test.
int complete_request(Window &window, int code, MPI_Request *request) {
  if (code != MPI_SUCCESS && code != MPI_ERR_RMA_CONFLICT) return code;
  window.comm->yield_if_oversubscribed();
  if (window.check) window.check->end_of_request()();
  const int sent = PMPI_Isend(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, request);
  return sent == MPI_SUCCESS ? code : sent;
}

}  // namespace halocline::core::mpi
