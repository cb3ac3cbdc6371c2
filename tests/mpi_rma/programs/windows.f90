! MPI RMA from Fortran by the module mpi_f08, and by mpif.h in a subroutine: windows, puts, gets, accumulates, attributes, each kind of
! synchronisation. Prints "all right" from rank 0.
! SPDX-License-Identifier: BSD-3-Clause
program windows
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
  use mpi_f08
  implicit none
  integer, parameter :: n = 16
  integer :: rank, ranks, next, wrong, all_wrong
  integer, pointer :: mine(:)
  integer :: got(n), values(n), i
  logical :: there
  type(MPI_Win) :: win
  type(c_ptr) :: base
  integer(MPI_ADDRESS_KIND) :: zero = 0, three = 3

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  next = mod(rank + 1, ranks)
  wrong = 0
  call MPI_Win_allocate(int(4 * n, MPI_ADDRESS_KIND), 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
  call c_f_pointer(base, mine, [n])
  mine = 0
  values = [(1000 * rank + i, i = 1, n)]
  call MPI_Win_get_attr(win, MPI_WIN_SIZE, three, there)
  if (.not. there .or. three /= 4 * n) wrong = wrong + 1
  call MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, three, there)
  if (.not. there .or. three /= MPI_WIN_FLAVOR_ALLOCATE) wrong = wrong + 1
  three = 3
  call MPI_Win_fence(0, win)
  call MPI_Put(values, n, MPI_INTEGER, next, zero, n, MPI_INTEGER, win)
  call MPI_Win_fence(0, win)
  if (any(mine /= [(1000 * mod(rank + ranks - 1, ranks) + i, i = 1, n)])) wrong = wrong + 1
  call MPI_Win_fence(MPI_MODE_NOSUCCEED, win)
  call MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win)
  call MPI_Get(got, n, MPI_INTEGER, next, zero, n, MPI_INTEGER, win)
  call MPI_Win_unlock(next, win)
  if (any(got /= values)) wrong = wrong + 1
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Win_lock_all(0, win)
  call MPI_Accumulate([1], 1, MPI_INTEGER, 0, three, 1, MPI_INTEGER, MPI_SUM, win)
  call MPI_Win_unlock_all(win)
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0 .and. mine(4) /= 1000 * (ranks - 1) + 4 + ranks) wrong = wrong + 1
  call MPI_Win_free(win)
  call with_mpif_h(wrong)
  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0 .and. all_wrong == 0) print '(a)', 'windows from Fortran: all right'
  if (all_wrong > 0) call MPI_Abort(MPI_COMM_WORLD, 1)
  call MPI_Finalize()
end program windows

subroutine with_mpif_h(wrong)
  implicit none
  include 'mpif.h'
  integer, intent(inout) :: wrong
  integer, parameter :: n = 8
  double precision, asynchronous :: numbers(n)
  double precision :: sent
  integer :: win, rank, ranks, next, code
  integer(kind=MPI_ADDRESS_KIND) :: place
  logical :: there

  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  next = mod(rank + 1, ranks)
  numbers = -1
  call MPI_Win_create(numbers, int(8 * n, MPI_ADDRESS_KIND), 8, MPI_INFO_NULL, MPI_COMM_WORLD, win, code)
  call MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, place, there, code)
  if (.not. there .or. place /= 8) wrong = wrong + 1
  place = 2
  sent = rank + 0.5d0
  call MPI_Win_fence(0, win, code)
  call MPI_Put(sent, 1, MPI_DOUBLE_PRECISION, next, place, 1, MPI_DOUBLE_PRECISION, win, code)
  call MPI_Win_fence(0, win, code)
  if (numbers(3) /= mod(rank + ranks - 1, ranks) + 0.5d0) wrong = wrong + 1
  call MPI_Win_free(win, code)
end subroutine with_mpif_h
