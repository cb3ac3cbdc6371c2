!> What the ranks agree on: sums that do not depend on who holds which cell, and largest values. Everything goes through one
!> allgather.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_ranks
  use, intrinsic :: iso_fortran_env, only: real64, error_unit, output_unit
  use halocline_mpi, only: hlc_mpi_allgather, hlc_mpi_barrier, hlc_mpi_finalise
  use cloud_exact_sum, only: exact_sum, packed_reals, packed_total
  implicit none
  private
  public :: ranks_t, combine, stop_together, EXIT_FAILED, EXIT_USAGE

  integer, parameter :: EXIT_FAILED = 1, EXIT_USAGE = 2

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

  !> Ends the program on all ranks with an exit code. Rank 0 prints the message, if there is one. Collective.
  subroutine stop_together(ranks, code, message, at_once)
    type(ranks_t), intent(in) :: ranks
    integer, intent(in) :: code
    character(*), intent(in), optional :: message
    logical, intent(in), optional :: at_once       !< without what libraries do at the end
    if (present(message) .and. ranks%rank == 0) write (error_unit, '(2a)') 'cloud: ', message
    flush (error_unit)
    flush (output_unit)
    call hlc_mpi_barrier(ranks%comm)
    call hlc_mpi_finalise()
    if (present(at_once)) call c_exit_at_once(code)
    call c_exit(code)
  end subroutine stop_together
end module cloud_ranks
