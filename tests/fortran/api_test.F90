! SPDX-License-Identifier: BSD-3-Clause
!> The binding itself: names, grids, bounds of fields, descriptions of arrays, and errors that arrive as a status with a message.
program api_test
  use, intrinsic :: iso_c_binding, only: c_associated, c_loc
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use halocline
  use halocline_mpi
  use testing
  implicit none

  type(hlc_context) :: context

  call start_tests(context)
  call test_names()
  call test_context()
  call test_grids()
  call test_reordered_grids()
  call test_bounds()
  call test_descriptions()
  call test_alignment_and_zeros()
  call test_wrong_fields()
  call test_wrong_depths()
  call test_handles_that_are_none()
  call test_wrong_swaps()
  call test_velocities()
  call test_states()
  call test_plan()
  call test_views("view")
  call test_views("direct")
  call test_views("p2p")
  call test_parts_of_the_world()
  call test_mpi_helpers()
  call finish_tests(context)

contains

  !> Two components of a row of blocks that is periodic and one cell high: each is filled from where it comes, and the row is
  !> repeated.
  subroutine test_velocities()
    type(hlc_grid) :: grid
    type(hlc_halo) :: halo
    real(real64), target :: east(0:5, -1:2), north(0:5, -1:2)
    integer :: status, west_of
    call hlc_grid_create(context, [4 * context%size, 1], grid, dims=[0, 1], periodic=[.true., .true.])
    east = -1
    north = -1
    east(1:4, 1) = context%rank + 0.5
    north(1:4, 1) = 1000 + context%rank + 0.5
    call hlc_halo_init(context, grid, [hlc_field_of(east), hlc_field_of(north)], [1, 2], halo, depth_high=[1, 1], &
                       velocities=reshape([1, 0, 0, 1], [2, 2]))
    call hlc_halo_start(halo)
    call hlc_halo_finish(halo)
    call hlc_halo_finalise(halo)
    west_of = modulo(context%rank - 1, context%size)
    call expect(nint(2 * east(0, 1)) == 2 * west_of + 1, "what moves east comes from the west")
    call expect(all(nint(east(5, :)) == -1), "and from nowhere else")
    call expect(all(nint(north([0, 5], :)) == -1), "what moves north comes from no other side")
    call expect(all(nint(2 * (north(1:4, -1:0) - 1000)) == 2 * context%rank + 1), "a halo deeper than the block repeats it")
    call expect(all(nint(north(:, 2)) == -1), "what moves north does not come from there")
    call hlc_halo_init(context, grid, [hlc_field_of(east)], [1, 2], halo, depth_high=[1, 1], &
                       velocities=reshape([1, 0, 0], [3, 1]), status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "velocities", "three numbers in two dimensions: ")
    call end_test("components that move are filled from where they come")
  end subroutine

  subroutine test_names()
    integer :: m, mode, status
    do m = 1, size(all_modes)
      call hlc_mode_from_name(all_modes(m), mode)
      call expect(hlc_mode_name(mode) == all_modes(m), "mode " // all_modes(m))
    end do
    call expect(HLC_MODE_COUNT == size(all_modes) + 1, "the number of modes")
    call expect(hlc_mode_name(99) == "unknown", "a value that is no mode")
    call hlc_mode_from_name("p2q", mode, status)
    call expect_error(status, HLC_ERR_ARGUMENT, "p2p", "the nearest name: ")
    call expect(hlc_status_name(HLC_ERR_PEER_DIED) == "HLC_ERR_PEER_DIED", "a status's name")
    call expect(index(hlc_version(), ".") > 0, "the version " // hlc_version())
    call end_test("names of modes and statuses are those of the library")
  end subroutine

  subroutine test_context()
    type(hlc_context_info_t) :: info
    call hlc_context_info(context, info)
    call expect(info%rank == hlc_mpi_rank(hlc_mpi_world()) .and. info%rank == context%rank, "rank")
    call expect(info%size == hlc_mpi_size(hlc_mpi_world()) .and. info%size == context%size, "size")
    call expect(info%node >= 0 .and. info%node < info%nodes, "node")
    call expect(info%node_rank >= 0 .and. info%node_rank < info%node_size .and. info%cores >= 1, "place on the node")
    call end_test("a context knows its ranks, nodes and cores")
  end subroutine

  subroutine test_grids()
    type(hlc_grid) :: grid, wide
    real(real64) :: cells
    integer :: status
    call hlc_grid_create(context, [12, 24], grid, periodic=[.true., .false.])
    call hlc_grid_create(context, [12_int64, 24_int64], wide, periodic=[.true., .false.])
    call expect(all(grid%local == wide%local) .and. all(grid%dims == wide%dims), "both kinds of integers give the same split")
    cells = real(product(grid%local(1:2)), real64)
    call hlc_mpi_sum(hlc_mpi_world(), cells)
    call expect(nint(cells) == 12 * 24, "the blocks cover the grid")
    call expect(hlc_grid_rank(grid, grid%coords(1:2)) == context%rank, "my own place")
    call expect(hlc_grid_rank(grid, [0, -1]) == HLC_NO_NEIGHBOUR, "beyond an open side")
    call expect(hlc_grid_rank(grid, [grid%dims(1), 0]) == hlc_grid_rank(grid, [0, 0]), "around a periodic side")
    call hlc_grid_create(context, [12, 24], grid, dims=[1, 0])
    call expect(grid%dims(1) == 1 .and. grid%dims(2) == context%size, "fixed dims")
    call hlc_grid_create(context, [12, 24], grid, dims=[merge(2, 1, mod(context%size, 2) == 0), 0], order=HLC_COLUMN_MAJOR)
    call expect(grid%coords(1) + grid%dims(1) * grid%coords(2) == context%rank, "ranks numbered along the first dimension")
    call expect(hlc_grid_rank(grid, grid%coords(1:2)) == context%rank, "my own place in that order")
    call hlc_grid_create(context, [12, 24], grid, order=7, status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "order is 7 but must be HLC_ROW_MAJOR", "an order that is none: ")
    call hlc_grid_create(context, [12, 24], grid, dims=[1], status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "dims", "dims of the wrong size: ")
    call hlc_grid_create(context, [1, 1, 1, 1, 1], grid, status=status)
    call expect(status == HLC_ERR_ARGUMENT, "five dimensions")
    call end_test("a grid splits its cells over the ranks")
  end subroutine

  subroutine test_reordered_grids()
    type(hlc_grid) :: plain, grid
    type(hlc_placement) :: found, wider
    real(real64) :: cells
    integer :: status
    call hlc_grid_create(context, [2 * context%size, 2 * context%size], plain, periodic=[.true., .false.])
    grid = plain
    call hlc_grid_reorder(context, grid, found, depth_low=[1, 1], depth_high=[1, 1], stencil=HLC_STENCIL_STAR, cell_bytes=8)
    call expect(found%bytes_after <= found%bytes_before .and. found%bytes_before <= found%bytes, "never more than before")
    call expect(found%nodes > 1 .or. found%bytes_before == 0, "nothing crosses nodes where there is one")
    call expect(all(grid%dims == plain%dims), "the dims stay")
    call expect(hlc_grid_rank(grid, grid%coords(1:2)) == context%rank, "my own place")
    cells = real(product(grid%local(1:2)), real64)
    call hlc_mpi_sum(hlc_mpi_world(), cells)
    call expect(nint(cells) == 4 * context%size**2, "the blocks cover the grid")
    grid = plain
    call hlc_grid_reorder(context, grid, wider, depth_low=[2, 2], depth_high=[2, 2], stencil=HLC_STENCIL_STAR, cell_bytes=4)
    call expect(wider%bytes == found%bytes .and. wider%bytes_after == found%bytes_after, "twice as deep, half as wide")
    call hlc_grid_reorder(context, grid, depth_low=[1], status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "depth_low", "depth_low of the wrong size: ")
    call hlc_grid_reorder(context, grid, stencil=7, status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "stencil", "no stencil: ")
    call end_test("a reordered grid keeps its neighbours on the node")
  end subroutine

  subroutine test_bounds()
    type(hlc_grid) :: grid
    real(real32), pointer :: a(:)
    real(real64), pointer :: b(:, :)
    integer(int32), pointer :: c(:, :, :)
    integer(int64), pointer :: d(:, :, :, :)
    real(real64), target :: elsewhere(2, 2)
    integer :: status
    nullify (a, b, c, d)
    call hlc_field_alloc(context, a, [-2], [5])
    call expect(lbound(a, 1) == -2 .and. ubound(a, 1) == 5, "bounds from default integers")
    call hlc_field_alloc(context, c, [0_int64, -1_int64, 3_int64], [1_int64, 4_int64, 3_int64])
    call expect(all(lbound(c) == [0, -1, 3]) .and. all(ubound(c) == [1, 4, 3]), "bounds from 64-bit integers")
    call hlc_grid_create(context, [4 * context%size, 6], grid)
    call hlc_field_alloc(context, b, grid, [1, 2], depth_high=[3, 0])
    call expect(all(lbound(b) == [0, -1]) .and. all(ubound(b) == [grid%local(1) + 3, grid%local(2)]), "bounds from a grid")
    call hlc_grid_create(context, [4 * context%size, 6, 2, 2], grid)
    call hlc_field_alloc(context, d, grid, 1)
    call expect(all(lbound(d) == 0) .and. all(ubound(d) == grid%local + 1), "bounds from a grid and a scalar depth")
    call hlc_field_free(context, a)
    call hlc_field_free(context, b)
    call hlc_field_free(context, c)
    call hlc_field_free(context, d)
    call expect(.not. (associated(a) .or. associated(b) .or. associated(c) .or. associated(d)), "free nullifies")
    b => elsewhere
    call hlc_field_alloc(context, b, grid, 1, status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "rank 2", "a grid of another rank: ")
    call expect(.not. associated(b), "a failed call leaves no array")
    b => elsewhere
    call hlc_field_alloc(context, b, [1, 1], [3], status)
    call expect(status == HLC_ERR_ARGUMENT .and. .not. associated(b), "a missing bound")
    call end_test("a field has the bounds asked for")
  end subroutine

  subroutine test_descriptions()
    real(real64), target :: plain(3, 4, 5)
    complex(real32), target :: waves(4, 6)
    type :: particle
      real(real64) :: x, y, z
    end type
    type(particle), target :: particles(3, 4)
    type(particle), allocatable, target :: several(:, :)
    type(particle), pointer :: same(:, :)
    logical, target :: flags(3)
    type(hlc_field) :: field
    field = hlc_field_of(plain, "plain")
    call expect(field%type == HLC_FLOAT64 .and. field%ndims == 3, "a whole array")
    call expect(all(field%name(1:6) == [character(len=1) :: "p", "l", "a", "i", "n", char(0)]), "its name")
    call expect(all(field%stride_bytes(1:3) == [8, 24, 96]) .and. all(field%extent(1:3) == [3, 4, 5]), "its strides")
    field = hlc_field_of(plain(2:3, 1:4:3, 3))
    call expect(field%ndims == 2 .and. all(field%stride_bytes(1:2) == [8, 72]), "a section's strides")
    call expect(all(field%extent(1:2) == [2, 2]) .and. c_associated(field%data, c_loc(plain(2, 1, 3))), "a section's first element")
    field = hlc_field_of(waves%re)
    call expect(field%type == HLC_FLOAT32 .and. all(field%stride_bytes(1:2) == [8, 32]), "a part of complex numbers")
    call expect(field%element_bytes == 4, "its element size")
    field = hlc_field_of(particles(1:3:2, :)%y)
    call expect(field%type == HLC_FLOAT64 .and. all(field%stride_bytes(1:2) == [48, 72]), "a component of derived types")
    call expect(c_associated(field%data, c_loc(particles(1, 1)%y)), "its first element")
    allocate(several(3, 4))
    same => several
    field = hlc_field_of(several(:, :)%y)
    call expect(c_associated(field%data, c_loc(several(1, 1)%y)), "the first element of a component of an allocatable array")
    field = hlc_field_of(same(:, :)%z)
    call expect(c_associated(field%data, c_loc(several(1, 1)%z)), "the first element of a component of a pointer array")
    field = hlc_field_of(waves)
    call expect(field%type == HLC_COMPLEX64, "complex numbers")
    field = hlc_field_of(flags)
    call expect(field%type == HLC_OPAQUE .and. field%element_bytes == storage_size(flags) / 8, "elements without arithmetic")
    call end_test("a description has the array's own address, type and strides")
  end subroutine

  subroutine test_alignment_and_zeros()
    real(real64), pointer :: u(:, :)
    type(hlc_field) :: field
    nullify (u)
    call hlc_field_alloc(context, u, [1, 1], [7, 5 + context%rank])
    field = hlc_field_of(u)
    call expect(all(abs(u) <= 0), "zeros")
    call expect(mod(transfer(field%data, 0_int64), 64_int64) == 0, "alignment")
    call hlc_field_free(context, u)
    call end_test("a field is filled with zeros and aligned to 64 bytes")
  end subroutine

  !> One rank brings an array that is too small, or of another rank: all ranks get an error, that rank with its own sentence.
  subroutine test_wrong_fields()
    type(hlc_grid) :: grid
    type(hlc_halo) :: halo
    real(real64), target :: right(8, 8), small(8, 7), line(8)
    integer :: status
    call hlc_grid_create(context, [6 * context%size, 6], grid, dims=[0, 1])
    if (context%rank == 0) call hlc_halo_init(context, grid, [hlc_field_of(small, "q")], 1, halo, status=status)
    if (context%rank /= 0) call hlc_halo_init(context, grid, [hlc_field_of(right, "q")], 1, halo, status=status)
    call expect(status == HLC_ERR_ARGUMENT, "too small on rank 0: " // hlc_status_name(status))
    call expect_error(status, HLC_ERR_ARGUMENT, "'q' has 7 values", "the sentence on every rank: ")
    call hlc_halo_init(context, grid, [hlc_field_of(line, "line")], 1, halo, status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "rank 1", "a line for a plane: ")
    call hlc_halo_init(context, grid, [hlc_field ::], 1, halo, status=status)
    call expect(status == HLC_ERR_ARGUMENT, "no fields")
    call end_test("fields that do not fit the grid are refused on all ranks")
  end subroutine

  subroutine test_wrong_depths()
    type(hlc_grid) :: grid
    type(hlc_halo) :: halo
    real(real64), target :: u(8, 8)
    integer :: status
    call hlc_grid_create(context, [6 * context%size, 6], grid, dims=[0, 1])
    call hlc_halo_init(context, grid, [hlc_field_of(u)], [1, 1, 1], halo, status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "depth", "three depths in two dimensions")
    call hlc_halo_init(context, grid, [hlc_field_of(u)], 1, halo, mode="swiftly", status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "swiftly", "an unknown mode: ")
    call hlc_halo_init(context, grid, [hlc_field_of(u)], 1, halo, mode="notfy", status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "notify", "the nearest mode: ")
    call expect_error(status, HLC_ERR_ARGUMENT, " on rank 0", "the first rank that is wrong: ")
    call hlc_halo_init(context, grid, [hlc_field_of(u)], 1, halo, status=status, &
      mode=merge("drect ", "direct", context%rank == context%size - 1))
    call expect_error(status, HLC_ERR_ARGUMENT, " on rank " // as_text(context%size - 1), "the only rank that is wrong: ")
    call hlc_halo_init(context, grid, [hlc_field_of(u)], -1, halo, status=status)
    call expect(status == HLC_ERR_ARGUMENT, "a negative depth")
    call hlc_halo_init(context, grid, [hlc_field_of(u), hlc_field_of(u)], 1, halo, status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "overlap", "one array as two fields: ")
    call hlc_halo_init(context, grid, [hlc_field_of(u)], 1, halo, stencil=77, status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "stencil is 77", "an unknown stencil: ")
    call hlc_halo_init(context, grid, [hlc_field_of(u)], 1, halo, mode="p2p", drive=HLC_DRIVE_GET, status=status)
    call expect_error(status, HLC_ERR_UNSUPPORTED, "fence", "get in mode p2p: ")
    call hlc_halo_init(context, grid, [hlc_field_of(u)], 1, halo, neighbours=[0, 0, 0], status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "neighbours", "three neighbours of nine")
    call end_test("wrong arguments of init are refused by name")
  end subroutine

  pure function as_text(number) result(text)
    integer, intent(in) :: number
    character(len=:), allocatable :: text
    character(len=12) :: buffer
    write (buffer, "(i0)") number
    text = trim(buffer)
  end function

  !> What has not been made yet, or is gone, is refused by name and does no harm.
  subroutine test_handles_that_are_none()
    type(hlc_context) :: nothing
    type(hlc_grid) :: grid
    type(hlc_halo) :: halo
    type(hlc_exchange) :: exchange
    type(hlc_plan_info) :: info
    real(real64), target :: u(8, 8)
    real(real64), pointer :: p(:, :)
    integer :: status
    call hlc_grid_create(nothing, [8, 8], grid, status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "context", "a grid without a context: ")
    call hlc_grid_create(context, [6 * context%size, 6], grid, dims=[0, 1])
    call hlc_halo_init(nothing, grid, [hlc_field_of(u)], 1, halo, status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "context", "a halo without a context: ")
    call hlc_halo_start(halo, status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "halo", "start before init: ")
    call hlc_halo_finish(halo, status)
    call expect_error(status, HLC_ERR_ARGUMENT, "halo", "finish before init: ")
    call hlc_halo_finalise(halo, status)
    call expect(status == HLC_OK, "finalise before init does nothing")
    call hlc_halo_info(halo, info, status)
    call expect(status == HLC_ERR_ARGUMENT, "info before init")
    call hlc_exchange_start(exchange, status)
    call expect_error(status, HLC_ERR_ARGUMENT, "exchange", "start of no exchange: ")
    call hlc_exchange_destroy(exchange, status)
    call expect(status == HLC_OK, "destroy of no exchange does nothing")
    call hlc_finalise(nothing, status)
    call expect(status == HLC_OK, "finalise of no context does nothing")
    nullify (p)
    call hlc_field_free(context, p, status)
    call expect(status == HLC_OK, "free of nothing does nothing")
    p => u
    call hlc_field_free(context, p, status)
    call expect_error(status, HLC_ERR_ARGUMENT, "hlc_field_alloc", "free of the caller's own memory: ")
    call expect(associated(p), "which stays")
    call end_test("handles that are none are refused by name")
  end subroutine

  subroutine test_wrong_swaps()
    type(hlc_halo) :: halo
    real(real64), pointer :: u(:, :)
    integer :: nothing(1) = 1
    call make_halo(context, 1, halo, u)
    call refuse_start(halo, "fields(1) is 2 but must be 1 to 1", fields=[2])
    call refuse_start(halo, "fields(1) is 0 but must be 1 to 1", fields=[0])
    call refuse_start(halo, "fields(2) is 1 behind 1; indices must ascend", fields=[1, 1])
    call refuse_start(halo, "fields(2) is 2 but must be 1 to 1", fields=[1, 2, 3])
    call refuse_start(halo, "fields is an empty list", fields=nothing(1:0))
    call refuse_start(halo, "dim is 3 but must be 1 to 2", dim=3)
    call refuse_start(halo, "dim is 0 but must be 1 to 2", dim=0)
    call refuse_start(halo, "a side needs one_dim", side=HLC_SIDE_LOW)
    call refuse_arrays(halo, u)
    call free_halo(context, halo, u)
    call end_test("a swap of fields or dimensions that do not exist is refused")
  end subroutine

  subroutine refuse_arrays(halo, u)
    type(hlc_halo), intent(inout) :: halo
    real(real64), pointer, intent(in) :: u(:, :)
    real(real64), target :: smaller(size(u, 1) - 1, size(u, 2))
    integer :: status
    call hlc_halo_start_with(halo, [hlc_field_of(smaller)], status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "arrays(1) has another shape", "a smaller array: ")
    call hlc_halo_start_with(halo, [hlc_field_of(u), hlc_field_of(u)], status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "arrays has 2 entries instead of 1", "two arrays for one field: ")
    call hlc_halo_start_with(halo, [hlc_field_of(u)], dim=3, status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "dim is 3 but must be 1 to 2", "start_with: ")
    call hlc_halo_start_with(halo, [hlc_field_of(u)], status=status)
    call expect_error(status, HLC_ERR_STATE, "rebind", "arrays without rebind: ")
  end subroutine

  subroutine refuse_start(halo, message, fields, dim, side)
    type(hlc_halo), intent(inout) :: halo
    character(len=*), intent(in) :: message
    integer, intent(in), optional :: fields(:), dim, side
    integer :: status
    call hlc_halo_start(halo, fields=fields, dim=dim, side=side, status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, message, "start: ")
  end subroutine

  subroutine test_states()
    type(hlc_halo) :: halo
    real(real64), pointer :: u(:, :)
    type(hlc_context) :: again
    integer :: status
    call make_halo(context, 1, halo, u)
    call hlc_halo_finish(halo, status)
    call expect(status == HLC_ERR_STATE, "finish without start")
    call hlc_halo_start(halo)
    call hlc_halo_start(halo, status=status)
    call expect(status == HLC_ERR_STATE, "start twice")
    call hlc_halo_finish(halo)
    call hlc_field_free(context, u, status)
    call expect(status == HLC_ERR_STATE .and. associated(u), "free of a field in use")
    again = context
    call hlc_finalise(again, status)
    call expect(status == HLC_ERR_STATE, "finalise of a context in use")
    call free_halo(context, halo, u)
    call end_test("calls at the wrong time are refused and do no harm")
  end subroutine

  subroutine test_plan()
    type(hlc_halo) :: halo
    type(hlc_plan_info) :: info
    real(real64), pointer :: u(:, :)
    call make_halo(context, 1, halo, u)
    call hlc_halo_info(halo, info)
    call expect(info%mode == HLC_MODE_P2P .and. info%via_direct == 0 .and. info%via_notify == 0, "mode and routes")
    call expect(info%neighbours + info%self_copies == 8, "a box stencil on a periodic plane has eight directions")
    call expect(info%bytes_in + info%self_bytes == 8 * (2 * (6 + 6) + 4), "bytes of a halo one cell deep")
    call free_halo(context, halo, u)
    call end_test("a plan tells its mode, directions and bytes")
  end subroutine

  !> What a field shows around its block, in mode view and in one that copies; with the indices of the halo.
  subroutine test_views(mode)
    character(len=*), intent(in) :: mode
    type(hlc_halo) :: halo
    type(hlc_grid) :: grid
    real(real64), pointer :: u(:, :), v(:, :)
    real(real64), pointer :: flat(:)
    integer :: i, j, di, dj, owner, status
    logical :: right
    call hlc_grid_create(context, [6 * context%size, 6], grid, dims=[0, 1], periodic=[.true., .true.])
    nullify (u)
    call hlc_field_alloc(context, u, grid, 2)
    call hlc_halo_init(context, grid, [hlc_field_of(u, "u")], 2, halo, mode=mode)
    u = -1
    do j = 1, 6
      do i = 1, 6
        u(i, j) = cell_number(i, j)
      end do
    end do
    call hlc_halo_start(halo)
    call hlc_halo_view(halo, 1, [0, 1], v, status=status)
    call expect(status == HLC_ERR_STATE, "a view while a swap is in flight")
    call hlc_halo_finish_views(halo)
    right = .true.
    do dj = -1, 1
      do di = -1, 1
        call hlc_halo_view(halo, 1, [di, dj], v, owner)
        call expect(all(lbound(v) == merge(-1, merge(1, 7, [di, dj] == 0), [di, dj] < 0)), "lower bounds")
        call expect(all(shape(v) == merge(6, 2, [di, dj] == 0)), "extents")
        call expect(owner == hlc_grid_rank(grid, int(grid%coords + [di, dj, 0, 0])), "the owner")
        do j = lbound(v, 2), ubound(v, 2)
          do i = lbound(v, 1), ubound(v, 1)
            right = right .and. nint(v(i, j)) == cell_number(i, j)
          end do
        end do
      end do
    end do
    call expect(right, "the cells")
    if (mode == "view") call expect(all(nint(u(-1:0, :)) == -1) .and. all(nint(u(:, 7:8)) == -1), "the halo is left as it was")
    call hlc_halo_view(halo, 2, [0, 1], v, status=status)
    call expect(status == HLC_ERR_ARGUMENT, "a field that is none")
    call hlc_halo_view(halo, 1, [0, 2], v, status=status)
    call expect(status == HLC_ERR_ARGUMENT, "a direction that is none")
    call hlc_halo_view(halo, 1, [1], v, status=status)
    call expect(status == HLC_ERR_ARGUMENT, "a direction of another number of dimensions")
    call hlc_halo_view(halo, 1, [0, 1], flat, status=status)
    call expect(status == HLC_ERR_ARGUMENT, "a pointer of another rank")
    call hlc_halo_release(halo)
    call free_halo(context, halo, u)
    call end_test("views show the cells around a block, mode " // mode)
  end subroutine

  !> A number for a cell of the periodic grid of test_views, by its place in the block of this rank.
  integer function cell_number(i, j)
    integer, intent(in) :: i, j
    cell_number = 100 * modulo(6 * context%rank + i - 1, 6 * context%size) + modulo(j - 1, 6)
  end function

  !> A context on a part of the ranks, from a communicator handle that is not the world's.
  subroutine test_parts_of_the_world()
    type(hlc_context) :: part
    integer :: comm, colour
    colour = mod(context%rank, 2)
    comm = hlc_mpi_split(hlc_mpi_world(), colour, context%rank)
    call hlc_init(comm, part)
    call expect(part%size == (context%size + 1 - colour) / 2 .and. part%rank == context%rank / 2, "rank and size of the part")
    call hlc_finalise(part)
    call hlc_mpi_comm_free(comm)
    call end_test("a context holds the ranks of its communicator only")
  end subroutine

  subroutine test_mpi_helpers()
    real(real64) :: most(2), table(1, context%size), joined(context%size * (context%size + 1) / 2)
    integer :: r, counts(context%size)
    most = [real(context%rank, real64), -1.0_real64]
    call hlc_mpi_max(hlc_mpi_world(), most)
    call expect(nint(most(1)) == context%size - 1 .and. nint(most(2)) == -1, "max")
    call hlc_mpi_allgather(hlc_mpi_world(), [real(context%rank + 1, real64)], table)
    call expect(all(nint(table(1, :)) == [(r, r = 1, context%size)]), "allgather")
    counts = [(r, r = 1, context%size)]
    joined = 0
    call hlc_mpi_gatherv(hlc_mpi_world(), spread(real(context%rank + 1, real64), 1, context%rank + 1), joined, counts, 0)
    if (context%rank == 0) call expect(all(nint(joined) == [(spread(r, 1, r), r = 1, context%size)]), "gatherv")
    call hlc_mpi_barrier(hlc_mpi_world())
    call expect(hlc_mpi_wtime() > 0, "wtime")
    call end_test("the few MPI calls do what MPI says")
  end subroutine
end program api_test
