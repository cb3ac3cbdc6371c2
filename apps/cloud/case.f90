!> The case: what a namelist says about the atmosphere, the grid and the run. Read once, never changed afterwards but for the
!> cells and steps that the command line may replace, and a time step that adapts. Units are SI; water is in kg/kg.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_case
  use, intrinsic :: iso_fortran_env, only: real64
  use cloud_physics_case, only: physics_case_t, read_physics_case, require_finite
  implicit none
  private
  public :: case_t, read_case

  !> One case. The initial values are those of DYCOMS-II RF01 (Stevens et al. 2005, MWR 133, section 2).
  type :: case_t
    character(64) :: title = 'DYCOMS-II RF01 stratocumulus'
    integer :: cells(3) = [32, 16, 256]            !< global cells in x, y and z
    real(real64) :: spacing(2) = 35.0_real64       !< m, in x and y
    real(real64) :: top = 1500.0_real64            !< m, height of the model's lid
    real(real64) :: refinement = 1.0_real64        !< how many times thinner the layers are at the inversion than far from it
    real(real64) :: refinement_width = 150.0_real64   !< m
    real(real64) :: time_step = 0.5_real64         !< s
    integer :: steps = 10
    real(real64) :: surface_pressure = 101780.0_real64  !< Pa
    real(real64) :: wind(2) = [7.0_real64, -5.5_real64] !< m/s
    real(real64) :: inversion = 840.0_real64       !< m
    real(real64) :: theta_below = 289.0_real64     !< K
    real(real64) :: theta_above = 297.5_real64     !< K at the inversion; (z - inversion)^(1/3) K is added to it
    real(real64) :: water_below = 9.0e-3_real64    !< kg/kg
    real(real64) :: water_above = 1.5e-3_real64    !< kg/kg
    real(real64) :: theta_noise = 0.1_real64       !< K, largest random difference in a cell below the inversion
    real(real64) :: water_noise = 2.5e-5_real64    !< kg/kg, the same
    real(real64) :: thermal_strength = 0.0_real64  !< K, largest difference of the smooth warm and cool patches below the inversion
    real(real64) :: pressure_tolerance = 1.0e-10_real64 !< largest divergence per step, relative to a cell's mass
    integer :: pressure_iterations = 500           !< most iterations per step
    type(physics_case_t) :: physics                !< what acts on the air besides its flow
  end type case_t

contains

  !> Reads the namelist `case_parameters` of a file, and `physics_parameters` if it has that group. message is empty if all is
  !> well, else one sentence that names the file and the fault.
  subroutine read_case(path, case, message)
    character(*), intent(in) :: path
    type(case_t), intent(out) :: case
    character(:), allocatable, intent(out) :: message
    character(256) :: text
    integer :: unit, status

    message = ''
    text = ''
    open (newunit=unit, file=path, status='old', action='read', iostat=status, iomsg=text)
    if (status == 0) then
      call read_namelist(unit, case, status, text)
      if (is_iostat_end(status)) text = 'it has no group &case_parameters that ends with /'
      if (status == 0) call read_physics_case(unit, case%physics, status, text)
      close (unit)
    end if
    if (status /= 0) then
      message = 'case "'//path//'": '//trim(text)
    else
      call check_case(path, case, message)
    end if
  end subroutine read_case

  subroutine read_namelist(unit, case, status, text)
    integer, intent(in) :: unit
    type(case_t), intent(inout) :: case
    integer, intent(out) :: status
    character(*), intent(inout) :: text
    character(64) :: title
    integer :: cells(3), steps, pressure_iterations
    real(real64) :: spacing(2), top, refinement, refinement_width, time_step, surface_pressure, wind(2), inversion
    real(real64) :: theta_below, theta_above, water_below, water_above, theta_noise, water_noise, thermal_strength
    real(real64) :: pressure_tolerance
    namelist /case_parameters/ title, cells, spacing, top, refinement, refinement_width, time_step, steps, surface_pressure, wind, &
      inversion, theta_below, theta_above, water_below, water_above, theta_noise, water_noise, thermal_strength, &
      pressure_tolerance, pressure_iterations

    title = case%title; cells = case%cells; spacing = case%spacing; top = case%top
    refinement = case%refinement; refinement_width = case%refinement_width
    time_step = case%time_step; steps = case%steps; surface_pressure = case%surface_pressure; wind = case%wind
    inversion = case%inversion; theta_below = case%theta_below; theta_above = case%theta_above
    water_below = case%water_below; water_above = case%water_above
    theta_noise = case%theta_noise; water_noise = case%water_noise; thermal_strength = case%thermal_strength
    pressure_tolerance = case%pressure_tolerance; pressure_iterations = case%pressure_iterations

    read (unit, nml=case_parameters, iostat=status, iomsg=text)
    case = case_t(title, cells, spacing, top, refinement, refinement_width, time_step, steps, surface_pressure, wind, inversion, &
                  theta_below, theta_above, water_below, water_above, theta_noise, water_noise, thermal_strength, &
                  pressure_tolerance, pressure_iterations, case%physics)
    call require_finite([character(18) :: 'spacing', 'spacing', 'top', 'refinement', 'refinement_width', 'time_step', &
      'surface_pressure', 'wind', 'wind', 'inversion', 'theta_below', 'theta_above', 'water_below', 'water_above', &
      'theta_noise', 'water_noise', 'thermal_strength', 'pressure_tolerance'], [spacing, top, refinement, refinement_width, &
      time_step, surface_pressure, wind, inversion, theta_below, theta_above, water_below, water_above, theta_noise, &
      water_noise, thermal_strength, pressure_tolerance], status, text)
  end subroutine read_namelist

  subroutine check_case(path, case, message)
    character(*), intent(in) :: path
    type(case_t), intent(in) :: case
    character(:), allocatable, intent(inout) :: message

    call require(all(case%cells >= 1), 'cells must be at least 1 in every dimension')
    call require(case%cells(3) >= 4, 'cells must be at least 4 in z')
    call require(all(case%spacing > 0), 'spacing must be positive')
    call require(case%top > 0, 'top must be positive')
    call require(case%refinement >= 1, 'refinement must be at least 1')
    call require(case%refinement_width > 0, 'refinement_width must be positive')
    call require(case%time_step > 0, 'time_step must be positive')
    call require(case%steps >= 0, 'steps must not be negative')
    call require(case%surface_pressure > 0, 'surface_pressure must be positive')
    call require(case%theta_below > 0, 'theta_below must be positive')
    call require(case%theta_above > 0, 'theta_above must be positive')
    call require(case%water_below >= 0 .and. case%water_above >= 0, 'water_below and water_above must not be negative')
    call require(case%pressure_tolerance > 0, 'pressure_tolerance must be positive')
    call require(case%pressure_iterations >= 1, 'pressure_iterations must be at least 1')
  contains
    subroutine require(holds, rule)
      logical, intent(in) :: holds
      character(*), intent(in) :: rule
      if (.not. holds .and. message == '') message = 'case "'//path//'": '//rule
    end subroutine require
  end subroutine check_case
end module cloud_case
