! SPDX-License-Identifier: BSD-3-Clause
!> Rows of cells over views. A stencil sees the rows around each row of the block in place, in its own halo or a neighbour's array.
!> Its innermost loop has no branch. The procedures that associate a pointer are written once, in halocline_rows.inc, and compiled
!> for each element type.
module halocline_rows
  use, intrinsic :: iso_c_binding, only: c_associated, c_double, c_f_pointer, c_float, c_funloc, c_funptr, c_int, &
    c_int32_t, c_int64_t, c_intptr_t, c_loc, c_null_ptr, c_ptr, c_size_t
  use halocline_c
  use halocline_errors, only: settle, with_rank
  use halocline_fields, only: expand_depth
  use halocline_halo, only: hlc_halo
  implicit none
  private
  public :: hlc_for_rows, hlc_row, hlc_row_body, hlc_row_cells

  !> A piece of a row of the block. It has its first cell (counted from 1 in the block, one entry per dimension) and its number of
  !> cells along the rows. hlc_row_cells shows the cells, here and around.
  type :: hlc_row
    integer(c_int64_t) :: first(HLC_MAX_DIMS) = 1
    integer(c_int64_t) :: count = 0
    integer, private :: rank = -1, ndims = 0, dim = 1
    logical, private :: star = .false.
    integer(c_int64_t), private :: reach(HLC_MAX_DIMS) = 0, element_bytes = 0
    type(c_ptr), private :: cells = c_null_ptr
  end type

  abstract interface
    !> Computes the cells of one piece of a row. row, and the pointers that it gives, are gone when it returns. user is what hlc_for_rows was
    !> given, c_null_ptr without it.
    subroutine hlc_row_body(row, user)
      import :: c_ptr, hlc_row
      type(hlc_row), intent(in) :: row
      type(c_ptr), intent(in) :: user
    end subroutine
  end interface

  !> Associates the pointer cells with the row at offset (one entry per dimension, 0 along the row itself) from a piece. Its index
  !> is the cell's in the block. Example: rows run along the first dimension, and row%first(2) = j. After hlc_row_cells(row, [0,
  !> -1], south), south(i) is u(i, j - 1). It begins and ends as far beyond the piece as the stencil reaches; in a star, rows beside
  !> the piece do not. It is read, never written. It is disassociated for a row that is not completely known or that a star does not
  !> read. HLC_ERR_ARGUMENT: offset, or an element of another size than the field's. cells must have the field's own type: only its
  !> size is checked.
  interface hlc_row_cells
    module procedure cells_real32, cells_real64, cells_int32, cells_int64
  end interface

  !> What one walk hands to its rows.
  type :: walk
    procedure(hlc_row_body), pointer, nopass :: body => null()
    type(c_ptr) :: user = c_null_ptr
    type(hlc_row) :: row
  end type

  !> struct hlc_row.
  type, bind(C) :: c_row
    integer(c_int64_t) :: first(HLC_MAX_DIMS) = 0
    integer(c_int64_t) :: count = 0
    type(c_ptr) :: cells = c_null_ptr
  end type

  !> struct hlc_rows_spec.
  type, bind(C) :: c_rows_spec
    integer(c_int) :: ndims = 0, dim = 0
    type(c_ptr) :: views = c_null_ptr
    integer(c_size_t) :: element_bytes = 0
    integer(c_int) :: stencil = 0
    integer(c_int64_t) :: reach(HLC_MAX_DIMS) = 0
  end type

  interface
    function c_for_rows(spec, body, user) result(status) bind(C, name="hlc_for_rows")
      import :: c_funptr, c_int, c_ptr, c_rows_spec
      type(c_rows_spec), intent(in) :: spec
      type(c_funptr), value :: body
      type(c_ptr), value :: user
      integer(c_int) :: status
    end function
  end interface

contains

  !> Calls body for pieces that make up the whole block of a field (1-based index into the list of init), each cell once, after
  !> hlc_halo_finish or hlc_halo_finish_views. reach is how far the stencil reads: a scalar for all dimensions, or one per
  !> dimension, at most the depth. stencil is HLC_STENCIL_BOX (the default) or HLC_STENCIL_STAR, which reads along one dimension at
  !> a time. Rows run along dim (1-based; the first one by default), where the field's cells must be contiguous. body reads this
  !> field and writes another. Local; allocates nothing. HLC_ERR_ARGUMENT names what is wrong; HLC_ERR_STATE while a swap is
  !> outstanding.
  subroutine hlc_for_rows(halo, field, reach, body, user, stencil, dim, status)
    type(hlc_halo), intent(in) :: halo
    integer, intent(in) :: field
    integer, intent(in) :: reach(..)
    procedure(hlc_row_body) :: body
    type(c_ptr), intent(in), optional :: user
    integer, intent(in), optional :: stencil, dim
    integer, intent(out), optional :: status
    type(c_view), target :: views(3**HLC_MAX_DIMS)
    type(walk), target :: mine
    type(c_rows_spec) :: spec
    character(len=100) :: message
    integer :: code
    mine%body => body
    if (present(user)) mine%user = user
    if (present(stencil)) spec%stencil = int(stencil, c_int)
    mine%row%star = spec%stencil == HLC_STENCIL_STAR
    call set_row(halo, reach, dim, mine%row, message)
    if (len_trim(message) > 0) then
      call settle(int(HLC_ERR_ARGUMENT), halo%rank, status, with_rank("hlc_for_rows", halo%rank, message))
      return
    end if
    code = int(c_halo_views(halo%handle, int(field - 1, c_int), views))
    if (code == HLC_OK) then
      mine%row%element_bytes = halo%element_bytes(field)
      spec%ndims = int(halo%ndims, c_int)
      spec%dim = int(mine%row%dim - 1, c_int)
      spec%views = c_loc(views)
      spec%element_bytes = int(mine%row%element_bytes, c_size_t)
      spec%reach = mine%row%reach
      code = int(c_for_rows(spec, c_funloc(call_body), c_loc(mine)))
    end if
    call settle(code, halo%rank, status)
  end subroutine

  !> What all rows of a walk have in common; or the sentence that says what is wrong.
  subroutine set_row(halo, reach, dim, row, message)
    type(hlc_halo), intent(in) :: halo
    integer, intent(in) :: reach(..)
    integer, intent(in), optional :: dim
    type(hlc_row), intent(inout) :: row
    character(len=*), intent(out) :: message
    logical :: ok
    message = ""
    row%rank = halo%rank
    row%ndims = halo%ndims
    if (present(dim)) row%dim = dim
    call expand_depth(reach, halo%ndims, row%reach, ok)
    if (.not. c_associated(halo%handle)) return
    if (.not. ok) write (message, "(a,i0)") "reach must be a scalar or an array of size ", halo%ndims
    if (row%dim < 1 .or. row%dim > halo%ndims) &
      write (message, "(a,i0,a,i0)") "dim is ", row%dim, " but must be 1 to ", halo%ndims
  end subroutine

  !> Adapter between the library and the caller's procedure.
  subroutine call_body(row, user) bind(C, name="hlc_fortran_call_body")
    type(c_row), intent(in) :: row
    type(c_ptr), value :: user
    type(walk), pointer :: mine
    call c_f_pointer(user, mine)
    mine%row%first = row%first + 1
    mine%row%count = row%count
    mine%row%cells = row%cells
    call mine%body(mine%row, mine%user)
  end subroutine

  !> Returns the address of the first cell of a pointer to the row at offset, and the indices of the first and the last cell.
  !> Otherwise it returns a sentence that says what is wrong.
  subroutine find_cells(row, offset, bytes, address, ends, message)
    type(hlc_row), intent(in) :: row
    integer, intent(in) :: offset(:), bytes
    type(c_ptr), intent(out) :: address
    integer(c_int64_t), intent(out) :: ends(2)
    character(len=*), intent(out) :: message
    type(c_ptr), pointer :: rows(:)
    integer(c_int64_t) :: margin, which, all_rows
    integer :: d
    address = c_null_ptr
    ends = 0
    call check_row(row, offset, bytes, message)
    if (len_trim(message) > 0) return
    which = 1
    all_rows = 1
    do d = 1, row%ndims
      if (d == row%dim) cycle
      which = which + (offset(d) + row%reach(d)) * all_rows
      all_rows = all_rows * (2 * row%reach(d) + 1)
    end do
    margin = merge(0_c_int64_t, row%reach(row%dim), row%star .and. any(offset /= 0))
    ends = row%first(row%dim) + [-margin, row%count - 1 + margin]
    call c_f_pointer(row%cells, rows, [all_rows])
    if (.not. c_associated(rows(which))) return
    address = transfer(transfer(rows(which), 0_c_intptr_t) - margin * row%element_bytes, address)
  end subroutine

  subroutine check_row(row, offset, bytes, message)
    type(hlc_row), intent(in) :: row
    integer, intent(in) :: offset(:), bytes
    character(len=*), intent(out) :: message
    message = ""
    if (.not. c_associated(row%cells)) then
      message = "row is not one that hlc_for_rows has shown"
    else if (size(offset) /= row%ndims) then
      write (message, "(a,i0,a,i0)") "offset has ", size(offset), " entries, the halo's dimensions are ", row%ndims
    else if (any(abs(offset) > row%reach(1:row%ndims))) then
      message = "offset is larger than reach"
    else if (offset(row%dim) /= 0) then
      message = "offset is not 0 along the row, which has the cells beyond its ends in itself"
    else if (bytes /= row%element_bytes) then
      write (message, "(2(a,i0))") "cells has elements of ", bytes, " bytes, those of the field have ", row%element_bytes
    end if
  end subroutine

#define BODY "halocline_rows.inc"
#include "halocline_elements.inc"
end module halocline_rows
