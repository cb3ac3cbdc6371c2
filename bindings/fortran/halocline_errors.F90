! SPDX-License-Identifier: BSD-3-Clause
!> Errors and names. Returns a status to a caller that asked for it, and stops the program for one that did not. Turns C strings
!> into Fortran strings. Every other module of the binding reports through settle.
module halocline_errors
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_int, c_null_char, c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: error_unit
  use halocline_c
  implicit none
  private
  public :: with_rank, hlc_status_name, hlc_error_message, hlc_mode_name, hlc_mode_from_name, hlc_version, fortran_string, settle

  interface
    !> Keeps what the binding itself found wrong with the thread's last failed call; empty if the library found it.
    subroutine keep_message(message) bind(C, name="hlc_fortran_keep_message")
      import :: c_char
      character(c_char), intent(in) :: message(*)
    end subroutine

    function kept_message() result(message) bind(C, name="hlc_fortran_kept_message")
      import :: c_ptr
      type(c_ptr) :: message
    end function

    function c_strlen(string) result(length) bind(C, name="strlen")
      import :: c_ptr, c_size_t
      type(c_ptr), value :: string
      integer(c_size_t) :: length
    end function
  end interface

contains

  !> Returns the fixed name of a status, for example "HLC_ERR_ARGUMENT".
  function hlc_status_name(status) result(name)
    integer, intent(in) :: status
    character(len=:), allocatable :: name
    name = fortran_string(c_status_name(int(status, c_int)))
  end function

  !> Returns one sentence about the thread's last call that failed: which argument, rank and value. It is empty if none failed.
  function hlc_error_message() result(message)
    character(len=:), allocatable :: message
    message = fortran_string(kept_message())
    if (len(message) == 0) message = fortran_string(c_error_message())
  end function

  !> Returns the name of a mode as HALOCLINE_MODE takes it ("p2p"), or "unknown" for a value that is no mode.
  function hlc_mode_name(mode) result(name)
    integer, intent(in) :: mode
    character(len=:), allocatable :: name
    name = fortran_string(c_mode_name(int(mode, c_int)))
  end function

  !> Finds a mode by its name; trailing blanks do not matter. HLC_ERR_ARGUMENT, with the nearest name in the message, if there is
  !> none such.
  subroutine hlc_mode_from_name(name, mode, status)
    character(len=*), intent(in) :: name
    integer, intent(out) :: mode
    integer, intent(out), optional :: status
    integer(c_int) :: found
    integer :: code
    found = HLC_MODE_DEFAULT
    code = c_mode_from_name(trim(name) // c_null_char, found)
    mode = found
    call settle(code, -1, status)
  end subroutine

  !> Returns the library's version as "major.minor.patch".
  function hlc_version() result(version)
    character(len=:), allocatable :: version
    version = fortran_string(c_version())
  end function

  !> Ends a call. It returns code in status if the caller passed one. Else, if code is an error, it prints its message with the rank
  !> (left out below 0) to error_unit and stops the program. message, where not blank, is what the binding itself found wrong.
  subroutine settle(code, rank, status, message)
    integer, intent(in) :: code, rank
    integer, intent(out), optional :: status
    character(len=*), intent(in), optional :: message
    if (present(status)) status = code
    if (code == HLC_OK .or. code == HLC_AGAIN) return
    if (present(message)) then
      call keep_message(trim(message) // c_null_char)
    else
      call keep_message(c_null_char)
    end if
    if (.not. present(status)) call stop_program(code, rank)
  end subroutine

  !> Puts the call and the rank before what the binding found wrong, as the library's own sentences have them. Blank stays blank.
  function with_rank(call_name, rank, message) result(sentence)
    character(len=*), intent(in) :: call_name, message
    integer, intent(in) :: rank
    character(len=400) :: sentence
    sentence = ""
    if (len_trim(message) == 0) return
    write (sentence, "(2a,i0,2a)") call_name, " on rank ", rank, ": ", trim(message(1:min(len(message), 200)))
  end function

  !> Where the C files of this folder report: their message, where not blank, is what they found wrong themselves.
  subroutine settle_for_c(code, rank, status, call_name, message) bind(C, name="hlc_fortran_settle")
    integer(c_int), value :: code, rank
    integer(c_int), intent(out), optional :: status
    type(c_ptr), value :: call_name, message
    if (code /= HLC_OK) then
      call settle(int(code), int(rank), status, with_rank(fortran_string(call_name), int(rank), fortran_string(message)))
    else if (present(status)) then
      status = code
    end if
  end subroutine

  subroutine stop_program(code, rank)
    integer, intent(in) :: code, rank
    if (rank < 0) write (error_unit, "(4a)") "halocline: ", hlc_status_name(code), ": ", hlc_error_message()
    if (rank >= 0) write (error_unit, "(a,i0,4a)") "halocline: rank ", rank, ": ", hlc_status_name(code), ": ", hlc_error_message()
    flush (error_unit)
    error stop 1
  end subroutine

  !> Copies a C string into a Fortran string.
  function fortran_string(string) result(copy)
    type(c_ptr), intent(in) :: string
    character(len=:), allocatable :: copy
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    if (.not. c_associated(string)) then
      copy = ""
      return
    end if
    call c_f_pointer(string, letters, [c_strlen(string)])
    allocate (character(len=size(letters)) :: copy)
    do i = 1, size(letters)
      copy(i:i) = letters(i)
    end do
  end function
end module halocline_errors
