! SPDX-License-Identifier: BSD-3-Clause
!> Halo swaps of unstructured meshes: lists of entries that a rank gives to its neighbours and gets from them, counted from 1. Start and finish
!> only fill a small struct and call the library; they allocate nothing.
module halocline_index
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_float, c_int, c_int32_t, c_int64_t, c_loc, &
    c_null_char, c_null_ptr, c_ptr, c_size_t
  use halocline_c
  use halocline_context, only: hlc_context
  use halocline_errors, only: hlc_error_message, hlc_mode_from_name, settle, with_rank
  use halocline_fields, only: hlc_field, MAX_NAME
  implicit none
  private
  public :: hlc_index_neighbour, hlc_index_halo, hlc_index_run, hlc_index_halo_init, hlc_index_halo_start, &
            hlc_index_halo_start_on, hlc_index_halo_test, hlc_index_halo_finish, hlc_index_halo_finish_on, &
            hlc_index_halo_finish_views, hlc_index_halo_release, hlc_index_halo_view, hlc_index_halo_finalise, hlc_index_halo_info

  !> The lists that this rank shares with one neighbour, as indices counted from 1. out has entries that the neighbour needs of
  !> mine, in has ghosts that it fills. Lists of any integer kind can be assigned. The tags distinguish lists with the same rank:
  !> tag_out is the number of this side, tag_in that of the side it faces. With one pair of lists per neighbour leave both 0.
  type :: hlc_index_neighbour
    integer :: rank = -1
    integer(c_int64_t), allocatable :: out(:), in(:)
    integer :: tag_out = 0, tag_in = 0
  end type

  !> Consecutive values of an in list that are in consecutive entries of a view. There are count of them, from entry place and value
  !> first on, both counted from 1.
  type, bind(C) :: hlc_index_run
    integer(c_int64_t) :: place = 0, first = 0, count = 0
  end type

  !> A planned swap, to be run again and again. A copy is the same halo.
  type :: hlc_index_halo
    type(c_ptr) :: handle = c_null_ptr
    integer :: rank = -1
    integer :: nfields = 0
    character(kind=c_char), pointer :: names(:, :) => null()
    integer(c_int64_t), pointer :: components(:) => null()
    integer(c_int), pointer :: chosen(:) => null()
  end type

  !> struct hlc_index_neighbour, hlc_index_field, hlc_index_halo_spec, hlc_index_swap, hlc_index_view.
  type, bind(C) :: c_index_neighbour
    integer(c_int) :: rank = 0, tag_out = 0, tag_in = 0
    integer(c_int64_t) :: nout = 0
    type(c_ptr) :: out = c_null_ptr
    integer(c_int64_t) :: nin = 0
    type(c_ptr) :: in = c_null_ptr
  end type
  type, bind(C) :: c_index_field
    type(c_ptr) :: data = c_null_ptr
    integer(c_int) :: type = 0
    integer(c_size_t) :: element_bytes = 0
    integer(c_int64_t) :: components = 0, entry_stride_bytes = 0, component_stride_bytes = 0
    type(c_ptr) :: name = c_null_ptr
  end type
  type, bind(C) :: c_index_halo_spec
    integer(c_int64_t) :: nentries = 0
    integer(c_int) :: nneighbours = 0
    type(c_ptr) :: neighbours = c_null_ptr
    integer(c_int) :: nfields = 0
    type(c_ptr) :: fields = c_null_ptr
    integer(c_int) :: mode = 0, epoch = 0, drive = 0
  end type
  type, bind(C) :: c_index_swap
    integer(c_int) :: nfields = 0
    type(c_ptr) :: fields = c_null_ptr
    integer(c_int) :: reverse = 0
  end type
  type, bind(C) :: c_index_view
    type(c_ptr) :: data = c_null_ptr
    integer(c_int64_t) :: entry_stride_bytes = 0, component_stride_bytes = 0, nruns = 0
    type(c_ptr) :: runs = c_null_ptr
    integer(c_int) :: rank = HLC_NO_NEIGHBOUR
  end type

  interface
    function c_index_halo_init(context, spec, halo) result(status) bind(C, name="hlc_index_halo_init")
      import :: c_index_halo_spec, c_int, c_ptr
      type(c_ptr), value :: context
      type(c_index_halo_spec), intent(in) :: spec
      type(c_ptr), intent(out) :: halo
      integer(c_int) :: status
    end function
    function c_index_halo_start(halo, what) result(status) bind(C, name="hlc_index_halo_start")
      import :: c_index_swap, c_int, c_ptr
      type(c_ptr), value :: halo
      type(c_index_swap), intent(in) :: what
      integer(c_int) :: status
    end function
    function c_index_halo_test(halo) result(status) bind(C, name="hlc_index_halo_test")
      import :: c_int, c_ptr
      type(c_ptr), value :: halo
      integer(c_int) :: status
    end function
    function c_index_halo_start_on(halo, what, stream) result(status) bind(C, name="hlc_index_halo_start_on")
      import :: c_index_swap, c_int, c_ptr
      type(c_ptr), value :: halo
      type(c_index_swap), intent(in) :: what
      type(c_ptr), value :: stream
      integer(c_int) :: status
    end function
    function c_index_halo_finish_on(halo, stream) result(status) bind(C, name="hlc_index_halo_finish_on")
      import :: c_int, c_ptr
      type(c_ptr), value :: halo, stream
      integer(c_int) :: status
    end function
    function c_index_halo_finish(halo) result(status) bind(C, name="hlc_index_halo_finish")
      import :: c_int, c_ptr
      type(c_ptr), value :: halo
      integer(c_int) :: status
    end function
    function c_index_halo_finish_views(halo) result(status) bind(C, name="hlc_index_halo_finish_views")
      import :: c_int, c_ptr
      type(c_ptr), value :: halo
      integer(c_int) :: status
    end function
    function c_index_halo_release(halo) result(status) bind(C, name="hlc_index_halo_release")
      import :: c_int, c_ptr
      type(c_ptr), value :: halo
      integer(c_int) :: status
    end function
    function c_index_halo_view(halo, field, neighbour, view) result(status) bind(C, name="hlc_index_halo_view")
      import :: c_index_view, c_int, c_ptr
      type(c_ptr), value :: halo
      integer(c_int), value :: field, neighbour
      type(c_index_view), intent(out) :: view
      integer(c_int) :: status
    end function
    function c_index_halo_finalise(halo) result(status) bind(C, name="hlc_index_halo_finalise")
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: halo
      integer(c_int) :: status
    end function
    function c_index_halo_info(halo, info) result(status) bind(C, name="hlc_index_halo_info")
      import :: c_int, c_ptr, hlc_plan_info
      type(c_ptr), value :: halo
      type(hlc_plan_info), intent(out) :: info
      integer(c_int) :: status
    end function
  end interface

  !> Shows the values of the in list of one neighbour (1-based index into the list of init) for one field. Value runs(r)%first + i
  !> is u(:, runs(r)%place + i), 0 <= i < runs(r)%count, with the components along the first dimension. After
  !> hlc_index_halo_finish_views in mode "view" u is the neighbour's array or the receive buffer, else this rank's own array with
  !> its ghosts. It is read, never written, until the next start or hlc_index_halo_release; call this again after each finish. Where
  !> the last swap did not move the field u is disassociated. owner is the neighbour's rank. u must have the field's own type: it is
  !> not checked. Local. HLC_ERR_ARGUMENT; HLC_ERR_STATE: a swap is outstanding.
  interface hlc_index_halo_view
    module procedure view_real32, view_real64, view_int32, view_int64
  end interface

contains

  !> Plans swaps of listed entries of some fields (from hlc_field_of). A field has one dimension, its entries, or several. For each
  !> field entry_dims gives the dimension that counts entries; 0 or not given means the last one. All others are components. All
  !> fields have as many entries on this rank. mode is a mode's name; without it HALOCLINE_MODE decides, else auto. The fields
  !> must stay where they are until hlc_index_halo_finalise; the lists are copied. Collective over the context. HLC_ERR_ARGUMENT
  !> names a wrong argument (messages count from 0, as in C), HLC_ERR_MISMATCH two ranks that disagree; the status is the same on
  !> all ranks.
  subroutine hlc_index_halo_init(context, neighbours, fields, halo, entry_dims, mode, epoch, drive, status)
    type(hlc_context), intent(in) :: context
    type(hlc_index_neighbour), intent(in) :: neighbours(:)
    type(hlc_field), intent(in) :: fields(:)
    type(hlc_index_halo), intent(out) :: halo
    integer, intent(in), optional :: entry_dims(:)
    character(len=*), intent(in), optional :: mode
    integer, intent(in), optional :: epoch, drive
    integer, intent(out), optional :: status
    type(c_index_halo_spec) :: spec
    type(c_index_field), target :: plain(size(fields))
    type(c_index_neighbour), target :: lists(size(neighbours))
    integer(c_int64_t), allocatable, target :: indices(:)
    character(len=200) :: message
    integer :: code, found

    message = ""
    spec%nneighbours = size(neighbours, kind=c_int)
    spec%neighbours = c_loc(lists)
    spec%nfields = size(fields, kind=c_int)
    spec%fields = c_loc(plain)
    if (present(epoch)) spec%epoch = int(epoch, c_int)
    if (present(drive)) spec%drive = int(drive, c_int)
    if (present(mode)) then
      call hlc_mode_from_name(mode, found, code)
      if (code /= HLC_OK) message = hlc_error_message()
      spec%mode = int(found, c_int)
    end if
    halo%rank = context%rank
    halo%nfields = size(fields)
    allocate (halo%names(MAX_NAME, size(fields)), halo%components(size(fields)), halo%chosen(size(fields)))
    call set_fields(fields, entry_dims, halo%names, plain, spec%nentries, message)
    halo%components = plain%components
    call set_lists(neighbours, indices, lists)

    ! Errors that only the binding detects are sent to the other ranks.
    if (len_trim(message) > 0) then
      code = c_refuse(context%handle, trim(with_rank("hlc_index_halo_init", context%rank, message)) // c_null_char)
    else
      code = c_index_halo_init(context%handle, spec, halo%handle)
    end if
    if (code /= HLC_OK) call release_room(halo)
    call settle(code, context%rank, status)
  end subroutine

  !> Starts one swap. fields (1-based indices into the list of init, ascending) chooses some of the fields, else all are swapped. reverse adds
  !> ghosts to their owners' entries instead, and sets them to zero. From here until finish listed entries may not be written, and ghosts neither
  !> read nor written. HLC_ERR_STATE if started twice.
  subroutine hlc_index_halo_start(halo, fields, reverse, status)
    type(hlc_index_halo), intent(inout) :: halo
    integer, intent(in), optional :: fields(:)
    logical, intent(in), optional :: reverse
    integer, intent(out), optional :: status
    type(c_index_swap) :: swap
    character(len=200) :: message
    call describe_swap(halo, swap, message, fields, reverse)
    if (len_trim(message) > 0) then
      call settle(int(HLC_ERR_ARGUMENT), halo%rank, status, with_rank("hlc_index_halo_start", halo%rank, message))
    else
      call settle(int(c_index_halo_start(halo%handle, swap)), halo%rank, status)
    end if
  end subroutine

  !> The same of fields in the memory of a CUDA device, after the work that the program has given to a stream of it, as for
  !> hlc_halo_start_on.
  subroutine hlc_index_halo_start_on(halo, stream, fields, reverse, status)
    type(hlc_index_halo), intent(inout) :: halo
    type(c_ptr), intent(in) :: stream
    integer, intent(in), optional :: fields(:)
    logical, intent(in), optional :: reverse
    integer, intent(out), optional :: status
    type(c_index_swap) :: swap
    character(len=200) :: message
    call describe_swap(halo, swap, message, fields, reverse)
    if (len_trim(message) > 0) then
      call settle(int(HLC_ERR_ARGUMENT), halo%rank, status, with_rank("hlc_index_halo_start_on", halo%rank, message))
    else
      call settle(int(c_index_halo_start_on(halo%handle, swap, stream)), halo%rank, status)
    end if
  end subroutine

  !> Moves the swap along without waiting. done is true when finish will not wait for data any more.
  subroutine hlc_index_halo_test(halo, done, status)
    type(hlc_index_halo), intent(in) :: halo
    logical, intent(out) :: done
    integer, intent(out), optional :: status
    integer :: code
    code = c_index_halo_test(halo%handle)
    done = code == HLC_OK
    call settle(code, halo%rank, status)
  end subroutine

  !> Completes the swap: every ghost holds its owner's value of the moment of the owner's start; in reverse, every owner has got its ghosts'.
  subroutine hlc_index_halo_finish(halo, status)
    type(hlc_index_halo), intent(in) :: halo
    integer, intent(out), optional :: status
    call settle(int(c_index_halo_finish(halo%handle)), halo%rank, status)
  end subroutine

  !> The same in order with the work in a stream, as hlc_halo_finish_on: the host does not wait for the last copies to the device.
  subroutine hlc_index_halo_finish_on(halo, stream, status)
    type(hlc_index_halo), intent(in) :: halo
    type(c_ptr), intent(in) :: stream
    integer, intent(out), optional :: status
    call settle(int(c_index_halo_finish_on(halo%handle, stream)), halo%rank, status)
  end subroutine

  !> Completes the swap, in mode "view" without a copy: values are read through hlc_index_halo_view, and ghosts are left as they were. Listed entries
  !> must not be written before hlc_index_halo_release, or the finish of the next swap. In all other modes it is hlc_index_halo_finish.
  subroutine hlc_index_halo_finish_views(halo, status)
    type(hlc_index_halo), intent(in) :: halo
    integer, intent(out), optional :: status
    call settle(int(c_index_halo_finish_views(halo%handle)), halo%rank, status)
  end subroutine

  !> Releases the views and waits until the neighbours have released theirs of this rank's entries.
  subroutine hlc_index_halo_release(halo, status)
    type(hlc_index_halo), intent(in) :: halo
    integer, intent(out), optional :: status
    call settle(int(c_index_halo_release(halo%handle)), halo%rank, status)
  end subroutine

  !> Releases a halo. Collective. HLC_ERR_STATE while a swap is outstanding.
  subroutine hlc_index_halo_finalise(halo, status)
    type(hlc_index_halo), intent(inout) :: halo
    integer, intent(out), optional :: status
    integer :: code
    code = c_index_halo_finalise(halo%handle)
    if (.not. c_associated(halo%handle)) call release_room(halo)  ! also if a rank has died: the halo is gone then, too
    call settle(code, halo%rank, status)
  end subroutine

  !> Fills info with what init decided: mode, routes, messages, bytes. Local.
  subroutine hlc_index_halo_info(halo, info, status)
    type(hlc_index_halo), intent(in) :: halo
    type(hlc_plan_info), intent(out) :: info
    integer, intent(out), optional :: status
    call settle(int(c_index_halo_info(halo%handle, info)), halo%rank, status)
  end subroutine

  ! ---------------------------------------------------------------- what the spec is made of

  subroutine set_fields(fields, entry_dims, names, plain, nentries, message)
    type(hlc_field), intent(in) :: fields(:)
    integer, intent(in), optional :: entry_dims(:)
    character(kind=c_char), pointer, intent(in) :: names(:, :)
    type(c_index_field), intent(out) :: plain(:)
    integer(c_int64_t), intent(out) :: nentries
    character(len=*), intent(inout) :: message
    integer :: f, dim
    nentries = 0
    if (present(entry_dims)) then
      if (size(entry_dims) /= size(fields)) then
        write (message, "(a,i0,a,i0)") "entry_dims has ", size(entry_dims), " entries instead of ", size(fields)
        return
      end if
    end if
    do f = 1, size(fields)
      dim = fields(f)%ndims
      if (present(entry_dims)) dim = merge(entry_dims(f), dim, entry_dims(f) /= 0)
      names(:, f) = fields(f)%name
      call set_field(fields(f), f, dim, plain(f), message)
      if (fields(f)%name(1) /= c_null_char) plain(f)%name = c_loc(names(1, f))
      if (len_trim(message) > 0) return
      if (f > 1 .and. fields(f)%extent(dim) /= nentries) write (message, "(3(a,i0))") "field ", f, " has ", &
        fields(f)%extent(dim), " entries, field 1 has ", nentries
      if (f == 1) nentries = fields(1)%extent(dim)
    end do
  end subroutine

  !> Dimensions other than that of the entries must be one run of components.
  subroutine set_field(field, f, dim, plain, message)
    type(hlc_field), intent(in) :: field
    integer, intent(in) :: f, dim
    type(c_index_field), intent(inout) :: plain
    character(len=*), intent(inout) :: message
    integer :: d
    if (field%ndims > HLC_MAX_DIMS) then
      write (message, "(a,i0,a,i0,a,i0)") "field ", f, " has ", field%ndims, " dimensions, at most ", HLC_MAX_DIMS
      return
    end if
    if (dim < 1 .or. dim > field%ndims) then
      write (message, "(2(a,i0),a,i0)") "entry_dims(", f, ") is ", dim, " but must be 1 to ", field%ndims
      return
    end if
    plain%data = field%data
    plain%type = int(field%type, c_int)
    plain%element_bytes = int(field%element_bytes, c_size_t)
    plain%entry_stride_bytes = field%stride_bytes(dim)
    plain%component_stride_bytes = field%element_bytes
    plain%components = 1
    do d = 1, field%ndims
      if (d == dim .or. field%extent(d) == 1) cycle
      if (plain%components == 1) plain%component_stride_bytes = field%stride_bytes(d)
      if (field%stride_bytes(d) /= plain%components * plain%component_stride_bytes) &
        write (message, "(a,i0,a)") "field ", f, ": its components are not equally spaced"
      plain%components = plain%components * field%extent(d)
    end do
  end subroutine

  !> All lists one behind the other, counted from 0.
  subroutine set_lists(neighbours, indices, lists)
    type(hlc_index_neighbour), intent(in) :: neighbours(:)
    integer(c_int64_t), allocatable, target, intent(out) :: indices(:)
    type(c_index_neighbour), intent(out) :: lists(:)
    integer(c_int64_t) :: last
    integer :: n
    last = 0
    do n = 1, size(neighbours)
      if (allocated(neighbours(n)%out)) lists(n)%nout = size(neighbours(n)%out, kind=c_int64_t)
      if (allocated(neighbours(n)%in)) lists(n)%nin = size(neighbours(n)%in, kind=c_int64_t)
      last = last + lists(n)%nout + lists(n)%nin
    end do
    allocate (indices(last))
    last = 0
    do n = 1, size(neighbours)
      lists(n)%rank = int(neighbours(n)%rank, c_int)
      lists(n)%tag_out = int(neighbours(n)%tag_out, c_int)
      lists(n)%tag_in = int(neighbours(n)%tag_in, c_int)
      if (lists(n)%nout > 0) call put(neighbours(n)%out, lists(n)%out)
      if (lists(n)%nin > 0) call put(neighbours(n)%in, lists(n)%in)
    end do

  contains

    subroutine put(list, place)
      integer(c_int64_t), intent(in) :: list(:)
      type(c_ptr), intent(out) :: place
      indices(last + 1:last + size(list)) = list - 1
      place = c_loc(indices(last + 1))
      last = last + size(list)
    end subroutine
  end subroutine

  subroutine release_room(halo)
    type(hlc_index_halo), intent(inout) :: halo
    if (associated(halo%names)) deallocate (halo%names)
    if (associated(halo%components)) deallocate (halo%components)
    if (associated(halo%chosen)) deallocate (halo%chosen)
  end subroutine

  !> What a start requests. message is blank unless an index is wrong.
  subroutine describe_swap(halo, swap, message, fields, reverse)
    type(hlc_index_halo), intent(inout) :: halo
    type(c_index_swap), intent(out) :: swap
    character(len=*), intent(out) :: message
    integer, intent(in), optional :: fields(:)
    logical, intent(in), optional :: reverse
    integer :: i
    message = ""
    if (present(reverse)) swap%reverse = merge(1_c_int, 0_c_int, reverse)
    if (.not. (present(fields) .and. c_associated(halo%handle))) return
    call find_wrong_index(halo, fields, message)
    if (len_trim(message) > 0) return
    do i = 1, size(fields)
      halo%chosen(i) = int(fields(i) - 1, c_int)
    end do
    swap%nfields = size(fields, kind=c_int)
    swap%fields = c_loc(halo%chosen(1))
  end subroutine

  !> Says what is wrong with the caller's indices, in the caller's counting from 1; blank if nothing is.
  subroutine find_wrong_index(halo, fields, message)
    type(hlc_index_halo), intent(in) :: halo
    integer, intent(in) :: fields(:)
    character(len=*), intent(out) :: message
    integer :: i, previous
    message = ""
    if (size(fields) == 0) message = "fields is an empty list"
    previous = 0
    do i = 1, size(fields)
      if (fields(i) < 1 .or. fields(i) > halo%nfields) then
        write (message, "(2(a,i0),a,i0)") "fields(", i, ") is ", fields(i), " but must be 1 to ", halo%nfields
      else if (fields(i) <= previous) then
        write (message, "(3(a,i0),a)") "fields(", i, ") is ", fields(i), " behind ", previous, "; indices must ascend"
      end if
      if (len_trim(message) > 0) return
      previous = fields(i)
    end do
  end subroutine

  !> The runs of a view, counted from 1.
  function runs_of(view) result(runs)
    type(c_index_view), intent(in) :: view
    type(hlc_index_run), allocatable :: runs(:)
    type(hlc_index_run), pointer :: theirs(:)
    allocate (runs(view%nruns))
    if (view%nruns == 0) return
    call c_f_pointer(view%runs, theirs, [view%nruns])
    runs = theirs
    runs%place = runs%place + 1
    runs%first = runs%first + 1
  end function

#define BODY "halocline_index.inc"
#include "halocline_elements.inc"
end module halocline_index
