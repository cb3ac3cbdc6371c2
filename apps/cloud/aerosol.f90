!> Aerosol in 22 sizes, as numbers of particles per mass of air: sea spray brings the large ones, the largest of all become the
!> nuclei of cloud drops, and those go with the drops that become rain. What rain has taken does not come back when it
!> evaporates.
!>
!> Spray: E. C. Monahan, D. E. Spiel, K. L. Davidson, in Oceanic Whitecaps, 1986, for radii of 0.8 to 8 micrometres at a
!> relative humidity of 80 %, where a particle is twice as wide as dry. At the start: two modes as observed in VOCALS, with the
!> numbers that UWLCM has by default (github.com/igfuw/UWLCM, cases/CasesCommon.hpp), well mixed.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_aerosol
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: SIZES, dry_radius, first_number, spray, scavenge

  integer, parameter :: SIZES = 22
  real(real64), parameter :: SMALLEST = 0.01_real64                 !< micrometres, dry
  real(real64), parameter :: STEP = 2**(1/3.0_real64)               !< from one size to the next
  real(real64), parameter :: SMALLEST_SPRAY = 0.8_real64            !< micrometres, at 80 %
  real(real64), parameter :: WIDENING = 2.0_real64                  !< from dry to 80 %
  real(real64), parameter :: PI = acos(-1.0_real64)
  real(real64), parameter :: MODE_RADIUS(2) = [0.02_real64, 0.075_real64]       !< micrometres
  real(real64), parameter :: MODE_SPREAD(2) = [1.4_real64, 1.6_real64]
  real(real64), parameter :: MODE_NUMBER(2) = [70.47e6_real64, 46.98e6_real64]  !< m-3

contains

  !> Of the middle of a size, micrometres.
  elemental function dry_radius(n) result(radius)
    integer, intent(in) :: n
    real(real64) :: radius
    radius = SMALLEST*STEP**(n - 1)
  end function dry_radius

  !> Particles per m3 of a size at the start: each mode is a normal distribution of the radius's logarithm.
  elemental function first_number(n) result(number)
    integer, intent(in) :: n
    real(real64) :: number
    number = sum(0.5_real64*MODE_NUMBER*(below(dry_radius(n)*sqrt(STEP)) - below(dry_radius(n)/sqrt(STEP))))
  contains
    pure function below(radius) result(share)
      real(real64), intent(in) :: radius
      real(real64) :: share(2)
      share = erf(log(radius/MODE_RADIUS)/(sqrt(2.0_real64)*log(MODE_SPREAD)))
    end function below
  end function first_number

  !> Particles of a size per m2 and second that a wind (m/s) over the sea throws up.
  elemental function spray(n, wind) result(flux)
    integer, intent(in) :: n
    real(real64), intent(in) :: wind
    real(real64) :: flux, radius, b
    flux = 0
    radius = WIDENING*dry_radius(n)
    if (radius < SMALLEST_SPRAY) return
    b = (0.380_real64 - log10(radius))/0.650_real64
    flux = 1.373_real64*wind**3.41_real64*radius**(-3)*(1 + 0.057_real64*radius**1.05_real64)*10**(1.19_real64*exp(-b**2))
    flux = flux*radius*log(STEP)
  end function spray

  !> A share of the cloud drops of a cell becomes rain: the largest particles, as many as there are drops, lose that share.
  pure subroutine scavenge(drops, share, numbers)
    real(real64), intent(in) :: drops, share           !< kg-1, 1
    real(real64), intent(inout) :: numbers(SIZES)      !< kg-1
    real(real64) :: left, inside
    integer :: n
    left = drops
    do n = SIZES, 1, -1
      inside = min(left, numbers(n))
      left = left - inside
      numbers(n) = numbers(n) - share*inside
      if (left <= 0) return
    end do
  end subroutine scavenge
end module cloud_aerosol
