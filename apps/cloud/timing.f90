!> A clock for the sites of communication: where the time of a step goes that is not computing. A site is entered when its library
!> call begins and left when the call returns, so that an overlapped swap counts only what the program waits for.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_timing
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use halocline_mpi, only: hlc_mpi_wtime
  implicit none
  private
  public :: clock_t, SITES, SITE_STATE, SITE_ADVECTION, SITE_SOURCE, SITE_PRESSURE, SITE_SUMS, SITE_NAMES, median, mean, percentiles

  integer, parameter :: SITE_STATE = 1, SITE_ADVECTION = 2, SITE_SOURCE = 3, SITE_PRESSURE = 4, SITE_SUMS = 5, SITES = 5
  character(*), parameter :: SITE_NAMES(SITES) = [character(32) :: 'state: 29 fields', 'advection: fluxes to the left', &
                                                  'pressure source: u and v', 'pressure iterations', 'global sums (no swap)']

  integer, parameter :: ROOM = 10000

  type :: clock_t
    integer :: step = 0
    real(real64), allocatable :: seconds(:, :)     !< (site, step)
    real(real64), allocatable :: step_seconds(:)   !< everything, communication and computing
    integer :: swaps(SITES) = 0                    !< in all steps together
    integer(int64) :: bytes(SITES) = 0             !< per swap, from other ranks
    integer(int64) :: self_bytes(SITES) = 0        !< per swap, from this rank itself
    real(real64), private :: step_began = 0
  contains
    procedure :: prepare
    procedure :: begin_step
    procedure :: end_step
    procedure :: enter
    procedure :: leave
  end type clock_t

contains

  !> Makes room for so many steps, at first not for more than ROOM, and for more when they come.
  subroutine prepare(self, steps)
    class(clock_t), intent(inout) :: self
    integer, intent(in) :: steps
    allocate (self%seconds(SITES, min(steps, ROOM)), source=0.0_real64)
    allocate (self%step_seconds(min(steps, ROOM)), source=0.0_real64)
  end subroutine prepare

  subroutine begin_step(self)
    class(clock_t), intent(inout) :: self
    self%step = self%step + 1
    if (self%step > size(self%step_seconds)) call grow(self)
    self%step_began = hlc_mpi_wtime()
  end subroutine begin_step

  !> The number of steps was not known: makes room for twice as many.
  subroutine grow(self)
    class(clock_t), intent(inout) :: self
    real(real64), allocatable :: seconds(:, :), step_seconds(:)
    integer :: steps
    steps = size(self%step_seconds)
    allocate (seconds(SITES, 2*steps + 1), source=0.0_real64)
    allocate (step_seconds(2*steps + 1), source=0.0_real64)
    seconds(:, :steps) = self%seconds
    step_seconds(:steps) = self%step_seconds
    call move_alloc(seconds, self%seconds)
    call move_alloc(step_seconds, self%step_seconds)
  end subroutine grow

  subroutine end_step(self)
    class(clock_t), intent(inout) :: self
    self%step_seconds(self%step) = hlc_mpi_wtime() - self%step_began
  end subroutine end_step

  subroutine enter(self, site)
    class(clock_t), intent(inout) :: self
    integer, intent(in) :: site
    self%seconds(site, self%step) = self%seconds(site, self%step) - hlc_mpi_wtime()
  end subroutine enter

  !> swaps is the number of swaps that were completed with this call.
  subroutine leave(self, site, swaps)
    class(clock_t), intent(inout) :: self
    integer, intent(in) :: site
    integer, intent(in), optional :: swaps
    self%seconds(site, self%step) = self%seconds(site, self%step) + hlc_mpi_wtime()
    if (present(swaps)) self%swaps(site) = self%swaps(site) + swaps
  end subroutine leave

  pure function mean(values) result(middle)
    real(real64), intent(in) :: values(:)
    real(real64) :: middle
    middle = sum(values)/max(size(values), 1)
  end function mean

  pure function in_order(values) result(sorted)
    real(real64), intent(in) :: values(:)
    real(real64) :: sorted(size(values)), value
    integer :: n, place
    do n = 1, size(values)
      value = values(n)
      place = count(sorted(:n - 1) <= value) + 1
      sorted(place + 1:n) = sorted(place:n - 1)
      sorted(place) = value
    end do
  end function in_order

  !> The middle value, or the mean of the two middle ones; 0 of nothing.
  pure function median(values) result(middle)
    real(real64), intent(in) :: values(:)
    real(real64) :: middle, sorted(size(values))
    integer :: n
    sorted = in_order(values)
    n = size(values)
    middle = 0
    if (n > 0) middle = 0.5_real64*(sorted((n + 1)/2) + sorted(n/2 + 1))
  end function median

  !> The 10th and the 90th percentile; 0 of nothing.
  pure function percentiles(values) result(ends)
    real(real64), intent(in) :: values(:)
    real(real64) :: ends(2), sorted(size(values))
    integer :: n
    sorted = in_order(values)
    n = size(values)
    ends = 0
    if (n > 0) ends = sorted(1 + nint([0.1_real64, 0.9_real64]*(n - 1)))
  end function percentiles
end module cloud_timing
