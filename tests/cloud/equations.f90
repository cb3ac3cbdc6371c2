!> Checks the equations of the cloud model's physics one by one: against tables, against closed forms, and against derivatives
!> taken numerically. Runs without ranks. Last line: N passed, N failed, N skipped.
!> SPDX-License-Identifier: BSD-3-Clause
program equations
  use, intrinsic :: iso_fortran_env, only: real64
  use cloud_aerosol, only: dry_radius, first_number, scavenge, spray, SIZES
  use cloud_air, only: hydrostatic
  use cloud_forcing, only: damping_rate
  use cloud_grid, only: grid_t, GRAVITY
  use cloud_physics_case, only: physics_case_t
  use cloud_radiation, only: moist_layer_top, net_flux
  use cloud_saturation, only: adjust_to_saturation, density_temperature, moist_adiabat, saturated_water, vapour_pressure, DRY_GAS, &
                              HEAT_CAPACITY, LATENT_HEAT, REFERENCE_PRESSURE, VAPOUR_GAS
  use cloud_turbulence, only: exchange, mix_scalar, mixing_length_squared, turbulence_t
  use cloud_warm_rain, only: collect_drops, column_t, drop_flux, evaporate_rain, fall, make_column, radius, sink_drops
  implicit none
  real(real64), parameter :: REST = 290.6_real64       !< K, density temperature of the air that parcels rise in
  integer :: passed = 0, failed = 0

  call saturation_of_the_tables()
  call adjusted_cells_are_saturated()
  call a_parcel_rises_on_the_moist_adiabat()
  call the_air_at_rest_is_balanced()
  call radiation_of_a_slab()
  call radiation_of_clear_air_balances_its_sinking()
  call mixing_of_a_wave()
  call lengths_and_rates_at_their_ends()
  call cloud_becomes_rain()
  call rain_evaporates_until_saturation()
  call rain_and_drops_fall()
  call aerosol_comes_and_goes()
  print '(i0,a,i0,a)', passed, ' passed, ', failed, ' failed, 0 skipped'
  if (failed > 0) error stop 1

contains

  subroutine expect(what, found, right, tolerance)
    character(*), intent(in) :: what
    real(real64), intent(in) :: found, right, tolerance
    logical :: holds
    holds = abs(found - right) <= tolerance
    passed = passed + merge(1, 0, holds)
    failed = failed + merge(0, 1, holds)
    if (.not. holds) print '(2a,3(a,es16.8))', 'FAILED  ', what, ': found', found, ', expected', right, ', tolerance', tolerance
  end subroutine expect

  !> Smithsonian Meteorological Tables, 6th edition, table 94: hPa over water.
  subroutine saturation_of_the_tables()
    real(real64), parameter :: celsius(5) = [-10.0_real64, 0.0_real64, 10.0_real64, 20.0_real64, 30.0_real64]
    real(real64), parameter :: hectopascal(5) = [2.8627_real64, 6.1078_real64, 12.272_real64, 23.373_real64, 42.430_real64]
    integer :: n
    do n = 1, size(celsius)
      call expect('vapour pressure of the tables', vapour_pressure(celsius(n) + 273.15_real64)/100, hectopascal(n), &
                  2.0e-3_real64*hectopascal(n))
    end do
  end subroutine saturation_of_the_tables

  subroutine adjusted_cells_are_saturated()
    real(real64) :: exner, pressure, temperature, liquid, water
    integer :: n
    do n = 0, 20
      exner = 0.92_real64 + 0.004_real64*n
      pressure = REFERENCE_PRESSURE*exner**(HEAT_CAPACITY/DRY_GAS)
      water = 9.0e-3_real64
      call adjust_to_saturation(289.0_real64, water, exner, pressure, temperature, liquid)
      call expect('heat of a cell', temperature - LATENT_HEAT/HEAT_CAPACITY*liquid, 289*exner, 1.0e-10_real64)
      if (saturated_water(289*exner, pressure) < water) then
        call expect('vapour of a cloudy cell', water - liquid, saturated_water(temperature, pressure), 1.0e-12_real64)
        call expect('there is liquid', merge(1.0_real64, 0.0_real64, liquid > 0), 1.0_real64, 0.0_real64)
      else
        call expect('liquid of a dry cell', liquid, 0.0_real64, 0.0_real64)
      end if
    end do
  end subroutine adjusted_cells_are_saturated

  !> A parcel of the case's air that keeps theta_l and q_t: below its cloud it cools by g / heat capacity, in it as the moist
  !> adiabat says; its density temperature changes as moist_adiabat says, which drops the water's own weight and so is right to
  !> a percent.
  subroutine a_parcel_rises_on_the_moist_adiabat()
    real(real64), parameter :: step = 0.5_real64
    real(real64) :: z, low, high, rise, saturated, density(2)
    z = 100
    rise = (parcel(z + step) - parcel(z - step))/(2*step)
    call expect('the dry adiabat', rise, -GRAVITY/HEAT_CAPACITY*289/REST, 1.0e-9_real64)
    z = 750
    low = parcel(z - step, density(1))
    high = parcel(z + step, density(2))
    saturated = saturated_water(0.5_real64*(low + high), pressure_at(z))
    call expect('the moist adiabat', (high - low)/(2*step), &
                -GRAVITY/HEAT_CAPACITY*(1 + LATENT_HEAT*saturated/(DRY_GAS*low))/(1 + LATENT_HEAT**2*saturated/ &
                                                                                 (HEAT_CAPACITY*VAPOUR_GAS*low**2)), 1.0e-4_real64)
    rise = moist_adiabat(low, exner_at(z), 1.0e-4_real64, pressure_at(z), GRAVITY)
    call expect('the density of rising cloud', (density(2) - density(1))/(2*step), rise, 0.03_real64*abs(rise))
  end subroutine a_parcel_rises_on_the_moist_adiabat

  function exner_at(z) result(exner)
    real(real64), intent(in) :: z
    real(real64) :: exner
    exner = 1.005_real64 - GRAVITY*z/(HEAT_CAPACITY*REST)
  end function exner_at

  function pressure_at(z) result(pressure)
    real(real64), intent(in) :: z
    real(real64) :: pressure
    pressure = REFERENCE_PRESSURE*exner_at(z)**(HEAT_CAPACITY/DRY_GAS)
  end function pressure_at

  function parcel(z, density) result(temperature)
    real(real64), intent(in) :: z
    real(real64), intent(out), optional :: density
    real(real64) :: temperature, liquid
    call adjust_to_saturation(289.0_real64, 9.0e-3_real64, exner_at(z), pressure_at(z), temperature, liquid)
    if (present(density)) density = density_temperature(temperature, exner_at(z), 9.0e-3_real64, liquid, 0.0_real64)
  end function parcel

  !> Dry air of one potential temperature: the Exner pressure falls linearly. And the case's cloud: its base and water path are
  !> those of well-mixed air, which the case is.
  subroutine the_air_at_rest_is_balanced()
    integer, parameter :: layers = 300
    real(real64) :: z_face(0:layers), theta(layers), water(layers), surface, density(layers), path, liquid, temperature, base
    real(real64), allocatable :: exner(:), pressure(:), theta_density(:)
    integer :: k
    z_face = [(5.0_real64*k, k=0, layers)]
    theta = 300
    water = 0
    call hydrostatic(1.0e5_real64, z_face, theta, water, surface, exner, pressure, theta_density)
    call expect('exner of dry air', exner(layers), 1 - GRAVITY*(z_face(layers) - 2.5_real64)/(HEAT_CAPACITY*300), 1.0e-13_real64)
    theta = 289
    water = 9.0e-3_real64
    where (z_face(1:) > 840)
      theta = 297.5_real64 + (z_face(1:) - 2.5_real64 - 840)**(1/3.0_real64)
      water = 1.5e-3_real64
    end where
    call hydrostatic(101780.0_real64, z_face, theta, water, surface, exner, pressure, theta_density)
    density = pressure/(DRY_GAS*exner*theta_density)
    path = 0
    base = 0
    do k = 1, layers
      call adjust_to_saturation(theta(k), water(k), exner(k), pressure(k), temperature, liquid)
      path = path + density(k)*5*liquid
      if (liquid > 0 .and. base <= 0) base = z_face(k - 1)
    end do
    ! As others who run the case set it up: a cloud from 600 m to 840 m whose liquid water grows to 0.45 g/kg, evenly.
    call expect('base of the undisturbed cloud, m', base, 600.0_real64, 20.0_real64)
    call expect('water path of the undisturbed cloud, kg/m2', path, 0.060_real64, 0.004_real64)
  end subroutine the_air_at_rest_is_balanced

  !> A slab of cloud: between its faces the fluxes fall and grow exponentially with the water between.
  subroutine radiation_of_a_slab()
    type(physics_case_t) :: physics
    real(real64) :: z_face(0:10), path(10), flux(0:10), whole, right
    integer :: k
    z_face = [(100.0_real64*k, k=0, 10)]
    path = 0
    path(4:7) = 0.015_real64
    whole = sum(path)
    call net_flux(physics, z_face, path, 1000.0_real64, 1.1_real64, flux)
    do k = 0, 10
      right = physics%flux_above*exp(-physics%absorption*(whole - sum(path(:k)))) &
              + physics%flux_below*exp(-physics%absorption*sum(path(:k)))
      call expect('flux in and around a slab', flux(k), right, 1.0e-12_real64)
    end do
    right = (physics%flux_above - physics%flux_below)*(1 - exp(-physics%absorption*whole))
    call expect('the slab loses', flux(10) - flux(0), right, 1.0e-12_real64)
    call expect('height of 8 g/kg', moist_layer_top([(1.0_real64*k, k=1, 4)], 4.5_real64, &
                                                    [9.0e-3_real64, 9.0e-3_real64, 5.0e-3_real64, 1.0e-3_real64], 8.0e-3_real64), &
                2.25_real64, 1.0e-12_real64)
  end subroutine radiation_of_a_slab

  !> Above the inversion the case's profile of theta_l, (z - z_i)^(1/3), is warmed by sinking as it is cooled by radiation: where
  !> density times exner is that of the inversion, to the derivative of the flux.
  subroutine radiation_of_clear_air_balances_its_sinking()
    type(physics_case_t) :: physics
    real(real64) :: z_face(0:2), path(2), flux(0:2), z, cooling, warming
    integer :: n
    path = 0
    do n = 9, 14
      z = 100*n
      z_face = [0.0_real64, z - 0.05_real64, z + 0.05_real64]
      call net_flux(physics, z_face, path, 840.0_real64, 1.13_real64, flux)
      cooling = (flux(2) - flux(1))/(1.13_real64*HEAT_CAPACITY*0.1_real64)
      warming = physics%divergence*z*(z - 840)**(-2/3.0_real64)/3
      call expect('clear air', cooling, warming, 1.0e-6_real64*warming)
    end do
  end subroutine radiation_of_clear_air_balances_its_sinking

  !> With one viscosity everywhere a wave in x decays at the rate of the second difference, and nothing is lost over a period.
  subroutine mixing_of_a_wave()
    integer, parameter :: n = 12, nz = 5
    type(grid_t) :: grid
    type(turbulence_t) :: turbulence
    real(real64), pointer, contiguous :: q(:, :, :)
    real(real64) :: tendency(nz, n), rate, share(nz)
    real(real64), parameter :: PI = acos(-1.0_real64)
    integer :: i
    call make_small_grid(n, nz, grid)
    allocate (q(nz, -1:3, -1:n + 2))
    do i = -1, n + 2
      q(:, :, i) = cos(2*PI*i/n)
    end do
    allocate (turbulence%east(nz, 1, 0:n), turbulence%north(nz, 0:1, n), source=0.3_real64)
    allocate (turbulence%up(0:nz, 1, n), source=0.0_real64)
    tendency = 0
    rate = 2*0.3_real64*(cos(2*PI/n) - 1)
    do i = 1, n
      call mix_scalar(grid, turbulence, q, 1, i, tendency(:, i))
      call expect('decay of a wave', tendency(3, i), rate*q(3, 1, i), 1.0e-14_real64)
      call exchange(grid, turbulence, 1, i, share)
      call expect('exchange of a cell', share(2), 4*0.3_real64, 1.0e-14_real64)
    end do
    call expect('mixing keeps the sum', sum(tendency), 0.0_real64, 1.0e-13_real64)
    ! The same in the vertical, between layers of different thickness and density: what one loses the next gains.
    q(:, 1, 1) = [1.0_real64, 3.0_real64, -2.0_real64, 0.5_real64, 7.0_real64]
    turbulence%east = 0
    turbulence%north = 0
    turbulence%up(1:nz - 1, :, :) = 0.01_real64
    tendency = 0
    call mix_scalar(grid, turbulence, q, 1, 1, tendency(:, 1))
    call expect('mixing between layers keeps the mass', sum(tendency(:, 1)*grid%density*grid%dz), 0.0_real64, 1.0e-15_real64)
    call expect('mixing between layers', tendency(1, 1), 0.01_real64*2/(grid%density(1)*grid%dz(1)), 1.0e-16_real64)
    deallocate (q)
  end subroutine mixing_of_a_wave

  subroutine make_small_grid(n, nz, grid)
    integer, intent(in) :: n, nz
    type(grid_t), intent(out) :: grid
    integer :: k
    grid%nx = n
    grid%ny = 1
    grid%nz = nz
    grid%dx = 40
    grid%dy = 50
    grid%dz = [(10.0_real64 + k, k=1, nz)]
    grid%density = [(1.2_real64 - 0.01_real64*k, k=1, nz)]
  end subroutine make_small_grid

  subroutine lengths_and_rates_at_their_ends()
    type(physics_case_t) :: physics
    real(real64), parameter :: side = 40
    call expect('mixing length aloft', sqrt(mixing_length_squared(0.2_real64, side, side, 5.0_real64, 1.0e6_real64)), 4.0_real64, &
                1.0e-6_real64)
    call expect('mixing length at the ground', sqrt(mixing_length_squared(0.2_real64, side, side, 5.0_real64, 0.1_real64)), &
                0.04_real64, 1.0e-5_real64)
    call expect('no damping below its layer', damping_rate(physics, 1500.0_real64, 1200.0_real64), 0.0_real64, 0.0_real64)
    call expect('damping at the lid', damping_rate(physics, 1500.0_real64, 1500.0_real64), 1/physics%damping_time, 1.0e-15_real64)
  end subroutine lengths_and_rates_at_their_ends
  !> Six layers, cloudy in the middle, with some rain.
  function rainy_column() result(column)
    type(column_t) :: column
    real(real64) :: temperature
    integer :: k
    call make_column(6, column)
    column%exner = [(0.98_real64 - 0.008_real64*k, k=1, 6)]
    column%pressure = REFERENCE_PRESSURE*column%exner**(HEAT_CAPACITY/DRY_GAS)
    column%density = [(1.2_real64 - 0.01_real64*k, k=1, 6)]
    column%dz = [(20.0_real64 + k, k=1, 6)]
    column%theta_l = [(289.0_real64, k=1, 6)]
    column%water = [6.0e-3_real64, 7.0e-3_real64, 9.5e-3_real64, 9.5e-3_real64, 9.5e-3_real64, 2.0e-3_real64]
    do k = 1, 6
      call adjust_to_saturation(column%theta_l(k), column%water(k), column%exner(k), column%pressure(k), temperature, &
                                column%liquid(k))
    end do
    column%rain = [(1.0e-5_real64*k, k=1, 6)]
    column%number = column%rain*2.0e8_real64
  end function rainy_column

  function water_of(column) result(mass)
    type(column_t), intent(in) :: column
    real(real64) :: mass
    mass = sum(column%density*column%dz*(column%water + column%rain)) + column%rained
  end function water_of

  !> Khairoutdinov and Kogan's rates, written once more with numbers; water stays, and so does the temperature where drops collect.
  subroutine cloud_becomes_rain()
    type(column_t) :: column, before
    real(real64) :: made, collected
    integer :: k
    before = rainy_column()
    column = before
    call collect_drops(1.0e8_real64, 2.0_real64, column)
    call expect('there is cloud to collect', merge(1.0_real64, 0.0_real64, count(before%liquid > 0) >= 2), 1.0_real64, 0.0_real64)
    do k = 1, 6
      made = 2*1350*before%liquid(k)**2.47_real64*100.0_real64**(-1.79_real64)
      collected = 2*67*(before%liquid(k)*before%rain(k))**1.15_real64
      call expect('rain that formed', column%rain(k) - before%rain(k), made + collected, 1.0e-12_real64*before%rain(k))
      call expect('temperature while it forms', column%theta_l(k)*column%exner(k) + LATENT_HEAT/HEAT_CAPACITY*column%liquid(k), &
                  before%theta_l(k)*before%exner(k) + LATENT_HEAT/HEAT_CAPACITY*before%liquid(k), 1.0e-10_real64)
    end do
    call expect('water while rain forms', water_of(column), water_of(before), 1.0e-14_real64)
    column = before
    call collect_drops(1.0e3_real64, 1.0e5_real64, column)
    call expect('no more becomes rain than there is', minval(column%liquid), 0.0_real64, 1.0e-18_real64)
  end subroutine cloud_becomes_rain

  subroutine rain_evaporates_until_saturation()
    type(column_t) :: column, before
    integer :: k
    before = rainy_column()
    column = before
    call evaporate_rain(1.0_real64, column)
    do k = 1, 6
      call expect('evaporation is where air is not saturated', merge(1.0_real64, 0.0_real64, column%rain(k) < before%rain(k)), &
                  merge(1.0_real64, 0.0_real64, before%liquid(k) <= 0), 0.0_real64)
      call expect('radius while rain evaporates', radius(column%rain(k), column%number(k)), &
                  radius(before%rain(k), before%number(k)), 1.0e-12_real64)
    end do
    call expect('water while rain evaporates', water_of(column), water_of(before), 1.0e-14_real64)
    column%rain = 1.0e-2_real64
    call evaporate_rain(1.0e6_real64, column)
    do k = 1, 6
      if (before%liquid(k) > 0) cycle
      call expect('no air becomes cloud by it', min(saturated_water(column%theta_l(k)*column%exner(k), column%pressure(k)) &
                                                    - column%water(k), 0.0_real64), 0.0_real64, 0.0_real64)
    end do
  end subroutine rain_evaporates_until_saturation

  subroutine rain_and_drops_fall()
    type(column_t) :: column, before
    real(real64) :: r, speed
    before = rainy_column()
    column = before
    call fall(10.0_real64, column)
    call expect('water while rain falls', water_of(column), water_of(before), 1.0e-13_real64)
    call expect('some reached the ground', merge(1.0_real64, 0.0_real64, column%rained > 0), 1.0_real64, 0.0_real64)
    r = radius(before%rain(6), before%number(6))
    speed = 0.012_real64*1.0e6_real64*r - 0.2_real64
    column = before
    call fall(0.01_real64, column)
    call expect('how fast the highest falls', (before%rain(6) - column%rain(6))/before%rain(6), 0.01_real64*speed/before%dz(6), &
                1.0e-12_real64)
    column = before
    call sink_drops(1.0e8_real64, 1.0_real64, column)
    call expect('water while drops sink', water_of(column), water_of(before), 1.0e-14_real64)
    r = (0.75_real64*before%density(4)*before%liquid(4)/(acos(-1.0_real64)*1000*1.0e8_real64))**(1/3.0_real64)
    call expect('flux of drops of one radius, spread', drop_flux(1.0e8_real64, before%density(4), before%liquid(4)), &
                1.19e8_real64*r**2*before%density(4)*before%liquid(4)*exp(5*log(1.2_real64)**2), 1.0e-12_real64*speed)
  end subroutine rain_and_drops_fall
  subroutine aerosol_comes_and_goes()
    real(real64) :: numbers(SIZES), before(SIZES), r, right
    integer :: n
    ! Both modes, but for the 0.8 % of the first that are smaller than the first size.
    call expect('particles at the start', sum([(first_number(n), n=1, SIZES)]), 117.45e6_real64, 1.0e6_real64)
    call expect('the largest size', dry_radius(SIZES), 1.28_real64, 1.0e-12_real64)
    call expect('no spray of small particles', spray(16, 10.0_real64), 0.0_real64, 0.0_real64)
    r = 2*dry_radius(19)
    right = 1.373_real64*10**3.41_real64/r**3*(1 + 0.057_real64*r**1.05_real64) &
            *10**(1.19_real64*exp(-((0.380_real64 - log10(r))/0.650_real64)**2))
    call expect('spray', spray(19, 10.0_real64), r*log(2.0_real64)/3*right, 1.0e-9_real64*right)
    before = [(1.0_real64*n, n=1, SIZES)]
    numbers = before
    call scavenge(50.5_real64, 0.25_real64, numbers)
    call expect('as many particles go as drops', sum(before - numbers), 0.25_real64*50.5_real64, 1.0e-12_real64)
    call expect('of the largest, a share', numbers(SIZES), 0.75_real64*SIZES, 1.0e-12_real64)
    call expect('of the last, the rest', before(20) - numbers(20), 0.25_real64*(50.5_real64 - 43), 1.0e-12_real64)
    call expect('of smaller ones, none', sum(abs(before(:19) - numbers(:19))), 0.0_real64, 0.0_real64)
  end subroutine aerosol_comes_and_goes
end program equations
