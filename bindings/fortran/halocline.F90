! SPDX-License-Identifier: BSD-3-Clause
!> Halocline for Fortran: halo swaps, exchanges, one-sided operations and reductions over the C API. This module gathers the public
!> names; each is described where it is written. Every subroutine takes an optional last argument status. With it the call reports
!> (HLC_OK, HLC_ERR_...). Without it an error is printed with its rank to error_unit and stops the program.
module halocline
  use halocline_c, only: &
    HLC_MAX_DIMS, HLC_NO_NEIGHBOUR, HLC_MAX_NOTIFICATIONS, &
    HLC_OK, HLC_AGAIN, HLC_ERR_ARGUMENT, HLC_ERR_STATE, HLC_ERR_MEMORY, HLC_ERR_MISMATCH, HLC_ERR_TIMEOUT, HLC_ERR_PEER_DIED, &
    HLC_ERR_MPI, HLC_ERR_UNSUPPORTED, HLC_ERR_RULE, HLC_ERR_DEVICE, &
    HLC_MODE_DEFAULT, HLC_MODE_P2P, HLC_MODE_NEIGHBOR, HLC_MODE_FENCE, HLC_MODE_PSCW, HLC_MODE_PASSIVE, HLC_MODE_PASSIVE_NAIVE, &
    HLC_MODE_NOTIFY, HLC_MODE_DIRECT, HLC_MODE_VIEW, HLC_MODE_NOTIFY_NODE, HLC_MODE_AUTO, HLC_MODE_COUNT, &
    HLC_FORMAT_TEXT, HLC_FORMAT_JSON, &
    HLC_EPOCH_DEFAULT, HLC_EPOCH_EARLY, HLC_EPOCH_LATE, HLC_DRIVE_DEFAULT, HLC_DRIVE_PUT, HLC_DRIVE_GET, &
    HLC_STENCIL_BOX, HLC_STENCIL_STAR, HLC_SIDE_BOTH, HLC_SIDE_LOW, HLC_SIDE_HIGH, &
    HLC_OPAQUE, HLC_FLOAT32, HLC_FLOAT64, HLC_INT32, HLC_INT64, HLC_COMPLEX64, HLC_COMPLEX128, &
    HLC_ROW_MAJOR, HLC_COLUMN_MAJOR, HLC_CENTRED, HLC_NODES_SHARED, HLC_NODES_OWNED, &
    HLC_MEMORY_HOST, HLC_MEMORY_DEVICE, &
    HLC_REDUCE_SUM, HLC_REDUCE_MIN, HLC_REDUCE_MAX, HLC_REDUCE_USER, &
    HLC_OP_SUM, HLC_OP_MIN, HLC_OP_MAX, HLC_OP_PROD, HLC_OP_BAND, HLC_OP_BOR, HLC_OP_BXOR, HLC_OP_REPLACE, HLC_OP_READ, &
    hlc_context_info_t, hlc_grid, hlc_placement, hlc_plan_info, hlc_neighbour, hlc_sparse_message
  use halocline_errors, only: hlc_status_name, hlc_error_message, hlc_mode_name, hlc_mode_from_name, hlc_version
  use halocline_context, only: hlc_context, hlc_init, hlc_finalise, hlc_context_info, hlc_context_network, &
    hlc_grid_create, hlc_grid_reorder, hlc_grid_rank
  use halocline_fields, only: hlc_field, hlc_field_of, hlc_shaped, hlc_field_alloc, hlc_field_free
  use halocline_halo, only: hlc_halo, hlc_halo_init, hlc_halo_start, hlc_halo_start_with, hlc_halo_start_on, hlc_halo_test, &
    hlc_halo_finish, hlc_halo_finish_on, hlc_halo_finalise, hlc_halo_info, hlc_halo_explain
  use halocline_views, only: hlc_halo_finish_views, hlc_halo_release, hlc_halo_view
  use halocline_rows, only: hlc_for_rows, hlc_row, hlc_row_body, hlc_row_cells
  use halocline_exchange, only: hlc_exchange, hlc_pack, hlc_unpack, hlc_exchange_create, hlc_exchange_start, hlc_exchange_test, &
    hlc_exchange_finish, hlc_exchange_destroy, hlc_exchange_info
  use halocline_blocks, only: hlc_box, hlc_blocks, hlc_blocks_init, hlc_blocks_start, hlc_blocks_start_on, hlc_blocks_test, &
    hlc_blocks_finish, hlc_blocks_finish_on, hlc_blocks_start_part, hlc_blocks_finish_part, hlc_blocks_finalise, hlc_blocks_info
  use halocline_index, only: hlc_index_neighbour, hlc_index_halo, hlc_index_run, hlc_index_halo_init, hlc_index_halo_start, &
    hlc_index_halo_start_on, hlc_index_halo_test, hlc_index_halo_finish, hlc_index_halo_finish_on, hlc_index_halo_finish_views, &
    hlc_index_halo_release, hlc_index_halo_view, hlc_index_halo_finalise, hlc_index_halo_info
  use halocline_segment, only: hlc_segment, hlc_segment_info_t, hlc_block, hlc_segment_create, hlc_segment_free, hlc_segment_data, &
    hlc_segment_info, hlc_put, hlc_get, hlc_put_strided, hlc_get_strided, hlc_put_notify, hlc_notify, hlc_notify_wait, &
    hlc_notify_test, hlc_notify_reset, hlc_atomic_fetch_add, hlc_atomic_swap, hlc_atomic_compare_swap, hlc_fetch_op, &
    hlc_accumulate, hlc_flush, hlc_flush_all, hlc_flush_local, hlc_flush_local_all, hlc_barrier
  use halocline_sparse, only: hlc_sparse, hlc_sparse_receive, hlc_sparse_create, hlc_sparse_start, hlc_sparse_test, &
    hlc_sparse_finish, hlc_sparse_exchange, hlc_sparse_destroy
  use halocline_reduce, only: hlc_allreduce, hlc_allreduce_info_t, hlc_reduce, hlc_allreduce_create, hlc_allreduce_run, &
    hlc_allreduce_in_place, hlc_allreduce_destroy, hlc_allreduce_info
  implicit none
  public
end module halocline
