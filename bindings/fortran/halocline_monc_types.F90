! SPDX-License-Identifier: BSD-3-Clause
!> The types of module halocline_monc: the local grid, a neighbour with its four buffers, the handle of a halo swap, and the
!> interfaces of the procedures that a component of the model hands in. Component names are those of the MONC cloud model.
module halocline_monc_types
  use, intrinsic :: iso_fortran_env, only: real64
  use halocline_context, only: hlc_context
  use halocline_exchange, only: hlc_exchange
  implicit none
  private
  public :: Z_INDEX, Y_INDEX, X_INDEX, local_grid_type, neighbour_description_type, field_data_wrapper_type
  public :: halo_communication_type, swap_in_hand
  public :: get_fields_per_halo_cell_procedure, copy_to_halo_buffer_procedure, copy_corners_to_halo_buffer_procedure
  public :: copy_from_halo_buffer_procedure, copy_from_halo_buffer_to_corner_procedure, perform_local_data_copy_procedure

  !> Dimensions of a field, in the order of its array indices: z is contiguous, y and x are decomposed.
  integer, parameter :: Z_INDEX = 1, Y_INDEX = 2, X_INDEX = 3

  !> What a halo swap needs to know about this rank's block. size counts cells without halo, halo_size the halo cells on each
  !> side, start is the block's first global cell (from 1). local_domain_start_index and local_domain_end_index bound the interior
  !> inside a field's array, whose indices start at 1. neighbours(dim, 1:2) is the rank below, neighbours(dim, 3:4) the rank above
  !> in Y and X; entries 2 and 3 serve the halo cell next to the interior. corner_neighbours: 1 low y, low x; 2 low y, high x; 3
  !> high y, low x; 4 high y, high x. A rank below 0 stands for an open side. dimensions counts the dimensions of the grid.
  type :: local_grid_type
    integer :: size(3) = 0
    integer :: halo_size(3) = 0
    integer :: start(3) = 1
    integer :: local_domain_start_index(3) = 1
    integer :: local_domain_end_index(3) = 0
    integer :: neighbours(3, 8) = -1
    integer :: corner_neighbours(4) = -1
    integer :: dimensions = 3
  end type

  !> One distinct neighbour. halo_pages and halo_corners count the pages (one per field and edge cell, one per field and corner)
  !> that go to it and come from it; dimension is the one whose face it shares (0: a corner only). Sizes count real64 elements.
  !> The buffers have the shapes (z, y or x, page) and (z, 4, page); they point straight into the exchange's memory, the send
  !> buffers while the pack procedures run and the receive buffers while the unpack procedures run.
  type :: neighbour_description_type
    integer :: pid = -1
    integer :: halo_pages = 0, halo_corners = 0
    integer :: dimension = 0
    integer :: recv_size = 0, send_size = 0, recv_corner_size = 0, send_corner_size = 0
    real(real64), pointer, contiguous :: send_halo_buffer(:, :, :) => null()
    real(real64), pointer, contiguous :: recv_halo_buffer(:, :, :) => null()
    real(real64), pointer, contiguous :: send_corner_buffer(:, :, :) => null()
    real(real64), pointer, contiguous :: recv_corner_buffer(:, :, :) => null()
  end type

  !> A field that a component passes through to its own procedures.
  type :: field_data_wrapper_type
    real(real64), pointer :: data(:, :, :) => null()
  end type

  !> The handle of one halo swap, made by init_halo_communication. cell_match(dim, j) is the one of this rank's four halo cells (1
  !> to 4 across the block) that the neighbour's j-th edge cell fills; pages travel in the sender's order, so that the same
  !> neighbour may stand on both sides. MONC's request arrays have no counterpart: the exchange holds what they held.
  type :: halo_communication_type
    integer :: number_distinct_neighbours = 0
    integer :: fields_per_cell = 0
    integer :: halo_depth = 0
    integer :: cell_match(3, 4) = 0
    type(neighbour_description_type), allocatable :: halo_swap_neighbours(:)
    logical :: initialised = .false.
    logical :: swap_in_progress = .false.
    logical :: involve_corners = .false.
    type(hlc_context) :: context
    type(local_grid_type) :: local_grid
    type(hlc_exchange) :: exchange
    integer, allocatable :: current_page(:)
    type(swap_in_hand), pointer :: hand => null()
  end type

  !> What the caller of the running procedure handed in, where the exchange's callbacks find it. Valid during that call only.
  type :: swap_in_hand
    class(*), pointer :: current_state => null()
    type(halo_communication_type), pointer :: halo_state => null()
    type(field_data_wrapper_type), pointer :: source_data(:) => null()
    procedure(copy_to_halo_buffer_procedure), pointer, nopass :: copy_to_halo_buffer => null()
    procedure(copy_corners_to_halo_buffer_procedure), pointer, nopass :: copy_corners_to_halo_buffer => null()
    procedure(copy_from_halo_buffer_procedure), pointer, nopass :: copy_from_halo_buffer => null()
    procedure(copy_from_halo_buffer_to_corner_procedure), pointer, nopass :: copy_from_halo_buffer_to_corner => null()
  end type

  abstract interface
    !> Returns how many fields are swapped.
    integer function get_fields_per_halo_cell_procedure(current_state)
      class(*), intent(inout) :: current_state
    end function

    !> Copies one edge cell row of every field (index source_index of dimension dim) into neighbour_description%send_halo_buffer,
    !> one page per field from current_page(pid_location) on, and leaves current_page(pid_location) behind the last page written.
    subroutine copy_to_halo_buffer_procedure(current_state, neighbour_description, dim, source_index, pid_location, current_page, &
                                             source_data)
      import :: field_data_wrapper_type, neighbour_description_type
      class(*), intent(inout) :: current_state
      type(neighbour_description_type), intent(inout) :: neighbour_description
      integer, intent(in) :: dim, source_index, pid_location
      integer, intent(inout) :: current_page(:)
      type(field_data_wrapper_type), intent(in), optional :: source_data(:)
    end subroutine

    !> As copy_to_halo_buffer_procedure for corner dim (1 to 4), into send_corner_buffer. The indices name the corner's cell that
    !> lies farthest inside the block.
    subroutine copy_corners_to_halo_buffer_procedure(current_state, neighbour_description, dim, x_source_index, y_source_index, &
                                                     pid_location, current_page, source_data)
      import :: field_data_wrapper_type, neighbour_description_type
      class(*), intent(inout) :: current_state
      type(neighbour_description_type), intent(inout) :: neighbour_description
      integer, intent(in) :: dim, x_source_index, y_source_index, pid_location
      integer, intent(inout) :: current_page(:)
      type(field_data_wrapper_type), intent(in), optional :: source_data(:)
    end subroutine

    !> Copies pages of neighbour_description%recv_halo_buffer, from current_page(neighbour_location) on, into the halo cell row
    !> target_index of dimension dim of every field, and leaves current_page(neighbour_location) behind the last page read.
    subroutine copy_from_halo_buffer_procedure(current_state, neighbour_description, dim, target_index, neighbour_location, &
                                               current_page, source_data)
      import :: field_data_wrapper_type, neighbour_description_type
      class(*), intent(inout) :: current_state
      type(neighbour_description_type), intent(inout) :: neighbour_description
      integer, intent(in) :: dim, target_index, neighbour_location
      integer, intent(inout) :: current_page(:)
      type(field_data_wrapper_type), intent(in), optional :: source_data(:)
    end subroutine

    !> As copy_from_halo_buffer_procedure for corner corner_loc (1 to 4), out of recv_corner_buffer. The indices name the corner's
    !> outermost cell.
    subroutine copy_from_halo_buffer_to_corner_procedure(current_state, neighbour_description, corner_loc, x_target_index, &
                                                         y_target_index, neighbour_location, current_page, source_data)
      import :: field_data_wrapper_type, neighbour_description_type
      class(*), intent(inout) :: current_state
      type(neighbour_description_type), intent(inout) :: neighbour_description
      integer, intent(in) :: corner_loc, x_target_index, y_target_index, neighbour_location
      integer, intent(inout) :: current_page(:)
      type(field_data_wrapper_type), intent(in), optional :: source_data(:)
    end subroutine

    !> Fills the halo cells of every field whose neighbour is this rank itself, usually by perform_local_data_copy_for_field.
    subroutine perform_local_data_copy_procedure(current_state, halo_depth, involve_corners, source_data)
      import :: field_data_wrapper_type
      class(*), intent(inout) :: current_state
      integer, intent(in) :: halo_depth
      logical, intent(in) :: involve_corners
      type(field_data_wrapper_type), intent(in), optional :: source_data(:)
    end subroutine
  end interface
end module halocline_monc_types
