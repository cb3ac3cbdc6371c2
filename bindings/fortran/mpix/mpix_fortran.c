/*
 * The functions of halocline/mpix.h as module halocline_mpix calls them: handles are MPI's integers for Fortran, arguments addresses, data an
 * array descriptor (Fortran 2018, 18.5). Handles of mpi_f08 are structures of one such integer: the names that end in _f08 take those.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <ISO_Fortran_binding.h>
#include <halocline/mpix.h>
#include <stdio.h>

#ifdef MPI_ABI_VERSION
#define WIN(handle) MPI_Win_fromint(*(handle))
#define TYPE(handle) MPI_Type_fromint(*(handle))
#define OP(handle) MPI_Op_fromint(*(handle))
#define INFO(handle) MPI_Info_fromint(*(handle))
#else
#define WIN(handle) MPI_Win_f2c(*(handle))
#define TYPE(handle) MPI_Type_f2c(*(handle))
#define OP(handle) MPI_Op_f2c(*(handle))
#define INFO(handle) MPI_Info_f2c(*(handle))
#endif

/* A function that programs call with handles of either module: its second name. */
#define BOTH(name) extern __typeof__(name) name##_f08 __attribute__((alias(#name), visibility("default")));
#define EXPORT __attribute__((visibility("default")))

static void give(int code, MPI_Fint *ierror) {
  if (ierror) *ierror = (MPI_Fint)code;
}

/* The address of the data. A section that is not contiguous would be moved as if it were. */
static int find_data(const char *call, const CFI_cdesc_t *data, MPI_Win win, void **address) {
  const int has_end = data->rank == 0 || data->dim[data->rank - 1].extent >= 0;
  *address = data->base_addr;
  if (!has_end || data->base_addr == NULL || CFI_is_contiguous(data)) return MPI_SUCCESS;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr,
          "halocline: %s on rank %d: the array section is not contiguous; pass its first element and a datatype that describes it\n", call,
          rank);
  MPI_Win_call_errhandler(win, MPI_ERR_BUFFER);
  return MPI_ERR_BUFFER;
}

/* An access whose counts are of a type `number`. */
#define ACCESS(name, function, number)                                                                                                 \
  EXPORT void name(const CFI_cdesc_t *origin, const number *origin_count, const MPI_Fint *origin_type, const MPI_Fint *rank,           \
                   const MPI_Aint *disp, const number *count, const MPI_Fint *type, const MPI_Fint *notification, const MPI_Fint *win, \
                   MPI_Fint *ierror) {                                                                                                 \
    void *address = NULL;                                                                                                              \
    const MPI_Win window = WIN(win);                                                                                                   \
    int code = find_data(#function, origin, window, &address);                                                                         \
    if (code == MPI_SUCCESS)                                                                                                           \
      code = function(address, *origin_count, TYPE(origin_type), *rank, *disp, *count, TYPE(type), *notification, window);             \
    give(code, ierror);                                                                                                                \
  }                                                                                                                                    \
  BOTH(name)

/* The same with an operation. */
#define ACCUMULATE(name, function, number)                                                                                            \
  EXPORT void name(const CFI_cdesc_t *origin, const number *origin_count, const MPI_Fint *origin_type, const MPI_Fint *rank,          \
                   const MPI_Aint *disp, const number *count, const MPI_Fint *type, const MPI_Fint *op, const MPI_Fint *notification, \
                   const MPI_Fint *win, MPI_Fint *ierror) {                                                                           \
    void *address = NULL;                                                                                                             \
    const MPI_Win window = WIN(win);                                                                                                  \
    int code = find_data(#function, origin, window, &address);                                                                        \
    if (code == MPI_SUCCESS)                                                                                                          \
      code = function(address, *origin_count, TYPE(origin_type), *rank, *disp, *count, TYPE(type), OP(op), *notification, window);    \
    give(code, ierror);                                                                                                               \
  }                                                                                                                                   \
  BOTH(name)

/* The same with a value. */
#define PUT_VALUE(name, function, number)                                                                                                \
  EXPORT void name(const CFI_cdesc_t *origin, const number *origin_count, const MPI_Fint *origin_type, const MPI_Fint *rank,             \
                   const MPI_Aint *disp, const number *count, const MPI_Fint *type, const MPI_Fint *notification, const MPI_Fint *value, \
                   const MPI_Fint *win, MPI_Fint *ierror) {                                                                              \
    void *address = NULL;                                                                                                                \
    const MPI_Win window = WIN(win);                                                                                                     \
    int code = find_data(#function, origin, window, &address);                                                                           \
    if (code == MPI_SUCCESS)                                                                                                             \
      code = function(address, *origin_count, TYPE(origin_type), *rank, *disp, *count, TYPE(type), *notification, *value, window);       \
    give(code, ierror);                                                                                                                  \
  }                                                                                                                                      \
  BOTH(name)

ACCESS(hlc_mpix_put_notify, MPIX_Put_notify, MPI_Fint)
ACCESS(hlc_mpix_put_notify_c, MPIX_Put_notify_c, MPI_Count)
ACCESS(hlc_mpix_get_notify, MPIX_Get_notify, MPI_Fint)
ACCESS(hlc_mpix_get_notify_c, MPIX_Get_notify_c, MPI_Count)
ACCUMULATE(hlc_mpix_accumulate_notify, MPIX_Accumulate_notify, MPI_Fint)
ACCUMULATE(hlc_mpix_accumulate_notify_c, MPIX_Accumulate_notify_c, MPI_Count)
PUT_VALUE(hlc_mpix_put_notify_value, MPIX_Put_notify_value, MPI_Fint)
PUT_VALUE(hlc_mpix_put_notify_value_c, MPIX_Put_notify_value_c, MPI_Count)

EXPORT void hlc_mpix_win_set_num_notify(const MPI_Fint *win, const MPI_Fint *info, const MPI_Fint *num, MPI_Fint *ierror) {
  give(MPIX_Win_set_num_notify(WIN(win), INFO(info), *num), ierror);
}
BOTH(hlc_mpix_win_set_num_notify)

EXPORT void hlc_mpix_win_get_num_notify(const MPI_Fint *win, MPI_Fint *num, MPI_Fint *ierror) {
  give(MPIX_Win_get_num_notify(WIN(win), num), ierror);
}
BOTH(hlc_mpix_win_get_num_notify)

EXPORT void hlc_mpix_win_get_notify_value(const MPI_Fint *win, const MPI_Fint *notification, MPI_Count *value, MPI_Fint *ierror) {
  give(MPIX_Win_get_notify_value(WIN(win), *notification, value), ierror);
}
BOTH(hlc_mpix_win_get_notify_value)

EXPORT void hlc_mpix_win_notify_init(const MPI_Fint *source, const MPI_Fint *notification, const MPI_Fint *count, const MPI_Fint *win,
                                     MPIX_Notify *request, MPI_Fint *ierror) {
  give(MPIX_Win_notify_init(*source, *notification, *count, WIN(win), request), ierror);
}
BOTH(hlc_mpix_win_notify_init)

EXPORT void hlc_mpix_win_notify_waitsome(const MPI_Fint *win, const MPI_Fint *first, const MPI_Fint *count, MPI_Fint *notification,
                                         MPI_Fint *ierror) {
  give(MPIX_Win_notify_waitsome(WIN(win), *first, *count, notification), ierror);
}
BOTH(hlc_mpix_win_notify_waitsome)

/* The flag is a logical of Fortran, which the module makes of this number. */
EXPORT void hlc_mpix_win_notify_testsome(const MPI_Fint *win, const MPI_Fint *first, const MPI_Fint *count, MPI_Fint *flag,
                                         MPI_Fint *notification, MPI_Fint *ierror) {
  give(MPIX_Win_notify_testsome(WIN(win), *first, *count, flag, notification), ierror);
}

EXPORT void hlc_mpix_win_notify_reset(const MPI_Fint *win, const MPI_Fint *notification, MPI_Fint *value, MPI_Fint *ierror) {
  give(MPIX_Win_notify_reset(WIN(win), *notification, value), ierror);
}
BOTH(hlc_mpix_win_notify_reset)

EXPORT void hlc_mpix_notify_start(const MPIX_Notify *request, MPI_Fint *ierror) { give(MPIX_Notify_start(*request), ierror); }

EXPORT void hlc_mpix_notify_free(MPIX_Notify *request, MPI_Fint *ierror) { give(MPIX_Notify_free(request), ierror); }

/* Tests, or waits if flag is NULL. The program's status is that of its module; source and notification go there. */
EXPORT int hlc_mpix_notify_complete(const MPIX_Notify *request, MPI_Fint *flag, MPI_Fint *source, MPI_Fint *notification) {
  MPI_Status status = {.MPI_SOURCE = MPI_ANY_SOURCE, .MPI_TAG = MPI_ANY_TAG};
  const int code = flag ? MPIX_Notify_test(*request, flag, &status) : MPIX_Notify_wait(*request, &status);
  *source = status.MPI_SOURCE;
  *notification = status.MPI_TAG;
  return code;
}

/* Writes them into a status of module mpi, unless that is MPI_STATUS_IGNORE. */
EXPORT void hlc_mpix_fill_status(MPI_Fint source, MPI_Fint notification, MPI_Fint *to) {
  MPI_Status status = {.MPI_SOURCE = source, .MPI_TAG = notification};
  if (to == MPI_F_STATUS_IGNORE) return;
  MPI_Status_set_elements(&status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(&status, 0);
  MPI_Status_c2f(&status, to);
}
