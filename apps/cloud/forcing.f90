!> What drives the air from outside the grid: the sea, the radiation, the large-scale sinking and pressure gradient, the earth's
!> rotation. Each adds to the tendencies of the fields, from the state at the start of the step and column by column.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_forcing
  use, intrinsic :: iso_fortran_env, only: real64
  use cloud_aerosol, only: SIZES, spray
  use cloud_air, only: air_t
  use cloud_grid, only: grid_t
  use cloud_physics_case, only: physics_case_t
  use cloud_radiation, only: net_flux, moist_layer_top
  use cloud_saturation, only: HEAT_CAPACITY, LATENT_HEAT
  use cloud_state, only: state_t, U_WIND, V_WIND, W_WIND, THETA, WATER, FIRST_TRACER
  implicit none
  private
  public :: add_sea, add_radiation, add_sinking, add_rotation, damp_vertical_wind, damping_rate

  real(real64), parameter :: QUARTER = 0.25_real64, PI = acos(-1.0_real64)

contains

  !> Heat, water and spray from the sea into the lowest layer of the column (j, i); the sea's drag on the wind there.
  subroutine add_sea(physics, grid, air, state, j, i)
    type(physics_case_t), intent(in) :: physics
    type(grid_t), intent(in) :: grid
    type(air_t), intent(in) :: air
    type(state_t), intent(inout) :: state
    integer, intent(in) :: j, i
    real(real64) :: mass, u, v, wind
    integer :: n
    mass = grid%density(1)*grid%dz(1)
    u = 0.5_real64*(state%field(U_WIND)%values(1, j, i) + state%field(U_WIND)%values(1, j, i - 1)) + physics%frame(1)
    v = 0.5_real64*(state%field(V_WIND)%values(1, j, i) + state%field(V_WIND)%values(1, j - 1, i)) + physics%frame(2)
    wind = sqrt(u**2 + v**2)
    associate (tendency => state%tendency(1, j, i, :))
      tendency(THETA) = tendency(THETA) + physics%sensible_heat/(HEAT_CAPACITY*air%surface_exner*mass)
      tendency(WATER) = tendency(WATER) + physics%latent_heat/(LATENT_HEAT*mass)
      u = state%field(U_WIND)%values(1, j, i) + physics%frame(1)
      v = v_at_u(state, 1, j, i) + physics%frame(2)
      do n = 1, merge(SIZES, 0, physics%aerosol)
        tendency(FIRST_TRACER + n - 1) = tendency(FIRST_TRACER + n - 1) + spray(n, wind)/mass
      end do
      tendency(U_WIND) = tendency(U_WIND) - physics%drag*sqrt(u**2 + v**2)*u/grid%dz(1)
      u = u_at_v(state, 1, j, i) + physics%frame(1)
      v = state%field(V_WIND)%values(1, j, i) + physics%frame(2)
      tendency(V_WIND) = tendency(V_WIND) - physics%drag*sqrt(u**2 + v**2)*v/grid%dz(1)
    end associate
  end subroutine add_sea

  pure function v_at_u(state, k, j, i) result(v)
    type(state_t), intent(in) :: state
    integer, intent(in) :: k, j, i
    real(real64) :: v
    associate (values => state%field(V_WIND)%values)
      v = QUARTER*((values(k, j, i) + values(k, j - 1, i)) + (values(k, j, i + 1) + values(k, j - 1, i + 1)))
    end associate
  end function v_at_u

  pure function u_at_v(state, k, j, i) result(u)
    type(state_t), intent(in) :: state
    integer, intent(in) :: k, j, i
    real(real64) :: u
    associate (values => state%field(U_WIND)%values)
      u = QUARTER*((values(k, j, i) + values(k, j, i - 1)) + (values(k, j + 1, i) + values(k, j + 1, i - 1)))
    end associate
  end function u_at_v

  subroutine add_radiation(physics, grid, air, state, j, i)
    type(physics_case_t), intent(in) :: physics
    type(grid_t), intent(in) :: grid
    type(air_t), intent(in) :: air
    type(state_t), intent(inout) :: state
    integer, intent(in) :: j, i
    real(real64) :: flux(0:grid%nz), path(grid%nz), top, density
    integer :: k
    top = moist_layer_top(grid%z_centre, grid%z_face(grid%nz), state%field(WATER)%values(:, j, i), physics%cloud_top_water)
    density = grid%density(count(grid%z_face(1:grid%nz - 1) < top) + 1)
    path = grid%density*grid%dz*air%liquid(:, j, i)
    call net_flux(physics, grid%z_face, path, top, density, flux)
    do k = 1, grid%nz
      state%tendency(k, j, i, THETA) = state%tendency(k, j, i, THETA) &
                                       - (flux(k) - flux(k - 1))/(grid%density(k)*grid%dz(k)*HEAT_CAPACITY*air%exner(k))
    end do
  end subroutine add_radiation

  !> Air sinks at divergence times height and brings down what is above it. At the lid heat goes on to change with height as
  !> below it.
  subroutine add_sinking(physics, grid, state, f, j, i)
    type(physics_case_t), intent(in) :: physics
    type(grid_t), intent(in) :: grid
    type(state_t), intent(inout) :: state
    integer, intent(in) :: f, j, i
    integer :: k, nz
    nz = grid%nz
    associate (q => state%field(f)%values(:, j, i), tendency => state%tendency(:, j, i, f))
      do k = 1, nz - 1
        tendency(k) = tendency(k) + physics%divergence*grid%z_centre(k)*(q(k + 1) - q(k))/grid%dz_face(k)
      end do
      if (f == THETA) tendency(nz) = tendency(nz) + physics%divergence*grid%z_centre(nz)*(q(nz) - q(nz - 1))/grid%dz_face(nz - 1)
    end associate
  end subroutine add_sinking

  !> The Coriolis force and the large-scale pressure gradient, which balances it for the geostrophic wind.
  subroutine add_rotation(physics, grid, state, j, i)
    type(physics_case_t), intent(in) :: physics
    type(grid_t), intent(in) :: grid
    type(state_t), intent(inout) :: state
    integer, intent(in) :: j, i
    integer :: k
    do k = 1, grid%nz
      state%tendency(k, j, i, U_WIND) = state%tendency(k, j, i, U_WIND) &
                                        + physics%coriolis*(v_at_u(state, k, j, i) + physics%frame(2) - physics%geostrophic(2))
      state%tendency(k, j, i, V_WIND) = state%tendency(k, j, i, V_WIND) &
                                        - physics%coriolis*(u_at_v(state, k, j, i) + physics%frame(1) - physics%geostrophic(1))
    end do
  end subroutine add_rotation

  !> Below the lid waves are damped, so that it does not send them back.
  subroutine damp_vertical_wind(physics, grid, time_step, state)
    type(physics_case_t), intent(in) :: physics
    type(grid_t), intent(in) :: grid
    real(real64), intent(in) :: time_step
    type(state_t), intent(inout) :: state
    real(real64) :: kept(grid%nz)
    integer :: i, j
    kept = 1/(1 + time_step*damping_rate(physics, grid%z_face(grid%nz), grid%z_face(1:)))
    do i = 1, grid%nx
      do j = 1, grid%ny
        associate (w => state%field(W_WIND)%values(:, j, i))
          w = w*kept
        end associate
      end do
    end do
  end subroutine damp_vertical_wind

  !> Per second: from 0 at the damping height to one over the damping time at the lid, as the square of a sine.
  elemental function damping_rate(physics, lid, z) result(rate)
    type(physics_case_t), intent(in) :: physics
    real(real64), intent(in) :: lid, z
    real(real64) :: rate
    rate = 0
    if (z > physics%damping_height) &
      rate = sin(0.5_real64*PI*(z - physics%damping_height)/(lid - physics%damping_height))**2/physics%damping_time
  end function damping_rate
end module cloud_forcing
