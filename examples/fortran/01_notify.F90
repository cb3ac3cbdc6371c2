! A put with a notification: a token goes round the ring of ranks, and each adds its number. There is no barrier.
! Build: gfortran 01_notify.F90 $(pkg-config --cflags --libs halocline-fortran) -o 01_notify
! Run:   mpiexec -n 4 ./01_notify    prints: 01_notify: 4 ranks, sum 6: ok
! SPDX-License-Identifier: BSD-3-Clause
program notify
  use, intrinsic :: iso_c_binding, only: c_f_pointer
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use halocline
  use halocline_mpi
  implicit none
  type(hlc_context) :: context
  type(hlc_segment) :: segment
  integer(int64), pointer :: mine
  integer(int64), asynchronous :: token
  integer(int64) :: got
  integer :: right, before
  real(real64) :: wrong

  call hlc_mpi_init()
  call hlc_init(hlc_mpi_world(), context)
  right = modulo(context%rank + 1, context%size)
  call hlc_segment_create(context, 8_int64, 1, segment)
  call c_f_pointer(hlc_segment_data(segment), mine)

  ! Rank 0 sends the token, all others receive it first. The notification never precedes its own data.
  got = 0
  if (context%rank > 0) call receive()
  token = got + context%rank
  call hlc_put_notify(segment, right, 0_int64, token, id=0, value=1_int32)
  if (context%rank == 0) call receive()
  call hlc_flush(segment, right) ! from here on token may be changed

  ! The token is the sum of all ranks before mine; on rank 0, where it returns, that of all ranks.
  before = merge(context%size, context%rank, context%rank == 0)

  wrong = merge(0, 1, got == before * (before - 1) / 2)
  call hlc_mpi_max(hlc_mpi_world(), wrong)
  if (context%rank == 0) print "(2(a,i0),2a)", "01_notify: ", context%size, " ranks, sum ", got, ": ", &
    trim(merge("WRONG", "ok   ", wrong > 0))
  call hlc_segment_free(segment)
  call hlc_finalise(context)
  call hlc_mpi_finalise()
  if (wrong > 0) error stop 1

contains

  !> Waits for notification 0, takes it, and reads the token that it announces.
  subroutine receive()
    integer :: id
    integer(int32) :: value
    call hlc_notify_wait(segment, 0, 1, id)
    call hlc_notify_reset(segment, id, value)
    got = mine
  end subroutine
end program notify
