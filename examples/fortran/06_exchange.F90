! An exchange with any list of neighbours: ranks of unlike parity send each other messages of unlike length.
! Build: gfortran 06_exchange.F90 $(pkg-config --cflags --libs halocline-fortran) -o 06_exchange
! Run:   mpiexec -n 4 ./06_exchange    prints: 06_exchange: 4 ranks, rank 0 received 1407: ok
! SPDX-License-Identifier: BSD-3-Clause
module lists
  use, intrinsic :: iso_c_binding, only: c_double, c_f_pointer, c_loc, c_ptr
  use halocline
  use halocline_mpi
  implicit none
  type :: state
    type(hlc_neighbour), allocatable :: neighbours(:)
    real(c_double), allocatable :: list(:) ! what each neighbour gets: rank + 1 numbers
    real(c_double) :: total = 0, wrong = 0
  end type
contains
  !> Start calls pack_list for each neighbour: it fills the data to be sent. Finish calls unpack_list for the received data.
  subroutine pack_list(neighbour, buffer, user)
    integer, intent(in) :: neighbour
    type(c_ptr), intent(in) :: buffer, user
    type(state), pointer :: my
    real(c_double), pointer :: out(:)
    call c_f_pointer(user, my)
    call c_f_pointer(buffer, out, [my%neighbours(neighbour)%bytes_out / 8])
    out = my%list
  end subroutine
  subroutine unpack_list(neighbour, buffer, user)
    integer, intent(in) :: neighbour
    type(c_ptr), intent(in) :: buffer, user
    type(state), pointer :: my
    real(c_double), pointer :: in(:)
    integer :: from, k
    call c_f_pointer(user, my)
    from = my%neighbours(neighbour)%rank
    call c_f_pointer(buffer, in, [from + 1])
    if (any(nint(in) /= [(100 * from + k, k = 0, from)])) my%wrong = 1
    my%total = my%total + sum(in)
  end subroutine
end module lists
program exchange
  use lists
  type(hlc_context) :: context
  type(hlc_exchange) :: plan
  type(state), target :: my
  integer :: r
  call hlc_mpi_init()
  call hlc_init(hlc_mpi_world(), context)
  my%list = [(100 * context%rank + r, r = 0, context%rank)]
  my%neighbours = [(hlc_neighbour(r, 0, 0, 8 * size(my%list), 8 * (r + 1)), r = modulo(context%rank + 1, 2), context%size - 1, 2)]
  call hlc_exchange_create(context, my%neighbours, pack_list, unpack_list, plan, c_loc(my))
  call hlc_exchange_start(plan)
  call hlc_exchange_finish(plan)
  call hlc_mpi_max(hlc_mpi_world(), my%wrong)
  if (context%rank == 0) print "(2(a,i0),2a)", "06_exchange: ", context%size, " ranks, rank 0 received ", nint(my%total), ": ", &
    trim(merge("WRONG", "ok   ", my%wrong > 0))
  call hlc_exchange_destroy(plan)
  call hlc_finalise(context)
  call hlc_mpi_finalise()
  if (my%wrong > 0) error stop 1
end program exchange
