! SPDX-License-Identifier: BSD-3-Clause
!> Swaps of a field in a device's memory in order with a stream, in a program that is linked to the stand-in for CUDA's driver. Each rank has a
!> row of cells.
program device_test
  use, intrinsic :: iso_c_binding, only: c_double, c_f_pointer, c_int, c_int64_t, c_loc, c_null_ptr, c_ptr, c_size_t, c_sizeof
  use halocline
  use testing
  implicit none

  integer, parameter :: cells = 6

  interface
    function cuInit(flags) result(status) bind(C, name="cuInit")
      import :: c_int
      integer(c_int), value :: flags
      integer(c_int) :: status
    end function
    function cuDevicePrimaryCtxRetain(device, ordinal) result(status) bind(C, name="cuDevicePrimaryCtxRetain")
      import :: c_int, c_ptr
      type(c_ptr), intent(out) :: device
      integer(c_int), value :: ordinal
      integer(c_int) :: status
    end function
    function cuDevicePrimaryCtxRelease(ordinal) result(status) bind(C, name="cuDevicePrimaryCtxRelease_v2")
      import :: c_int
      integer(c_int), value :: ordinal
      integer(c_int) :: status
    end function
    function cuCtxSetCurrent(device) result(status) bind(C, name="cuCtxSetCurrent")
      import :: c_int, c_ptr
      type(c_ptr), value :: device
      integer(c_int) :: status
    end function
    function cuStreamCreate(stream, flags) result(status) bind(C, name="cuStreamCreate")
      import :: c_int, c_ptr
      type(c_ptr), intent(out) :: stream
      integer(c_int), value :: flags
      integer(c_int) :: status
    end function
    function cuStreamSynchronize(stream) result(status) bind(C, name="cuStreamSynchronize")
      import :: c_int, c_ptr
      type(c_ptr), value :: stream
      integer(c_int) :: status
    end function
    function cuStreamDestroy(stream) result(status) bind(C, name="cuStreamDestroy_v2")
      import :: c_int, c_ptr
      type(c_ptr), value :: stream
      integer(c_int) :: status
    end function
    function cuMemAlloc(memory, bytes) result(status) bind(C, name="cuMemAlloc_v2")
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), intent(out) :: memory
      integer(c_size_t), value :: bytes
      integer(c_int) :: status
    end function
    function cuMemFree(memory) result(status) bind(C, name="cuMemFree_v2")
      import :: c_int, c_ptr
      type(c_ptr), value :: memory
      integer(c_int) :: status
    end function
    function cuMemcpyHtoD(to, from, bytes) result(status) bind(C, name="cuMemcpyHtoD_v2")
      import :: c_double, c_int, c_ptr, c_size_t
      type(c_ptr), value :: to
      real(c_double), intent(in) :: from(*)
      integer(c_size_t), value :: bytes
      integer(c_int) :: status
    end function
    function cuMemcpyDtoH(to, from, bytes) result(status) bind(C, name="cuMemcpyDtoH_v2")
      import :: c_double, c_int, c_ptr, c_size_t
      real(c_double), intent(out) :: to(*)
      type(c_ptr), value :: from
      integer(c_size_t), value :: bytes
      integer(c_int) :: status
    end function
  end interface

  type(hlc_context) :: context

  call start_tests(context)
  call test_stream("direct")
  call test_stream("notify")
  call finish_tests(context)

contains

  subroutine test_stream(mode)
    character(len=*), intent(in) :: mode
    type(hlc_grid) :: grid
    type(hlc_halo) :: halo
    type(c_ptr) :: device, memory, stream
    real(c_double), pointer :: u(:)
    logical :: allocates
    real(c_double) :: row(cells)
    integer(c_size_t) :: bytes
    integer :: i, status, below, above
    call expect(cuInit(0_c_int) == 0, "cuInit")
    call expect(cuDevicePrimaryCtxRetain(device, 0_c_int) == 0, "the context")
    call expect(cuCtxSetCurrent(device) == 0, "the current context")
    bytes = cells * c_sizeof(row(1))
    allocates = mode == "notify" ! once the library has the memory allocated, once the program has
    if (allocates) then
      call hlc_field_alloc(context, u, [1], [cells], memory=HLC_MEMORY_DEVICE)
      memory = c_loc(u(1))
    else
      call expect(cuMemAlloc(memory, bytes) == 0, "memory")
      call c_f_pointer(memory, u, [cells])
    end if
    call expect(cuStreamCreate(stream, 1_c_int) == 0, "a stream")
    row = [(10 * context%rank + real(i, c_double), i = 0, cells - 1)]
    call expect(cuMemcpyHtoD(memory, row, bytes) == 0, "the copy to the device")
    call hlc_grid_create(context, [(cells - 2) * context%size], grid, periodic=[.true.])
    call hlc_halo_init(context, grid, [hlc_field_of(u)], 1, halo, mode=mode)
    call hlc_halo_start_on(halo, stream)
    call hlc_halo_finish_on(halo, stream)
    call hlc_halo_start_on(halo, c_null_ptr, dim=1, side=HLC_SIDE_LOW)
    call hlc_halo_finish_on(halo, c_null_ptr)
    call hlc_halo_start_on(halo, stream, dim=2, status=status)
    call expect_error(status, HLC_ERR_ARGUMENT, "dim is 2 but must be 1 to 1", "start_on: ")
    call hlc_halo_finish_on(halo, stream, status)
    call expect(status == HLC_ERR_STATE, "finish_on without start")
    ! The same cells once more, as blocks and as lists of entries.
    call expect(cuStreamSynchronize(stream) == 0, "the stream")
    call expect(cuMemcpyHtoD(memory, row, bytes) == 0, "the second copy to the device")
    call swap_lists(u, allocates, mode, stream)
    call expect(cuStreamSynchronize(stream) == 0, "the stream")
    call expect(cuMemcpyDtoH(row, memory, bytes) == 0, "the copy from the device")
    call hlc_halo_finalise(halo)
    below = modulo(context%rank - 1, context%size)
    above = modulo(context%rank + 1, context%size)
    call expect(nint(row(1)) == 10 * below + cells - 2, "the low halo")
    call expect(nint(row(cells)) == 10 * above + 1, "the high halo")
    call expect(nint(row(2)) == 10 * context%rank + 1, "the block")
    call expect(cuStreamDestroy(stream) == 0, "the end of the stream")
    if (allocates) then
      call hlc_field_free(context, u)
    else
      call expect(cuMemFree(memory) == 0, "the end of the memory")
    end if
    call expect(cuCtxSetCurrent(c_null_ptr) == 0, "no context")
    call expect(cuDevicePrimaryCtxRelease(0_c_int) == 0, "the end of the context")
    call end_test("a swap is in order with a stream, mode " // mode)
  end subroutine

  !> A swap of the cells as blocks, or as lists of entries, in order with a stream.
  subroutine swap_lists(u, as_blocks, mode, stream)
    real(c_double), intent(inout), target :: u(:)
    logical, intent(in) :: as_blocks
    character(len=*), intent(in) :: mode
    type(c_ptr), intent(in) :: stream
    type(hlc_blocks) :: blocks
    type(hlc_box) :: box
    type(hlc_index_halo) :: lists
    integer :: below, above
    below = modulo(context%rank - 1, context%size)
    above = modulo(context%rank + 1, context%size)
    if (as_blocks) then
      box%start(1) = (cells - 2) * context%rank
      box%count(1) = cells - 2
      call hlc_blocks_init(context, [int((cells - 2) * context%size, c_int64_t)], [.true.], [box], &
                           reshape([hlc_field_of(u)], [1, 1]), 1, blocks, mode=mode)
      call hlc_blocks_start_on(blocks, stream)
      call hlc_blocks_finish_on(blocks, stream)
      call hlc_blocks_finalise(blocks)
    else
      call hlc_index_halo_init(context, [hlc_index_neighbour(below, [2_c_int64_t], [1_c_int64_t], 1, 2), &
                                         hlc_index_neighbour(above, [cells - 1_c_int64_t], [int(cells, c_int64_t)], 2, 1)], &
                               [hlc_field_of(u)], lists, mode=mode)
      call hlc_index_halo_start_on(lists, stream)
      call hlc_index_halo_finish_on(lists, stream)
      call hlc_index_halo_finalise(lists)
    end if
  end subroutine
end program
