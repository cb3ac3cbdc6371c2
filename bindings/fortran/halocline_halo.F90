! SPDX-License-Identifier: BSD-3-Clause
!> Halo swaps of structured grids: init, start, test, finish, finalise. Start and finish only fill a small struct and call the
!> library; they allocate nothing.
module halocline_halo
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_int, c_int64_t, c_loc, c_null_char, c_null_ptr, c_ptr, &
    c_signed_char, c_size_t
  use halocline_c
  use halocline_context, only: hlc_context
  use halocline_errors, only: hlc_error_message, hlc_mode_from_name, settle, with_rank
  use halocline_fields, only: check_depths, check_shape, expand_depth, hlc_field, is_shaped, MAX_NAME, name_of, shape_of
  implicit none
  private
  public :: hlc_halo, hlc_halo_init, hlc_halo_start, hlc_halo_start_with, hlc_halo_start_on, hlc_halo_test, hlc_halo_finish, &
    hlc_halo_finish_on, hlc_halo_finalise, hlc_halo_info, hlc_halo_explain

  !> A planned halo swap, to be run again and again. A copy is the same halo. names keeps the fields' names for messages,
  !> element_bytes the size of their elements, planned their shapes. In chosen and bound, start passes the indices of a subset and
  !> the addresses of other arrays to the library.
  type :: hlc_halo
    type(c_ptr) :: handle = c_null_ptr
    integer :: rank = -1
    integer :: nfields = 0, ndims = 0
    character(kind=c_char), pointer :: names(:, :) => null()
    integer(c_int64_t), pointer :: element_bytes(:) => null()
    integer(c_int), pointer :: chosen(:) => null()
    type(hlc_field), pointer :: planned(:) => null()
    type(c_ptr), pointer :: bound(:) => null()
  end type

contains

  !> Plans the swap of the halos of some fields (from hlc_field_of) of a grid. depth is the number of halo cells: a scalar for all
  !> dimensions, or one per dimension. depth_high is the same for the high sides, where they differ. stencil is HLC_STENCIL_BOX
  !> (with corners; the default) or HLC_STENCIL_STAR. mode is a mode's name ("direct", "p2p", ...); without it HALOCLINE_MODE
  !> decides, else auto. epoch and drive are HLC_EPOCH_* and HLC_DRIVE_*. neighbours replaces the grid's neighbours by 3**ndims
  !> ranks, as the C header explains. name appears in messages and must be the same on all ranks. The fields must stay where they
  !> are until hlc_halo_finalise. Collective over the context. HLC_ERR_ARGUMENT names a wrong argument, HLC_ERR_MISMATCH two ranks
  !> that disagree; the status is the same on all ranks. velocities(:, f) is how field f moves per step, one number per dimension of
  !> which the sign counts. The field is swapped only in the directions from which it enters a block (lattice Boltzmann). With
  !> rebind swaps may use other arrays (hlc_halo_start_with). With staged a swap handles one dimension after the other, with two
  !> messages for each. Fields on nodes, and fields with depths of their own, are passed through hlc_shaped; they are swapped in the
  !> same messages.
  subroutine hlc_halo_init(context, grid, fields, depth, halo, depth_high, stencil, mode, epoch, drive, neighbours, velocities, &
                           name, rebind, staged, status)
    type(hlc_context), intent(in) :: context
    type(hlc_grid), intent(in), target :: grid
    type(hlc_field), intent(in) :: fields(:)
    integer, intent(in) :: depth(..)
    type(hlc_halo), intent(out) :: halo
    integer, intent(in), optional :: depth_high(..)
    integer, intent(in), optional :: stencil, epoch, drive
    character(len=*), intent(in), optional :: mode
    integer, intent(in), optional :: neighbours(:)
    integer, intent(in), optional :: velocities(:, :)
    integer, intent(out), optional :: status
    integer(c_signed_char), target :: fills(3**HLC_MAX_DIMS * size(fields))
    character(len=*), intent(in), optional :: name
    logical, intent(in), optional :: rebind, staged
    type(c_halo_spec) :: spec
    character(kind=c_char, len=:), allocatable, target :: c_name
    type(c_field), target :: plain(size(fields))
    type(c_field_shape), target :: shapes(size(fields))
    integer(c_int), target :: ranks(3**HLC_MAX_DIMS)
    character(len=200) :: message
    integer :: code

    message = ""
    spec%grid = c_loc(grid)
    spec%nfields = size(fields, kind=c_int)
    spec%fields = c_loc(plain)
    if (present(stencil)) spec%stencil = int(stencil, c_int)
    if (present(epoch)) spec%epoch = int(epoch, c_int)
    if (present(drive)) spec%drive = int(drive, c_int)
    if (present(mode)) spec%mode = mode_of(mode, message)
    if (present(rebind)) spec%rebind = merge(1_c_int, 0_c_int, rebind)
    if (present(staged)) spec%staged = merge(1_c_int, 0_c_int, staged)
    if (present(name)) then
      c_name = trim(name) // c_null_char
      spec%name = c_loc(c_name)
    end if
    call set_depths(depth, depth_high, grid%ndims, spec, message)
    call set_neighbours(neighbours, 3**grid%ndims, ranks, spec, message)
    call set_fills(velocities, grid%ndims, size(fields), fills, spec, message)

    call allocate_room(halo, context%rank, size(fields))
    halo%element_bytes = fields%element_bytes
    halo%planned = fields
    call set_fields(fields, halo%names, plain)
    call set_shapes(fields, grid%ndims, shapes, spec, message)
    call check_extents(fields, grid, spec, message)

    ! Errors that only the binding detects are sent to the other ranks.
    if (len_trim(message) > 0) then
      code = c_refuse(context%handle, trim(with_rank("hlc_halo_init" // of_plan(name), context%rank, message)) // c_null_char)
    else
      code = c_halo_init(context%handle, spec, halo%handle)
    end if
    if (code /= HLC_OK) call release_room(halo)
    halo%ndims = grid%ndims
    call settle(code, context%rank, status)
  end subroutine

  !> Starts one swap. fields (1-based indices into the list of init, ascending) chooses some of the fields, else all are swapped.
  !> dim (1-based) with or without side (HLC_SIDE_LOW, HLC_SIDE_HIGH, HLC_SIDE_BOTH) fills only the faces of one dimension.
  !> reverse adds the halos to the owners' edges instead, and sets them to zero. With depth at most so many halo cells per side are
  !> swapped, those nearest the block; 0: all. It is the same on all ranks. From here until finish the edge of the interior may not be
  !> written, and the halo neither read nor written. Does not wait for other ranks, allocates nothing. HLC_ERR_STATE if started twice.
  subroutine hlc_halo_start(halo, fields, dim, side, reverse, status, depth)
    type(hlc_halo), intent(inout) :: halo
    integer, intent(in), optional :: fields(:)
    integer, intent(in), optional :: dim, side
    logical, intent(in), optional :: reverse
    integer, intent(in), optional :: depth
    integer, intent(out), optional :: status
    type(c_swap) :: swap
    character(len=200) :: message
    message = ""
    call describe_swap(halo, swap, message, fields, dim, side, reverse, depth)
    if (len_trim(message) > 0) then
      call settle(int(HLC_ERR_ARGUMENT), halo%rank, status, with_rank("hlc_halo_start", halo%rank, message))
      return
    end if
    call settle(int(c_halo_start(halo%handle, swap)), halo%rank, status)
  end subroutine

  !> Starts one swap of other arrays than those of init: arrays(f) (from hlc_field_of) replaces field f for this swap. It has the
  !> element type, the extents and the strides of that field; hlc_field() means the field itself. Needs rebind in hlc_halo_init. All
  !> ranks replace the same fields. Where fields are from hlc_field_alloc and a neighbour of the node reads them (modes direct, view
  !> and notify_node), so must be these. An array must stay where it is until finish, or until its views are released. The rest is
  !> as with hlc_halo_start, fields included: entries of arrays for fields that are not chosen are ignored.
  subroutine hlc_halo_start_with(halo, arrays, fields, dim, side, reverse, status, depth)
    type(hlc_halo), intent(inout) :: halo
    type(hlc_field), intent(in) :: arrays(:)
    integer, intent(in), optional :: fields(:)
    integer, intent(in), optional :: dim, side
    logical, intent(in), optional :: reverse
    integer, intent(in), optional :: depth
    integer, intent(out), optional :: status
    type(c_swap) :: swap
    type(c_ptr) :: nothing(1)
    character(len=200) :: message
    message = ""
    call find_wrong_array(halo, arrays, message)
    call describe_swap(halo, swap, message, fields, dim, side, reverse, depth)
    if (len_trim(message) > 0) then
      call settle(int(HLC_ERR_ARGUMENT), halo%rank, status, with_rank("hlc_halo_start_with", halo%rank, message))
    else if (c_associated(halo%handle)) then
      halo%bound = arrays%data
      call settle(int(c_halo_start_with(halo%handle, swap, halo%bound)), halo%rank, status)
    else
      nothing = c_null_ptr
      call settle(int(c_halo_start_with(halo%handle, swap, nothing)), halo%rank, status)
    end if
  end subroutine

  !> Starts one swap of fields in the memory of a CUDA device, after the work that the program has given to a stream of that device: a
  !> cudaStream_t, as C has it; c_null_ptr is the default one. The swap sends what that work leaves. An array on a device is passed to
  !> hlc_field_of where its name means the device's address, as in OpenACC's host_data. The rest is as with hlc_halo_start.
  subroutine hlc_halo_start_on(halo, stream, fields, dim, side, reverse, status, depth)
    type(hlc_halo), intent(inout) :: halo
    type(c_ptr), intent(in) :: stream
    integer, intent(in), optional :: fields(:)
    integer, intent(in), optional :: dim, side
    logical, intent(in), optional :: reverse
    integer, intent(in), optional :: depth
    integer, intent(out), optional :: status
    type(c_swap) :: swap
    character(len=200) :: message
    message = ""
    call describe_swap(halo, swap, message, fields, dim, side, reverse, depth)
    if (len_trim(message) > 0) then
      call settle(int(HLC_ERR_ARGUMENT), halo%rank, status, with_rank("hlc_halo_start_on", halo%rank, message))
      return
    end if
    call settle(int(c_halo_start_on(halo%handle, swap, stream)), halo%rank, status)
  end subroutine

  !> Advances the swap without waiting. done is true when finish will not wait for data any more. Modes fence and passive_naive
  !> cannot see that and leave it false. So does a staged swap in mode pscw with late epochs.
  subroutine hlc_halo_test(halo, done, status)
    type(hlc_halo), intent(in) :: halo
    logical, intent(out) :: done
    integer, intent(out), optional :: status
    integer :: code
    code = c_halo_test(halo%handle)
    done = code == HLC_OK
    call settle(code, halo%rank, status)
  end subroutine

  !> Completes the swap: every requested halo cell holds the neighbour's value at the moment of its start, and the interior may be
  !> written again. Waits at most HALOCLINE_TIMEOUT seconds; HLC_ERR_TIMEOUT and HLC_ERR_PEER_DIED name the missing rank.
  subroutine hlc_halo_finish(halo, status)
    type(hlc_halo), intent(in) :: halo
    integer, intent(out), optional :: status
    call settle(int(c_halo_finish(halo%handle)), halo%rank, status)
  end subroutine

  !> The same in order with the work in a stream, as for hlc_halo_start_on: work that it is given from now on finds the halo. The host
  !> does not wait for the last copies to the device.
  subroutine hlc_halo_finish_on(halo, stream, status)
    type(hlc_halo), intent(in) :: halo
    type(c_ptr), intent(in) :: stream
    integer, intent(out), optional :: status
    call settle(int(c_halo_finish_on(halo%handle, stream)), halo%rank, status)
  end subroutine

  !> Releases a halo. Collective. HLC_ERR_STATE while a swap is outstanding.
  subroutine hlc_halo_finalise(halo, status)
    type(hlc_halo), intent(inout) :: halo
    integer, intent(out), optional :: status
    integer :: code
    code = c_halo_finalise(halo%handle)
    if (.not. c_associated(halo%handle)) call release_room(halo)  ! also if a rank has died: the halo is gone then, too
    call settle(code, halo%rank, status)
  end subroutine

  !> Fills info with what init decided: mode, routes, messages, bytes. Local.
  subroutine hlc_halo_info(halo, info, status)
    type(hlc_halo), intent(in) :: halo
    type(hlc_plan_info), intent(out) :: info
    integer, intent(out), optional :: status
    call settle(int(c_halo_info(halo%handle, info)), halo%rank, status)
  end subroutine

  !> Explains which mode is used, and why: in words, or with format HLC_FORMAT_JSON as one JSON object. Local.
  subroutine hlc_halo_explain(halo, text, format, status)
    type(hlc_halo), intent(in) :: halo
    character(len=:), allocatable, intent(out) :: text
    integer, intent(in), optional :: format
    integer, intent(out), optional :: status
    character(kind=c_char), allocatable :: buffer(:)
    integer(c_size_t) :: length
    integer(c_int) :: code, how
    integer :: i
    how = HLC_FORMAT_TEXT
    if (present(format)) how = int(format, c_int)
    length = 0
    allocate (buffer(1))
    code = c_halo_explain(halo%handle, how, buffer, 0_c_size_t, length)
    if (code == HLC_OK) then
      deallocate (buffer)
      allocate (buffer(length + 1))
      code = c_halo_explain(halo%handle, how, buffer, length + 1, length)
    end if
    allocate (character(len=int(length)) :: text)
    do i = 1, len(text)
      text(i:i) = buffer(i)
    end do
    call settle(int(code), halo%rank, status)
  end subroutine

  ! ---------------------------------------------------------------- what the spec is made of

  function mode_of(name, message) result(mode)
    character(len=*), intent(in) :: name
    character(len=*), intent(inout) :: message
    integer(c_int) :: mode
    integer :: found, code
    call hlc_mode_from_name(name, found, code)
    mode = int(found, c_int)
    if (code /= HLC_OK) message = hlc_error_message()
  end function

  subroutine set_depths(depth, depth_high, ndims, spec, message)
    integer, intent(in) :: depth(..)
    integer, intent(in), optional :: depth_high(..)
    integer, intent(in) :: ndims
    type(c_halo_spec), intent(inout) :: spec
    character(len=*), intent(inout) :: message
    logical :: ok, ok_high
    call expand_depth(depth, ndims, spec%depth_low, ok)
    spec%depth_high = spec%depth_low
    ok_high = .true.
    if (present(depth_high)) call expand_depth(depth_high, ndims, spec%depth_high, ok_high)
    call check_depths("", spec%depth_low, spec%depth_high, ndims, message)
    if (.not. (ok .and. ok_high)) write (message, "(a,i0)") "depth must be a scalar or an array of size ", ndims
  end subroutine

  subroutine set_neighbours(neighbours, expected, ranks, spec, message)
    integer, intent(in), optional :: neighbours(:)
    integer, intent(in) :: expected
    integer(c_int), intent(inout), target :: ranks(:)
    type(c_halo_spec), intent(inout) :: spec
    character(len=*), intent(inout) :: message
    if (.not. present(neighbours)) return
    if (size(neighbours) /= expected) then
      write (message, "(a,i0,a,i0)") "neighbours has ", size(neighbours), " entries instead of ", expected
      return
    end if
    ranks(1:expected) = int(neighbours, c_int)
    spec%neighbours = c_loc(ranks(1))
  end subroutine

  subroutine set_fills(velocities, ndims, nfields, fills, spec, message)
    integer, intent(in), optional :: velocities(:, :)
    integer, intent(in) :: ndims, nfields
    integer(c_signed_char), intent(inout), target :: fills(:)
    type(c_halo_spec), intent(inout) :: spec
    character(len=*), intent(inout) :: message
    integer :: f
    if (.not. present(velocities)) return
    if (size(velocities, 1) /= ndims .or. size(velocities, 2) /= nfields) then
      write (message, "(4(a,i0),a)") "velocities has the shape (", size(velocities, 1), ", ", size(velocities, 2), &
        ") instead of (", ndims, ", ", nfields, ")"
      return
    end if
    do f = 1, nfields
      if (c_fills_moving(int(ndims, c_int), int(velocities(:, f), c_int), fills((f - 1) * 3**ndims + 1:)) /= HLC_OK) &
        message = hlc_error_message()
    end do
    spec%fills = c_loc(fills(1))
  end subroutine

  !> Passes the shapes of fields to the library, if one of them has any.
  subroutine set_shapes(fields, ndims, shapes, spec, message)
    type(hlc_field), intent(in) :: fields(:)
    integer, intent(in) :: ndims
    type(c_field_shape), intent(inout), target :: shapes(:)
    type(c_halo_spec), intent(inout) :: spec
    character(len=*), intent(inout) :: message
    character(len=60) :: who
    integer :: f
    do f = 1, size(fields)
      if (.not. is_shaped(fields(f))) cycle
      write (who, "(a,i0,3a)") "field ", f, " '", name_of(fields(f)), "':"
      call check_shape(trim(who) // " ", fields(f), ndims, message)
      if (fields(f)%shape_dims /= 0 .and. fields(f)%shape_dims /= ndims) write (message, "(a,i0,3a,i0,a)") "field ", f, " '", &
        name_of(fields(f)), "': hlc_shaped takes scalars or ", ndims, " entries, and depth_high with depth"
      shapes(f) = shape_of(fields(f))
      spec%shapes = c_loc(shapes)
    end do
  end subroutine

  !> " of plan 'flow'", as the library's own messages have it; empty without a name.
  pure function of_plan(name) result(words)
    character(len=*), intent(in), optional :: name
    character(len=:), allocatable :: words
    words = ""
    if (present(name)) words = " of plan '" // name(1:min(len_trim(name), 100)) // "'"
  end function

  subroutine allocate_room(halo, rank, nfields)
    type(hlc_halo), intent(inout) :: halo
    integer, intent(in) :: rank, nfields
    halo%rank = rank
    halo%nfields = nfields
    allocate (halo%names(MAX_NAME, nfields), halo%element_bytes(nfields), halo%chosen(nfields))
    allocate (halo%planned(nfields), halo%bound(nfields))
  end subroutine

  subroutine release_room(halo)
    type(hlc_halo), intent(inout) :: halo
    if (associated(halo%names)) deallocate (halo%names)
    if (associated(halo%element_bytes)) deallocate (halo%element_bytes)
    if (associated(halo%chosen)) deallocate (halo%chosen)
    if (associated(halo%planned)) deallocate (halo%planned)
    if (associated(halo%bound)) deallocate (halo%bound)
  end subroutine

  subroutine set_fields(fields, names, plain)
    type(hlc_field), intent(in) :: fields(:)
    character(kind=c_char), pointer, intent(in) :: names(:, :)
    type(c_field), intent(out) :: plain(:)
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

  !> Compares each array's own extents with local + depth on both sides, and one more on nodes. So a field that is too small never
  !> reaches the kernels.
  subroutine check_extents(fields, grid, spec, message)
    type(hlc_field), intent(in) :: fields(:)
    type(hlc_grid), intent(in) :: grid
    type(c_halo_spec), intent(in) :: spec
    character(len=*), intent(inout) :: message
    character(len=40) :: what
    integer(c_int64_t) :: expected
    integer :: f, d
    if (len_trim(message) > 0) return
    do f = 1, size(fields)
      if (fields(f)%ndims == 0) cycle
      if (fields(f)%ndims /= grid%ndims) write (message, "(a,i0,3a,i0,a,i0)") "field ", f, " '", name_of(fields(f)), &
        "' has rank ", fields(f)%ndims, ", the grid's dimensions are ", grid%ndims
      do d = 1, min(fields(f)%ndims, grid%ndims)
        expected = grid%local(d) + spec%depth_low(d) + spec%depth_high(d)
        if (fields(f)%own_depth /= 0) expected = grid%local(d) + fields(f)%depth_low(d) + fields(f)%depth_high(d)
        what = "local + halo make"
        if (fields(f)%stagger(d) /= HLC_CENTRED) then
          expected = expected + 1
          what = "local + halo + one more node make"
        end if
        if (fields(f)%extent(d) /= expected) write (message, "(a,i0,3a,i0,a,i0,3a,i0)") "field ", f, " '", name_of(fields(f)), &
          "' has ", fields(f)%extent(d), " values along dimension ", d, " where ", trim(what), " ", expected
      end do
    end do
  end subroutine

  !> Says what is wrong with the caller's indices, in the caller's counting from 1; blank if nothing is.
  subroutine find_wrong_index(halo, fields, dim, message)
    type(hlc_halo), intent(in) :: halo
    integer, intent(in), optional :: fields(:), dim
    character(len=*), intent(out) :: message
    integer :: i, previous
    message = ""
    if (present(dim)) then
      if (dim < 1 .or. dim > halo%ndims) write (message, "(a,i0,a,i0)") "dim is ", dim, " but must be 1 to ", halo%ndims
    end if
    if (.not. present(fields)) return
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

  !> Fills swap with the caller's request, unless message says that it is wrong.
  subroutine describe_swap(halo, swap, message, fields, dim, side, reverse, depth)
    type(hlc_halo), intent(inout) :: halo
    type(c_swap), intent(inout) :: swap
    character(len=*), intent(inout) :: message
    integer, intent(in), optional :: fields(:), dim, side, depth
    logical, intent(in), optional :: reverse
    if (len_trim(message) == 0 .and. c_associated(halo%handle)) call find_wrong_index(halo, fields, dim, message)
    if (len_trim(message) > 0) return
    if (present(fields)) call choose_fields(halo, fields, swap)
    if (present(dim)) then
      swap%one_dim = 1
      swap%dim = int(dim - 1, c_int)
    end if
    if (present(side)) swap%side = int(side, c_int)
    if (present(reverse)) swap%reverse = merge(1_c_int, 0_c_int, reverse)
    if (present(depth)) swap%depth = int(depth, c_int64_t)
  end subroutine

  !> Says which array does not look like the field whose place it takes; blank if all do.
  subroutine find_wrong_array(halo, arrays, message)
    type(hlc_halo), intent(in) :: halo
    type(hlc_field), intent(in) :: arrays(:)
    character(len=*), intent(inout) :: message
    integer :: f, n
    if (.not. c_associated(halo%handle)) return
    if (size(arrays) /= halo%nfields) write (message, "(2(a,i0))") "arrays has ", size(arrays), " entries instead of ", halo%nfields
    if (len_trim(message) > 0) return
    n = halo%ndims
    do f = 1, halo%nfields
      if (.not. c_associated(arrays(f)%data)) cycle
      if (arrays(f)%type /= halo%planned(f)%type .or. arrays(f)%element_bytes /= halo%planned(f)%element_bytes) then
        write (message, "(a,i0,3a)") "arrays(", f, ") has another element type than field '", name_of(halo%planned(f)), "'"
      else if (any(arrays(f)%stride_bytes(1:n) /= halo%planned(f)%stride_bytes(1:n)) .or. &
               any(arrays(f)%extent(1:n) /= halo%planned(f)%extent(1:n))) then
        write (message, "(a,i0,3a)") "arrays(", f, ") has another shape or other strides than field '", &
          name_of(halo%planned(f)), "'"
      end if
    end do
  end subroutine

  !> Puts the 0-based indices where the library can read them.
  subroutine choose_fields(halo, fields, swap)
    type(hlc_halo), intent(inout) :: halo
    integer, intent(in) :: fields(:)
    type(c_swap), intent(inout) :: swap
    integer :: i
    if (.not. associated(halo%chosen)) return
    do i = 1, size(fields)
      halo%chosen(i) = int(fields(i) - 1, c_int)
    end do
    swap%nfields = size(fields, kind=c_int)
    swap%fields = c_loc(halo%chosen(1))
  end subroutine
end module halocline_halo
