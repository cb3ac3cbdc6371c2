! SPDX-License-Identifier: BSD-3-Clause
!> The serial oracle of the Fortran halo tests: what every cell must hold, from the decomposition alone. A value tells the owner's
!> rank, the step, the field and the cell's place in the whole grid; all values are integers small enough to be exact in real32.
!> Local cells are counted from 1 in the interior, so that the halo has indices below 1 and above local.
module oracle
  use, intrinsic :: iso_fortran_env, only: real64
  use halocline
  use halocline_mpi
  implicit none
  private
  public :: world, make_world, swap_part, owned_value, expected_after_swap, raw_value, expected_after_reverse, sum_copies
  public :: next_cell, POISON, FIELDS

  integer, parameter :: POISON = -7
  integer, parameter :: FIELDS = 3

  !> The decomposition as every rank knows it, and the halo's shape.
  type :: world
    type(hlc_grid) :: grid
    integer :: rank = 0, ranks = 0
    integer :: low(HLC_MAX_DIMS) = 0, high(HLC_MAX_DIMS) = 0
    logical :: star = .false.
    integer, allocatable :: start(:, :), local(:, :)
  end type

  !> What one swap fills: all fields or those listed, all directions or one side of one dimension.
  type :: swap_part
    logical :: chosen(FIELDS) = .true.
    integer :: dim = 0
    integer :: side = HLC_SIDE_BOTH
  end type

contains

  !> Gathers all blocks. depth holds the low and high halo cells of each dimension; dimensions beyond ndims count as one cell.
  function make_world(context, grid, low, high, star) result(w)
    type(hlc_context), intent(in) :: context
    type(hlc_grid), intent(in) :: grid
    integer, intent(in) :: low(:), high(:)
    logical, intent(in) :: star
    type(world) :: w
    real(real64) :: mine(2 * HLC_MAX_DIMS)
    real(real64), allocatable :: all_blocks(:, :)
    w%grid = grid
    w%grid%local(grid%ndims + 1:) = 1
    w%grid%global(grid%ndims + 1:) = 1
    w%grid%start(grid%ndims + 1:) = 0
    w%rank = context%rank
    w%ranks = context%size
    w%low(1:grid%ndims) = low(1:grid%ndims)
    w%high(1:grid%ndims) = high(1:grid%ndims)
    w%star = star
    allocate (all_blocks(2 * HLC_MAX_DIMS, context%size))
    mine = real([w%grid%start, w%grid%local], real64)
    call hlc_mpi_allgather(hlc_mpi_world(), mine, all_blocks)
    allocate (w%start(HLC_MAX_DIMS, context%size), source=nint(all_blocks(1:HLC_MAX_DIMS, :)))
    allocate (w%local(HLC_MAX_DIMS, context%size), source=nint(all_blocks(HLC_MAX_DIMS + 1:, :)))
  end function

  !> The value that the owner of a global cell (from 0) writes into it.
  integer function owned_value(w, field, step, global)
    type(world), intent(in) :: w
    integer, intent(in) :: field, step, global(:)
    integer :: d, place
    place = 0
    do d = 1, HLC_MAX_DIMS
      place = place * int(w%grid%global(d)) + global(d)
    end do
    owned_value = place + int(product(w%grid%global)) * (field - 1 + FIELDS * (owner(w, global) + w%ranks * step))
  end function

  !> What a local cell must hold after a swap, before which halos were poisoned.
  integer function expected_after_swap(w, part, field, step, cell)
    type(world), intent(in) :: w
    type(swap_part), intent(in) :: part
    integer, intent(in) :: field, step, cell(:)
    integer :: global(HLC_MAX_DIMS)
    logical :: inside, filled
    call locate(w, w%rank, part, cell, global, inside, filled)
    expected_after_swap = POISON
    if (inside .or. (filled .and. part%chosen(field))) expected_after_swap = owned_value(w, field, step, global)
  end function

  !> What rank holder writes into any of its cells, halo included, before a reverse swap.
  integer function raw_value(holder, field, cell)
    integer, intent(in) :: holder, field, cell(:)
    raw_value = 1 + mod(7 * holder + 11 * field + dot_product([13, 17, 19, 23], cell + 3), 97)
  end function

  !> What a local cell must hold after a reverse swap: all halo copies of an interior cell have been added to it, and the halo is
  !> zero wherever it has an owner. sums comes from sum_copies.
  integer function expected_after_reverse(w, part, field, sums, cell)
    type(world), intent(in) :: w
    type(swap_part), intent(in) :: part
    integer, intent(in) :: field, sums(:, :, :, :), cell(:)
    integer :: global(HLC_MAX_DIMS)
    logical :: inside, filled
    call locate(w, w%rank, part, cell, global, inside, filled)
    expected_after_reverse = raw_value(w%rank, field, cell)
    if (.not. part%chosen(field)) return
    if (inside) expected_after_reverse = expected_after_reverse + sums(cell(1), cell(2), cell(3), cell(4))
    if (filled) expected_after_reverse = 0
  end function

  !> Finds, for each cell of this rank's interior, the sum of all halo cells, on all ranks, that a swap would fill from it.
  subroutine sum_copies(w, part, field, sums)
    type(world), intent(in) :: w
    type(swap_part), intent(in) :: part
    integer, intent(in) :: field
    integer, allocatable, intent(out) :: sums(:, :, :, :)
    integer :: holder, cell(HLC_MAX_DIMS), global(HLC_MAX_DIMS), mine(HLC_MAX_DIMS)
    logical :: inside, filled, more
    allocate (sums(w%grid%local(1), w%grid%local(2), w%grid%local(3), w%grid%local(4)), source=0)
    do holder = 0, w%ranks - 1
      cell = 1 - w%low
      more = .true.
      do while (more)
        call locate(w, holder, part, cell, global, inside, filled)
        mine = global - int(w%grid%start) + 1
        if (filled .and. all(mine >= 1 .and. mine <= w%grid%local)) &
          sums(mine(1), mine(2), mine(3), mine(4)) = sums(mine(1), mine(2), mine(3), mine(4)) + raw_value(holder, field, cell)
        call next_cell(cell, 1 - w%low, w%local(:, holder + 1) + w%high, more)
      end do
    end do
  end subroutine

  !> Finds the global cell behind a local cell of a rank, whether it lies in the interior, and whether the swap fills it.
  subroutine locate(w, holder, part, cell, global, inside, filled)
    type(world), intent(in) :: w
    integer, intent(in) :: holder, cell(:)
    type(swap_part), intent(in) :: part
    integer, intent(out) :: global(:)
    logical, intent(out) :: inside, filled
    integer :: d, outside
    outside = 0
    filled = .true.
    do d = 1, HLC_MAX_DIMS
      global(d) = w%start(d, holder + 1) + cell(d) - 1
      if (cell(d) < 1 .or. cell(d) > w%local(d, holder + 1)) then
        outside = outside + 1
        if (part%dim > 0 .and. part%dim /= d) filled = .false.
        if (part%dim > 0 .and. part%side == HLC_SIDE_LOW .and. cell(d) > 1) filled = .false.
        if (part%dim > 0 .and. part%side == HLC_SIDE_HIGH .and. cell(d) < 1) filled = .false.
      end if
      if (w%grid%periodic(d) == 0 .and. (global(d) < 0 .or. global(d) >= w%grid%global(d))) filled = .false.
      global(d) = modulo(global(d), int(w%grid%global(d)))
    end do
    inside = outside == 0
    if (inside .or. ((w%star .or. part%dim > 0) .and. outside > 1)) filled = .false.
  end subroutine

  !> The rank whose block holds a global cell.
  integer function owner(w, global)
    type(world), intent(in) :: w
    integer, intent(in) :: global(:)
    do owner = 0, w%ranks - 1
      if (all(global >= w%start(:, owner + 1) .and. global < w%start(:, owner + 1) + w%local(:, owner + 1))) return
    end do
    error stop "oracle: a global cell has no owner"
  end function

  !> Steps to the next cell of a box, the first index fastest; more is false behind the last one.
  pure subroutine next_cell(cell, first, last, more)
    integer, intent(inout) :: cell(:)
    integer, intent(in) :: first(:), last(:)
    logical, intent(out) :: more
    integer :: d
    do d = 1, size(cell)
      cell(d) = cell(d) + 1
      more = cell(d) <= last(d)
      if (more) return
      cell(d) = first(d)
    end do
  end subroutine
end module oracle
