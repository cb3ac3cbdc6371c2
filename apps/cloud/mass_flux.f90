!> Mass fluxes (kg m-2 s-1) through the faces of a cell around a place of the C grid. Around the centre they are density times
!> wind; around a wind component they are means of these, so that a cell around u, v or w gains no mass where the cells it overlaps
!> gain none.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_mass_flux
  use, intrinsic :: iso_fortran_env, only: real64
  use cloud_grid, only: grid_t, AT_CENTRE, AT_U, AT_V, AT_W
  implicit none
  private
  public :: mass_flux_west, mass_flux_south, mass_flux_up

  real(real64), parameter :: HALF = 0.5_real64

contains

  !> Through the west faces of the column (j, i) of cells around `placement`.
  pure subroutine mass_flux_west(grid, u, placement, j, i, mass)
    type(grid_t), intent(in) :: grid
    real(real64), intent(in), pointer, contiguous :: u(:, :, :)
    integer, intent(in) :: placement, j, i
    real(real64), intent(inout), contiguous :: mass(:)
    select case (placement)
    case (AT_CENTRE)
      mass = grid%density*u(:, j, i - 1)
    case (AT_U)
      mass = grid%density*(HALF*(u(:, j, i - 1) + u(:, j, i)))
    case (AT_V)
      mass = grid%density*(HALF*(u(:, j, i - 1) + u(:, j + 1, i - 1)))
    case (AT_W)
      call around_layer_faces(grid, u(:, j, i - 1), mass)
    end select
  end subroutine mass_flux_west

  !> Through the south faces of the column (j, i) of cells around `placement`.
  pure subroutine mass_flux_south(grid, v, placement, j, i, mass)
    type(grid_t), intent(in) :: grid
    real(real64), intent(in), pointer, contiguous :: v(:, :, :)
    integer, intent(in) :: placement, j, i
    real(real64), intent(inout), contiguous :: mass(:)
    select case (placement)
    case (AT_CENTRE)
      mass = grid%density*v(:, j - 1, i)
    case (AT_U)
      mass = grid%density*(HALF*(v(:, j - 1, i) + v(:, j - 1, i + 1)))
    case (AT_V)
      mass = grid%density*(HALF*(v(:, j - 1, i) + v(:, j, i)))
    case (AT_W)
      call around_layer_faces(grid, v(:, j - 1, i), mass)
    end select
  end subroutine mass_flux_south

  !> Through the top faces of the column (j, i) of cells around `placement`; mass(0) is at the bottom of the lowest cell. Nothing
  !> goes through the ground and the lid.
  pure subroutine mass_flux_up(grid, w, placement, j, i, mass)
    type(grid_t), intent(in) :: grid
    real(real64), intent(in), pointer, contiguous :: w(:, :, :)
    integer, intent(in) :: placement, j, i
    real(real64), intent(inout), contiguous :: mass(0:)
    integer :: nz
    nz = grid%nz
    mass(0) = 0
    select case (placement)
    case (AT_CENTRE)
      mass(1:nz - 1) = grid%density_face(1:nz - 1)*w(1:nz - 1, j, i)
    case (AT_U)
      mass(1:nz - 1) = grid%density_face(1:nz - 1)*(HALF*(w(1:nz - 1, j, i) + w(1:nz - 1, j, i + 1)))
    case (AT_V)
      mass(1:nz - 1) = grid%density_face(1:nz - 1)*(HALF*(w(1:nz - 1, j, i) + w(1:nz - 1, j + 1, i)))
    case (AT_W)
      mass(0) = HALF*grid%density_face(1)*w(1, j, i)
      mass(1:nz - 1) = HALF*(grid%density_face(1:nz - 1)*w(1:nz - 1, j, i) + grid%density_face(2:nz)*w(2:nz, j, i))
    end select
    mass(nz) = 0
  end subroutine mass_flux_up

  !> From a column of winds at the centres to the flux into the cells around the layers' faces: each half layer gives its share.
  pure subroutine around_layer_faces(grid, wind, mass)
    type(grid_t), intent(in) :: grid
    real(real64), intent(in), contiguous :: wind(:)
    real(real64), intent(inout), contiguous :: mass(:)
    integer :: nz
    nz = grid%nz
    mass(1:nz - 1) = HALF*(grid%density(1:nz - 1)*grid%dz(1:nz - 1)*wind(1:nz - 1) &
                           + grid%density(2:nz)*grid%dz(2:nz)*wind(2:nz))/grid%dz_face(1:nz - 1)
    mass(nz) = 0
  end subroutine around_layer_faces
end module cloud_mass_flux
