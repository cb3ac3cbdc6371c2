!> What the ranks agree on: sums that do not depend on who holds which cell, and largest values. Everything goes through one
!> allgather.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_ranks
  use, intrinsic :: iso_fortran_env, only: real64, error_unit, output_unit
  use halocline_mpi, only: hlc_mpi_allgather, hlc_mpi_finalise
  use cloud_exact_sum, only: exact_sum, packed_reals, packed_total
  implicit none
  private
  public :: ranks_t, combine, print_line, stop_together, EXIT_FAILED, EXIT_USAGE

  integer, parameter :: EXIT_FAILED = 1, EXIT_USAGE = 2
  character(:), allocatable, save :: unprinted      !< why a line could not be written

  type :: ranks_t
    integer :: comm = 0
    integer :: rank = 0
    integer :: size = 1
  end type ranks_t

  interface
    !> C's exit: the exit code as it is, without the text that Fortran's stop prints.
    subroutine c_exit(code) bind(C, name='exit')
      use, intrinsic :: iso_c_binding, only: c_int
      integer(c_int), value :: code
    end subroutine c_exit
    !> The same without what libraries do at the end: HDF5 crashes there where it could not write a file.
    subroutine c_exit_at_once(code) bind(C, name='_Exit')
      use, intrinsic :: iso_c_binding, only: c_int
      integer(c_int), value :: code
    end subroutine c_exit_at_once
    function c_process() result(number) bind(C, name='cloud_process')
      use, intrinsic :: iso_c_binding, only: c_int
      integer(c_int) :: number
    end function c_process
    function c_print(text, length, reason, room) result(failed) bind(C, name='cloud_print')
      use, intrinsic :: iso_c_binding, only: c_char, c_int
      character(kind=c_char), intent(in) :: text(*)
      integer(c_int), value :: length, room
      character(kind=c_char), intent(inout) :: reason(*)
      integer(c_int) :: failed
    end function c_print
    !> Returns when these processes have ended, or after two seconds.
    subroutine c_await_end_of(processes, count) bind(C, name='cloud_await_end_of')
      use, intrinsic :: iso_c_binding, only: c_int
      integer(c_int), intent(in) :: processes(*)
      integer(c_int), value :: count
    end subroutine c_await_end_of
  end interface

contains

  !> Totals of the sums and, in place, the largest of each of the extremes, over all ranks. The totals are the same bits for every
  !> decomposition. Collective.
  subroutine combine(ranks, sums, totals, extremes)
    type(ranks_t), intent(in) :: ranks
    type(exact_sum), intent(in) :: sums(:)
    real(real64), intent(out) :: totals(:)
    real(real64), intent(inout) :: extremes(:)
    real(real64) :: message(packed_reals*size(sums) + size(extremes))
    real(real64) :: table(size(message), ranks%size)
    integer :: n, first

    do n = 1, size(sums)
      first = packed_reals*(n - 1)
      message(first + 1:first + packed_reals) = sums(n)%packed()
    end do
    first = packed_reals*size(sums)
    message(first + 1:) = extremes
    call hlc_mpi_allgather(ranks%comm, message, table)
    do n = 1, size(sums)
      totals(n) = packed_total(table(packed_reals*(n - 1) + 1:packed_reals*n, :))
    end do
    extremes = maxval(table(first + 1:, :), dim=2)
  end subroutine combine

  !> Ends the program on all ranks with an exit code. Rank 0 prints the message, if there is one, and that its lines could not be
  !> written, if so. Collective.
  subroutine stop_together(ranks, code, message, at_once)
    type(ranks_t), intent(in) :: ranks
    integer, intent(in) :: code
    character(*), intent(in), optional :: message
    logical, intent(in), optional :: at_once       !< rank 0 without what libraries do at the end
    real(real64) :: processes(1, ranks%size)
    integer :: status

    if (present(message) .and. ranks%rank == 0) write (error_unit, '(2a)') 'cloud: ', message
    status = code
    if (allocated(unprinted)) then
      write (error_unit, '(2a)') 'cloud: standard output can''t be written: ', unprinted
      status = max(code, EXIT_USAGE)
    end if
    flush (error_unit)
    flush (output_unit)
    call hlc_mpi_allgather(ranks%comm, [real(c_process(), real64)], processes)
    call hlc_mpi_finalise()
    if (.not. present(at_once) .or. ranks%rank /= 0) call c_exit(status)
    ! A rank that ends like this has not taken leave of MPICH's launcher, which kills those that are left. So it ends last.
    call c_await_end_of(nint(processes(1, 2:)), ranks%size - 1)
    call c_exit_at_once(status)
  end subroutine stop_together

  !> Prints a line of which stop_together says that it could not be written. A print statement and a flush of Fortran do not say so.
  subroutine print_line(line)
    character(*), intent(in) :: line
    character(256) :: reason
    flush (output_unit)
    reason = ''
    if (c_print(line//new_line(line), len(line) + 1, reason, len(reason)) > 0) unprinted = trim(reason)
  end subroutine print_line
end module cloud_ranks
