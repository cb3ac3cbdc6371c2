! SPDX-License-Identifier: BSD-3-Clause
! The heat equation on a periodic plane. The start is a wave that each step multiplies by a known factor, so every cell of the
! result is known.
program heat
  use, intrinsic :: iso_fortran_env, only: real64
  use halocline
  use halocline_mpi
  implicit none

  integer, parameter :: nx = 48, ny = 64, steps = 50
  real(real64), parameter :: alpha = 0.2_real64, two_pi = 6.283185307179586_real64
  type(hlc_context) :: context
  type(hlc_grid) :: grid
  type(hlc_halo) :: halo
  real(real64), pointer :: u(:, :)
  real(real64) :: error
  integer :: step, n, m

  call hlc_mpi_init()
  call hlc_init(hlc_mpi_world(), context)
  call hlc_grid_create(context, [nx, ny], grid, periodic=[.true., .true.])
  call hlc_field_alloc(context, u, grid, depth=1)
  call hlc_halo_init(context, grid, [hlc_field_of(u)], 1, halo, stencil=HLC_STENCIL_STAR)
  call set_wave(u, n, m)
  do step = 1, steps
    call hlc_halo_start(halo)
    call hlc_halo_finish(halo)
    u(1:n, 1:m) = (1 - 4 * alpha) * u(1:n, 1:m) &
      + alpha * (u(0:n-1, 1:m) + u(2:n+1, 1:m) + u(1:n, 0:m-1) + u(1:n, 2:m+1))
  end do

  error = largest_error(u)
  call hlc_halo_finalise(halo)
  call hlc_field_free(context, u)
  call verdict(error < 1e-12_real64)

contains

  real(real64) function wave(i, j)
    integer, intent(in) :: i, j
    wave = sin(two_pi * (grid%start(1) + i - 1) / nx) * cos(two_pi * (grid%start(2) + j - 1) / ny)
  end function

  !> Sets the interior to the wave, and n and m to its extents.
  subroutine set_wave(u, n, m)
    real(real64), pointer, intent(in) :: u(:, :)
    integer, intent(out) :: n, m
    integer :: i, j
    n = int(grid%local(1))
    m = int(grid%local(2))
    do j = 1, m
      do i = 1, n
        u(i, j) = wave(i, j)
      end do
    end do
  end subroutine

  !> The largest difference, on any rank, from the wave times the factor of all steps.
  real(real64) function largest_error(u)
    real(real64), pointer, intent(in) :: u(:, :)
    real(real64), parameter :: factor = 1 + 2 * alpha * (cos(two_pi / nx) - 1) + 2 * alpha * (cos(two_pi / ny) - 1)
    integer :: i, j
    largest_error = 0
    do j = 1, m
      do i = 1, n
        largest_error = max(largest_error, abs(u(i, j) - factor**steps * wave(i, j)))
      end do
    end do
    call hlc_mpi_max(hlc_mpi_world(), largest_error)
  end function

  subroutine verdict(right)
    logical, intent(in) :: right
    if (context%rank == 0) print "(3a,i0,a)", "heat (Fortran): ", merge("right", "WRONG", right), &
      ": every cell is the wave times the known factor on ", context%size, " rank(s)"
    call hlc_finalise(context)
    call hlc_mpi_finalise()
    if (.not. right) error stop 1
  end subroutine
end program heat
