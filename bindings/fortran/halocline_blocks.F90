! SPDX-License-Identifier: BSD-3-Clause
!> Halo swaps of any set of boxes: a rank may have several or none, of any sizes, anywhere in the domain. Boxes of one rank copy from each
!> other without a message.
module halocline_blocks
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int64_t, c_loc, c_null_char, c_null_ptr, c_ptr, c_size_t
  use halocline_c
  use halocline_context, only: hlc_context
  use halocline_errors, only: hlc_error_message, hlc_mode_from_name, settle, with_rank
  use halocline_fields, only: check_depths, check_shape, expand_depth, hlc_field, is_shaped, MAX_NAME, name_of, shape_of
  implicit none
  private
  public :: hlc_box, hlc_blocks, hlc_blocks_init, hlc_blocks_start, hlc_blocks_start_on, hlc_blocks_test, hlc_blocks_finish, &
            hlc_blocks_finish_on, hlc_blocks_start_part, hlc_blocks_finish_part, hlc_blocks_finalise, hlc_blocks_info

  !> A box of cells of the domain that a rank owns: its first cell (counted from 0, as in hlc_grid) and its cells without halo. It
  !> also has a number for messages, and the thread that drives it (from 0).
  type, bind(C) :: hlc_box
    integer(c_int64_t) :: start(HLC_MAX_DIMS) = 0
    integer(c_int64_t) :: count(HLC_MAX_DIMS) = 0
    integer(c_int64_t) :: id = 0
    integer(c_int) :: part = 0
  end type

  !> struct hlc_blocks_spec.
  type, bind(C) :: c_blocks_spec
    integer(c_int) :: ndims = 0
    integer(c_int64_t) :: global(HLC_MAX_DIMS) = 0
    integer(c_int) :: periodic(HLC_MAX_DIMS) = 0
    integer(c_int64_t) :: depth_low(HLC_MAX_DIMS) = 0
    integer(c_int64_t) :: depth_high(HLC_MAX_DIMS) = 0
    integer(c_int) :: stencil = 0, layout = HLC_COLUMN_MAJOR, nblocks = 0
    type(c_ptr) :: blocks = c_null_ptr
    integer(c_int) :: nfields = 0
    type(c_ptr) :: fields = c_null_ptr
    integer(c_int) :: parts = 0, mode = 0, epoch = 0, drive = 0
    type(c_ptr) :: shapes = c_null_ptr
  end type

  !> Planned swaps of blocks, to be run again and again. A copy is the same blocks.
  type :: hlc_blocks
    type(c_ptr) :: handle = c_null_ptr
    integer :: rank = -1
    integer :: nfields = 0
  end type

  interface
    function c_blocks_init(context, spec, blocks) result(status) bind(C, name="hlc_blocks_init")
      import :: c_blocks_spec, c_int, c_ptr
      type(c_ptr), value :: context
      type(c_blocks_spec), intent(in) :: spec
      type(c_ptr), intent(out) :: blocks
      integer(c_int) :: status
    end function
    function c_blocks_start(blocks, what) result(status) bind(C, name="hlc_blocks_start")
      import :: c_int, c_ptr, c_swap
      type(c_ptr), value :: blocks
      type(c_swap), intent(in) :: what
      integer(c_int) :: status
    end function
    function c_blocks_start_on(blocks, what, stream) result(status) bind(C, name="hlc_blocks_start_on")
      import :: c_int, c_ptr, c_swap
      type(c_ptr), value :: blocks
      type(c_swap), intent(in) :: what
      type(c_ptr), value :: stream
      integer(c_int) :: status
    end function
    function c_blocks_finish_on(blocks, stream) result(status) bind(C, name="hlc_blocks_finish_on")
      import :: c_int, c_ptr
      type(c_ptr), value :: blocks, stream
      integer(c_int) :: status
    end function
    function c_blocks_start_part(blocks, part, what) result(status) bind(C, name="hlc_blocks_start_part")
      import :: c_int, c_ptr, c_swap
      type(c_ptr), value :: blocks
      integer(c_int), value :: part
      type(c_swap), intent(in) :: what
      integer(c_int) :: status
    end function
    function c_blocks_test(blocks) result(status) bind(C, name="hlc_blocks_test")
      import :: c_int, c_ptr
      type(c_ptr), value :: blocks
      integer(c_int) :: status
    end function
    function c_blocks_finish(blocks) result(status) bind(C, name="hlc_blocks_finish")
      import :: c_int, c_ptr
      type(c_ptr), value :: blocks
      integer(c_int) :: status
    end function
    function c_blocks_finish_part(blocks, part) result(status) bind(C, name="hlc_blocks_finish_part")
      import :: c_int, c_ptr
      type(c_ptr), value :: blocks
      integer(c_int), value :: part
      integer(c_int) :: status
    end function
    function c_blocks_finalise(blocks) result(status) bind(C, name="hlc_blocks_finalise")
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: blocks
      integer(c_int) :: status
    end function
    function c_blocks_info(blocks, info) result(status) bind(C, name="hlc_blocks_info")
      import :: c_int, c_ptr, hlc_plan_info
      type(c_ptr), value :: blocks
      type(hlc_plan_info), intent(out) :: info
      integer(c_int) :: status
    end function
  end interface

contains

  !> Plans swaps of this rank's boxes of a domain of global cells. periodic has one entry per dimension. fields(f, b) is field f of
  !> box b, from hlc_field_of: an array of the box's cells and its halo. Without boxes it has the shape (nfields, 0). depth,
  !> depth_high, stencil, mode, epoch and drive are as for hlc_halo_init. A field on nodes, or with depths of its own, is passed
  !> through hlc_shaped in every box; its halo may be deeper than a box. parts is the number of threads that drive a swap together.
  !> Halo cells without an owner are left unchanged. Collective over the context. HLC_ERR_ARGUMENT names boxes that overlap with
  !> both owners.
  subroutine hlc_blocks_init(context, global, periodic, boxes, fields, depth, blocks, depth_high, stencil, parts, mode, epoch, &
                             drive, status)
    type(hlc_context), intent(in) :: context
    integer(c_int64_t), intent(in) :: global(:)
    logical, intent(in) :: periodic(:)
    type(hlc_box), intent(in), target, contiguous :: boxes(:)
    type(hlc_field), intent(in) :: fields(:, :)
    integer, intent(in) :: depth(..)
    type(hlc_blocks), intent(out) :: blocks
    integer, intent(in), optional :: depth_high(..)
    integer, intent(in), optional :: stencil, parts, epoch, drive
    character(len=*), intent(in), optional :: mode
    integer, intent(out), optional :: status
    type(c_blocks_spec) :: spec
    type(c_field), target :: plain(size(fields))
    type(c_field_shape), target :: shapes(size(fields, 1))
    character(kind=c_char), target :: names(MAX_NAME, size(fields))
    character(len=200) :: message
    integer :: code, found, ndims
    logical :: ok, ok_high

    message = ""
    blocks%rank = context%rank
    blocks%nfields = size(fields, 1)
    ndims = size(global)
    if (ndims < 1 .or. ndims > HLC_MAX_DIMS .or. size(periodic) /= ndims) then
      message = "global and periodic need one entry per dimension, 1 to 4"
    else
      spec%ndims = int(ndims, c_int)
      spec%global(1:ndims) = global
      spec%periodic(1:ndims) = merge(1_c_int, 0_c_int, periodic)
      call expand_depth(depth, ndims, spec%depth_low, ok)
      spec%depth_high = spec%depth_low
      ok_high = .true.
      if (present(depth_high)) call expand_depth(depth_high, ndims, spec%depth_high, ok_high)
      call check_depths("", spec%depth_low, spec%depth_high, ndims, message)
      if (.not. (ok .and. ok_high)) write (message, "(a,i0)") "depth must be a scalar or an array of size ", ndims
    end if
    if (present(stencil)) spec%stencil = int(stencil, c_int)
    if (present(parts)) spec%parts = int(parts, c_int)
    if (present(epoch)) spec%epoch = int(epoch, c_int)
    if (present(drive)) spec%drive = int(drive, c_int)
    if (present(mode)) then
      call hlc_mode_from_name(mode, found, code)
      if (code /= HLC_OK) message = hlc_error_message()
      spec%mode = int(found, c_int)
    end if
    spec%nblocks = size(boxes, kind=c_int)
    spec%nfields = size(fields, 1, kind=c_int)
    if (size(boxes) > 0) spec%blocks = c_loc(boxes)
    if (size(fields) > 0) then
      call set_fields(reshape(fields, [size(fields)]), names, plain)
      spec%fields = c_loc(plain)
    end if
    if (any(is_shaped(fields))) then
      if (len_trim(message) == 0) call set_shapes(fields, ndims, shapes, message)
      spec%shapes = c_loc(shapes)
    end if
    if (len_trim(message) == 0) call check_extents(boxes, fields, spec, message)

    ! Errors that only the binding detects are sent to the other ranks.
    if (len_trim(message) > 0) then
      code = c_refuse(context%handle, trim(with_rank("hlc_blocks_init", context%rank, message)) // c_null_char)
    else
      code = c_blocks_init(context%handle, spec, blocks%handle)
    end if
    call settle(code, context%rank, status)
  end subroutine

  !> Starts one swap of all boxes. fields (from 1, ascending) chooses some of the fields. reverse adds the halos to the owners' cells
  !> instead, and sets them to zero. With depth at most so many halo cells per side are swapped. Otherwise as hlc_halo_start.
  subroutine hlc_blocks_start(blocks, fields, reverse, status, depth)
    type(hlc_blocks), intent(in) :: blocks
    integer, intent(in), optional :: fields(:)
    logical, intent(in), optional :: reverse
    integer, intent(in), optional :: depth
    integer, intent(out), optional :: status
    integer(c_int), target :: chosen(blocks%nfields)
    type(c_swap) :: swap
    integer :: code
    code = HLC_OK
    call describe(fields, reverse, depth, chosen, swap, code)
    if (code == HLC_OK) code = c_blocks_start(blocks%handle, swap)
    call settle_start(code, blocks, fields, "hlc_blocks_start", status)
  end subroutine

  !> The same of arrays in the memory of a CUDA device, after the work that the program has given to a stream of it, as for
  !> hlc_halo_start_on.
  subroutine hlc_blocks_start_on(blocks, stream, fields, reverse, status, depth)
    type(hlc_blocks), intent(in) :: blocks
    type(c_ptr), intent(in) :: stream
    integer, intent(in), optional :: fields(:)
    logical, intent(in), optional :: reverse
    integer, intent(in), optional :: depth
    integer, intent(out), optional :: status
    integer(c_int), target :: chosen(blocks%nfields)
    type(c_swap) :: swap
    integer :: code
    code = HLC_OK
    call describe(fields, reverse, depth, chosen, swap, code)
    if (code == HLC_OK) code = c_blocks_start_on(blocks%handle, swap, stream)
    call settle_start(code, blocks, fields, "hlc_blocks_start_on", status)
  end subroutine

  !> As hlc_blocks_start for one part (from 0), in a thread of its own: its boxes are ready. The last part's call sends.
  subroutine hlc_blocks_start_part(blocks, part, fields, reverse, status, depth)
    type(hlc_blocks), intent(in) :: blocks
    integer, intent(in) :: part
    integer, intent(in), optional :: fields(:)
    logical, intent(in), optional :: reverse
    integer, intent(in), optional :: depth
    integer, intent(out), optional :: status
    integer(c_int), target :: chosen(blocks%nfields)
    type(c_swap) :: swap
    integer :: code
    code = HLC_OK
    call describe(fields, reverse, depth, chosen, swap, code)
    if (code == HLC_OK) code = c_blocks_start_part(blocks%handle, int(part, c_int), swap)
    call settle_start(code, blocks, fields, "hlc_blocks_start_part", status)
  end subroutine

  !> Moves the swap along without waiting; done is true when finish will not wait for data any more.
  subroutine hlc_blocks_test(blocks, done, status)
    type(hlc_blocks), intent(in) :: blocks
    logical, intent(out) :: done
    integer, intent(out), optional :: status
    integer :: code
    code = c_blocks_test(blocks%handle)
    done = code == HLC_OK
    call settle(code, blocks%rank, status)
  end subroutine

  !> Completes the swap: all halos are filled, all cells may be written again.
  subroutine hlc_blocks_finish(blocks, status)
    type(hlc_blocks), intent(in) :: blocks
    integer, intent(out), optional :: status
    call settle(int(c_blocks_finish(blocks%handle)), blocks%rank, status)
  end subroutine

  !> The same in order with the work in a stream, as hlc_halo_finish_on: the host does not wait for the last copies to the device.
  subroutine hlc_blocks_finish_on(blocks, stream, status)
    type(hlc_blocks), intent(in) :: blocks
    type(c_ptr), intent(in) :: stream
    integer, intent(out), optional :: status
    call settle(int(c_blocks_finish_on(blocks%handle, stream)), blocks%rank, status)
  end subroutine

  !> As hlc_blocks_finish for one part (from 0), sharing the copies with the others.
  subroutine hlc_blocks_finish_part(blocks, part, status)
    type(hlc_blocks), intent(in) :: blocks
    integer, intent(in) :: part
    integer, intent(out), optional :: status
    call settle(int(c_blocks_finish_part(blocks%handle, int(part, c_int))), blocks%rank, status)
  end subroutine

  !> Releases blocks. Collective. HLC_ERR_STATE while a swap is outstanding.
  subroutine hlc_blocks_finalise(blocks, status)
    type(hlc_blocks), intent(inout) :: blocks
    integer, intent(out), optional :: status
    call settle(int(c_blocks_finalise(blocks%handle)), blocks%rank, status)
  end subroutine

  !> Fills info with what init decided: mode, routes, messages, bytes. Local.
  subroutine hlc_blocks_info(blocks, info, status)
    type(hlc_blocks), intent(in) :: blocks
    type(hlc_plan_info), intent(out) :: info
    integer, intent(out), optional :: status
    call settle(int(c_blocks_info(blocks%handle, info)), blocks%rank, status)
  end subroutine

  ! ---------------------------------------------------------------- what the calls hand over

  !> A list that is longer than all fields cannot be one of theirs.
  subroutine describe(fields, reverse, depth, chosen, swap, code)
    integer, intent(in), optional :: fields(:), depth
    logical, intent(in), optional :: reverse
    integer(c_int), intent(inout), target :: chosen(:)
    type(c_swap), intent(out) :: swap
    integer, intent(inout) :: code
    if (present(reverse)) swap%reverse = merge(1_c_int, 0_c_int, reverse)
    if (present(depth)) swap%depth = int(depth, c_int64_t)
    if (.not. present(fields)) return
    if (size(fields) < 1 .or. size(fields) > size(chosen)) then
      code = HLC_ERR_ARGUMENT
      return
    end if
    chosen(1:size(fields)) = int(fields - 1, c_int)
    swap%nfields = size(fields, kind=c_int)
    swap%fields = c_loc(chosen(1))
  end subroutine

  !> What only the binding saw has a message of its own.
  subroutine settle_start(code, blocks, fields, call_name, status)
    integer, intent(in) :: code
    type(hlc_blocks), intent(in) :: blocks
    integer, intent(in), optional :: fields(:)
    character(len=*), intent(in) :: call_name
    integer, intent(out), optional :: status
    character(len=100) :: message
    message = ""
    if (present(fields)) then
      if (size(fields) < 1 .or. size(fields) > blocks%nfields) &
        write (message, "(2(a,i0))") "fields has ", size(fields), " entries but must have 1 to ", blocks%nfields
    end if
    if (len_trim(message) > 0) then
      call settle(code, blocks%rank, status, with_rank(call_name, blocks%rank, message))
    else
      call settle(code, blocks%rank, status)
    end if
  end subroutine

  subroutine set_fields(fields, names, plain)
    type(hlc_field), intent(in) :: fields(:)
    character(kind=c_char), intent(inout), target :: names(:, :)
    type(c_field), intent(inout) :: plain(:)
    integer :: f
    do f = 1, size(fields)
      names(:, f) = fields(f)%name
      plain(f)%data = fields(f)%data
      plain(f)%type = int(fields(f)%type, c_int)
      plain(f)%element_bytes = int(fields(f)%element_bytes, c_size_t)
      plain(f)%stride_bytes = fields(f)%stride_bytes
      if (fields(f)%name(1) /= c_null_char) plain(f)%name = c_loc(names(1, f))
    end do
  end subroutine

  !> A field has one shape in all boxes.
  subroutine set_shapes(fields, ndims, shapes, message)
    type(hlc_field), intent(in) :: fields(:, :)
    integer, intent(in) :: ndims
    type(c_field_shape), intent(inout) :: shapes(:)
    character(len=*), intent(inout) :: message
    character(len=60) :: who
    integer :: b, f
    do b = 1, size(fields, 2)
      do f = 1, size(fields, 1)
        write (who, "(a,2(i0,a),2a)") "fields(", f, ", ", b, ") '", name_of(fields(f, b)), "':"
        call check_shape(trim(who) // " ", fields(f, b), ndims, message)
        if (len_trim(message) > 0) return
        if (fields(f, b)%shape_dims /= 0 .and. fields(f, b)%shape_dims /= ndims) then
          write (message, "(a,2(i0,a),2a,i0,a)") "fields(", f, ", ", b, ") '", name_of(fields(f, b)), &
            "': hlc_shaped takes scalars or ", ndims, " entries, and depth_high with depth"
          return
        else if (.not. alike(fields(f, b), fields(f, 1))) then
          call name_odd_box(fields(f, :), f, b, message)
          return
        end if
        if (b == 1) shapes(f) = shape_of(fields(f, b))
      end do
    end do
  end subroutine

  !> Boxes 1 and `other` differ in the shape of field f. At fault is the one that was not passed through hlc_shaped, or else the one
  !> that no other box is like.
  subroutine name_odd_box(boxes, f, other, message)
    type(hlc_field), intent(in) :: boxes(:)
    integer, intent(in) :: f, other
    character(len=*), intent(inout) :: message
    character(len=30) :: what
    integer :: b, odd, right, like_first
    like_first = 0
    do b = 1, size(boxes)
      if (alike(boxes(b), boxes(1))) like_first = like_first + 1
    end do
    what = "has another shape than"
    odd = merge(1, other, like_first == 1 .and. size(boxes) > 2)
    if (is_shaped(boxes(1)) .neqv. is_shaped(boxes(other))) then
      what = "lacks the hlc_shaped of"
      odd = merge(other, 1, is_shaped(boxes(1)))
    end if
    right = merge(1, other, odd == other)
    write (message, "(a,2(i0,a),4a,2(i0,a))") "fields(", f, ", ", odd, ") '", name_of(boxes(odd)), "' ", trim(what), " fields(", &
      f, ", ", right, "): a field has the same nodes and depths in all boxes"
  end subroutine

  pure function alike(a, b)
    type(hlc_field), intent(in) :: a, b
    logical :: alike
    alike = all(a%stagger == b%stagger) .and. a%own_depth == b%own_depth .and. all(a%depth_low == b%depth_low) .and. &
            all(a%depth_high == b%depth_high)
  end function

  !> Compares each array's own extents with its box and halo, so that a field that is too small never reaches the kernels.
  subroutine check_extents(boxes, fields, spec, message)
    type(hlc_box), intent(in) :: boxes(:)
    type(hlc_field), intent(in) :: fields(:, :)
    type(c_blocks_spec), intent(in) :: spec
    character(len=*), intent(inout) :: message
    character(len=40) :: what
    integer(c_int64_t) :: expected
    integer :: b, f, d
    if (size(fields, 2) /= size(boxes)) then
      write (message, "(a,i0,a,i0,a)") "fields is for ", size(fields, 2), " boxes, there are ", size(boxes), ""
      return
    end if
    do b = 1, size(boxes)
      do f = 1, size(fields, 1)
        do d = 1, min(int(fields(f, b)%ndims), int(spec%ndims))
          expected = boxes(b)%count(d) + spec%depth_low(d) + spec%depth_high(d)
          if (fields(f, b)%own_depth /= 0) &
            expected = boxes(b)%count(d) + fields(f, b)%depth_low(d) + fields(f, b)%depth_high(d)
          what = " where box and halo make "
          if (fields(f, b)%stagger(d) /= HLC_CENTRED) then
            expected = expected + 1
            what = " where box, halo and one more node make "
          end if
          if (fields(f, b)%extent(d) /= expected) write (message, "(a,2(i0,a),2a,i0,a,i0,a,i0)") "fields(", f, ", ", b, ") '", &
            name_of(fields(f, b)), "' has ", fields(f, b)%extent(d), " values along dimension ", d, trim(what) // " ", expected
        end do
      end do
    end do
  end subroutine
end module halocline_blocks
