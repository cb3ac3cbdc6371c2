! SPDX-License-Identifier: BSD-3-Clause
! A component of a cloud model swaps three fields through MONC's procedures: it hands in procedures that pack into and unpack from
! the buffers of each neighbour. A second component completes the swap that the first one started. The result is compared, bit by
! bit, with that of a halo swap of the same fields.
module wind_component
  use, intrinsic :: iso_fortran_env, only: real64
  use halocline_monc
  implicit none

  !> The model's own state. The library passes it through and never looks inside.
  type :: model_state_type
    type(local_grid_type) :: local_grid
    integer :: my_rank = 0
    real(real64), allocatable :: u(:, :, :), v(:, :, :), w(:, :, :)
  end type

contains

  integer function three_fields(current_state)
    class(*), intent(inout) :: current_state
    three_fields = 0
    select type (current_state)
    type is (model_state_type)
      three_fields = merge(3, 2, allocated(current_state%w))
    end select
  end function

  subroutine pack(current_state, neighbour_description, dim, source_index, pid_location, current_page, source_data)
    class(*), intent(inout) :: current_state
    type(neighbour_description_type), intent(inout) :: neighbour_description
    integer, intent(in) :: dim, source_index, pid_location
    integer, intent(inout) :: current_page(:)
    type(field_data_wrapper_type), intent(in), optional :: source_data(:)
    integer :: page
    page = current_page(pid_location)
    if (present(source_data)) error stop "this component passes its fields in the state"
    select type (current_state)
    type is (model_state_type)
      associate (buffer => neighbour_description%send_halo_buffer, grid => current_state%local_grid)
        call copy_field_to_buffer(grid, buffer, current_state%u, dim, source_index, page)
        call copy_field_to_buffer(grid, buffer, current_state%v, dim, source_index, page + 1)
        call copy_field_to_buffer(grid, buffer, current_state%w, dim, source_index, page + 2)
      end associate
    end select
    current_page(pid_location) = page + 3
  end subroutine

  subroutine pack_corner(current_state, neighbour_description, dim, x_source_index, y_source_index, pid_location, current_page, &
                         source_data)
    class(*), intent(inout) :: current_state
    type(neighbour_description_type), intent(inout) :: neighbour_description
    integer, intent(in) :: dim, x_source_index, y_source_index, pid_location
    integer, intent(inout) :: current_page(:)
    type(field_data_wrapper_type), intent(in), optional :: source_data(:)
    integer :: page
    page = current_page(pid_location)
    if (present(source_data)) error stop "this component passes its fields in the state"
    select type (current_state)
    type is (model_state_type)
      associate (buffer => neighbour_description%send_corner_buffer, grid => current_state%local_grid)
        call copy_corner_to_buffer(grid, buffer, current_state%u, dim, x_source_index, y_source_index, page)
        call copy_corner_to_buffer(grid, buffer, current_state%v, dim, x_source_index, y_source_index, page + 1)
        call copy_corner_to_buffer(grid, buffer, current_state%w, dim, x_source_index, y_source_index, page + 2)
      end associate
    end select
    current_page(pid_location) = page + 3
  end subroutine
end module wind_component

module advection_component
  use, intrinsic :: iso_fortran_env, only: real64
  use halocline_monc
  use wind_component, only: model_state_type
  implicit none

contains

  subroutine unpack(current_state, neighbour_description, dim, target_index, neighbour_location, current_page, source_data)
    class(*), intent(inout) :: current_state
    type(neighbour_description_type), intent(inout) :: neighbour_description
    integer, intent(in) :: dim, target_index, neighbour_location
    integer, intent(inout) :: current_page(:)
    type(field_data_wrapper_type), intent(in), optional :: source_data(:)
    integer :: page
    page = current_page(neighbour_location)
    if (present(source_data)) error stop "this component passes its fields in the state"
    select type (current_state)
    type is (model_state_type)
      associate (buffer => neighbour_description%recv_halo_buffer, grid => current_state%local_grid)
        call copy_buffer_to_field(grid, buffer, current_state%u, dim, target_index, page)
        call copy_buffer_to_field(grid, buffer, current_state%v, dim, target_index, page + 1)
        call copy_buffer_to_field(grid, buffer, current_state%w, dim, target_index, page + 2)
      end associate
    end select
    current_page(neighbour_location) = page + 3
  end subroutine

  subroutine unpack_corner(current_state, neighbour_description, corner_loc, x_target_index, y_target_index, neighbour_location, &
                           current_page, source_data)
    class(*), intent(inout) :: current_state
    type(neighbour_description_type), intent(inout) :: neighbour_description
    integer, intent(in) :: corner_loc, x_target_index, y_target_index, neighbour_location
    integer, intent(inout) :: current_page(:)
    type(field_data_wrapper_type), intent(in), optional :: source_data(:)
    integer :: page
    page = current_page(neighbour_location)
    if (present(source_data)) error stop "this component passes its fields in the state"
    select type (current_state)
    type is (model_state_type)
      associate (buffer => neighbour_description%recv_corner_buffer, grid => current_state%local_grid)
        call copy_buffer_to_corner(grid, buffer, current_state%u, corner_loc, x_target_index, y_target_index, page)
        call copy_buffer_to_corner(grid, buffer, current_state%v, corner_loc, x_target_index, y_target_index, page + 1)
        call copy_buffer_to_corner(grid, buffer, current_state%w, corner_loc, x_target_index, y_target_index, page + 2)
      end associate
    end select
    current_page(neighbour_location) = page + 3
  end subroutine

  subroutine copy_locally(current_state, halo_depth, involve_corners, source_data)
    class(*), intent(inout) :: current_state
    integer, intent(in) :: halo_depth
    logical, intent(in) :: involve_corners
    type(field_data_wrapper_type), intent(in), optional :: source_data(:)
    if (present(source_data)) error stop "this component passes its fields in the state"
    select type (current_state)
    type is (model_state_type)
      associate (grid => current_state%local_grid, me => current_state%my_rank)
        call perform_local_data_copy_for_field(current_state%u, grid, me, halo_depth, involve_corners)
        call perform_local_data_copy_for_field(current_state%v, grid, me, halo_depth, involve_corners)
        call perform_local_data_copy_for_field(current_state%w, grid, me, halo_depth, involve_corners)
      end associate
    end select
  end subroutine
end module advection_component

program monc_three_fields
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use halocline
  use halocline_monc
  use halocline_mpi
  use wind_component
  use advection_component
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
    integer :: n(3)
    state%local_grid = local_grid_of(grid, depth)
    state%my_rank = context%rank
    n = state%local_grid%size + 2 * state%local_grid%halo_size
    allocate (state%u(n(1), n(2), n(3)), state%v(n(1), n(2), n(3)), state%w(n(1), n(2), n(3)), source=-1.0_real64)
    call set_interior(state%local_grid, state%u, 1)
    call set_interior(state%local_grid, state%v, 2)
    call set_interior(state%local_grid, state%w, 3)
  end subroutine

  !> Gives every cell of the interior a number that tells its field and its place in the whole grid.
  subroutine set_interior(local_grid, field, number)
    type(local_grid_type), intent(in) :: local_grid
    real(real64), intent(inout) :: field(:, :, :)
    integer, intent(in) :: number
    integer :: i, j, k
    do k = 1, local_grid%size(X_INDEX)
      do j = 1, local_grid%size(Y_INDEX)
        do i = 1, local_grid%size(Z_INDEX)
          field(i, depth + j, depth + k) = 1e6_real64 * number + i + 100 * (local_grid%start(Y_INDEX) + j) + &
                                           10000 * (local_grid%start(X_INDEX) + k)
        end do
      end do
    end do
  end subroutine

  subroutine swap_as_monc(state)
    type(model_state_type), intent(inout) :: state
    type(halo_communication_type) :: halo_swap
    call init_halo_communication(state, three_fields, halo_swap, depth, .true., context, state%local_grid)
    call initiate_nonblocking_halo_swap(state, halo_swap, pack, pack_corner)
    call complete_nonblocking_halo_swap(state, halo_swap, copy_locally, unpack, unpack_corner)
    call finalise_halo_communication(halo_swap)
  end subroutine

  subroutine swap_as_halo(state)
    type(model_state_type), intent(inout), target :: state
    type(hlc_halo) :: halo
    call hlc_halo_init(context, grid, [hlc_field_of(state%u, "u"), hlc_field_of(state%v, "v"), hlc_field_of(state%w, "w")], &
                       [0, depth, depth], halo)
    call hlc_halo_start(halo)
    call hlc_halo_finish(halo)
    call hlc_halo_finalise(halo)
  end subroutine

  !> Whether two fields agree in every bit; a halo cell that nobody filled (below 0) counts as different.
  pure logical function same_bits(one, other)
    real(real64), intent(in) :: one(:, :, :), other(:, :, :)
    same_bits = all(transfer(one, [0_int64]) == transfer(other, [0_int64])) .and. all(one > 0)
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
