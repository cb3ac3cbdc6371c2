! SPDX-License-Identifier: BSD-3-Clause
!> The copies of module halocline_monc: between a field and the pages of a neighbour's buffers, and inside a field where a block
!> is its own neighbour. Fields have the shape (z, y, x) with the halo inside; the indices of their arrays start at 1.
module halocline_monc_copy
  use, intrinsic :: iso_fortran_env, only: real64
  use halocline_monc_types
  implicit none
  private
  public :: copy_field_to_buffer, copy_buffer_to_field, copy_corner_to_buffer, copy_buffer_to_corner, &
            perform_local_data_copy_for_field, get_single_field_per_halo_cell

contains

  !> Returns 1: the get_fields_per_halo_cell of a component that swaps a single field.
  integer function get_single_field_per_halo_cell(current_state)
    class(*), intent(inout) :: current_state
    get_single_field_per_halo_cell = 1
    associate (untouched => current_state)
    end associate
  end function

  !> Copies the interior row source_index of dimension dim (Y_INDEX or X_INDEX) of a field into page halo_page of a send buffer.
  subroutine copy_field_to_buffer(local_grid, halo_buffer, field_data, dim, source_index, halo_page)
    type(local_grid_type), intent(in) :: local_grid
    real(real64), intent(inout) :: halo_buffer(:, :, :)
    real(real64), intent(in) :: field_data(:, :, :)
    integer, intent(in) :: dim, source_index, halo_page
    integer :: first(3), last(3)
    first = local_grid%local_domain_start_index
    last = local_grid%local_domain_end_index
    if (dim == X_INDEX) then
      halo_buffer(:, :, halo_page) = field_data(:, first(Y_INDEX):last(Y_INDEX), source_index)
    else
      halo_buffer(:, :, halo_page) = field_data(:, source_index, first(X_INDEX):last(X_INDEX))
    end if
  end subroutine

  !> Copies page halo_page of a receive buffer into the halo row target_index of dimension dim of a field.
  subroutine copy_buffer_to_field(local_grid, halo_buffer, field_data, dim, target_index, halo_page)
    type(local_grid_type), intent(in) :: local_grid
    real(real64), intent(in) :: halo_buffer(:, :, :)
    real(real64), intent(inout) :: field_data(:, :, :)
    integer, intent(in) :: dim, target_index, halo_page
    integer :: first(3), last(3)
    first = local_grid%local_domain_start_index
    last = local_grid%local_domain_end_index
    if (dim == X_INDEX) then
      field_data(:, first(Y_INDEX):last(Y_INDEX), target_index) = halo_buffer(:, :, halo_page)
    else
      field_data(:, target_index, first(X_INDEX):last(X_INDEX)) = halo_buffer(:, :, halo_page)
    end if
  end subroutine

  !> Copies the interior cells of corner corner_loc of a field into page halo_page of a corner buffer, y running fastest. The
  !> indices name the cell farthest inside the block, so they tell the depth.
  subroutine copy_corner_to_buffer(local_grid, halo_buffer, field_data, corner_loc, x_source_index, y_source_index, halo_page)
    type(local_grid_type), intent(in) :: local_grid
    real(real64), intent(inout) :: halo_buffer(:, :, :)
    real(real64), intent(in) :: field_data(:, :, :)
    integer, intent(in) :: corner_loc, x_source_index, y_source_index, halo_page
    integer :: x(2), y(2), i, j, cell
    x = edge_cells(local_grid, X_INDEX, x_is_low(corner_loc), x_source_index)
    y = edge_cells(local_grid, Y_INDEX, y_is_low(corner_loc), y_source_index)
    cell = 0
    do i = x(1), x(2)
      do j = y(1), y(2)
        cell = cell + 1
        halo_buffer(:, cell, halo_page) = field_data(:, j, i)
      end do
    end do
  end subroutine

  !> Copies page halo_page of a corner buffer into the halo cells of corner corner_loc of a field. The indices name the outermost
  !> cell, so they tell the depth.
  subroutine copy_buffer_to_corner(local_grid, halo_buffer, field_data, corner_loc, x_target_index, y_target_index, halo_page)
    type(local_grid_type), intent(in) :: local_grid
    real(real64), intent(in) :: halo_buffer(:, :, :)
    real(real64), intent(inout) :: field_data(:, :, :)
    integer, intent(in) :: corner_loc, x_target_index, y_target_index, halo_page
    integer :: x(2), y(2), i, j, cell
    x = halo_cells(local_grid, X_INDEX, x_is_low(corner_loc), x_target_index)
    y = halo_cells(local_grid, Y_INDEX, y_is_low(corner_loc), y_target_index)
    cell = 0
    do i = x(1), x(2)
      do j = y(1), y(2)
        cell = cell + 1
        field_data(:, j, i) = halo_buffer(:, cell, halo_page)
      end do
    end do
  end subroutine

  !> Copies the opposite edges of a field into its halo wherever the neighbour (and, with involve_corners, the corner's neighbour)
  !> is my_rank itself.
  subroutine perform_local_data_copy_for_field(field_data, local_grid, my_rank, halo_depth, involve_corners)
    real(real64), intent(inout) :: field_data(:, :, :)
    type(local_grid_type), intent(in) :: local_grid
    integer, intent(in) :: my_rank, halo_depth
    logical, intent(in) :: involve_corners
    integer :: corner
    if (local_grid%neighbours(Y_INDEX, 2) == my_rank) call wrap(field_data, local_grid, -1, 0, halo_depth)
    if (local_grid%neighbours(Y_INDEX, 3) == my_rank) call wrap(field_data, local_grid, +1, 0, halo_depth)
    if (local_grid%neighbours(X_INDEX, 2) == my_rank) call wrap(field_data, local_grid, 0, -1, halo_depth)
    if (local_grid%neighbours(X_INDEX, 3) == my_rank) call wrap(field_data, local_grid, 0, +1, halo_depth)
    if (.not. involve_corners) return
    do corner = 1, 4
      if (local_grid%corner_neighbours(corner) /= my_rank) cycle
      call wrap(field_data, local_grid, merge(-1, 1, y_is_low(corner)), merge(-1, 1, x_is_low(corner)), halo_depth)
    end do
  end subroutine

  !> Fills the halo cells towards (y, x), each -1, 0 or 1, from the block's own cells one block length away.
  subroutine wrap(field_data, local_grid, y, x, halo_depth)
    real(real64), intent(inout) :: field_data(:, :, :)
    type(local_grid_type), intent(in) :: local_grid
    integer, intent(in) :: y, x, halo_depth
    integer :: range_y(2), range_x(2), i, j
    range_y = towards(local_grid, Y_INDEX, y, halo_depth)
    range_x = towards(local_grid, X_INDEX, x, halo_depth)
    do i = range_x(1), range_x(2)
      do j = range_y(1), range_y(2)
        field_data(:, j, i) = field_data(:, j - y * local_grid%size(Y_INDEX), i - x * local_grid%size(X_INDEX))
      end do
    end do
  end subroutine

  !> First and last index of the cells that lie in direction -1 or 1 outside the block, or of the block itself for direction 0.
  pure function towards(local_grid, dim, direction, halo_depth) result(cells)
    type(local_grid_type), intent(in) :: local_grid
    integer, intent(in) :: dim, direction, halo_depth
    integer :: cells(2)
    cells = [local_grid%local_domain_start_index(dim), local_grid%local_domain_end_index(dim)]
    if (direction < 0) cells = cells(1) - [halo_depth, 1]
    if (direction > 0) cells = cells(2) + [1, halo_depth]
  end function

  !> The cells from the block's edge to the one farthest inside.
  pure function edge_cells(local_grid, dim, low, innermost) result(cells)
    type(local_grid_type), intent(in) :: local_grid
    integer, intent(in) :: dim, innermost
    logical, intent(in) :: low
    integer :: cells(2)
    cells = [innermost, local_grid%local_domain_end_index(dim)]
    if (low) cells = [local_grid%local_domain_start_index(dim), innermost]
  end function

  !> The cells from the outermost one to the block's edge.
  pure function halo_cells(local_grid, dim, low, outermost) result(cells)
    type(local_grid_type), intent(in) :: local_grid
    integer, intent(in) :: dim, outermost
    logical, intent(in) :: low
    integer :: cells(2)
    cells = [local_grid%local_domain_end_index(dim) + 1, outermost]
    if (low) cells = [outermost, local_grid%local_domain_start_index(dim) - 1]
  end function

  pure logical function y_is_low(corner)
    integer, intent(in) :: corner
    y_is_low = corner <= 2
  end function

  pure logical function x_is_low(corner)
    integer, intent(in) :: corner
    x_is_low = corner == 1 .or. corner == 3
  end function
end module halocline_monc_copy
