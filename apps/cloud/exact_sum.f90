!> Sums that do not depend on the order of their terms, and so neither on the decomposition nor on the mode of communication.
!>
!> Each term is cut into three pieces on fixed grids of powers of two (2^(32 b) for a few integers b), pieces of one grid add
!> without rounding, and the three totals are whole numbers. After Demmel and Nguyen, "Parallel reproducible summation", IEEE
!> Trans. Comput. 64 (2015). At least 64 bits below the largest term are kept, so the result is also as good as exact.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_exact_sum
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use, intrinsic :: ieee_arithmetic, only: ieee_is_finite, ieee_value, ieee_quiet_nan
  implicit none
  private
  public :: exact_sum, packed_reals, packed_total

  integer, parameter :: pieces = 3
  integer, parameter :: bits = 32                    !< of one grid
  integer, parameter :: lowest_grid = -25, highest_grid = 29
  !> A sum in flight between ranks: its highest grid, and the high and low half of each whole number.
  integer, parameter :: packed_reals = 1 + 2*pieces

  !> A running sum over columns of one length. Holds up to 2^21 columns.
  type :: exact_sum
    integer :: grid = lowest_grid                    !< the piece at place 1 is a multiple of 2^(32 grid)
    real(real64), allocatable :: totals(:, :)        !< per level and piece
  contains
    procedure :: clear
    procedure :: add
    procedure :: packed
  end type exact_sum

contains

  !> Starts again at 0, for columns of so many levels.
  subroutine clear(self, levels)
    class(exact_sum), intent(inout) :: self
    integer, intent(in) :: levels
    if (allocated(self%totals)) then
      if (size(self%totals, 1) /= levels) deallocate (self%totals)
    end if
    if (.not. allocated(self%totals)) allocate (self%totals(levels, pieces))
    self%totals = 0
    self%grid = lowest_grid
  end subroutine clear

  !> Adds a column.
  subroutine add(self, column)
    class(exact_sum), intent(inout) :: self
    real(real64), intent(in), contiguous :: column(:)
    integer :: grid
    grid = grid_of(largest(column))
    if (grid > self%grid) call raise_grid(self, grid)
    call add_pieces(column, anchors(self%grid), self%totals)
  end subroutine add

  !> The whole numbers, as reals that the ranks can exchange.
  function packed(self) result(message)
    class(exact_sum), intent(in) :: self
    real(real64) :: message(packed_reals)
    integer(int64) :: count
    integer :: piece, k

    message(1) = self%grid
    do piece = 1, pieces
      if (.not. ieee_is_finite(sum(self%totals(:, piece)))) then
        message = ieee_value(1.0_real64, ieee_quiet_nan)
        return
      end if
      count = 0
      do k = 1, size(self%totals, 1)
        count = count + int(scale(self%totals(k, piece), -bits*(self%grid + 1 - piece)), int64)
      end do
      message(2*piece) = real(shifta(count, bits), real64)
      message(2*piece + 1) = real(iand(count, 2_int64**bits - 1), real64)
    end do
  end function packed

  !> The sum over all ranks, from a table with one packed sum per column.
  function packed_total(table) result(total)
    real(real64), intent(in) :: table(:, :)
    real(real64) :: total
    integer(int64) :: counts(pieces)
    integer :: top, rank, piece, place

    total = ieee_value(1.0_real64, ieee_quiet_nan)
    if (.not. all(ieee_is_finite(table(:packed_reals, :)))) return
    top = nint(maxval(table(1, :)))
    counts = 0
    do rank = 1, size(table, 2)
      do piece = 1, pieces
        place = piece + top - nint(table(1, rank))
        if (place > pieces) exit
        counts(place) = counts(place) + int(table(2*piece, rank), int64)*2_int64**bits + int(table(2*piece + 1, rank), int64)
      end do
    end do
    total = 0
    do piece = pieces, 1, -1
      total = total + scale(real(counts(piece), real64), bits*(top + 1 - piece))
    end do
  end function packed_total

  pure function largest(column) result(magnitude)
    real(real64), intent(in), contiguous :: column(:)
    real(real64) :: magnitude
    integer :: k
    magnitude = 0
    do k = 1, size(column)
      magnitude = merge(abs(column(k)), magnitude, abs(column(k)) > magnitude)
    end do
  end function largest

  !> The lowest grid b whose pieces hold the magnitude in 31 bits: magnitude < 2^(32 b + 31). On any higher grid the piece would be
  !> 0.
  pure function grid_of(magnitude) result(grid)
    real(real64), intent(in) :: magnitude
    integer :: grid
    grid = lowest_grid
    if (magnitude > 0) grid = min(max(floor(exponent(magnitude)/real(bits)), lowest_grid), highest_grid)
  end function grid_of

  !> Adding and taking away 1.5 2^52 2^(32 b) rounds to a multiple of 2^(32 b).
  pure function anchors(grid) result(values)
    integer, intent(in) :: grid
    real(real64) :: values(pieces)
    integer :: piece
    do piece = 1, pieces
      values(piece) = scale(1.5_real64, 52 + bits*(grid + 1 - piece))
    end do
  end function anchors

  pure subroutine add_pieces(column, anchor, totals)
    real(real64), intent(in), contiguous :: column(:)
    real(real64), intent(in) :: anchor(pieces)
    real(real64), intent(inout), contiguous :: totals(:, :)
    real(real64) :: rest, high, middle
    integer :: k
    do k = 1, size(column)
      high = (column(k) + anchor(1)) - anchor(1)
      rest = column(k) - high
      middle = (rest + anchor(2)) - anchor(2)
      rest = rest - middle
      totals(k, 1) = totals(k, 1) + high
      totals(k, 2) = totals(k, 2) + middle
      totals(k, 3) = totals(k, 3) + ((rest + anchor(3)) - anchor(3))
    end do
  end subroutine add_pieces

  !> A larger term has come: the old pieces move down, and what falls below the lowest grid is dropped, as it would have been from
  !> the start.
  subroutine raise_grid(self, grid)
    type(exact_sum), intent(inout) :: self
    integer, intent(in) :: grid
    integer :: piece, from
    do piece = pieces, 1, -1
      from = piece - (grid - self%grid)
      if (from >= 1) then
        self%totals(:, piece) = self%totals(:, from)
      else
        self%totals(:, piece) = 0
      end if
    end do
    self%grid = grid
  end subroutine raise_grid
end module cloud_exact_sum
