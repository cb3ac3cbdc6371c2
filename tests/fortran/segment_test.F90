! SPDX-License-Identifier: BSD-3-Clause
!> Segments from Fortran: arrays and sections of any type, notifications, atomics, and what is refused. Every rank works on the part of
!> the next one.
program segment_test
  use, intrinsic :: iso_c_binding, only: c_associated, c_f_pointer, c_ptr
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  use halocline
  use halocline_mpi
  use testing
  implicit none

  integer, parameter :: bytes = 8192
  type(hlc_context) :: context
  type(hlc_segment) :: segment
  integer :: above, below

  call start_tests(context)
  above = mod(context%rank + 1, context%size)
  below = mod(context%rank - 1 + context%size, context%size)
  call hlc_segment_create(context, int(bytes, int64), 4, segment)
  call test_info()
  call test_put_and_get()
  call test_sections()
  call test_components()
  call test_blocks()
  call test_notifications()
  call test_shared_notifications()
  call test_atomics()
  call test_accumulate()
  call test_refusals()
  call test_free()
  call finish_tests(context)

contains

  subroutine test_info()
    type(hlc_segment_info_t) :: info
    call hlc_segment_info(segment, context%rank, info)
    call expect(info%bytes == bytes .and. info%notifications == 4, "a segment is as large as asked for")
    call expect(c_associated(info%data, hlc_segment_data(segment)), "the own part is where hlc_segment_data says")
    call end_test("a segment tells of its parts")
  end subroutine

  !> What the rank below has put into the own part.
  subroutine look(values)
    real(real64), pointer, intent(out) :: values(:)
    call hlc_flush(segment, above)
    call hlc_barrier(segment)
    call c_f_pointer(hlc_segment_data(segment), values, [bytes / 8])
  end subroutine

  subroutine test_put_and_get()
    real(real64), asynchronous :: sent(100), got(100)
    real(real64), pointer :: mine(:)
    integer :: i
    sent = [(context%rank * 1000 + i, i=1, 100)]
    call hlc_put(segment, above, 80_int64, sent)
    call look(mine)
    call expect(all(nint(mine(11:110)) == [(below * 1000 + i, i=1, 100)]), "put did not bring what was sent")
    got = -1
    call hlc_get(segment, above, 80_int64, got)
    call hlc_flush_local(segment, above)
    call expect(all(nint(got) == nint(sent)), "get did not bring back what was put")
    call hlc_put(segment, above, 0_int64, 42.0_real64)
    call look(mine)
    call expect(nint(mine(1)) == 42, "a single number")
    call hlc_barrier(segment)
    call end_test("arrays and single numbers are put and got")
  end subroutine

  !> Three dimensions, none of them contiguous.
  subroutine test_sections()
    integer(int32), asynchronous :: whole(10, 9, 8), back(10, 9, 8)
    integer(int32), pointer :: mine(:)
    integer :: i
    whole = reshape([(i + 1000 * context%rank, i=1, size(whole))], shape(whole))
    call hlc_put(segment, above, 0_int64, whole(2:9:3, 8:2:-2, ::3))
    call hlc_flush(segment, above)
    call hlc_barrier(segment)
    call c_f_pointer(hlc_segment_data(segment), mine, [36])
    call expect(all(mine - 1000 * below == pack(whole(2:9:3, 8:2:-2, ::3) - 1000 * context%rank, .true.)), "a section lies packed")
    back = 0
    call hlc_get(segment, above, 0_int64, back(2:9:3, 8:2:-2, ::3))
    call hlc_flush_local_all(segment)
    call expect(all(back(2:9:3, 8:2:-2, ::3) == whole(2:9:3, 8:2:-2, ::3)), "a section comes back")
    call expect(count(back /= 0) == 36, "what is no part of the section is left alone")
    call hlc_barrier(segment)
    call end_test("sections of any shape are put and got, packed at the target")
  end subroutine

  subroutine test_components()
    type :: cell
      real(real32) :: mass = 0
      real(real64) :: heat = 0
    end type
    type(cell), asynchronous :: cells(20)
    real(real64), pointer :: mine(:)
    integer :: i
    cells%heat = [(real(i + 100 * context%rank, real64), i=1, 20)]
    call hlc_put(segment, above, 0_int64, cells%heat)
    call look(mine)
    call expect(all(nint(mine(1:20)) == [(i + 100 * below, i=1, 20)]), "a component of every cell")
    call hlc_barrier(segment)
    call end_test("one component of an array of cells is put")
  end subroutine

  !> Every second number, to every third place.
  subroutine test_blocks()
    real(real64), asynchronous :: sent(20), got(20)
    real(real64), pointer :: mine(:)
    type(hlc_block) :: block
    integer :: i
    sent = [(context%rank * 1000 + i, i=1, 20)]
    block%run_bytes = 8
    block%ndims = 1
    block%count(1) = 10
    block%local_stride(1) = 16
    block%target_stride(1) = 24
    call hlc_put_strided(segment, above, 0_int64, sent, block)
    call look(mine)
    call expect(all(nint(mine(1:28:3)) == [(below * 1000 + i, i=1, 19, 2)]), "every second number, to every third place")
    got = 0
    call hlc_get_strided(segment, above, 0_int64, got, block)
    call hlc_flush_all(segment)
    call expect(all(nint(got(1:19:2)) == nint(sent(1:19:2))) .and. all(nint(got(2:20:2)) == 0), "and back")
    call hlc_barrier(segment)
    call end_test("blocks of bytes are put and got")
  end subroutine

  subroutine test_notifications()
    integer(int64), asynchronous :: sent(50)
    integer(int64), pointer :: mine(:)
    integer(int32) :: value
    integer :: id, i
    logical :: done
    call hlc_notify_test(segment, 0, 4, id, done)
    call expect(.not. done, "nothing has been sent yet")
    call hlc_barrier(segment)
    sent = [(int(i + 100 * context%rank, int64), i=1, 50)]
    call hlc_put_notify(segment, above, 0_int64, sent, 2, 7)
    call hlc_notify_wait(segment, 0, 4, id)
    call c_f_pointer(hlc_segment_data(segment), mine, [50])
    call expect(id == 2 .and. all(mine == [(i + 100 * below, i=1, 50)]), "the data are there with the notification")
    call hlc_notify_test(segment, 0, 4, id, done)
    call expect(done .and. id == 2, "a notification stays set")
    call hlc_notify_reset(segment, 2, value)
    call expect(value == 7, "its value is taken")
    call hlc_notify_reset(segment, 2, value)
    call expect(value == 0, "and taken once")
    call hlc_notify(segment, above, 3, -1)
    call hlc_notify_wait(segment, 3, 1, id)
    call hlc_notify_reset(segment, 3, value)
    call expect(id == 3 .and. value == -1, "a notification without data, with all bits set")
    call hlc_flush_all(segment)
    call hlc_barrier(segment)
    call end_test("notifications come with their data and are taken once")
  end subroutine

  !> Among the ranks of this node the notification of the rank itself is there, whoever of them has taken it; only who takes it first gets the
  !> value.
  subroutine test_shared_notifications()
    type(hlc_segment) :: shared
    integer(int32) :: value
    integer :: id
    call hlc_segment_create(context, 8_int64, context%size, shared, shared=.true.)
    call hlc_notify(shared, context%rank, context%rank, 5)
    call hlc_notify_wait(shared, context%rank, 1, id)
    call hlc_notify_reset(shared, context%rank, value)
    call expect(id == context%rank .and. value == 5, "a shared notification is taken as any other")
    call hlc_segment_free(shared)
    call end_test("a node's ranks may have one set of notifications")
  end subroutine

  subroutine test_atomics()
    integer(int64), pointer :: counters(:)
    integer(int64) :: old
    integer(int32) :: small
    real(real64) :: heat
    integer :: turn
    call c_f_pointer(hlc_segment_data(segment), counters, [4])
    counters = 0
    call hlc_barrier(segment)
    do turn = 1, 100
      call hlc_atomic_fetch_add(segment, 0, 0_int64, 1_int64, old)
      call expect(old >= turn - 1 .and. old < 100 * context%size, "a counter only rises")
    end do
    call hlc_barrier(segment)
    call hlc_atomic_fetch_add(segment, 0, 0_int64, 0_int64, old)
    call expect(old == 100 * context%size, "no step of a counter is lost")
    call hlc_atomic_swap(segment, above, 8_int64, -5_int32, small)
    call expect(small == 0, "swap tells what was there")
    call hlc_atomic_compare_swap(segment, above, 8_int64, 4_int32, 9_int32, small)
    call hlc_atomic_compare_swap(segment, above, 8_int64, -5_int32, 6_int32, small)
    call expect(small == -5, "compare_swap changes what it expects, and only that")
    call hlc_fetch_op(segment, above, 16_int64, HLC_OP_SUM, 1.5_real64, heat)
    call hlc_fetch_op(segment, above, 16_int64, HLC_OP_READ, 0.0_real64, heat)
    call expect(nint(2 * heat) == 3, "fetch_op adds to a real number")
    call hlc_barrier(segment)
    call end_test("atomics on integers and reals of other ranks")
  end subroutine

  !> All ranks add to rank 0.
  subroutine test_accumulate()
    real(real32), asynchronous :: heat(10)
    integer(int16), asynchronous :: marks(6)
    integer(int8), pointer :: everything(:)
    real(real32), pointer :: sums(:)
    integer(int16), pointer :: bits(:)
    integer :: i
    call c_f_pointer(hlc_segment_data(segment), everything, [bytes])
    everything = 0
    call hlc_barrier(segment)
    heat = [(real(i), i=1, 10)]
    marks = int(ishft(1, context%rank), int16)
    call hlc_accumulate(segment, 0, 0_int64, HLC_OP_SUM, heat)
    call hlc_accumulate(segment, 0, 64_int64, HLC_OP_BOR, marks)
    call hlc_flush_all(segment)
    call hlc_barrier(segment)
    call c_f_pointer(hlc_segment_data(segment), sums, [10])
    call c_f_pointer(hlc_segment_data(segment), bits, [38])
    if (context%rank == 0) then
      call expect(all(nint(sums) == context%size * nint(heat)), "sums of all ranks")
      call expect(all(bits(33:38) == 2**context%size - 1), "bits of all ranks")
    end if
    call expect(context%rank == 0 .or. all(everything == 0), "other ranks are left alone")
    call hlc_barrier(segment)
    call end_test("arrays are accumulated")
  end subroutine

  !> Puts from an argument that does not know where it ends.
  subroutine put_from(values, status)
    real(real64), intent(in), asynchronous :: values(*)
    integer, intent(out) :: status
    call hlc_put(segment, above, 0_int64, values, status)
  end subroutine

  subroutine test_refusals()
    real(real64), asynchronous :: sent(20)
    complex(real64), asynchronous :: wave(2)
    type(hlc_segment) :: none
    integer(int64) :: old
    integer :: status
    sent = 0
    wave = 0
    call hlc_put(segment, above, int(bytes - 8, int64), sent, status)
    call expect_error(status, HLC_ERR_ARGUMENT, "hlc_put", "bytes beyond the part")
    call hlc_put(segment, context%size, 0_int64, sent, status)
    call expect_error(status, HLC_ERR_ARGUMENT, "rank", "a rank that there is not")
    call hlc_put_notify(segment, above, 0_int64, sent(::2), 0, 1, status)
    call expect_error(status, HLC_ERR_ARGUMENT, "data is not contiguous", "a section with a notification")
    call hlc_put_notify(segment, above, 0_int64, sent, 0, 0, status)
    call expect_error(status, HLC_ERR_ARGUMENT, "0", "a notification of value 0")
    call hlc_notify(segment, above, 4, 1, status)
    call expect_error(status, HLC_ERR_ARGUMENT, "4", "a notification that there is not")
    call hlc_accumulate(segment, above, 0_int64, HLC_OP_SUM, wave, status)
    call expect_error(status, HLC_ERR_ARGUMENT, "type", "numbers that atomics do not know")
    call hlc_fetch_op(segment, above, 0_int64, HLC_OP_SUM, 1.0_real64, old, status)
    call expect_error(status, HLC_ERR_ARGUMENT, "different types", "two types at once")
    call put_from(sent, status)
    call expect_error(status, HLC_ERR_ARGUMENT, "assumed size", "an array without an end")
    call hlc_put(none, 0, 0_int64, sent, status)
    call expect_error(status, HLC_ERR_ARGUMENT, "segment", "no segment")
    call hlc_segment_create(context, -1_int64, 0, none, status)
    call expect_error(status, HLC_ERR_ARGUMENT, "-1", "a negative number of bytes")
    call end_test("bad arguments are named")
  end subroutine

  subroutine test_free()
    integer :: status
    call hlc_segment_free(segment)
    call hlc_barrier(segment, status)
    call expect_error(status, HLC_ERR_ARGUMENT, "segment", "a segment that has been freed")
    call end_test("a segment is freed once")
  end subroutine
end program segment_test
