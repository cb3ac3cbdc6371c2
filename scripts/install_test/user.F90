! A program outside the tree: swaps one periodic row and says what it saw. SPDX-License-Identifier: BSD-3-Clause
program user
  use halocline
  use halocline_mpi
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  type(hlc_context) :: context
  type(hlc_grid) :: grid
  type(hlc_halo) :: halo
  real(real64), pointer :: row(:)
  integer :: rank, ranks, i

  call hlc_mpi_init()
  call hlc_init(hlc_mpi_world(), context)
  rank = hlc_mpi_rank(hlc_mpi_world())
  ranks = hlc_mpi_size(hlc_mpi_world())
  call hlc_grid_create(context, [4 * ranks], grid, periodic=[.true.])
  call hlc_field_alloc(context, row, grid, 1)
  row(1:4) = [(100.0_real64 * rank + i, i = 1, 4)]
  call hlc_halo_init(context, grid, [hlc_field_of(row)], 1, halo)
  call hlc_halo_start(halo)
  call hlc_halo_finish(halo)
  if (nint(row(0)) /= 100 * modulo(rank - 1, ranks) + 4) error stop "wrong value in the low halo"
  if (nint(row(5)) /= 100 * modulo(rank + 1, ranks) + 1) error stop "wrong value in the high halo"
  print "(a, i0, a, i0, a)", "rank ", rank, " of ", ranks, " sees its neighbour"
  call hlc_halo_finalise(halo)
  call hlc_field_free(context, row)
  call hlc_finalise(context)
  call hlc_mpi_finalise()
end program user
