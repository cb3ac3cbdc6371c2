! SPDX-License-Identifier: BSD-3-Clause
!> Views: the cells around a block, in place, for solvers that read them there instead of in a halo. The procedures that associate a
!> pointer are written once, in halocline_views.inc, and compiled for each element type.
module halocline_views
  use, intrinsic :: iso_c_binding, only: c_associated, c_double, c_float, c_int, c_int32_t, c_int64_t, c_ptr
  use halocline_c
  use halocline_errors, only: settle, with_rank
  use halocline_halo, only: hlc_halo
  implicit none
  private
  public :: hlc_halo_finish_views, hlc_halo_release, hlc_halo_view

  interface
    function c_halo_finish_views(halo) result(status) bind(C, name="hlc_halo_finish_views")
      import :: c_int, c_ptr
      type(c_ptr), value :: halo
      integer(c_int) :: status
    end function
    function c_halo_release(halo) result(status) bind(C, name="hlc_halo_release")
      import :: c_int, c_ptr
      type(c_ptr), value :: halo
      integer(c_int) :: status
    end function
  end interface

  !> Associates the pointer u with the cells in one direction of a field's block since the last finish. The field is a 1-based index
  !> into the list of init. direction has an entry -1, 0 or 1 per dimension; all 0 is the block itself. u has the indices that the
  !> cells have in an array whose block begins at 1: west(0, j) is the cell of u(0, j). It is read, never written, until the next
  !> hlc_halo_start or hlc_halo_release; call this again after each finish. Where the last swap did not move these cells it is
  !> disassociated. owner is the rank whose cells they are, HLC_NO_NEIGHBOUR where they are this rank's own halo. Local.
  !> HLC_ERR_ARGUMENT: field, direction, or the rank of u. HLC_ERR_STATE: a swap is outstanding. HLC_ERR_UNSUPPORTED: the field is a
  !> component of a derived type, and its cells are not a whole number of elements apart; use hlc_halo_finish. u must have the
  !> field's own type: it is not checked.
  interface hlc_halo_view
    module procedure view_real32, view_real64, view_int32, view_int64
  end interface

contains

  !> Completes a swap as hlc_halo_finish does, but in mode "view" without a copy: the cells around the block are read through hlc_halo_view.
  !> Until hlc_halo_release, or the finish of the next swap, the neighbours read mine, which must not be written. In all other
  !> modes, it is hlc_halo_finish, and views show the halo.
  subroutine hlc_halo_finish_views(halo, status)
    type(hlc_halo), intent(in) :: halo
    integer, intent(out), optional :: status
    call settle(int(c_halo_finish_views(halo%handle)), halo%rank, status)
  end subroutine

  !> Releases the views and waits until the neighbours have released theirs of this block, which may be written again then.
  subroutine hlc_halo_release(halo, status)
    type(hlc_halo), intent(in) :: halo
    integer, intent(out), optional :: status
    call settle(int(c_halo_release(halo%handle)), halo%rank, status)
  end subroutine

  !> The views of a field, and which of them is in a direction. It is 0 if the direction is none, with the sentence that says so.
  subroutine find_view(halo, field, direction, views, which, code, message)
    type(hlc_halo), intent(in) :: halo
    integer, intent(in) :: field, direction(:)
    type(c_view), intent(inout) :: views(:)
    integer, intent(out) :: which, code
    character(len=*), intent(out) :: message
    integer :: d
    message = ""
    which = 0
    code = HLC_ERR_ARGUMENT
    if (c_associated(halo%handle) .and. size(direction) /= halo%ndims) then
      write (message, "(a,i0,a,i0)") "direction has ", size(direction), " entries, the halo's dimensions are ", halo%ndims
    else if (any(abs(direction) > 1)) then
      message = "direction has entries other than -1, 0 and 1"
    end if
    if (len_trim(message) > 0) return
    code = int(c_halo_views(halo%handle, int(field - 1, c_int), views))
    which = 1 + sum([((direction(d) + 1)*3**(d - 1), d = 1, size(direction))])
  end subroutine

#define BODY "halocline_views.inc"
#include "halocline_elements.inc"
end module halocline_views
