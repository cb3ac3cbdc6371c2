! The smallest halo swap in two dimensions: a periodic plane in blocks, each with one cell of its neighbours around it.
! Build: gfortran 03_halo.F90 $(pkg-config --cflags --libs halocline-fortran) -o 03_halo
! Run:   mpiexec -n 4 ./03_halo    prints: 03_halo: 4 ranks, halo sum 858: ok
! SPDX-License-Identifier: BSD-3-Clause
program halo_swap
  use, intrinsic :: iso_fortran_env, only: real64
  use halocline
  use halocline_mpi
  implicit none
  type(hlc_context) :: context
  integer, parameter :: cells = 8 ! of the plane along each dimension
  type(hlc_grid) :: grid
  type(hlc_halo) :: halo
  real(real64), pointer :: u(:, :)
  integer :: n, m, i, j
  real(real64) :: total
  logical :: right
  real(real64) :: wrong

  call hlc_mpi_init()
  call hlc_init(hlc_mpi_world(), context)

  ! A block of the plane for each rank, with a halo of one cell, in memory that the neighbours read.
  call hlc_grid_create(context, [cells, cells], grid, periodic=[.true., .true.])
  call hlc_field_alloc(context, u, grid, depth=1)
  n = int(grid%local(1))
  m = int(grid%local(2))
  u = -1
  u(1:n, 1:m) = reshape([((value(i, j), i = 1, n), j = 1, m)], [n, m])

  ! Plan once, swap as often as you like.
  call hlc_halo_init(context, grid, [hlc_field_of(u)], 1, halo)
  call hlc_halo_start(halo)
  call hlc_halo_finish(halo)

  total = sum(u) - sum(u(1:n, 1:m)) ! of the halo cells
  right = all(nint(u) == reshape([((nint(value(i, j)), i = 0, n + 1), j = 0, m + 1)], [n + 2, m + 2]))

  wrong = merge(0, 1, right)
  call hlc_mpi_max(hlc_mpi_world(), wrong)
  if (context%rank == 0) print "(2(a,i0),2a)", "03_halo: ", context%size, " ranks, halo sum ", nint(total), ": ", &
    trim(merge("WRONG", "ok   ", wrong > 0))
  call hlc_halo_finalise(halo)
  call hlc_field_free(context, u)
  call hlc_finalise(context)
  call hlc_mpi_finalise()
  if (wrong > 0) error stop 1

contains

  !> What cell (i, j) of this rank's block holds, from 0 to local + 1: its global coordinates, wrapped at the plane's edge.
  real(real64) function value(i, j)
    integer, intent(in) :: i, j
    value = 10 * modulo(int(grid%start(1)) + i - 1, cells) + modulo(int(grid%start(2)) + j - 1, cells)
  end function
end program halo_swap
