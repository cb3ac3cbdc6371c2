!> The prognostic fields and their halos: 29 fields that are swapped together, the fluxes of the first column that go to the left
!> neighbour during advection, and the provisional wind that the pressure's source term needs.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_state
  use, intrinsic :: iso_fortran_env, only: real64
  use halocline, only: hlc_context, hlc_field, hlc_field_alloc, hlc_field_free, hlc_field_of, hlc_halo, hlc_halo_init, &
                       hlc_halo_finalise, HLC_OK, HLC_STENCIL_STAR
  use cloud_aerosol, only: SIZES, dry_radius
  use cloud_grid, only: grid_t, AT_CENTRE, AT_U, AT_V, AT_W
  use cloud_physics_case, only: physics_case_t
  implicit none
  private
  public :: state_t, prognostic_t, make_state, release_state
  public :: FIELDS, TRACERS, DEPTH, U_WIND, V_WIND, W_WIND, THETA, WATER, FIRST_TRACER, RAIN_MASS, RAIN_NUMBER

  integer, parameter :: TRACERS = 24
  integer, parameter :: FIELDS = 5 + TRACERS
  integer, parameter :: U_WIND = 1, V_WIND = 2, W_WIND = 3, THETA = 4, WATER = 5, FIRST_TRACER = 6
  !> The last two tracers, where the case has rain.
  integer, parameter :: RAIN_MASS = FIELDS - 1, RAIN_NUMBER = FIELDS
  integer, parameter :: DEPTH = 2                                !< halo cells in x and y: what the TVD scheme reads

  type :: prognostic_t
    character(16) :: name = ''
    character(16) :: units = ''
    character(48) :: long_name = ''
    integer :: placement = AT_CENTRE
    real(real64), pointer, contiguous :: values(:, :, :) => null()     !< (nz, 1-DEPTH:ny+DEPTH, 1-DEPTH:nx+DEPTH)
    !> Fluxes through the west faces of column 1, and in column 2, the halo, those of the right neighbour's: my last east faces.
    real(real64), pointer, contiguous :: edge_flux(:, :, :) => null()  !< (nz, ny, 2)
  end type prognostic_t

  type :: state_t
    type(prognostic_t) :: field(FIELDS)
    real(real64), allocatable :: tendency(:, :, :, :)   !< (nz, ny, nx, FIELDS) per second, by advection
    type(hlc_halo) :: everything                        !< all fields, box stencil, DEPTH cells on every side
    type(hlc_halo) :: edge_fluxes                       !< swapped in one direction: to the left
    type(hlc_halo) :: provisional_wind                  !< u and v, one cell on the low sides only
  end type state_t

contains

  !> Allocates the fields in memory that the node's ranks share and plans the three halos. Collective.
  subroutine make_state(context, grid, physics, mode, state, status)
    type(hlc_context), intent(in) :: context
    type(grid_t), intent(in) :: grid
    type(physics_case_t), intent(in) :: physics     !< says what the tracers are
    character(*), intent(in), optional :: mode      !< absent: what the environment says, else the library's default
    type(state_t), intent(out) :: state
    integer, intent(out) :: status       !< HLC_OK, or what the library has against it
    integer :: f

    call name_fields(state%field, physics)
    do f = 1, FIELDS
      call hlc_field_alloc(context, state%field(f)%values, [1, 1 - DEPTH, 1 - DEPTH], &
                           [grid%nz, grid%ny + DEPTH, grid%nx + DEPTH], status)
      if (status == HLC_OK) call hlc_field_alloc(context, state%field(f)%edge_flux, [1, 1, 1], [grid%nz, grid%ny, 2], status)
      if (status /= HLC_OK) return
    end do
    call plan_halos(context, grid, mode, state, status)
  end subroutine make_state

  subroutine plan_halos(context, grid, mode, state, status)
    type(hlc_context), intent(in) :: context
    type(grid_t), intent(in) :: grid
    character(*), intent(in), optional :: mode      !< absent: what the environment says, else the library's default
    type(state_t), intent(inout) :: state
    integer, intent(out) :: status
    type(hlc_field) :: values(FIELDS), fluxes(FIELDS), wind(2)
    integer :: f

    do f = 1, FIELDS
      values(f) = hlc_field_of(state%field(f)%values, trim(state%field(f)%name))
      fluxes(f) = hlc_field_of(state%field(f)%edge_flux, 'flux of '//trim(state%field(f)%name))
    end do
    do f = U_WIND, V_WIND
      wind(f) = hlc_field_of(state%field(f)%values(:, 0:grid%ny, 0:grid%nx), trim(state%field(f)%name))
    end do
    call hlc_halo_init(context, grid%blocks, values, [0, DEPTH, DEPTH], state%everything, mode=mode, status=status)
    if (status /= HLC_OK) return
    call hlc_halo_init(context, grid%slabs, fluxes, [0, 0, 0], state%edge_fluxes, depth_high=[0, 0, 1], mode=mode, &
                       status=status)
    if (status /= HLC_OK) return
    call hlc_halo_init(context, grid%blocks, wind, [0, 1, 1], state%provisional_wind, depth_high=[0, 0, 0], &
                       stencil=HLC_STENCIL_STAR, mode=mode, status=status)
  end subroutine plan_halos

  !> Releases halos and fields. Collective.
  subroutine release_state(context, state)
    type(hlc_context), intent(in) :: context
    type(state_t), intent(inout) :: state
    integer :: f
    call hlc_halo_finalise(state%everything)
    call hlc_halo_finalise(state%edge_fluxes)
    call hlc_halo_finalise(state%provisional_wind)
    do f = 1, FIELDS
      call hlc_field_free(context, state%field(f)%values)
      call hlc_field_free(context, state%field(f)%edge_flux)
    end do
  end subroutine release_state

  subroutine name_fields(field, physics)
    type(prognostic_t), intent(inout) :: field(FIELDS)
    type(physics_case_t), intent(in) :: physics
    character(2) :: number
    character(6) :: radius
    integer :: n
    call name_field(field(U_WIND), 'u', 'm s-1', 'eastward wind', AT_U)
    call name_field(field(V_WIND), 'v', 'm s-1', 'northward wind', AT_V)
    call name_field(field(W_WIND), 'w', 'm s-1', 'upward wind', AT_W)
    call name_field(field(THETA), 'theta_l', 'K', 'liquid water potential temperature', AT_CENTRE)
    call name_field(field(WATER), 'q_t', 'kg kg-1', 'total water mixing ratio', AT_CENTRE)
    do n = 1, TRACERS
      write (number, '(i2.2)') n
      call name_field(field(FIRST_TRACER + n - 1), 'tracer_'//number, '1', 'passive tracer '//number, AT_CENTRE)
    end do
    do n = 1, merge(SIZES, 0, physics%aerosol)
      write (number, '(i2.2)') n
      write (radius, '(f6.4)') dry_radius(n)
      call name_field(field(FIRST_TRACER + n - 1), 'aerosol_'//number, 'kg-1', &
                      'number of particles of dry radius '//radius//' um', AT_CENTRE)
    end do
    if (.not. physics%rain) return
    call name_field(field(RAIN_MASS), 'q_r', 'kg kg-1', 'rain water mixing ratio', AT_CENTRE)
    call name_field(field(RAIN_NUMBER), 'n_r', 'kg-1', 'number of rain drops per mass of air', AT_CENTRE)
  end subroutine name_fields

  subroutine name_field(field, name, units, long_name, placement)
    type(prognostic_t), intent(inout) :: field
    character(*), intent(in) :: name, units, long_name
    integer, intent(in) :: placement
    field%name = name
    field%units = units
    field%long_name = long_name
    field%placement = placement
  end subroutine name_field
end module cloud_state
