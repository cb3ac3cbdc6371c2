!> A file that a run may continue from is replaced as a whole: another one is written beside it, stored, and put in its place. So
!> the old one stays where the new one could not be written.
!> SPDX-License-Identifier: BSD-3-Clause
module cloud_replace
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char
  implicit none
  private
  public :: first_written, put_in_place, drop, if_full

  interface
    function c_is_replaced(path) result(yes) bind(C, name='cloud_is_replaced')
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int) :: yes
    end function c_is_replaced
    function c_disk_is_full(path) result(yes) bind(C, name='cloud_disk_is_full')
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int) :: yes
    end function c_disk_is_full
    function c_process() result(number) bind(C, name='cloud_process')
      import :: c_int
      integer(c_int) :: number
    end function c_process
    subroutine c_remove(path) bind(C, name='cloud_remove')
      import :: c_char
      character(kind=c_char), intent(in) :: path(*)
    end subroutine c_remove
    function c_replace(part, path, reason, room) result(length) bind(C, name='cloud_put_in_place')
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: part(*), path(*)
      character(kind=c_char), intent(out) :: reason(*)
      integer(c_int), value :: room
      integer(c_int) :: length
    end function c_replace
  end interface

contains

  !> The file that is written first: one beside it, or itself where it is a link, a pipe or a device.
  function first_written(path) result(part)
    character(*), intent(in) :: path
    character(:), allocatable :: part
    character(16) :: number
    part = path
    if (c_is_replaced(path//c_null_char) == 0) return
    write (number, '(i0)') c_process()
    part = path//'.'//trim(number)
  end function first_written

  !> part, which is complete, takes the place of path. message is empty, or says why not; then the old file is there.
  subroutine put_in_place(part, path, message)
    character(*), intent(in) :: part, path
    character(:), allocatable, intent(out) :: message
    character(256) :: reason
    integer :: length
    message = ''
    if (part == path) return
    reason = ''
    length = c_replace(part//c_null_char, path//c_null_char, reason, len(reason))
    if (length == 0) return
    message = trim(reason)
    call drop(part, path)
  end subroutine put_in_place

  !> What libraries that write files do not say of an error: the disk of a file that is there is full. Else it is empty.
  function if_full(path) result(words)
    character(*), intent(in) :: path
    character(:), allocatable :: words
    words = ''
    if (c_disk_is_full(path//c_null_char) /= 0) words = '; the disk is full'
  end function if_full

  !> Removes what was written beside a file.
  subroutine drop(part, path)
    character(*), intent(in) :: part, path
    if (part /= path) call c_remove(part//c_null_char)
  end subroutine drop
end module cloud_replace
