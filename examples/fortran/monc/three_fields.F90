! SPDX-License-Identifier: BSD-3-Clause
! A component of the cloud model MONC starts a swap of three fields, and a second component completes it. MONC's modules and
! arguments are unchanged (model.F90 has the model's, ported.F90 the two of Halocline). The result is compared, bit by bit, with
! that of a halo swap of the same fields.
module wind_component
  use communication_types_mod, only: field_data_wrapper_type, halo_communication_type, neighbour_description_type
  use halo_communication_mod, only: copy_corner_to_buffer, copy_field_to_buffer
  use state_mod, only: model_state_type
  implicit none

contains

  integer function fields_per_cell(current_state)
    type(model_state_type), intent(inout) :: current_state
    fields_per_cell = count([allocated(current_state%u%data), allocated(current_state%v%data), allocated(current_state%w%data)])
  end function

  subroutine pack(current_state, neighbour_description, dim, source_index, pid_location, current_page, source_data)
    type(model_state_type), intent(inout) :: current_state
    type(neighbour_description_type), intent(inout) :: neighbour_description
    integer, intent(in) :: dim, source_index, pid_location
    integer, intent(inout) :: current_page(:)
    type(field_data_wrapper_type), intent(in), optional :: source_data(:)
    associate (buffer => neighbour_description%send_halo_buffer, grid => current_state%local_grid, &
               page => current_page(pid_location))
      call copy_field_to_buffer(grid, buffer, current_state%u%data, dim, source_index, page)
      call copy_field_to_buffer(grid, buffer, current_state%v%data, dim, source_index, page + 1)
      call copy_field_to_buffer(grid, buffer, current_state%w%data, dim, source_index, page + 2)
      page = page + 3
    end associate
    if (present(source_data)) error stop "this component has its fields in the state"
  end subroutine

  subroutine pack_corner(current_state, neighbour_description, dim, x_source_index, y_source_index, pid_location, current_page, &
                         source_data)
    type(model_state_type), intent(inout) :: current_state
    type(neighbour_description_type), intent(inout) :: neighbour_description
    integer, intent(in) :: dim, x_source_index, y_source_index, pid_location
    integer, intent(inout) :: current_page(:)
    type(field_data_wrapper_type), intent(in), optional :: source_data(:)
    associate (buffer => neighbour_description%send_corner_buffer, grid => current_state%local_grid, &
               page => current_page(pid_location))
      call copy_corner_to_buffer(grid, buffer, current_state%u%data, dim, x_source_index, y_source_index, page)
      call copy_corner_to_buffer(grid, buffer, current_state%v%data, dim, x_source_index, y_source_index, page + 1)
      call copy_corner_to_buffer(grid, buffer, current_state%w%data, dim, x_source_index, y_source_index, page + 2)
      page = page + 3
    end associate
    if (present(source_data)) error stop "this component has its fields in the state"
  end subroutine
end module wind_component

module advection_component
  use communication_types_mod, only: field_data_wrapper_type, neighbour_description_type
  use halo_communication_mod, only: copy_buffer_to_corner, copy_buffer_to_field, perform_local_data_copy_for_field
  use state_mod, only: model_state_type
  implicit none

contains

  subroutine unpack(current_state, neighbour_description, dim, target_index, neighbour_location, current_page, source_data)
    type(model_state_type), intent(inout) :: current_state
    type(neighbour_description_type), intent(inout) :: neighbour_description
    integer, intent(in) :: dim, target_index, neighbour_location
    integer, intent(inout) :: current_page(:)
    type(field_data_wrapper_type), intent(in), optional :: source_data(:)
    associate (buffer => neighbour_description%recv_halo_buffer, grid => current_state%local_grid, &
               page => current_page(neighbour_location))
      call copy_buffer_to_field(grid, buffer, current_state%u%data, dim, target_index, page)
      call copy_buffer_to_field(grid, buffer, current_state%v%data, dim, target_index, page + 1)
      call copy_buffer_to_field(grid, buffer, current_state%w%data, dim, target_index, page + 2)
      page = page + 3
    end associate
    if (present(source_data)) error stop "this component has its fields in the state"
  end subroutine

  subroutine unpack_corner(current_state, neighbour_description, corner_loc, x_target_index, y_target_index, neighbour_location, &
                           current_page, source_data)
    type(model_state_type), intent(inout) :: current_state
    type(neighbour_description_type), intent(inout) :: neighbour_description
    integer, intent(in) :: corner_loc, x_target_index, y_target_index, neighbour_location
    integer, intent(inout) :: current_page(:)
    type(field_data_wrapper_type), intent(in), optional :: source_data(:)
    associate (buffer => neighbour_description%recv_corner_buffer, grid => current_state%local_grid, &
               page => current_page(neighbour_location))
      call copy_buffer_to_corner(grid, buffer, current_state%u%data, corner_loc, x_target_index, y_target_index, page)
      call copy_buffer_to_corner(grid, buffer, current_state%v%data, corner_loc, x_target_index, y_target_index, page + 1)
      call copy_buffer_to_corner(grid, buffer, current_state%w%data, corner_loc, x_target_index, y_target_index, page + 2)
      page = page + 3
    end associate
    if (present(source_data)) error stop "this component has its fields in the state"
  end subroutine

  subroutine copy_locally(current_state, halo_depth, involve_corners, source_data)
    type(model_state_type), intent(inout) :: current_state
    integer, intent(in) :: halo_depth
    logical, intent(in) :: involve_corners
    type(field_data_wrapper_type), intent(in), optional :: source_data(:)
    associate (grid => current_state%local_grid, me => current_state%parallel%my_rank)
      call perform_local_data_copy_for_field(current_state%u%data, grid, me, halo_depth, involve_corners)
      call perform_local_data_copy_for_field(current_state%v%data, grid, me, halo_depth, involve_corners)
      call perform_local_data_copy_for_field(current_state%w%data, grid, me, halo_depth, involve_corners)
    end associate
    if (present(source_data)) error stop "this component has its fields in the state"
  end subroutine
end module advection_component

program monc_three_fields
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use advection_component
  use communication_types_mod, only: halo_communication_type
  use decomposition_mod, only: describe_block
  use grids_mod
  use halo_communication_mod
  use halocline
  use halocline_mpi
  use state_mod, only: model_state_type, prognostic_field_type
  use wind_component
  implicit none

  integer, parameter :: depth = 2
  type(hlc_context) :: context
  type(hlc_grid) :: grid
  type(model_state_type) :: state, expected

  call hlc_mpi_init()
  call hlc_init(hlc_mpi_world(), context)
  call hlc_grid_create(context, [12, 10, 14], grid, dims=[1, 0, 0], periodic=[.true., .true., .true.])
  call set_up(state)
  expected = state
  call swap_as_monc(state)
  call swap_as_halo(expected)
  call verdict(same_bits(state%u, expected%u) .and. same_bits(state%v, expected%v) .and. same_bits(state%w, expected%w))

contains

  subroutine set_up(state)
    type(model_state_type), intent(out) :: state
    state%parallel%my_rank = context%rank
    state%parallel%neighbour_comm = hlc_mpi_world()
    call describe_block(grid, depth, state%local_grid)
    call set_field(state%local_grid, state%u, 1)
    call set_field(state%local_grid, state%v, 2)
    call set_field(state%local_grid, state%w, 3)
  end subroutine

  !> Gives every cell of the interior a number that encodes its field and its place in the whole grid, and -1 to the halo.
  subroutine set_field(local_grid, field, number)
    type(local_grid_type), intent(in) :: local_grid
    type(prognostic_field_type), intent(out) :: field
    integer, intent(in) :: number
    integer :: i, j, k, n(3)
    n = local_grid%size + 2 * local_grid%halo_size
    allocate (field%data(n(1), n(2), n(3)), source=-1.0_real64)
    do k = 1, local_grid%size(X_INDEX)
      do j = 1, local_grid%size(Y_INDEX)
        do i = 1, local_grid%size(Z_INDEX)
          field%data(i, depth + j, depth + k) = 1e6_real64 * number + i + 100 * (local_grid%start(Y_INDEX) - 1 + j) + &
                                                10000 * (local_grid%start(X_INDEX) - 1 + k)
        end do
      end do
    end do
  end subroutine

  subroutine swap_as_monc(state)
    type(model_state_type), intent(inout) :: state
    type(halo_communication_type) :: halo_swap
    call init_halo_communication(state, fields_per_cell, halo_swap, depth, .true.)
    call initiate_nonblocking_halo_swap(state, halo_swap, pack, pack_corner)
    call complete_nonblocking_halo_swap(state, halo_swap, copy_locally, unpack, unpack_corner)
    call finalise_halo_communication(halo_swap)
  end subroutine

  subroutine swap_as_halo(state)
    type(model_state_type), intent(inout), target :: state
    type(hlc_halo) :: halo
    call hlc_halo_init(context, grid, [hlc_field_of(state%u%data, "u"), hlc_field_of(state%v%data, "v"), &
                                       hlc_field_of(state%w%data, "w")], [0, depth, depth], halo)
    call hlc_halo_start(halo)
    call hlc_halo_finish(halo)
    call hlc_halo_finalise(halo)
  end subroutine

  !> Whether two fields agree in every bit; a halo cell that was not filled (below 0) counts as different.
  pure logical function same_bits(one, other)
    type(prognostic_field_type), intent(in) :: one, other
    same_bits = all(transfer(one%data, [0_int64]) == transfer(other%data, [0_int64])) .and. all(one%data > 0)
  end function

  subroutine verdict(right)
    logical, intent(in) :: right
    real(real64) :: wrong_ranks
    wrong_ranks = merge(0, 1, right)
    call hlc_mpi_sum(hlc_mpi_world(), wrong_ranks)
    if (context%rank == 0) print "(3a,i0,a)", "monc_three_fields (Fortran): ", merge("right", "WRONG", wrong_ranks < 0.5_real64), &
      ": three fields swapped by MONC's procedures equal a halo swap, bit by bit, on ", context%size, " rank(s)"
    call hlc_finalise(context)
    call hlc_mpi_finalise()
    if (wrong_ranks > 0.5_real64) error stop 1
  end subroutine
end program monc_three_fields
