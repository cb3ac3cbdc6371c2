! SPDX-License-Identifier: BSD-3-Clause
!> The stencil of test_rows.
module rows
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_ptr
  use, intrinsic :: iso_fortran_env, only: real64
  use halocline
  implicit none
  public

contains

  !> Adds the cells of a row and of the one below it.
  subroutine add_up(row, user)
    type(hlc_row), intent(in) :: row
    type(c_ptr), intent(in) :: user
    real(real64), pointer :: total, own(:), south(:)
    call c_f_pointer(user, total)
    call hlc_row_cells(row, [0, 0], own)
    call hlc_row_cells(row, [0, -1], south)
    total = total + sum(own) + sum(south)
  end subroutine
end module rows

!> Start, finish, reductions and rows allocate nothing in the binding, whatever their optional arguments; and the counter that says so can count.
program allocation_test
  use, intrinsic :: iso_c_binding, only: c_int, c_loc
  use, intrinsic :: iso_fortran_env, only: real64
  use halocline
  use halocline_mpi
  use rows
  use testing
  implicit none

  interface
    subroutine count_allocations_from_here() bind(C)
    end subroutine
    function allocations_until_here(total) result(found) bind(C)
      import :: c_int
      integer(c_int), intent(out) :: total
      integer(c_int) :: found
    end function
    function allocations_can_be_counted() result(can) bind(C)
      import :: c_int
      integer(c_int) :: can
    end function
  end interface

  type(hlc_context) :: context
  integer :: m

  call start_tests(context)
  if (allocations_can_be_counted() == 0) then
    call skip("start and finish allocate nothing", "the sanitizer of this build brings its own malloc")
  else
    call test_counter()
    do m = 1, size(all_modes)
      call test_swaps(trim(all_modes(m)))
    end do
    call test_reductions()
    call test_rows()
  end if
  call finish_tests(context)

contains

  subroutine test_rows()
    type(hlc_grid) :: grid
    type(hlc_halo) :: halo
    real(real64), pointer :: u(:, :)
    real(real64), target :: total
    integer :: found, seen
    nullify (u)
    call hlc_grid_create(context, [6 * context%size, 6], grid, dims=[0, 1], periodic=[.true., .true.])
    call hlc_field_alloc(context, u, grid, 1)
    call hlc_halo_init(context, grid, [hlc_field_of(u)], 1, halo, mode="view")
    u = 1
    total = 0
    call count_allocations_from_here()
    call hlc_halo_start(halo)
    call hlc_halo_finish_views(halo)
    call hlc_for_rows(halo, 1, [0, 1], add_up, c_loc(total))
    call hlc_halo_release(halo)
    found = allocations_until_here(seen)
    call expect(nint(total) == 2 * 36, "the cells of all rows")
    call expect(found == 0 .and. seen == 0, "somebody allocated")
    call hlc_halo_finalise(halo)
    call hlc_field_free(context, u)
    call end_test("rows allocate nothing")
  end subroutine

  !> Few elements and many.
  subroutine test_reductions()
    type(hlc_allreduce) :: few, many
    real(real64), allocatable :: data(:)
    integer :: step, found, total
    allocate (data(30000))
    data = context%rank + 1
    call hlc_allreduce_create(context, data(1:5), HLC_REDUCE_MAX, few)
    call hlc_allreduce_create(context, data, HLC_REDUCE_MAX, many)
    call count_allocations_from_here()
    do step = 1, 3
      call hlc_allreduce_in_place(few, data(1:5))
      call hlc_allreduce_in_place(many, data)
    end do
    found = allocations_until_here(total)
    call expect(all(nint(data) == context%size), "the greatest number of all")
    call expect(found == 0, "the binding allocated")
    call hlc_allreduce_destroy(few)
    call hlc_allreduce_destroy(many)
    call end_test("a reduction allocates nothing in the binding")
  end subroutine

  !> hlc_status_name returns an allocatable string, which the binding has to allocate.
  subroutine test_counter()
    integer :: found, total, length
    call count_allocations_from_here()
    length = len(hlc_status_name(HLC_ERR_STATE))
    found = allocations_until_here(total)
    call expect(length > 0 .and. found > 0, "an allocation of the binding was not seen")
    call end_test("the counter sees an allocation of the binding")
  end subroutine

  subroutine test_swaps(mode)
    character(len=*), intent(in) :: mode
    type(hlc_grid) :: grid
    type(hlc_halo) :: halo
    real(real64), pointer :: u(:, :), v(:, :)
    integer :: step, found, total, chosen(4)
    nullify (u, v)
    call hlc_grid_create(context, [6 * context%size, 6], grid, dims=[0, 1], periodic=[.true., .true.])
    call hlc_field_alloc(context, u, grid, 1)
    call hlc_field_alloc(context, v, grid, 1)
    call hlc_halo_init(context, grid, [hlc_field_of(u), hlc_field_of(v)], 1, halo, mode=mode, rebind=.true.)
    chosen = [1, 0, 2, 0]
    call count_allocations_from_here()
    do step = 1, 5
      call hlc_halo_start(halo)
      call hlc_halo_finish(halo)
      call hlc_halo_start(halo, fields=chosen(1::2), dim=1, side=HLC_SIDE_LOW)
      call hlc_halo_finish(halo)
      call hlc_halo_start(halo, fields=[2], reverse=.true.)
      call hlc_halo_finish(halo)
      call hlc_halo_start_with(halo, [hlc_field_of(v), hlc_field_of(u)])
      call hlc_halo_finish(halo)
    end do
    found = allocations_until_here(total)
    call hlc_halo_finalise(halo)
    call hlc_field_free(context, u)
    call hlc_field_free(context, v)
    call expect(found == 0, "the binding allocated")
    if (any(mode == [character(len=11) :: "notify", "direct", "view", "notify_node"])) &
      call expect(total == 0, "somebody allocated in a mode that needs no MPI")
    call end_test("mode " // mode // ": start and finish allocate nothing in the binding")
  end subroutine
end program allocation_test
