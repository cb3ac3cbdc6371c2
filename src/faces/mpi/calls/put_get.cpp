// Put and get, with and without requests. The data has moved when they return, unless the target is on another node.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/access/unmapped_copy.hpp"
#include "faces/mpi/calls/accesses.hpp"
#include "faces/mpi/calls/requests.hpp"
#include "faces/mpi/check/checker.hpp"
#include "faces/mpi/interpose/host_table.hpp"

namespace halocline::core::mpi {

int resolve_both(const Window &window, const OriginBuffer &origin, const TargetBuffer &target, ResolvedTarget *resolved,
                 typed::Buffer *buffer) {
  if (const int code = resolve_target(window, target, resolved)) return code;
  if (const int code = find_buffer(origin, buffer)) return code;
  return typed::same_bytes(*buffer, resolved->buffer()) ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
}

int move_resolved(Window &window, WindowMemory::Direction direction, const ResolvedTarget &resolved, const typed::Buffer &buffer) {
  note_order(direction);
  if (!resolved.place.is_mapped) return copy_remote(window, direction, resolved, buffer);
  if (direction == WindowMemory::Direction::write)
    typed::copy(resolved.buffer(), buffer);
  else
    typed::copy(buffer, resolved.buffer());
  return MPI_SUCCESS;
}

namespace {

int move(Window &window, WindowMemory::Direction direction, const OriginBuffer &origin, const TargetBuffer &target) {
  if (move_plain(window, direction, origin, target) || target.rank == MPI_PROC_NULL) return MPI_SUCCESS;
  ResolvedTarget resolved;
  typed::Buffer buffer;
  if (const int code = resolve_both(window, origin, target, &resolved, &buffer)) return code;
  return move_resolved(window, direction, resolved, buffer);
}

[[gnu::noinline]] int put_any(Window &window, const OriginBuffer &origin, const TargetBuffer &target) {
  const int code = checked(window, CheckedAccess{Call::put, MPI_OP_NULL, &origin, nullptr, &target},
                           [&] { return move(window, WindowMemory::Direction::write, origin, target); });
  return code == MPI_SUCCESS ? code : answer(window, code);
}

[[gnu::noinline]] int get_any(Window &window, const OriginBuffer &origin, const TargetBuffer &target) {
  const int code = checked(window, CheckedAccess{Call::get, MPI_OP_NULL, nullptr, &origin, &target},
                           [&] { return move(window, WindowMemory::Direction::read, origin, target); });
  return code == MPI_SUCCESS ? code : answer(window, code);
}

/// Rows are moved in the function of MPI itself, without calls between.
[[gnu::always_inline]] inline int put(Window &window, const OriginBuffer &origin, const TargetBuffer &target) {
  if (!window.check && move_plain(window, WindowMemory::Direction::write, origin, target)) return MPI_SUCCESS;
  return put_any(window, origin, target);
}

[[gnu::always_inline]] inline int get(Window &window, const OriginBuffer &origin, const TargetBuffer &target) {
  if (!window.check && move_plain(window, WindowMemory::Direction::read, origin, target)) return MPI_SUCCESS;
  return get_any(window, origin, target);
}

OriginBuffer origin_of(const void *address, MPI_Count count, MPI_Datatype type) { return {const_cast<void *>(address), count, type}; }

}  // namespace
}  // namespace halocline::core::mpi

using namespace halocline::core::mpi;

// Each function has a twin for large counts where the MPI has one.
// NOLINTBEGIN(readability-function-size): the standard's signatures
extern "C" {

int MPI_Put(const void *origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, int count, MPI_Datatype type,
            MPI_Win win) {
  Window *window = find_window(win);
  if (!window) return host::Put(origin, origin_count, origin_type, rank, disp, count, type, win);
  return put(*window, origin_of(origin, origin_count, origin_type), {rank, disp, count, type});
}

int MPI_Get(void *origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, int count, MPI_Datatype type, MPI_Win win) {
  Window *window = find_window(win);
  if (!window) return host::Get(origin, origin_count, origin_type, rank, disp, count, type, win);
  return get(*window, {origin, origin_count, origin_type}, {rank, disp, count, type});
}

int MPI_Rput(const void *origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, int count, MPI_Datatype type,
             MPI_Win win, MPI_Request *request) {
  Window *window = find_window(win);
  if (!window) return host::Rput(origin, origin_count, origin_type, rank, disp, count, type, win, request);
  if (const int code = refuse_request(*window, rank, request)) return code;
  const int code = put(*window, origin_of(origin, origin_count, origin_type), {rank, disp, count, type});
  return end_with_request(*window, code, rank, request);
}

int MPI_Rget(void *origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, int count, MPI_Datatype type, MPI_Win win,
             MPI_Request *request) {
  Window *window = find_window(win);
  if (!window) return host::Rget(origin, origin_count, origin_type, rank, disp, count, type, win, request);
  if (const int code = refuse_request(*window, rank, request)) return code;
  const int code = get(*window, {origin, origin_count, origin_type}, {rank, disp, count, type});
  return end_with_request(*window, code, rank, request);
}

#if MPI_VERSION >= 4
int MPI_Put_c(const void *origin, MPI_Count origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, MPI_Count count,
              MPI_Datatype type, MPI_Win win) {
  Window *window = find_window(win);
  if (!window) return host::Put_c(origin, origin_count, origin_type, rank, disp, count, type, win);
  return put(*window, origin_of(origin, origin_count, origin_type), {rank, disp, count, type});
}

int MPI_Get_c(void *origin, MPI_Count origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, MPI_Count count, MPI_Datatype type,
              MPI_Win win) {
  Window *window = find_window(win);
  if (!window) return host::Get_c(origin, origin_count, origin_type, rank, disp, count, type, win);
  return get(*window, {origin, origin_count, origin_type}, {rank, disp, count, type});
}

int MPI_Rput_c(const void *origin, MPI_Count origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, MPI_Count count,
               MPI_Datatype type, MPI_Win win, MPI_Request *request) {
  Window *window = find_window(win);
  if (!window) return host::Rput_c(origin, origin_count, origin_type, rank, disp, count, type, win, request);
  if (const int code = refuse_request(*window, rank, request)) return code;
  const int code = put(*window, origin_of(origin, origin_count, origin_type), {rank, disp, count, type});
  return end_with_request(*window, code, rank, request);
}

int MPI_Rget_c(void *origin, MPI_Count origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, MPI_Count count, MPI_Datatype type,
               MPI_Win win, MPI_Request *request) {
  Window *window = find_window(win);
  if (!window) return host::Rget_c(origin, origin_count, origin_type, rank, disp, count, type, win, request);
  if (const int code = refuse_request(*window, rank, request)) return code;
  const int code = get(*window, {origin, origin_count, origin_type}, {rank, disp, count, type});
  return end_with_request(*window, code, rank, request);
}

#endif

HLC_MPI_PROFILED(MPI_Put)
HLC_MPI_PROFILED(MPI_Get)
HLC_MPI_PROFILED(MPI_Rput)
HLC_MPI_PROFILED(MPI_Rget)
#if MPI_VERSION >= 4
HLC_MPI_PROFILED(MPI_Put_c)
HLC_MPI_PROFILED(MPI_Get_c)
HLC_MPI_PROFILED(MPI_Rput_c)
HLC_MPI_PROFILED(MPI_Rget_c)
#endif

}  // extern "C"
// NOLINTEND(readability-function-size)
