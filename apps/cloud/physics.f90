!> The physics of a step, in order: what follows from heat and water, turbulence below the grid, forcing, rain. Sums what enters
!> and leaves the grid, so that the budgets can be closed.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_physics
  use, intrinsic :: iso_fortran_env, only: real64
  use cloud_air, only: air_t, make_air, diagnose_block, diagnose_surroundings
  use cloud_case, only: case_t
  use cloud_forcing, only: add_sea, add_radiation, add_sinking, add_rotation, damp_vertical_wind
  use cloud_grid, only: grid_t, GRAVITY
  use cloud_state, only: state_t, FIELDS, W_WIND, THETA
  use cloud_turbulence, only: turbulence_t, make_turbulence, find_viscosity, mix_scalar, mix_wind
  implicit none
  private
  public :: physics_t, make_physics, begin_physics, add_physics, lift

  type :: physics_t
    type(air_t) :: air
    type(turbulence_t) :: turbulence
    real(real64) :: source(FIELDS) = 0      !< of every quantity in this rank's block since the start, times kg m-2 over cells
  end type physics_t

contains

  subroutine make_physics(case, grid, theta_l, water, state, physics)
    type(case_t), intent(in) :: case
    type(grid_t), intent(in) :: grid
    real(real64), intent(in) :: theta_l(:), water(:)        !< the undisturbed case
    type(state_t), intent(in) :: state
    type(physics_t), intent(inout) :: physics
    call make_air(case, grid, theta_l, water, physics%air)
    call make_turbulence(case%physics, grid, physics%turbulence)
    call diagnose_block(grid, state, physics%air)
  end subroutine make_physics

  !> Call it when the halos are there, before the advection changes anything.
  subroutine begin_physics(case, grid, state, physics)
    type(case_t), intent(in) :: case
    type(grid_t), intent(in) :: grid
    type(state_t), intent(in) :: state
    type(physics_t), intent(inout) :: physics
    call diagnose_surroundings(grid, state, physics%air)
    call find_viscosity(case%physics, grid, state, physics%air, physics%turbulence)
  end subroutine begin_physics

  !> Adds to the tendencies that the advection has left.
  subroutine add_physics(case, grid, state, physics)
    type(case_t), intent(in) :: case
    type(grid_t), intent(in) :: grid
    type(state_t), intent(inout) :: state
    type(physics_t), intent(inout) :: physics
    real(real64) :: before(grid%nz, FIELDS), weight(grid%nz)
    integer :: f, i, j
    weight = case%time_step*grid%density*grid%dz
    do i = 1, grid%nx
      do j = 1, grid%ny
        do f = THETA, FIELDS
          call mix_scalar(grid, physics%turbulence, state%field(f)%values, j, i, state%tendency(:, j, i, f))
        end do
        before = state%tendency(:, j, i, :)
        call add_sea(case%physics, grid, physics%air, state, j, i)
        call add_radiation(case%physics, grid, physics%air, state, j, i)
        call add_rotation(case%physics, grid, state, j, i)
        do f = 1, FIELDS
          if (f /= W_WIND) call add_sinking(case%physics, grid, state, f, j, i)
          physics%source(f) = physics%source(f) + sum(weight*(state%tendency(:, j, i, f) - before(:, f)))
        end do
      end do
    end do
    call mix_wind(grid, physics%turbulence, state)
  end subroutine add_physics

  !> Lifts the air that is lighter than the undisturbed case at its height, for one time step, with the new heat and water; and
  !> damps what rises near the lid.
  subroutine lift(case, grid, state, physics)
    type(case_t), intent(in) :: case
    type(grid_t), intent(in) :: grid
    type(state_t), intent(inout) :: state
    type(physics_t), intent(inout) :: physics
    real(real64) :: lightness(grid%nz)
    integer :: i, j, nz
    nz = grid%nz
    call diagnose_block(grid, state, physics%air)
    do i = 1, grid%nx
      do j = 1, grid%ny
        associate (w => state%field(W_WIND)%values(:, j, i))
          lightness = (physics%air%theta_density(:, j, i) - physics%air%theta_rest)/grid%theta_reference
          w(1:nz - 1) = w(1:nz - 1) + case%time_step*GRAVITY*0.5_real64*(lightness(1:nz - 1) + lightness(2:nz))
        end associate
      end do
    end do
    call damp_vertical_wind(case%physics, grid, case%time_step, state)
  end subroutine lift
end module cloud_physics
