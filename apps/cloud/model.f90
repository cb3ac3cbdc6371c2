!> One run of the model: its parts, made once, and the order of a time step.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_model
  use, intrinsic :: iso_fortran_env, only: real64
  use halocline, only: hlc_context, hlc_halo, hlc_halo_finish, hlc_halo_info, hlc_halo_start, hlc_plan_info, HLC_OK
  use halocline_mpi, only: hlc_mpi_max
  use cloud_advection, only: advect
  use cloud_air, only: diagnose_block
  use cloud_case, only: case_t
  use cloud_diagnostics, only: budget_t, check_wind, measure_amounts
  use cloud_grid, only: grid_t
  use cloud_initial, only: set_initial_state, theta_profile, water_profile
  use cloud_physics, only: physics_t, make_physics, begin_physics, add_physics, lift
  use cloud_pressure, only: pressure_t, make_pressure, release_pressure, remove_divergence
  use cloud_ranks, only: ranks_t, stop_together, EXIT_USAGE
  use cloud_state, only: state_t, make_state, release_state, FIELDS
  use cloud_timing, only: clock_t, SITE_ADVECTION, SITE_PRESSURE, SITE_SOURCE, SITE_STATE
  use cloud_wind, only: add_buoyancy
  implicit none
  private
  public :: model_t, make_model, release_model, resume_model, advance, has_ended, too_large

  type :: model_t
    type(case_t) :: case
    type(ranks_t) :: ranks
    type(grid_t) :: grid
    type(state_t) :: state
    type(pressure_t) :: pressure
    type(physics_t) :: physics
    type(budget_t) :: budget
    type(clock_t) :: clock
    type(hlc_plan_info) :: plan                              !< of the swap of all fields
    real(real64), allocatable :: theta_rest(:), water_rest(:) !< (nz) the undisturbed case
    real(real64) :: time = 0                                 !< s, simulated since the start of the case
  end type model_t

contains

  !> Makes fields and halos for a grid that is already there, and sets the first state. Collective.
  subroutine make_model(context, mode, model, status)
    type(hlc_context), intent(in) :: context
    character(*), intent(in), optional :: mode
    type(model_t), intent(inout) :: model
    integer, intent(out) :: status       !< HLC_OK, or what the library has against it

    call make_state(context, model%grid, model%case%physics, mode, model%state, status)
    if (status /= HLC_OK) return
    call make_tendencies(model)
    call make_pressure(context, model%grid, mode, model%pressure, status)
    if (status /= HLC_OK) return
    call set_initial_state(model%case, model%grid, model%state)
    model%theta_rest = theta_profile(model%case, model%grid%z_centre)
    model%water_rest = water_profile(model%case, model%grid%z_centre)
    if (model%case%physics%wanted) &
      call make_physics(model%case, model%grid, model%theta_rest, model%water_rest, model%state, model%physics)
    call measure_amounts(model%grid, model%ranks, model%state, model%budget%amount_before, model%budget%mass)
    call model%clock%prepare(model%case%steps)
    call hlc_halo_info(model%state%everything, model%plan)
    call count_bytes(model, SITE_STATE, model%state%everything)
    call count_bytes(model, SITE_ADVECTION, model%state%edge_fluxes)
    call count_bytes(model, SITE_SOURCE, model%state%provisional_wind)
    call count_bytes(model, SITE_PRESSURE, model%pressure%halo)
  end subroutine make_model

  !> They take as much memory as the fields, of each rank's own, which one rank may not have. Collective.
  subroutine make_tendencies(model)
    type(model_t), intent(inout) :: model
    real(real64) :: lacking
    character(160) :: text
    integer :: status
    associate (grid => model%grid)
      allocate (model%state%tendency(grid%nz, grid%ny, grid%nx, FIELDS), source=0.0_real64, stat=status)
      lacking = merge(0, model%ranks%rank + 1, status == 0)
      call hlc_mpi_max(model%ranks%comm, lacking)
      if (lacking == 0) return
      write (text, '(a,i0,a,i0,a)') ': rank ', nint(lacking) - 1, ' has no memory for the tendencies of ', FIELDS, ' fields'
      call stop_together(model%ranks, EXIT_USAGE, too_large(model, trim(text)))
    end associate
  end subroutine make_tendencies

  !> A sentence about a grid that does not fit, with the reason.
  function too_large(model, reason) result(text)
    type(model_t), intent(in) :: model
    character(*), intent(in) :: reason
    character(:), allocatable :: text
    character(160) :: size
    associate (cells => model%grid%cells)
      write (size, '(a,2(i0,a),i0,a,i0,a)') 'a grid of ', cells(1), ' x ', cells(2), ' x ', cells(3), ' cells is too large for ', &
        model%ranks%size, ' ranks'
    end associate
    text = trim(size)//reason//'; use fewer cells (--global, --local), or ranks on more nodes'
  end function too_large

  !> Goes on from fields that were read: call it when they are there. Collective.
  subroutine resume_model(time, time_step, model)
    real(real64), intent(in) :: time, time_step
    type(model_t), intent(inout) :: model
    model%time = time
    if (model%case%physics%courant > 0) model%case%time_step = time_step
    if (model%case%physics%wanted) call diagnose_block(model%grid, model%state, model%physics%air)
    call measure_amounts(model%grid, model%ranks, model%state, model%budget%amount_before, model%budget%mass)
  end subroutine resume_model

  !> Whether all steps are done, or all the time that is asked for has been simulated.
  pure function has_ended(model) result(ended)
    type(model_t), intent(in) :: model
    logical :: ended
    if (model%case%physics%duration > 0) then
      ended = model%time >= model%case%physics%duration
    else
      ended = model%clock%step >= model%case%steps
    end if
  end function has_ended

  subroutine count_bytes(model, site, halo)
    type(model_t), intent(inout) :: model
    integer, intent(in) :: site
    type(hlc_halo), intent(in) :: halo
    type(hlc_plan_info) :: plan
    call hlc_halo_info(halo, plan)
    model%clock%bytes(site) = plan%bytes_in
    model%clock%self_bytes(site) = plan%self_bytes
  end subroutine count_bytes

  !> Collective.
  subroutine release_model(context, model)
    type(hlc_context), intent(in) :: context
    type(model_t), intent(inout) :: model
    call release_pressure(context, model%pressure)
    call release_state(context, model%state)
  end subroutine release_model

  !> One time step. Collective.
  subroutine advance(model)
    type(model_t), intent(inout) :: model
    associate (case => model%case, grid => model%grid, state => model%state, clock => model%clock)
      call clock%begin_step()
      call swap_everything(state, clock)
      if (case%physics%wanted) call begin_physics(case, grid, state, model%physics)
      call advect(grid, case%time_step, state, clock)
      if (case%physics%wanted) call add_physics(case, grid, state, model%physics)
      call apply_tendencies(grid, case%time_step, state)
      if (case%physics%wanted) then
        call lift(case, grid, state, model%physics)
      else
        call add_buoyancy(grid, case%time_step, model%theta_rest, model%water_rest, state)
      end if
      call remove_divergence(case, grid, model%ranks, state, model%pressure, clock)
      call check_wind(case, grid, model%ranks, state, model%physics, model%budget, clock)
      model%time = model%time + case%time_step
      call clock%end_step()
      if (case%physics%wanted .and. case%physics%courant > 0) call adapt_time_step(model%budget%courant_rate, case)
    end associate
  end subroutine advance

  !> The next step's length, from the share of its mass that a cell sent off per second in this one: never much longer than the
  !> last.
  subroutine adapt_time_step(rate, case)
    real(real64), intent(in) :: rate
    type(case_t), intent(inout) :: case
    case%time_step = min(1.05_real64*case%time_step, case%physics%longest_step)
    if (rate > 0) case%time_step = min(case%time_step, case%physics%courant/rate)
  end subroutine adapt_time_step

  subroutine swap_everything(state, clock)
    type(state_t), intent(inout) :: state
    type(clock_t), intent(inout) :: clock
    call clock%enter(SITE_STATE)
    call hlc_halo_start(state%everything)
    call hlc_halo_finish(state%everything)
    call clock%leave(SITE_STATE, swaps=1)
  end subroutine swap_everything

  subroutine apply_tendencies(grid, time_step, state)
    type(grid_t), intent(in) :: grid
    real(real64), intent(in) :: time_step
    type(state_t), intent(inout) :: state
    integer :: f, i, j
    do f = 1, FIELDS
      do i = 1, grid%nx
        do j = 1, grid%ny
          associate (values => state%field(f)%values(:, j, i))
            values = values + time_step*state%tendency(:, j, i, f)
          end associate
        end do
      end do
    end do
  end subroutine apply_tendencies
end module cloud_model
