! SPDX-License-Identifier: BSD-3-Clause
!> Notified access with the handles of mpi_f08: each function once, without ierror where it may be left out.
program mpix_f08_test
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit
  use mpi_f08
  use halocline_mpix
  implicit none

  integer, parameter :: numbers = 32
  integer(MPI_COUNT_KIND), parameter :: one = 1
  type(MPI_Win) :: win
  type(MPIX_Notify) :: request
  type(MPI_Status) :: status
  type(c_ptr) :: base
  real(c_double), pointer :: mine(:)
  real(c_double), asynchronous :: given(3), read(3)
  integer(MPI_ADDRESS_KIND) :: bytes
  integer(MPI_COUNT_KIND) :: counted
  integer :: me, ranks, next, previous, num, found, value, error, wrong, all_wrong, i
  logical :: flag

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  next = modulo(me + 1, ranks)
  previous = modulo(me - 1, ranks)
  wrong = 0
  bytes = 8*numbers
  call MPI_Win_allocate(bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
  call c_f_pointer(base, mine, [numbers])
  mine = 0
  call MPIX_Win_set_num_notify(win, MPI_INFO_NULL, 4)
  call MPIX_Win_get_num_notify(win, num, error)
  call expect(error == MPI_SUCCESS .and. num == 4, "MPIX_Win_get_num_notify")
  call MPI_Win_lock_all(0, win)
  given = [1d0, 2d0, 3d0] + 10*me
  call MPIX_Put_notify(given, 3, MPI_DOUBLE_PRECISION, next, 0_MPI_ADDRESS_KIND, 3, MPI_DOUBLE_PRECISION, 0, win)
  call MPIX_Accumulate_notify(given, 1, MPI_DOUBLE_PRECISION, next, 4_MPI_ADDRESS_KIND, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, win)
  call MPIX_Put_notify_c(given, one, MPI_DOUBLE_PRECISION, next, 5_MPI_ADDRESS_KIND, one, MPI_DOUBLE_PRECISION, 0, win)
  call MPIX_Accumulate_notify_c(given, one, MPI_DOUBLE_PRECISION, next, 6_MPI_ADDRESS_KIND, one, MPI_DOUBLE_PRECISION, MPI_SUM, 0, &
                                win)
  call MPI_Win_flush_all(win)
  call MPIX_Win_notify_init(previous, MPI_ANY_TAG, 4, win, request)
  call MPIX_Notify_start(request)
  call MPIX_Notify_wait(request, status)
  call expect(status%MPI_SOURCE == previous .and. status%MPI_TAG == 0, "the status of MPIX_Notify_wait")
  call expect(all(nint(mine(1:3)) == [1, 2, 3] + 10*previous), "the data of MPIX_Put_notify")
  call expect(all(nint(mine(5:7)) == 1 + 10*previous), "the data of other notified accesses")
  call MPIX_Get_notify(read, 3, MPI_DOUBLE_PRECISION, next, 0_MPI_ADDRESS_KIND, 3, MPI_DOUBLE_PRECISION, 1, win)
  call MPI_Win_flush_all(win)
  call expect(all(nint(read) == nint(given)), "MPIX_Get_notify")
  call MPIX_Get_notify_c(read(2), one, MPI_DOUBLE_PRECISION, next, 0_MPI_ADDRESS_KIND, one, MPI_DOUBLE_PRECISION, 1, win)
  call MPI_Win_flush_all(win)
  call expect(nint(read(2)) == nint(given(1)), "MPIX_Get_notify_c")
  do i = 1, 2
    call MPIX_Put_notify(given, 1, MPI_DOUBLE_PRECISION, next, 8_MPI_ADDRESS_KIND, 1, MPI_DOUBLE_PRECISION, 2, win)
  end do
  call MPIX_Notify_start(request)
  flag = .false.
  do while (.not. flag)
    call MPIX_Notify_test(request, flag, MPI_STATUS_IGNORE, error)
  end do
  call MPIX_Notify_free(request)
  call MPIX_Win_get_notify_value(win, 2, counted)
  call expect(counted == 2, "MPIX_Win_get_notify_value")
  call MPIX_Put_notify_value(given, 1, MPI_DOUBLE_PRECISION, next, 9_MPI_ADDRESS_KIND, 1, MPI_DOUBLE_PRECISION, 3, 7 + me, win)
  call MPIX_Win_notify_waitsome(win, 0, 4, found)
  call MPIX_Win_notify_testsome(win, 3, 1, flag, found)
  call MPIX_Win_notify_reset(win, 3, value)
  call expect(flag .and. found == 3 .and. value == 7 + previous, "values")
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPIX_Put_notify_value_c(given, one, MPI_DOUBLE_PRECISION, next, 9_MPI_ADDRESS_KIND, one, MPI_DOUBLE_PRECISION, 3, 9, win)
  call MPIX_Win_notify_waitsome(win, 3, 1, found, error)
  call expect(error == MPI_SUCCESS .and. found == 3, "MPIX_Put_notify_value_c")
  call MPI_Win_unlock_all(win)
  call MPI_Win_free(win)
  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  num = merge(1, 0, all_wrong == 0)
  if (me == 0) write (output_unit, "(2(i0,a))") num, " passed, ", 1 - num, " failed, 0 skipped"
  call MPI_Finalize()
  if (all_wrong > 0) error stop 1

contains

  subroutine expect(right, what)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what
    if (right) return
    wrong = wrong + 1
    write (error_unit, "(a,i0,2a)") "rank ", me, ": wrong: ", what
  end subroutine

end program
