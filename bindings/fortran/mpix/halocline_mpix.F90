! SPDX-License-Identifier: BSD-3-Clause
!> Notified access to MPI windows: the functions of halocline/mpix.h, which describes them, with the handles of module mpi, which are
!> integers, or of mpi_f08. With the latter ierror may be left out. Link with libhalocline_mpix_fortran, and start the program with the
!> drop-in (docs/mpi.md). An array that is put or got is used until a flush: give it the attribute asynchronous. A section that is
!> not contiguous is an error; pass its first element and a datatype instead.
module halocline_mpix
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_intptr_t, c_null_ptr, c_ptr
#ifdef HALOCLINE_HAVE_MPI_F08
  use mpi_f08, only: MPI_Datatype, MPI_Info, MPI_Op, MPI_Status, MPI_Win
#endif
  implicit none
  private
  public :: MPIX_Notify, MPIX_NOTIFY_NULL, MPIX_ADDRESS_KIND, MPIX_COUNT_KIND
  public :: MPIX_Put_notify, MPIX_Put_notify_c, MPIX_Get_notify, MPIX_Get_notify_c
  public :: MPIX_Accumulate_notify, MPIX_Accumulate_notify_c, MPIX_Put_notify_value, MPIX_Put_notify_value_c
  public :: MPIX_Win_set_num_notify, MPIX_Win_get_num_notify, MPIX_Win_get_notify_value, MPIX_Win_notify_init
  public :: MPIX_Win_notify_waitsome, MPIX_Win_notify_reset
  public :: MPIX_Win_notify_testsome, MPIX_Notify_start, MPIX_Notify_test, MPIX_Notify_wait, MPIX_Notify_free

  !> MPI_ADDRESS_KIND and MPI_COUNT_KIND, for programs without the MPI's module.
  integer, parameter :: MPIX_ADDRESS_KIND = c_intptr_t, MPIX_COUNT_KIND = c_int64_t

  !> A notification request. A copy is the same request.
  type, bind(C) :: MPIX_Notify
    private
    type(c_ptr) :: handle = c_null_ptr
  end type
  !> No request; MPIX_Notify_free sets it.
  type(MPIX_Notify), parameter :: MPIX_NOTIFY_NULL = MPIX_Notify()

#define NAMED(procedure) procedure
#define WIN_HANDLE integer(c_int)
#define TYPE_HANDLE integer(c_int)
#define OP_HANDLE integer(c_int)
#define INFO_HANDLE integer(c_int)
#define OPTIONAL_ERROR
  interface
#include "halocline_mpix.inc"
    !> Activates a request. Earlier arrivals that no request has matched count, too.
    subroutine c_start(request, ierror) bind(C, name="hlc_mpix_notify_start")
      import
      type(MPIX_Notify), intent(in) :: request
      integer(c_int), intent(out), optional :: ierror
    end subroutine
    !> Frees a request, active or not.
    subroutine c_free(request, ierror) bind(C, name="hlc_mpix_notify_free")
      import
      type(MPIX_Notify), intent(inout) :: request
      integer(c_int), intent(out), optional :: ierror
    end subroutine
    subroutine c_testsome(win, first, count, flag, notification, ierror) bind(C, name="hlc_mpix_win_notify_testsome")
      import
      integer(c_int), intent(in) :: win, first, count
      integer(c_int), intent(out) :: flag
      integer(c_int), intent(inout) :: notification
      integer(c_int), intent(out) :: ierror
    end subroutine
    function c_complete(request, flag, source, notification) result(code) bind(C, name="hlc_mpix_notify_complete")
      import
      type(MPIX_Notify), intent(in) :: request
      integer(c_int), intent(out), optional :: flag
      integer(c_int), intent(out) :: source, notification
      integer(c_int) :: code
    end function
    subroutine c_fill_status(source, notification, status) bind(C, name="hlc_mpix_fill_status")
      import
      integer(c_int), value :: source, notification
      integer(c_int), intent(inout) :: status(*)
    end subroutine
  end interface
#undef NAMED
#undef WIN_HANDLE
#undef TYPE_HANDLE
#undef OP_HANDLE
#undef INFO_HANDLE
#undef OPTIONAL_ERROR

#ifdef HALOCLINE_HAVE_MPI_F08
#define NAMED(procedure) procedure/**/_f08
#define WIN_HANDLE type(MPI_Win)
#define TYPE_HANDLE type(MPI_Datatype)
#define OP_HANDLE type(MPI_Op)
#define INFO_HANDLE type(MPI_Info)
#define OPTIONAL_ERROR , optional
  interface
#include "halocline_mpix.inc"
  end interface
#endif

  interface MPIX_Put_notify
    procedure :: hlc_mpix_put_notify
#ifdef HALOCLINE_HAVE_MPI_F08
    procedure :: hlc_mpix_put_notify_f08
#endif
  end interface
  interface MPIX_Put_notify_c
    procedure :: hlc_mpix_put_notify_c
#ifdef HALOCLINE_HAVE_MPI_F08
    procedure :: hlc_mpix_put_notify_c_f08
#endif
  end interface
  interface MPIX_Get_notify
    procedure :: hlc_mpix_get_notify
#ifdef HALOCLINE_HAVE_MPI_F08
    procedure :: hlc_mpix_get_notify_f08
#endif
  end interface
  interface MPIX_Get_notify_c
    procedure :: hlc_mpix_get_notify_c
#ifdef HALOCLINE_HAVE_MPI_F08
    procedure :: hlc_mpix_get_notify_c_f08
#endif
  end interface
  interface MPIX_Accumulate_notify
    procedure :: hlc_mpix_accumulate_notify
#ifdef HALOCLINE_HAVE_MPI_F08
    procedure :: hlc_mpix_accumulate_notify_f08
#endif
  end interface
  interface MPIX_Accumulate_notify_c
    procedure :: hlc_mpix_accumulate_notify_c
#ifdef HALOCLINE_HAVE_MPI_F08
    procedure :: hlc_mpix_accumulate_notify_c_f08
#endif
  end interface
  interface MPIX_Put_notify_value
    procedure :: hlc_mpix_put_notify_value
#ifdef HALOCLINE_HAVE_MPI_F08
    procedure :: hlc_mpix_put_notify_value_f08
#endif
  end interface
  interface MPIX_Put_notify_value_c
    procedure :: hlc_mpix_put_notify_value_c
#ifdef HALOCLINE_HAVE_MPI_F08
    procedure :: hlc_mpix_put_notify_value_c_f08
#endif
  end interface
  interface MPIX_Win_set_num_notify
    procedure :: hlc_mpix_win_set_num_notify
#ifdef HALOCLINE_HAVE_MPI_F08
    procedure :: hlc_mpix_win_set_num_notify_f08
#endif
  end interface
  interface MPIX_Win_get_num_notify
    procedure :: hlc_mpix_win_get_num_notify
#ifdef HALOCLINE_HAVE_MPI_F08
    procedure :: hlc_mpix_win_get_num_notify_f08
#endif
  end interface
  interface MPIX_Win_get_notify_value
    procedure :: hlc_mpix_win_get_notify_value
#ifdef HALOCLINE_HAVE_MPI_F08
    procedure :: hlc_mpix_win_get_notify_value_f08
#endif
  end interface
  interface MPIX_Win_notify_init
    procedure :: hlc_mpix_win_notify_init
#ifdef HALOCLINE_HAVE_MPI_F08
    procedure :: hlc_mpix_win_notify_init_f08
#endif
  end interface
  interface MPIX_Win_notify_waitsome
    procedure :: hlc_mpix_win_notify_waitsome
#ifdef HALOCLINE_HAVE_MPI_F08
    procedure :: hlc_mpix_win_notify_waitsome_f08
#endif
  end interface
  interface MPIX_Win_notify_reset
    procedure :: hlc_mpix_win_notify_reset
#ifdef HALOCLINE_HAVE_MPI_F08
    procedure :: hlc_mpix_win_notify_reset_f08
#endif
  end interface
  !> As MPIX_Win_notify_waitsome without waiting: flag says whether one is set.
  interface MPIX_Win_notify_testsome
    procedure :: testsome
#ifdef HALOCLINE_HAVE_MPI_F08
    procedure :: testsome_f08
#endif
  end interface
  interface MPIX_Notify_start
    procedure :: c_start
  end interface
  interface MPIX_Notify_free
    procedure :: c_free
  end interface
  !> Waits until MPIX_Notify_test would set its flag.
  interface MPIX_Notify_wait
    procedure :: wait
#ifdef HALOCLINE_HAVE_MPI_F08
    procedure :: wait_f08
#endif
  end interface
  !> Matches what has arrived. flag is true if the request has all its arrivals, and it is inactive from then on; or if it was inactive. The
  !> status then has source and notification of the last one.
  interface MPIX_Notify_test
    procedure :: test
#ifdef HALOCLINE_HAVE_MPI_F08
    procedure :: test_f08
#endif
  end interface

contains

  subroutine testsome(win, first, count, flag, notification, ierror)
    integer(c_int), intent(in) :: win, first, count
    logical, intent(out) :: flag
    integer(c_int), intent(inout) :: notification
    integer(c_int), intent(out) :: ierror
    integer(c_int) :: found
    call c_testsome(win, first, count, found, notification, ierror)
    flag = found /= 0
  end subroutine

  !> status is an array of MPI_STATUS_SIZE integers, or MPI_STATUS_IGNORE.
  subroutine wait(request, status, ierror)
    type(MPIX_Notify), intent(in) :: request
    integer(c_int), intent(inout) :: status(*)
    integer(c_int), intent(out) :: ierror
    integer(c_int) :: source, notification
    ierror = c_complete(request, source=source, notification=notification)
    call c_fill_status(source, notification, status)
  end subroutine

  subroutine test(request, flag, status, ierror)
    type(MPIX_Notify), intent(in) :: request
    logical, intent(out) :: flag
    integer(c_int), intent(inout) :: status(*)
    integer(c_int), intent(out) :: ierror
    integer(c_int) :: found, source, notification
    found = 0
    ierror = c_complete(request, found, source, notification)
    flag = found /= 0
    if (flag) call c_fill_status(source, notification, status)
  end subroutine

#ifdef HALOCLINE_HAVE_MPI_F08
  subroutine testsome_f08(win, first, count, flag, notification, ierror)
    type(MPI_Win), intent(in) :: win
    integer(c_int), intent(in) :: first, count
    logical, intent(out) :: flag
    integer(c_int), intent(inout) :: notification
    integer(c_int), intent(out), optional :: ierror
    integer(c_int) :: found, code
    call c_testsome(win%MPI_VAL, first, count, found, notification, code)
    flag = found /= 0
    if (present(ierror)) ierror = code
  end subroutine

  !> MPI_STATUS_IGNORE of mpi_f08 is a variable of the MPI: what is written there nobody reads.
  subroutine wait_f08(request, status, ierror)
    type(MPIX_Notify), intent(in) :: request
    type(MPI_Status) :: status
    integer(c_int), intent(out), optional :: ierror
    integer(c_int) :: code, source, notification
    code = c_complete(request, source=source, notification=notification)
    status%MPI_SOURCE = source
    status%MPI_TAG = notification
    if (present(ierror)) ierror = code
  end subroutine

  subroutine test_f08(request, flag, status, ierror)
    type(MPIX_Notify), intent(in) :: request
    logical, intent(out) :: flag
    type(MPI_Status) :: status
    integer(c_int), intent(out), optional :: ierror
    integer(c_int) :: found, code, source, notification
    found = 0
    code = c_complete(request, found, source, notification)
    flag = found /= 0
    if (flag) status%MPI_SOURCE = source
    if (flag) status%MPI_TAG = notification
    if (present(ierror)) ierror = code
  end subroutine
#endif

end module
