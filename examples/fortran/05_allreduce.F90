! A reduction: every rank gives an array, and every rank gets the sums of all, element by element.
! Build: gfortran 05_allreduce.F90 $(pkg-config --cflags --libs halocline-fortran) -o 05_allreduce
! Run:   mpiexec -n 4 ./05_allreduce    prints: 05_allreduce: 4 ranks, sum 24: ok
! SPDX-License-Identifier: BSD-3-Clause
program allreduce
  use, intrinsic :: iso_fortran_env, only: real64
  use halocline
  use halocline_mpi
  implicit none
  type(hlc_context) :: context
  type(hlc_allreduce) :: plan
  real(real64) :: mine(3), sums(3)
  integer :: n
  logical :: right
  real(real64) :: wrong

  call hlc_mpi_init()
  call hlc_init(hlc_mpi_world(), context)

  ! Plan once, run as often as you like. The arrays will be like mine.
  call hlc_allreduce_create(context, mine, HLC_REDUCE_SUM, plan)

  ! 1, the rank and its square: their sums over all ranks are known.
  mine = [1, context%rank, context%rank**2]
  call hlc_allreduce_run(plan, mine, sums)

  n = context%size
  right = all(nint(sums) == [n, n * (n - 1) / 2, (n - 1) * n * (2 * n - 1) / 6])

  wrong = merge(0, 1, right)
  call hlc_mpi_max(hlc_mpi_world(), wrong)
  if (context%rank == 0) print "(2(a,i0),2a)", "05_allreduce: ", context%size, " ranks, sum ", nint(sum(sums)), ": ", &
    trim(merge("WRONG", "ok   ", wrong > 0))
  call hlc_allreduce_destroy(plan)
  call hlc_finalise(context)
  call hlc_mpi_finalise()
  if (wrong > 0) error stop 1
end program allreduce
