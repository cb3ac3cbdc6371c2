! SPDX-License-Identifier: BSD-3-Clause
!> Exchanges from Fortran in every mode: neighbours of different sizes, a rank that appears twice, the caller itself, and
!> procedures that count neighbours from 1 and find their data through user.
module ring
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64
  use halocline
  use testing
  implicit none

  !> What the procedures work on: the list of neighbours, who the caller is, the step, and how often each neighbour was unpacked.
  type :: ring_data
    type(hlc_neighbour), allocatable :: list(:)
    integer :: rank = -1, step = 0
    integer, allocatable :: unpacked(:)
  end type

contains

  !> Element i that rank sender puts into the message with a tag.
  pure integer(int64) function element(sender, tag, step, i)
    integer, intent(in) :: sender, tag, step, i
    element = i + 1000_int64 * (tag + 100_int64 * (sender + 100_int64 * step))
  end function

  subroutine pack(neighbour, buffer, user)
    integer, intent(in) :: neighbour
    type(c_ptr), intent(in) :: buffer, user
    type(ring_data), pointer :: data
    integer(int64), pointer :: values(:)
    integer :: i
    call c_f_pointer(user, data)
    call c_f_pointer(buffer, values, [data%list(neighbour)%bytes_out / 8])
    do i = 1, size(values)
      values(i) = element(data%rank, data%list(neighbour)%tag_out, data%step, i)
    end do
  end subroutine

  subroutine unpack(neighbour, buffer, user)
    integer, intent(in) :: neighbour
    type(c_ptr), intent(in) :: buffer, user
    type(ring_data), pointer :: data
    integer(int64), pointer :: values(:)
    integer :: i
    call c_f_pointer(user, data)
    call c_f_pointer(buffer, values, [data%list(neighbour)%bytes_in / 8])
    data%unpacked(neighbour) = data%unpacked(neighbour) + 1
    do i = 1, size(values)
      call expect(values(i) == element(data%list(neighbour)%rank, data%list(neighbour)%tag_in, data%step, i), "an element is wrong")
    end do
  end subroutine
end module ring

program exchange_test
  use, intrinsic :: iso_c_binding, only: c_loc
  use halocline
  use ring
  use testing
  implicit none

  type(hlc_context) :: context
  integer :: m

  call start_tests(context)
  do m = 1, size(all_modes)
    call test_ring(trim(all_modes(m)))
  end do
  call test_lists_that_do_not_fit()
  call test_wrong_mode()
  call finish_tests(context)

contains

  !> To the next rank a long and a short message, to the one before a long one, and one to the caller itself. What a rank sends
  !> upwards under tag t arrives from below under the same tag.
  subroutine test_ring(mode)
    character(len=*), intent(in) :: mode
    type(hlc_exchange) :: exchange
    type(ring_data), target :: data
    type(hlc_plan_info) :: info
    logical :: done
    integer :: step, up, down
    up = mod(context%rank + 1, context%size)
    down = mod(context%rank - 1 + context%size, context%size)
    data%rank = context%rank
    data%list = [hlc_neighbour(up, 1, 5, 8 * up_count(context%rank), 0), hlc_neighbour(down, 5, 1, 0, 8 * up_count(down)), &
                 hlc_neighbour(up, 2, 4, 16, 24), hlc_neighbour(down, 4, 2, 24, 16), hlc_neighbour(context%rank, 3, 3, 40, 40)]
    allocate (data%unpacked(size(data%list)), source=0)
    call hlc_exchange_create(context, data%list, pack, unpack, exchange, c_loc(data), mode=mode)
    call hlc_exchange_info(exchange, info)
    do step = 1, 4
      data%step = step
      call hlc_exchange_start(exchange)
      call hlc_exchange_test(exchange, done)
      call expect(all(data%unpacked == (step - 1) * merge(1, 0, data%list%bytes_in > 0)), "test unpacks nothing")
      call hlc_exchange_finish(exchange)
      call expect(all(data%unpacked == step * merge(1, 0, data%list%bytes_in > 0)), "finish unpacks every neighbour once")
    end do
    call hlc_exchange_destroy(exchange)
    call expect(info%self_copies >= 1, "the message to the caller itself is copied")
    call end_test("mode " // mode // " exchanges with any list of neighbours")
  end subroutine

  !> Messages upwards grow with the rank.
  pure integer function up_count(rank)
    integer, intent(in) :: rank
    up_count = 10 + 3 * rank
  end function

  subroutine test_lists_that_do_not_fit()
    character(len=*), parameter :: sentence = "lists that do not fit are refused on all ranks"
    type(hlc_exchange) :: exchange
    type(ring_data), target :: data
    integer :: status
    if (context%size < 2) then
      call skip(sentence, "needs two ranks")
      return
    end if
    data%rank = context%rank
    data%list = [hlc_neighbour(mod(context%rank + 1, context%size), 0, 1, 8, 8), &
                 hlc_neighbour(mod(context%rank - 1 + context%size, context%size), 1, 0, 8, 8)]
    if (context%rank == 0) data%list(1)%bytes_out = 16
    allocate (data%unpacked(size(data%list)), source=0)
    call hlc_exchange_create(context, data%list, pack, unpack, exchange, c_loc(data), mode="p2p", status=status)
    call expect_error(status, HLC_ERR_MISMATCH, "16", "a message longer than its place")
    call end_test(sentence)
  end subroutine

  subroutine test_wrong_mode()
    type(hlc_exchange) :: exchange
    integer :: status
    call hlc_exchange_create(context, [hlc_neighbour ::], pack, unpack, exchange, mode="carrier pigeon", status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "carrier pigeon", "an unknown mode")
    call end_test("a mode that does not exist is refused by name")
  end subroutine
end program exchange_test
