! SPDX-License-Identifier: BSD-3-Clause
!> MONC's procedures in every mode: depth 1 and 2, with and without corners, two swaps in flight, swaps started by one component
!> and completed by another, fields passed through as source data, against the serial oracle. Fields must not change before
!> complete.
module monc_component
  use, intrinsic :: iso_fortran_env, only: real64
  use halocline_monc
  implicit none

  !> The model's own state, which the library passes through.
  type :: model_state
    type(local_grid_type) :: local_grid
    integer :: rank = -1
    type(field_data_wrapper_type) :: fields(3)
  end type

contains

  integer function two_fields(current_state)
    class(*), intent(inout) :: current_state
    two_fields = 0
    select type (current_state)
    type is (model_state)
      two_fields = size(current_state%fields) - 1
    end select
  end function

  !> The fields of a swap: the source data if there are any, else the first two of the state.
  function fields_of(current_state, source_data) result(fields)
    type(model_state), intent(in) :: current_state
    type(field_data_wrapper_type), intent(in), optional :: source_data(:)
    type(field_data_wrapper_type), allocatable :: fields(:)
    if (present(source_data)) then
      allocate (fields, source=source_data)
    else
      allocate (fields, source=current_state%fields(1:2))
    end if
  end function

  subroutine pack(current_state, neighbour_description, dim, source_index, pid_location, current_page, source_data)
    class(*), intent(inout) :: current_state
    type(neighbour_description_type), intent(inout) :: neighbour_description
    integer, intent(in) :: dim, source_index, pid_location
    integer, intent(inout) :: current_page(:)
    type(field_data_wrapper_type), intent(in), optional :: source_data(:)
    type(field_data_wrapper_type), allocatable :: fields(:)
    integer :: f
    select type (current_state)
    type is (model_state)
      fields = fields_of(current_state, source_data)
      do f = 1, size(fields)
        call copy_field_to_buffer(current_state%local_grid, neighbour_description%send_halo_buffer, fields(f)%data, dim, &
                                  source_index, current_page(pid_location))
        current_page(pid_location) = current_page(pid_location) + 1
      end do
    end select
  end subroutine

  subroutine pack_corner(current_state, neighbour_description, dim, x_source_index, y_source_index, pid_location, current_page, &
                         source_data)
    class(*), intent(inout) :: current_state
    type(neighbour_description_type), intent(inout) :: neighbour_description
    integer, intent(in) :: dim, x_source_index, y_source_index, pid_location
    integer, intent(inout) :: current_page(:)
    type(field_data_wrapper_type), intent(in), optional :: source_data(:)
    type(field_data_wrapper_type), allocatable :: fields(:)
    integer :: f
    select type (current_state)
    type is (model_state)
      fields = fields_of(current_state, source_data)
      do f = 1, size(fields)
        call copy_corner_to_buffer(current_state%local_grid, neighbour_description%send_corner_buffer, fields(f)%data, dim, &
                                   x_source_index, y_source_index, current_page(pid_location))
        current_page(pid_location) = current_page(pid_location) + 1
      end do
    end select
  end subroutine

  subroutine unpack(current_state, neighbour_description, dim, target_index, neighbour_location, current_page, source_data)
    class(*), intent(inout) :: current_state
    type(neighbour_description_type), intent(inout) :: neighbour_description
    integer, intent(in) :: dim, target_index, neighbour_location
    integer, intent(inout) :: current_page(:)
    type(field_data_wrapper_type), intent(in), optional :: source_data(:)
    type(field_data_wrapper_type), allocatable :: fields(:)
    integer :: f
    select type (current_state)
    type is (model_state)
      fields = fields_of(current_state, source_data)
      do f = 1, size(fields)
        call copy_buffer_to_field(current_state%local_grid, neighbour_description%recv_halo_buffer, fields(f)%data, dim, &
                                  target_index, current_page(neighbour_location))
        current_page(neighbour_location) = current_page(neighbour_location) + 1
      end do
    end select
  end subroutine

  subroutine unpack_corner(current_state, neighbour_description, corner_loc, x_target_index, y_target_index, neighbour_location, &
                           current_page, source_data)
    class(*), intent(inout) :: current_state
    type(neighbour_description_type), intent(inout) :: neighbour_description
    integer, intent(in) :: corner_loc, x_target_index, y_target_index, neighbour_location
    integer, intent(inout) :: current_page(:)
    type(field_data_wrapper_type), intent(in), optional :: source_data(:)
    type(field_data_wrapper_type), allocatable :: fields(:)
    integer :: f
    select type (current_state)
    type is (model_state)
      fields = fields_of(current_state, source_data)
      do f = 1, size(fields)
        call copy_buffer_to_corner(current_state%local_grid, neighbour_description%recv_corner_buffer, fields(f)%data, corner_loc, &
                                   x_target_index, y_target_index, current_page(neighbour_location))
        current_page(neighbour_location) = current_page(neighbour_location) + 1
      end do
    end select
  end subroutine

  subroutine copy_locally(current_state, halo_depth, involve_corners, source_data)
    class(*), intent(inout) :: current_state
    integer, intent(in) :: halo_depth
    logical, intent(in) :: involve_corners
    type(field_data_wrapper_type), intent(in), optional :: source_data(:)
    type(field_data_wrapper_type), allocatable :: fields(:)
    integer :: f
    select type (current_state)
    type is (model_state)
      fields = fields_of(current_state, source_data)
      do f = 1, size(fields)
        call perform_local_data_copy_for_field(fields(f)%data, current_state%local_grid, current_state%rank, halo_depth, &
                                               involve_corners)
      end do
    end select
  end subroutine
end module monc_component

program monc_test
  use, intrinsic :: iso_fortran_env, only: real64
  use environment
  use halocline
  use halocline_monc
  use monc_component
  use oracle
  use testing
  implicit none

  integer, parameter :: cells(3) = [4, 13, 12]
  type(hlc_context) :: context
  type(hlc_grid) :: grid
  integer :: m, depth, corners, halo_size

  call start_tests(context)
  do m = 1, size(all_modes)
    call set_environment("HALOCLINE_MODE", trim(all_modes(m)))
    do depth = 1, 2
      do corners = 0, 1
        do halo_size = depth, 2
          call test_shape(trim(all_modes(m)), depth, corners == 1, halo_size)
        end do
      end do
    end do
  end do
  call test_columns()
  call finish_tests(context)

contains

  !> One depth and one kind of corners, on blocks that are periodic in both directions, as MONC's are.
  subroutine test_shape(mode, depth, corners, halo_size)
    character(len=*), intent(in) :: mode
    integer, intent(in) :: depth, halo_size
    logical, intent(in) :: corners
    type(model_state) :: state
    character(len=120) :: sentence
    type(world) :: w
    call hlc_grid_create(context, cells, grid, dims=[1, 0, 0], periodic=[.true., .true., .true.])
    w = make_world(context, grid, [0, depth, depth], [0, depth, depth], star=.not. corners)
    call set_up(state, halo_size)
    call blocking_swaps(state, w, depth, corners)
    call swaps_in_flight(state, w, depth, corners)
    write (sentence, "(3a,i0,a,i0,2a)") "mode ", mode, " swaps as MONC does, depth ", depth, " in a halo of ", halo_size, &
      merge(" with corners   ", " without corners", corners)
    call end_test(trim(sentence))
    call tear_down(state)
  end subroutine

  !> Blocks that are split in one direction only, so that one rank stands on both sides and in all corners.
  subroutine test_columns()
    integer :: dim, dims(3)
    type(model_state) :: state
    type(world) :: w
    do dim = Y_INDEX, X_INDEX
      dims = 1
      dims(dim) = context%size
      call hlc_grid_create(context, cells, grid, dims=dims, periodic=[.true., .true., .true.])
      w = make_world(context, grid, [0, 2, 2], [0, 2, 2], star=.false.)
      call set_up(state, 2)
      call blocking_swaps(state, w, 2, .true.)
      call end_test("a split in " // merge("y", "x", dim == Y_INDEX) // " alone puts every cell in its place")
      call tear_down(state)
    end do
  end subroutine

  subroutine blocking_swaps(state, w, depth, corners)
    type(model_state), intent(inout) :: state
    type(world), intent(in) :: w
    integer, intent(in) :: depth
    logical, intent(in) :: corners
    type(halo_communication_type) :: swap
    integer :: step
    call init_halo_communication(state, two_fields, swap, depth, corners, context, state%local_grid)
    do step = 1, 3
      call fill_all(state, w, step)
      call blocking_halo_swap(state, swap, pack, copy_locally, unpack, pack_corner, unpack_corner)
      call check_field(state, w, 1, step, filled=.true.)
      call check_field(state, w, 2, step, filled=.true.)
      call check_field(state, w, 3, step, filled=.false.)
    end do
    call expect(swap%initialised .and. .not. swap%swap_in_progress, "the handle knows that no swap is under way")
    call finalise_halo_communication(swap)
  end subroutine

  !> One swap of two fields of the state and one of a third field passed as source data, both under way at once and completed in
  !> the other order by a procedure that knows only the state and the handle.
  subroutine swaps_in_flight(state, w, depth, corners)
    type(model_state), intent(inout) :: state
    type(world), intent(in) :: w
    integer, intent(in) :: depth
    logical, intent(in) :: corners
    type(halo_communication_type) :: pair, single
    integer :: step
    call init_halo_communication(state, two_fields, pair, depth, corners, context, state%local_grid)
    call init_halo_communication(state, get_single_field_per_halo_cell, single, depth, corners, context, state%local_grid)
    do step = 4, 6
      call fill_all(state, w, step)
      call initiate_nonblocking_halo_swap(state, pair, pack, pack_corner)
      call initiate_nonblocking_halo_swap(state, single, pack, pack_corner, state%fields(3:3))
      call expect(pair%swap_in_progress .and. single%swap_in_progress, "the handles know that their swaps are under way")
      call check_field(state, w, 1, step, filled=.false.)
      call complete_elsewhere(state, single, state%fields(3:3))
      call check_field(state, w, 3, step, filled=.true.)
      call check_field(state, w, 2, step, filled=.false.)
      call complete_elsewhere(state, pair)
      call check_field(state, w, 1, step, filled=.true.)
      call check_field(state, w, 2, step, filled=.true.)
    end do
    call finalise_halo_communication(single)
    call finalise_halo_communication(pair)
  end subroutine

  subroutine complete_elsewhere(state, swap, source_data)
    class(*), intent(inout) :: state
    type(halo_communication_type), intent(inout) :: swap
    type(field_data_wrapper_type), intent(in), optional :: source_data(:)
    call complete_nonblocking_halo_swap(state, swap, copy_locally, unpack, unpack_corner, source_data)
  end subroutine

  subroutine set_up(state, halo_size)
    type(model_state), intent(out) :: state
    integer, intent(in) :: halo_size
    integer :: f, n(3)
    state%local_grid = local_grid_of(grid, halo_size)
    state%rank = context%rank
    n = state%local_grid%size + 2 * state%local_grid%halo_size
    do f = 1, size(state%fields)
      allocate (state%fields(f)%data(n(1), n(2), n(3)))
    end do
  end subroutine

  subroutine tear_down(state)
    type(model_state), intent(inout) :: state
    integer :: f
    do f = 1, size(state%fields)
      deallocate (state%fields(f)%data)
    end do
  end subroutine

  !> Writes the owner's values into the interior of all fields and poison into every halo cell.
  subroutine fill_all(state, w, step)
    type(model_state), intent(inout) :: state
    type(world), intent(in) :: w
    integer, intent(in) :: step
    integer :: f, i, j, k, at(3)
    do f = 1, size(state%fields)
      state%fields(f)%data = POISON
      do k = 1, state%local_grid%size(3)
        do j = 1, state%local_grid%size(2)
          do i = 1, state%local_grid%size(1)
            at = [i, j, k] + state%local_grid%halo_size
            state%fields(f)%data(at(1), at(2), at(3)) = owned_value(w, f, step, int(w%grid%start) + [i, j, k, 1] - 1)
          end do
        end do
      end do
    end do
  end subroutine

  !> Compares all cells of a field, also those of the halo beyond the swap's depth, with the oracle.
  subroutine check_field(state, w, f, step, filled)
    type(model_state), intent(in) :: state
    type(world), intent(in) :: w
    integer, intent(in) :: f, step
    logical, intent(in) :: filled
    type(swap_part) :: part
    integer :: i, j, k, cell(4), found, expected, n(3)
    character(len=120) :: text
    part%chosen = filled
    n = shape(state%fields(f)%data)
    do k = 1, n(3)
      do j = 1, n(2)
        do i = 1, n(1)
          cell = [[i, j, k] - state%local_grid%halo_size, 1]
          expected = POISON
          if (all(cell >= 1 - w%low .and. cell <= w%grid%local + w%high)) expected = expected_after_swap(w, part, f, step, cell)
          found = nint(state%fields(f)%data(i, j, k))
          if (found == expected) cycle
          write (text, "(a,i0,a,3(i0,1x),a,i0,a,i0)") "field ", f, ", cell ", cell(1:3), "holds ", found, " instead of ", expected
          call complaint(trim(text))
        end do
      end do
    end do
    call expect(product(n) > 0, "there are cells to compare")
  end subroutine
end program monc_test
