! SPDX-License-Identifier: BSD-3-Clause
!> A call that fails and was given no status: the program must end there, with the message and its rank.
program stop_test
  use halocline
  use halocline_mpi
  implicit none
  type(hlc_context) :: context
  type(hlc_grid) :: grid
  call hlc_mpi_init()
  call hlc_init(hlc_mpi_world(), context)
  call hlc_grid_create(context, [8, 8], grid, dims=[1, context%size + 1])
  print "(a)", "the program went on after an error"
end program stop_test
