! SPDX-License-Identifier: BSD-3-Clause
!> Sets environment variables, so that one program can try every mode the way a user chooses it.
module environment
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char
  implicit none
  private
  public :: set_environment

  interface
    function c_setenv(name, value, overwrite) result(code) bind(C, name="setenv")
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*), value(*)
      integer(c_int), value :: overwrite
      integer(c_int) :: code
    end function
  end interface

contains

  subroutine set_environment(name, value)
    character(len=*), intent(in) :: name, value
    if (c_setenv(name // c_null_char, value // c_null_char, 1_c_int) /= 0) error stop "setenv failed"
  end subroutine
end module environment
