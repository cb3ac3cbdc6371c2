! SPDX-License-Identifier: BSD-3-Clause
!> Notified access with integer handles, as module mpi has them: each function once, values, requests, errors.
program mpix_test
  use, intrinsic :: iso_c_binding
  use halocline, only: hlc_context
  use halocline_mpi
  use halocline_mpix
  use testing
  implicit none

  interface
    function make_win(numbers, base) result(win) bind(C, name="mpix_test_win")
      import
      integer(c_int), value :: numbers
      type(c_ptr), intent(out) :: base
      integer(c_int) :: win
    end function
    integer(c_int) function of_double() bind(C, name="mpix_test_double")
      import
    end function
    integer(c_int) function of_sum() bind(C, name="mpix_test_sum")
      import
    end function
    integer(c_int) function info_null() bind(C, name="mpix_test_info_null")
      import
    end function
    integer(c_int) function any_source() bind(C, name="mpix_test_any_source")
      import
    end function
    integer(c_int) function any_tag() bind(C, name="mpix_test_any_tag")
      import
    end function
    integer(c_int) function class_of(code) bind(C, name="mpix_test_class")
      import
      integer(c_int), value :: code
    end function
    integer(c_int) function class_of_argument() bind(C, name="mpix_test_class_of_argument")
      import
    end function
    integer(c_int) function class_of_buffer() bind(C, name="mpix_test_class_of_buffer")
      import
    end function
    subroutine lock_all(win) bind(C, name="mpix_test_lock_all")
      import
      integer(c_int), value :: win
    end subroutine
    subroutine flush_all(win) bind(C, name="mpix_test_flush_all")
      import
      integer(c_int), value :: win
    end subroutine
    subroutine end_win(win) bind(C, name="mpix_test_end")
      import
      integer(c_int), value :: win
    end subroutine
  end interface

  integer, parameter :: numbers = 32
  integer(MPIX_COUNT_KIND), parameter :: one = 1, three = 3
  type(hlc_context) :: context
  type(c_ptr) :: base
  real(c_double), pointer :: mine(:)
  integer :: win, next, previous, double, error

  call start_tests(context)
  next = modulo(context%rank + 1, context%size)
  previous = modulo(context%rank - 1, context%size)
  double = of_double()
  win = make_win(numbers, base)
  call c_f_pointer(base, mine, [numbers])
  call test_number()
  call lock_all(win)
  call test_accesses()
  call test_large_counts()
  call test_values()
  call test_requests()
  call test_errors()
  call end_win(win)
  call finish_tests(context)

contains

  subroutine test_number()
    integer :: num
    call MPIX_Win_get_num_notify(win, num, error)
    call expect(error == 0 .and. num == 0, "a new window has notifications")
    call MPIX_Win_set_num_notify(win, info_null(), 4, error)
    call expect(error == 0, "MPIX_Win_set_num_notify fails")
    call MPIX_Win_get_num_notify(win, num, error)
    call expect(error == 0 .and. num == 4, "the window has another number of notifications")
    call end_test("a window has as many notifications as it has been given")
  end subroutine

  !> Waits for `count` arrivals from the rank before this one.
  subroutine await(notification, count)
    integer, intent(in) :: notification, count
    type(MPIX_Notify) :: request
    integer :: status(16)
    call MPIX_Win_notify_init(previous, notification, count, win, request, error)
    call expect(error == 0, "MPIX_Win_notify_init fails")
    call MPIX_Notify_start(request, error)
    call expect(error == 0, "MPIX_Notify_start fails")
    call MPIX_Notify_wait(request, status, error)
    call expect(error == 0, "MPIX_Notify_wait fails")
    call MPIX_Notify_free(request, error)
    call expect(error == 0, "MPIX_Notify_free fails")
  end subroutine

  subroutine test_accesses()
    real(c_double), asynchronous :: given(3), read(3)
    given = [1d0, 2d0, 3d0] + 10*context%rank
    read = -1
    mine(5) = 0
    call hlc_mpi_barrier(hlc_mpi_world())
    call MPIX_Put_notify(given, 3, double, next, 1_MPIX_ADDRESS_KIND, 3, double, 0, win, error)
    call expect(error == 0, "MPIX_Put_notify fails")
    call MPIX_Accumulate_notify(given(3), 1, double, next, 4_MPIX_ADDRESS_KIND, 1, double, of_sum(), 1, win, error)
    call expect(error == 0, "MPIX_Accumulate_notify fails")
    call flush_all(win)
    call await(0, 1)
    call await(1, 1)
    call expect(all(nint(mine(2:4)) == [1, 2, 3] + 10*previous), "the notified put has not brought its data")
    call expect(nint(mine(5)) == 3 + 10*previous, "the notified accumulate has not brought its data")
    call MPIX_Get_notify(read, 3, double, next, 1_MPIX_ADDRESS_KIND, 3, double, 2, win, error)
    call expect(error == 0, "MPIX_Get_notify fails")
    call flush_all(win)
    call expect(all(nint(read) == nint(given)), "the notified get has read something else")
    call await(2, 1)
    call end_test("notified puts, gets and accumulates move their data and count once")
  end subroutine

  subroutine test_large_counts()
    real(c_double), asynchronous :: given(3), read(3)
    given = [4d0, 5d0, 6d0] + 10*context%rank
    read = -1
    mine(12) = 0
    call hlc_mpi_barrier(hlc_mpi_world())
    call MPIX_Put_notify_c(given, three, double, next, 8_MPIX_ADDRESS_KIND, three, double, 0, win, error)
    call MPIX_Accumulate_notify_c(given(3), one, double, next, 11_MPIX_ADDRESS_KIND, one, double, of_sum(), 1, win, error)
    call flush_all(win)
    call await(0, 1)
    call await(1, 1)
    call expect(all(nint(mine(9:11)) == [4, 5, 6] + 10*previous), "the notified put has not brought its data")
    call expect(nint(mine(12)) == 6 + 10*previous, "the notified accumulate has not brought its data")
    call MPIX_Get_notify_c(read, three, double, next, 8_MPIX_ADDRESS_KIND, three, double, 2, win, error)
    call flush_all(win)
    call expect(all(nint(read) == nint(given)), "the notified get has read something else")
    call await(2, 1)
    call end_test("the forms for large counts do the same")
  end subroutine

  subroutine test_values()
    real(c_double), asynchronous :: given(1)
    integer :: found, value
    logical :: flag
    call MPIX_Win_notify_testsome(win, 0, 4, flag, found, error)
    call expect(error == 0 .and. .not. flag, "a value is set that nobody has set")
    call hlc_mpi_barrier(hlc_mpi_world())
    given = 77 + context%rank
    call MPIX_Put_notify_value(given, 1, double, next, 16_MPIX_ADDRESS_KIND, 1, double, 3, 100 + context%rank, win, error)
    call expect(error == 0, "MPIX_Put_notify_value fails")
    call flush_all(win)
    call MPIX_Win_notify_waitsome(win, 0, 4, found, error)
    call expect(error == 0 .and. found == 3, "MPIX_Win_notify_waitsome names another notification")
    call MPIX_Win_notify_testsome(win, 3, 1, flag, found, error)
    call expect(error == 0 .and. flag .and. found == 3, "the value is not set any more")
    call MPIX_Win_notify_reset(win, 3, value, error)
    call expect(error == 0 .and. value == 100 + previous, "the value is another one")
    call expect(nint(mine(17)) == 77 + previous, "its data are not there")
    call hlc_mpi_barrier(hlc_mpi_world())
    call MPIX_Put_notify_value_c(given, one, double, next, 17_MPIX_ADDRESS_KIND, one, double, 2, -5, win, error)
    call flush_all(win)
    call MPIX_Win_notify_waitsome(win, 0, 4, found, error)
    call MPIX_Win_notify_reset(win, 2, value, error)
    call expect(found == 2 .and. value == -5 .and. nint(mine(18)) == 77 + previous, "the form for large counts differs")
    call end_test("values arrive with their data and are taken once")
  end subroutine

  subroutine test_requests()
    type(MPIX_Notify) :: request
    real(c_double), asynchronous :: given(1)
    integer(MPIX_COUNT_KIND) :: counted
    integer :: status(16), i
    logical :: flag
    given = 1
    call MPIX_Win_notify_init(any_source(), any_tag(), 2, win, request, error)
    status = -77
    call MPIX_Notify_test(request, flag, status, error)
    call expect(error == 0 .and. flag, "an inactive request is not complete")
    call MPIX_Notify_start(request, error)
    call MPIX_Notify_test(request, flag, status, error)
    call expect(error == 0 .and. .not. flag, "a request is complete without arrivals")
    call hlc_mpi_barrier(hlc_mpi_world())
    do i = 1, 2
      call MPIX_Put_notify(given, 1, double, next, 20_MPIX_ADDRESS_KIND, 1, double, 1, win, error)
    end do
    call flush_all(win)
    call MPIX_Notify_test(request, flag, status, error)
    do while (error == 0 .and. .not. flag)
      call MPIX_Notify_test(request, flag, status, error)
    end do
    call expect(error == 0 .and. any(status == previous) .and. any(status == 1), "the status lacks source and notification")
    call MPIX_Notify_free(request, error)
    call MPIX_Win_get_notify_value(win, 1, counted, error)
    call expect(error == 0 .and. counted == 4, "the window has counted other arrivals")
    call end_test("a request is tested, and its status has source and notification")
  end subroutine

  subroutine test_errors()
    real(c_double), target, asynchronous :: given(6)
    given = 1
    call MPIX_Put_notify(given, 1, double, next, 1_MPIX_ADDRESS_KIND, 1, double, 4, win, error)
    call expect(class_of(error) == class_of_argument(), "a notification that the window lacks is accepted")
    call MPIX_Put_notify(given(1:5:2), 3, double, next, 1_MPIX_ADDRESS_KIND, 3, double, 0, win, error)
    call expect(class_of(error) == class_of_buffer(), "a section that is not contiguous is accepted")
    call end_test("wrong calls answer their error class")
  end subroutine

end program
