!> The simplified long-wave radiation of the case (Stevens et al. 2005, equation 3): liquid water above a height shields it from
!> the cold sky, liquid water below it from the warm sea, and the free troposphere cools as much as its sinking warms it.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_radiation
  use, intrinsic :: iso_fortran_env, only: real64
  use cloud_physics_case, only: physics_case_t
  use cloud_saturation, only: HEAT_CAPACITY
  implicit none
  private
  public :: net_flux, moist_layer_top

contains

  !> Net upward flux (W/m2) through the faces of a column. path(k) is the mass of liquid water in layer k (kg/m2), top the
  !> height of the moist layer's top, density that of the air there.
  pure subroutine net_flux(physics, z_face, path, top, density, flux)
    type(physics_case_t), intent(in) :: physics
    real(real64), intent(in), contiguous :: z_face(0:), path(:)
    real(real64), intent(in) :: top, density
    real(real64), intent(inout), contiguous :: flux(0:)
    real(real64) :: above, below, root
    integer :: k, nz

    nz = size(path)
    above = 0
    flux(nz) = physics%flux_above
    do k = nz - 1, 0, -1
      above = above + path(k + 1)
      flux(k) = physics%flux_above*exp(-physics%absorption*above)
    end do
    below = 0
    do k = 0, nz
      if (k > 0) below = below + path(k)
      flux(k) = flux(k) + physics%flux_below*exp(-physics%absorption*below)
      if (z_face(k) <= top) cycle
      root = (z_face(k) - top)**(1/3.0_real64)
      flux(k) = flux(k) + density*HEAT_CAPACITY*physics%divergence*physics%clear_cooling*(0.25_real64*root**4 + top*root)
    end do
  end subroutine net_flux

  !> The height where total water falls below a limit, from below, between two centres; the lid's where it never does.
  pure function moist_layer_top(z_centre, z_lid, water, limit) result(top)
    real(real64), intent(in), contiguous :: z_centre(:), water(:)
    real(real64), intent(in) :: z_lid, limit
    real(real64) :: top
    integer :: k
    top = z_lid
    do k = 2, size(water)
      if (water(k) >= limit .or. water(k - 1) < limit) cycle
      top = z_centre(k - 1) + (z_centre(k) - z_centre(k - 1))*(water(k - 1) - limit)/(water(k - 1) - water(k))
      return
    end do
  end function moist_layer_top
end module cloud_radiation
