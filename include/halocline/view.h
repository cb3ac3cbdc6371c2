/*
 * Views: the cells around a block, in place, for solvers that read them there instead of in a halo ("0-copy"). Rows of cells over views,
 * for stencils whose innermost loop has no branch. Part of the C API; halocline.h includes it.
 *
 *     hlc_halo_start(now, NULL);
 *     hlc_halo_finish_views(now);
 *     hlc_halo_views(now, 0, views);
 *     hlc_for_rows(&rows, my_stencil, &next_field);    reads now and what is around it, writes next
 *     ... the same with the two exchanged: the next start releases the views
 *
 * Source: Simmendinger et al., section 3.3, figure 4, and section 4.3.1 (0-copy).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HALOCLINE_VIEW_H
#define HALOCLINE_VIEW_H

#include <halocline/halocline.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A box of cells in one direction of a block, arranged as in its halo. Cell (i0, i1, ...), 0 <= i_d < count[d], is at data + sum(i_d *
 * stride_bytes[d]). It is read, never written.
 */
typedef struct hlc_view {
  const void *data;                      /**< the cell with the lowest coordinates; NULL: these cells are not known */
  int64_t count[HLC_MAX_DIMS];           /**< cells along each dimension, 1 in unused ones */
  int64_t stride_bytes[HLC_MAX_DIMS];    /**< bytes between neighbouring cells */
  int rank; /**< owner of the cells; HLC_NO_NEIGHBOUR: no owner, these are my own halo cells as I left them */
} hlc_view;

/**
 * Completes a swap as hlc_halo_finish does, but in mode view it copies nothing. The cells around the block are then read through
 * hlc_halo_views, and the halo cells of the array are left as they were. This holds until the next hlc_halo_start of this halo,
 * hlc_halo_release or hlc_halo_finalise. For a neighbour of the same node whose fields are from hlc_field_alloc, a view shows its interior.
 * For all others it shows the receive buffer. Neighbours read my interior meanwhile. So the swapped fields must not be written there before
 * hlc_halo_release, or the finish of the next swap of this halo. That swap may be of another field: two fields in turn need no release. It
 * acts as hlc_halo_finish, and views show the halo, in these cases: in all other modes, in a reverse swap, and with HALOCLINE_CHECK=1. So
 * it does where the halo is deeper than the block, because cells occur in it twice. In mode auto, the default, it does one or the other,
 * from swap to swap. Programs that read through views therefore run in every mode. Programs that do not use views run in mode view. A
 * reverse swap cannot start while views are out, which is HLC_ERR_STATE: release them first, in every mode.
 *
 * Errors as hlc_halo_finish.
 */
HLC_NODISCARD HLC_API hlc_status hlc_halo_finish_views(hlc_halo *halo);

/**
 * Releases the views, and waits until all neighbours have released those of my interior, which may be written again then. Collective over
 * neighbours: each of them must start its next swap of this halo, call this, or call hlc_halo_finalise. Returns HLC_OK at once where there
 * are no views. Errors as hlc_halo_finish; HLC_ERR_STATE while a swap is outstanding.
 */
HLC_NODISCARD HLC_API hlc_status hlc_halo_release(hlc_halo *halo);

/**
 * Fills views[HLC_DIRECTIONS(ndims)] for one field of the halo: around the block, and in the middle (v = 0) the block itself. Addresses
 * change from swap to swap: call this after each finish. Between hlc_halo_finish_views and the next start or release, data is NULL where
 * the last swap did not move these cells. They may be of another field, of another direction, or left out by the spec's fills. At all other
 * times views show my own halo cells, for any value of rank. In mode view these hold only what the last hlc_halo_finish put there.
 * Directions without a neighbour, and the corners of a star stencil, show my own halo cells. Local. HLC_ERR_ARGUMENT (field, views NULL),
 * HLC_ERR_STATE while a swap is outstanding.
 */
HLC_NODISCARD HLC_API hlc_status hlc_halo_views(const hlc_halo *halo, int field, hlc_view *views);

/** The cells that hlc_for_rows visits. Zero-initialise it. */
typedef struct hlc_rows_spec {
  int ndims; /**< 1 to HLC_MAX_DIMS */
  int dim; /**< the dimension along which rows run: where the cells of all views are contiguous */
  const hlc_view *views; /**< HLC_DIRECTIONS(ndims) of them, from hlc_halo_views or by hand */
  size_t element_bytes; /**< of a cell */
  hlc_stencil stencil; /**< star: of the rows offset in dimensions other than dim, only those offset in one; nothing beyond their ends */
  int64_t reach[HLC_MAX_DIMS]; /**< how far the stencil reads along each dimension, to both sides: at most the views' depth */
} hlc_rows_spec;

/**
 * A piece of a row of the block, and the rows around it. cells[k] points to the first cell of row k. Of each row the cells from -reach[dim]
 * to count - 1 + reach[dim] may be read. In a star, only those from 0 to count - 1 of rows other than the middle one may be read. Row k is
 * offset by o_d in the dimensions d other than dim. With these dimensions in ascending order, k counts (o_d + reach[d]) with the first of
 * them fastest. The middle one is the piece itself. NULL: a row that is not completely known (a view is NULL or empty), or that a star does
 * not read.
 */
typedef struct hlc_row {
  int64_t first[HLC_MAX_DIMS]; /**< the piece's first cell, counted from 0 in the block */
  int64_t count; /**< cells of the piece */
  const void *const *cells; /**< prod(2 reach[d] + 1), d other than dim */
} hlc_row;

/** Computes the cells of one piece of a row. row and what it points to are invalid after it returns. */
typedef void (*hlc_row_fn)(const hlc_row *row, void *user);

/**
 * Calls body for pieces that make up the whole block, each cell once, rows in ascending order with the lowest dimension other than dim
 * fastest. A piece is a whole row where the cells beyond both ends are contiguous with the row. Otherwise pieces are the row's inner part
 * and its two ends. The ends are shown from a copy together with the cells beyond them. Therefore cells are read here and results are
 * written elsewhere. Local; allocates nothing; any thread.
 *
 * HLC_ERR_ARGUMENT names what is wrong. For spec: spec, views or body NULL, ndims or dim out of range. For views: cells that are not
 * contiguous along dim; NULL or empty views along dim though reach is not 0 there. For reach: below 0, or above the depth of a view that
 * has cells. For size: more than 343 rows around a row, or 64 KiB of their ends.
 *
 * Source: Simmendinger et al., section 3.3.
 */
HLC_NODISCARD HLC_API hlc_status hlc_for_rows(const hlc_rows_spec *spec, hlc_row_fn body, void *user);

#ifdef __cplusplus
}
#endif

#endif
