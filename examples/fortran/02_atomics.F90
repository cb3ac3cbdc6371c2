! Atomics in a segment: all ranks count themselves at rank 0, and compare-and-swap elects the one that adds 100.
! Build: gfortran 02_atomics.F90 $(pkg-config --cflags --libs halocline-fortran) -o 02_atomics
! Run:   mpiexec -n 4 ./02_atomics    prints: 02_atomics: 4 ranks, counter 104: ok
! SPDX-License-Identifier: BSD-3-Clause
program atomics
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use halocline
  use halocline_mpi
  implicit none
  type(hlc_context) :: context
  type(hlc_segment) :: segment
  integer(int64), parameter :: counter = 0, leader = 8
  integer(int64) :: ticket, former, count, old
  logical :: right
  real(real64) :: wrong

  call hlc_mpi_init()
  call hlc_init(hlc_mpi_world(), context)

  ! Two numbers of rank 0, both 0 at first; the other ranks give no memory.
  call hlc_segment_create(context, merge(16_int64, 0_int64, context%rank == 0), 0, segment)

  ! Each rank adds 1. The previous value of the counter is a number that no other rank gets.
  call hlc_atomic_fetch_add(segment, 0, counter, 1_int64, ticket)

  ! The one rank that finds 0 is the leader: it has put its rank + 1 there in the same step. It adds 100.
  call hlc_atomic_compare_swap(segment, 0, leader, 0_int64, context%rank + 1_int64, former)
  if (former == 0) call hlc_atomic_fetch_add(segment, 0, counter, 100_int64, old)

  ! An atomic is complete when it returns, so after the barrier all have counted. Adding 0 reads.
  call hlc_barrier(segment)
  call hlc_atomic_fetch_add(segment, 0, counter, 0_int64, count)

  right = count == context%size + 100 .and. modulo(ticket, 100_int64) < context%size
  right = right .and. former >= 0 .and. former <= context%size

  wrong = merge(0, 1, right)
  call hlc_mpi_max(hlc_mpi_world(), wrong)
  if (context%rank == 0) print "(2(a,i0),2a)", "02_atomics: ", context%size, " ranks, counter ", count, ": ", &
    trim(merge("WRONG", "ok   ", wrong > 0))
  call hlc_segment_free(segment)
  call hlc_finalise(context)
  call hlc_mpi_finalise()
  if (wrong > 0) error stop 1
end program atomics
