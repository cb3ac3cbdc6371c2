!> The flux of one quantity through one column of cell faces, limited so that no new extremes appear. Every face of the grid, in
!> every direction and on every rank, goes through this one loop: this is what makes results independent of where the blocks are
!> cut.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_tvd_flux
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: limited_flux

contains

  !> Second-order upwind flux with van Leer's limiter (van Leer 1974, J. Comput. Phys. 14; Sweby 1984, SIAM J. Numer. Anal. 21).
  !>
  !> mass is the mass flux through the faces (kg m-2 s-1), positive from low to high; courant turns its magnitude into a Courant
  !> number. The four columns of values stand in line across the face. The value at the face never exceeds twice the upwind value
  !> and never falls below 0 for positive data, so a forward step keeps a quantity positive while a cell sends off at most half its
  !> mass per step.
  pure subroutine limited_flux(mass, courant, far_low, low, high, far_high, flux)
    real(real64), intent(in), contiguous :: mass(:), courant(:), far_low(:), low(:), high(:), far_high(:)
    real(real64), intent(inout), contiguous :: flux(:)
    real(real64) :: first, second, third, fourth, upwind, behind, ahead, product, slope
    integer :: k

    ! Everything is loaded before it is chosen from: so the loop has no branch and vectorises.
    do k = 1, size(mass)
      first = far_low(k)
      second = low(k)
      third = high(k)
      fourth = far_high(k)
      upwind = merge(second, third, mass(k) >= 0)
      behind = upwind - merge(first, fourth, mass(k) >= 0)
      ahead = merge(third, second, mass(k) >= 0) - upwind
      product = behind*ahead
      slope = merge(2*product, 0.0_real64, product > 0)/merge(behind + ahead, 1.0_real64, product > 0)
      flux(k) = mass(k)*(upwind + 0.5_real64*(1 - abs(mass(k))*courant(k))*slope)
    end do
  end subroutine limited_flux
end module cloud_tvd_flux
