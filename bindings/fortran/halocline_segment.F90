! SPDX-License-Identifier: BSD-3-Clause
!> One-sided communication: segments of memory that every rank can access, put, get, atomics, notifications, flush and barrier. The
!> top of halocline/segment.h defines completion, ordering, and which ranks must call the library; it holds here too. Ranks and ids
!> of notifications count from 0, offsets are bytes of the target's part. An array that is put or got is used until a flush: give it
!> the attribute asynchronous or target.
module halocline_segment
  use, intrinsic :: iso_c_binding, only: c_char, c_f_pointer, c_int, c_int32_t, c_int64_t, c_null_char, c_null_ptr, c_ptr
  use halocline_c
  use halocline_context, only: hlc_context
  use halocline_errors, only: settle
  implicit none
  private
  public :: hlc_segment, hlc_segment_info_t, hlc_block, hlc_segment_create, hlc_segment_free, hlc_segment_data, hlc_segment_info
  public :: hlc_put, hlc_get, hlc_put_strided, hlc_get_strided, hlc_put_notify
  public :: hlc_notify, hlc_notify_wait, hlc_notify_test, hlc_notify_reset
  public :: hlc_atomic_fetch_add, hlc_atomic_swap, hlc_atomic_compare_swap, hlc_fetch_op, hlc_accumulate
  public :: hlc_flush, hlc_flush_all, hlc_flush_local, hlc_flush_local_all, hlc_barrier

  !> A part of memory and notifications on every rank of a context. A copy is the same segment; rank is the calling one.
  type, bind(C) :: hlc_segment
    type(c_ptr) :: handle = c_null_ptr
    integer(c_int) :: rank = -1
  end type

  !> What is known of one rank's part: its bytes, its notifications, and where this process sees it. The latter is c_null_ptr for a
  !> rank of another node and for a part of 0 bytes. Filled by hlc_segment_info.
  type, bind(C) :: hlc_segment_info_t
    integer(c_int64_t) :: bytes = 0
    integer(c_int) :: notifications = 0
    type(c_ptr) :: data = c_null_ptr
  end type

  !> Runs of bytes, equally spaced in ndims dimensions (0 to HLC_MAX_DIMS): count runs along each. Strides are in bytes, from the
  !> first element of the local array and from the offset in the target's part. Strides may be negative.
  type, bind(C) :: hlc_block
    integer(c_int64_t) :: run_bytes = 0
    integer(c_int) :: ndims = 0
    integer(c_int64_t) :: count(HLC_MAX_DIMS) = 0
    integer(c_int64_t) :: local_stride(HLC_MAX_DIMS) = 0
    integer(c_int64_t) :: target_stride(HLC_MAX_DIMS) = 0
  end type

  interface
    !> Writes an array or section of any type and rank to a rank's part, where its elements are contiguous in Fortran's order. data
    !> may be changed after local completion (hlc_flush_local). HLC_ERR_ARGUMENT for a section with more than 4 dimensions that are
    !> not contiguous.
    subroutine hlc_put(segment, rank, offset, data, status) bind(C, name="hlc_fortran_put")
      import :: c_int, c_int64_t, hlc_segment
      type(hlc_segment), intent(in) :: segment
      integer(c_int), value :: rank
      integer(c_int64_t), value :: offset
      type(*), dimension(..), intent(in), asynchronous :: data
      integer(c_int), intent(out), optional :: status
    end subroutine
    !> Reads an array or section from a rank's part, where its elements are contiguous. data may be read after local completion.
    subroutine hlc_get(segment, rank, offset, data, status) bind(C, name="hlc_fortran_get")
      import :: c_int, c_int64_t, hlc_segment
      type(hlc_segment), intent(in) :: segment
      integer(c_int), value :: rank
      integer(c_int64_t), value :: offset
      type(*), dimension(..), intent(inout), asynchronous :: data
      integer(c_int), intent(out), optional :: status
    end subroutine
    !> Writes a block of bytes, counted from the first element of data, to a rank's part. Source: ARMCI_PutS.
    subroutine hlc_put_strided(segment, rank, offset, data, block, status) bind(C, name="hlc_fortran_put_strided")
      import :: c_int, c_int64_t, hlc_block, hlc_segment
      type(hlc_segment), intent(in) :: segment
      integer(c_int), value :: rank
      integer(c_int64_t), value :: offset
      type(*), dimension(..), intent(in), asynchronous :: data
      type(hlc_block), intent(in) :: block
      integer(c_int), intent(out), optional :: status
    end subroutine
    !> Reads a block of bytes of a rank's part into data, counted from its first element. Source: ARMCI_GetS.
    subroutine hlc_get_strided(segment, rank, offset, data, block, status) bind(C, name="hlc_fortran_get_strided")
      import :: c_int, c_int64_t, hlc_block, hlc_segment
      type(hlc_segment), intent(in) :: segment
      integer(c_int), value :: rank
      integer(c_int64_t), value :: offset
      type(*), dimension(..), intent(inout), asynchronous :: data
      type(hlc_block), intent(in) :: block
      integer(c_int), intent(out), optional :: status
    end subroutine
    !> Writes an array to a rank's part, then sets a notification there to value, which is not 0. A rank that has seen the
    !> notification sees the data. data is contiguous (HLC_ERR_ARGUMENT). Source: gaspi_write_notify.
    subroutine hlc_put_notify(segment, rank, offset, data, id, value, status) bind(C, name="hlc_fortran_put_notify")
      import :: c_int, c_int32_t, c_int64_t, hlc_segment
      type(hlc_segment), intent(in) :: segment
      integer(c_int), value :: rank
      integer(c_int64_t), value :: offset
      type(*), dimension(..), intent(in), asynchronous :: data
      integer(c_int), value :: id
      integer(c_int32_t), value :: value
      integer(c_int), intent(out), optional :: status
    end subroutine
    !> Combines the numbers of a rank's part, from offset on, with those of data, each atomically. op is HLC_OP_SUM and so on. The
    !> type of data is an integer of 1 to 8 bytes or a real of 4 or 8. Complete after a flush. data is contiguous. Source:
    !> MPI_Accumulate.
    subroutine hlc_accumulate(segment, rank, offset, op, data, status) bind(C, name="hlc_fortran_accumulate")
      import :: c_int, c_int64_t, hlc_segment
      type(hlc_segment), intent(in) :: segment
      integer(c_int), value :: rank
      integer(c_int64_t), value :: offset
      integer(c_int), value :: op
      type(*), dimension(..), intent(in), asynchronous :: data
      integer(c_int), intent(out), optional :: status
    end subroutine
    !> Combines one number with operand; old, of the same type, becomes what it was before. Complete on return. Source:
    !> MPI_Fetch_and_op.
    subroutine hlc_fetch_op(segment, rank, offset, op, operand, old, status) bind(C, name="hlc_fortran_fetch_op")
      import :: c_int, c_int64_t, hlc_segment
      type(hlc_segment), intent(in) :: segment
      integer(c_int), value :: rank
      integer(c_int64_t), value :: offset
      integer(c_int), value :: op
      type(*), dimension(..), intent(in) :: operand
      type(*), dimension(..), intent(inout) :: old
      integer(c_int), intent(out), optional :: status
    end subroutine
  end interface

  !> Adds to an integer of 32 or 64 bits; old becomes what it was before. Complete on return. Source: gaspi_atomic_fetch_add.
  interface hlc_atomic_fetch_add
    module procedure fetch_add_int32, fetch_add_int64
  end interface
  !> Replaces an integer of 32 or 64 bits; old becomes what it was before. Source: shmem_atomic_swap.
  interface hlc_atomic_swap
    module procedure swap_int32, swap_int64
  end interface
  !> Replaces an integer of 32 or 64 bits if it is equal to expected; old becomes what it was before. Source:
  !> gaspi_atomic_compare_swap.
  interface hlc_atomic_compare_swap
    module procedure compare_swap_int32, compare_swap_int64
  end interface

contains

  !> Makes a segment: bytes of memory, 0 or more, each rank its own, and notifications, the same number on all ranks (0 to
  !> HLC_MAX_NOTIFICATIONS). With shared=.true., on all ranks, the ranks of a node share one set of notifications. Any of them may
  !> wait for a notification and reset it, whichever rank it was sent to. The memory holds zeros. Collective over the context;
  !> errors, the same on all ranks, as hlc_segment_create of segment.h.
  subroutine hlc_segment_create(context, bytes, notifications, segment, status, shared)
    type(hlc_context), intent(in) :: context
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(in) :: notifications
    type(hlc_segment), intent(out) :: segment
    integer, intent(out), optional :: status
    logical, intent(in), optional :: shared
    integer :: code
    type(c_segment_spec) :: spec
    spec%bytes = bytes
    spec%notifications = notifications
    if (present(shared)) spec%shared = merge(1, 0, shared)
    segment%rank = context%rank
    code = c_segment_create(context%handle, spec, segment%handle)
    call settle(code, context%rank, status)
  end subroutine

  !> Completes this rank's operations, waits until all ranks have called it, and releases the segment. Collective.
  subroutine hlc_segment_free(segment, status)
    type(hlc_segment), intent(inout) :: segment
    integer, intent(out), optional :: status
    call settle(int(c_segment_free(segment%handle)), segment%rank, status)
  end subroutine

  !> Returns the address of this rank's own part, which c_f_pointer turns into an array; it is aligned to a page. c_null_ptr if it
  !> has 0 bytes. Local.
  function hlc_segment_data(segment) result(data)
    type(hlc_segment), intent(in) :: segment
    type(c_ptr) :: data
    data = c_segment_data(segment%handle)
  end function

  !> Fills info for any rank. Local. Source: MPI_Win_shared_query.
  subroutine hlc_segment_info(segment, rank, info, status)
    type(hlc_segment), intent(in) :: segment
    integer, intent(in) :: rank
    type(hlc_segment_info_t), intent(out) :: info
    integer, intent(out), optional :: status
    interface
      function c_segment_info(segment, rank, info) result(status) bind(C, name="hlc_segment_info")
        import :: c_int, c_ptr, hlc_segment_info_t
        type(c_ptr), value :: segment
        integer(c_int), value :: rank
        type(hlc_segment_info_t), intent(out) :: info
        integer(c_int) :: status
      end function
    end interface
    call settle(int(c_segment_info(segment%handle, rank, info)), segment%rank, status)
  end subroutine

  !> Sets a notification of a rank's part to value, which is not 0, without data. Source: gaspi_notify.
  subroutine hlc_notify(segment, rank, id, value, status)
    type(hlc_segment), intent(in) :: segment
    integer, intent(in) :: rank, id
    integer(c_int32_t), intent(in) :: value
    integer, intent(out), optional :: status
    call settle(int(c_notify(segment%handle, rank, c_notification(id, value))), segment%rank, status)
  end subroutine

  !> Waits until one of the notifications first to first + count - 1 of the calling rank's own part is set. id becomes the lowest of
  !> those seen. It stays set until it is reset. HLC_ERR_TIMEOUT after HALOCLINE_TIMEOUT seconds. Source: gaspi_notify_waitsome.
  subroutine hlc_notify_wait(segment, first, count, id, status)
    type(hlc_segment), intent(in) :: segment
    integer, intent(in) :: first, count
    integer, intent(out) :: id
    integer, intent(out), optional :: status
    id = -1
    call settle(int(c_notify_wait(segment%handle, c_ids(first, count), id)), segment%rank, status)
  end subroutine

  !> As hlc_notify_wait, but does not wait: done is false if none of them is set.
  subroutine hlc_notify_test(segment, first, count, id, done, status)
    type(hlc_segment), intent(in) :: segment
    integer, intent(in) :: first, count
    integer, intent(out) :: id
    logical, intent(out) :: done
    integer, intent(out), optional :: status
    integer :: code
    id = -1
    code = c_notify_test(segment%handle, c_ids(first, count), id)
    done = code == HLC_OK
    call settle(code, segment%rank, status)
  end subroutine

  !> Takes a notification of this rank's own part: sets it to 0, and value to what it was, in one atomic step. Source:
  !> gaspi_notify_reset.
  subroutine hlc_notify_reset(segment, id, value, status)
    type(hlc_segment), intent(in) :: segment
    integer, intent(in) :: id
    integer(c_int32_t), intent(out) :: value
    integer, intent(out), optional :: status
    value = 0
    call settle(int(c_notify_reset(segment%handle, id, value)), segment%rank, status)
  end subroutine

#define INTEGER_KIND c_int32_t
#define NUMBER HLC_NUMBER_INT32
#define NAMED(procedure) procedure/**/_int32
#include "halocline_segment.inc"
#undef INTEGER_KIND
#undef NUMBER
#undef NAMED

#define INTEGER_KIND c_int64_t
#define NUMBER HLC_NUMBER_INT64
#define NAMED(procedure) procedure/**/_int64
#include "halocline_segment.inc"
#undef INTEGER_KIND
#undef NUMBER
#undef NAMED

  !> Waits until all operations of this thread on a rank's part are complete at both ends. They precede everything that this rank
  !> does afterwards. Source: MPI_Win_flush, shmem_quiet.
  subroutine hlc_flush(segment, rank, status)
    type(hlc_segment), intent(in) :: segment
    integer, intent(in) :: rank
    integer, intent(out), optional :: status
    call settle(int(c_flush(segment%handle, rank)), segment%rank, status)
  end subroutine

  !> As hlc_flush, for all ranks.
  subroutine hlc_flush_all(segment, status)
    type(hlc_segment), intent(in) :: segment
    integer, intent(out), optional :: status
    call settle(int(c_flush_all(segment%handle)), segment%rank, status)
  end subroutine

  !> Waits until all operations of this thread on a rank's part are locally complete. Data that were put may be changed, data that
  !> were got may be read. Source: MPI_Win_flush_local.
  subroutine hlc_flush_local(segment, rank, status)
    type(hlc_segment), intent(in) :: segment
    integer, intent(in) :: rank
    integer, intent(out), optional :: status
    call settle(int(c_flush_local(segment%handle, rank)), segment%rank, status)
  end subroutine

  !> As hlc_flush_local, for all ranks.
  subroutine hlc_flush_local_all(segment, status)
    type(hlc_segment), intent(in) :: segment
    integer, intent(out), optional :: status
    call settle(int(c_flush_local_all(segment%handle)), segment%rank, status)
  end subroutine

  !> Returns when all ranks of the context have called it. What a rank stored or flushed before it, all ranks see after it; it
  !> completes no operation itself. HLC_ERR_TIMEOUT after HALOCLINE_TIMEOUT seconds. Source: gaspi_barrier.
  subroutine hlc_barrier(segment, status)
    type(hlc_segment), intent(in) :: segment
    integer, intent(out), optional :: status
    call settle(int(c_barrier(segment%handle)), segment%rank, status)
  end subroutine
end module halocline_segment
