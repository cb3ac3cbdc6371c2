!> What a case says about the physics: the namelist group `physics_parameters` of the case's file. Without the group there is
!> none, and the model has its dynamics alone: all water counts as vapour, and nothing is conserved but by its flow.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_physics_case
  use, intrinsic :: ieee_arithmetic, only: ieee_is_finite, ieee_is_nan
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: physics_case_t, read_physics_case, require_finite

  !> The numbers are those of DYCOMS-II RF01 (Stevens et al. 2005), but that a case without the group has wanted = .false.
  type :: physics_case_t
    logical :: wanted = .false.
    real(real64) :: frame(2) = 0.0_real64                  !< m/s, velocity of the grid over the ground: advection is slower in it
    real(real64) :: geostrophic(2) = [7.0_real64, -5.5_real64]  !< m/s
    real(real64) :: coriolis = 7.62e-5_real64              !< 1/s
    real(real64) :: divergence = 3.75e-6_real64            !< 1/s, of the large-scale wind: the air sinks by this times its height
    real(real64) :: sensible_heat = 15.0_real64            !< W/m2, from the sea
    real(real64) :: latent_heat = 115.0_real64             !< W/m2
    real(real64) :: drag = 0.0011_real64                   !< of the sea
    real(real64) :: flux_above = 70.0_real64               !< W/m2, F0: what a thick cloud's top loses
    real(real64) :: flux_below = 22.0_real64               !< W/m2, F1: what its base gains
    real(real64) :: absorption = 85.0_real64               !< m2/kg, kappa
    real(real64) :: clear_cooling = 1.0_real64             !< K m-1/3, a: of the free troposphere
    real(real64) :: cloud_top_water = 8.0e-3_real64        !< kg/kg of total water at the height where it begins
    real(real64) :: smagorinsky = 0.2_real64               !< mixing length over the cell's size; 0: no turbulence below the grid
    real(real64) :: prandtl = 1/3.0_real64                 !< turbulent; also the Richardson number beyond which turbulence dies
    real(real64) :: damping_height = 1250.0_real64         !< m, above which the vertical wind is damped
    real(real64) :: damping_time = 60.0_real64             !< s, at the lid
    logical :: rain = .false.                              !< warm rain of two moments
    logical :: aerosol = .false.                           !< in 22 sizes, instead of tracers that do nothing
    logical :: sedimentation = .false.                     !< of cloud drops
    real(real64) :: drops = 140.0e6_real64                 !< 1/m3
    real(real64) :: duration = 0.0_real64                  !< s; 0: as many steps as the case says
    real(real64) :: courant = 0.0_real64                   !< to which the time step adapts; 0: the case's step
    real(real64) :: longest_step = 2.0_real64              !< s
    real(real64) :: statistics_interval = 60.0_real64      !< s
  end type physics_case_t

contains

  !> Reads the group of a file that has one. message is empty if all is well, else it says what is wrong.
  subroutine read_physics_case(unit, physics, status, message)
    integer, intent(in) :: unit
    type(physics_case_t), intent(out) :: physics
    integer, intent(out) :: status
    character(*), intent(inout) :: message

    call find_groups(unit, physics%wanted, status, message)
    if (status /= 0 .or. .not. physics%wanted) return
    rewind (unit)
    call read_group(unit, physics, status, message)
    if (status == 0) call check(physics, status, message)
  end subroutine read_physics_case

  !> Whether the file has the group. A group of another name is a fault: a misspelled one would leave its case without physics.
  subroutine find_groups(unit, found, status, message)
    integer, intent(in) :: unit
    logical, intent(out) :: found
    integer, intent(out) :: status
    character(*), intent(inout) :: message
    character(256) :: line
    integer :: end_of_file

    found = .false.
    status = 0
    rewind (unit)
    do
      read (unit, '(a)', iostat=end_of_file) line
      if (end_of_file /= 0) return
      select case (group_name(line))
      case ('', 'case_parameters', 'end')
      case ('physics_parameters')
        found = .true.
      case default
        status = 1
        message = 'unknown group "&'//group_name(line)//'"; there are &case_parameters and &physics_parameters'
        return
      end select
    end do
  end subroutine find_groups

  !> The name behind a line's & in small letters, as Fortran does not tell them from large ones; empty if the line begins no group.
  pure function group_name(line) result(name)
    character(*), intent(in) :: line
    character(:), allocatable :: name
    character(*), parameter :: TAB = achar(9)
    integer :: first, i, code

    name = ''
    first = verify(line, ' '//TAB)
    if (first == 0) return
    if (line(first:first) /= '&') return
    do i = first + 1, len(line)
      if (scan(line(i:i), ' '//TAB//'/,!') == 1) return
      code = iachar(line(i:i))
      if (code >= iachar('A') .and. code <= iachar('Z')) code = code + 32
      name = name//achar(code)
    end do
  end function group_name

  subroutine read_group(unit, physics, status, message)
    integer, intent(in) :: unit
    type(physics_case_t), intent(inout) :: physics
    integer, intent(out) :: status
    character(*), intent(inout) :: message
    real(real64) :: frame(2), geostrophic(2), coriolis, divergence, sensible_heat, latent_heat, drag, flux_above, flux_below
    real(real64) :: absorption, clear_cooling, cloud_top_water, smagorinsky, prandtl, damping_height, damping_time, drops
    real(real64) :: duration, courant, longest_step, statistics_interval
    logical :: rain, aerosol, sedimentation
    namelist /physics_parameters/ frame, geostrophic, coriolis, divergence, sensible_heat, latent_heat, drag, flux_above, &
      flux_below, absorption, clear_cooling, cloud_top_water, smagorinsky, prandtl, damping_height, damping_time, rain, &
      aerosol, sedimentation, drops, duration, courant, longest_step, statistics_interval

    frame = physics%frame; geostrophic = physics%geostrophic; coriolis = physics%coriolis; divergence = physics%divergence
    sensible_heat = physics%sensible_heat; latent_heat = physics%latent_heat; drag = physics%drag
    flux_above = physics%flux_above; flux_below = physics%flux_below; absorption = physics%absorption
    clear_cooling = physics%clear_cooling; cloud_top_water = physics%cloud_top_water; smagorinsky = physics%smagorinsky
    prandtl = physics%prandtl; damping_height = physics%damping_height; damping_time = physics%damping_time
    rain = physics%rain; aerosol = physics%aerosol; sedimentation = physics%sedimentation
    drops = physics%drops; duration = physics%duration
    courant = physics%courant; longest_step = physics%longest_step; statistics_interval = physics%statistics_interval
    read (unit, nml=physics_parameters, iostat=status, iomsg=message)
    physics = physics_case_t(.true., frame, geostrophic, coriolis, divergence, sensible_heat, latent_heat, drag, flux_above, &
                             flux_below, absorption, clear_cooling, cloud_top_water, smagorinsky, prandtl, damping_height, &
                             damping_time, rain, aerosol, sedimentation, drops, duration, courant, longest_step, &
                             statistics_interval)
    call require_finite([character(19) :: 'frame', 'frame', 'geostrophic', 'geostrophic', 'coriolis', 'divergence', &
      'sensible_heat', 'latent_heat', 'drag', 'flux_above', 'flux_below', 'absorption', 'clear_cooling', 'cloud_top_water', &
      'smagorinsky', 'prandtl', 'damping_height', 'damping_time', 'drops', 'duration', 'courant', 'longest_step', &
      'statistics_interval'], [frame, geostrophic, coriolis, divergence, sensible_heat, latent_heat, drag, flux_above, &
      flux_below, absorption, clear_cooling, cloud_top_water, smagorinsky, prandtl, damping_height, damping_time, drops, &
      duration, courant, longest_step, statistics_interval], status, message)
  end subroutine read_group

  !> Names the first of a group's numbers that is infinite or no number (NaN). Does nothing where status has a fault already.
  subroutine require_finite(names, values, status, message)
    character(*), intent(in) :: names(:)           !< one for each value
    real(real64), intent(in) :: values(:)
    integer, intent(inout) :: status
    character(*), intent(inout) :: message
    integer :: place
    if (status /= 0) return
    place = findloc(ieee_is_finite(values), .false., dim=1)
    if (place == 0) return
    status = 1
    message = trim(names(place))//' is '//trim(merge('not a number', 'infinite    ', ieee_is_nan(values(place))))// &
              ', but must be a finite number'
  end subroutine require_finite

  subroutine check(physics, status, message)
    type(physics_case_t), intent(in) :: physics
    integer, intent(inout) :: status
    character(*), intent(inout) :: message
    call require(physics%absorption >= 0, 'absorption must not be negative')
    call require(physics%smagorinsky >= 0, 'smagorinsky must not be negative')
    call require(physics%prandtl > 0, 'prandtl must be positive')
    call require(physics%damping_time > 0, 'damping_time must be positive')
    call require(physics%drops > 0, 'drops must be positive')
    call require(physics%duration >= 0, 'duration must not be negative')
    call require(physics%courant >= 0 .and. physics%courant <= 0.5_real64, 'courant must be between 0 and 0.5')
    call require(physics%longest_step > 0, 'longest_step must be positive')
    call require(physics%statistics_interval > 0, 'statistics_interval must be positive')
  contains
    subroutine require(holds, rule)
      logical, intent(in) :: holds
      character(*), intent(in) :: rule
      if (holds .or. status /= 0) return
      status = 1
      message = rule
    end subroutine require
  end subroutine check
end module cloud_physics_case
