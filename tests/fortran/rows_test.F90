! SPDX-License-Identifier: BSD-3-Clause
!> Rows over views from Fortran: a stencil by rows against the same by indices in a halo that mode p2p filled, bit by bit; and what is refused.
module solver
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: real64
  use halocline
  implicit none
  public

  !> Where a stencil by rows writes, how far it reads, and how many cells it has looked at.
  type :: job
    type(c_ptr) :: out = c_null_ptr
    integer :: shape(2) = 0, reach(2) = 0, visits = 0
  end type

  !> Two fields of a solver in turn: the cells to write, and what a star must not show.
  type :: heat_job
    real(real64), pointer :: next(:, :, :) => null()
    logical :: shows_corner = .false.
  end type

contains

  pure integer function weight(di, dj)
    integer, intent(in) :: di, dj
    weight = 1 + (di + 2) + 5 * (dj + 2)
  end function

  !> Seven points; the innermost loop is a procedure of its own, which sees plain arrays.
  subroutine heat(row, user)
    type(hlc_row), intent(in) :: row
    type(c_ptr), intent(in) :: user
    type(heat_job), pointer :: mine
    real(real64), pointer :: own(:), west(:), east(:), south(:), north(:), corner(:)
    integer :: i, j, k, n
    call c_f_pointer(user, mine)
    call hlc_row_cells(row, [0, 0, 0], own)
    call hlc_row_cells(row, [0, -1, 0], west)
    call hlc_row_cells(row, [0, 1, 0], east)
    call hlc_row_cells(row, [0, 0, -1], south)
    call hlc_row_cells(row, [0, 0, 1], north)
    call hlc_row_cells(row, [0, 1, 1], corner)
    i = int(row%first(1))
    j = int(row%first(2))
    k = int(row%first(3))
    n = int(row%count)
    if (lbound(own, 1) /= i - 1 .or. ubound(own, 1) /= i + n .or. lbound(west, 1) /= i .or. ubound(west, 1) /= i + n - 1) return
    mine%shows_corner = mine%shows_corner .or. associated(corner)
    call add(n, own(i-1:i+n), west, east, south, north, mine%next(i:i+n-1, j, k))
  end subroutine

  subroutine add(n, own, west, east, south, north, next)
    integer, intent(in) :: n
    real(real64), intent(in) :: own(0:n + 1), west(n), east(n), south(n), north(n)
    real(real64), intent(out) :: next(n)
    integer :: i
    do i = 1, n
      next(i) = 2 * own(i) + own(i-1) + own(i+1) + west(i) + east(i) + south(i) + north(i)
    end do
  end subroutine

  !> Never called in a test that passes.
  subroutine nobody(row, user)
    type(hlc_row), intent(in) :: row
    type(c_ptr), intent(in) :: user
    logical, pointer :: called
    call c_f_pointer(user, called)
    called = row%count > 0
  end subroutine

  !> Asks for rows that there are not; counts the answers that are as they should.
  subroutine ask_wrongly(row, user)
    type(hlc_row), intent(in) :: row
    type(c_ptr), intent(in) :: user
    integer, pointer :: right
    real(real64), pointer :: cells(:)
    integer, pointer :: whole(:)
    integer :: code
    call c_f_pointer(user, right)
    call hlc_row_cells(row, [0], cells, code)
    call count_if(code, "offset has 1 entries, the halo's dimensions are 2")
    call hlc_row_cells(row, [0, 2], cells, code)
    call count_if(code, "offset is larger than reach")
    call hlc_row_cells(row, [1, 0], cells, code)
    call count_if(code, "offset is not 0 along the row")
    call hlc_row_cells(row, [0, 0], whole, code)
    call count_if(code, "cells has elements of 4 bytes, those of the field have 8")
    call hlc_row_cells(row, [0, 0], cells, code)
    if (code == HLC_OK .and. associated(cells)) right = right + 1

  contains

    subroutine count_if(status, sentence)
      integer, intent(in) :: status
      character(len=*), intent(in) :: sentence
      logical :: told
      told = index(hlc_error_message(), sentence) > 0
      if (status == HLC_ERR_ARGUMENT .and. told .and. .not. associated(cells)) right = right + 1
    end subroutine
  end subroutine
end module solver

program rows_test
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_loc, c_ptr
  use, intrinsic :: iso_fortran_env, only: int8, int32, int64, real32, real64
  use halocline
  use solver
  use testing
  implicit none

  integer(int8), parameter :: bytes(1) = 0_int8
  type(hlc_context) :: context
  integer :: m

  call start_tests(context)
  do m = 1, size(all_modes)
    call test_types(trim(all_modes(m)))
    call test_solver(trim(all_modes(m)))
  end do
  call test_refusals()
  call test_wrong_rows()
  call finish_tests(context)

contains

  !> From 1 to 97.
  pure integer function cell_number(i, j, turn)
    integer, intent(in) :: i, j, turn
    cell_number = 1 + mod(5 * i + 17 * j + 29 * turn, 97)
  end function

  subroutine test_types(mode)
    character(len=*), intent(in) :: mode
    call test_real32(mode, .true.)
    call test_real64(mode, .true.)
    call test_int32(mode, .true.)
    call test_int64(mode, .true.)
    call test_real64(mode, .false.)
    call end_test("rows of every type are those of the halo, mode " // mode)
  end subroutine

#define ELEMENT real(real32)
#define NAMED(procedure) procedure/**/_real32
#define VALUE(number) real(number, real32)
#include "rows_case.inc"
#undef ELEMENT
#undef NAMED
#undef VALUE

#define ELEMENT real(real64)
#define NAMED(procedure) procedure/**/_real64
#define VALUE(number) real(number, real64)
#include "rows_case.inc"
#undef ELEMENT
#undef NAMED
#undef VALUE

#define ELEMENT integer(int32)
#define NAMED(procedure) procedure/**/_int32
#define VALUE(number) int(number, int32)
#include "rows_case.inc"
#undef ELEMENT
#undef NAMED
#undef VALUE

#define ELEMENT integer(int64)
#define NAMED(procedure) procedure/**/_int64
#define VALUE(number) int(number, int64)
#include "rows_case.inc"
#undef ELEMENT
#undef NAMED
#undef VALUE

  !> A star in three dimensions on two fields in turn, five steps without a release between them, against one array with a halo.
  subroutine test_solver(mode)
    character(len=*), intent(in) :: mode
    type(hlc_grid) :: grid
    type(hlc_halo) :: seen, filled
    type(heat_job), target :: mine
    real(real64), pointer :: a(:, :, :), b(:, :, :), u(:, :, :), now(:, :, :)
    real(real64), allocatable :: next(:, :, :)
    integer :: step, n(3)
    nullify (a, b, u)
    call hlc_grid_create(context, [6 + context%size, 5 + context%size, 4 + context%size], grid, periodic=[.true., .true., .true.])
    n = int(grid%local(1:3))
    call hlc_field_alloc(context, a, grid, 1)
    call hlc_field_alloc(context, b, grid, 1)
    call hlc_field_alloc(context, u, grid, 1)
    call hlc_halo_init(context, grid, [hlc_field_of(a), hlc_field_of(b)], 1, seen, stencil=HLC_STENCIL_STAR, mode=mode)
    call hlc_halo_init(context, grid, [hlc_field_of(u)], 1, filled, mode="p2p")
    allocate (next(n(1), n(2), n(3)))
    call set(grid, n, a)
    call set(grid, n, u)
    do step = 1, 5
      now => b
      mine%next => a
      if (mod(step, 2) == 1) now => a
      if (mod(step, 2) == 1) mine%next => b
      call hlc_halo_start(seen, fields=[2 - mod(step, 2)])
      call hlc_halo_finish_views(seen)
      call hlc_for_rows(seen, 2 - mod(step, 2), 1, heat, c_loc(mine), stencil=HLC_STENCIL_STAR)
      call hlc_halo_start(filled)
      call hlc_halo_finish(filled)
      next = 2 * u(1:n(1), 1:n(2), 1:n(3)) + u(0:n(1)-1, 1:n(2), 1:n(3)) + u(2:n(1)+1, 1:n(2), 1:n(3)) &
        + u(1:n(1), 0:n(2)-1, 1:n(3)) + u(1:n(1), 2:n(2)+1, 1:n(3)) + u(1:n(1), 1:n(2), 0:n(3)-1) + u(1:n(1), 1:n(2), 2:n(3)+1)
      u(1:n(1), 1:n(2), 1:n(3)) = next
      call expect(all(transfer(mine%next(1:n(1), 1:n(2), 1:n(3)), bytes) == transfer(next, bytes)), "a cell of the solver")
    end do
    call expect(.not. mine%shows_corner, "a star shows no rows that are offset twice")
    call hlc_halo_release(seen)
    call hlc_halo_finalise(seen)
    call hlc_halo_finalise(filled)
    call hlc_field_free(context, a)
    call hlc_field_free(context, b)
    call hlc_field_free(context, u)
    call end_test("a solver by rows on two fields is the one by index, mode " // mode)
  end subroutine

  subroutine set(grid, n, u)
    type(hlc_grid), intent(in) :: grid
    integer, intent(in) :: n(3)
    real(real64), pointer, intent(in) :: u(:, :, :)
    integer :: i, j, k
    do k = 1, n(3)
      do j = 1, n(2)
        do i = 1, n(1)
          u(i, j, k) = cell_number(int(grid%start(1)) + i, int(grid%start(2)) + j, int(grid%start(3)) + k)
        end do
      end do
    end do
  end subroutine

  subroutine test_refusals()
    type(hlc_halo) :: halo, none
    real(real64), pointer :: u(:, :)
    logical, target :: called
    integer :: code
    called = .false.
    call make_halo(context, 2, halo, u)
    call hlc_for_rows(halo, 1, [1, 1, 1], nobody, c_loc(called), status=code)
    call expect_error(code, HLC_ERR_ARGUMENT, "reach must be a scalar or an array of size 2", "too many reaches")
    call hlc_for_rows(halo, 1, 3, nobody, c_loc(called), status=code)
    call expect_error(code, HLC_ERR_ARGUMENT, "reach is 3", "a reach beyond the halo")
    call hlc_for_rows(halo, 1, -1, nobody, c_loc(called), status=code)
    call expect_error(code, HLC_ERR_ARGUMENT, "reach is -1", "a reach below 0")
    call hlc_for_rows(halo, 2, 1, nobody, c_loc(called), status=code)
    call expect_error(code, HLC_ERR_ARGUMENT, "field", "a field that is none")
    call hlc_for_rows(halo, 1, 1, nobody, c_loc(called), dim=3, status=code)
    call expect_error(code, HLC_ERR_ARGUMENT, "dim is 3 but must be 1 to 2", "a dimension that is none")
    call hlc_for_rows(halo, 1, 1, nobody, c_loc(called), dim=2, status=code)
    call expect_error(code, HLC_ERR_ARGUMENT, "stride", "cells that are not contiguous")
    call hlc_for_rows(halo, 1, 1, nobody, c_loc(called), stencil=5, status=code)
    call expect_error(code, HLC_ERR_ARGUMENT, "stencil is 5", "no stencil")
    call hlc_for_rows(none, 1, 1, nobody, c_loc(called), status=code)
    call expect_error(code, HLC_ERR_ARGUMENT, "halo", "no halo")
    call hlc_halo_start(halo)
    call hlc_for_rows(halo, 1, 1, nobody, c_loc(called), status=code)
    call expect_error(code, HLC_ERR_STATE, "flight", "a swap in flight")
    call hlc_halo_finish(halo)
    call expect(.not. called, "a refused walk shows no row")
    call hlc_for_rows(halo, 1, 1, nobody, c_loc(called))
    call expect(called, "the halo is as good as before")
    call free_halo(context, halo, u)
    call end_test("wrong walks are refused by name")
  end subroutine

  subroutine test_wrong_rows()
    type(hlc_halo) :: halo
    type(hlc_row) :: row
    real(real64), pointer :: u(:, :), cells(:)
    integer, target :: right
    integer :: code
    call make_halo(context, 2, halo, u)
    right = 0
    call hlc_for_rows(halo, 1, 1, ask_wrongly, c_loc(right))
    call expect(right == 5 * (ubound(u, 2) - 2), "answers to wrong questions")
    call hlc_row_cells(row, [0, 0], cells, code)
    call expect_error(code, HLC_ERR_ARGUMENT, "row is not one", "a row that nobody has shown")
    call free_halo(context, halo, u)
    call end_test("wrong rows are refused by name")
  end subroutine
end program rows_test
