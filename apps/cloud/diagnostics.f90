!> What a run is judged by: sums that must not change, the divergence that the pressure must remove, the positivity of what is
!> advected, and a fingerprint per field that tells whether two runs came to the same state.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_diagnostics
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use cloud_case, only: case_t
  use cloud_exact_sum, only: exact_sum
  use cloud_grid, only: grid_t
  use cloud_index_hash, only: noise
  use cloud_physics, only: physics_t
  use cloud_ranks, only: ranks_t, combine
  use cloud_state, only: state_t, FIELDS
  use cloud_timing, only: clock_t, SITE_SUMS
  use cloud_turbulence, only: exchange
  use cloud_wind, only: mass_gain, outflow
  implicit none
  private
  public :: budget_t, measure_amounts, check_wind, fingerprints, negative_shares, LARGEST_COURANT

  !> Above this share of a cell's mass per step the advection could make a positive quantity negative.
  real(real64), parameter :: LARGEST_COURANT = 0.5_real64
  integer, parameter :: WEIGHT_SEED = 3

  type :: budget_t
    real(real64) :: amount_before(FIELDS) = 0   !< of every quantity (for the wind: momentum), times kg m-2 over cells
    real(real64) :: amount_after(FIELDS) = 0
    real(real64) :: mass = 0                    !< of the air, kg m-2 over cells
    real(real64) :: mass_gained = 0             !< summed over all cells and steps; only rounding may make it differ from 0
    real(real64) :: divergence = 0              !< largest share of its mass that a cell gained or lost in a step after the pressure
    !> Largest share of its mass that a cell sent off in a step; what it exchanged by turbulence counts half.
    real(real64) :: courant = 0
    real(real64) :: courant_rate = 0            !< the same of the last step, per second
    integer :: steps = 0
  end type budget_t

contains

  !> Density times thickness times value, summed over all cells; and the mass of the air itself. Collective.
  subroutine measure_amounts(grid, ranks, state, amounts, mass)
    type(grid_t), intent(in) :: grid
    type(ranks_t), intent(in) :: ranks
    type(state_t), intent(in) :: state
    real(real64), intent(out) :: amounts(FIELDS), mass
    type(exact_sum) :: sums(FIELDS + 1)
    real(real64) :: totals(FIELDS + 1), extremes(0), weight(grid%nz)
    integer :: f, i, j

    weight = grid%density*grid%dz
    do f = 1, FIELDS + 1
      call sums(f)%clear(grid%nz)
      do i = 1, grid%nx
        do j = 1, grid%ny
          if (f <= FIELDS) call sums(f)%add(weight*state%field(f)%values(:, j, i))
          if (f > FIELDS) call sums(f)%add(weight)
        end do
      end do
    end do
    call combine(ranks, sums, totals, extremes)
    amounts = totals(:FIELDS)
    mass = totals(FIELDS + 1)
  end subroutine measure_amounts

  !> Measures the wind after the pressure: what is left of the divergence, the mass that all cells together gained, the Courant
  !> number. Collective.
  subroutine check_wind(case, grid, ranks, state, physics, budget, clock)
    type(case_t), intent(in) :: case
    type(grid_t), intent(in) :: grid
    type(ranks_t), intent(in) :: ranks
    type(state_t), intent(in) :: state
    type(physics_t), intent(in) :: physics
    type(budget_t), intent(inout) :: budget
    type(clock_t), intent(inout) :: clock
    type(exact_sum) :: sums(1)
    real(real64) :: totals(1), extremes(2), gain(grid%nz), share(grid%nz), mixed(grid%nz)
    integer :: i, j

    call sums(1)%clear(grid%nz)
    extremes = 0
    mixed = 0
    do i = 1, grid%nx
      do j = 1, grid%ny
        if (case%physics%wanted) call exchange(grid, physics%turbulence, j, i, mixed)
        call mass_gain(grid, state, j, i, gain)
        call outflow(grid, state, j, i, share)
        call sums(1)%add(gain)
        extremes(1) = max(extremes(1), maxval(abs(gain)/(grid%density*grid%dz)))
        extremes(2) = max(extremes(2), maxval(share + 0.5_real64*mixed))
      end do
    end do
    call clock%enter(SITE_SUMS)
    call combine(ranks, sums, totals, extremes)
    call clock%leave(SITE_SUMS)
    budget%courant_rate = extremes(2)
    budget%mass_gained = budget%mass_gained + case%time_step*totals(1)
    budget%divergence = max(budget%divergence, case%time_step*extremes(1))
    budget%courant = max(budget%courant, case%time_step*extremes(2))
    budget%steps = budget%steps + 1
  end subroutine check_wind

  !> How far every field goes below 0, over its largest value: 0 where it does not. Collective.
  subroutine negative_shares(grid, ranks, state, share)
    type(grid_t), intent(in) :: grid
    type(ranks_t), intent(in) :: ranks
    type(state_t), intent(in) :: state
    real(real64), intent(out) :: share(FIELDS)
    type(exact_sum) :: no_sums(0)
    real(real64) :: no_totals(0), extremes(2*FIELDS)
    integer :: f
    do f = 1, FIELDS
      associate (values => state%field(f)%values(:, 1:grid%ny, 1:grid%nx))
        extremes([f, FIELDS + f]) = [-minval(values), maxval(values)]
      end associate
    end do
    call combine(ranks, no_sums, no_totals, extremes)
    share = max(extremes(:FIELDS), 0.0_real64)
    where (extremes(FIELDS + 1:) > 0) share = share/extremes(FIELDS + 1:)
  end subroutine negative_shares

  !> One number per field in 16 hexadecimal digits, the bits of an IEEE double: the sum of all values, each weighted by a number
  !> between 1 and 2 that belongs to its global cell, so that a value in the wrong place shows. Collective.
  function fingerprints(grid, ranks, state) result(digits)
    type(grid_t), intent(in) :: grid
    type(ranks_t), intent(in) :: ranks
    type(state_t), intent(in) :: state
    character(16) :: digits(FIELDS)
    type(exact_sum) :: sums(FIELDS)
    real(real64) :: totals(FIELDS), extremes(0), weight(grid%nz)
    integer :: f, i, j, k

    do f = 1, FIELDS
      call sums(f)%clear(grid%nz)
    end do
    do i = 1, grid%nx
      do j = 1, grid%ny
        weight = [(1 + noise(WEIGHT_SEED, k, grid%first_y + j, grid%first_x + i), k=1, grid%nz)]
        do f = 1, FIELDS
          call sums(f)%add(weight*state%field(f)%values(:, j, i))
        end do
      end do
    end do
    call combine(ranks, sums, totals, extremes)
    do f = 1, FIELDS
      write (digits(f), '(z16.16)') transfer(totals(f), 1_int64)
    end do
  end function fingerprints
end module cloud_diagnostics
