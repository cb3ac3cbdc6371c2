! SPDX-License-Identifier: BSD-3-Clause
!> The plan of a halo swap of module halocline_monc: the local grid, the distinct neighbours and their pages, and which rows of a
!> block the four cells across it stand for.
module halocline_monc_plan
  use halocline_c, only: HLC_ERR_ARGUMENT, hlc_grid
  use halocline_context, only: hlc_grid_rank
  use halocline_errors, only: settle
  use halocline_monc_types
  implicit none
  private
  public :: local_grid_of, check_arguments, match_cells, find_neighbours, size_buffers, width
  public :: first_cell, last_cell, edge_index, halo_index, innermost, outermost

contains

  !> Describes this rank's block of a grid with the dimensions (z, y, x), of which z is not decomposed, for fields that carry
  !> halo_size halo cells on each side in y and x. Stops the program if the grid is another one.
  function local_grid_of(grid, halo_size) result(local_grid)
    type(hlc_grid), intent(in) :: grid
    integer, intent(in) :: halo_size
    type(local_grid_type) :: local_grid
    integer :: side
    if (grid%ndims /= 3 .or. grid%dims(Z_INDEX) /= 1) call settle(int(HLC_ERR_ARGUMENT), -1, message= &
      "local_grid_of needs a grid of 3 dimensions (z, y, x) with one rank along z")
    local_grid%size = int(grid%local(1:3))
    local_grid%start = int(grid%start(1:3)) + 1
    local_grid%halo_size = [0, halo_size, halo_size]
    local_grid%local_domain_start_index = local_grid%halo_size + 1
    local_grid%local_domain_end_index = local_grid%halo_size + local_grid%size
    do side = 1, 4
      local_grid%neighbours(Y_INDEX, side) = rank_towards(grid, merge(-1, 1, side <= 2), 0)
      local_grid%neighbours(X_INDEX, side) = rank_towards(grid, 0, merge(-1, 1, side <= 2))
      local_grid%corner_neighbours(side) = rank_towards(grid, merge(-1, 1, side <= 2), merge(-1, 1, mod(side, 2) == 1))
    end do
  end function

  integer function rank_towards(grid, y, x)
    type(hlc_grid), intent(in) :: grid
    integer, intent(in) :: y, x
    rank_towards = hlc_grid_rank(grid, grid%coords(1:3) + [0, y, x])
  end function

  subroutine check_arguments(halo_state)
    type(halo_communication_type), intent(in) :: halo_state
    character(len=200) :: message
    integer :: smallest
    message = ""
    associate (grid => halo_state%local_grid, depth => halo_state%halo_depth)
      smallest = minval(grid%size(Y_INDEX:X_INDEX))
      if (smallest < depth) write (message, "(a,i0,a,i0)") "halo_depth is ", depth, ", the block is only as wide as ", smallest
      if (depth < 1 .or. depth > 2) write (message, "(a,i0,a)") "halo_depth is ", depth, ", it must be 1 or 2"
      if (minval(grid%halo_size(Y_INDEX:X_INDEX)) < depth) write (message, "(a,i0,a,i0)") "halo_depth is ", depth, &
        ", the fields carry only ", minval(grid%halo_size(Y_INDEX:X_INDEX))
      if (any(grid%neighbours(2:3, 1) /= grid%neighbours(2:3, 2) .or. grid%neighbours(2:3, 3) /= grid%neighbours(2:3, 4))) &
        message = "neighbours names two ranks on one side of a dimension"
    end associate
    if (halo_state%fields_per_cell < 1) message = "get_fields_per_halo_cell returned no field"
    if (len_trim(message) > 0) call settle(int(HLC_ERR_ARGUMENT), halo_state%context%rank, message=message)
  end subroutine

  !> My j-th edge cell from the low side fills, at a neighbour below me, the halo cells above it, and the other way round.
  subroutine match_cells(halo_state)
    type(halo_communication_type), intent(inout) :: halo_state
    halo_state%cell_match = 0
    if (halo_state%halo_depth == 1) halo_state%cell_match(Y_INDEX:X_INDEX, 2:3) = spread([3, 2], 1, 2)
    if (halo_state%halo_depth == 2) halo_state%cell_match(Y_INDEX:X_INDEX, 1:4) = spread([3, 4, 1, 2], 1, 2)
  end subroutine

  !> Lists the ranks that are neighbours across faces, and across corners if these are involved, each once; counts their pages.
  subroutine find_neighbours(halo_state)
    type(halo_communication_type), intent(inout) :: halo_state
    integer :: dim, cell, corner, n
    type(neighbour_description_type) :: found(8)
    n = 0
    do dim = Y_INDEX, X_INDEX
      do cell = first_cell(halo_state), last_cell(halo_state)
        call add_pages(found, n, halo_state, halo_state%local_grid%neighbours(dim, cell), dim)
      end do
    end do
    do corner = 1, merge(4, 0, halo_state%involve_corners)
      call add_pages(found, n, halo_state, halo_state%local_grid%corner_neighbours(corner), 0)
    end do
    halo_state%number_distinct_neighbours = n
    allocate (halo_state%halo_swap_neighbours(n), source=found(1:n))
    allocate (halo_state%current_page(n), source=1)
  end subroutine

  !> Counts one more cell row (dim above 0) or corner (dim 0) of all fields for the rank pid, unless it is this rank or nobody.
  subroutine add_pages(found, n, halo_state, pid, dim)
    type(neighbour_description_type), intent(inout) :: found(:)
    integer, intent(inout) :: n
    type(halo_communication_type), intent(in) :: halo_state
    integer, intent(in) :: pid, dim
    integer :: place
    if (pid < 0 .or. pid == halo_state%context%rank) return
    do place = 1, n
      if (found(place)%pid == pid) exit
    end do
    n = max(n, place)
    found(place)%pid = pid
    if (dim == 0) found(place)%halo_corners = found(place)%halo_corners + halo_state%fields_per_cell
    if (dim > 0) found(place)%halo_pages = found(place)%halo_pages + halo_state%fields_per_cell
    if (dim > 0 .and. found(place)%dimension > 0 .and. found(place)%dimension /= dim) call settle(int(HLC_ERR_ARGUMENT), &
      halo_state%context%rank, message="neighbours names one rank in both y and x")
    if (dim > 0) found(place)%dimension = dim
  end subroutine

  subroutine size_buffers(halo_state)
    type(halo_communication_type), intent(inout) :: halo_state
    integer :: n
    do n = 1, halo_state%number_distinct_neighbours
      associate (neighbour => halo_state%halo_swap_neighbours(n), z => halo_state%local_grid%size(Z_INDEX))
        neighbour%send_size = z * width(halo_state, neighbour) * neighbour%halo_pages
        neighbour%recv_size = neighbour%send_size
        neighbour%send_corner_size = z * 4 * neighbour%halo_corners
        neighbour%recv_corner_size = neighbour%send_corner_size
      end associate
    end do
  end subroutine

  !> Cells of the face shared with a neighbour along y or x; 0 if only a corner is shared.
  pure integer function width(halo_state, neighbour)
    type(halo_communication_type), intent(in) :: halo_state
    type(neighbour_description_type), intent(in) :: neighbour
    width = 0
    if (neighbour%dimension == Y_INDEX) width = halo_state%local_grid%size(X_INDEX)
    if (neighbour%dimension == X_INDEX) width = halo_state%local_grid%size(Y_INDEX)
  end function

  ! ---------------------------------------------------------------- cells 1 to 4 across a block: two low, two high

  pure integer function first_cell(swap)
    type(halo_communication_type), intent(in) :: swap
    first_cell = 3 - swap%halo_depth
  end function

  pure integer function last_cell(swap)
    type(halo_communication_type), intent(in) :: swap
    last_cell = 2 + swap%halo_depth
  end function

  !> Index of the interior row that stands for cell 1 to 4: depth rows from the low edge on, then depth rows up to the high edge.
  pure integer function edge_index(swap, dim, cell)
    type(halo_communication_type), intent(in) :: swap
    integer, intent(in) :: dim, cell
    edge_index = swap%local_grid%local_domain_start_index(dim) + cell - first_cell(swap)
    if (cell > 2) edge_index = swap%local_grid%local_domain_end_index(dim) + cell - last_cell(swap)
  end function

  !> Index of the halo row that stands for cell 1 to 4, from the low side to the high side.
  pure integer function halo_index(swap, dim, cell)
    type(halo_communication_type), intent(in) :: swap
    integer, intent(in) :: dim, cell
    halo_index = swap%local_grid%local_domain_start_index(dim) + cell - 3
    if (cell > 2) halo_index = swap%local_grid%local_domain_end_index(dim) + cell - 2
  end function

  !> Index of the edge row farthest inside the block, on the low or the high side.
  pure integer function innermost(swap, dim, low)
    type(halo_communication_type), intent(in) :: swap
    integer, intent(in) :: dim
    logical, intent(in) :: low
    innermost = swap%local_grid%local_domain_end_index(dim) - swap%halo_depth + 1
    if (low) innermost = swap%local_grid%local_domain_start_index(dim) + swap%halo_depth - 1
  end function

  !> The halo cell (1 to 4) farthest outside.
  pure integer function outermost(swap, low)
    type(halo_communication_type), intent(in) :: swap
    logical, intent(in) :: low
    outermost = merge(first_cell(swap), last_cell(swap), low)
  end function
end module halocline_monc_plan
