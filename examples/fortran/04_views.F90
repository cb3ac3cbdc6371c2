! Views: each rank reads the cells beside its block in place, in the neighbour's interior. Nothing is copied.
! Build: gfortran 04_views.F90 $(pkg-config --cflags --libs halocline-fortran) -o 04_views
! Run:   mpiexec -n 4 ./04_views    prints: 04_views: 4 ranks, west plus east 419: ok
! SPDX-License-Identifier: BSD-3-Clause
program views
  use, intrinsic :: iso_fortran_env, only: real64
  use halocline
  use halocline_mpi
  implicit none
  type(hlc_context) :: context
  integer, parameter :: n = 4 ! cells of each rank
  type(hlc_grid) :: grid
  type(hlc_halo) :: halo
  real(real64), pointer :: u(:), west(:), east(:)
  integer :: step, i, first, before, behind, total
  logical :: right
  real(real64) :: wrong

  call hlc_mpi_init()
  call hlc_init(hlc_mpi_world(), context)

  ! A ring of cells: n of each rank, and a halo cell at either end, which stays as it is.
  call hlc_grid_create(context, [n * context%size], grid, periodic=[.true.])
  call hlc_field_alloc(context, u, grid, depth=1)
  call hlc_halo_init(context, grid, [hlc_field_of(u)], 1, halo, mode="view")

  first = int(grid%start(1))
  before = modulo(first - 1, n * context%size)
  behind = modulo(first + n, n * context%size)
  right = .true.
  do step = 1, 2
    u(1:n) = [(100 * step + first + i - 1, i = 1, n)]
    call hlc_halo_start(halo)
    call hlc_halo_finish_views(halo)

    ! A view is requested by its direction, and has the indices of its cells in u.
    call hlc_halo_view(halo, 1, [-1], west)
    call hlc_halo_view(halo, 1, [1], east)
    total = nint(west(0) + east(n + 1))
    right = right .and. nint(west(0)) == 100 * step + before .and. nint(east(n + 1)) == 100 * step + behind

    ! The neighbours read my cells until they release them. After this I may write again.
    call hlc_halo_release(halo)
  end do

  wrong = merge(0, 1, right)
  call hlc_mpi_max(hlc_mpi_world(), wrong)
  if (context%rank == 0) print "(2(a,i0),2a)", "04_views: ", context%size, " ranks, west plus east ", total, ": ", &
    trim(merge("WRONG", "ok   ", wrong > 0))
  call hlc_halo_finalise(halo)
  call hlc_field_free(context, u)
  call hlc_finalise(context)
  call hlc_mpi_finalise()
  if (wrong > 0) error stop 1
end program views
