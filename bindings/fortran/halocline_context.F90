! SPDX-License-Identifier: BSD-3-Clause
!> Contexts and grids: opening the library for a communicator, and the block decomposition of a grid over its ranks.
module halocline_context
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_null_char, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64
#ifdef HALOCLINE_HAVE_MPI_F08
  use mpi_f08, only: MPI_Comm
#endif
  use halocline_c
  use halocline_errors, only: fortran_string, settle, with_rank
  implicit none
  private
  public :: hlc_context, hlc_init, hlc_finalise, hlc_context_info, hlc_context_network, hlc_grid_create, &
    hlc_grid_reorder, hlc_grid_rank

  !> The library as opened for the ranks of one communicator. A copy is the same context. rank and size are those of the
  !> communicator.
  type, bind(C) :: hlc_context
    type(c_ptr) :: handle = c_null_ptr
    integer(c_int) :: rank = -1
    integer(c_int) :: size = 0
  end type

  !> Opens the library for the ranks of a communicator, which is duplicated. comm is a default integer (MPI's Fortran handle) or,
  !> where the MPI has a Fortran module, a type(MPI_Comm). Collective over comm; MPI must be initialised. The context is ready on
  !> return.
  interface hlc_init
    module procedure init_integer
#ifdef HALOCLINE_HAVE_MPI_F08
    module procedure init_f08
#endif
  end interface

  !> Splits a grid of global cells over all ranks of the context, into blocks that differ by at most one cell in each dimension.
  !> The size of global (default or 64-bit integers) is the number of dimensions. dims(d) > 0 fixes the ranks along d, 0 leaves
  !> them free. Without periodic all sides are open. order numbers the ranks: HLC_COLUMN_MAJOR along the first dimension first, else
  !> along the last, as MPI_Cart_create does. Local, and every rank finds the same split. HLC_ERR_ARGUMENT if some rank would get no
  !> cell.
  interface hlc_grid_create
    module procedure grid_create_int32
    module procedure grid_create_int64
  end interface

contains

  subroutine init_integer(comm, context, status)
    integer, intent(in) :: comm
    type(hlc_context), intent(out) :: context
    integer, intent(out), optional :: status
    type(hlc_context_info_t) :: info
    integer :: code
    code = c_init_fortran(int(comm, c_int), context%handle)
    if (code == HLC_OK) code = c_context_info(context%handle, info)
    if (code == HLC_OK) context = hlc_context(context%handle, info%rank, info%size)
    call settle(code, -1, status)
  end subroutine

#ifdef HALOCLINE_HAVE_MPI_F08
  subroutine init_f08(comm, context, status)
    type(MPI_Comm), intent(in) :: comm
    type(hlc_context), intent(out) :: context
    integer, intent(out), optional :: status
    call init_integer(comm%MPI_VAL, context, status)
  end subroutine
#endif

  !> Closes a context. Collective. All halos, exchanges and fields made from it must have been released before: else
  !> HLC_ERR_STATE, which says how many live, and the context stays usable.
  subroutine hlc_finalise(context, status)
    type(hlc_context), intent(inout) :: context
    integer, intent(out), optional :: status
    call settle(int(c_finalise(context%handle)), context%rank, status)
  end subroutine

  !> Fills info with the ranks, nodes and cores that the context found. Local.
  subroutine hlc_context_info(context, info, status)
    type(hlc_context), intent(in) :: context
    type(hlc_context_info_t), intent(out) :: info
    integer, intent(out), optional :: status
    call settle(int(c_context_info(context%handle, info)), context%rank, status)
  end subroutine

  !> One line about what carries data to other nodes, or why it is MPI. Local.
  function hlc_context_network(context) result(text)
    type(hlc_context), intent(in) :: context
    character(len=:), allocatable :: text
    text = fortran_string(c_context_network(context%handle))
  end function

  subroutine grid_create_int32(context, global, grid, dims, periodic, status, order)
    type(hlc_context), intent(in) :: context
    integer(int32), intent(in) :: global(:)
    type(hlc_grid), intent(out) :: grid
    integer, intent(in), optional :: dims(:)
    logical, intent(in), optional :: periodic(:)
    integer, intent(out), optional :: status
    integer, intent(in), optional :: order
    call grid_create_int64(context, int(global, int64), grid, dims, periodic, status, order)
  end subroutine

  subroutine grid_create_int64(context, global, grid, dims, periodic, status, order)
    type(hlc_context), intent(in) :: context
    integer(int64), intent(in) :: global(:)
    type(hlc_grid), intent(out) :: grid
    integer, intent(in), optional :: dims(:)
    logical, intent(in), optional :: periodic(:)
    integer, intent(out), optional :: status
    integer, intent(in), optional :: order
    integer(c_int) :: fixed(HLC_MAX_DIMS), joined(HLC_MAX_DIMS), ndims
    character(len=100) :: message
    integer :: code
    fixed = 0
    joined = 0
    message = ""
    if (present(dims)) call check_size("dims", size(dims), size(global), message)
    if (present(periodic)) call check_size("periodic", size(periodic), size(global), message)
    if (size(global) > HLC_MAX_DIMS) call check_size("global", size(global), HLC_MAX_DIMS, message)
    if (len_trim(message) > 0) then
      call settle(int(HLC_ERR_ARGUMENT), context%rank, status, with_rank("hlc_grid_create", context%rank, message))
      return
    end if
    if (present(dims)) fixed(1:size(dims)) = int(dims, c_int)
    if (present(periodic)) joined(1:size(periodic)) = merge(1_c_int, 0_c_int, periodic)
    ndims = size(global, kind=c_int)
    if (present(order)) then
      code = c_grid_create_ordered(context%handle, int(order, c_int), ndims, int(global, c_int64_t), fixed, joined, grid)
    else
      code = c_grid_create(context%handle, ndims, int(global, c_int64_t), fixed, joined, grid)
    end if
    call settle(code, context%rank, status)
  end subroutine

  !> Gives the ranks other positions in a grid from hlc_grid_create, so that as many neighbours as possible share a node.
  !> MPI_Cart_create does this with reorder = .true. The ranks keep their numbers; coords, start and local change. So call it before
  !> anything is stored that depends on coords. The considered swap is described by depth_low and depth_high (one entry per
  !> dimension; without them 1), stencil (HLC_STENCIL_BOX, HLC_STENCIL_STAR), and cell_bytes (of all fields together; default 8).
  !> placement reports the bytes that cross nodes before and after; they never become more. Collective over the context, with the
  !> same arguments on all ranks. HLC_ERR_ARGUMENT names a wrong argument, HLC_ERR_MISMATCH two ranks that disagree.
  subroutine hlc_grid_reorder(context, grid, placement, depth_low, depth_high, stencil, cell_bytes, status)
    type(hlc_context), intent(in) :: context
    type(hlc_grid), intent(inout) :: grid
    type(hlc_placement), intent(out), optional :: placement
    integer, intent(in), optional :: depth_low(:), depth_high(:)
    integer, intent(in), optional :: stencil, cell_bytes
    integer, intent(out), optional :: status
    type(c_swap_shape) :: shape
    type(hlc_placement) :: found
    character(len=100) :: message
    integer :: code
    message = ""
    if (present(depth_low)) call take_depths("depth_low", depth_low, grid%ndims, shape%depth_low, message)
    if (present(depth_high)) call take_depths("depth_high", depth_high, grid%ndims, shape%depth_high, message)
    if (present(stencil)) shape%stencil = int(stencil, c_int)
    if (present(cell_bytes)) shape%cell_bytes = int(cell_bytes, c_int64_t)

    ! Errors that only the binding detects are sent to the other ranks.
    if (len_trim(message) > 0) then
      code = c_refuse(context%handle, trim(with_rank("hlc_grid_reorder", context%rank, message)) // c_null_char)
    else
      code = c_grid_reorder(context%handle, shape, grid, found)
    end if
    if (present(placement)) placement = found
    call settle(code, context%rank, status)
  end subroutine

  subroutine take_depths(name, given, ndims, depths, message)
    character(len=*), intent(in) :: name
    integer, intent(in) :: given(:)
    integer(c_int), intent(in) :: ndims
    integer(c_int64_t), intent(inout) :: depths(HLC_MAX_DIMS)
    character(len=*), intent(inout) :: message
    call check_size(name, size(given), int(ndims), message)
    if (size(given) <= HLC_MAX_DIMS) depths(1:size(given)) = int(given, c_int64_t)
  end subroutine

  subroutine check_size(name, found, expected, message)
    character(len=*), intent(in) :: name
    integer, intent(in) :: found, expected
    character(len=*), intent(inout) :: message
    if (found /= expected) write (message, "(2a,i0,a,i0,a)") name, " has ", found, " entries where ", expected, " are expected"
  end subroutine

  !> Returns the rank at coords (0-based, wrapped where periodic), or HLC_NO_NEIGHBOUR beyond an open side, and for fewer coords than
  !> dimensions. Local.
  function hlc_grid_rank(grid, coords) result(rank)
    type(hlc_grid), intent(in) :: grid
    integer, intent(in) :: coords(:)
    integer :: rank
    rank = HLC_NO_NEIGHBOUR
    if (size(coords) >= grid%ndims) rank = c_grid_rank(grid, int(coords, c_int))
  end function
end module halocline_context
