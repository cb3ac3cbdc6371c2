! SPDX-License-Identifier: BSD-3-Clause
!> The C API of halocline/halocline.h as Fortran sees it: the same constants, structs and functions under the prefix c_. The other
!> modules of this folder put Fortran's manners on top; a program uses module halocline and not this one.
module halocline_c
  use, intrinsic :: iso_c_binding, only: c_char, c_funptr, c_int, c_int32_t, c_int64_t, c_ptr, c_signed_char, c_size_t, c_null_ptr
  implicit none
  public

  !> Most dimensions that a grid may have.
  integer, parameter :: HLC_MAX_DIMS = 4
  !> The rank number beyond an open side of a grid.
  integer, parameter :: HLC_NO_NEIGHBOUR = -1
  !> Most notifications that a segment may have.
  integer, parameter :: HLC_MAX_NOTIFICATIONS = 65536

  !> The result of a call. HLC_AGAIN is no error: it means "not yet".
  enum, bind(C)
    enumerator :: HLC_OK = 0, HLC_AGAIN, HLC_ERR_ARGUMENT, HLC_ERR_STATE, HLC_ERR_MEMORY, HLC_ERR_MISMATCH, HLC_ERR_TIMEOUT, &
                  HLC_ERR_PEER_DIED, HLC_ERR_MPI, HLC_ERR_UNSUPPORTED, HLC_ERR_RULE
  end enum
  !> How the data move; hlc_mode_name gives the names that the argument mode and HALOCLINE_MODE take.
  enum, bind(C)
    enumerator :: HLC_MODE_DEFAULT = 0, HLC_MODE_P2P, HLC_MODE_NEIGHBOR, HLC_MODE_FENCE, HLC_MODE_PSCW, HLC_MODE_PASSIVE, &
                  HLC_MODE_PASSIVE_NAIVE, HLC_MODE_NOTIFY, HLC_MODE_DIRECT, HLC_MODE_VIEW, HLC_MODE_NOTIFY_NODE, HLC_MODE_AUTO, &
                  HLC_MODE_COUNT
  end enum
  !> How hlc_halo_explain writes.
  enum, bind(C)
    enumerator :: HLC_FORMAT_TEXT = 0, HLC_FORMAT_JSON
  end enum
  !> When fence and pscw open an epoch: at the end of the previous finish (early) or in start (late).
  enum, bind(C)
    enumerator :: HLC_EPOCH_DEFAULT = 0, HLC_EPOCH_EARLY, HLC_EPOCH_LATE
  end enum
  !> Which side moves the data in mode fence: the origin writes (put) or reads (get).
  enum, bind(C)
    enumerator :: HLC_DRIVE_DEFAULT = 0, HLC_DRIVE_PUT, HLC_DRIVE_GET
  end enum
  !> Which neighbours a stencil reads: across faces, edges and corners (box), or across faces only (star).
  enum, bind(C)
    enumerator :: HLC_STENCIL_BOX = 0, HLC_STENCIL_STAR
  end enum
  !> Default strides of C fields; Fortran fields always carry their own.
  enum, bind(C)
    enumerator :: HLC_LAYOUT_UNSET = 0, HLC_ROW_MAJOR, HLC_COLUMN_MAJOR
  end enum
  !> One or both sides of a dimension.
  enum, bind(C)
    enumerator :: HLC_SIDE_BOTH = 0, HLC_SIDE_LOW, HLC_SIDE_HIGH
  end enum
  !> Element types; an HLC_OPAQUE element can be swapped, but not added in a reverse swap.
  enum, bind(C)
    enumerator :: HLC_OPAQUE = 0, HLC_FLOAT32, HLC_FLOAT64, HLC_INT32, HLC_INT64, HLC_COMPLEX64, HLC_COMPLEX128
  end enum

  !> What an atomic makes of the target's number t and the operand v. In order: t + v, the smaller, the larger, t * v, the bits of
  !> both (integers only), v, t.
  enum, bind(C)
    enumerator :: HLC_OP_SUM = 0, HLC_OP_MIN, HLC_OP_MAX, HLC_OP_PROD, HLC_OP_BAND, HLC_OP_BOR, HLC_OP_BXOR, HLC_OP_REPLACE, &
                  HLC_OP_READ
  end enum
  !> The integers that fetch_add, swap and compare_swap work on, as enum hlc_number.
  integer(c_int), parameter :: HLC_NUMBER_INT32 = 2, HLC_NUMBER_INT64 = 3

  !> How two elements become one: their sum, the lesser, the greater, or what a procedure of the program makes of them.
  enum, bind(C)
    enumerator :: HLC_REDUCE_SUM = 0, HLC_REDUCE_MIN, HLC_REDUCE_MAX, HLC_REDUCE_USER
  end enum

  !> What a context found. rank and size are those of its communicator. node, nodes, node_rank and node_size give this rank's
  !> position among the nodes. cores counts the cores that the ranks of this node may run on together. Filled by hlc_context_info.
  type, bind(C) :: hlc_context_info_t
    integer(c_int) :: rank = 0, size = 0, node = 0, nodes = 0, node_rank = 0, node_size = 0, cores = 0
  end type

  !> A block decomposition of a grid over the ranks of a context. The first ndims elements of each array hold one entry per
  !> dimension: dims (ranks), periodic (1 or 0), coords (this rank's position, 0-based). Also global (cells of the whole grid),
  !> start (first global cell of this block, 0-based) and local (cells of this block, without halo). tile and dealt are the order in
  !> which ranks fill the positions, as hlc_grid_reorder found it. All 0: the last dimension runs fastest. Made by hlc_grid_create,
  !> or by hand.
  type, bind(C) :: hlc_grid
    integer(c_int) :: ndims = 0
    integer(c_int) :: dims(HLC_MAX_DIMS) = 0
    integer(c_int) :: periodic(HLC_MAX_DIMS) = 0
    integer(c_int) :: coords(HLC_MAX_DIMS) = 0
    integer(c_int64_t) :: global(HLC_MAX_DIMS) = 0
    integer(c_int64_t) :: start(HLC_MAX_DIMS) = 0
    integer(c_int64_t) :: local(HLC_MAX_DIMS) = 0
    integer(c_int) :: tile(HLC_MAX_DIMS) = 0
    integer(c_int) :: dealt = 0
  end type

  !> What hlc_grid_reorder found: the bytes that one swap moves between all ranks, and those that cross nodes before and after. Also
  !> the number of nodes, and the nodes along each dimension if all hold equal boxes of the process grid (else 0).
  type, bind(C) :: hlc_placement
    integer(c_int64_t) :: bytes = 0, bytes_before = 0, bytes_after = 0
    integer(c_int) :: nodes = 0
    integer(c_int) :: node_dims(HLC_MAX_DIMS) = 0
  end type

  !> struct hlc_swap_shape.
  type, bind(C) :: c_swap_shape
    integer(c_int64_t) :: depth_low(HLC_MAX_DIMS) = 0, depth_high(HLC_MAX_DIMS) = 0
    integer(c_int) :: stencil = 0
    integer(c_int64_t) :: cell_bytes = 0
  end type

  !> What planning decided: the mode, epoch and drive in use, messages per full swap, and directions that face the caller itself.
  !> Also how many neighbours each route serves, bytes per full swap, bytes of buffers, and writes to other nodes so far. Filled by
  !> hlc_halo_info and hlc_exchange_info.
  type, bind(C) :: hlc_plan_info
    integer(c_int) :: mode = 0, epoch = 0, drive = 0
    integer(c_int) :: neighbours = 0, self_copies = 0, via_direct = 0, via_notify = 0, via_network = 0, via_mpi = 0
    integer(c_int64_t) :: bytes_in = 0, bytes_out = 0, self_bytes = 0, memory_bytes = 0, network_writes = 0
  end type

  !> One neighbour of an exchange: its rank, the tags (0 or more) and the bytes of what is sent to it and received from it. What an
  !> entry of rank a for rank b sends is delivered to rank b's entry for rank a whose tag_in equals its tag_out. Entries for one
  !> rank need different tags: the sides of a ring have out 0, in 1 (below) and out 1, in 0 (above).
  type, bind(C) :: hlc_neighbour
    integer(c_int) :: rank = 0, tag_out = 0, tag_in = 0
    integer(c_int64_t) :: bytes_out = 0, bytes_in = 0
  end type

  !> struct hlc_field.
  type, bind(C) :: c_field
    type(c_ptr) :: data = c_null_ptr
    integer(c_int) :: type = 0
    integer(c_size_t) :: element_bytes = 0
    integer(c_int64_t) :: stride_bytes(HLC_MAX_DIMS) = 0
    type(c_ptr) :: name = c_null_ptr
  end type

  !> struct hlc_halo_spec.
  type, bind(C) :: c_halo_spec
    type(c_ptr) :: grid = c_null_ptr
    integer(c_int64_t) :: depth_low(HLC_MAX_DIMS) = 0, depth_high(HLC_MAX_DIMS) = 0
    integer(c_int) :: stencil = 0, layout = HLC_COLUMN_MAJOR, nfields = 0
    type(c_ptr) :: fields = c_null_ptr, neighbours = c_null_ptr
    integer(c_int) :: mode = 0, epoch = 0, drive = 0
    type(c_ptr) :: fills = c_null_ptr
    type(c_ptr) :: name = c_null_ptr
    integer(c_int) :: rebind = 0
    integer(c_int) :: staged = 0
  end type

  !> struct hlc_swap.
  type, bind(C) :: c_swap
    integer(c_int) :: nfields = 0
    type(c_ptr) :: fields = c_null_ptr
    integer(c_int) :: one_dim = 0, dim = 0, side = 0, reverse = 0
  end type

  !> struct hlc_exchange_spec.
  type, bind(C) :: c_exchange_spec
    integer(c_int) :: nneighbours = 0
    type(c_ptr) :: neighbours = c_null_ptr
    type(c_funptr) :: pack, unpack
    type(c_ptr) :: user = c_null_ptr
    integer(c_int) :: mode = 0, epoch = 0, drive = 0
    type(c_ptr) :: name = c_null_ptr
  end type

  !> struct hlc_sparse_spec.
  type, bind(C) :: c_sparse_spec
    integer(c_int) :: slots = 0
    type(c_funptr) :: receive
    type(c_ptr) :: user = c_null_ptr
    type(c_ptr) :: name = c_null_ptr
  end type

  !> A message of a sparse exchange: bytes bytes at data (c_loc) to a rank, which counts from 0.
  type, bind(C) :: hlc_sparse_message
    integer(c_int) :: rank = 0
    type(c_ptr) :: data = c_null_ptr
    integer(c_int64_t) :: bytes = 0
  end type

  !> struct hlc_segment_spec.
  type, bind(C) :: c_segment_spec
    integer(c_int64_t) :: bytes = 0
    integer(c_int) :: notifications = 0
    integer(c_int) :: shared = 0
  end type

  !> struct hlc_view.
  type, bind(C) :: c_view
    type(c_ptr) :: data = c_null_ptr
    integer(c_int64_t) :: count(HLC_MAX_DIMS) = 0
    integer(c_int64_t) :: stride_bytes(HLC_MAX_DIMS) = 0
    integer(c_int) :: rank = HLC_NO_NEIGHBOUR
  end type

  !> struct hlc_target.
  type, bind(C) :: c_target
    type(c_ptr) :: segment = c_null_ptr
    integer(c_int) :: rank = 0
    integer(c_int64_t) :: offset = 0
  end type

  !> struct hlc_notification.
  type, bind(C) :: c_notification
    integer(c_int) :: id = 0
    integer(c_int32_t) :: value = 0
  end type

  !> struct hlc_ids.
  type, bind(C) :: c_ids
    integer(c_int) :: first = 0, count = 0
  end type

  interface
    function c_status_name(status) result(name) bind(C, name="hlc_status_name")
      import :: c_int, c_ptr
      integer(c_int), value :: status
      type(c_ptr) :: name
    end function
    function c_error_message() result(message) bind(C, name="hlc_error_message")
      import :: c_ptr
      type(c_ptr) :: message
    end function
    function c_mode_name(mode) result(name) bind(C, name="hlc_mode_name")
      import :: c_int, c_ptr
      integer(c_int), value :: mode
      type(c_ptr) :: name
    end function
    function c_mode_from_name(name, mode) result(status) bind(C, name="hlc_mode_from_name")
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out) :: mode
      integer(c_int) :: status
    end function
    function c_version() result(version) bind(C, name="hlc_version")
      import :: c_ptr
      type(c_ptr) :: version
    end function

    function c_init_fortran(comm, context) result(status) bind(C, name="hlc_init_fortran")
      import :: c_int, c_ptr
      integer(c_int), value :: comm
      type(c_ptr), intent(out) :: context
      integer(c_int) :: status
    end function
    function c_finalise(context) result(status) bind(C, name="hlc_finalise")
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: context
      integer(c_int) :: status
    end function
    function c_context_info(context, info) result(status) bind(C, name="hlc_context_info")
      import :: c_int, c_ptr, hlc_context_info_t
      type(c_ptr), value :: context
      type(hlc_context_info_t), intent(out) :: info
      integer(c_int) :: status
    end function

    function c_context_network(context) result(text) bind(C, name="hlc_context_network")
      import :: c_ptr
      type(c_ptr), value :: context
      type(c_ptr) :: text
    end function

    function c_field_alloc_untouched(context, bytes, data) result(status) bind(C, name="hlc_field_alloc_untouched")
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: context
      integer(c_size_t), value :: bytes
      type(c_ptr), intent(out) :: data
      integer(c_int) :: status
    end function
    function c_field_alloc(context, bytes, data) result(status) bind(C, name="hlc_field_alloc")
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: context
      integer(c_size_t), value :: bytes
      type(c_ptr), intent(out) :: data
      integer(c_int) :: status
    end function
    function c_field_free(context, data) result(status) bind(C, name="hlc_field_free")
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), intent(inout) :: data
      integer(c_int) :: status
    end function

    function c_grid_create(context, ndims, global, dims, periodic, grid) result(status) bind(C, name="hlc_grid_create")
      import :: c_int, c_int64_t, c_ptr, hlc_grid
      type(c_ptr), value :: context
      integer(c_int), value :: ndims
      integer(c_int64_t), intent(in) :: global(*)
      integer(c_int), intent(in) :: dims(*), periodic(*)
      type(hlc_grid), intent(out) :: grid
      integer(c_int) :: status
    end function
    function c_grid_reorder(context, shape, grid, placement) result(status) bind(C, name="hlc_grid_reorder")
      import :: c_int, c_ptr, c_swap_shape, hlc_grid, hlc_placement
      type(c_ptr), value :: context
      type(c_swap_shape), intent(in) :: shape
      type(hlc_grid), intent(inout) :: grid
      type(hlc_placement), intent(out) :: placement
      integer(c_int) :: status
    end function
    function c_grid_rank(grid, coords) result(rank) bind(C, name="hlc_grid_rank")
      import :: c_int, hlc_grid
      type(hlc_grid), intent(in) :: grid
      integer(c_int), intent(in) :: coords(*)
      integer(c_int) :: rank
    end function

    function c_halo_init(context, spec, halo) result(status) bind(C, name="hlc_halo_init")
      import :: c_halo_spec, c_int, c_ptr
      type(c_ptr), value :: context
      type(c_halo_spec), intent(in) :: spec
      type(c_ptr), intent(out) :: halo
      integer(c_int) :: status
    end function
    function c_fills_moving(ndims, velocity, fills) result(status) bind(C, name="hlc_fills_moving")
      import :: c_int, c_signed_char
      integer(c_int), value :: ndims
      integer(c_int), intent(in) :: velocity(*)
      integer(c_signed_char), intent(out) :: fills(*)
      integer(c_int) :: status
    end function
    function c_refuse(context, message) result(status) bind(C, name="hlc_refuse")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: context
      character(kind=c_char), intent(in) :: message(*)
      integer(c_int) :: status
    end function
    function c_halo_start(halo, swap) result(status) bind(C, name="hlc_halo_start")
      import :: c_int, c_ptr, c_swap
      type(c_ptr), value :: halo
      type(c_swap), intent(in) :: swap
      integer(c_int) :: status
    end function
    function c_halo_start_with(halo, swap, data) result(status) bind(C, name="hlc_halo_start_with")
      import :: c_int, c_ptr, c_swap
      type(c_ptr), value :: halo
      type(c_swap), intent(in) :: swap
      type(c_ptr), intent(in) :: data(*)
      integer(c_int) :: status
    end function
    function c_halo_test(halo) result(status) bind(C, name="hlc_halo_test")
      import :: c_int, c_ptr
      type(c_ptr), value :: halo
      integer(c_int) :: status
    end function
    function c_halo_finish(halo) result(status) bind(C, name="hlc_halo_finish")
      import :: c_int, c_ptr
      type(c_ptr), value :: halo
      integer(c_int) :: status
    end function
    function c_halo_finalise(halo) result(status) bind(C, name="hlc_halo_finalise")
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: halo
      integer(c_int) :: status
    end function
    function c_halo_info(halo, info) result(status) bind(C, name="hlc_halo_info")
      import :: c_int, c_ptr, hlc_plan_info
      type(c_ptr), value :: halo
      type(hlc_plan_info), intent(out) :: info
      integer(c_int) :: status
    end function
    function c_halo_explain(halo, format, buffer, size, length) result(status) bind(C, name="hlc_halo_explain")
      import :: c_char, c_int, c_ptr, c_size_t
      type(c_ptr), value :: halo
      integer(c_int), value :: format
      character(kind=c_char), intent(inout) :: buffer(*)
      integer(c_size_t), value :: size
      integer(c_size_t), intent(inout) :: length
      integer(c_int) :: status
    end function
    function c_halo_views(halo, field, views) result(status) bind(C, name="hlc_halo_views")
      import :: c_int, c_ptr, c_view
      type(c_ptr), value :: halo
      integer(c_int), value :: field
      type(c_view), intent(inout) :: views(*)
      integer(c_int) :: status
    end function

    function c_sparse_create(context, spec, sparse) result(status) bind(C, name="hlc_sparse_create")
      import :: c_int, c_ptr, c_sparse_spec
      type(c_ptr), value :: context
      type(c_sparse_spec), intent(in) :: spec
      type(c_ptr), intent(out) :: sparse
      integer(c_int) :: status
    end function
    function c_sparse_start(sparse, count, messages) result(status) bind(C, name="hlc_sparse_start")
      import :: c_int, c_ptr, hlc_sparse_message
      type(c_ptr), value :: sparse
      integer(c_int), value :: count
      type(hlc_sparse_message), intent(in) :: messages(*)
      integer(c_int) :: status
    end function
    function c_sparse_test(sparse) result(status) bind(C, name="hlc_sparse_test")
      import :: c_int, c_ptr
      type(c_ptr), value :: sparse
      integer(c_int) :: status
    end function
    function c_sparse_finish(sparse) result(status) bind(C, name="hlc_sparse_finish")
      import :: c_int, c_ptr
      type(c_ptr), value :: sparse
      integer(c_int) :: status
    end function
    function c_sparse_destroy(sparse) result(status) bind(C, name="hlc_sparse_destroy")
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: sparse
      integer(c_int) :: status
    end function
    function c_exchange_create(context, spec, exchange) result(status) bind(C, name="hlc_exchange_create")
      import :: c_exchange_spec, c_int, c_ptr
      type(c_ptr), value :: context
      type(c_exchange_spec), intent(in) :: spec
      type(c_ptr), intent(out) :: exchange
      integer(c_int) :: status
    end function
    function c_exchange_start(exchange) result(status) bind(C, name="hlc_exchange_start")
      import :: c_int, c_ptr
      type(c_ptr), value :: exchange
      integer(c_int) :: status
    end function
    function c_exchange_test(exchange) result(status) bind(C, name="hlc_exchange_test")
      import :: c_int, c_ptr
      type(c_ptr), value :: exchange
      integer(c_int) :: status
    end function
    function c_exchange_finish(exchange) result(status) bind(C, name="hlc_exchange_finish")
      import :: c_int, c_ptr
      type(c_ptr), value :: exchange
      integer(c_int) :: status
    end function
    function c_exchange_destroy(exchange) result(status) bind(C, name="hlc_exchange_destroy")
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: exchange
      integer(c_int) :: status
    end function
    function c_exchange_info(exchange, info) result(status) bind(C, name="hlc_exchange_info")
      import :: c_int, c_ptr, hlc_plan_info
      type(c_ptr), value :: exchange
      type(hlc_plan_info), intent(out) :: info
      integer(c_int) :: status
    end function

    function c_segment_create(context, spec, segment) result(status) bind(C, name="hlc_segment_create")
      import :: c_int, c_ptr, c_segment_spec
      type(c_ptr), value :: context
      type(c_segment_spec), intent(in) :: spec
      type(c_ptr), intent(out) :: segment
      integer(c_int) :: status
    end function
    function c_segment_free(segment) result(status) bind(C, name="hlc_segment_free")
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: segment
      integer(c_int) :: status
    end function
    function c_segment_data(segment) result(data) bind(C, name="hlc_segment_data")
      import :: c_ptr
      type(c_ptr), value :: segment
      type(c_ptr) :: data
    end function
    function c_notify(segment, rank, notification) result(status) bind(C, name="hlc_notify")
      import :: c_int, c_notification, c_ptr
      type(c_ptr), value :: segment
      integer(c_int), value :: rank
      type(c_notification), value :: notification
      integer(c_int) :: status
    end function
    function c_notify_wait(segment, ids, id) result(status) bind(C, name="hlc_notify_wait")
      import :: c_ids, c_int, c_ptr
      type(c_ptr), value :: segment
      type(c_ids), value :: ids
      integer(c_int), intent(inout) :: id
      integer(c_int) :: status
    end function
    function c_notify_test(segment, ids, id) result(status) bind(C, name="hlc_notify_test")
      import :: c_ids, c_int, c_ptr
      type(c_ptr), value :: segment
      type(c_ids), value :: ids
      integer(c_int), intent(inout) :: id
      integer(c_int) :: status
    end function
    function c_notify_reset(segment, id, value) result(status) bind(C, name="hlc_notify_reset")
      import :: c_int, c_int32_t, c_ptr
      type(c_ptr), value :: segment
      integer(c_int), value :: id
      integer(c_int32_t), intent(inout) :: value
      integer(c_int) :: status
    end function
    function c_atomic_fetch_add(at, number, value, old) result(status) bind(C, name="hlc_atomic_fetch_add")
      import :: c_int, c_int64_t, c_ptr, c_target
      type(c_target), value :: at
      integer(c_int), value :: number
      integer(c_int64_t), value :: value
      integer(c_int64_t), intent(inout) :: old
      integer(c_int) :: status
    end function
    function c_atomic_swap(at, number, value, old) result(status) bind(C, name="hlc_atomic_swap")
      import :: c_int, c_int64_t, c_ptr, c_target
      type(c_target), value :: at
      integer(c_int), value :: number
      integer(c_int64_t), value :: value
      integer(c_int64_t), intent(inout) :: old
      integer(c_int) :: status
    end function
    function c_atomic_compare_swap(at, number, expected, value, old) result(status) bind(C, name="hlc_atomic_compare_swap")
      import :: c_int, c_int64_t, c_ptr, c_target
      type(c_target), value :: at
      integer(c_int), value :: number
      integer(c_int64_t), value :: expected, value
      integer(c_int64_t), intent(inout) :: old
      integer(c_int) :: status
    end function
    function c_flush(segment, rank) result(status) bind(C, name="hlc_flush")
      import :: c_int, c_ptr
      type(c_ptr), value :: segment
      integer(c_int), value :: rank
      integer(c_int) :: status
    end function
    function c_flush_all(segment) result(status) bind(C, name="hlc_flush_all")
      import :: c_int, c_ptr
      type(c_ptr), value :: segment
      integer(c_int) :: status
    end function
    function c_flush_local(segment, rank) result(status) bind(C, name="hlc_flush_local")
      import :: c_int, c_ptr
      type(c_ptr), value :: segment
      integer(c_int), value :: rank
      integer(c_int) :: status
    end function
    function c_flush_local_all(segment) result(status) bind(C, name="hlc_flush_local_all")
      import :: c_int, c_ptr
      type(c_ptr), value :: segment
      integer(c_int) :: status
    end function
    function c_barrier(segment) result(status) bind(C, name="hlc_barrier")
      import :: c_int, c_ptr
      type(c_ptr), value :: segment
      integer(c_int) :: status
    end function
  end interface
end module halocline_c
