! SPDX-License-Identifier: BSD-3-Clause
!> Reductions over all ranks of a context: every rank gives an array, all get the arrays combined element by element. How they are done, and
!> in which order elements are folded, is said in halocline/reduce.h; it holds here too.
module halocline_reduce
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_int64_t, c_null_ptr, c_ptr
  use halocline_c
  use halocline_context, only: hlc_context
  use halocline_errors, only: settle
  implicit none
  private
  public :: hlc_allreduce, hlc_allreduce_info_t, hlc_reduce
  public :: hlc_allreduce_create, hlc_allreduce_run, hlc_allreduce_in_place, hlc_allreduce_destroy, hlc_allreduce_info

  abstract interface
    !> Combines count elements: inout(i) becomes inout(i) o in(i). inout holds ranks that precede those of in. c_f_pointer turns
    !> both into arrays. user is what hlc_allreduce_create was given, c_null_ptr without it. Called inside a run, by the calling
    !> thread. It must be associative, and commutative too where the context has several nodes.
    subroutine hlc_reduce(in, inout, count, user) bind(C)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: in, inout
      integer(c_int64_t), value :: count
      type(c_ptr), value :: user
    end subroutine
  end interface

  !> A planned reduction, to be run again and again. A copy is the same plan. rank is the calling one; type (HLC_FLOAT64, ...; HLC_OPAQUE for
  !> what the library does not know), count and element_bytes are those of its arrays.
  type, bind(C) :: hlc_allreduce
    type(c_ptr) :: handle = c_null_ptr
    integer(c_int) :: rank = -1, type = HLC_OPAQUE
    integer(c_int64_t) :: count = 0, element_bytes = 0
  end type

  !> What hlc_allreduce_create decided: parts (one per node), lanes (chunks of a part combined side by side), and how many lanes the
  !> calling rank drives. Also the elements of a chunk in bytes (0: every rank combines everything itself, in one step), and chunks
  !> of all parts together. Then the bytes that the calling rank sends to the next node in one run, and its shared memory. Last, the
  !> microseconds that the machine cards predict at once and in chunks (0: they predict nothing). Filled by hlc_allreduce_info.
  type, bind(C) :: hlc_allreduce_info_t
    integer(c_int) :: parts = 0, lanes = 0, my_lanes = 0
    integer(c_int64_t) :: chunk_bytes = 0, chunks = 0, network_bytes = 0, memory_bytes = 0
    real(c_double) :: at_once_us = 0, chunks_us = 0
  end type

  interface
    !> Plans reductions of arrays that have as many elements as like, and of its type; what is in it is not read. reduction is
    !> HLC_REDUCE_SUM (real, complex, integers of 32 and 64 bits), HLC_REDUCE_MIN or HLC_REDUCE_MAX (the same except complex), or
    !> HLC_REDUCE_USER. HLC_REDUCE_USER takes elements of any type, derived ones too, and needs function, a bind(C) procedure, which
    !> receives user. name appears in messages (its first 127 characters) and must be the same on all ranks. Collective over the
    !> context. Errors, the same on all ranks: as hlc_allreduce_create of reduce.h.
    subroutine hlc_allreduce_create(context, like, reduction, plan, function, user, status, name) &
      bind(C, name="hlc_fortran_allreduce_create")
      import :: c_char, c_int, c_ptr, hlc_allreduce, hlc_context, hlc_reduce
      type(hlc_context), intent(in) :: context
      type(*), dimension(..), intent(in) :: like
      integer(c_int), value :: reduction
      type(hlc_allreduce), intent(out) :: plan
      procedure(hlc_reduce), optional :: function
      type(c_ptr), intent(in), optional :: user
      integer(c_int), intent(out), optional :: status
      character(kind=c_char, len=*), intent(in), optional :: name
    end subroutine
    !> Combines in of all ranks into out of every rank. Both are contiguous, with the plan's number of elements and type
    !> (HLC_ERR_ARGUMENT), in any shape. Collective. Returns when out is complete; allocates nothing. All ranks get the same bits,
    !> in every run. Waits at most HALOCLINE_TIMEOUT seconds for one rank: HLC_ERR_TIMEOUT, HLC_ERR_PEER_DIED; then the plan can
    !> only be destroyed.
    subroutine hlc_allreduce_run(plan, in, out, status) bind(C, name="hlc_fortran_allreduce_run")
      import :: c_int, hlc_allreduce
      type(hlc_allreduce), intent(in) :: plan
      type(*), dimension(..), intent(in) :: in
      type(*), dimension(..), intent(inout) :: out
      integer(c_int), intent(out), optional :: status
    end subroutine
    !> As hlc_allreduce_run, for an array that is both.
    subroutine hlc_allreduce_in_place(plan, data, status) bind(C, name="hlc_fortran_allreduce_in_place")
      import :: c_int, hlc_allreduce
      type(hlc_allreduce), intent(in) :: plan
      type(*), dimension(..), intent(inout) :: data
      integer(c_int), intent(out), optional :: status
    end subroutine
  end interface

contains

  !> Waits for all ranks and releases a plan. Collective. HLC_ERR_PEER_DIED or HLC_ERR_TIMEOUT if a rank has died or does not
  !> arrive; the plan is released then, too.
  subroutine hlc_allreduce_destroy(plan, status)
    type(hlc_allreduce), intent(inout) :: plan
    integer, intent(out), optional :: status
    interface
      function c_allreduce_destroy(plan) result(status) bind(C, name="hlc_allreduce_destroy")
        import :: c_int, c_ptr
        type(c_ptr), intent(inout) :: plan
        integer(c_int) :: status
      end function
    end interface
    call settle(int(c_allreduce_destroy(plan%handle)), int(plan%rank), status)
  end subroutine

  !> Fills info with what create decided. Local.
  subroutine hlc_allreduce_info(plan, info, status)
    type(hlc_allreduce), intent(in) :: plan
    type(hlc_allreduce_info_t), intent(out) :: info
    integer, intent(out), optional :: status
    interface
      function c_allreduce_info(plan, info) result(status) bind(C, name="hlc_allreduce_info")
        import :: c_int, c_ptr, hlc_allreduce_info_t
        type(c_ptr), value :: plan
        type(hlc_allreduce_info_t), intent(out) :: info
        integer(c_int) :: status
      end function
    end interface
    call settle(int(c_allreduce_info(plan%handle, info)), int(plan%rank), status)
  end subroutine
end module halocline_reduce
