! SPDX-License-Identifier: BSD-3-Clause
!> Index halos from Fortran in every mode, on a ring of ranks with four own entries and a ghost on each side: components along the first dimension and along the
!> last, subsets, reverse swaps, views, and wrong arguments in the caller's own counting.
program index_test
  use, intrinsic :: iso_fortran_env, only: int32, real64
  use halocline
  use testing
  implicit none

  integer, parameter :: own = 4, entries = own + 2, low = 1, high = entries
  type(hlc_context) :: context
  real(real64), pointer :: u(:, :)
  integer(int32), pointer :: k(:, :)
  integer :: m, below, above

  call start_tests(context)
  below = modulo(context%rank - 1, context%size)
  above = modulo(context%rank + 1, context%size)
  call hlc_field_alloc(context, u, [1, 1], [3, entries])
  call hlc_field_alloc(context, k, [1, 1], [entries, 2])
  do m = 1, size(all_modes)
    call test_ring(trim(all_modes(m)))
  end do
  call test_wrong_arguments()
  call hlc_field_free(context, u)
  call hlc_field_free(context, k)
  call finish_tests(context)

contains

  !> Component c of own entry i, 1 to own, of a rank.
  pure elemental integer function value(rank, c, i, step)
    integer, intent(in) :: rank, c, i, step
    value = 1 + c + 10 * (i + 10 * (rank + 100 * step))
  end function

  subroutine fill(step)
    integer, intent(in) :: step
    integer :: c, i
    u = -7
    k = -7
    do i = 1, own
      do c = 1, 3
        u(c, i + 1) = value(context%rank, c, i, step)
      end do
      do c = 1, 2
        k(i + 1, c) = value(context%rank, c + 5, i, step)
      end do
    end do
  end subroutine

  !> Side 1 faces the rank below, whose side 2 it is.
  function ring() result(neighbours)
    type(hlc_index_neighbour) :: neighbours(2)
    neighbours(1) = hlc_index_neighbour(rank=below, out=[2], in=[low], tag_out=1, tag_in=2)
    neighbours(2) = hlc_index_neighbour(rank=above, out=[own + 1], in=[high], tag_out=2, tag_in=1)
  end function

  subroutine test_ring(mode)
    character(len=*), intent(in) :: mode
    type(hlc_index_halo) :: halo
    type(hlc_plan_info) :: info
    integer :: step, c
    logical :: done
    call hlc_index_halo_init(context, ring(), [hlc_field_of(u, "u"), hlc_field_of(k, "k")], halo, entry_dims=[0, 1], mode=mode)
    do step = 1, 3
      call fill(step)
      call hlc_index_halo_start(halo)
      call hlc_index_halo_test(halo, done)
      call hlc_index_halo_finish(halo)
      call expect(all(nint(u(:, low)) == [(value(below, c, own, step), c = 1, 3)]), mode // ": u from below")
      call expect(all(nint(u(:, high)) == [(value(above, c, 1, step), c = 1, 3)]), mode // ": u from above")
      call expect(all(k(low, :) == [(value(below, c + 5, own, step), c = 1, 2)]), mode // ": k from below")
      call expect(all(k(high, :) == [(value(above, c + 5, 1, step), c = 1, 2)]), mode // ": k from above")
    end do
    call fill(4)
    call hlc_index_halo_start(halo, fields=[2])
    call hlc_index_halo_finish(halo)
    call expect(all(nint(u(:, low)) == -7) .and. k(low, 1) == value(below, 6, own, 4), mode // ": one field alone")
    call test_reverse(halo, mode)
    call test_view(halo, mode)
    call hlc_index_halo_info(halo, info)
    call expect(info%neighbours + info%self_copies == 2, mode // ": the plan has two neighbours")
    call hlc_index_halo_finalise(halo)
    call end_test("an index halo in mode " // mode)
  end subroutine

  subroutine test_reverse(halo, mode)
    type(hlc_index_halo), intent(inout) :: halo
    character(len=*), intent(in) :: mode
    call fill(5)
    u(:, low) = 1000000 * (context%rank + 1)
    u(:, high) = 3000000 * (context%rank + 1)
    call hlc_index_halo_start(halo, reverse=.true.)
    call hlc_index_halo_finish(halo)
    call expect(nint(u(2, 2)) == value(context%rank, 2, 1, 5) + 3000000 * (below + 1), mode // ": the ghost below is added")
    call expect(nint(u(2, own + 1)) == value(context%rank, 2, own, 5) + 1000000 * (above + 1), mode // ": the ghost above, too")
    call expect(all(nint(u(:, [low, high])) == 0), mode // ": ghosts become 0")
  end subroutine

  subroutine test_view(halo, mode)
    type(hlc_index_halo), intent(inout) :: halo
    character(len=*), intent(in) :: mode
    real(real64), pointer :: seen(:, :)
    integer(int32), pointer :: seen_k(:, :)
    type(hlc_index_run), allocatable :: runs(:)
    integer :: owner, c
    call fill(6)
    call hlc_index_halo_start(halo)
    call hlc_index_halo_finish_views(halo)
    call hlc_index_halo_view(halo, 1, 2, seen, runs, owner)
    call expect(owner == above .and. size(runs) == 1, mode // ": a view of one run")
    call expect(all(nint(seen(:, runs(1)%place)) == [(value(above, c, 1, 6), c = 1, 3)]), mode // ": a view of u")
    call hlc_index_halo_view(halo, 2, 1, seen_k, runs)
    call expect(all(seen_k(:, runs(1)%place) == [(value(below, c + 5, own, 6), c = 1, 2)]), mode // ": a view of k")
    call hlc_index_halo_release(halo)
  end subroutine

  subroutine test_wrong_arguments()
    type(hlc_index_halo) :: halo
    type(hlc_index_neighbour) :: neighbours(2)
    integer :: status
    neighbours = ring()
    if (context%rank == 0) neighbours(2)%in = [entries + 1]
    call hlc_index_halo_init(context, neighbours, [hlc_field_of(u), hlc_field_of(k)], halo, entry_dims=[2, 1], status=status)
    call expect_error(status, int(HLC_ERR_ARGUMENT), "neighbours[1].in[0] is 6", "an index out of range")
    call hlc_index_halo_init(context, ring(), [hlc_field_of(u), hlc_field_of(k)], halo, status=status)
    call expect_error(status, int(HLC_ERR_ARGUMENT), "field 2 has 2 entries, field 1 has 6", "fields of different lengths")
    call hlc_index_halo_init(context, ring(), [hlc_field_of(u)], halo, entry_dims=[3], status=status)
    call expect_error(status, int(HLC_ERR_ARGUMENT), "entry_dims(1) is 3 but must be 1 to 2", "a dimension that is none")
    call hlc_index_halo_init(context, ring(), [hlc_field_of(u)], halo)
    call hlc_index_halo_start(halo, fields=[2], status=status)
    call expect_error(status, int(HLC_ERR_ARGUMENT), "fields(1) is 2 but must be 1 to 1", "a field that is none")
    call hlc_index_halo_finish(halo, status)
    call expect_error(status, int(HLC_ERR_STATE), "no swap has been started", "finish without start")
    call hlc_index_halo_finalise(halo)
    call end_test("wrong arguments are named")
  end subroutine
end program index_test
