! A program outside the tree on the MPI's own Fortran: swaps one periodic row and says what it saw. SPDX-License-Identifier: BSD-3-Clause
program user_mpi
  use mpi
  use halocline
  use, intrinsic :: iso_fortran_env, only: real32
  implicit none
  type(hlc_context) :: context
  type(hlc_grid) :: grid
  type(hlc_halo) :: halo
  real(real32) :: row(0:5)
  integer :: rank, ranks, error, i

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call hlc_init(MPI_COMM_WORLD, context)
  call hlc_grid_create(context, [4 * ranks], grid, periodic=[.true.])
  row = -1
  row(1:4) = [(100.0 * rank + i, i = 1, 4)]
  call hlc_halo_init(context, grid, [hlc_field_of(row)], 1, halo)
  call hlc_halo_start(halo)
  call hlc_halo_finish(halo)
  if (nint(row(0)) /= 100 * modulo(rank - 1, ranks) + 4) error stop "wrong value in the low halo"
  if (nint(row(5)) /= 100 * modulo(rank + 1, ranks) + 1) error stop "wrong value in the high halo"
  print "(a, i0, a, i0, a)", "rank ", rank, " of ", ranks, " sees its neighbour"
  call hlc_halo_finalise(halo)
  call hlc_finalise(context)
  call MPI_Finalize(error)
end program user_mpi
