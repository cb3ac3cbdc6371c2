! SPDX-License-Identifier: BSD-3-Clause
! Stands in for the cloud model MONC: the modules that its halo swapping reads, with MONC's names. The model has its own.
module datadefn_mod
  use, intrinsic :: iso_fortran_env, only: real32, real64
  implicit none
  integer, parameter :: SINGLE_PRECISION = real32
#ifdef MODEL_IS_SINGLE
  integer, parameter :: DEFAULT_PRECISION = real32
#else
  integer, parameter :: DEFAULT_PRECISION = real64
#endif
end module

module grids_mod
  implicit none
  integer, parameter :: Z_INDEX = 1, Y_INDEX = 2, X_INDEX = 3

  !> This rank's block. size counts cells without halo, start is the first global cell (from 1). The domain indices bound the
  !> interior inside a field's array. neighbours(dim, 1:2) is the rank below, neighbours(dim, 3:4) the rank above in Y and X.
  !> corner_neighbours: 1 low y, low x; 2 low y, high x; 3 high y, low x; 4 high y, high x. A rank below 0 is an open side.
  type :: local_grid_type
    integer :: start(3) = 1, end(3) = 0, size(3) = 0, halo_size(3) = 0
    integer :: local_domain_start_index(3) = 1, local_domain_end_index(3) = 0
    integer, allocatable :: neighbours(:, :), corner_neighbours(:, :)
    integer :: dimensions = 3
  end type
end module

module state_mod
  use datadefn_mod, only: DEFAULT_PRECISION
  use grids_mod, only: local_grid_type
  implicit none

  type :: parallel_state_type
    integer :: my_rank = -1
    integer :: neighbour_comm = 0
  end type

  type :: prognostic_field_type
    real(DEFAULT_PRECISION), allocatable :: data(:, :, :)
  end type

  type :: model_state_type
    type(local_grid_type) :: local_grid
    type(parallel_state_type) :: parallel
    type(prognostic_field_type) :: u, v, w
  end type
end module

!> What MONC's own decomposition does: fills the grid type and the parallel state.
module decomposition_mod
  use grids_mod
  use halocline, only: hlc_grid, hlc_grid_rank
  implicit none

contains

  !> Describes this rank's block of a grid (z, y, x) that is whole in z, for fields with halo_size halo cells in y and x.
  subroutine describe_block(grid, halo_size, local_grid)
    type(hlc_grid), intent(in) :: grid
    integer, intent(in) :: halo_size
    type(local_grid_type), intent(out) :: local_grid
    integer :: j, y, x
    local_grid%size = int(grid%local(1:3))
    local_grid%start = int(grid%start(1:3)) + 1
    local_grid%end = local_grid%start + local_grid%size - 1
    local_grid%halo_size = [0, halo_size, halo_size]
    local_grid%local_domain_start_index = local_grid%halo_size + 1
    local_grid%local_domain_end_index = local_grid%halo_size + local_grid%size
    allocate (local_grid%neighbours(3, 4), local_grid%corner_neighbours(4, 2), source=-1)
    do j = 1, 4
      y = merge(-1, 1, j <= 2)
      x = merge(-1, 1, mod(j, 2) == 1)
      local_grid%neighbours(Y_INDEX, j) = hlc_grid_rank(grid, grid%coords(1:3) + [0, y, 0])
      local_grid%neighbours(X_INDEX, j) = hlc_grid_rank(grid, grid%coords(1:3) + [0, 0, y])
      local_grid%corner_neighbours(j, :) = hlc_grid_rank(grid, grid%coords(1:3) + [0, y, x])
    end do
  end subroutine
end module
