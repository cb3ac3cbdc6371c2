! The Fortran interface of OpenSHMEM: a program as its users write it. Each PE checks what it gets.
! SPDX-License-Identifier: BSD-3-Clause
program fortran
  implicit none
  include 'mpp/shmem.fh'
  include 'mpp/shmemx.fh'
  integer, save :: from(4), to(4), sums(3), mine(3), gathered(64), lock = 0, counter = 0, root_value, from_root
  integer(8), save :: word = 0, long_sum, long_one = 1, sync_array(4)
  real(8), save :: table(4), work(4), total, part
  real(16), save :: wide(3), widest(3), wide_work(2)
  integer :: me, pes, next, previous, i, before
  integer(8) :: address
  integer :: error
  logical :: right
  ! Other PEs change these. A compiler may take other variables for unchanged by a call that does not have them as arguments.
  volatile :: to, table, counter, word, sums, gathered, from_root

  call start_pes(0)
  me = shmem_my_pe()
  pes = num_pes()
  next = mod(me + 1, pes)
  previous = mod(me + pes - 1, pes)
  from = [(100 * me + i, i = 1, 4)]
  call shmem_put4(to, from, 4, next)
  call shmem_real8_set(table, me + 0.5d0, next)
  call shmem_barrier_all()
  right = all(to == [(100 * previous + i, i = 1, 4)]) .and. table(1) == previous + 0.5d0
  call expect(right, 1)
  call shmem_put(table(3), table(1), 1, me)
  call expect(table(3) == table(1), 14)
  call shmem_get8(table(2), table(1), 1, next)
  call expect(table(2) == me + 0.5d0, 2)
  call shmem_barrier_all()
  call shmem_integer_iput(to, from, 2, 1, 2, next)
  call shmem_barrier_all()
  call expect(to(1) == 100 * previous + 1 .and. to(3) == 100 * previous + 2, 3)

  call shmem_int4_add(counter, 2, 0)
  call shmem_barrier_all()
  call expect(shmem_int4_fetch(counter, 0) == 2 * pes, 4)
  call shmem_int8_set(word, 7_8, next)
  call shmem_int8_wait_until(word, SHMEM_CMP_EQ, 7_8)
  call expect(shmem_int8_fadd(word, 1_8, me) == 7, 5)
  call shmem_barrier_all()

  mine = [me, 2 * me, 1]
  call shmem_int4_sum_to_all(sums, mine, 3, 0, 0, pes, gathered, sync_array)
  call expect(all(sums == [pes * (pes - 1) / 2, pes * (pes - 1), pes]), 6)
  part = me + 1
  call shmem_real8_max_to_all(total, part, 1, 0, 0, pes, work, sync_array)
  call expect(total == pes, 7)
  call shmem_int8_sum_to_all(long_sum, long_one, 1, 0, 0, pes, work, sync_array)
  call expect(long_sum == pes, 8)
  ! A third has other digits than in 8 bytes.
  wide = [real(16) :: me + 1, -me, 1.0_16 / 3]
  call shmem_real16_max_to_all(widest, wide, 3, 0, 0, pes, wide_work, sync_array)
  call expect(all(widest == [real(16) :: pes, 0, 1.0_16 / 3]), 15)
  call shmem_real16_min_to_all(widest, wide, 2, 0, 0, pes, wide_work, sync_array)
  call expect(all(widest == [real(16) :: 1, 1 - pes, 1.0_16 / 3]), 16)
  call shmem_real16_prod_to_all(widest, wide, 1, 0, 0, pes, wide_work, sync_array)
  call expect(widest(1) == product([(i, i = 1, pes)]), 17)
  call shmem_real16_sum_to_all(wide, wide, 3, 0, 0, pes, wide_work, sync_array)
  call expect(abs(wide(3) - pes / 3.0_16) < 1.0e-30_16 .and. wide(1) == pes * (pes + 1) / 2, 18)
  call shmem_barrier_all()
  call shmem_fcollect4(gathered, mine, 1, 0, 0, pes, sync_array)
  call expect(all(gathered(1:pes) == [(i, i = 0, pes - 1)]), 9)
  root_value = 50 + me
  from_root = -1
  call shmem_barrier_all()
  call shmem_broadcast4(from_root, root_value, 1, 0, 0, 0, pes, sync_array)
  call expect(from_root == merge(-1, 50, me == 0), 10)

  do i = 1, 20
    call shmem_set_lock(lock)
    call shmem_get4(before, counter, 1, 0)
    call shmem_put4(counter, [before + 1], 1, 0)
    call shmem_clear_lock(lock)
  end do
  call shmem_barrier_all()
  call expect(shmem_int4_fetch(counter, 0) == 22 * pes, 11)
  call shpalloc(address, 100, error, 1)
  call expect(error == 0 .and. address /= 0, 12)
  call shpdeallc(address, error, 1)
  call expect(error == 0, 13)
  call shmem_finalize()
  if (me == 0) print '(a)', '1 passed, 0 failed, 0 skipped'

contains

  subroutine expect(is_right, number)
    logical, intent(in) :: is_right
    integer, intent(in) :: number
    if (is_right) return
    print *, 'PE', me, ': check', number, 'failed'
    call shmem_global_exit(1)
  end subroutine expect
end program fortran
