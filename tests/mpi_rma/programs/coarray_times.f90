! How long single coarray operations take: a put of 40 bytes to the next image, and an atomic add to a counter of image 2. First image 1 works
! alone and the others wait, then all work at once. Every result is checked. Prints the median of some batches in microseconds.
! SPDX-License-Identifier: BSD-3-Clause
program coarray_times
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind, int64, real64, output_unit
  implicit none
  integer, parameter :: batches = 21, operations = 2000, numbers = 5
  real(real64) :: a(numbers)[*]
  integer(atomic_int_kind) :: counter[*]
  real(real64) :: times(batches)
  integer :: me, images

  me = this_image()
  images = num_images()
  if (images < 2) error stop 'coarray_times takes two images'
  a = -1
  sync all
  call time_puts(1)
  call report('put of 40 bytes')
  call time_puts(images)
  call report('put of 40 bytes, all at once')
  call time_adds(1)
  call report('atomic add')
  call time_adds(images)
  call report('atomic add, all at once')
  if (me == 1) write (output_unit, '(a, i0, a)') 'coarray times: all right on ', images, ' images'
contains

  real(real64) function seconds()
    integer(int64) :: ticks, rate
    call system_clock(ticks, rate)
    seconds = real(ticks, real64) / real(rate, real64)
  end function seconds

  !> The images up to `last` work.
  subroutine time_puts(last)
    integer, intent(in) :: last
    real(real64) :: values(numbers), begin
    integer :: batch, i, next, previous
    next = merge(1, me + 1, me == images)
    previous = merge(images, me - 1, me == 1)
    do batch = 1, batches
      begin = seconds()
      do i = 1, operations
        if (me > last) exit
        values = [1, 2, 3, 4, 5] + 10.0_real64 * i + batch + me
        a(:)[next] = values
      end do
      times(batch) = (seconds() - begin) / operations
      sync all
      if (previous <= last) then
        if (any(a /= [1, 2, 3, 4, 5] + 10.0_real64 * operations + batch + previous)) error stop 'a put did not arrive'
      end if
      sync all
    end do
  end subroutine time_puts

  subroutine time_adds(last)
    integer, intent(in) :: last
    real(real64) :: begin
    integer(atomic_int_kind) :: sum
    integer :: batch, i
    call atomic_define(counter, 0_atomic_int_kind)
    sync all
    do batch = 1, batches
      begin = seconds()
      do i = 1, operations
        if (me > last) exit
        call atomic_add(counter[2], 1_atomic_int_kind)
      end do
      times(batch) = (seconds() - begin) / operations
      sync all
      call atomic_ref(sum, counter[2])
      if (sum /= batch * operations * last) error stop 'the sum of atomic adds is wrong'
      sync all
    end do
  end subroutine time_adds

  subroutine report(what)
    character(*), intent(in) :: what
    if (me == 1) write (output_unit, '(3a, f12.4, a)') 'time: ', what, ': ', 1.0e6_real64 * median(), ' us'
  end subroutine report

  real(real64) function median()
    integer :: i
    median = 0
    do i = 1, batches
      if (2 * count(times < times(i)) < batches .and. 2 * count(times <= times(i)) > batches) median = times(i)
    end do
  end function median
end program coarray_times
