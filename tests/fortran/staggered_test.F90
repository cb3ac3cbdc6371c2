! SPDX-License-Identifier: BSD-3-Clause
!> Fields in cells and on nodes in one plan, and swaps of less depth, from Fortran. Every value is compared with a number made of its
!> place in the global grid. The same of boxes, two on each rank but the last. Shapes that do not fit are refused.
program staggered_test
  use, intrinsic :: iso_c_binding, only: c_int64_t
  use, intrinsic :: iso_fortran_env, only: real64
  use halocline
  use testing
  implicit none

  !> Height in cells, velocities on faces, a field on corners.
  integer, parameter :: FIELDS = 4
  logical, parameter :: is_on_nodes(2, FIELDS) = &
    reshape([.false., .false., .true., .false., .false., .true., .true., .true.], [2, FIELDS])
  character(len=*), parameter :: names(FIELDS) = ["h", "u", "v", "q"]
  type :: array
    real(real64), pointer :: at(:, :) => null()
  end type
  type(hlc_context) :: context
  integer :: m

  call start_tests(context)
  do m = 1, size(all_modes)
    call test_mode(trim(all_modes(m)), HLC_NODES_SHARED, [.true., .false.])
    call test_mode(trim(all_modes(m)), HLC_NODES_OWNED, [.false., .true.])
    call test_blocks(trim(all_modes(m)), HLC_NODES_SHARED, [.false., .true.])
    call test_blocks(trim(all_modes(m)), HLC_NODES_OWNED, [.true., .false.])
  end do
  call test_mode("p2p", HLC_NODES_OWNED, [.true., .true.])
  call test_wrong_shapes()
  call test_wrong_shapes_of_blocks()
  call finish_tests(context)

contains

  !> Swaps of every depth, of all fields and of some. The corners' halo is one deep, the others' two.
  subroutine test_mode(mode, nodes, periodic)
    character(len=*), intent(in) :: mode
    integer, intent(in) :: nodes
    logical, intent(in) :: periodic(2)
    type(hlc_grid) :: grid
    type(hlc_halo) :: halo
    type(array) :: a(FIELDS)
    type(hlc_field) :: list(FIELDS)
    integer :: depth, f
    call hlc_grid_create(context, [4 * context%size + 1, 5], grid, periodic=periodic)
    do f = 1, FIELDS
      call hlc_field_alloc(context, a(f)%at, grid, depth_of(f), stagger=merge(nodes, int(HLC_CENTRED), is_on_nodes(:, f)))
      list(f) = hlc_shaped(hlc_field_of(a(f)%at, names(f)), merge(nodes, int(HLC_CENTRED), is_on_nodes(:, f)))
    end do
    list(4) = hlc_shaped(list(4), depth=1)
    call hlc_halo_init(context, grid, list, 2, halo, mode=mode)
    do depth = 0, 3
      call fill(grid, a, nodes, depth)
      call hlc_halo_start(halo, depth=depth)
      call hlc_halo_finish(halo)
      call compare(grid, a, merge(2, depth, depth == 0), [1, 2, 3, 4], depth)
    end do
    call fill(grid, a, nodes, 7)
    call hlc_halo_start(halo, [2, 3], depth=1)
    call hlc_halo_finish(halo)
    call compare(grid, a, 1, [2, 3], 7)
    call hlc_halo_finalise(halo)
    do f = 1, FIELDS
      call hlc_field_free(context, a(f)%at)
    end do
    call end_test("mode " // mode // " swaps cells and nodes together, " // merge("shared", "owned ", nodes == HLC_NODES_SHARED))
  end subroutine

  !> The last of several ranks has no boxes, and need not know the fields' shapes.
  subroutine test_blocks(mode, nodes, periodic)
    character(len=*), intent(in) :: mode
    integer, intent(in) :: nodes
    logical, intent(in) :: periodic(2)
    type(hlc_grid) :: places(2)
    type(hlc_box) :: boxes(2)
    type(hlc_blocks) :: blocks
    type(hlc_plan_info) :: info
    type(array) :: a(FIELDS, 2)
    type(hlc_field) :: list(FIELDS, 2)
    integer :: b, f, depth, owners, mine
    owners = max(1, context%size - 1)
    mine = merge(2, 0, context%rank < owners)
    do b = 1, 2
      call cut(b, owners, periodic, places(b), boxes(b))
      if (mine == 0) places(b)%local(1:2) = 1
      do f = 1, FIELDS
        call hlc_field_alloc(context, a(f, b)%at, places(b), depth_of(f), &
                             stagger=merge(nodes, int(HLC_CENTRED), is_on_nodes(:, f)))
        list(f, b) = hlc_shaped(hlc_field_of(a(f, b)%at, names(f)), merge(nodes, int(HLC_CENTRED), is_on_nodes(:, f)))
      end do
      list(4, b) = hlc_shaped(list(4, b), depth=1)
    end do
    call hlc_blocks_init(context, [int(cells_along_x(owners), c_int64_t), 5_c_int64_t], periodic, boxes(:mine), list(:, :mine), 2, &
                         blocks, mode=mode)
    call hlc_blocks_info(blocks, info)
    call expect(info%neighbours <= merge(context%size - 1, 0, mine > 0), "more than one message to a rank")
    do depth = 0, 3
      do b = 1, mine
        call fill(places(b), a(:, b), nodes, depth)
      end do
      call hlc_blocks_start(blocks, depth=depth)
      call hlc_blocks_finish(blocks)
      do b = 1, mine
        call compare(places(b), a(:, b), merge(2, depth, depth == 0), [1, 2, 3, 4], depth)
      end do
    end do
    call hlc_blocks_finalise(blocks)
    do b = 1, 2
      do f = 1, FIELDS
        call hlc_field_free(context, a(f, b)%at)
      end do
    end do
    call end_test("mode " // mode // " swaps cells and nodes of boxes, " // merge("shared", "owned ", nodes == HLC_NODES_SHARED))
  end subroutine

  integer function cells_along_x(owners)
    integer, intent(in) :: owners
    cells_along_x = 6 * owners + 1
  end function

  !> Cuts the domain along x into two boxes per owner, and says of one what a grid says of a block.
  subroutine cut(b, owners, periodic, place, box)
    integer, intent(in) :: b, owners
    logical, intent(in) :: periodic(2)
    type(hlc_grid), intent(out) :: place
    type(hlc_box), intent(out) :: box
    integer :: number, n
    n = 2 * owners
    number = (b - 1) * owners + context%rank
    place%ndims = 2
    place%dims(1:2) = [n, 1]
    place%coords(1:2) = [number, 0]
    place%periodic(1:2) = merge(1, 0, periodic)
    place%global(1:2) = [cells_along_x(owners), 5]
    place%start(1:2) = [cells_along_x(owners) * number / n, 0]
    place%local(1:2) = [cells_along_x(owners) * (number + 1) / n - cells_along_x(owners) * number / n, 5]
    box%id = number
    box%start = place%start
    box%count = place%local
  end subroutine

  integer function depth_of(f)
    integer, intent(in) :: f
    depth_of = merge(1, 2, f == 4)
  end function

  !> The number of a value of field f by its place in the block of this rank; -1 beyond an open end of the grid.
  real(real64) function number(grid, f, i, j, step)
    type(hlc_grid), intent(in) :: grid
    integer, intent(in) :: f, i, j, step
    integer :: d, place(2), last
    place = [i, j] - 1 + int(grid%start(1:2))
    number = -1
    do d = 1, 2
      last = int(grid%global(d)) - merge(0, 1, is_on_nodes(d, f))
      if (grid%periodic(d) /= 0) place(d) = modulo(place(d), int(grid%global(d)))
      if (place(d) < 0 .or. place(d) > last) return
    end do
    number = 1000 * (1000 * (10 * step + f) + place(1)) + place(2) + 0.5_real64
  end function

  !> The last value of the block along a dimension. The node above its cells belongs to it if it is shared, or no rank is above.
  integer function block_end(grid, f, d, nodes)
    type(hlc_grid), intent(in) :: grid
    integer, intent(in) :: f, d, nodes
    logical :: is_last
    is_last = grid%periodic(d) == 0 .and. grid%coords(d) == grid%dims(d) - 1
    block_end = int(grid%local(d))
    if (is_on_nodes(d, f) .and. (nodes == HLC_NODES_SHARED .or. is_last)) block_end = block_end + 1
  end function

  subroutine fill(grid, a, nodes, step)
    type(hlc_grid), intent(in) :: grid
    type(array), intent(inout) :: a(FIELDS)
    integer, intent(in) :: nodes, step
    integer :: f, i, j
    do f = 1, FIELDS
      a(f)%at = -1
      do j = 1, block_end(grid, f, 2, nodes)
        do i = 1, block_end(grid, f, 1, nodes)
          a(f)%at(i, j) = number(grid, f, i, j, step)
        end do
      end do
    end do
  end subroutine

  !> On nodes of either kind a swap makes the values up to the node above the block right, and as many more as it is deep.
  subroutine compare(grid, a, depth, swapped, step)
    type(hlc_grid), intent(in) :: grid
    type(array), intent(in) :: a(FIELDS)
    integer, intent(in) :: depth, swapped(:), step
    character(len=80) :: what
    integer :: f, i, j, k, last(2)
    do f = 1, FIELDS
      if (.not. any(swapped == f)) cycle
      k = min(depth, depth_of(f))
      last = int(grid%local(1:2)) + merge(1, 0, is_on_nodes(:, f)) + k
      do j = lbound(a(f)%at, 2), ubound(a(f)%at, 2)
        do i = lbound(a(f)%at, 1), ubound(a(f)%at, 1)
          write (what, "(3a,i0,a,i0,a,i0)") "field ", names(f), " at ", i, ", ", j, ", depth ", depth
          if (min(i, j) > -k .and. i <= last(1) .and. j <= last(2)) then
            call expect(abs(a(f)%at(i, j) - number(grid, f, i, j, step)) < 0.25_real64, what)
          else
            call expect(nint(a(f)%at(i, j)) == -1, what)
          end if
        end do
      end do
    end do
  end subroutine

  subroutine test_wrong_shapes()
    type(hlc_grid) :: grid
    type(hlc_halo) :: halo
    real(real64), target :: u(0:6, 0:5), narrow(0:5, 0:5)
    real(real64), pointer :: made(:, :)
    integer :: status
    call hlc_grid_create(context, [4 * context%size, 4], grid, dims=[0, 1], periodic=[.true., .true.])
    call hlc_halo_init(context, grid, [hlc_shaped(hlc_field_of(u, "u"), [HLC_NODES_SHARED, HLC_CENTRED, HLC_CENTRED])], 1, halo, &
                       status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "field 1 'u': hlc_shaped takes scalars or 2 entries", "three dimensions of two")
    call hlc_halo_init(context, grid, [hlc_shaped(hlc_field_of(u, "u"), [HLC_NODES_SHARED, HLC_CENTRED], depth_high=1)], 1, halo, &
                       status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "and depth_high with depth", "a high depth alone")
    call hlc_halo_init(context, grid, [hlc_shaped(hlc_field_of(narrow, "u"), [HLC_NODES_SHARED, HLC_CENTRED])], 1, halo, &
                       status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "field 1 'u' has 6 values along dimension 1 where local + halo + one more " // &
                      "node make 7", "an array for cells")
    call hlc_halo_init(context, grid, [hlc_shaped(hlc_field_of(u, "u"), [7, HLC_CENTRED])], 1, halo, status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "field 1 'u': stagger is 7 along dimension 1; it must be HLC_CENTRED", "no stagger")
    call hlc_halo_init(context, grid, [hlc_shaped(hlc_field_of(u, "u"), depth=-1)], 1, halo, status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "field 1 'u': depth is -1 along dimension 1; it must be 0 or more", "depth -1")
    call hlc_halo_init(context, grid, [hlc_shaped(hlc_field_of(u, "u"), depth=1, depth_high=[0, -2])], 1, halo, status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "field 1 'u': depth_high is -2 along dimension 2; it must", "a negative high depth")
    call hlc_halo_init(context, grid, [hlc_field_of(u, "u")], [1, -3], halo, status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, ": depth is -3 along dimension 2; it must be 0 or more", "a negative depth of all")
    call hlc_field_alloc(context, made, grid, -4, status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "depth is -4 along dimension 1; it must be 0 or more", "memory of a negative depth")
    call hlc_halo_init(context, grid, [hlc_shaped(hlc_field_of(u, "u"), [HLC_NODES_OWNED, HLC_CENTRED])], 1, halo, staged=.true., &
                       status=status)
    call expect_error(status, HLC_ERR_UNSUPPORTED, "staged", "stages")
    call hlc_halo_init(context, grid, [hlc_shaped(hlc_field_of(u, "u"), [HLC_NODES_OWNED, HLC_CENTRED])], 1, halo)
    call hlc_halo_start(halo, depth=-1, status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "depth is -1", "a negative depth")
    call hlc_halo_finalise(halo)
    call end_test("shapes that do not fit are refused")
  end subroutine

  subroutine test_wrong_shapes_of_blocks()
    type(hlc_blocks) :: blocks
    type(hlc_box) :: box
    real(real64), target :: u(0:6, 0:5), narrow(0:5, 0:5)
    integer :: status
    box%start(1) = 4 * context%rank
    box%count(1:2) = 4
    call hlc_blocks_init(context, [4_c_int64_t * context%size, 4_c_int64_t], [.true., .true.], [box], &
                         reshape([hlc_shaped(hlc_field_of(u, "u"), [HLC_NODES_SHARED, HLC_CENTRED])], [1, 1]), 1, blocks, &
                         status=status)
    call hlc_blocks_finalise(blocks)
    call expect(status == HLC_OK, "blocks of nodes: " // hlc_error_message())
    call hlc_blocks_init(context, [4_c_int64_t * context%size, 4_c_int64_t], [.true., .true.], [box], &
                         reshape([hlc_shaped(hlc_field_of(u, "u"), depth=-1)], [1, 1]), 1, blocks, status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "fields(1, 1) 'u': depth is -1 along dimension 1", "blocks of a negative depth")
    call hlc_blocks_init(context, [4_c_int64_t * context%size, 4_c_int64_t], [.true., .true.], [box], &
                         reshape([hlc_shaped(hlc_field_of(u, "u"), [HLC_CENTRED, 5])], [1, 1]), 1, blocks, status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "fields(1, 1) 'u': stagger is 5 along dimension 2", "blocks without a stagger")
    call hlc_blocks_init(context, [4_c_int64_t * context%size, 4_c_int64_t], [.true., .true.], [box], &
                         reshape([hlc_field_of(u, "u")], [1, 1]), 1, blocks, depth_high=-7, status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, ": depth_high is -7 along dimension 1", "blocks of a negative high depth")
    call hlc_blocks_init(context, [4_c_int64_t * context%size, 4_c_int64_t], [.true., .true.], [box], &
                         reshape([hlc_shaped(hlc_field_of(narrow, "u"), [HLC_NODES_SHARED, HLC_CENTRED])], [1, 1]), 1, blocks, &
                         status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "fields(1, 1) 'u' has 6 values along dimension 1 where box, halo and one more " // &
                      "node make 7", "blocks of an array for cells")
    call hlc_blocks_init(context, [4_c_int64_t * context%size, 4_c_int64_t], [.true., .true.], [box], &
                         reshape([hlc_shaped(hlc_field_of(u, "u"), depth_high=2)], [1, 1]), 1, blocks, status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "fields(1, 1) 'u': hlc_shaped takes scalars or 2 entries, and " // &
                      "depth_high with depth", "blocks with a high depth alone")
    call hlc_blocks_init(context, [4_c_int64_t * context%size, 4_c_int64_t], [.true., .true.], [box, box], &
                         reshape([hlc_shaped(hlc_field_of(u, "u"), HLC_NODES_SHARED), hlc_field_of(narrow, "u")], [1, 2]), 1, &
                         blocks, status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "fields(1, 2) 'u' lacks the hlc_shaped of fields(1, 1)", "a field of two shapes")
    call hlc_blocks_init(context, [4_c_int64_t * context%size, 4_c_int64_t], [.true., .true.], [box, box], &
                         reshape([hlc_field_of(narrow, "u"), hlc_shaped(hlc_field_of(u, "u"), HLC_NODES_SHARED)], [1, 2]), 1, &
                         blocks, status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "fields(1, 1) 'u' lacks the hlc_shaped of fields(1, 2)", &
                      "a first box without a shape")
    call hlc_blocks_init(context, [4_c_int64_t * context%size, 4_c_int64_t], [.true., .true.], [box, box, box], &
                         reshape([hlc_shaped(hlc_field_of(u, "u"), HLC_NODES_OWNED), &
                                  hlc_shaped(hlc_field_of(u, "u"), HLC_NODES_SHARED), &
                                  hlc_shaped(hlc_field_of(u, "u"), HLC_NODES_SHARED)], [1, 3]), 1, blocks, status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "fields(1, 1) 'u' has another shape than fields(1, 2)", &
                      "a first box of another shape")
    call end_test("shapes of blocks that do not fit are refused")
  end subroutine
end program staggered_test
