!> The anelastic pressure: the wind that advection and buoyancy left is given back a mass flux without divergence.
!>
!> With the pressure over density as potential, div(density grad potential) = div(density wind)/dt is solved by conjugate
!> gradients, with the vertical part of the operator, column by column, as preconditioner. Each iteration swaps one field once. The
!> potential's own halo needs no swap: it is the sum of search directions, whose halos are there. So the next step starts from it,
!> too.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_pressure
  use, intrinsic :: iso_fortran_env, only: real64
  use, intrinsic :: ieee_arithmetic, only: ieee_is_finite
  use halocline, only: hlc_context, hlc_field_alloc, hlc_field_free, hlc_field_of, hlc_halo, hlc_halo_init, hlc_halo_start, &
                       hlc_halo_finish, hlc_halo_finalise, HLC_OK, HLC_STENCIL_STAR
  use cloud_case, only: case_t
  use cloud_elliptic, only: elliptic_t, make_elliptic, apply_operator, precondition
  use cloud_exact_sum, only: exact_sum
  use cloud_grid, only: grid_t
  use cloud_ranks, only: ranks_t, combine
  use cloud_state, only: state_t, U_WIND, V_WIND, W_WIND
  use cloud_timing, only: clock_t, SITE_SOURCE, SITE_PRESSURE, SITE_SUMS
  use cloud_wind, only: mass_gain, subtract_gradient
  implicit none
  private
  public :: pressure_t, make_pressure, release_pressure, remove_divergence

  type :: pressure_t
    type(elliptic_t) :: operator
    type(hlc_halo) :: halo                                              !< of the search direction: star, one cell
    real(real64), pointer, contiguous :: search(:, :, :) => null()      !< (nz, 0:ny+1, 0:nx+1) m2 s-2
    real(real64), allocatable :: potential(:, :, :)                     !< (nz, 0:ny+1, 0:nx+1) m2 s-2, pressure over density
    real(real64), allocatable :: residual(:, :, :), image(:, :, :), improved(:, :, :)  !< (nz, ny, nx)
    integer :: iterations = 0                                           !< of the last step
    logical :: converged = .false.
  end type pressure_t

contains

  !> Allocates the solver's fields and plans its halo. Collective.
  subroutine make_pressure(context, grid, mode, pressure, status)
    type(hlc_context), intent(in) :: context
    type(grid_t), intent(in) :: grid
    character(*), intent(in), optional :: mode
    type(pressure_t), intent(out) :: pressure
    integer, intent(out) :: status       !< HLC_OK, or what the library has against it
    call make_elliptic(grid, pressure%operator)
    call hlc_field_alloc(context, pressure%search, [1, 0, 0], [grid%nz, grid%ny + 1, grid%nx + 1], status)
    if (status /= HLC_OK) return
    call hlc_halo_init(context, grid%blocks, [hlc_field_of(pressure%search, 'pressure search')], [0, 1, 1], pressure%halo, &
                       stencil=HLC_STENCIL_STAR, mode=mode, status=status)
    allocate (pressure%potential(grid%nz, 0:grid%ny + 1, 0:grid%nx + 1), source=0.0_real64)
    allocate (pressure%residual(grid%nz, grid%ny, grid%nx), source=0.0_real64)
    allocate (pressure%image, pressure%improved, mold=pressure%residual)
  end subroutine make_pressure

  !> Collective.
  subroutine release_pressure(context, pressure)
    type(hlc_context), intent(in) :: context
    type(pressure_t), intent(inout) :: pressure
    call hlc_halo_finalise(pressure%halo)
    call hlc_field_free(context, pressure%search)
  end subroutine release_pressure

  !> Takes the divergence out of the wind, to the case's tolerance. Wants the interior of the wind and leaves it right there and in
  !> the halo cells on the low sides. Collective.
  subroutine remove_divergence(case, grid, ranks, state, pressure, clock)
    type(case_t), intent(in) :: case
    type(grid_t), intent(in) :: grid
    type(ranks_t), intent(in) :: ranks
    type(state_t), intent(inout) :: state
    type(pressure_t), intent(inout) :: pressure
    type(clock_t), intent(inout) :: clock

    call clock%enter(SITE_SOURCE)
    call hlc_halo_start(state%provisional_wind)
    call hlc_halo_finish(state%provisional_wind)
    call clock%leave(SITE_SOURCE, swaps=1)
    call first_residual(case%time_step, grid, state, pressure)
    call conjugate_gradients(case, grid, ranks, pressure, clock)
    call subtract_gradient(grid, case%time_step, pressure%potential, state)
  end subroutine remove_divergence

  !> The source term less the operator on the potential of the step before.
  subroutine first_residual(time_step, grid, state, pressure)
    real(real64), intent(in) :: time_step
    type(grid_t), intent(in) :: grid
    type(state_t), intent(in) :: state
    type(pressure_t), intent(inout) :: pressure
    real(real64) :: source(grid%nz)
    integer :: i, j
    call apply_operator(pressure%operator, pressure%potential, pressure%image)
    do i = 1, grid%nx
      do j = 1, grid%ny
        call mass_gain(grid, state, j, i, source)
        pressure%residual(:, j, i) = source/time_step - pressure%image(:, j, i)
      end do
    end do
  end subroutine first_residual

  !> Solves until no cell gains or loses more than half the tolerance: the other half is for the rounding of the wind.
  subroutine conjugate_gradients(case, grid, ranks, pressure, clock)
    type(case_t), intent(in) :: case
    type(grid_t), intent(in) :: grid
    type(ranks_t), intent(in) :: ranks
    type(pressure_t), intent(inout) :: pressure
    type(clock_t), intent(inout) :: clock
    real(real64) :: product_now, product_before, curvature, imbalance, step, share
    integer :: iteration

    associate (p => pressure)
      call precondition(p%operator, p%residual, p%improved)
      p%search(:, 1:grid%ny, 1:grid%nx) = p%improved
      call residual_product(case, grid, ranks, p, clock, product_now, imbalance)
      do iteration = 0, case%pressure_iterations
        p%iterations = iteration
        p%converged = imbalance <= 0.5_real64*case%pressure_tolerance .and. ieee_is_finite(product_now)
        if (p%converged .or. .not. ieee_is_finite(product_now)) return
        if (iteration == case%pressure_iterations) return
        call swap_search(p, clock)
        call apply_operator(p%operator, p%search, p%image)
        curvature = search_product(grid, ranks, p, clock)
        step = product_now/curvature
        p%potential = p%potential + step*p%search
        p%residual = p%residual - step*p%image
        call precondition(p%operator, p%residual, p%improved)
        product_before = product_now
        call residual_product(case, grid, ranks, p, clock, product_now, imbalance)
        share = product_now/product_before
        p%search(:, 1:grid%ny, 1:grid%nx) = p%improved + share*p%search(:, 1:grid%ny, 1:grid%nx)
      end do
    end associate
  end subroutine conjugate_gradients

  subroutine swap_search(pressure, clock)
    type(pressure_t), intent(inout) :: pressure
    type(clock_t), intent(inout) :: clock
    call clock%enter(SITE_PRESSURE)
    call hlc_halo_start(pressure%halo)
    call hlc_halo_finish(pressure%halo)
    call clock%leave(SITE_PRESSURE, swaps=1)
  end subroutine swap_search

  !> Residual times preconditioned residual, over all cells, and the largest share of its mass that a cell gains in a step.
  subroutine residual_product(case, grid, ranks, pressure, clock, product, imbalance)
    type(case_t), intent(in) :: case
    type(grid_t), intent(in) :: grid
    type(ranks_t), intent(in) :: ranks
    type(pressure_t), intent(in) :: pressure
    type(clock_t), intent(inout) :: clock
    real(real64), intent(out) :: product, imbalance
    type(exact_sum) :: sums(1)
    real(real64) :: totals(1), extremes(1), share(grid%nz)
    integer :: i, j

    call sums(1)%clear(grid%nz)
    extremes = 0
    do i = 1, grid%nx
      do j = 1, grid%ny
        call sums(1)%add(pressure%residual(:, j, i)*pressure%improved(:, j, i))
        share = abs(pressure%residual(:, j, i))*(case%time_step**2/(grid%density*grid%dz))
        extremes(1) = max(extremes(1), maxval(share))
      end do
    end do
    call clock%enter(SITE_SUMS)
    call combine(ranks, sums, totals, extremes)
    call clock%leave(SITE_SUMS)
    product = totals(1)
    imbalance = extremes(1)
  end subroutine residual_product

  !> Search direction times its image under the operator, over all cells.
  function search_product(grid, ranks, pressure, clock) result(product)
    type(grid_t), intent(in) :: grid
    type(ranks_t), intent(in) :: ranks
    type(pressure_t), intent(in) :: pressure
    type(clock_t), intent(inout) :: clock
    real(real64) :: product
    type(exact_sum) :: sums(1)
    real(real64) :: totals(1), extremes(0)
    integer :: i, j

    call sums(1)%clear(grid%nz)
    do i = 1, grid%nx
      do j = 1, grid%ny
        call sums(1)%add(pressure%search(:, j, i)*pressure%image(:, j, i))
      end do
    end do
    call clock%enter(SITE_SUMS)
    call combine(ranks, sums, totals, extremes)
    call clock%leave(SITE_SUMS)
    product = totals(1)
  end function search_product
end module cloud_pressure
