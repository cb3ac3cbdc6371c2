! SPDX-License-Identifier: BSD-3-Clause
!> MONC's procedures in every mode: depth 1 and 2, with and without corners, two swaps in flight, swaps started by one component
!> and completed by another, fields passed through as source data, against the serial oracle. Fields must not change before
!> complete. The component packs and unpacks by itself, from what MONC's interface says of indices and pages, so that nothing here
!> knows what the library's own copies do. Built twice, with the model in real64 and in real32.
module monc_component
  use communication_types_mod
  use grids_mod
  use halo_communication_mod, only: perform_local_data_copy_for_field
  use state_mod, only: model_state_type
  implicit none

  !> The fields of the model that the test swaps. A component of MONC finds its fields in the state; here they are beside it.
  type(field_data_wrapper_type), save :: model_fields(3)

contains

  integer function two_fields(current_state)
    type(model_state_type), intent(inout) :: current_state
    two_fields = size(model_fields) - 1
    if (current_state%parallel%my_rank < 0) two_fields = 0
  end function

  !> The fields of a swap: the source data if there are any, else the first two of the model.
  subroutine choose(chosen, source_data)
    type(field_data_wrapper_type), allocatable, intent(out) :: chosen(:)
    type(field_data_wrapper_type), intent(in), optional :: source_data(:)
    if (present(source_data)) then
      allocate (chosen, source=source_data)
    else
      allocate (chosen, source=model_fields(1:2))
    end if
  end subroutine

  subroutine pack(current_state, neighbour_description, dim, source_index, pid_location, current_page, source_data)
    type(model_state_type), intent(inout) :: current_state
    type(neighbour_description_type), intent(inout) :: neighbour_description
    integer, intent(in) :: dim, source_index, pid_location
    integer, intent(inout) :: current_page(:)
    type(field_data_wrapper_type), intent(in), optional :: source_data(:)
    type(field_data_wrapper_type), allocatable :: chosen(:)
    integer :: f, y(2), x(2)
    call choose(chosen, source_data)
    call rows(current_state%local_grid, dim, source_index, y, x)
    do f = 1, size(chosen)
      neighbour_description%send_halo_buffer(:, :, current_page(pid_location)) = &
        reshape(chosen(f)%data(:, y(1):y(2), x(1):x(2)), shape(neighbour_description%send_halo_buffer(:, :, 1)))
      current_page(pid_location) = current_page(pid_location) + 1
    end do
  end subroutine

  !> Ranges of a row: one index along dim, the whole interior along the other dimension.
  subroutine rows(grid, dim, index, y, x)
    type(local_grid_type), intent(in) :: grid
    integer, intent(in) :: dim, index
    integer, intent(out) :: y(2), x(2)
    y = [grid%local_domain_start_index(Y_INDEX), grid%local_domain_end_index(Y_INDEX)]
    x = [grid%local_domain_start_index(X_INDEX), grid%local_domain_end_index(X_INDEX)]
    if (dim == Y_INDEX) y = index
    if (dim == X_INDEX) x = index
  end subroutine

  !> The four cells of a corner as MONC walks them: the given one, one step outwards in y, one in x, one in both. In a halo of one
  !> cell there is only the given one.
  function corner_cells(grid, corner, y, x) result(cells)
    type(local_grid_type), intent(in) :: grid
    integer, intent(in) :: corner, y, x
    integer, allocatable :: cells(:, :)
    integer :: up, across
    up = 1
    if (corner < 3) up = -1
    across = 1
    if (corner == 1 .or. corner == 3) across = -1
    cells = reshape([y, x, y + up, x, y, x + across, y + up, x + across], [2, 4])
    if (grid%halo_size(Y_INDEX) == 1) cells = cells(:, 1:1)
  end function

  subroutine pack_corner(current_state, neighbour_description, dim, x_source_index, y_source_index, pid_location, current_page, &
                         source_data)
    type(model_state_type), intent(inout) :: current_state
    type(neighbour_description_type), intent(inout) :: neighbour_description
    integer, intent(in) :: dim, x_source_index, y_source_index, pid_location
    integer, intent(inout) :: current_page(:)
    type(field_data_wrapper_type), intent(in), optional :: source_data(:)
    type(field_data_wrapper_type), allocatable :: chosen(:)
    integer, allocatable :: cells(:, :)
    integer :: f, c
    call choose(chosen, source_data)
    cells = corner_cells(current_state%local_grid, dim, y_source_index, x_source_index)
    do f = 1, size(chosen)
      do c = 1, size(cells, 2)
        neighbour_description%send_corner_buffer(:, c, current_page(pid_location)) = chosen(f)%data(:, cells(1, c), cells(2, c))
      end do
      current_page(pid_location) = current_page(pid_location) + 1
    end do
  end subroutine

  subroutine unpack(current_state, neighbour_description, dim, target_index, neighbour_location, current_page, source_data)
    type(model_state_type), intent(inout) :: current_state
    type(neighbour_description_type), intent(inout) :: neighbour_description
    integer, intent(in) :: dim, target_index, neighbour_location
    integer, intent(inout) :: current_page(:)
    type(field_data_wrapper_type), intent(in), optional :: source_data(:)
    type(field_data_wrapper_type), allocatable :: chosen(:)
    integer :: f, y(2), x(2)
    call choose(chosen, source_data)
    call rows(current_state%local_grid, dim, target_index, y, x)
    do f = 1, size(chosen)
      chosen(f)%data(:, y(1):y(2), x(1):x(2)) = &
        reshape(neighbour_description%recv_halo_buffer(:, :, current_page(neighbour_location)), &
                shape(chosen(f)%data(:, y(1):y(2), x(1):x(2))))
      current_page(neighbour_location) = current_page(neighbour_location) + 1
    end do
  end subroutine

  !> The sender's first cell is the one farthest from the edge, and so the last of those that are reached from the edge here.
  subroutine unpack_corner(current_state, neighbour_description, corner_loc, x_target_index, y_target_index, neighbour_location, &
                           current_page, source_data)
    type(model_state_type), intent(inout) :: current_state
    type(neighbour_description_type), intent(inout) :: neighbour_description
    integer, intent(in) :: corner_loc, x_target_index, y_target_index, neighbour_location
    integer, intent(inout) :: current_page(:)
    type(field_data_wrapper_type), intent(in), optional :: source_data(:)
    type(field_data_wrapper_type), allocatable :: chosen(:)
    integer, allocatable :: cells(:, :)
    integer :: f, c
    call choose(chosen, source_data)
    cells = corner_cells(current_state%local_grid, corner_loc, y_target_index, x_target_index)
    do f = 1, size(chosen)
      do c = 1, size(cells, 2)
        chosen(f)%data(:, cells(1, c), cells(2, c)) = &
          neighbour_description%recv_corner_buffer(:, size(cells, 2) + 1 - c, current_page(neighbour_location))
      end do
      current_page(neighbour_location) = current_page(neighbour_location) + 1
    end do
  end subroutine

  subroutine copy_locally(current_state, halo_depth, involve_corners, source_data)
    type(model_state_type), intent(inout) :: current_state
    integer, intent(in) :: halo_depth
    logical, intent(in) :: involve_corners
    type(field_data_wrapper_type), intent(in), optional :: source_data(:)
    type(field_data_wrapper_type), allocatable :: chosen(:)
    integer :: f
    call choose(chosen, source_data)
    do f = 1, size(chosen)
      call perform_local_data_copy_for_field(chosen(f)%data, current_state%local_grid, current_state%parallel%my_rank, halo_depth, &
                                             involve_corners)
    end do
  end subroutine
end module monc_component

program monc_test
  use, intrinsic :: iso_fortran_env, only: real64
  use environment
  use halocline
  use communication_types_mod
  use decomposition_mod, only: describe_block
  use grids_mod, only: X_INDEX, Y_INDEX
  use halo_communication_mod
  use halocline_mpi
  use monc_component
  use oracle
  use state_mod, only: model_state_type
  use testing
  implicit none

  integer, parameter :: cells(3) = [4, 13, 12]
  type(hlc_context) :: context
  type(hlc_grid) :: grid
  type(world) :: corner_world  ! corners are as deep as the halo of the fields, whatever the depth of the swap
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
    type(model_state_type) :: state
    character(len=120) :: sentence
    type(world) :: w
    call hlc_grid_create(context, cells, grid, dims=[1, 0, 0], periodic=[.true., .true., .true.])
    w = make_world(context, grid, [0, depth, depth], [0, depth, depth], star=.not. corners)
    corner_world = make_world(context, grid, [0, halo_size, halo_size], [0, halo_size, halo_size], star=.not. corners)
    call set_up(state, halo_size)
    call blocking_swaps(state, w, depth, corners)
    call requests_are_kept(state, depth, corners)
    call swaps_in_flight(state, w, depth, corners)
    write (sentence, "(3a,i0,a,i0,2a)") "mode ", mode, " swaps as MONC does, depth ", depth, " in a halo of ", halo_size, &
      merge(" with corners   ", " without corners", corners)
    call end_test(trim(sentence))
    call tear_down()
  end subroutine

  !> Blocks that are split in one direction only, so that one rank stands on both sides and in all corners.
  subroutine test_columns()
    integer :: dim, dims(3)
    type(model_state_type) :: state
    type(world) :: w
    do dim = Y_INDEX, X_INDEX
      dims = 1
      dims(dim) = context%size
      call hlc_grid_create(context, cells, grid, dims=dims, periodic=[.true., .true., .true.])
      w = make_world(context, grid, [0, 2, 2], [0, 2, 2], star=.false.)
      corner_world = w
      call set_up(state, 2)
      call blocking_swaps(state, w, 2, .true.)
      call end_test("a split in " // merge("y", "x", dim == Y_INDEX) // " alone puts every cell in its place")
      call tear_down()
    end do
  end subroutine

  subroutine blocking_swaps(state, w, depth, corners)
    type(model_state_type), intent(inout) :: state
    type(world), intent(in) :: w
    integer, intent(in) :: depth
    logical, intent(in) :: corners
    type(halo_communication_type) :: swap
    integer :: step
    call init_halo_communication(state, two_fields, swap, depth, corners)
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

  !> MONC's components may wait for the requests of a handle: as many as MONC has, and none of them pending.
  subroutine requests_are_kept(state, depth, corners)
    type(model_state_type), intent(inout) :: state
    integer, intent(in) :: depth
    logical, intent(in) :: corners
    type(halo_communication_type) :: swap
    integer :: wanted
    call init_halo_communication(state, two_fields, swap, depth, corners)
    wanted = count(swap%halo_swap_neighbours%recv_size > 0) + count(swap%halo_swap_neighbours%recv_corner_size > 0)
    call expect(size(swap%send_requests) == wanted .and. size(swap%recv_requests) == wanted, &
                "there is one request for faces and one for corners")
    call expect(all(swap%send_requests == hlc_mpi_request_null()), "no request is pending")
    call finalise_halo_communication(swap)
    call finalise_halo_communication(swap)
    call expect(.not. swap%initialised, "finalise takes a handle that has been finalised")
  end subroutine

  !> One swap of two fields of the state and one of a third field passed as source data, both under way at once and completed in
  !> the other order by a procedure that knows only the state and the handle.
  subroutine swaps_in_flight(state, w, depth, corners)
    type(model_state_type), intent(inout) :: state
    type(world), intent(in) :: w
    integer, intent(in) :: depth
    logical, intent(in) :: corners
    type(halo_communication_type) :: pair, single
    integer :: step
    call init_halo_communication(state, two_fields, pair, depth, corners)
    call init_halo_communication(state, get_single_field_per_halo_cell, single, depth, corners)
    do step = 4, 6
      call fill_all(state, w, step)
      call initiate_nonblocking_halo_swap(state, pair, pack, pack_corner)
      call initiate_nonblocking_halo_swap(state, single, pack, pack_corner, model_fields(3:3))
      call expect(pair%swap_in_progress .and. single%swap_in_progress, "the handles know that their swaps are under way")
      call check_field(state, w, 1, step, filled=.false.)
      call complete_elsewhere(state, single, model_fields(3:3))
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
    type(model_state_type), intent(inout) :: state
    type(halo_communication_type), intent(inout) :: swap
    type(field_data_wrapper_type), intent(in), optional :: source_data(:)
    call complete_nonblocking_halo_swap(state, swap, copy_locally, unpack, unpack_corner, source_data)
  end subroutine

  subroutine set_up(state, halo_size)
    type(model_state_type), intent(out) :: state
    integer, intent(in) :: halo_size
    integer :: f, n(3)
    call describe_block(grid, halo_size, state%local_grid)
    state%parallel%my_rank = context%rank
    state%parallel%neighbour_comm = hlc_mpi_world()
    n = state%local_grid%size + 2 * state%local_grid%halo_size
    do f = 1, size(model_fields)
      allocate (model_fields(f)%data(n(1), n(2), n(3)))
    end do
  end subroutine

  subroutine tear_down()
    integer :: f
    do f = 1, size(model_fields)
      deallocate (model_fields(f)%data)
    end do
  end subroutine

  !> Writes the owner's values into the interior of all fields and poison into every halo cell.
  subroutine fill_all(state, w, step)
    type(model_state_type), intent(inout) :: state
    type(world), intent(in) :: w
    integer, intent(in) :: step
    integer :: f, i, j, k, at(3)
    do f = 1, size(model_fields)
      model_fields(f)%data = POISON
      do k = 1, state%local_grid%size(3)
        do j = 1, state%local_grid%size(2)
          do i = 1, state%local_grid%size(1)
            at = [i, j, k] + state%local_grid%halo_size
            model_fields(f)%data(at(1), at(2), at(3)) = owned_value(w, f, step, int(w%grid%start) + [i, j, k, 1] - 1)
          end do
        end do
      end do
    end do
  end subroutine

  !> Compares all cells of a field, also those of the halo beyond the swap's depth, with the oracle.
  subroutine check_field(state, w, f, step, filled)
    type(model_state_type), intent(in) :: state
    type(world), intent(in) :: w
    integer, intent(in) :: f, step
    logical, intent(in) :: filled
    type(swap_part) :: part
    integer :: i, j, k, cell(4), found, expected, n(3)
    character(len=120) :: text
    part%chosen = filled
    n = shape(model_fields(f)%data)
    do k = 1, n(3)
      do j = 1, n(2)
        do i = 1, n(1)
          cell = [[i, j, k] - state%local_grid%halo_size, 1]
          expected = POISON
          if (all(cell >= 1 - w%low .and. cell <= w%grid%local + w%high)) expected = expected_after_swap(w, part, f, step, cell)
          if (all(cell(2:3) < 1 .or. cell(2:3) > w%grid%local(2:3))) &
            expected = expected_after_swap(corner_world, part, f, step, cell)
          found = nint(model_fields(f)%data(i, j, k))
          if (found == expected) cycle
          write (text, "(a,i0,a,3(i0,1x),a,i0,a,i0)") "field ", f, ", cell ", cell(1:3), "holds ", found, " instead of ", expected
          call complaint(trim(text))
        end do
      end do
    end do
    call expect(product(n) > 0, "there are cells to compare")
  end subroutine
end program monc_test
