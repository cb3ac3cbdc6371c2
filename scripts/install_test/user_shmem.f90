! An OpenSHMEM program of Fortran as its users write it: a put and a flag around a ring.
! SPDX-License-Identifier: BSD-3-Clause
program user_shmem
  implicit none
  include 'shmem.fh'
  integer(4), save, volatile :: into(100)
  integer(8), save, volatile :: flag = 0
  integer :: me, pes, right, left, i

  call shmem_init()
  me = shmem_my_pe()
  pes = shmem_n_pes()
  right = mod(me + 1, pes)
  left = mod(me + pes - 1, pes)
  call shmem_put4(into, [(1000 * (me + 1) + i, i = 1, 100)], 100, right)
  call shmem_fence()
  call shmem_int8_set(flag, 1_8, right)
  call shmem_int8_wait_until(flag, SHMEM_CMP_EQ, 1_8)
  if (any(into /= [(1000 * (left + 1) + i, i = 1, 100)])) call shmem_global_exit(1)
  print '(a,i0,a,i0,a)', 'rank ', me, ' of ', pes, ' sees its neighbour'
  call shmem_finalize()
end program user_shmem
