!> What the program prints: the run's head, its progress on a terminal, the table of communication, the checks and the fingerprints.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_report
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit, real64
  use halocline, only: hlc_mode_name
  use halocline_mpi, only: hlc_mpi_allgather, hlc_mpi_sum, hlc_mpi_wtime
  use cloud_diagnostics, only: fingerprints, negative_shares, LARGEST_COURANT
  use cloud_model, only: model_t
  use cloud_ranks, only: print_line
  use cloud_state, only: FIELDS, FIRST_TRACER, THETA, WATER
  use cloud_timing, only: SITES, SITE_NAMES, SITE_SUMS, mean, median, percentiles
  implicit none
  private
  public :: print_head, print_progress, print_communication, print_checks, print_fingerprints

  interface
    function c_isatty(descriptor) result(yes) bind(C, name='isatty')
      use, intrinsic :: iso_c_binding, only: c_int
      integer(c_int), value :: descriptor
      integer(c_int) :: yes
    end function c_isatty
  end interface

  integer, parameter :: STANDARD_OUTPUT = 1
  real(real64), parameter :: PROGRESS_SECONDS = 0.5_real64, LOG_SECONDS = 5

contains

  subroutine print_head(model)
    type(model_t), intent(in) :: model
    associate (case => model%case, grid => model%grid, dims => model%grid%blocks%dims)
      print '(2a)', 'case      ', trim(case%title)
      print '(a,3(i0,a),2(f0.1,a),f0.0,a)', 'grid      ', grid%cells(1), ' x ', grid%cells(2), ' x ', grid%cells(3), &
        ' cells of ', grid%dx, ' m x ', grid%dy, ' m, lid at ', case%top, ' m'
      print '(a,i0,a,i0,a,i0,a,5(i0,a))', 'ranks     ', model%ranks%size, ' as ', dims(3), ' x ', dims(2), ', blocks of up to ', &
        (grid%cells(1) - 1)/dims(3) + 1, ' x ', (grid%cells(2) - 1)/dims(2) + 1, ' columns, ', FIELDS, ' fields'
      print '(2a)', 'mode      ', hlc_mode_name(int(model%plan%mode))
      if (case%physics%duration > 0) then
        print '(a,f0.0,a,f0.0,a)', 'run       from ', model%time, ' s to ', case%physics%duration, ' s'
      else
        print '(a,i0,a,f0.2,a)', 'run       ', case%steps, ' steps of ', case%time_step, ' s'
      end if
    end associate
  end subroutine print_head

  !> On a terminal one line that overwrites itself, twice a second. Elsewhere, as in the log of a job, a line on stderr now and then.
  subroutine print_progress(model, ended)
    type(model_t), intent(in) :: model
    logical, intent(in) :: ended
    real(real64), save :: last = 0, first = 0, first_time = 0
    character(400) :: line
    logical :: on_terminal
    if (model%ranks%rank /= 0) return
    on_terminal = c_isatty(STANDARD_OUTPUT) /= 0
    if (first == 0) then
      first = hlc_mpi_wtime()
      first_time = model%time
      if (.not. on_terminal) last = first
    end if
    if (hlc_mpi_wtime() - last < merge(PROGRESS_SECONDS, LOG_SECONDS, on_terminal) .and. .not. (ended .and. on_terminal)) return
    last = hlc_mpi_wtime()
    line = progress_line(model, share_done(model, first_time), last - first)
    if (.not. on_terminal) then
      write (error_unit, '(a)') 'cloud: '//trim(line)
      return
    end if
    write (output_unit, '(a)', advance='no') achar(13)//trim(line)//'   '
    if (ended) write (output_unit, '(a)', advance='no') achar(13)//repeat(' ', 72)//achar(13)
    flush (output_unit)
  end subroutine print_progress

  !> How much of the run is done, from 0 to 1.
  real(real64) function share_done(model, first_time)
    type(model_t), intent(in) :: model
    real(real64), intent(in) :: first_time
    real(real64) :: duration
    duration = model%case%physics%duration
    share_done = real(model%clock%step - 1, real64)/max(model%case%steps - 1, 1)
    if (duration > 0) share_done = (model%time - first_time)/max(duration - first_time, 1.0_real64)
  end function share_done

  !> A time may have 300 digits.
  character(400) function progress_line(model, share, elapsed)
    type(model_t), intent(in) :: model
    real(real64), intent(in) :: share, elapsed
    write (progress_line, '(a,i0,a,f0.1,a,i0,a,i0,a)') 'step ', model%clock%step, ', ', model%time, ' s simulated, pressure in ', &
      model%pressure%iterations, ' iterations, ', nint(elapsed*(1 - share)/max(share, 1.0e-6_real64)), ' s to go'
  end function progress_line

  !> The table of communication per step and site. Times are each rank's own, averaged over the ranks. Collective.
  subroutine print_communication(model)
    type(model_t), intent(in) :: model
    real(real64) :: own(2, SITES + 2), table(2*(SITES + 2), model%ranks%size), times(2, SITES + 2), all_swaps(2)
    integer :: site, steps

    steps = model%clock%step
    do site = 1, SITES
      own(:, site) = 1.0e3_real64*[median(model%clock%seconds(site, :steps)), mean(model%clock%seconds(site, :steps))]
    end do
    own(:, SITES + 1) = 1.0e3_real64*[median(model%clock%step_seconds(:steps)), mean(model%clock%step_seconds(:steps))]
    own(:, SITES + 2) = 1.0e3_real64*percentiles(sum(model%clock%seconds(:SITE_SUMS - 1, :steps), dim=1))
    call hlc_mpi_allgather(model%ranks%comm, reshape(own, [2*(SITES + 2)]), table)
    if (model%ranks%rank /= 0) return
    times = reshape(sum(table, dim=2)/model%ranks%size, shape(times))
    all_swaps = sum(times(:, :SITE_SUMS - 1), dim=2)

    print '(/,a)', 'communication per step             swaps   median ms     mean ms   KB from others   KB from self   share'
    do site = 1, SITES
      call print_site(model, site, times(:, site), all_swaps(2))
    end do
    print '(a32,f8.1,2f12.3,2f15.1,f7.1,a)', [character(32) :: 'all swaps'], &
      real(sum(model%clock%swaps), real64)/max(steps, 1), all_swaps, kilobytes_per_step(model, 1, SITES), &
      100.0_real64, ' %'
    print '(a32,8x,2f12.3)', [character(32) :: 'whole step'], times(:, SITES + 1)
    print '(a,f0.3,a,f0.3,a)', 'swaps of a step took ', times(1, SITES + 2), ' to ', times(2, SITES + 2), &
      ' ms, 10th to 90th percentile'
  end subroutine print_communication

  subroutine print_site(model, site, times, all_swaps)
    type(model_t), intent(in) :: model
    integer, intent(in) :: site
    real(real64), intent(in) :: times(2), all_swaps
    real(real64) :: swaps, share
    swaps = real(model%clock%swaps(site), real64)/max(model%clock%step, 1)
    share = 0
    if (all_swaps > 0) share = 100*times(2)/all_swaps
    if (site == SITE_SUMS) then
      print '(a32,8x,2f12.3)', SITE_NAMES(site), times
    else
      print '(a32,f8.1,2f12.3,2f15.1,f7.1,a)', SITE_NAMES(site), swaps, times, kilobytes_per_step(model, site, site), share, ' %'
    end if
  end subroutine print_site

  !> Bytes that fill this rank's halos in a step, from other ranks and from itself, in units of 1000.
  pure function kilobytes_per_step(model, first, last) result(kilobytes)
    type(model_t), intent(in) :: model
    integer, intent(in) :: first, last
    real(real64) :: kilobytes(2)
    associate (clock => model%clock)
      kilobytes(1) = sum(real(clock%swaps(first:last), real64)*clock%bytes(first:last))
      kilobytes(2) = sum(real(clock%swaps(first:last), real64)*clock%self_bytes(first:last))
    end associate
    kilobytes = kilobytes/(1000*max(model%clock%step, 1))
  end function kilobytes_per_step

  !> Prints every check and returns whether all hold. Collective.
  function print_checks(model) result(all_hold)
    type(model_t), intent(in) :: model
    logical :: all_hold
    real(real64) :: negative(FIELDS), change(FIELDS), source(FIELDS), turnover(FIELDS), most(FIELDS), limit
    integer :: tracer, positive
    character(:), allocatable :: beyond
    logical :: talks

    beyond = ''
    if (model%case%physics%wanted) beyond = ' beyond sources'
    talks = model%ranks%rank == 0
    call negative_shares(model%grid, model%ranks, model%state, negative)
    all_hold = .true.
    source = model%physics%source + model%physics%lost_digits
    call hlc_mpi_sum(model%ranks%comm, source)
    turnover = model%physics%turnover
    call hlc_mpi_sum(model%ranks%comm, turnover)
    associate (budget => model%budget)
      change = 0
      ! Rain, and the largest aerosol, begin with little or nothing, and rain that has formed may be gone at the end: rounding is measured
      ! on what there is at either end, or on what has come and gone.
      most = max(budget%amount_before, budget%amount_after, turnover)
      where (most > 0) change = abs(budget%amount_after - budget%amount_before - source)/most
      limit = 4*epsilon(1.0_real64)*max(budget%steps, 1)
      ! What has come from sources is a sum of many terms, with a rounding of its own that does not grow with the steps.
      if (model%case%physics%wanted) limit = limit + 32*epsilon(1.0_real64)
      tracer = FIRST_TRACER - 1 + maxloc(change(FIRST_TRACER:), dim=1)
      positive = WATER - 1 + maxloc(negative(WATER:), dim=1)
      if (talks) print '(/,a)', 'check                                    value       limit   verdict'
      call check('mass changed by', abs(budget%mass_gained)/budget%mass, limit)
      call check('theta_l changed by'//beyond, change(THETA), limit)
      call check('q_t changed by'//beyond, change(WATER), limit)
      if (model%case%physics%rain .or. model%case%physics%sedimentation) &
        call check('water lost between drops and rain', water_lost(model), limit)
      call check('tracers changed by ('//trim(name_of(tracer))//')', change(tracer), limit)
      call check('divergence left per step', budget%divergence, model%case%pressure_tolerance)
      call check('Courant number', budget%courant, LARGEST_COURANT)
      ! A cell that sends off all that it has may be left with less than nothing by the rounding of its fluxes.
      call check('below 0, of the largest ('//trim(name_of(positive))//')', negative(positive), 4*epsilon(1.0_real64))
    end associate
  contains
    subroutine check(what, value, largest)
      character(*), intent(in) :: what
      real(real64), intent(in) :: value, largest
      real(real64) :: shown
      logical :: holds
      holds = value <= largest
      all_hold = all_hold .and. holds
      ! Fortran drops the E of an exponent of three digits.
      shown = merge(0.0_real64, value, abs(value) < 1.0e-99_real64)
      if (talks) print '(a34,2es12.2,3x,a)', [character(34) :: what], shown, largest, trim(merge('holds ', 'BROKEN', holds))
    end subroutine check

    function name_of(f) result(name)
      integer, intent(in) :: f
      character(16) :: name
      name = model%state%field(f)%name
    end function name_of
  end function print_checks

  !> What cloud and rain together lost beyond what reached the ground, over the water that there is. Collective.
  function water_lost(model) result(share)
    type(model_t), intent(in) :: model
    real(real64) :: share, sums(3)
    sums = [model%physics%rain_source, model%physics%rained]
    call hlc_mpi_sum(model%ranks%comm, sums)
    share = abs(sum(sums))/model%budget%amount_before(WATER)
  end function water_lost

  !> Collective.
  subroutine print_fingerprints(model)
    type(model_t), intent(in) :: model
    character(16) :: digits(FIELDS)
    integer :: f
    digits = fingerprints(model%grid, model%ranks, model%state)
    if (model%ranks%rank /= 0) return
    print '(a)', ''
    do f = 1, FIELDS
      call print_line('fingerprint '//trim(model%state%field(f)%name)//' '//digits(f))
    end do
  end subroutine print_fingerprints
end module cloud_report
