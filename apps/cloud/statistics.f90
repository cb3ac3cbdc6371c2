!> What a cloud is judged by, over the whole grid and at each height: liquid water path, cloud cover, the moist layer's depth,
!> and profiles of means, fluxes and variances. One record per interval, a line of JSON in a file.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_statistics
  use, intrinsic :: iso_fortran_env, only: real64
  use halocline_mpi, only: hlc_mpi_sum
  use cloud_gather, only: close_whole, WRITER
  use cloud_model, only: model_t
  use cloud_radiation, only: moist_layer_top
  use cloud_grid, only: GRAVITY
  use cloud_state, only: U_WIND, V_WIND, W_WIND, THETA, WATER, RAIN_MASS
  implicit none
  private
  public :: statistics_t, open_statistics, record_statistics, close_statistics

  integer, parameter :: PROFILES = 12
  character(*), parameter :: PROFILE_NAMES(PROFILES) = [ &
    character(24) :: 'theta_l', 'q_t', 'q_l', 'cloud_fraction', 'u', 'v', 'theta_density', 'w_variance', 'w_third_moment', &
    'buoyancy_flux', 'q_t_flux', 'q_r']
  integer, parameter :: SERIES = 5
  character(*), parameter :: SERIES_NAMES(SERIES) = [ &
    character(24) :: 'liquid_water_path', 'cloud_cover', 'inversion_height', 'rain_water_path', 'kinetic_energy']
  real(real64), parameter :: CLOUDY = 1.0e-5_real64      !< kg/kg of liquid water
  real(real64), parameter :: HALF = 0.5_real64

  type :: statistics_t
    logical :: wanted = .false.
    integer :: unit = -1
    integer :: records = 0          !< intervals that have begun
  end type statistics_t

contains

  !> message is empty if there is a file, or none is asked for.
  subroutine open_statistics(path, model, statistics, message)
    character(*), intent(in) :: path
    type(model_t), intent(in) :: model
    type(statistics_t), intent(out) :: statistics
    character(:), allocatable, intent(out) :: message
    character(256) :: text
    integer :: status
    message = ''
    statistics%wanted = path /= ''
    if (.not. statistics%wanted .or. model%ranks%rank /= WRITER) return
    open (newunit=statistics%unit, file=path, access='stream', form='formatted', status='replace', action='write', &
          iostat=status, iomsg=text)
    if (status /= 0) message = trim(text)
  end subroutine open_statistics

  !> Writes a record if a new interval has begun. Collective.
  subroutine record_statistics(model, statistics)
    type(model_t), intent(in) :: model
    type(statistics_t), intent(inout) :: statistics
    real(real64) :: profiles_now(model%grid%nz, PROFILES), series_now(SERIES)
    integer :: interval
    if (.not. statistics%wanted) return
    interval = 1 + int(model%time/model%case%physics%statistics_interval + 1.0e-9_real64)
    if (interval <= statistics%records) return
    statistics%records = interval
    call measure(model, profiles_now, series_now)
    if (model%ranks%rank == WRITER) call write_record(model, statistics%unit, profiles_now, series_now)
  end subroutine record_statistics

  !> message is empty if the file has all records, or none is asked for.
  subroutine close_statistics(path, statistics, message)
    character(*), intent(in) :: path
    type(statistics_t), intent(inout) :: statistics
    character(:), allocatable, intent(out) :: message
    message = ''
    if (statistics%unit /= -1) call close_whole(statistics%unit, path, message)
    statistics%unit = -1
  end subroutine close_statistics

  !> Means first, then products of the deviations from them. Collective.
  subroutine measure(model, profiles_now, series_now)
    type(model_t), intent(in) :: model
    real(real64), intent(out) :: profiles_now(:, :), series_now(:)
    real(real64) :: columns
    integer :: i, j
    associate (grid => model%grid)
      columns = real(grid%cells(1), real64)*grid%cells(2)
      profiles_now = 0
      series_now = 0
      do i = 1, grid%nx
        do j = 1, grid%ny
          call add_means(model, j, i, profiles_now)
          call add_series(model, j, i, series_now)
        end do
      end do
      call sum_up(profiles_now)
      do i = 1, grid%nx
        do j = 1, grid%ny
          call add_moments(model, j, i, profiles_now, series_now(5))
        end do
      end do
      call sum_up(profiles_now(:, 8:11))
      call hlc_mpi_sum(model%ranks%comm, series_now)
      series_now = series_now/columns
    end associate
  contains
    subroutine sum_up(table)
      real(real64), intent(inout) :: table(:, :)
      real(real64) :: flat(size(table))
      flat = reshape(table, [size(table)])
      call hlc_mpi_sum(model%ranks%comm, flat)
      table = reshape(flat, shape(table))/columns
    end subroutine sum_up
  end subroutine measure

  subroutine add_means(model, j, i, sums)
    type(model_t), intent(in) :: model
    integer, intent(in) :: j, i
    real(real64), intent(inout) :: sums(:, :)
    associate (field => model%state%field, air => model%physics%air, frame => model%case%physics%frame)
      sums(:, 1) = sums(:, 1) + field(THETA)%values(:, j, i)
      sums(:, 2) = sums(:, 2) + field(WATER)%values(:, j, i)
      sums(:, 3) = sums(:, 3) + air%liquid(:, j, i)
      sums(:, 4) = sums(:, 4) + merge(1.0_real64, 0.0_real64, air%liquid(:, j, i) > CLOUDY)
      sums(:, 5) = sums(:, 5) + field(U_WIND)%values(:, j, i) + frame(1)
      sums(:, 6) = sums(:, 6) + field(V_WIND)%values(:, j, i) + frame(2)
      sums(:, 7) = sums(:, 7) + air%theta_density(:, j, i)
      if (model%case%physics%rain) sums(:, 12) = sums(:, 12) + field(RAIN_MASS)%values(:, j, i)
    end associate
  end subroutine add_means

  subroutine add_series(model, j, i, sums)
    type(model_t), intent(in) :: model
    integer, intent(in) :: j, i
    real(real64), intent(inout) :: sums(:)
    associate (grid => model%grid, air => model%physics%air, field => model%state%field)
      sums(1) = sums(1) + sum(grid%density*grid%dz*air%liquid(:, j, i))
      if (any(air%liquid(:, j, i) > CLOUDY)) sums(2) = sums(2) + 1
      sums(3) = sums(3) + moist_layer_top(grid%z_centre, grid%z_face(grid%nz), field(WATER)%values(:, j, i), &
                                          model%case%physics%cloud_top_water)
      if (model%case%physics%rain) sums(4) = sums(4) + sum(grid%density*grid%dz*field(RAIN_MASS)%values(:, j, i))
    end associate
  end subroutine add_series

  !> At the upper faces of the layers, where the vertical wind stands; its mean is 0.
  subroutine add_moments(model, j, i, profiles_now, energy)
    type(model_t), intent(in) :: model
    integer, intent(in) :: j, i
    real(real64), intent(inout) :: profiles_now(:, :), energy
    real(real64), dimension(model%grid%nz) :: theta, water_here, east, north
    integer :: nz
    nz = model%grid%nz
    associate (grid => model%grid, field => model%state%field, frame => model%case%physics%frame)
      theta = model%physics%air%theta_density(:, j, i) - profiles_now(:, 7)
      water_here = field(WATER)%values(:, j, i) - profiles_now(:, 2)
      associate (w => field(W_WIND)%values(:, j, i))
        profiles_now(:, 8) = profiles_now(:, 8) + w**2
        profiles_now(:, 9) = profiles_now(:, 9) + w**3
        profiles_now(1:nz - 1, 10) = profiles_now(1:nz - 1, 10) &
                                     + GRAVITY/grid%theta_reference*w(1:nz - 1)*HALF*(theta(1:nz - 1) + theta(2:nz))
        profiles_now(1:nz - 1, 11) = profiles_now(1:nz - 1, 11) + w(1:nz - 1)*HALF*(water_here(1:nz - 1) + water_here(2:nz))
        east = field(U_WIND)%values(:, j, i) + frame(1) - profiles_now(:, 5)
        north = field(V_WIND)%values(:, j, i) + frame(2) - profiles_now(:, 6)
        energy = energy + HALF*sum(grid%density*grid%dz*(east**2 + north**2 + w**2))
      end associate
    end associate
  end subroutine add_moments

  subroutine write_record(model, unit, profiles_now, series_now)
    type(model_t), intent(in) :: model
    integer, intent(in) :: unit
    real(real64), intent(in) :: profiles_now(:, :), series_now(:)
    integer :: n
    write (unit, '(4a)', advance='no') '{"time": ', number(model%time, 9), ', "time_step": ', number(model%case%time_step, 9)
    do n = 1, SERIES
      write (unit, '(4a)', advance='no') ', "', trim(SERIES_NAMES(n)), '": ', number(series_now(n), 9)
    end do
    call write_array(unit, 'z', model%grid%z_centre)
    call write_array(unit, 'z_w', model%grid%z_face(1:))
    do n = 1, PROFILES
      call write_array(unit, trim(PROFILE_NAMES(n)), profiles_now(:, n))
    end do
    write (unit, '(a)') '}'
    flush (unit)
  end subroutine write_record

  subroutine write_array(unit, name, values)
    integer, intent(in) :: unit
    character(*), intent(in) :: name
    real(real64), intent(in) :: values(:)
    integer :: k
    write (unit, '(3a)', advance='no') ', "', name, '": ['
    do k = 1, size(values)
      if (k > 1) write (unit, '(a)', advance='no') ', '
      write (unit, '(a)', advance='no') number(values(k), 6)
    end do
    write (unit, '(a)', advance='no') ']'
  end subroutine write_array

  !> As JSON has it. Fortran drops the E of an exponent of three digits, which rain has that is nearly gone: it gets three digits' room.
  pure function number(value, digits) result(text)
    real(real64), intent(in) :: value
    integer, intent(in) :: digits
    character(:), allocatable :: text
    character(24) :: words
    character(16) :: form
    logical :: is_wide
    is_wide = value /= 0 .and. (abs(value) < 1.0e-99_real64 .or. abs(value) >= 1.0e100_real64)
    write (form, '(a,i0,a)') '(es24.', digits, trim(merge('e3)', ')  ', is_wide))
    write (words, form) value
    text = trim(adjustl(words))
  end function number
end module cloud_statistics
