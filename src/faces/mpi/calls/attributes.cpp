// What a program asks of a window: MPI_Win_shared_query, get_attr and get_group (MPI 4.1, sections 12.2.3 and 12.2.6).
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <cstring>

#include "faces/mpi/check/checker.hpp"
#include "faces/mpi/interpose/error_text.hpp"
#include "faces/mpi/interpose/host_table.hpp"
#include "faces/mpi/window/window.hpp"

namespace halocline::core::mpi {
namespace {

/// Memory that is not mapped here has no bytes, and what has none has no address. For MPI_PROC_NULL it is that of the lowest rank that has
/// some (MPI 4.1, section 12.2.3).
int query(const Window &window, int rank, MPI_Aint *size, std::int64_t *unit, void *baseptr) {
  if (window.check) window.check->note_query();
  if (!size || !baseptr) return answer(window, refuse(MPI_ERR_ARG, "size or baseptr is NULL"));
  if (window.attributes.flavor == MPI_WIN_FLAVOR_DYNAMIC) return answer(window, MPI_ERR_RMA_FLAVOR);
  if (rank != MPI_PROC_NULL && (rank < 0 || rank >= window.size())) return answer(window, refuse(MPI_ERR_RANK, "invalid rank %d", rank));
  const auto has_bytes = [&](int of) { return window.memory.at(of).bytes > 0; };
  int at = rank == MPI_PROC_NULL ? 0 : rank;
  while (rank == MPI_PROC_NULL && at + 1 < window.size() && !has_bytes(at)) at += 1;
  const Place place = window.memory.at(at);
  *size = place.is_mapped ? static_cast<MPI_Aint>(place.bytes) : 0;
  *unit = place.unit;
  void *const base = *size > 0 ? place.mapped : nullptr;
  std::memcpy(baseptr, &base, sizeof base);
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace halocline::core::mpi

using namespace halocline::core::mpi;

// MPI_Win_shared_query has a twin for large displacement units where the MPI has one.

extern "C" {

int MPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint *size, int *disp_unit, void *baseptr) {
  Window *window = find_window(win);
  if (!window) return host::Win_shared_query(win, rank, size, disp_unit, baseptr);
  std::int64_t unit = 1;
  const int code = query(*window, rank, size, &unit, baseptr);
  if (code == MPI_SUCCESS && disp_unit) *disp_unit = static_cast<int>(unit);
  return code;
}

#if MPI_VERSION >= 4
int MPI_Win_shared_query_c(MPI_Win win, int rank, MPI_Aint *size, MPI_Aint *disp_unit, void *baseptr) {
  Window *window = find_window(win);
  if (!window) return host::Win_shared_query_c(win, rank, size, disp_unit, baseptr);
  std::int64_t unit = 1;
  const int code = query(*window, rank, size, &unit, baseptr);
  if (code == MPI_SUCCESS && disp_unit) *disp_unit = static_cast<MPI_Aint>(unit);
  return code;
}

#endif

int MPI_Win_get_attr(MPI_Win win, int keyval, void *value, int *flag) {
  Window *window = find_window(win);
  if (!window || !value || !flag) return host::Win_get_attr(win, keyval, value, flag);
  Window::Attributes &attributes = window->attributes;
  void *found = nullptr;
  if (keyval == MPI_WIN_BASE)
    found = attributes.base;
  else if (keyval == MPI_WIN_SIZE)
    found = &attributes.size;
  else if (keyval == MPI_WIN_DISP_UNIT)
    found = &attributes.unit;
  else if (keyval == MPI_WIN_CREATE_FLAVOR)
    found = &attributes.flavor;
  else if (keyval == MPI_WIN_MODEL)
    found = &attributes.model;
  else
    return host::Win_get_attr(win, keyval, value, flag);
  std::memcpy(value, &found, sizeof found);
  *flag = 1;
  return MPI_SUCCESS;
}

int MPI_Win_get_group(MPI_Win win, MPI_Group *group) {
  Window *window = find_window(win);
  if (window && !group) return answer(*window, refuse(MPI_ERR_ARG, "group is NULL"));
  return window ? PMPI_Comm_group(window->comm->context.comm(), group) : host::Win_get_group(win, group);
}

HLC_MPI_PROFILED(MPI_Win_shared_query)
HLC_MPI_PROFILED(MPI_Win_get_attr)
HLC_MPI_PROFILED(MPI_Win_get_group)
#if MPI_VERSION >= 4
HLC_MPI_PROFILED(MPI_Win_shared_query_c)
#endif

}  // extern "C"
