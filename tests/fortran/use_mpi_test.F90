! SPDX-License-Identifier: BSD-3-Clause
!> A program that lives on module mpi: it starts and ends MPI itself, hands over a communicator of its own, and goes on sending messages
!> in that communicator while a halo swap is in flight.
program use_mpi_test
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi
  use halocline
  use testing
  implicit none

  integer, parameter :: cells = 4
  type(hlc_context) :: context
  integer :: comm, world_rank, world_size, error, m

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, world_rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, world_size, error)
  call MPI_Comm_split(MPI_COMM_WORLD, 0, world_size - world_rank, comm, error)
  call start_tests(context, comm)
  call expect(context%rank == world_size - 1 - world_rank .and. context%size == world_size, "the ranks of comm")
  call end_test("hlc_init takes a communicator of module mpi, with its order of ranks")
  do m = 1, size(all_modes)
    call test_mode(trim(all_modes(m)))
  end do
  call MPI_Comm_free(comm, error)
  call finish_tests(context)

contains

  !> A periodic row, each cell saying whose it is; the ring of messages goes the way that the halos go, by the same communicator.
  subroutine test_mode(mode)
    character(len=*), intent(in) :: mode
    type(hlc_grid) :: grid
    type(hlc_halo) :: halo
    real(real64), pointer :: row(:)
    integer :: low, high, heard, i
    low = modulo(context%rank - 1, context%size)
    high = modulo(context%rank + 1, context%size)
    call hlc_grid_create(context, [cells * context%size], grid, periodic=[.true.])
    call hlc_field_alloc(context, row, grid, 1)
    call hlc_halo_init(context, grid, [hlc_field_of(row)], 1, halo, mode=mode)
    row = -1
    row(1:cells) = [(cell(context%rank, i), i = 1, cells)]
    call hlc_halo_start(halo)
    heard = -1
    call MPI_Sendrecv(context%rank, 1, MPI_INTEGER, high, 0, heard, 1, MPI_INTEGER, low, 0, comm, MPI_STATUS_IGNORE, error)
    call hlc_halo_finish(halo)
    call expect(heard == low, "the message of the neighbour below")
    call expect(nint(row(0)) == nint(cell(low, cells)), "the low halo")
    call expect(nint(row(cells + 1)) == nint(cell(high, 1)), "the high halo")
    call end_test("mode " // mode // " swaps while the program sends in the same communicator")
    call hlc_halo_finalise(halo)
    call hlc_field_free(context, row)
  end subroutine

  pure real(real64) function cell(rank, i)
    integer, intent(in) :: rank, i
    cell = 100 * (rank + 1) + i
  end function
end program use_mpi_test
