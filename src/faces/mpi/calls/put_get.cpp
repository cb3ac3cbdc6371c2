// Put and get, with and without requests. The data has moved when they return, unless the target is on another node.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/access/unmapped_copy.hpp"
#include "faces/mpi/calls/requests.hpp"
#include "faces/mpi/check/checker.hpp"
#include "faces/mpi/interpose/host_table.hpp"

namespace halocline::core::mpi {
namespace {

int move(Window &window, WindowMemory::Direction direction, const Mine &mine, const Theirs &theirs) {
  if (move_plain(window, direction, mine, theirs) || theirs.rank == MPI_PROC_NULL) return MPI_SUCCESS;
  Spot spot;
  typed::Buffer buffer;
  if (const int code = find_spot(window, theirs, &spot)) return code;
  if (const int code = find_buffer(mine, &buffer)) return code;
  if (!typed::same_bytes(buffer, spot.buffer())) return MPI_ERR_TRUNCATE;
  note_order(direction);
  if (!spot.place.is_mapped) return copy_remote(window, direction, spot, buffer);
  if (direction == WindowMemory::Direction::write)
    typed::copy(spot.buffer(), buffer);
  else
    typed::copy(buffer, spot.buffer());
  return MPI_SUCCESS;
}

[[gnu::noinline]] int put_any(Window &window, const Mine &mine, const Theirs &theirs) {
  const int code = checked(window, CheckedAccess{Call::put, MPI_OP_NULL, &mine, nullptr, &theirs},
                           [&] { return move(window, WindowMemory::Direction::write, mine, theirs); });
  return code == MPI_SUCCESS ? code : answer(window, code);
}

[[gnu::noinline]] int get_any(Window &window, const Mine &mine, const Theirs &theirs) {
  const int code = checked(window, CheckedAccess{Call::get, MPI_OP_NULL, nullptr, &mine, &theirs},
                           [&] { return move(window, WindowMemory::Direction::read, mine, theirs); });
  return code == MPI_SUCCESS ? code : answer(window, code);
}

/// Rows are moved in the function of MPI itself, without calls between.
inline int put(Window &window, const Mine &mine, const Theirs &theirs) {
  if (!window.check && move_plain(window, WindowMemory::Direction::write, mine, theirs)) return MPI_SUCCESS;
  return put_any(window, mine, theirs);
}

inline int get(Window &window, const Mine &mine, const Theirs &theirs) {
  if (!window.check && move_plain(window, WindowMemory::Direction::read, mine, theirs)) return MPI_SUCCESS;
  return get_any(window, mine, theirs);
}

Mine mine_of(const void *address, MPI_Count count, MPI_Datatype type) { return {const_cast<void *>(address), count, type}; }

}  // namespace
}  // namespace halocline::core::mpi

using namespace halocline::core::mpi;

// Each function has a twin for large counts where the MPI has one.
// NOLINTBEGIN(readability-function-size): the standard's signatures
extern "C" {

int MPI_Put(const void *origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, int count,
                    MPI_Datatype type, MPI_Win win) {
  Window *window = find_window(win);
  if (!window) return host::Put(origin, origin_count, origin_type, rank, disp, count, type, win);
  return put(*window, mine_of(origin, origin_count, origin_type), {rank, disp, count, type});
}

int MPI_Get(void *origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, int count, MPI_Datatype type,
                    MPI_Win win) {
  Window *window = find_window(win);
  if (!window) return host::Get(origin, origin_count, origin_type, rank, disp, count, type, win);
  return get(*window, {origin, origin_count, origin_type}, {rank, disp, count, type});
}

int MPI_Rput(const void *origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, int count,
                     MPI_Datatype type, MPI_Win win, MPI_Request *request) {
  Window *window = find_window(win);
  if (!window) return host::Rput(origin, origin_count, origin_type, rank, disp, count, type, win, request);
  if (const int code = refuse_request(*window, rank, request)) return code;
  const int code = put(*window, mine_of(origin, origin_count, origin_type), {rank, disp, count, type});
  return end_with_request(*window, code, rank, request);
}

int MPI_Rget(void *origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, int count,
                     MPI_Datatype type, MPI_Win win, MPI_Request *request) {
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
  return put(*window, mine_of(origin, origin_count, origin_type), {rank, disp, count, type});
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
  const int code = put(*window, mine_of(origin, origin_count, origin_type), {rank, disp, count, type});
  return end_with_request(*window, code, rank, request);
}

int MPI_Rget_c(void *origin, MPI_Count origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, MPI_Count count,
                     MPI_Datatype type, MPI_Win win, MPI_Request *request) {
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
