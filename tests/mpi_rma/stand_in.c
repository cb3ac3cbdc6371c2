/* A program with notified access that is linked with libhalocline_mpix: `stand_in CASE`. fatal: the first call ends it, unless the drop-in is
   loaded. returned: each call answers an error class, which is printed; with the drop-in the notified put arrives.
   SPDX-License-Identifier: BSD-3-Clause */
#include <halocline/mpix.h>
#include <stdio.h>
#include <string.h>

static int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

/* How many of the calls answered MPI_ERR_UNSUPPORTED_OPERATION. */
static int try_all(MPI_Win win, int *calls) {
  int refused = 0, number = 0, other = 0;
  MPI_Count count = 0;
  MPIX_Notify request = MPIX_NOTIFY_NULL;
  double data = 1;
  const int codes[] = {
      MPIX_Win_get_num_notify(win, &number),
      MPIX_Put_notify(&data, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, 0, win),
      MPIX_Put_notify_c(&data, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, 0, win),
      MPIX_Get_notify(&data, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, 0, win),
      MPIX_Get_notify_c(&data, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, 0, win),
      MPIX_Accumulate_notify(&data, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, MPI_SUM, 0, win),
      MPIX_Accumulate_notify_c(&data, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, MPI_SUM, 0, win),
      MPIX_Put_notify_value(&data, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, 0, 5, win),
      MPIX_Put_notify_value_c(&data, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, 0, 5, win),
      MPIX_Win_get_notify_value(win, 0, &count),
      MPIX_Win_notify_init(0, 0, 1, win, &request),
      MPIX_Notify_start(request),
      MPIX_Notify_test(request, &number, MPI_STATUS_IGNORE),
      MPIX_Notify_wait(request, MPI_STATUS_IGNORE),
      MPIX_Notify_free(&request),
      MPIX_Win_notify_waitsome(win, 0, 1, &number),
      MPIX_Win_notify_testsome(win, 0, 1, &number, &other),
      MPIX_Win_notify_reset(win, 0, &number),
  };
  *calls = (int)(sizeof codes / sizeof *codes);
  for (int i = 0; i < *calls; ++i) refused += class_of(codes[i]) == MPI_ERR_UNSUPPORTED_OPERATION;
  return refused;
}

int main(int argc, char **argv) {
  double *mine = NULL;
  MPI_Win win = MPI_WIN_NULL;
  int calls = 0;
  MPI_Init(&argc, &argv);
  MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_SELF, &mine, &win);
  if (argc > 1 && strcmp(argv[1], "returned") == 0) {
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  }
  const int code = MPIX_Win_set_num_notify(win, MPI_INFO_NULL, 1);
  MPI_Win_lock_all(0, win);
  const int refused = try_all(win, &calls) + (class_of(code) == MPI_ERR_UNSUPPORTED_OPERATION);
  printf("%d of %d calls refused\n", refused, calls + 1);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
