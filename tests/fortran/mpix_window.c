/* A window and constants of MPI as Fortran's integers, for MPIs without modules. SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>

#ifdef MPI_ABI_VERSION
#define INTEGER(kind, handle) MPI_##kind##_toint(handle)
static MPI_Win win_of(int handle) { return MPI_Win_fromint(handle); }
#else
#define INTEGER(kind, handle) (int)MPI_##kind##_c2f(handle)
static MPI_Win win_of(int handle) { return MPI_Win_f2c((MPI_Fint)handle); }
#endif

int mpix_test_win(int numbers, double **base) {
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_allocate((MPI_Aint)numbers * (MPI_Aint)sizeof(double), (int)sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, base, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  for (int i = 0; i < numbers; ++i) (*base)[i] = -1;
  return INTEGER(Win, win);
}

int mpix_test_double(void) { return INTEGER(Type, MPI_DOUBLE); }
int mpix_test_sum(void) { return INTEGER(Op, MPI_SUM); }
int mpix_test_info_null(void) { return INTEGER(Info, MPI_INFO_NULL); }
int mpix_test_any_source(void) { return MPI_ANY_SOURCE; }
int mpix_test_any_tag(void) { return MPI_ANY_TAG; }
int mpix_test_class(int code) {
  int error_class = 0;
  MPI_Error_class(code, &error_class);
  return error_class;
}
int mpix_test_class_of_argument(void) { return MPI_ERR_ARG; }
int mpix_test_class_of_buffer(void) { return MPI_ERR_BUFFER; }
void mpix_test_lock_all(int win) { MPI_Win_lock_all(0, win_of(win)); }
void mpix_test_flush_all(int win) { MPI_Win_flush_all(win_of(win)); }
void mpix_test_end(int win) {
  MPI_Win same = win_of(win);
  MPI_Win_unlock_all(same);
  MPI_Win_free(&same);
}
