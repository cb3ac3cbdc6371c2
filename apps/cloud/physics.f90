!> The physics of a step, in order: what follows from heat and water, turbulence below the grid, forcing, rain. Sums what enters
!> and leaves the grid, so that the budgets can be closed.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_physics
  use, intrinsic :: iso_fortran_env, only: real64
  use cloud_aerosol, only: SIZES, scavenge
  use cloud_air, only: air_t, make_air, diagnose_block, diagnose_surroundings
  use cloud_case, only: case_t
  use cloud_forcing, only: add_sea, add_radiation, add_sinking, add_rotation, damp_vertical_wind
  use cloud_grid, only: grid_t, GRAVITY
  use cloud_state, only: state_t, FIELDS, W_WIND, THETA, WATER, FIRST_TRACER, RAIN_MASS, RAIN_NUMBER
  use cloud_turbulence, only: turbulence_t, make_turbulence, find_viscosity, mix_scalar, mix_wind
  use cloud_warm_rain, only: column_t, make_column, collect_drops, evaporate_rain, fall, sink_drops
  implicit none
  private
  public :: physics_t, make_physics, begin_physics, add_physics, lift

  type :: physics_t
    type(air_t) :: air
    type(turbulence_t) :: turbulence
    real(real64) :: source(FIELDS) = 0      !< of every quantity in this rank's block since the start, times kg m-2 over cells
    real(real64) :: lost_digits(FIELDS) = 0 !< what rounding has taken from these sums
    real(real64) :: turnover(FIELDS) = 0    !< sums of the same without their signs: what rounding is measured on
    real(real64) :: rained = 0              !< kg m-2 over columns, of water that left this rank's block with rain and drops
    real(real64) :: rain_source(2) = 0      !< the parts of the source of water and of rain that rain made
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
          call count_source(physics, f, sum(weight*(state%tendency(:, j, i, f) - before(:, f))))
        end do
      end do
    end do
    call mix_wind(grid, physics%turbulence, state)
  end subroutine add_physics

  !> Rain forms, evaporates and falls, and cloud drops sink, where the case wants that. The fields are those after the flow of
  !> the step.
  subroutine let_it_rain(case, grid, state, physics)
    type(case_t), intent(in) :: case
    type(grid_t), intent(in) :: grid
    type(state_t), intent(inout) :: state
    type(physics_t), intent(inout) :: physics
    type(column_t) :: column
    real(real64) :: weight(grid%nz)
    integer :: i, j
    weight = grid%density*grid%dz
    call make_column(grid%nz, column)
    column%exner = physics%air%exner
    column%pressure = physics%air%pressure
    column%density = grid%density
    column%dz = grid%dz
    do i = 1, grid%nx
      do j = 1, grid%ny
        associate (field => state%field)
          column%theta_l = field(THETA)%values(:, j, i)
          column%water = field(WATER)%values(:, j, i)
          column%liquid = physics%air%liquid(:, j, i)
          if (case%physics%rain) then
            column%rain = field(RAIN_MASS)%values(:, j, i)
            column%number = field(RAIN_NUMBER)%values(:, j, i)
          end if
          call rain_on(case, column)
          call add_source(THETA, column%theta_l - field(THETA)%values(:, j, i))
          call add_source(WATER, column%water - field(WATER)%values(:, j, i))
          field(THETA)%values(:, j, i) = column%theta_l
          field(WATER)%values(:, j, i) = column%water
          if (.not. case%physics%rain) cycle
          if (case%physics%aerosol) call take_aerosol()
          call add_source(RAIN_MASS, column%rain - field(RAIN_MASS)%values(:, j, i))
          call add_source(RAIN_NUMBER, column%number - field(RAIN_NUMBER)%values(:, j, i))
          field(RAIN_MASS)%values(:, j, i) = column%rain
          field(RAIN_NUMBER)%values(:, j, i) = column%number
        end associate
      end do
    end do
    physics%rained = physics%rained + column%rained
  contains
    subroutine take_aerosol()
      real(real64) :: before(grid%nz, SIZES), after(SIZES)
      integer :: k, n
      do n = 1, SIZES
        before(:, n) = state%field(FIRST_TRACER + n - 1)%values(:, j, i)
      end do
      do k = 1, grid%nz
        if (column%converted(k) <= 0) cycle
        after = before(k, :)
        call scavenge(case%physics%drops/grid%density(k), min(column%converted(k), 1.0_real64), after)
        do n = 1, SIZES
          state%field(FIRST_TRACER + n - 1)%values(k, j, i) = after(n)
        end do
      end do
      do n = 1, SIZES
        call add_source(FIRST_TRACER + n - 1, state%field(FIRST_TRACER + n - 1)%values(:, j, i) - before(:, n))
      end do
    end subroutine take_aerosol

    subroutine add_source(f, change)
      integer, intent(in) :: f
      real(real64), intent(in) :: change(:)
      real(real64) :: amount
      amount = sum(weight*change)
      call count_source(physics, f, amount)
      if (f == WATER) physics%rain_source(1) = physics%rain_source(1) + amount
      if (f == RAIN_MASS) physics%rain_source(2) = physics%rain_source(2) + amount
    end subroutine add_source
  end subroutine let_it_rain

  !> Adds what a column has gained. The sum keeps the digits that its additions round off (after Neumaier), however many they are.
  pure subroutine count_source(physics, f, amount)
    type(physics_t), intent(inout) :: physics
    integer, intent(in) :: f
    real(real64), intent(in) :: amount
    real(real64) :: total
    total = physics%source(f) + amount
    if (abs(physics%source(f)) >= abs(amount)) then
      physics%lost_digits(f) = physics%lost_digits(f) + ((physics%source(f) - total) + amount)
    else
      physics%lost_digits(f) = physics%lost_digits(f) + ((amount - total) + physics%source(f))
    end if
    physics%source(f) = total
    physics%turnover(f) = physics%turnover(f) + abs(amount)
  end subroutine count_source

  subroutine rain_on(case, column)
    type(case_t), intent(in) :: case
    type(column_t), intent(inout) :: column
    if (case%physics%sedimentation) call sink_drops(case%physics%drops, case%time_step, column)
    if (.not. case%physics%rain) return
    column%liquid = min(column%liquid, column%water)
    call collect_drops(case%physics%drops, case%time_step, column)
    call evaporate_rain(case%time_step, column)
    call fall(case%time_step, column)
  end subroutine rain_on

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
    if (case%physics%rain .or. case%physics%sedimentation) then
      call let_it_rain(case, grid, state, physics)
      call diagnose_block(grid, state, physics%air)
    end if
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
