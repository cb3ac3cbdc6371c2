!> What follows from heat and water: the liquid water of every cell and its density temperature, in the block and one column
!> around it. The pressure is that of the undisturbed case in hydrostatic balance, and does not change during the run.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_air
  use, intrinsic :: iso_fortran_env, only: real64
  use cloud_case, only: case_t
  use cloud_grid, only: grid_t, GRAVITY
  use cloud_saturation, only: adjust_to_saturation, density_temperature, DRY_GAS, HEAT_CAPACITY, REFERENCE_PRESSURE
  use cloud_state, only: state_t, THETA, WATER, RAIN_MASS
  implicit none
  private
  public :: air_t, make_air, diagnose_block, diagnose_surroundings, hydrostatic

  type :: air_t
    logical :: rain = .false.                          !< whether a field of rain weighs on the air
    real(real64) :: surface_exner = 0
    real(real64), allocatable :: exner(:)              !< (nz) temperature over potential temperature
    real(real64), allocatable :: pressure(:)           !< (nz) Pa
    real(real64), allocatable :: theta_rest(:)         !< (nz) K, density temperature of the undisturbed case
    real(real64), allocatable :: liquid(:, :, :)       !< (nz, 0:ny+1, 0:nx+1) kg/kg
    real(real64), allocatable :: theta_density(:, :, :) !< (nz, 0:ny+1, 0:nx+1) K
  end type air_t

contains

  !> theta_l and water are the undisturbed case.
  subroutine make_air(case, grid, theta_l, water, air)
    type(case_t), intent(in) :: case
    type(grid_t), intent(in) :: grid
    real(real64), intent(in) :: theta_l(:), water(:)
    type(air_t), intent(inout) :: air
    air%rain = case%physics%rain
    call hydrostatic(case%surface_pressure, grid%z_face, theta_l, water, air%surface_exner, air%exner, air%pressure, air%theta_rest)
    allocate (air%liquid(grid%nz, 0:grid%ny + 1, 0:grid%nx + 1), source=0.0_real64)
    allocate (air%theta_density(grid%nz, 0:grid%ny + 1, 0:grid%nx + 1), source=0.0_real64)
  end subroutine make_air

  !> Balances a column: d(exner)/dz = -g / (heat capacity * density temperature), layer by layer from the ground. The cloud in a
  !> layer depends on the pressure there, so each layer is tried a few times.
  subroutine hydrostatic(surface_pressure, z_face, theta_l, water, surface_exner, exner, pressure, theta_density)
    real(real64), intent(in) :: surface_pressure, z_face(0:), theta_l(:), water(:)
    real(real64), intent(out) :: surface_exner
    real(real64), allocatable, intent(out) :: exner(:), pressure(:), theta_density(:)
    real(real64) :: below, temperature, liquid, half
    integer :: k, try

    allocate (exner(size(theta_l)), pressure(size(theta_l)), theta_density(size(theta_l)))
    surface_exner = (surface_pressure/REFERENCE_PRESSURE)**(DRY_GAS/HEAT_CAPACITY)
    below = surface_exner
    do k = 1, size(theta_l)
      theta_density(k) = theta_l(k)
      half = 0.5_real64*(z_face(k) - z_face(k - 1))
      do try = 1, 6
        exner(k) = below - GRAVITY*half/(HEAT_CAPACITY*theta_density(k))
        pressure(k) = REFERENCE_PRESSURE*exner(k)**(HEAT_CAPACITY/DRY_GAS)
        call adjust_to_saturation(theta_l(k), water(k), exner(k), pressure(k), temperature, liquid)
        theta_density(k) = density_temperature(temperature, exner(k), water(k), liquid, 0.0_real64)
      end do
      below = exner(k) - GRAVITY*half/(HEAT_CAPACITY*theta_density(k))
    end do
  end subroutine hydrostatic

  !> Of all columns of the block.
  subroutine diagnose_block(grid, state, air)
    type(grid_t), intent(in) :: grid
    type(state_t), intent(in) :: state
    type(air_t), intent(inout) :: air
    integer :: i, j
    do i = 1, grid%nx
      do j = 1, grid%ny
        call diagnose_column(state, air, j, i)
      end do
    end do
  end subroutine diagnose_block

  !> Of the columns around the block, from the halo of heat and water.
  subroutine diagnose_surroundings(grid, state, air)
    type(grid_t), intent(in) :: grid
    type(state_t), intent(in) :: state
    type(air_t), intent(inout) :: air
    integer :: i, j
    do i = 0, grid%nx + 1
      call diagnose_column(state, air, 0, i)
      call diagnose_column(state, air, grid%ny + 1, i)
    end do
    do j = 1, grid%ny
      call diagnose_column(state, air, j, 0)
      call diagnose_column(state, air, j, grid%nx + 1)
    end do
  end subroutine diagnose_surroundings

  subroutine diagnose_column(state, air, j, i)
    type(state_t), intent(in) :: state
    type(air_t), intent(inout) :: air
    integer, intent(in) :: j, i
    real(real64) :: temperature, rain
    integer :: k
    associate (theta_l => state%field(THETA)%values, water => state%field(WATER)%values, drops => state%field(RAIN_MASS)%values)
      do k = 1, size(air%exner)
        rain = 0
        if (air%rain) rain = drops(k, j, i)
        call adjust_to_saturation(theta_l(k, j, i), water(k, j, i), air%exner(k), air%pressure(k), temperature, air%liquid(k, j, i))
        air%theta_density(k, j, i) = density_temperature(temperature, air%exner(k), water(k, j, i), air%liquid(k, j, i), rain)
      end do
    end associate
  end subroutine diagnose_column
end module cloud_air
