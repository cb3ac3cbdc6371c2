! SPDX-License-Identifier: BSD-3-Clause
!> Sparse exchanges from Fortran: every rank sends a message of its own length to each rank whose number has its parity.
module parity
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int64_t, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64
  use halocline
  use testing
  implicit none

  !> How often each rank's message has arrived.
  type :: arrivals
    integer, allocatable :: from(:)
  end type

contains

  !> Element i of what a rank sends.
  pure integer(int64) function element(sender, i)
    integer, intent(in) :: sender, i
    element = i + 100000_int64 * (sender + 1)
  end function

  subroutine receive(origin, data, bytes, user)
    integer, intent(in) :: origin
    type(c_ptr), intent(in) :: data, user
    integer(c_int64_t), intent(in) :: bytes
    type(arrivals), pointer :: seen
    integer(int64), pointer :: values(:)
    integer :: i
    call c_f_pointer(user, seen)
    call c_f_pointer(data, values, [bytes / 8])
    seen%from(origin) = seen%from(origin) + 1
    call expect(size(values) == 300 * (origin + 1), "a message has another length")
    call expect(all([(values(i) == element(origin, i), i=1, size(values))]), "an element is wrong")
  end subroutine
end module parity

program sparse_test
  use, intrinsic :: iso_c_binding, only: c_loc
  use, intrinsic :: iso_fortran_env, only: int64
  use halocline
  use parity
  use testing
  implicit none

  type(hlc_context) :: context
  type(hlc_sparse) :: sparse
  type(arrivals), target :: seen

  call start_tests(context)
  allocate (seen%from(0:context%size - 1), source=0)
  call hlc_sparse_create(context, receive, sparse, user=c_loc(seen), slots=3, name="parity")
  call test_exchange()
  call test_refusals()
  call hlc_sparse_destroy(sparse)
  call finish_tests(context)

contains

  subroutine test_exchange()
    integer(int64), target :: values(300 * (context%rank + 1))
    type(hlc_sparse_message), allocatable :: messages(:)
    logical :: done
    integer :: i
    values = [(element(context%rank, i), i=1, size(values))]
    messages = [(hlc_sparse_message(i, c_loc(values), 8_int64 * size(values)), i=mod(context%rank, 2), context%size - 1, 2)]
    call hlc_sparse_exchange(sparse, messages)
    call hlc_sparse_start(sparse, messages)
    done = .false.
    do while (.not. done)
      call hlc_sparse_test(sparse, done)
    end do
    call hlc_sparse_finish(sparse)
    call expect(all(seen%from == [(2 * mod(i + context%rank + 1, 2), i=0, context%size - 1)]), "a message has not arrived once")
    call end_test("messages arrive at ranks that do not know of them")
  end subroutine

  subroutine test_refusals()
    type(hlc_sparse_message) :: nowhere(1)
    integer :: code
    nowhere(1)%rank = context%size
    call hlc_sparse_exchange(sparse, nowhere, status=code)
    call expect_error(code, HLC_ERR_ARGUMENT, "messages[0].rank", "a rank that does not exist")
    call hlc_sparse_finish(sparse, status=code)
    call expect_error(code, HLC_ERR_STATE, "no exchange", "a finish without a start")
    call end_test("wrong calls are refused")
  end subroutine
end program sparse_test
