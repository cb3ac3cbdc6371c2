! GASPI: gaspi_write_notify sends a token round the ring of ranks, and each adds its number. MPI is not used directly.
! Build: gfortran 07_gaspi.F90 $(pkg-config --cflags --libs halocline-gaspi) -o 07_gaspi
! Run:   mpiexec -n 4 ./07_gaspi    prints: 07_gaspi: 4 ranks, sum 6: ok
! SPDX-License-Identifier: BSD-3-Clause
program ring
  use GASPI
  implicit none
  integer(gaspi_segment_id_t), parameter :: segment = 0
  integer(gaspi_queue_id_t), parameter :: queue = 0
  integer(gaspi_rank_t) :: rank, ranks
  type(c_ptr) :: memory
  integer(c_long), pointer :: row(:)
  integer :: before
  logical :: right

  call check(gaspi_proc_init(GASPI_BLOCK))
  call check(gaspi_proc_rank(rank))
  call check(gaspi_proc_num(ranks))

  ! The segment holds two numbers of each rank: what it sends, and what it has received.
  call check(gaspi_segment_create(segment, 16_c_long, GASPI_GROUP_ALL, GASPI_BLOCK, GASPI_MEM_INITIALIZED))
  call check(gaspi_segment_ptr(segment, memory))
  call c_f_pointer(memory, row, [2])

  ! Rank 0 sends the token, all others receive it first. Write from offset 0 here to offset 8 there.
  if (rank /= 0) call receive()
  row(1) = row(2) + rank
  call check(gaspi_write_notify(segment, 0_c_long, modulo(rank + 1_c_short, ranks), segment, 8_c_long, 8_c_long, &
                                0_c_int, 1_c_int, queue, GASPI_BLOCK))
  if (rank == 0) call receive()
  call check(gaspi_wait(queue, GASPI_BLOCK)) ! from here on row(1) may be changed

  ! The token is the sum of all ranks before mine; on rank 0, where it returns, that of all ranks.
  before = merge(ranks, rank, rank == 0)
  right = row(2) == before * (before - 1) / 2
  if (rank == 0) print "(2(a,i0),2a)", "07_gaspi: ", ranks, " ranks, sum ", row(2), ": ", trim(merge("ok   ", "WRONG", right))
  call check(gaspi_barrier(GASPI_GROUP_ALL, GASPI_BLOCK))
  call check(gaspi_proc_term(GASPI_BLOCK))
  if (.not. right) error stop 1

contains

  !> Waits for notification 0, and takes it: the data that it announces have arrived.
  subroutine receive()
    integer(gaspi_notification_id_t) :: id
    integer(gaspi_notification_t) :: value
    call check(gaspi_notify_waitsome(segment, 0_c_int, 1_c_int, id, GASPI_BLOCK))
    call check(gaspi_notify_reset(segment, id, value))
  end subroutine

  !> Ends the program if a call has failed; the launcher then ends the other ranks.
  subroutine check(code)
    integer(gaspi_return_t), intent(in) :: code
    if (code /= GASPI_SUCCESS) error stop "07_gaspi: a call has failed"
  end subroutine
end program ring
