! SPDX-License-Identifier: BSD-3-Clause
!> Exchanges with any list of neighbours, packed and unpacked by the caller's own procedures. The procedures are ordinary Fortran;
!> two bind(C) procedures in this module connect them to the library and count neighbours from 1.
module halocline_exchange
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_funloc, c_int, c_loc, c_null_char, c_null_ptr, c_ptr
  use halocline_c
  use halocline_context, only: hlc_context
  use halocline_errors, only: hlc_error_message, hlc_mode_from_name, settle, with_rank
  implicit none
  private
  public :: hlc_exchange, hlc_pack, hlc_unpack, hlc_exchange_create, hlc_exchange_start, hlc_exchange_test, hlc_exchange_finish, &
            hlc_exchange_destroy, hlc_exchange_info

  abstract interface
    !> Fills buffer with the bytes_out bytes for a neighbour (1-based index in the list). Called inside hlc_exchange_start.
    !> c_f_pointer turns buffer into an array; it is aligned to 64 bytes. user is what hlc_exchange_create was given.
    subroutine hlc_pack(neighbour, buffer, user)
      import :: c_ptr
      integer, intent(in) :: neighbour
      type(c_ptr), intent(in) :: buffer, user
    end subroutine
    !> Takes the bytes_in bytes of a neighbour out of the receive buffer itself. Called inside hlc_exchange_finish, in order of
    !> arrival.
    subroutine hlc_unpack(neighbour, buffer, user)
      import :: c_ptr
      integer, intent(in) :: neighbour
      type(c_ptr), intent(in) :: buffer, user
    end subroutine
  end interface

  !> The caller's procedures and data, where the library's callbacks find them.
  type :: callbacks
    procedure(hlc_pack), pointer, nopass :: pack => null()
    procedure(hlc_unpack), pointer, nopass :: unpack => null()
    type(c_ptr) :: user = c_null_ptr
  end type

  !> A planned exchange, to be run again and again. A copy is the same exchange.
  type :: hlc_exchange
    type(c_ptr) :: handle = c_null_ptr
    integer :: rank = -1
    type(callbacks), pointer, private :: calls => null()
  end type

contains

  !> Plans exchanges with a list of neighbours: one receive buffer for all, offsets exchanged here and never again. pack and unpack
  !> must be procedures that live as long as the exchange (module procedures, not internal ones); user is handed to them untouched.
  !> mode is a mode's name, as in hlc_halo_init; name appears in messages and must be the same on all ranks. Collective over the
  !> context. HLC_ERR_MISMATCH on all ranks if two lists do not fit together.
  subroutine hlc_exchange_create(context, neighbours, pack, unpack, exchange, user, mode, epoch, drive, status, name)
    type(hlc_context), intent(in) :: context
    type(hlc_neighbour), intent(in), target, contiguous :: neighbours(:)
    procedure(hlc_pack) :: pack
    procedure(hlc_unpack) :: unpack
    type(hlc_exchange), intent(out) :: exchange
    type(c_ptr), intent(in), optional :: user
    character(len=*), intent(in), optional :: mode
    integer, intent(in), optional :: epoch, drive
    integer, intent(out), optional :: status
    character(len=*), intent(in), optional :: name
    type(c_exchange_spec) :: spec
    character(kind=c_char, len=:), allocatable, target :: c_name
    character(len=200) :: message
    integer :: code, found
    message = ""
    exchange%rank = context%rank
    allocate (exchange%calls)
    exchange%calls%pack => pack
    exchange%calls%unpack => unpack
    if (present(user)) exchange%calls%user = user

    spec%nneighbours = size(neighbours, kind=c_int)
    if (size(neighbours) > 0) spec%neighbours = c_loc(neighbours)
    spec%pack = c_funloc(call_pack)
    spec%unpack = c_funloc(call_unpack)
    spec%user = c_loc(exchange%calls)
    if (present(epoch)) spec%epoch = int(epoch, c_int)
    if (present(drive)) spec%drive = int(drive, c_int)
    if (present(name)) then
      c_name = trim(name) // c_null_char
      spec%name = c_loc(c_name)
    end if
    if (present(mode)) then
      call hlc_mode_from_name(mode, found, code)
      if (code /= HLC_OK) message = hlc_error_message()
      spec%mode = int(found, c_int)
    end if

    ! Errors that only the binding detects are sent to the other ranks.
    if (len_trim(message) > 0) then
      code = c_refuse(context%handle, trim(with_rank("hlc_exchange_create", context%rank, message)) // c_null_char)
    else
      code = c_exchange_create(context%handle, spec, exchange%handle)
    end if
    if (code /= HLC_OK) deallocate (exchange%calls)
    call settle(code, context%rank, status)
  end subroutine

  !> Calls pack for every neighbour and sends. Does not wait for other ranks, allocates nothing.
  subroutine hlc_exchange_start(exchange, status)
    type(hlc_exchange), intent(in) :: exchange
    integer, intent(out), optional :: status
    call settle(int(c_exchange_start(exchange%handle)), exchange%rank, status)
  end subroutine

  !> Moves the exchange along without waiting; done is true when finish will not wait any more. Unpacks nothing.
  subroutine hlc_exchange_test(exchange, done, status)
    type(hlc_exchange), intent(in) :: exchange
    logical, intent(out) :: done
    integer, intent(out), optional :: status
    integer :: code
    code = c_exchange_test(exchange%handle)
    done = code == HLC_OK
    call settle(code, exchange%rank, status)
  end subroutine

  !> Calls unpack for every neighbour with bytes_in > 0, in order of arrival, and returns when all are done.
  subroutine hlc_exchange_finish(exchange, status)
    type(hlc_exchange), intent(in) :: exchange
    integer, intent(out), optional :: status
    call settle(int(c_exchange_finish(exchange%handle)), exchange%rank, status)
  end subroutine

  !> Releases an exchange. Collective. HLC_ERR_STATE while it is outstanding.
  subroutine hlc_exchange_destroy(exchange, status)
    type(hlc_exchange), intent(inout) :: exchange
    integer, intent(out), optional :: status
    integer :: code
    code = c_exchange_destroy(exchange%handle)
    if (.not. c_associated(exchange%handle) .and. associated(exchange%calls)) deallocate (exchange%calls)
    call settle(code, exchange%rank, status)
  end subroutine

  !> Fills info with what create decided: mode, routes, messages, bytes. Local.
  subroutine hlc_exchange_info(exchange, info, status)
    type(hlc_exchange), intent(in) :: exchange
    type(hlc_plan_info), intent(out) :: info
    integer, intent(out), optional :: status
    call settle(int(c_exchange_info(exchange%handle, info)), exchange%rank, status)
  end subroutine

  subroutine call_pack(neighbour, buffer, user) bind(C, name="hlc_fortran_call_pack")
    integer(c_int), value :: neighbour
    type(c_ptr), value :: buffer, user
    type(callbacks), pointer :: calls
    call c_f_pointer(user, calls)
    call calls%pack(int(neighbour) + 1, buffer, calls%user)
  end subroutine

  subroutine call_unpack(neighbour, buffer, user) bind(C, name="hlc_fortran_call_unpack")
    integer(c_int), value :: neighbour
    type(c_ptr), value :: buffer, user
    type(callbacks), pointer :: calls
    call c_f_pointer(user, calls)
    call calls%unpack(int(neighbour) + 1, buffer, calls%user)
  end subroutine
end module halocline_exchange
