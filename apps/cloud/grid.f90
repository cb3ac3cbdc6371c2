!> The grid: how the columns are shared out over the ranks, where the layers lie, and the dry air at rest that the model departs
!> from.
!>
!> Arakawa C: u stands on the east face of its cell, v on the north face, w on the top face; all else in the middle. Arrays are (z,
!> y, x), z is contiguous and never cut. Layer k lies between z_face(k-1) and z_face(k).
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_grid
  use, intrinsic :: iso_fortran_env, only: real64
  use halocline, only: hlc_context, hlc_grid, hlc_grid_create, HLC_OK
  use cloud_case, only: case_t
  implicit none
  private
  public :: grid_t, make_grid, ranks_per_side, AT_CENTRE, AT_U, AT_V, AT_W, GRAVITY

  !> Where on the cell a quantity stands.
  integer, parameter :: AT_CENTRE = 1, AT_U = 2, AT_V = 3, AT_W = 4

  real(real64), parameter :: GRAVITY = 9.81_real64            !< m s-2
  real(real64), parameter :: DRY_AIR = 287.04_real64          !< J kg-1 K-1
  real(real64), parameter :: HEAT_CAPACITY = 1005.0_real64    !< J kg-1 K-1, at constant pressure
  real(real64), parameter :: REFERENCE_PRESSURE = 1.0e5_real64 !< Pa

  type :: grid_t
    type(hlc_grid) :: blocks                       !< of (z, y, x)
    type(hlc_grid) :: slabs                        !< the same blocks, each one cell wide in x
    integer :: cells(3) = 0                        !< of the whole grid, in x, y and z
    integer :: nx = 0, ny = 0, nz = 0              !< cells of this rank's block
    integer :: first_x = 0, first_y = 0            !< global cells before this block
    real(real64) :: dx = 0, dy = 0                 !< m
    real(real64), allocatable :: z_face(:)         !< (0:nz) m
    real(real64), allocatable :: z_centre(:)       !< (1:nz) m
    real(real64), allocatable :: dz(:)             !< (1:nz) m, thickness of a layer
    real(real64), allocatable :: dz_face(:)        !< (0:nz) m, from centre to centre; half a layer at the ground and the lid
    real(real64), allocatable :: density(:)        !< (1:nz) kg m-3, at the centres
    real(real64), allocatable :: density_face(:)   !< (0:nz) kg m-3
    real(real64) :: theta_reference = 0            !< K, of the neutral air at rest
  end type grid_t

contains

  !> Shares out the case's cells. local, where above 0, fixes the cells per rank in x and y. Every rank finds the same grid.
  subroutine make_grid(context, case, local, grid, status)
    type(hlc_context), intent(in) :: context
    type(case_t), intent(in) :: case
    integer, intent(in) :: local(2)
    type(grid_t), intent(out) :: grid
    integer, intent(out) :: status                 !< HLC_OK, or what the library has against it
    integer :: ranks(2)

    grid%cells = case%cells
    ranks = 0
    if (all(local > 0)) then
      ranks = ranks_per_side(context%size)
      grid%cells(1:2) = local*ranks
    end if
    call hlc_grid_create(context, [grid%cells(3), grid%cells(2), grid%cells(1)], grid%blocks, dims=[1, ranks(2), ranks(1)], &
                         periodic=[.false., .true., .true.], status=status)
    if (status /= HLC_OK) return
    associate (dims => grid%blocks%dims)
      call hlc_grid_create(context, [grid%cells(3), grid%cells(2), int(dims(3))], grid%slabs, dims=int(dims(1:3)), &
                           periodic=[.false., .true., .true.], status=status)
    end associate
    if (status /= HLC_OK) return
    grid%nz = int(grid%blocks%local(1))
    grid%ny = int(grid%blocks%local(2))
    grid%nx = int(grid%blocks%local(3))
    grid%first_y = int(grid%blocks%start(2))
    grid%first_x = int(grid%blocks%start(3))
    grid%dx = case%spacing(1)
    grid%dy = case%spacing(2)
    call make_layers(case, grid)
    call make_air_at_rest(case, grid)
  end subroutine make_grid

  !> The ranks in x and y that are nearest to a square, no fewer in x than in y.
  pure function ranks_per_side(ranks) result(sides)
    integer, intent(in) :: ranks
    integer :: sides(2)
    sides(2) = int(sqrt(real(ranks, real64)) + 0.5_real64)
    do while (mod(ranks, sides(2)) /= 0)
      sides(2) = sides(2) - 1
    end do
    sides(1) = ranks/sides(2)
    if (sides(1) < sides(2)) sides = sides(2:1:-1)
  end function ranks_per_side

  subroutine make_layers(case, grid)
    type(case_t), intent(in) :: case
    type(grid_t), intent(inout) :: grid
    integer :: k, nz

    nz = grid%nz
    allocate (grid%z_face(0:nz), grid%z_centre(nz), grid%dz(nz), grid%dz_face(0:nz))
    do k = 0, nz
      grid%z_face(k) = height_of_face(case, real(k, real64)/nz)
    end do
    do k = 1, nz
      grid%z_centre(k) = 0.5_real64*(grid%z_face(k - 1) + grid%z_face(k))
      grid%dz(k) = grid%z_face(k) - grid%z_face(k - 1)
    end do
    grid%dz_face(0) = 0.5_real64*grid%dz(1)
    grid%dz_face(nz) = 0.5_real64*grid%dz(nz)
    do k = 1, nz - 1
      grid%dz_face(k) = 0.5_real64*(grid%dz(k) + grid%dz(k + 1))
    end do
  end subroutine make_layers

  !> The height below which a given share of the layers lies, by bisection.
  function height_of_face(case, share) result(z)
    type(case_t), intent(in) :: case
    real(real64), intent(in) :: share
    real(real64) :: z, low, high
    integer :: halving
    low = 0
    high = case%top
    z = share*case%top
    if (case%refinement == 1.0_real64 .or. share == 0 .or. share == 1) return
    do halving = 1, 60
      z = 0.5_real64*(low + high)
      if (layers_below(case, z) < share*layers_below(case, case%top)) then
        low = z
      else
        high = z
      end if
    end do
    z = 0.5_real64*(low + high)
  end function height_of_face

  !> The number of layers below a height, up to a factor: they lie `refinement` times denser at the inversion than far from it.
  pure function layers_below(case, z) result(layers)
    type(case_t), intent(in) :: case
    real(real64), intent(in) :: z
    real(real64) :: layers, width
    width = case%refinement_width
    layers = z + (case%refinement - 1)*0.5_real64*sqrt(acos(-1.0_real64))*width* &
             (erf((z - case%inversion)/width) + erf(case%inversion/width))
  end function layers_below

  !> Dry air at rest, neutral (of one potential temperature) and hydrostatic: the density that the anelastic equations weigh with.
  subroutine make_air_at_rest(case, grid)
    type(case_t), intent(in) :: case
    type(grid_t), intent(inout) :: grid
    grid%theta_reference = case%theta_below
    grid%density = density_at(case, grid%z_centre)
    allocate (grid%density_face(0:grid%nz))
    grid%density_face = density_at(case, grid%z_face)
  end subroutine make_air_at_rest

  elemental function density_at(case, z) result(density)
    type(case_t), intent(in) :: case
    real(real64), intent(in) :: z
    real(real64) :: density, exner
    exner = (case%surface_pressure/REFERENCE_PRESSURE)**(DRY_AIR/HEAT_CAPACITY) - GRAVITY*z/(HEAT_CAPACITY*case%theta_below)
    density = REFERENCE_PRESSURE*exner**(HEAT_CAPACITY/DRY_AIR - 1)/(DRY_AIR*case%theta_below)
  end function density_at
end module cloud_grid
