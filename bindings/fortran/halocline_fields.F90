! SPDX-License-Identifier: BSD-3-Clause
!> Fields: allocating arrays that the ranks of a node share, and describing arrays of the program to a halo. The allocation
!> procedures are written once, in halocline_fields.inc, and compiled for each element type; the array's own descriptor gives its
!> rank.
module halocline_fields
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_float, c_int, c_int32_t, c_int64_t, c_null_char, &
    c_null_ptr, c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use halocline_c
  use halocline_context, only: hlc_context
  use halocline_errors, only: settle
  implicit none
  private
  public :: hlc_field, hlc_field_of, hlc_shaped, hlc_field_alloc, hlc_field_free, expand_depth, check_depths, check_shape, &
            is_shaped, name_of, shape_of, MAX_NAME

  !> Longest name of a field.
  integer, parameter :: MAX_NAME = 32

  !> One field of a halo, as hlc_field_of fills it. It has the address of the array's first element (the outermost low halo cell in
  !> every dimension) and its element type. It has the number of dimensions (0: not known, nothing is checked), the bytes of an
  !> element, and the bytes between neighbouring cells. Then it has the cells along each dimension, and a name for messages, closed
  !> by a null character. Last is what hlc_shaped puts there: the number of dimensions that it was given, where the values are, and
  !> depths of the field's own. 0 dimensions are scalars, or nothing. -1: its arguments contradict each other.
  type, bind(C) :: hlc_field
    type(c_ptr) :: data = c_null_ptr
    integer(c_int32_t) :: type = HLC_OPAQUE
    integer(c_int32_t) :: ndims = 0
    integer(c_int64_t) :: element_bytes = 0
    integer(c_int64_t) :: stride_bytes(HLC_MAX_DIMS) = 0
    integer(c_int64_t) :: extent(HLC_MAX_DIMS) = 0
    character(kind=c_char) :: name(MAX_NAME) = c_null_char
    integer(c_int32_t) :: shape_dims = 0
    integer(c_int32_t) :: own_depth = 0
    integer(c_int32_t) :: stagger(HLC_MAX_DIMS) = HLC_CENTRED
    integer(c_int64_t) :: depth_low(HLC_MAX_DIMS) = 0
    integer(c_int64_t) :: depth_high(HLC_MAX_DIMS) = 0
  end type

  interface
    !> Describes an array or an array section, contiguous or not, of any element type, to hlc_halo_init; name appears in messages
    !> (its first 31 characters). The array should have the attribute target, pointer or asynchronous, and must stay where it is
    !> until the halo is finalised. Implemented in C, which reads the array's descriptor; no copy of the array is made. A component
    !> of an allocatable or pointer array needs its section, t(:, :)%u: gfortran 12 hands over t%u with a wrong address.
    function hlc_field_of(array, name) result(field) bind(C, name="hlc_fortran_field_of")
      import :: c_char, hlc_field
      type(*), intent(in), target :: array(..)
      character(kind=c_char, len=*), intent(in), optional :: name
      type(hlc_field) :: field
    end function

    function address_of(array) result(address) bind(C, name="hlc_fortran_address_of")
      import :: c_ptr
      type(*), intent(in) :: array(..)
      type(c_ptr) :: address
    end function
  end interface

  !> Allocates a field that every rank of the node can read, as mode direct needs it. Fills it with zeros, and associates the
  !> pointer u with it. Collective over the context. u has any rank up to 4 and elements of real32, real64, int32 or int64. There
  !> are two forms. hlc_field_alloc(context, u, lower, upper) gives u the bounds lower:upper (default or 64-bit integers, one per
  !> dimension). hlc_field_alloc(context, u, grid, depth [, depth_high]) gives it 1 - depth(d) : local(d) + depth_high(d). A scalar
  !> depth holds for all dimensions; without depth_high both sides have the same depth. stagger, as for hlc_shaped, adds one value
  !> above along dimensions on nodes: node i is below cell i. With untouched=.true. (after status) each page is placed in the memory
  !> of the thread that writes it first. With memory=HLC_MEMORY_DEVICE (in place of untouched) it is in the memory of the current device
  !> of CUDA or HIP, which the host cannot access: u is for halos, and for kernels. Release it with hlc_field_free.
  interface hlc_field_alloc
    module procedure alloc_bounds_int32_real32, alloc_bounds_int64_real32, alloc_grid_real32
    module procedure alloc_bounds_int32_real64, alloc_bounds_int64_real64, alloc_grid_real64
    module procedure alloc_bounds_int32_int32, alloc_bounds_int64_int32, alloc_grid_int32
    module procedure alloc_bounds_int32_int64, alloc_bounds_int64_int64, alloc_grid_int64
  end interface

  !> Releases a field from hlc_field_alloc and nullifies u. Local: it does not wait for other ranks. HLC_ERR_STATE while a halo of
  !> this rank still uses the field, HLC_ERR_ARGUMENT if u is not from hlc_field_alloc.
  interface hlc_field_free
    module procedure free_real32, free_real64, free_int32, free_int64
  end interface

contains

  !> Fills per_dimension from a depth that is a scalar (the same in all ndims dimensions) or has one entry per dimension. ok is
  !> false if it is neither.
  subroutine expand_depth(depth, ndims, per_dimension, ok)
    integer, intent(in) :: depth(..)
    integer, intent(in) :: ndims
    integer(c_int64_t), intent(out) :: per_dimension(HLC_MAX_DIMS)
    logical, intent(out) :: ok
    per_dimension = 0
    ok = .false.
    if (ndims < 1 .or. ndims > HLC_MAX_DIMS) return
    select rank (depth)
    rank (0)
      per_dimension(1:ndims) = depth
      ok = .true.
    rank (1)
      ok = size(depth) == ndims
      if (ok) per_dimension(1:ndims) = depth
    end select
  end subroutine

  !> A field whose values are on nodes, or that has depths of its own: hlc_shaped(hlc_field_of(u, "u"), [HLC_NODES_SHARED,
  !> HLC_CENTRED]) in a list for hlc_halo_init. Along each dimension stagger is HLC_CENTRED, HLC_NODES_SHARED or HLC_NODES_OWNED.
  !> On nodes the array has one value more than depth + local + depth. A shared node between two ranks is the last of one block and
  !> the first of the next. Both compute it, and swaps leave it out. An owned one is the first of the rank above. The rank below gets
  !> it as the first value of its high halo. depth and depth_high are those of this field; of a halo at most the cells of the
  !> smallest block. hlc_blocks_init takes such fields, too.
  !> Each argument is a scalar for all dimensions, or has one entry per dimension. The same on all ranks.
  function hlc_shaped(field, stagger, depth, depth_high) result(shaped)
    type(hlc_field), intent(in) :: field
    integer, intent(in), optional :: stagger(..), depth(..), depth_high(..)
    type(hlc_field) :: shaped
    integer(c_int64_t) :: nodes(HLC_MAX_DIMS)
    shaped = field
    if (present(stagger)) then
      call note_entries(stagger, nodes, shaped%shape_dims)
      shaped%stagger = int(nodes, c_int32_t)
    end if
    if (present(depth)) then
      shaped%own_depth = 1
      call note_entries(depth, shaped%depth_low, shaped%shape_dims)
      shaped%depth_high = shaped%depth_low
    end if
    if (present(depth_high)) call note_entries(depth_high, shaped%depth_high, shaped%shape_dims)
    if (present(depth_high) .and. .not. present(depth)) shaped%shape_dims = -1
  end function

  !> Takes one entry for all dimensions, or one each. dims becomes their number, or -1 if it was another.
  subroutine note_entries(given, per_dimension, dims)
    integer, intent(in) :: given(..)
    integer(c_int64_t), intent(out) :: per_dimension(HLC_MAX_DIMS)
    integer(c_int32_t), intent(inout) :: dims
    integer :: n
    per_dimension = 0
    select rank (given)
    rank (0)
      per_dimension = given
    rank (1)
      n = size(given)
      if (n < 1 .or. n > HLC_MAX_DIMS .or. (dims /= 0 .and. dims /= n)) then
        dims = -1
      else
        per_dimension(1:n) = given
        dims = int(n, c_int32_t)
      end if
    rank default
      dims = -1
    end select
  end subroutine

  !> The name that a field has in messages.
  pure function name_of(field) result(name)
    type(hlc_field), intent(in) :: field
    character(len=:), allocatable :: name
    integer :: i
    name = ""
    do i = 1, MAX_NAME
      if (field%name(i) == c_null_char) exit
      name = name // field%name(i)
    end do
  end function

  !> Whether a field is from hlc_shaped, and not as any other.
  elemental function is_shaped(field)
    type(hlc_field), intent(in) :: field
    logical :: is_shaped
    is_shaped = field%shape_dims /= 0 .or. field%own_depth /= 0 .or. any(field%stagger /= HLC_CENTRED)
  end function

  !> Says which depth is negative, after some words of the caller. The message is left as it is if none is negative.
  subroutine check_depths(who, low, high, ndims, message)
    character(len=*), intent(in) :: who
    integer(c_int64_t), intent(in) :: low(:), high(:)
    integer, intent(in) :: ndims
    character(len=*), intent(inout) :: message
    integer :: d
    do d = 1, ndims
      if (low(d) >= 0 .and. high(d) >= 0) cycle
      write (message, "(3a,i0,a,i0,a)") who, trim(merge("depth     ", "depth_high", low(d) < 0)), " is ", &
        merge(low(d), high(d), low(d) < 0), " along dimension ", d, "; it must be 0 or more"
      return
    end do
  end subroutine

  !> The same for what hlc_shaped was given.
  subroutine check_shape(who, field, ndims, message)
    character(len=*), intent(in) :: who
    type(hlc_field), intent(in) :: field
    integer, intent(in) :: ndims
    character(len=*), intent(inout) :: message
    integer :: d
    call check_depths(who, field%depth_low, field%depth_high, ndims, message)
    do d = 1, ndims
      if (any(field%stagger(d) == [HLC_CENTRED, HLC_NODES_SHARED, HLC_NODES_OWNED])) cycle
      write (message, "(2a,i0,a,i0,a)") who, "stagger is ", field%stagger(d), " along dimension ", d, &
        "; it must be HLC_CENTRED, HLC_NODES_SHARED or HLC_NODES_OWNED"
      return
    end do
  end subroutine

  !> What hlc_halo_init and hlc_blocks_init pass to the library.
  pure function shape_of(field) result(shape)
    type(hlc_field), intent(in) :: field
    type(c_field_shape) :: shape
    shape%stagger = int(field%stagger, c_int)
    shape%own_depth = int(field%own_depth, c_int)
    shape%depth_low = field%depth_low
    shape%depth_high = field%depth_high
  end function

  !> Allocates the shared memory of an array with these bounds.
  subroutine alloc_array(context, element_bytes, lower, upper, data, status, untouched, memory)
    type(hlc_context), intent(in) :: context
    integer, intent(in) :: element_bytes
    integer(c_int64_t), intent(in) :: lower(:), upper(:)
    type(c_ptr), intent(out) :: data
    integer, intent(out), optional :: status
    logical, intent(in), optional :: untouched
    integer, intent(in), optional :: memory
    integer(c_size_t) :: bytes, cells
    integer :: d
    logical :: touch
    bytes = element_bytes
    do d = 1, size(lower)
      cells = max(upper(d) - lower(d) + 1, 0_c_int64_t)
      if (cells > 0 .and. bytes > huge(bytes) / max(cells, 1_c_size_t)) then
        bytes = huge(bytes) ! there is no such memory, which all ranks are told
        exit
      end if
      bytes = bytes * cells
    end do
    touch = .true.
    if (present(untouched)) touch = .not. untouched
    if (present(memory)) then
      call settle(int(c_field_alloc_in(context%handle, int(memory, c_int), bytes, data)), context%rank, status)
    else if (touch) then
      call settle(int(c_field_alloc(context%handle, bytes, data)), context%rank, status)
    else
      call settle(int(c_field_alloc_untouched(context%handle, bytes, data)), context%rank, status)
    end if
  end subroutine

  !> Finds the bounds of a field of a grid. Returns a sentence that tells what is wrong if the depths or the rank do not fit the
  !> grid.
  subroutine grid_bounds(grid, rank_of_u, depth, depth_high, stagger, lower, upper, message)
    type(hlc_grid), intent(in) :: grid
    integer, intent(in) :: rank_of_u
    integer, intent(in) :: depth(..)
    integer, intent(in), optional :: depth_high(..), stagger(..)
    integer(c_int64_t), intent(out) :: lower(HLC_MAX_DIMS), upper(HLC_MAX_DIMS)
    character(len=*), intent(out) :: message
    integer(c_int64_t) :: low(HLC_MAX_DIMS), high(HLC_MAX_DIMS), nodes(HLC_MAX_DIMS)
    logical :: ok, ok_high, ok_nodes
    call expand_depth(depth, grid%ndims, low, ok)
    high = low
    ok_high = .true.
    if (present(depth_high)) call expand_depth(depth_high, grid%ndims, high, ok_high)
    nodes = HLC_CENTRED
    ok_nodes = .true.
    if (present(stagger)) call expand_depth(stagger, grid%ndims, nodes, ok_nodes)
    lower = 1 - low
    upper = grid%local + high + merge(1, 0, nodes /= HLC_CENTRED)
    message = ""
    call check_depths("", low, high, grid%ndims, message)
    if (.not. ok_nodes) write (message, "(a,i0)") "stagger must be a scalar or an array of size ", grid%ndims
    if (.not. (ok .and. ok_high)) write (message, "(a,i0)") "depth must be a scalar or an array of size ", grid%ndims
    if (rank_of_u /= grid%ndims) write (message, "(a,i0,a,i0)") "u has rank ", rank_of_u, ", the grid's dimensions are ", grid%ndims
  end subroutine

#define BODY "halocline_fields.inc"
#include "halocline_elements.inc"
end module halocline_fields
