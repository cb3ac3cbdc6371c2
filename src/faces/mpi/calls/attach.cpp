// MPI_Win_attach and MPI_Win_detach (MPI 4.1, section 12.2.4).
// SPDX-License-Identifier: BSD-3-Clause
#include "base/types.hpp"
#include "device/driver.hpp"
#include "device/pointers.hpp"
#include "faces/mpi/access/resolve_target.hpp"
#include "faces/mpi/check/checker.hpp"
#include "faces/mpi/interpose/error_text.hpp"
#include "faces/mpi/interpose/host_table.hpp"
#include "faces/mpi/window/window.hpp"

using namespace halocline::core::mpi;

extern "C" {

int MPI_Win_attach(MPI_Win win, void *base, MPI_Aint size) {
  Window *window = find_window(win);
  if (!window) return host::Win_attach(win, base, size);
  if (window->attributes.flavor != MPI_WIN_FLAVOR_DYNAMIC) return answer(*window, MPI_ERR_RMA_FLAVOR);
  if (size < 0 || size > halocline::core::kMaxBytes)
    return answer(*window, refuse(MPI_ERR_SIZE, "invalid size of %lld bytes", static_cast<long long>(size)));
  if (size > 0 && !is_address(base)) return answer(*window, refuse(MPI_ERR_ARG, "invalid address %p", base));
  halocline::core::device::look_for_driver();
  if (const int device = halocline::core::device::find_device(base); device != halocline::core::device::kHost)
    return answer(*window, refuse(MPI_ERR_RMA_ATTACH, "%p is in the memory of %s, which the host cannot access", base,
                                  halocline::core::device::name_of_device(device).c_str()));
  if (window->check) window->check->note_memory(base, size);
  if (!failed(window->attached.attach(base, size))) return MPI_SUCCESS;
  return answer(*window, refuse(MPI_ERR_RMA_ATTACH, "%s", halocline::core::error_message()));
}

int MPI_Win_detach(MPI_Win win, const void *base) {
  Window *window = find_window(win);
  if (!window) return host::Win_detach(win, base);
  if (window->attributes.flavor != MPI_WIN_FLAVOR_DYNAMIC) return answer(*window, MPI_ERR_RMA_FLAVOR);
  return window->attached.detach(base) ? MPI_SUCCESS : answer(*window, refuse(MPI_ERR_ARG, "%p is not attached", base));
}

HLC_MPI_PROFILED(MPI_Win_attach)
HLC_MPI_PROFILED(MPI_Win_detach)

}  // extern "C"
