! One put: each rank writes its number into the segment of the rank to its right, and a barrier says that all have arrived.
! Build: gfortran 00_hello_put.F90 $(pkg-config --cflags --libs halocline-fortran) -o 00_hello_put
! Run:   mpiexec -n 4 ./00_hello_put    prints: 00_hello_put: 4 ranks, rank 0 got 3: ok
! SPDX-License-Identifier: BSD-3-Clause
program hello_put
  use, intrinsic :: iso_c_binding, only: c_f_pointer
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use halocline
  use halocline_mpi
  implicit none
  type(hlc_context) :: context
  type(hlc_segment) :: segment
  integer(int64), pointer :: mine
  integer(int64), asynchronous :: number
  integer :: left, right
  real(real64) :: wrong

  call hlc_mpi_init()
  call hlc_init(hlc_mpi_world(), context)
  left = modulo(context%rank - 1, context%size)
  right = modulo(context%rank + 1, context%size)

  ! A segment is memory of each rank that every rank may write to. Here each gives eight bytes.
  call hlc_segment_create(context, 8_int64, 0, segment)
  call c_f_pointer(hlc_segment_data(segment), mine)

  ! After the flush my number is in the right rank's part. After the barrier the left rank's number is in mine.
  number = context%rank
  call hlc_put(segment, right, 0_int64, number)
  call hlc_flush(segment, right)
  call hlc_barrier(segment)

  wrong = merge(0, 1, mine == left)
  call hlc_mpi_max(hlc_mpi_world(), wrong)
  if (context%rank == 0) print "(2(a,i0),2a)", "00_hello_put: ", context%size, " ranks, rank 0 got ", mine, ": ", &
    trim(merge("WRONG", "ok   ", wrong > 0))
  call hlc_segment_free(segment)
  call hlc_finalise(context)
  call hlc_mpi_finalise()
  if (wrong > 0) error stop 1
end program hello_put
