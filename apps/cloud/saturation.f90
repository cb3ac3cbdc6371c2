!> Moist air: vapour over water, the adiabatic adjustment of a cell to saturation, and what clouds do to the density of air.
!>
!> Water is given as mixing ratios, kg per kg of dry air. Total water and liquid water potential temperature do not change when
!> vapour condenses; from both and the pressure follow temperature and liquid water.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_saturation
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: vapour_pressure, saturated_water, saturation_slope, adjust_to_saturation, density_temperature, moist_adiabat
  public :: DRY_GAS, VAPOUR_GAS, HEAT_CAPACITY, LATENT_HEAT, REFERENCE_PRESSURE, VAPOUR_LIGHTNESS

  ! The constants of the intercomparison (Stevens et al. 2005), and the gas constant of water vapour.
  real(real64), parameter :: DRY_GAS = 287.0_real64              !< J kg-1 K-1
  real(real64), parameter :: VAPOUR_GAS = 461.5_real64           !< J kg-1 K-1
  real(real64), parameter :: HEAT_CAPACITY = 1015.0_real64       !< J kg-1 K-1, at constant pressure
  real(real64), parameter :: LATENT_HEAT = 2.47e6_real64         !< J kg-1
  real(real64), parameter :: REFERENCE_PRESSURE = 1.0e5_real64   !< Pa
  real(real64), parameter :: VAPOUR_LIGHTNESS = VAPOUR_GAS/DRY_GAS - 1

  ! D. Bolton: The computation of equivalent potential temperature. Mon. Wea. Rev. 108, 1980, equation 10.
  real(real64), parameter :: BOLTON_PRESSURE = 611.2_real64, BOLTON_FACTOR = 17.67_real64, BOLTON_COLD = 29.65_real64
  real(real64), parameter :: FREEZING = 273.15_real64            !< K

  integer, parameter :: MOST_ITERATIONS = 20
  real(real64), parameter :: SMALLEST_STEP = 1.0e-9_real64       !< K

contains

  !> Pressure (Pa) of water vapour at saturation over liquid water.
  elemental function vapour_pressure(temperature) result(pressure)
    real(real64), intent(in) :: temperature
    real(real64) :: pressure
    pressure = BOLTON_PRESSURE*exp(BOLTON_FACTOR*(temperature - FREEZING)/(temperature - BOLTON_COLD))
  end function vapour_pressure

  !> Mixing ratio of saturated air.
  elemental function saturated_water(temperature, pressure) result(water)
    real(real64), intent(in) :: temperature, pressure
    real(real64) :: water, vapour
    vapour = vapour_pressure(temperature)
    water = DRY_GAS/VAPOUR_GAS*vapour/(pressure - vapour)
  end function saturated_water

  !> How fast the mixing ratio of saturated air grows with its temperature, per K.
  elemental function saturation_slope(temperature, water) result(slope)
    real(real64), intent(in) :: temperature, water
    real(real64) :: slope
    ! water (p - e) = e times the ratio of gas constants, and so p / (p - e) = 1 + water over this ratio.
    slope = water*(1 + water*VAPOUR_GAS/DRY_GAS)*BOLTON_FACTOR*(FREEZING - BOLTON_COLD)/(temperature - BOLTON_COLD)**2
  end function saturation_slope

  !> Liquid water and temperature of a cell, by Newton's method where it is saturated.
  elemental subroutine adjust_to_saturation(theta_l, water, exner, pressure, temperature, liquid)
    real(real64), intent(in) :: theta_l, water, exner, pressure
    real(real64), intent(out) :: temperature, liquid
    real(real64) :: dry, saturated, step
    integer :: iteration

    dry = theta_l*exner
    temperature = dry
    liquid = 0
    saturated = saturated_water(dry, pressure)
    if (water <= saturated) return
    do iteration = 1, MOST_ITERATIONS
      step = (temperature - dry - LATENT_HEAT/HEAT_CAPACITY*(water - saturated)) &
             /(1 + LATENT_HEAT/HEAT_CAPACITY*saturation_slope(temperature, saturated))
      temperature = temperature - step
      saturated = saturated_water(temperature, pressure)
      if (abs(step) < SMALLEST_STEP) exit
    end do
    liquid = max(water - saturated, 0.0_real64)
    temperature = dry + LATENT_HEAT/HEAT_CAPACITY*liquid
  end subroutine adjust_to_saturation

  !> The potential temperature of dry air that would be as dense: vapour makes air lighter, drops weigh it down.
  elemental function density_temperature(temperature, exner, water, liquid, rain) result(theta)
    real(real64), intent(in) :: temperature, exner, water, liquid, rain
    real(real64) :: theta
    theta = temperature/exner*(1 + VAPOUR_LIGHTNESS*(water - liquid) - liquid - rain)
  end function density_temperature

  !> How the density temperature of cloudy air changes with height when the air rises adiabatically, K per m; 0 without liquid.
  elemental function moist_adiabat(temperature, exner, liquid, pressure, gravity) result(change)
    real(real64), intent(in) :: temperature, exner, liquid, pressure, gravity
    real(real64) :: change, saturated, cooling
    change = 0
    if (liquid <= 0) return
    saturated = saturated_water(temperature, pressure)
    cooling = gravity/HEAT_CAPACITY*(1 + LATENT_HEAT*saturated/(DRY_GAS*temperature)) &
              /(1 + LATENT_HEAT**2*saturated/(HEAT_CAPACITY*VAPOUR_GAS*temperature**2))
    ! The warming against dry air is the heat of what condenses.
    change = (gravity/HEAT_CAPACITY - cooling)/exner
    change = change - temperature/exner*(1 + VAPOUR_LIGHTNESS)*(gravity/HEAT_CAPACITY - cooling)*HEAT_CAPACITY/LATENT_HEAT
  end function moist_adiabat
end module cloud_saturation
