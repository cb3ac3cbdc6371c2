!> The first state: the case's profiles, disturbed below the inversion, and 24 tracers of which each has a shape of its own. Every
!> value depends on the global cell alone, so that a run on any number of ranks starts from the same bits.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_initial
  use, intrinsic :: iso_fortran_env, only: real64
  use cloud_aerosol, only: SIZES, first_number
  use cloud_case, only: case_t
  use cloud_grid, only: grid_t
  use cloud_index_hash, only: noise
  use cloud_state, only: state_t, U_WIND, V_WIND, W_WIND, THETA, WATER, FIRST_TRACER, RAIN_MASS, RAIN_NUMBER, TRACERS
  implicit none
  private
  public :: set_initial_state, theta_profile, water_profile

  real(real64), parameter :: PI = acos(-1.0_real64)
  integer, parameter :: THETA_SEED = 1, WATER_SEED = 2

contains

  !> Fills the interior of all fields.
  subroutine set_initial_state(case, grid, state)
    type(case_t), intent(in) :: case
    type(grid_t), intent(in) :: grid
    type(state_t), intent(inout) :: state
    real(real64) :: theta_rest(grid%nz), water_rest(grid%nz)
    integer :: i, j, n

    theta_rest = theta_profile(case, grid%z_centre)
    water_rest = water_profile(case, grid%z_centre)
    do i = 1, grid%nx
      do j = 1, grid%ny
        state%field(U_WIND)%values(:, j, i) = case%wind(1) - case%physics%frame(1)
        state%field(V_WIND)%values(:, j, i) = case%wind(2) - case%physics%frame(2)
        state%field(W_WIND)%values(:, j, i) = 0
        state%field(THETA)%values(:, j, i) = theta_rest + theta_disturbance(case, grid, j, i)
        state%field(WATER)%values(:, j, i) = water_rest + water_disturbance(case, grid, j, i)
        do n = 1, TRACERS
          state%field(FIRST_TRACER + n - 1)%values(:, j, i) = tracer_column(grid, n, j, i)
        end do
        do n = 1, merge(SIZES, 0, case%physics%aerosol)
          state%field(FIRST_TRACER + n - 1)%values(:, j, i) = first_number(n)/grid%density(1)
        end do
        if (.not. case%physics%rain) cycle
        state%field(RAIN_MASS)%values(:, j, i) = 0
        state%field(RAIN_NUMBER)%values(:, j, i) = 0
      end do
    end do
  end subroutine set_initial_state

  !> Liquid water potential temperature of the undisturbed case (Stevens et al. 2005, equation 1).
  elemental function theta_profile(case, z) result(theta_l)
    type(case_t), intent(in) :: case
    real(real64), intent(in) :: z
    real(real64) :: theta_l
    theta_l = case%theta_below
    if (z > case%inversion) theta_l = case%theta_above + (z - case%inversion)**(1/3.0_real64)
  end function theta_profile

  !> Total water of the undisturbed case (Stevens et al. 2005, equation 2).
  elemental function water_profile(case, z) result(q_t)
    type(case_t), intent(in) :: case
    real(real64), intent(in) :: z
    real(real64) :: q_t
    q_t = merge(case%water_below, case%water_above, z <= case%inversion)
  end function water_profile

  pure function theta_disturbance(case, grid, j, i) result(column)
    type(case_t), intent(in) :: case
    type(grid_t), intent(in) :: grid
    integer, intent(in) :: j, i
    real(real64) :: column(grid%nz)
    integer :: k
    do k = 1, grid%nz
      column(k) = case%theta_noise*(2*noise(THETA_SEED, k, grid%first_y + j, grid%first_x + i) - 1) &
                  + case%thermal_strength*thermal_shape(case, grid, k, j, i)
      if (grid%z_centre(k) > case%inversion) column(k) = 0
    end do
  end function theta_disturbance

  pure function water_disturbance(case, grid, j, i) result(column)
    type(case_t), intent(in) :: case
    type(grid_t), intent(in) :: grid
    integer, intent(in) :: j, i
    real(real64) :: column(grid%nz)
    integer :: k
    do k = 1, grid%nz
      column(k) = case%water_noise*(2*noise(WATER_SEED, k, grid%first_y + j, grid%first_x + i) - 1)
      if (grid%z_centre(k) > case%inversion) column(k) = 0
    end do
  end function water_disturbance

  !> Warm and cool patches: two waves in x and one in y, strongest in the middle of the layer below the inversion.
  pure function thermal_shape(case, grid, k, j, i) result(shape)
    type(case_t), intent(in) :: case
    type(grid_t), intent(in) :: grid
    integer, intent(in) :: k, j, i
    real(real64) :: shape
    shape = cos(2*PI*2*share_x(grid, i))*cos(2*PI*share_y(grid, j))*sin(PI*min(grid%z_centre(k)/case%inversion, 1.0_real64))
  end function thermal_shape

  !> Tracer n lies between n/2 and 3n/2. Its waves in x (1, 2), y (0, 1, 2) and z (0 to 3 halves) differ from those of any other
  !> tracer.
  pure function tracer_column(grid, n, j, i) result(column)
    type(grid_t), intent(in) :: grid
    integer, intent(in) :: n, j, i
    real(real64) :: column(grid%nz)
    integer :: waves_x, waves_y, half_waves_z
    waves_x = 1 + mod(n - 1, 2)
    waves_y = mod((n - 1)/2, 3)
    half_waves_z = (n - 1)/6
    column = n*(1 + 0.5_real64*cos(2*PI*waves_x*share_x(grid, i))*cos(2*PI*waves_y*share_y(grid, j)) &
                *cos(PI*half_waves_z*grid%z_centre/grid%z_face(grid%nz)))
  end function tracer_column

  !> How far along the grid the middle of a cell lies, from 0 to 1.
  pure function share_x(grid, i) result(share)
    type(grid_t), intent(in) :: grid
    integer, intent(in) :: i
    real(real64) :: share
    share = (grid%first_x + i - 0.5_real64)/grid%cells(1)
  end function share_x

  pure function share_y(grid, j) result(share)
    type(grid_t), intent(in) :: grid
    integer, intent(in) :: j
    real(real64) :: share
    share = (grid%first_y + j - 0.5_real64)/grid%cells(2)
  end function share_y
end module cloud_initial
