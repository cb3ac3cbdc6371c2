!> Advection of all fields by the wind, in flux form: what leaves one cell enters the next to the last bit, so sums are conserved.
!>
!> The fluxes run from west to east through the block. Those through the west faces of column 1 are needed by the left neighbour
!> too, as the east faces of its last column: they are computed first and sent left in one direction, the columns up to the last
!> but one are advected meanwhile, and the last column waits for what comes from the right (Brown et al. 2018, section II).
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_advection
  use, intrinsic :: iso_fortran_env, only: real64
  use halocline, only: hlc_halo_start, hlc_halo_finish, HLC_SIDE_HIGH
  use cloud_grid, only: grid_t, AT_CENTRE, AT_W
  use cloud_mass_flux, only: mass_flux_west, mass_flux_south, mass_flux_up
  use cloud_state, only: state_t, FIELDS, U_WIND, V_WIND, W_WIND
  use cloud_timing, only: clock_t, SITE_ADVECTION
  use cloud_tvd_flux, only: limited_flux
  implicit none
  private
  public :: advect

  integer, parameter :: X = 3                       !< the dimension of x in (z, y, x)

  !> What the inner loops need, worked out once per step: arrays of (level, placement).
  type :: metrics_t
    real(real64), allocatable, dimension(:, :) :: courant_x, courant_y, courant_z  !< Courant number per mass flux
    real(real64), allocatable, dimension(:, :) :: per_mass, per_thickness          !< 1/density and 1/dz of a cell
  end type metrics_t

contains

  !> Fills the tendencies of all fields (per second) from the fields and their halos.
  subroutine advect(grid, time_step, state, clock)
    type(grid_t), intent(in) :: grid
    real(real64), intent(in) :: time_step
    type(state_t), intent(inout) :: state
    type(clock_t), intent(inout) :: clock
    real(real64), allocatable :: west(:, :, :), east(:, :)
    type(metrics_t) :: metrics
    integer :: f, i

    call make_metrics(grid, time_step, metrics)
    allocate (west(grid%nz, grid%ny, FIELDS), east(grid%nz, grid%ny))
    do f = 1, FIELDS
      call flux_west(grid, metrics, state, f, 1, state%field(f)%edge_flux(:, :, 1))
    end do
    call clock%enter(SITE_ADVECTION)
    call hlc_halo_start(state%edge_fluxes, dim=X, side=HLC_SIDE_HIGH)
    call clock%leave(SITE_ADVECTION)

    do f = 1, FIELDS
      west(:, :, f) = state%field(f)%edge_flux(:, :, 1)
      do i = 1, grid%nx - 1
        call flux_west(grid, metrics, state, f, i + 1, east)
        call advect_slab(grid, metrics, state, f, i, west(:, :, f), east)
        west(:, :, f) = east
      end do
    end do

    call clock%enter(SITE_ADVECTION)
    call hlc_halo_finish(state%edge_fluxes)
    call clock%leave(SITE_ADVECTION, swaps=1)
    do f = 1, FIELDS
      call advect_slab(grid, metrics, state, f, grid%nx, west(:, :, f), state%field(f)%edge_flux(:, :, 2))
    end do
  end subroutine advect

  !> Fluxes of field f through the west faces of slab i.
  subroutine flux_west(grid, metrics, state, f, i, flux)
    type(grid_t), intent(in) :: grid
    type(metrics_t), intent(in) :: metrics
    type(state_t), intent(in) :: state
    integer, intent(in) :: f, i
    real(real64), intent(inout), contiguous :: flux(:, :)
    real(real64) :: mass(grid%nz)
    integer :: j
    associate (place => state%field(f)%placement, q => state%field(f)%values)
      do j = 1, grid%ny
        call mass_flux_west(grid, state%field(U_WIND)%values, place, j, i, mass)
        call limited_flux(mass, metrics%courant_x(:, place), q(:, j, i - 2), q(:, j, i - 1), q(:, j, i), q(:, j, i + 1), flux(:, j))
      end do
    end associate
  end subroutine flux_west

  !> Fluxes of field f through the south faces of the column (j, i).
  subroutine flux_south(grid, metrics, state, f, j, i, flux)
    type(grid_t), intent(in) :: grid
    type(metrics_t), intent(in) :: metrics
    type(state_t), intent(in) :: state
    integer, intent(in) :: f, j, i
    real(real64), intent(inout), contiguous :: flux(:)
    real(real64) :: mass(grid%nz)
    associate (place => state%field(f)%placement, q => state%field(f)%values)
      call mass_flux_south(grid, state%field(V_WIND)%values, place, j, i, mass)
      call limited_flux(mass, metrics%courant_y(:, place), q(:, j - 2, i), q(:, j - 1, i), q(:, j, i), q(:, j + 1, i), flux)
    end associate
  end subroutine flux_south

  !> Fluxes of field f through the top faces of the column (j, i); flux(0) is at the bottom of the lowest cell. Beyond the ground
  !> and the lid the column goes on as it ends; w is zero there.
  subroutine flux_up(grid, metrics, state, f, j, i, flux)
    type(grid_t), intent(in) :: grid
    type(metrics_t), intent(in) :: metrics
    type(state_t), intent(in) :: state
    integer, intent(in) :: f, j, i
    real(real64), intent(inout), contiguous :: flux(0:)
    real(real64) :: mass(0:grid%nz), column(-1:grid%nz + 2)
    integer :: nz
    nz = grid%nz
    associate (place => state%field(f)%placement, q => state%field(f)%values)
      column(1:nz) = q(:, j, i)
      column(-1:0) = merge(0.0_real64, column(1), place == AT_W)
      column(nz + 1:nz + 2) = merge(0.0_real64, column(nz), place == AT_W)
      call mass_flux_up(grid, state%field(W_WIND)%values, place, j, i, mass)
      call limited_flux(mass, metrics%courant_z(:, place), column(-1:nz - 1), column(0:nz), column(1:nz + 1), column(2:nz + 2), &
                        flux)
    end associate
  end subroutine flux_up

  !> The tendency of field f in slab i, from the fluxes through the slab's west and east faces and those inside it.
  subroutine advect_slab(grid, metrics, state, f, i, west, east)
    type(grid_t), intent(in) :: grid
    type(metrics_t), intent(in) :: metrics
    type(state_t), intent(inout) :: state
    integer, intent(in) :: f, i
    real(real64), intent(in), contiguous :: west(:, :), east(:, :)
    real(real64) :: south(grid%nz), north(grid%nz), up(0:grid%nz)
    integer :: j, k, place

    place = state%field(f)%placement
    call flux_south(grid, metrics, state, f, 1, i, south)
    do j = 1, grid%ny
      call flux_south(grid, metrics, state, f, j + 1, i, north)
      call flux_up(grid, metrics, state, f, j, i, up)
      associate (tendency => state%tendency(:, j, i, f))
        do k = 1, grid%nz
          tendency(k) = -metrics%per_mass(k, place)*((east(k, j) - west(k, j))/grid%dx + (north(k) - south(k))/grid%dy &
                                                     + (up(k) - up(k - 1))*metrics%per_thickness(k, place))
        end do
      end associate
      south = north
    end do
  end subroutine advect_slab

  !> A cell around w reaches from one centre to the next; the one at the lid does not change.
  subroutine make_metrics(grid, time_step, metrics)
    type(grid_t), intent(in) :: grid
    real(real64), intent(in) :: time_step
    type(metrics_t), intent(out) :: metrics
    integer :: nz, place

    nz = grid%nz
    allocate (metrics%per_mass(nz, AT_W), metrics%per_thickness(nz, AT_W), metrics%courant_z(0:nz, AT_W))
    do place = AT_CENTRE, AT_W - 1
      metrics%per_mass(:, place) = 1/grid%density
      metrics%per_thickness(:, place) = 1/grid%dz
      metrics%courant_z(:, place) = time_step/(grid%density_face*grid%dz_face)
    end do
    metrics%per_mass(:, AT_W) = 1/grid%density_face(1:nz)
    metrics%per_thickness(:, AT_W) = 1/grid%dz_face(1:nz)
    metrics%per_thickness(nz, AT_W) = 0
    metrics%courant_z(0:nz - 1, AT_W) = time_step/(grid%density*grid%dz)
    metrics%courant_z(nz, AT_W) = 0
    metrics%courant_x = metrics%per_mass*(time_step/grid%dx)
    metrics%courant_y = metrics%per_mass*(time_step/grid%dy)
  end subroutine make_metrics
end module cloud_advection
