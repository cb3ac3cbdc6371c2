!> Warm rain of two moments, mass and number, and the sinking of cloud drops; column by column, after the flow of the step.
!> Nothing here looks beyond its column.
!>
!> Rates and fall speeds of rain: M. Khairoutdinov, Y. Kogan: A new cloud physics parameterization in a large-eddy simulation
!> model of marine stratocumulus. Mon. Wea. Rev. 128, 2000, 229-243; evaporation is the growth of a drop by diffusion, written
!> out. Cloud drops sink as in the intercomparison of A. S. Ackerman et al., Mon. Wea. Rev. 137, 2009, 1083-1110.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_warm_rain
  use, intrinsic :: iso_fortran_env, only: real64
  use cloud_saturation, only: saturated_water, saturation_slope, vapour_pressure, HEAT_CAPACITY, LATENT_HEAT, VAPOUR_GAS
  implicit none
  private
  public :: column_t, make_column, collect_drops, evaporate_rain, fall, sink_drops, radius, drop_flux, growth

  real(real64), parameter :: PI = acos(-1.0_real64), THIRD = 1/3.0_real64
  real(real64), parameter :: WATER_DENSITY = 1000.0_real64         !< kg m-3
  real(real64), parameter :: NEW_DROP = 4*THIRD*PI*WATER_DENSITY*(25.0e-6_real64)**3   !< kg, of a rain drop when it forms
  real(real64), parameter :: DIFFUSIVITY = 2.4e-5_real64           !< m2 s-1, of vapour in air near 280 K
  real(real64), parameter :: CONDUCTIVITY = 2.5e-2_real64          !< W m-1 K-1, of air near 280 K
  real(real64), parameter :: EVAPORATION = 0.86_real64             !< for the shape of the spectrum of drops
  real(real64), parameter :: STOKES = 1.19e8_real64                !< m-1 s-1, fall speed over squared radius
  real(real64), parameter :: SPREAD = 1.2_real64                   !< geometric standard deviation of cloud drops
  real(real64), parameter :: LEAST_RAIN = 1.0e-12_real64           !< kg/kg, below which drops have no radius to speak of

  !> A column in which drops form and fall.
  type :: column_t
    real(real64), allocatable, dimension(:) :: theta_l, water, liquid, rain, number      !< K, kg/kg, kg/kg, kg/kg, kg-1
    real(real64), allocatable :: converted(:)                      !< share of the cloud drops that has become rain
    real(real64), allocatable, dimension(:) :: exner, pressure, density, dz
    real(real64) :: rained = 0                                     !< kg m-2, that reached the ground
  end type column_t

contains

  pure subroutine make_column(layers, column)
    integer, intent(in) :: layers
    type(column_t), intent(out) :: column
    allocate (column%theta_l(layers), column%water(layers), column%liquid(layers), source=0.0_real64)
    allocate (column%rain(layers), column%number(layers), column%converted(layers), source=0.0_real64)
    allocate (column%exner(layers), column%pressure(layers), column%density(layers), column%dz(layers), source=0.0_real64)
  end subroutine make_column

  !> Mean-volume radius of rain drops, m.
  elemental function radius(rain, number) result(r)
    real(real64), intent(in) :: rain, number
    real(real64) :: r
    r = 0
    if (rain > LEAST_RAIN .and. number > 0) r = (0.75_real64*rain/(PI*WATER_DENSITY*number))**THIRD
  end function radius

  !> Cloud drops become rain: among themselves, and when rain collects them. The heat of the water that leaves the cloud stays.
  pure subroutine collect_drops(drops, time_step, column)
    real(real64), intent(in) :: drops, time_step        !< m-3, s
    type(column_t), intent(inout) :: column
    real(real64) :: made, collected, share
    integer :: k
    column%converted = 0
    do k = 1, size(column%water)
      if (column%liquid(k) <= 0) cycle
      made = time_step*1350*column%liquid(k)**2.47_real64*(1.0e-6_real64*drops)**(-1.79_real64)
      collected = time_step*67*(column%liquid(k)*max(column%rain(k), 0.0_real64))**1.15_real64
      share = min(1.0_real64, column%liquid(k)/(made + collected))
      made = share*made
      column%converted(k) = (made + share*collected)/column%liquid(k)
      call move_to_rain(k, made + share*collected, column)
      column%number(k) = column%number(k) + made/NEW_DROP
    end do
  end subroutine collect_drops

  pure subroutine move_to_rain(k, moved, column)
    integer, intent(in) :: k
    real(real64), intent(in) :: moved
    type(column_t), intent(inout) :: column
    column%rain(k) = column%rain(k) + moved
    column%water(k) = column%water(k) - moved
    column%liquid(k) = column%liquid(k) - moved
    column%theta_l(k) = column%theta_l(k) + LATENT_HEAT/(HEAT_CAPACITY*column%exner(k))*moved
  end subroutine move_to_rain

  !> Rain in air that is not saturated evaporates; as many drops vanish as mass.
  pure subroutine evaporate_rain(time_step, column)
    real(real64), intent(in) :: time_step
    type(column_t), intent(inout) :: column
    real(real64) :: temperature, saturated, lost, most, r
    integer :: k
    do k = 1, size(column%water)
      r = radius(column%rain(k), column%number(k))
      if (r <= 0 .or. column%liquid(k) > 0) cycle
      temperature = column%theta_l(k)*column%exner(k)
      saturated = saturated_water(temperature, column%pressure(k))
      if (column%water(k) >= saturated) cycle
      lost = time_step*EVAPORATION*4*PI*WATER_DENSITY*r*column%number(k)*growth(temperature)*(1 - column%water(k)/saturated)
      ! No more than there is, nor than saturates the air, which it cools.
      most = (saturated - column%water(k))/(1 + LATENT_HEAT/HEAT_CAPACITY*saturation_slope(temperature, saturated))
      lost = min(lost, most, column%rain(k))
      column%number(k) = column%number(k)*(1 - lost/column%rain(k))
      call move_to_rain(k, -lost, column)
      column%liquid(k) = 0
    end do
  end subroutine evaporate_rain

  !> A drop's radius times its growth per second is this (m2 s-1) times the supersaturation.
  elemental function growth(temperature) result(rate)
    real(real64), intent(in) :: temperature
    real(real64) :: rate
    rate = 1/(WATER_DENSITY*VAPOUR_GAS*temperature/(DIFFUSIVITY*vapour_pressure(temperature)) &
              + WATER_DENSITY*LATENT_HEAT/(CONDUCTIVITY*temperature)*(LATENT_HEAT/(VAPOUR_GAS*temperature) - 1))
  end function growth

  !> Rain falls, mass faster than number, in steps in which no drop falls through a layer.
  pure subroutine fall(time_step, column)
    real(real64), intent(in) :: time_step
    type(column_t), intent(inout) :: column
    real(real64) :: microns(size(column%rain)), speed(size(column%rain)), left, step, fastest, ignored
    left = time_step
    do while (left > 0)
      microns = 1.0e6_real64*radius(column%rain, column%number)
      speed = max(0.012_real64*microns - 0.2_real64, 0.0_real64)
      fastest = maxval(speed/column%dz)
      if (fastest <= 0) return
      step = min(left, 0.5_real64/fastest)
      left = left - step
      if (left < 1.0e-9_real64*time_step) left = 0
      call fall_once(column%density, column%dz, step*speed, column%rain, column%rained)
      speed = max(0.007_real64*microns - 0.1_real64, 0.0_real64)
      ignored = 0
      call fall_once(column%density, column%dz, step*speed, column%number, ignored)
    end do
  end subroutine fall

  pure subroutine fall_once(density, dz, distance, amount, rained)
    real(real64), intent(in), contiguous :: density(:), dz(:), distance(:)
    real(real64), intent(inout), contiguous :: amount(:)
    real(real64), intent(inout) :: rained
    real(real64) :: through(0:size(amount))
    integer :: nz
    nz = size(amount)
    through(0:nz - 1) = density*distance*amount
    through(nz) = 0
    amount = amount + (through(1:) - through(:nz - 1))/(density*dz)
    rained = rained + through(0)
  end subroutine fall_once

  !> Mass of water (kg m-2 s-1) that sinks with the drops of a cloud with so much liquid.
  elemental function drop_flux(drops, density, liquid) result(flux)
    real(real64), intent(in) :: drops, density, liquid
    real(real64) :: flux
    flux = STOKES*(0.75_real64/(PI*WATER_DENSITY*drops))**(2*THIRD)*(density*liquid)**(5*THIRD)*exp(5*log(SPREAD)**2)
  end function drop_flux

  !> Cloud drops sink slowly, and take with them the heat that their vapour left.
  pure subroutine sink_drops(drops, time_step, column)
    real(real64), intent(in) :: drops, time_step
    type(column_t), intent(inout) :: column
    real(real64) :: through(0:size(column%water)), gain
    integer :: k, nz
    nz = size(column%water)
    through(0:nz - 1) = min(time_step*drop_flux(drops, column%density, max(column%liquid, 0.0_real64)), &
                            column%density*column%dz*max(column%liquid, 0.0_real64))
    through(nz) = 0
    do k = 1, nz
      gain = (through(k) - through(k - 1))/(column%density(k)*column%dz(k))
      column%water(k) = column%water(k) + gain
      column%theta_l(k) = column%theta_l(k) - LATENT_HEAT/(HEAT_CAPACITY*column%exner(k))*gain
    end do
    column%rained = column%rained + through(0)
    ! What sank is still liquid where it arrives, as far as the air there is cloudy; the rest of the step does not ask for more.
    column%liquid = column%liquid - through(0:nz - 1)/(column%density*column%dz)
  end subroutine sink_drops
end module cloud_warm_rain
