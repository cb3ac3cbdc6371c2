// What a program with notified access (halocline/mpix.h) is linked with if it is not linked with the drop-in, libhalocline_mpi. Once that is
// loaded before this library, its functions are found first. Those here say that it is not. They need nothing but the MPI.
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <halocline/mpix.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>

// Which drop-in it stands in for: that of the MPI, or that of the MPI-5 ABI.
#if defined MPI_ABI
#define HLC_DROP_IN "libhalocline_mpi_abi"
#else
#define HLC_DROP_IN "libhalocline_mpi"
#endif

namespace {

constexpr int kCode = MPI_ERR_UNSUPPORTED_OPERATION;

bool is_mpi_there() {
  int begun = 0, ended = 0;
  PMPI_Initialized(&begun);
  PMPI_Finalized(&ended);
  return begun != 0 && ended == 0;
}

/// The drop-in beside this library, or its name alone if it is not there.
const char *find_drop_in(char (&path)[4096]) {
  constexpr const char *kName = HLC_DROP_IN ".so";
  Dl_info self{};
  const bool is_known = dladdr(reinterpret_cast<const void *>(&find_drop_in), &self) != 0 && self.dli_fname != nullptr;
  const char *const end = is_known ? std::strrchr(self.dli_fname, '/') : nullptr;
  if (!end) return kName;
  const int written = std::snprintf(path, sizeof path, "%.*s/%s", static_cast<int>(end - self.dli_fname), self.dli_fname, kName);
  return written > 0 && written < static_cast<int>(sizeof path) && access(path, R_OK) == 0 ? path : kName;
}

/// Once per process.
void say_what_to_load(const char *call) {
  static std::atomic_flag said;
  if (said.test_and_set(std::memory_order_relaxed)) return;
  char path[4096];
  int rank = 0;
  if (is_mpi_there()) PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::fprintf(stderr,
               "halocline: %s on rank %d: notified access to MPI windows needs " HLC_DROP_IN
               ", which is not loaded; start the program "
               "by `halocline-run --mpi`, or with LD_PRELOAD=%s\n",
               call, rank, find_drop_in(path));
}

int refuse(const char *call, MPI_Win win) {
  say_what_to_load(call);
  if (!is_mpi_there()) return kCode;
  if (win == MPI_WIN_NULL)
    PMPI_Comm_call_errhandler(MPI_COMM_WORLD, kCode);
  else
    PMPI_Win_call_errhandler(win, kCode);
  return kCode;
}

}  // namespace

/// A function, its other arguments, and its second name.
#define HLC_STAND_IN(name, win, ...)                   \
  int name(__VA_ARGS__) { return refuse(#name, win); } \
  decltype(name) P##name __attribute__((alias(#name)));

extern "C" {

HLC_STAND_IN(MPIX_Win_set_num_notify, win, MPI_Win win, MPI_Info, int)
HLC_STAND_IN(MPIX_Win_get_num_notify, win, MPI_Win win, int *)
// NOLINTBEGIN(readability-function-size): as the functions of MPI
HLC_STAND_IN(MPIX_Put_notify, win, const void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, int, MPI_Win win)
HLC_STAND_IN(MPIX_Put_notify_c, win, const void *, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype, int, MPI_Win win)
HLC_STAND_IN(MPIX_Get_notify, win, void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, int, MPI_Win win)
HLC_STAND_IN(MPIX_Get_notify_c, win, void *, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype, int, MPI_Win win)
HLC_STAND_IN(MPIX_Accumulate_notify, win, const void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Op, int, MPI_Win win)
HLC_STAND_IN(MPIX_Accumulate_notify_c, win, const void *, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype, MPI_Op, int,
             MPI_Win win)
HLC_STAND_IN(MPIX_Put_notify_value, win, const void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, int, int, MPI_Win win)
HLC_STAND_IN(MPIX_Put_notify_value_c, win, const void *, MPI_Count, MPI_Datatype, int, MPI_Aint, MPI_Count, MPI_Datatype, int, int,
             MPI_Win win)
// NOLINTEND(readability-function-size)
HLC_STAND_IN(MPIX_Win_get_notify_value, win, MPI_Win win, int, MPI_Count *)
HLC_STAND_IN(MPIX_Win_notify_init, win, int, int, int, MPI_Win win, MPIX_Notify *)
HLC_STAND_IN(MPIX_Notify_start, MPI_WIN_NULL, MPIX_Notify)
HLC_STAND_IN(MPIX_Notify_test, MPI_WIN_NULL, MPIX_Notify, int *, MPI_Status *)
HLC_STAND_IN(MPIX_Notify_wait, MPI_WIN_NULL, MPIX_Notify, MPI_Status *)
HLC_STAND_IN(MPIX_Notify_free, MPI_WIN_NULL, MPIX_Notify *)
HLC_STAND_IN(MPIX_Win_notify_waitsome, win, MPI_Win win, int, int, int *)
HLC_STAND_IN(MPIX_Win_notify_testsome, win, MPI_Win win, int, int, int *, int *)
HLC_STAND_IN(MPIX_Win_notify_reset, win, MPI_Win win, int, int *)

}  // extern "C"
