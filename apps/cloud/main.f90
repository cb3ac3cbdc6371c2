!> cloud: a mini-app with the halo behaviour of the MONC cloud model, on Halocline. See README.md.
!> SPDX-License-Identifier: BSD-3-Clause
program cloud
  use, intrinsic :: iso_fortran_env, only: output_unit, real64
  use halocline, only: hlc_context, hlc_error_message, hlc_finalise, hlc_init, hlc_mode_from_name, HLC_ERR_MEMORY, &
                       HLC_OK
  use halocline_mpi, only: hlc_mpi_finalise, hlc_mpi_init, hlc_mpi_max, hlc_mpi_rank, hlc_mpi_size, hlc_mpi_world
  use cloud_case, only: read_case
  use cloud_diagnostics, only: measure_amounts, LARGEST_COURANT
  use cloud_grid, only: make_grid
  use cloud_model, only: advance, has_ended, make_model, model_t, release_model, too_large
  use cloud_options, only: options_t, read_options, usage
  use cloud_output, only: close_output, open_output, output_fault, output_t, write_record
  use cloud_ranks, only: print_line, stop_together, EXIT_FAILED, EXIT_USAGE
  use cloud_restart, only: read_restart, try_restart, write_restart
  use cloud_statistics, only: close_statistics, open_statistics, record_statistics, statistics_t
  use cloud_report, only: print_checks, print_communication, print_fingerprints, print_head, print_progress
  implicit none
  type(hlc_context) :: context
  type(options_t) :: options
  type(model_t) :: model
  logical :: all_hold

  call hlc_mpi_init()
  model%ranks%comm = hlc_mpi_world()
  model%ranks%rank = hlc_mpi_rank(model%ranks%comm)
  model%ranks%size = hlc_mpi_size(model%ranks%comm)
  call prepare()
  call run()
  call conclude(all_hold)
  call release_model(context, model)
  call hlc_finalise(context)
  call stop_together(model%ranks, merge(0, EXIT_FAILED, all_hold))

contains

  !> Reads what is asked for and makes the model; whatever is wrong with it ends the program here, with one message.
  subroutine prepare()
    character(:), allocatable :: message, mode
    integer :: status

    call read_options(options, message)
    call need(message)
    if (options%help) call show_usage()
    call read_case(options%case_path, model%case, message)
    call need(message)
    call apply_options()
    call choose_mode(mode)
    call output_fault(options%output, message)
    call need(message)
    call hlc_init(model%ranks%comm, context)
    call make_grid(context, model%case, options%local, model%grid, status)
    if (status /= HLC_OK) call need(hlc_error_message())
    call make_model(context, mode, model, status)
    if (status == HLC_ERR_MEMORY) call need(too_large(model, ': '//hlc_error_message()))
    if (status /= HLC_OK) call need(hlc_error_message())
    if (options%restart /= '') then
      call read_restart(options%restart, model, message)
      if (message /= '') call need('--restart "'//options%restart//'": '//message)
    end if
    if (model%ranks%rank == 0 .and. .not. options%quiet) call print_head(model)
    flush (output_unit)
  end subroutine prepare

  subroutine apply_options()
    if (any(options%global > 0)) model%case%cells = options%global
    if (options%steps >= 0) then
      model%case%steps = options%steps
      model%case%physics%duration = 0
    end if
    if (options%until > 0) model%case%physics%duration = options%until
    if (model%case%physics%wanted) return
    if (options%statistics /= '') call need('--statistics wants a case with physics_parameters, which this one has not')
  end subroutine apply_options

  !> Leaves mode unallocated where neither the command line nor the environment names one.
  subroutine choose_mode(mode)
    character(:), allocatable, intent(out) :: mode
    integer :: length, found, status

    call get_environment_variable('HALOCLINE_MODE', length=length)
    if (options%mode /= '') then
      mode = options%mode
    else if (length > 0) then
      allocate (character(length) :: mode)
      call get_environment_variable('HALOCLINE_MODE', mode)
    else
      return
    end if
    call hlc_mode_from_name(mode, found, status)
    if (status /= HLC_OK) call need(hlc_error_message())
  end subroutine choose_mode

  !> Steps through the run. A flow too fast for the time step, or a pressure that does not converge, ends it.
  subroutine run()
    type(output_t) :: file
    type(statistics_t) :: statistics
    character(:), allocatable :: message
    character(256) :: fault
    integer :: step

    if (options%save /= '') then
      call try_restart(options%save, model, message)
      call need_everywhere('--save "'//options%save//'": ', message)
    end if
    call open_output(options%output, model, file)
    call open_statistics(options%statistics, model, statistics, message)
    call need_everywhere('--statistics "'//options%statistics//'": ', message)
    call write_record(model, file)
    call record_statistics(model, statistics)
    do while (.not. has_ended(model))
      call advance(model)
      step = model%clock%step
      fault = ''
      if (.not. model%pressure%converged) write (fault, '(a,i0,a,i0,a)') 'step ', step, ': the pressure did not converge in ', &
        model%pressure%iterations, ' iterations'
      if (fault /= '' .and. model%pressure%iterations == 0) write (fault, '(a,i0,a)') 'step ', step, &
        ': the source of the pressure is not finite; look for a number of the case that is not, or far too large'
      if (.not. model%budget%courant <= LARGEST_COURANT) write (fault, '(a,i0,a,es11.3e3,a,f3.1)') 'step ', step, &
        ': the Courant number is ', model%budget%courant, ', but positive advection needs at most ', LARGEST_COURANT
      if (fault /= '') call stop_together(model%ranks, EXIT_FAILED, trim(fault))
      call record_statistics(model, statistics)
      if (options%output_every > 0 .and. .not. has_ended(model)) then
        if (modulo(step, options%output_every) == 0) call write_record(model, file)
      end if
      if (.not. options%quiet) call print_progress(model, has_ended(model))
    end do
    if (model%clock%step > 0) call write_record(model, file)
    call close_output(model, file)
    call close_statistics(options%statistics, statistics, message)
    call need_everywhere('--statistics "'//options%statistics//'": ', message)
    if (options%save == '') return
    call write_restart(options%save, model, message)
    call need_everywhere('--save "'//options%save//'": ', message)
  end subroutine run

  subroutine conclude(all_hold)
    logical, intent(out) :: all_hold
    call measure_amounts(model%grid, model%ranks, model%state, model%budget%amount_after, model%budget%mass)
    if (.not. options%quiet) call print_communication(model)
    all_hold = print_checks(model)
    call print_fingerprints(model)
    flush (output_unit)
  end subroutine conclude

  !> Goes on if the message is empty.
  subroutine need(message)
    character(*), intent(in) :: message
    if (message /= '') call stop_together(model%ranks, EXIT_USAGE, message)
  end subroutine need

  !> The same where one rank alone knows the message. Collective.
  subroutine need_everywhere(what, message)
    character(*), intent(in) :: what, message
    real(real64) :: fault
    fault = merge(0, 1, message == '')
    call hlc_mpi_max(model%ranks%comm, fault)
    if (fault > 0) call stop_together(model%ranks, EXIT_USAGE, what//message)
  end subroutine need_everywhere

  subroutine show_usage()
    integer :: line
    if (model%ranks%rank == 0) then
      do line = 1, size(usage)
        call print_line(trim(usage(line)))
      end do
    end if
    call stop_together(model%ranks, 0)
  end subroutine show_usage
end program cloud
