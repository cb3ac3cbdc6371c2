! Coarrays on MPI RMA: strided and indexed puts and gets, atomics, locks, critical sections, events, sync images, allocatable coarrays and
! collective subroutines. Each check has a known result on any number of images. coarray_teams.f90 has teams.
! SPDX-License-Identifier: BSD-3-Clause
program coarrays
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind, event_type, lock_type, int64, real64, output_unit, error_unit
  implicit none
  integer, parameter :: n = 64
  real(real64) :: a(n, n)[*]
  integer :: table(n)[*]
  integer(atomic_int_kind) :: counter[*], flag[*]
  integer :: guarded[*]
  type(lock_type) :: gate[*]
  type(event_type) :: arrived[*]
  real(real64), allocatable :: work(:)[:]
  integer :: me, images, next, previous, wrong

  me = this_image()
  images = num_images()
  next = merge(1, me + 1, me == images)
  previous = merge(images, me - 1, me == 1)
  wrong = 0
  call contiguous_puts()
  call strided_puts()
  call strided_gets()
  call indexed_gets()
  call indexed_puts()
  call atomics()
  call swaps()
  call locks()
  call critical_sections()
  call events()
  call neighbours()
  call allocatables()
  call reductions()
  sync all
  if (wrong > 0) error stop 1
  if (me == 1) write (output_unit, '(a, i0, a)') 'coarrays: all right on ', images, ' images'
contains

  subroutine check(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (right) return
    wrong = wrong + 1
    write (error_unit, '(a, i0, 2a)') 'image ', me, ': wrong: ', what
  end subroutine check

  !> A value that names its writer and its place.
  elemental real(real64) function cell(image, i, j)
    integer, intent(in) :: image, i, j
    cell = image * 1.0e6_real64 + i * 1.0e3_real64 + j
  end function cell

  subroutine fill()
    integer :: i, j
    do j = 1, n
      do i = 1, n
        a(i, j) = cell(me, i, j)
      end do
    end do
    sync all
  end subroutine fill

  subroutine contiguous_puts()
    a = 0
    sync all
    a(:, 3)[next] = cell(me, 1, 3)
    a(5:9, 7)[next] = [1.0_real64, 2.0_real64, 3.0_real64, 4.0_real64, 5.0_real64]
    sync all
    call check(all(a(:, 3) == cell(previous, 1, 3)), 'a column put by the previous image')
    call check(all(a(5:9, 7) == [1, 2, 3, 4, 5]), 'five cells put by the previous image')
    call check(all(a(:, 4) == 0), 'a column that nobody wrote')
    sync all
  end subroutine contiguous_puts

  subroutine strided_puts()
    a = 0
    sync all
    a(2, :)[next] = cell(me, 2, 0)
    a(10:n:7, 1:n:5)[next] = cell(me, 10, 5)
    sync all
    call check(all(a(2, :) == cell(previous, 2, 0)), 'a row put by the previous image')
    call check(all(a(10:n:7, 1:n:5) == cell(previous, 10, 5)), 'a lattice of cells put by the previous image')
    call check(count(a /= 0) == n + size(a(10:n:7, 1:n:5)), 'cells between those that were put')
    sync all
  end subroutine strided_puts

  subroutine strided_gets()
    real(real64) :: row(n), part(4, 3)
    integer :: j
    call fill()
    row = a(11, :)[next]
    call check(all(row == [(cell(next, 11, j), j = 1, n)]), 'a row of the next image')
    part = a(1:7:2, 20:24:2)[next]
    call check(part(3, 2) == cell(next, 5, 22), 'a lattice of cells of the next image')
    row = a(n:1:-1, 6)[next]
    call check(all(row == [(cell(next, n + 1 - j, 6), j = 1, n)]), 'a column of the next image, backwards')
    sync all
  end subroutine strided_gets

  !> In one dimension: gfortran 12 reads from the first column where a scalar subscript follows the list.
  subroutine indexed_gets()
    integer :: places(5), got(5), i
    table = [(me * 1000 + i, i = 1, n)]
    sync all
    places = [7, 3, 50, 51, 12]
    got = table(places)[next]
    call check(all(got == next * 1000 + places), 'cells of the next image by a list')
    sync all
  end subroutine indexed_gets

  subroutine indexed_puts()
    integer :: places(5), expected(n)
    table = 0
    expected = 0
    sync all
    places = [41, 2, 63, 17, 30]
    table(places)[next] = me * 1000 + places
    sync all
    expected(places) = previous * 1000 + places
    call check(all(table == expected), 'cells put by the previous image by a list')
    sync all
  end subroutine indexed_puts

  !> Without atomic_fetch_add: OpenCoarrays 2.10.1 leaves its old value as it was.
  subroutine atomics()
    integer(atomic_int_kind) :: value
    integer :: i
    call atomic_define(counter, 0_atomic_int_kind)
    sync all
    do i = 1, 100
      call atomic_add(counter[1], 1_atomic_int_kind)
    end do
    sync all
    call atomic_ref(value, counter[1])
    call check(value == 100 * images, 'the sum of all images')
    sync all
  end subroutine atomics

  subroutine swaps()
    integer(atomic_int_kind) :: old
    integer :: turns
    call atomic_define(flag, 1_atomic_int_kind)
    sync all
    turns = 0
    do
      call atomic_cas(flag[1], old, int(me, atomic_int_kind), int(me + 1, atomic_int_kind))
      if (old == me) exit
      turns = turns + 1
      if (turns > 100000000) exit
    end do
    sync all
    call atomic_ref(old, flag[1])
    call check(old == images + 1, 'turns by compare and swap')
    sync all
  end subroutine swaps

  subroutine locks()
    integer :: i, seen
    guarded = 0
    sync all
    do i = 1, 50
      lock (gate[1])
      seen = guarded[1]
      guarded[1] = seen + 1
      unlock (gate[1])
    end do
    sync all
    call check(guarded[1] == 50 * images, 'a sum under a lock')
    sync all
  end subroutine locks

  subroutine critical_sections()
    integer :: i, seen
    guarded = 0
    sync all
    do i = 1, 20
      critical
        seen = guarded[images]
        guarded[images] = seen + 1
      end critical
    end do
    sync all
    call check(guarded[images] == 20 * images, 'a sum in a critical section')
    sync all
  end subroutine critical_sections

  subroutine events()
    integer :: number
    table = 0
    sync all
    table(1)[next] = 100 + me
    event post (arrived[next])
    event wait (arrived)
    call check(table(1) == 100 + previous, 'a value that an event announces')
    call event_query(arrived, number)
    call check(number == 0, 'the count of an event after its wait')
    sync all
  end subroutine events

  subroutine neighbours()
    integer :: step
    table = 0
    sync all
    do step = 1, 200
      table(step - step / n * n + 1)[next] = step * 1000 + me
      call sync_with_neighbours()
      call check(table(step - step / n * n + 1) == step * 1000 + previous, 'a step of a ring')
      call sync_with_neighbours()
    end do
    sync all
  end subroutine neighbours

  !> An image may stand in the list once only.
  subroutine sync_with_neighbours()
    if (images == 2) sync images (next)
    if (images > 2) sync images ([next, previous])
  end subroutine sync_with_neighbours

  subroutine allocatables()
    integer :: i
    do i = 1, 20
      allocate (work(i * 10)[*])
      work(:) = me + i
      sync all
      call check(all(work(:)[next] == next + i), 'an allocatable coarray of the next image')
      sync all
      deallocate (work)
    end do
  end subroutine allocatables

  subroutine reductions()
    integer :: total, largest
    real(real64) :: values(3)
    total = me
    call co_sum(total)
    call check(total == images * (images + 1) / 2, 'co_sum')
    largest = me
    call co_max(largest)
    call check(largest == images, 'co_max')
    values = me
    call co_broadcast(values, source_image=images)
    call check(all(values == images), 'co_broadcast')
  end subroutine reductions
end program coarrays
