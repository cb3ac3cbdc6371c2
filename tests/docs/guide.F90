! The blocks of Fortran in docs/guide, and what they take for granted. scripts/readme.py compares the lines.
! SPDX-License-Identifier: BSD-3-Clause
module guide_parts
  use, intrinsic :: iso_c_binding, only: c_double, c_f_pointer, c_int64_t, c_loc, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use halocline
  use halocline_mpi
  implicit none

  type :: out_field
    real(real64), pointer :: u(:, :)
  end type

  type, bind(C) :: extreme
    real(c_double) :: value
    integer(c_int64_t) :: rank
  end type

  type(hlc_context) :: context
  logical :: all_right = .true.

contains

  subroutine expect(right, what)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what
    if (.not. right) print "(a, i0, 2a)", "rank ", context%rank, ": wrong: ", what
    all_right = all_right .and. right
  end subroutine

  !> What the owner of a cell writes there; the domain is joined at all sides.
  elemental real(real64) function value_of(grid, i, j)
    type(hlc_grid), intent(in) :: grid
    integer, intent(in) :: i, j
    integer(int64) :: x, y
    x = modulo(grid%start(1) + i - 2, grid%global(1))
    y = modulo(grid%start(2) + j - 2, grid%global(2))
    value_of = 1000 * (x + 1) + (y + 1)**2
  end function

  subroutine fill(grid, u)
    type(hlc_grid), intent(in) :: grid
    real(real64), intent(inout) :: u(0:, 0:)
    integer :: i, j
    u = 0
    do j = 1, int(grid%local(2))
      do i = 1, int(grid%local(1))
        u(i, j) = value_of(grid, i, j)
      end do
    end do
  end subroutine

  !> Sum of the halo cells of both dimensions, without corners, as they should be.
  real(real64) function halo_sum(grid)
    type(hlc_grid), intent(in) :: grid
    integer :: i, j, nx, ny
    nx = int(grid%local(1))
    ny = int(grid%local(2))
    halo_sum = sum([(value_of(grid, 0, j) + value_of(grid, nx + 1, j), j = 1, ny)]) + &
      sum([(value_of(grid, i, 0) + value_of(grid, i, ny + 1), i = 1, nx)])
  end function

  subroutine smooth(row, user)                         ! in a module; the interface is hlc_row_body
    type(hlc_row), intent(in) :: row
    type(c_ptr), intent(in) :: user
    type(out_field), pointer :: out                    ! has out%u(:, :)
    real(real64), pointer :: own(:), south(:), north(:)
    integer :: i
    call c_f_pointer(user, out)
    call hlc_row_cells(row, [0, 0], own)
    call hlc_row_cells(row, [0, -1], south)            ! south(i) is what u(i, j - 1) would be
    call hlc_row_cells(row, [0, 1], north)
    do i = int(row%first(1)), int(row%first(1) + row%count - 1)
      out%u(i, row%first(2)) = own(i - 1) + own(i + 1) + south(i) + north(i) - 4 * own(i)
    end do
  end subroutine

  subroutine read_views()
    type(hlc_grid) :: grid
    type(hlc_halo) :: halo
    type(out_field), target :: out
    real(real64), pointer :: field(:, :)
    real(real64), pointer :: u(:, :), west(:, :)
    integer :: owner, i, j, nx, ny
    logical :: right
    call hlc_grid_create(context, [8, 6], grid, periodic=[.true., .true.])
    call hlc_field_alloc(context, field, grid, depth=1)
    nx = int(grid%local(1))
    ny = int(grid%local(2))
    allocate (out%u(nx, ny))
    call fill(grid, field)
    call hlc_halo_init(context, grid, [hlc_field_of(field)], 1, halo, mode="view")
    call hlc_halo_start(halo)
    call hlc_halo_finish_views(halo)
    call hlc_halo_view(halo, 1, [0, 0], u)              ! field 1 of the plan; the block itself
    call hlc_halo_view(halo, 1, [-1, 0], west, owner)   ! west(0, j) is what u(0, j) would be
    right = owner >= 0 .and. owner < context%size
    do j = 1, ny
      right = right .and. west(0, j) == value_of(grid, 0, j) .and. u(1, j) == value_of(grid, 1, j)
    end do
    call expect(right, "a view")
    call hlc_for_rows(halo, 1, 1, smooth, c_loc(out), stencil=HLC_STENCIL_STAR)   ! field 1, reach 1
    do j = 1, ny
      do i = 1, nx
        right = right .and. out%u(i, j) == value_of(grid, i - 1, j) + value_of(grid, i + 1, j) + value_of(grid, i, j - 1) + &
          value_of(grid, i, j + 1) - 4 * value_of(grid, i, j)
      end do
    end do
    call expect(right, "a stencil by rows")
    call hlc_halo_release(halo)
    call hlc_halo_finalise(halo)
    call hlc_field_free(context, field)
    deallocate (out%u)
  end subroutine

  subroutine other_arrays()
    type(hlc_grid) :: grid
    type(hlc_halo) :: halo
    real(real64), pointer :: u(:, :), v(:, :), u_new(:, :)
    integer :: nx, ny
    call hlc_grid_create(context, [8, 6], grid, periodic=[.true., .true.])
    nx = int(grid%local(1))
    ny = int(grid%local(2))
    call hlc_field_alloc(context, u, grid, depth=1)
    call hlc_field_alloc(context, v, grid, depth=1)
    call hlc_field_alloc(context, u_new, grid, depth=1)
    call fill(grid, v)
    call fill(grid, u_new)
    call hlc_halo_init(context, grid, [hlc_field_of(u), hlc_field_of(v)], 1, halo, rebind=.true.)
    call hlc_halo_start_with(halo, [hlc_field_of(u_new), hlc_field()])   ! hlc_field(): the field of init
    call hlc_halo_finish(halo)
    call expect(sum(u) == 0, "an array that is not swapped now")
    call expect(faces(u_new, nx, ny) == halo_sum(grid) .and. faces(v, nx, ny) == halo_sum(grid), "another array")
    call hlc_halo_finalise(halo)
    call hlc_field_free(context, u)
    call hlc_field_free(context, v)
    call hlc_field_free(context, u_new)
  end subroutine

  real(real64) function faces(u, nx, ny)
    integer, intent(in) :: nx, ny
    real(real64), intent(in) :: u(0:nx + 1, 0:ny + 1)
    faces = sum(u(0, 1:ny)) + sum(u(nx + 1, 1:ny)) + sum(u(1:nx, 0)) + sum(u(1:nx, ny + 1))
  end function

  subroutine notified_put()
    real(real64), asynchronous :: edge(2)
    real(real64), pointer :: part(:)
    integer, parameter :: step = 5
    integer :: right, left, id, value
    type(hlc_segment) :: segment
    right = modulo(context%rank + 1, context%size)
    left = modulo(context%rank - 1, context%size)
    edge = [real(context%rank, real64), 7.0_real64]
    call hlc_segment_create(context, 4096_int64, 2, segment)
    call hlc_put_notify(segment, right, 0_int64, edge, id=0, value=step)   ! edge is asynchronous: it is read until a flush
    call hlc_notify_wait(segment, first=0, count=1, id=id)
    call hlc_notify_reset(segment, id, value)
    call c_f_pointer(hlc_segment_data(segment), part, [2])
    call expect(value == step .and. nint(part(1)) == left .and. nint(part(2)) == 7, "a notified put")
    call hlc_flush(segment, right)
    call hlc_segment_free(segment)
  end subroutine

  subroutine hottest(in, inout, count, user) bind(C)   ! in a module; the interface is hlc_reduce
    type(c_ptr), value :: in, inout, user
    integer(c_int64_t), value :: count
    type(extreme), pointer :: later(:), sooner(:)
    integer(c_int64_t) :: i
    call c_f_pointer(in, later, [count])
    call c_f_pointer(inout, sooner, [count])
    do i = 1, count                                    ! equal values: the lower rank
      if (later(i)%value > sooner(i)%value .or. &
          (later(i)%value == sooner(i)%value .and. later(i)%rank < sooner(i)%rank)) sooner(i) = later(i)
    end do
  end subroutine

  subroutine reductions()
    real(real64) :: mine(2), total(2)
    type(extreme) :: extremes(1)
    integer :: ranks
    type(hlc_allreduce) :: plan, extreme_plan
    ranks = context%size
    mine = [1, context%rank]
    call hlc_allreduce_create(context, mine, HLC_REDUCE_SUM, plan)   ! like is mine
    call hlc_allreduce_run(plan, mine, total)
    call hlc_allreduce_in_place(plan, mine)                          ! for one array that is both
    call hlc_allreduce_create(context, extremes, HLC_REDUCE_USER, extreme_plan, hottest)   ! elements of a derived type, a bind(C) procedure
    call expect(all(nint(total) == [ranks, ranks * (ranks - 1) / 2]) .and. all(nint(mine) == nint(total)), "a sum")
    ! The last rank and the one before it are the hottest.
    extremes(1) = extreme(merge(7.0_c_double, 1.0_c_double, context%rank >= ranks - 2), int(context%rank, c_int64_t))
    call hlc_allreduce_in_place(extreme_plan, extremes)
    call expect(nint(extremes(1)%value) == 7 .and. extremes(1)%rank == max(ranks - 2, 0), "the largest value and its rank")
    call hlc_allreduce_destroy(extreme_plan)
    call hlc_allreduce_destroy(plan)
  end subroutine
end module guide_parts

program guide
  use guide_parts
  implicit none
  real(real64) :: wrong
  call hlc_mpi_init()
  call hlc_init(hlc_mpi_world(), context)
  call read_views()
  call other_arrays()
  call notified_put()
  call reductions()
  wrong = merge(0, 1, all_right)
  call hlc_mpi_max(hlc_mpi_world(), wrong)
  if (context%rank == 0) print "(2a)", "the guide's Fortran: ", trim(merge("WRONG", "right", wrong > 0))
  call hlc_finalise(context)
  call hlc_mpi_finalise()
  if (wrong > 0) error stop 1
end program guide
