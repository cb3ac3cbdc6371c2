// Attributes of windows for Fortran, whose bindings do not call MPI_Win_get_attr: MPICH's and Intel MPI's call MPII_Win_get_attr, Open MPI's
// read the window. Fortran gets the values themselves as integers, where C gets addresses (MPI 4.1, section 7.7.7).
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>

#include <cstring>

#include "faces/mpi/interpose/host_table.hpp"
#include "faces/mpi/window/window.hpp"

namespace halocline::core::mpi {
namespace {

/// An attribute that the window itself has, as an integer. False for others.
[[maybe_unused]] bool find_integer(const Window &window, int keyval, MPI_Aint *value) {
  const Window::Attributes &attributes = window.attributes;
  if (keyval == MPI_WIN_BASE)
    std::memcpy(value, &attributes.base, sizeof *value);
  else if (keyval == MPI_WIN_SIZE)
    *value = attributes.size;
  else if (keyval == MPI_WIN_DISP_UNIT)
    *value = attributes.unit;
  else if (keyval == MPI_WIN_CREATE_FLAVOR)
    *value = attributes.flavor;
  else if (keyval == MPI_WIN_MODEL)
    *value = attributes.model;
  else
    return false;
  return true;
}

}  // namespace
}  // namespace halocline::core::mpi

using namespace halocline::core::mpi;

// The libraries of MPICH and Intel MPI for the MPI-5 ABI have it, too.
#if defined(MPICH_VERSION) || defined(MPI_ABI_VERSION)

extern "C" {

// The last argument says what the caller wants: an address as in C, an MPI_Aint, or an int.
int MPII_Win_get_attr(MPI_Win win, int keyval, void *value, int *flag, int wanted) {
  constexpr int kAddress = 0, kInt = 3;
  static auto *const host = reinterpret_cast<decltype(&MPII_Win_get_attr)>(dlsym(RTLD_NEXT, "MPII_Win_get_attr"));
  const Window *window = find_window(win);
  MPI_Aint found = 0;
  if (!window || !find_integer(*window, keyval, &found)) return host(win, keyval, value, flag, wanted);
  *flag = 1;
  if (wanted == kAddress) return MPI_Win_get_attr(win, keyval, value, flag);
  const int narrow = static_cast<int>(found);
  std::memcpy(value, wanted == kInt ? static_cast<const void *>(&narrow) : &found, wanted == kInt ? sizeof narrow : sizeof found);
  return MPI_SUCCESS;
}

}  // extern "C"

#endif

#ifdef OPEN_MPI

extern "C" {

// The names that compilers make of it. mpi_f08 calls pmpi_win_get_attr_ or ompi_win_get_attr_f.
// NOLINTBEGIN(readability-identifier-naming)
#define HLC_MPI_FORTRAN_NAMES(X) \
  X(mpi_win_get_attr)            \
  X(mpi_win_get_attr_)           \
  X(mpi_win_get_attr__) X(MPI_WIN_GET_ATTR) X(pmpi_win_get_attr) X(pmpi_win_get_attr_) X(pmpi_win_get_attr__) X(PMPI_WIN_GET_ATTR)

void ompi_win_get_attr_f(MPI_Fint *win, MPI_Fint *keyval, MPI_Aint *value, int *flag, MPI_Fint *error) {
  static auto *const host = reinterpret_cast<decltype(&ompi_win_get_attr_f)>(dlsym(RTLD_NEXT, "ompi_win_get_attr_f"));
  const Window *window = find_window(PMPI_Win_f2c(*win));
  if (!window || !find_integer(*window, *keyval, value)) return host(win, keyval, value, flag, error);
  *flag = 1;
  if (error) *error = MPI_SUCCESS;
}

#define HLC_MPI_FORTRAN_NAME(name) decltype(ompi_win_get_attr_f) name __attribute__((alias("ompi_win_get_attr_f")));
HLC_MPI_FORTRAN_NAMES(HLC_MPI_FORTRAN_NAME)
// NOLINTEND(readability-identifier-naming)

}  // extern "C"

#endif
