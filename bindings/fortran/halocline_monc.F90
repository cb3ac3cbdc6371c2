! SPDX-License-Identifier: BSD-3-Clause
!> The halo swapping procedures of the MONC cloud model over an exchange, in every mode of the library (HALOCLINE_MODE chooses).
!> Names, argument order and division of labour are MONC's: the component gives the number of fields per cell and procedures that
!> pack into and unpack from per-neighbour buffers. As in section IV-D of Brown et al. these buffers are Fortran pointers straight
!> into the memory that the exchange sends from and receives into; nothing is copied again.
!>
!> Two things differ. The model's state passes through untouched as class(*), so the procedures of a component select its type.
!> And MONC finds its grid and communicator inside that state, which this module cannot look into: init_halo_communication
!> therefore takes a context and a local grid as two more arguments at its end, and keeps both in the handle; all other calls are
!> as in MONC. Errors stop the program with a message, as MONC's own do.
module halocline_monc
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int64_t, c_loc, c_ptr
  use, intrinsic :: iso_fortran_env, only: real64
  use halocline_c, only: HLC_ERR_ARGUMENT, hlc_neighbour
  use halocline_context, only: hlc_context
  use halocline_errors, only: settle
  use halocline_exchange, only: hlc_exchange_create, hlc_exchange_destroy, hlc_exchange_finish, hlc_exchange_start
  use halocline_monc_copy
  use halocline_monc_plan
  use halocline_monc_types
  implicit none
  private
  public :: init_halo_communication, initiate_nonblocking_halo_swap, complete_nonblocking_halo_swap, blocking_halo_swap, &
            finalise_halo_communication, local_grid_of
  public :: copy_field_to_buffer, copy_buffer_to_field, copy_corner_to_buffer, copy_buffer_to_corner, &
            perform_local_data_copy_for_field, get_single_field_per_halo_cell
  public :: Z_INDEX, Y_INDEX, X_INDEX, local_grid_type, neighbour_description_type, field_data_wrapper_type, halo_communication_type

  integer, parameter :: BYTES_PER_ELEMENT = storage_size(1.0_real64) / 8

contains

  !> Plans a halo swap of get_fields_per_halo_cell(current_state) fields, halo_depth (1 or 2) cells deep, with or without the
  !> corners of the horizontal plane, and returns its handle. Collective over the context. context and local_grid (see
  !> local_grid_of) take the place of what MONC keeps in its state. Several handles may live and swap at the same time.
  subroutine init_halo_communication(current_state, get_fields_per_halo_cell, halo_state, halo_depth, involve_corners, context, &
                                     local_grid)
    class(*), intent(inout) :: current_state
    procedure(get_fields_per_halo_cell_procedure) :: get_fields_per_halo_cell
    type(halo_communication_type), intent(out) :: halo_state
    integer, intent(in) :: halo_depth
    logical, intent(in) :: involve_corners
    type(hlc_context), intent(in) :: context
    type(local_grid_type), intent(in) :: local_grid
    halo_state%fields_per_cell = get_fields_per_halo_cell(current_state)
    halo_state%halo_depth = halo_depth
    halo_state%involve_corners = involve_corners
    halo_state%context = context
    halo_state%local_grid = local_grid
    call check_arguments(halo_state)
    call match_cells(halo_state)
    call find_neighbours(halo_state)
    call size_buffers(halo_state)
    call create_exchange(halo_state)
    halo_state%initialised = .true.
  end subroutine

  !> Starts a swap: copy_to_halo_buffer packs the edges for each neighbour, copy_corners_to_halo_buffer (needed only if corners
  !> are involved) the corners, straight into the memory that is sent. Returns without waiting for other ranks. No field is
  !> changed.
  subroutine initiate_nonblocking_halo_swap(current_state, halo_swap_state, copy_to_halo_buffer, copy_corners_to_halo_buffer, &
                                            source_data)
    class(*), intent(inout), target :: current_state
    type(halo_communication_type), intent(inout), target :: halo_swap_state
    procedure(copy_to_halo_buffer_procedure) :: copy_to_halo_buffer
    procedure(copy_corners_to_halo_buffer_procedure), optional :: copy_corners_to_halo_buffer
    type(field_data_wrapper_type), intent(in), target, optional :: source_data(:)
    call take_in_hand(current_state, halo_swap_state, source_data)
    halo_swap_state%hand%copy_to_halo_buffer => copy_to_halo_buffer
    halo_swap_state%hand%copy_corners_to_halo_buffer => null()
    if (present(copy_corners_to_halo_buffer)) halo_swap_state%hand%copy_corners_to_halo_buffer => copy_corners_to_halo_buffer
    call hlc_exchange_start(halo_swap_state%exchange)
    halo_swap_state%swap_in_progress = .true.
  end subroutine

  !> Completes a swap that this or another component started: performs the local copies, then unpacks each neighbour's pages in
  !> order of arrival, straight from the memory they were received into. On return all halos are filled and all sends are done.
  subroutine complete_nonblocking_halo_swap(current_state, halo_swap_state, perform_local_data_copy, copy_from_halo_buffer, &
                                            copy_from_halo_buffer_to_corner, source_data)
    class(*), intent(inout), target :: current_state
    type(halo_communication_type), intent(inout), target :: halo_swap_state
    procedure(perform_local_data_copy_procedure) :: perform_local_data_copy
    procedure(copy_from_halo_buffer_procedure) :: copy_from_halo_buffer
    procedure(copy_from_halo_buffer_to_corner_procedure), optional :: copy_from_halo_buffer_to_corner
    type(field_data_wrapper_type), intent(in), target, optional :: source_data(:)
    call take_in_hand(current_state, halo_swap_state, source_data)
    halo_swap_state%hand%copy_from_halo_buffer => copy_from_halo_buffer
    halo_swap_state%hand%copy_from_halo_buffer_to_corner => null()
    if (present(copy_from_halo_buffer_to_corner)) &
      halo_swap_state%hand%copy_from_halo_buffer_to_corner => copy_from_halo_buffer_to_corner
    call perform_local_data_copy(current_state, halo_swap_state%halo_depth, halo_swap_state%involve_corners, source_data)
    call hlc_exchange_finish(halo_swap_state%exchange)
    halo_swap_state%swap_in_progress = .false.
  end subroutine

  !> Swaps at once: initiate_nonblocking_halo_swap and complete_nonblocking_halo_swap in one call.
  subroutine blocking_halo_swap(current_state, halo_swap_state, copy_to_halo_buffer, perform_local_data_copy, &
                                copy_from_halo_buffer, copy_corners_to_halo_buffer, copy_from_halo_buffer_to_corner, source_data)
    class(*), intent(inout), target :: current_state
    type(halo_communication_type), intent(inout), target :: halo_swap_state
    procedure(copy_to_halo_buffer_procedure) :: copy_to_halo_buffer
    procedure(perform_local_data_copy_procedure) :: perform_local_data_copy
    procedure(copy_from_halo_buffer_procedure) :: copy_from_halo_buffer
    procedure(copy_corners_to_halo_buffer_procedure), optional :: copy_corners_to_halo_buffer
    procedure(copy_from_halo_buffer_to_corner_procedure), optional :: copy_from_halo_buffer_to_corner
    type(field_data_wrapper_type), intent(in), target, optional :: source_data(:)
    call initiate_nonblocking_halo_swap(current_state, halo_swap_state, copy_to_halo_buffer, copy_corners_to_halo_buffer, &
                                        source_data)
    call complete_nonblocking_halo_swap(current_state, halo_swap_state, perform_local_data_copy, copy_from_halo_buffer, &
                                        copy_from_halo_buffer_to_corner, source_data)
  end subroutine

  !> Releases a halo swap and its buffers. Collective; no swap may be in progress.
  subroutine finalise_halo_communication(halo_swap_state)
    type(halo_communication_type), intent(inout) :: halo_swap_state
    call hlc_exchange_destroy(halo_swap_state%exchange)
    if (associated(halo_swap_state%hand)) deallocate (halo_swap_state%hand)
    if (allocated(halo_swap_state%halo_swap_neighbours)) deallocate (halo_swap_state%halo_swap_neighbours)
    if (allocated(halo_swap_state%current_page)) deallocate (halo_swap_state%current_page)
    halo_swap_state%number_distinct_neighbours = 0
    halo_swap_state%initialised = .false.
  end subroutine

  ! ---------------------------------------------------------------- planning

  subroutine create_exchange(halo_state)
    type(halo_communication_type), intent(inout) :: halo_state
    type(hlc_neighbour) :: neighbours(halo_state%number_distinct_neighbours)
    integer(c_int64_t) :: bytes
    integer :: n
    do n = 1, size(neighbours)
      associate (neighbour => halo_state%halo_swap_neighbours(n))
        bytes = (int(neighbour%send_size, c_int64_t) + neighbour%send_corner_size) * BYTES_PER_ELEMENT
        neighbours(n) = hlc_neighbour(rank=neighbour%pid, tag=0, bytes_out=bytes, bytes_in=bytes)
      end associate
    end do
    allocate (halo_state%hand)
    call hlc_exchange_create(halo_state%context, neighbours, pack_neighbour, unpack_neighbour, halo_state%exchange, &
                             c_loc(halo_state%hand))
  end subroutine

  ! ---------------------------------------------------------------- running

  !> Puts down what the callbacks need, for the length of the call.
  subroutine take_in_hand(current_state, halo_swap_state, source_data)
    class(*), intent(inout), target :: current_state
    type(halo_communication_type), intent(inout), target :: halo_swap_state
    type(field_data_wrapper_type), intent(in), target, optional :: source_data(:)
    if (.not. halo_swap_state%initialised) call settle(int(HLC_ERR_ARGUMENT), -1, message= &
      "the halo swap was not initialised by init_halo_communication")
    halo_swap_state%hand%current_state => current_state
    halo_swap_state%hand%halo_state => halo_swap_state
    halo_swap_state%hand%source_data => null()
    if (present(source_data)) halo_swap_state%hand%source_data => source_data
    halo_swap_state%current_page = 1
  end subroutine

  !> Packs everything for one neighbour: its face pages in ascending order of the cells, then its corner pages.
  subroutine pack_neighbour(n, buffer, user)
    integer, intent(in) :: n
    type(c_ptr), intent(in) :: buffer, user
    type(swap_in_hand), pointer :: hand
    type(halo_communication_type), pointer :: swap
    real(real64), pointer, contiguous :: faces(:, :, :), corners(:, :, :)
    integer :: dim, cell
    call c_f_pointer(user, hand)
    swap => hand%halo_state
    call point_into(buffer, swap, n, faces, corners)
    swap%halo_swap_neighbours(n)%send_halo_buffer => faces
    swap%halo_swap_neighbours(n)%send_corner_buffer => corners
    do dim = Y_INDEX, X_INDEX
      do cell = first_cell(swap), last_cell(swap)
        if (swap%local_grid%neighbours(dim, cell) /= swap%halo_swap_neighbours(n)%pid) cycle
        call hand%copy_to_halo_buffer(hand%current_state, swap%halo_swap_neighbours(n), dim, edge_index(swap, dim, cell), n, &
                                      swap%current_page, hand%source_data)
      end do
    end do
    if (swap%involve_corners .and. associated(hand%copy_corners_to_halo_buffer)) call pack_corners(hand, swap, n)
    nullify (swap%halo_swap_neighbours(n)%send_halo_buffer, swap%halo_swap_neighbours(n)%send_corner_buffer)
  end subroutine

  subroutine pack_corners(hand, swap, n)
    type(swap_in_hand), intent(inout) :: hand
    type(halo_communication_type), intent(inout) :: swap
    integer, intent(in) :: n
    integer :: corner, x, y
    swap%current_page(n) = 1
    do corner = 1, 4
      if (swap%local_grid%corner_neighbours(corner) /= swap%halo_swap_neighbours(n)%pid) cycle
      x = innermost(swap, X_INDEX, corner == 1 .or. corner == 3)
      y = innermost(swap, Y_INDEX, corner <= 2)
      call hand%copy_corners_to_halo_buffer(hand%current_state, swap%halo_swap_neighbours(n), corner, x, y, n, swap%current_page, &
                                            hand%source_data)
    end do
  end subroutine

  !> Unpacks everything from one neighbour, in the order in which it packed: its cell fills my halo cell cell_match, its corner my
  !> opposite corner.
  subroutine unpack_neighbour(n, buffer, user)
    integer, intent(in) :: n
    type(c_ptr), intent(in) :: buffer, user
    type(swap_in_hand), pointer :: hand
    type(halo_communication_type), pointer :: swap
    real(real64), pointer, contiguous :: faces(:, :, :), corners(:, :, :)
    integer :: dim, cell, match
    call c_f_pointer(user, hand)
    swap => hand%halo_state
    call point_into(buffer, swap, n, faces, corners)
    swap%halo_swap_neighbours(n)%recv_halo_buffer => faces
    swap%halo_swap_neighbours(n)%recv_corner_buffer => corners
    do dim = Y_INDEX, X_INDEX
      do cell = first_cell(swap), last_cell(swap)
        match = swap%cell_match(dim, cell)
        if (swap%local_grid%neighbours(dim, match) /= swap%halo_swap_neighbours(n)%pid) cycle
        call hand%copy_from_halo_buffer(hand%current_state, swap%halo_swap_neighbours(n), dim, halo_index(swap, dim, match), n, &
                                        swap%current_page, hand%source_data)
      end do
    end do
    if (swap%involve_corners .and. associated(hand%copy_from_halo_buffer_to_corner)) call unpack_corners(hand, swap, n)
    nullify (swap%halo_swap_neighbours(n)%recv_halo_buffer, swap%halo_swap_neighbours(n)%recv_corner_buffer)
  end subroutine

  subroutine unpack_corners(hand, swap, n)
    type(swap_in_hand), intent(inout) :: hand
    type(halo_communication_type), intent(inout) :: swap
    integer, intent(in) :: n
    integer :: corner, x, y
    swap%current_page(n) = 1
    do corner = 4, 1, -1
      if (swap%local_grid%corner_neighbours(corner) /= swap%halo_swap_neighbours(n)%pid) cycle
      x = halo_index(swap, X_INDEX, outermost(swap, corner == 1 .or. corner == 3))
      y = halo_index(swap, Y_INDEX, outermost(swap, corner <= 2))
      call hand%copy_from_halo_buffer_to_corner(hand%current_state, swap%halo_swap_neighbours(n), corner, x, y, n, &
                                                swap%current_page, hand%source_data)
    end do
  end subroutine

  !> Lets the face buffer and the corner buffer of neighbour n point into one buffer of the exchange, the corners behind the
  !> faces.
  subroutine point_into(buffer, swap, n, faces, corners)
    type(c_ptr), intent(in) :: buffer
    type(halo_communication_type), intent(in) :: swap
    integer, intent(in) :: n
    real(real64), pointer, contiguous, intent(out) :: faces(:, :, :), corners(:, :, :)
    real(real64), pointer, contiguous :: whole(:)
    integer :: z, pages, rows
    z = swap%local_grid%size(Z_INDEX)
    associate (neighbour => swap%halo_swap_neighbours(n))
      pages = neighbour%halo_pages
      rows = width(swap, neighbour)
      call c_f_pointer(buffer, whole, [neighbour%send_size + neighbour%send_corner_size])
      faces(1:z, 1:rows, 1:pages) => whole(:neighbour%send_size)
      corners(1:z, 1:4, 1:neighbour%halo_corners) => whole(neighbour%send_size + 1:)
    end associate
  end subroutine
end module halocline_monc
