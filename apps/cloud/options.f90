!> The command line. Every fault becomes one sentence that names the argument and its value.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_options
  implicit none
  private
  public :: options_t, read_options, usage

  !> What the command line asked for; what it left out keeps the value given here.
  type :: options_t
    character(:), allocatable :: case_path
    character(:), allocatable :: mode            !< empty: HALOCLINE_MODE, else the library's default
    character(:), allocatable :: output          !< empty: no NetCDF file
    character(:), allocatable :: restart         !< empty: the case's own start
    character(:), allocatable :: save            !< empty: no restart file
    character(:), allocatable :: statistics      !< empty: no statistics
    integer :: steps = -1                        !< below 0: as in the case
    integer :: until = -1                        !< s; below 0: as in the case
    integer :: output_every = 0                  !< steps from one state of output to the next; 0: the first and the last state
    integer :: local(2) = 0                      !< cells in x and y per rank; 0: not asked for
    integer :: global(3) = 0                     !< cells in x, y and z; 0: as in the case
    logical :: quiet = .false.
    logical :: help = .false.
  end type options_t

  character(*), parameter :: usage(*) = [character(104) :: &
    'usage: cloud CASE.nml [--mode M] [--steps N] [--local NX,NY | --global NX,NY,NZ]', &
    '             [--until S] [--restart FILE] [--save FILE] [--statistics FILE]', &
    '             [--output FILE.nc [--output-every N]] [--quiet] [--help]', &
    '', &
    'Simulates a stratocumulus cloud: swaps 29 fields, moves them with the air, adds what condensation,', &
    'radiation, turbulence, rain and the sea do, and solves for the pressure. Prints the communication', &
    'time per step by site, what was conserved, and a fingerprint per field.', &
    'Start it under the MPI launcher, on any number of ranks.', &
    '', &
    '  CASE.nml            the case, a namelist; dycoms_rf01.nml stands beside the source', &
    '  --mode M            auto, p2p, neighbor, fence, pscw, passive, passive_naive, notify, direct, view or', &
    '                      notify_node (default: the environment''s HALOCLINE_MODE, else the library''s)', &
    '  --steps N           time steps (default: the case''s)', &
    '  --local NX,NY       cells per rank in x and y: the grid grows with the ranks', &
    '  --global NX,NY,NZ   cells of the whole grid: the blocks shrink with the ranks', &
    '  --output FILE.nc    write the first and the last state as NetCDF', &
    '  --output-every N    and the state after each N steps', &
    '  --until S           simulate until S seconds after the start of the case', &
    '  --restart FILE      start from the state that --save wrote, on any number of ranks;', &
    '                      a start of 32-bit numbers is interpolated to the layers of the case', &
    '  --save FILE         write the last state, to the bit, for --restart; replaces an old file as a whole', &
    '  --statistics FILE   write cloud cover, fluxes and other means over the run, a JSON text a line', &
    '  --quiet             only the checks and the fingerprints', &
    '  --help              this text']

contains

  !> Reads all arguments. message is empty if all is well.
  subroutine read_options(options, message)
    type(options_t), intent(out) :: options
    character(:), allocatable, intent(out) :: message
    character(:), allocatable :: word
    integer :: place

    options%case_path = ''
    options%mode = ''
    options%output = ''
    options%restart = ''
    options%save = ''
    options%statistics = ''
    message = ''
    place = 1
    do while (place <= command_argument_count() .and. message == '')
      word = argument(place)
      if (index(word, '-') == 1) then
        call read_option(options, word, place, message)
      else if (options%case_path == '') then
        options%case_path = word
      else
        message = 'unexpected argument "'//word//'": the case is already "'//options%case_path//'"'
      end if
      place = place + 1
    end do
    if (message == '' .and. .not. options%help) call check_options(options, message)
  end subroutine read_options

  !> Reads one option and, where it has one, its value; place moves on to the last argument read.
  subroutine read_option(options, name, place, message)
    type(options_t), intent(inout) :: options
    character(*), intent(in) :: name
    integer, intent(inout) :: place
    character(:), allocatable, intent(inout) :: message
    character(:), allocatable :: value
    integer :: number(1)

    select case (name)
    case ('--quiet')
      options%quiet = .true.
      return
    case ('--help', '-h')
      options%help = .true.
      return
    case ('--mode', '--steps', '--until', '--local', '--global', '--output', '--output-every', '--restart', '--save', &
          '--statistics')
      place = place + 1
      if (place > command_argument_count()) then
        message = name//' wants a value'
        return
      end if
      value = argument(place)
    case default
      message = 'unknown option "'//name//'"; cloud --help lists them all'
      return
    end select

    select case (name)
    case ('--mode')
      options%mode = value
      if (value == '') message = '--mode wants the name of a mode, not ""'
    case ('--output')
      options%output = value
    case ('--restart')
      options%restart = value
    case ('--save')
      options%save = value
    case ('--statistics')
      options%statistics = value
    case ('--steps')
      call read_numbers(name, value, 0, number, message)
      options%steps = number(1)
    case ('--output-every')
      call read_numbers(name, value, 1, number, message)
      options%output_every = number(1)
    case ('--until')
      call read_numbers(name, value, 1, number, message)
      options%until = number(1)
    case ('--local')
      call read_numbers(name, value, 1, options%local, message)
    case ('--global')
      call read_numbers(name, value, 1, options%global, message)
    end select
    if (value == '' .and. message == '') message = name//' wants the name of a file, not ""'
  end subroutine read_option

  subroutine check_options(options, message)
    type(options_t), intent(in) :: options
    character(:), allocatable, intent(inout) :: message
    if (options%case_path == '') then
      message = 'no case given; usage: cloud CASE.nml [options], cloud --help lists them all'
    else if (options%steps >= 0 .and. options%until > 0) then
      message = '--steps and --until exclude each other: one gives the steps to run, the other the time at the end'
    else if (any(options%local > 0) .and. any(options%global > 0)) then
      message = '--local and --global exclude each other: one gives the cells per rank, the other those of the whole grid'
    end if
  end subroutine check_options

  !> Reads whole numbers parted by commas, as many as numbers has places, none below lowest.
  subroutine read_numbers(name, text, lowest, numbers, message)
    character(*), intent(in) :: name, text
    integer, intent(in) :: lowest
    integer, intent(out) :: numbers(:)
    character(:), allocatable, intent(inout) :: message
    character(80) :: expected
    integer :: place, first, last, status

    numbers = 0
    first = 1
    last = 0
    status = 0
    do place = 1, size(numbers)
      last = first + index(text(first:)//',', ',') - 2
      status = merge(1, 0, last < first .or. verify(text(first:last), '0123456789') /= 0)
      if (status == 0) read (text(first:last), *, iostat=status) numbers(place)
      if (status == 0 .and. numbers(place) < lowest) status = 1
      if (status /= 0) exit
      first = min(last + 2, len(text) + 1)
    end do
    if (status == 0 .and. last == len(text)) return
    if (size(numbers) == 1) write (expected, '(a, i0)') 'a whole number of at least ', lowest
    if (size(numbers) > 1) write (expected, '(i0, a, i0, a)') size(numbers), ' whole numbers of at least ', lowest, &
      ', parted by commas'
    message = name//' wants '//trim(expected)//', not "'//text//'"'
  end subroutine read_numbers

  function argument(place) result(text)
    integer, intent(in) :: place
    character(:), allocatable :: text
    integer :: length
    call get_command_argument(place, length=length)
    allocate (character(length) :: text)
    call get_command_argument(place, text)
  end function argument
end module cloud_options
