! SPDX-License-Identifier: BSD-3-Clause
!> Sparse exchanges: messages to ranks that do not know of them. What a call guarantees is said in halocline/sparse.h; it holds here too.
!> Ranks count from 0.
module halocline_sparse
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_funloc, c_int, c_int64_t, c_loc, c_null_char, &
    c_null_ptr, c_ptr
  use halocline_c
  use halocline_context, only: hlc_context
  use halocline_errors, only: settle
  implicit none
  private
  public :: hlc_sparse, hlc_sparse_receive, hlc_sparse_create, hlc_sparse_start, hlc_sparse_test, hlc_sparse_finish, &
            hlc_sparse_exchange, hlc_sparse_destroy

  abstract interface
    !> Takes a message of bytes bytes that rank origin has sent. c_f_pointer turns data into an array; it is valid during the call.
    !> Called inside start, test and finish, in no order. user is what hlc_sparse_create was given.
    subroutine hlc_sparse_receive(origin, data, bytes, user)
      import :: c_int64_t, c_ptr
      integer, intent(in) :: origin
      type(c_ptr), intent(in) :: data, user
      integer(c_int64_t), intent(in) :: bytes
    end subroutine
  end interface

  !> The caller's procedure and data, where the library's callback finds them.
  type :: callback
    procedure(hlc_sparse_receive), pointer, nopass :: receive => null()
    type(c_ptr) :: user = c_null_ptr
  end type

  !> The slots of a rank. A copy is the same.
  type :: hlc_sparse
    type(c_ptr) :: handle = c_null_ptr
    integer :: rank = -1
    type(callback), pointer, private :: call => null()
  end type

contains

  !> Makes the slots. receive must be a procedure that lives as long as they do (a module procedure, not an internal one). slots is the
  !> number of each rank, 64 without it. name appears in messages and must be the same on all ranks. Collective over the context.
  subroutine hlc_sparse_create(context, receive, sparse, user, slots, status, name)
    type(hlc_context), intent(in) :: context
    procedure(hlc_sparse_receive) :: receive
    type(hlc_sparse), intent(out) :: sparse
    type(c_ptr), intent(in), optional :: user
    integer, intent(in), optional :: slots
    integer, intent(out), optional :: status
    character(len=*), intent(in), optional :: name
    type(c_sparse_spec) :: spec
    character(kind=c_char, len=:), allocatable, target :: c_name
    integer :: code
    sparse%rank = context%rank
    allocate (sparse%call)
    sparse%call%receive => receive
    if (present(user)) sparse%call%user = user
    spec%receive = c_funloc(call_receive)
    spec%user = c_loc(sparse%call)
    if (present(slots)) spec%slots = int(slots, c_int)
    if (present(name)) then
      c_name = trim(name) // c_null_char
      spec%name = c_loc(c_name)
    end if
    code = c_sparse_create(context%handle, spec, sparse%handle)
    if (code /= HLC_OK) deallocate (sparse%call)
    call settle(code, context%rank, status)
  end subroutine

  !> Sends messages as far as their targets have free slots. Their data must not change until finish. Does not wait for other ranks.
  subroutine hlc_sparse_start(sparse, messages, status)
    type(hlc_sparse), intent(in) :: sparse
    type(hlc_sparse_message), intent(in) :: messages(:)
    integer, intent(out), optional :: status
    call settle(int(c_sparse_start(sparse%handle, size(messages, kind=c_int), messages)), sparse%rank, status)
  end subroutine

  !> Moves the exchange along without waiting; done is true when it is complete.
  subroutine hlc_sparse_test(sparse, done, status)
    type(hlc_sparse), intent(in) :: sparse
    logical, intent(out) :: done
    integer, intent(out), optional :: status
    integer :: code
    code = c_sparse_test(sparse%handle)
    done = code == HLC_OK
    call settle(code, sparse%rank, status)
  end subroutine

  !> Returns when all messages from and to this rank have arrived.
  subroutine hlc_sparse_finish(sparse, status)
    type(hlc_sparse), intent(in) :: sparse
    integer, intent(out), optional :: status
    call settle(int(c_sparse_finish(sparse%handle)), sparse%rank, status)
  end subroutine

  !> Start and finish in one.
  subroutine hlc_sparse_exchange(sparse, messages, status)
    type(hlc_sparse), intent(in) :: sparse
    type(hlc_sparse_message), intent(in) :: messages(:)
    integer, intent(out), optional :: status
    integer :: code
    code = c_sparse_start(sparse%handle, size(messages, kind=c_int), messages)
    if (code == HLC_OK) code = c_sparse_finish(sparse%handle)
    call settle(code, sparse%rank, status)
  end subroutine

  !> Releases it. Collective. HLC_ERR_STATE while an exchange is outstanding.
  subroutine hlc_sparse_destroy(sparse, status)
    type(hlc_sparse), intent(inout) :: sparse
    integer, intent(out), optional :: status
    integer :: code
    code = c_sparse_destroy(sparse%handle)
    if (.not. c_associated(sparse%handle) .and. associated(sparse%call)) deallocate (sparse%call)
    call settle(code, sparse%rank, status)
  end subroutine

  subroutine call_receive(origin, data, bytes, user) bind(C, name="hlc_fortran_call_receive")
    integer(c_int), value :: origin
    type(c_ptr), value :: data, user
    integer(c_int64_t), value :: bytes
    type(callback), pointer :: its
    call c_f_pointer(user, its)
    call its%receive(int(origin), data, bytes, its%user)
  end subroutine
end module halocline_sparse
