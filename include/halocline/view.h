/*
 * Views: the cells around a block where they lie, for solvers that read them there instead of in a halo ("0-copy"), and rows of cells over
 * them, for stencils whose innermost loop has no branch. Part of the C API; halocline.h includes it.
 *
 *     hlc_halo_start(now, NULL);
 *     hlc_halo_finish_views(now);
 *     hlc_halo_views(now, 0, views);
 *     hlc_for_rows(&rows, my_stencil, &next_field);    reads now and what is around it, writes next
 *     ... the same with the two exchanged: the next start gives the views back
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
 * A box of cells that lies in one direction of a block, as it would lie in its halo: cell (i0, i1, ...), 0 <= i_d < count[d], is at
 * data + sum(i_d * stride_bytes[d]). It is read, never written.
 */
typedef struct hlc_view {
  const void *data;                      /**< the cell with the lowest coordinates; NULL: nothing is known of these cells */
  int64_t count[HLC_MAX_DIMS];           /**< cells along each dimension, 1 in unused ones */
  int64_t stride_bytes[HLC_MAX_DIMS];    /**< bytes between neighbouring cells */
  int rank; /**< whose cells they are; HLC_NO_NEIGHBOUR: of nobody, these are my own halo cells as I left them */
} hlc_view;

/**
 * Completes a swap as hlc_halo_finish does, but in mode view it copies nothing: until the next hlc_halo_start of this halo, hlc_halo_release or
 * hlc_halo_finalise, the cells around the block are read through hlc_halo_views, and the halo cells of the array are left as they were. A
 * neighbour of the same node whose fields are from hlc_field_alloc shows its own interior; of all others the receive buffer is shown. Because
 * they read mine meanwhile, the interior of the swapped fields must not be written before hlc_halo_release, or the finish of the next
 * swap of this halo (which may swap another field: two fields in turn need no release). In all other modes, in a reverse swap, where the halo is
 * deeper than the block (cells occur in it twice) and with HALOCLINE_CHECK=1 it is hlc_halo_finish, and views show the halo: programs that read through views run in every mode, and
 * programs that know nothing of views run in mode view. Errors as hlc_halo_finish.
 */
HLC_NODISCARD HLC_API hlc_status hlc_halo_finish_views(hlc_halo *halo);

/**
 * Gives the views back, and waits until all neighbours have given back those of my interior, which may be written again then. Collective over
 * neighbours: each of them has to start its next swap of this halo, or call this. HLC_OK at once where no views are out. Errors as hlc_halo_finish;
 * HLC_ERR_STATE while a swap is in flight.
 */
HLC_NODISCARD HLC_API hlc_status hlc_halo_release(hlc_halo *halo);

/**
 * Fills views[HLC_DIRECTIONS(ndims)] for one field of the halo: around the block, and in the middle (v = 0) the block itself. Addresses change
 * from swap to swap: ask after each finish. Between hlc_halo_finish_views and the next start or release, data is NULL where the last swap did not
 * move these cells (another field, another direction, or one that the spec's fills leave out). At all other times views show my own halo cells, which in mode view hold only what the
 * last hlc_halo_finish put there, whatever rank says. Directions without
 * a neighbour, and the corners of a star stencil, show my own halo cells. Local. HLC_ERR_ARGUMENT (field, views NULL), HLC_ERR_STATE while a
 * swap is in flight.
 */
HLC_NODISCARD HLC_API hlc_status hlc_halo_views(const hlc_halo *halo, int field, hlc_view *views);

/** What hlc_for_rows walks over. Zero-initialise it. */
typedef struct hlc_rows_spec {
  int ndims; /**< 1 to HLC_MAX_DIMS */
  int dim; /**< the dimension along which rows run: where the cells of all views are contiguous */
  const hlc_view *views; /**< HLC_DIRECTIONS(ndims) of them, from hlc_halo_views or by hand */
  size_t element_bytes; /**< of a cell */
  hlc_stencil stencil; /**< star: of rows offset in a dimension other than dim only those offset in one, and nothing beyond their ends */
  int64_t reach[HLC_MAX_DIMS]; /**< how far the stencil reads along each dimension, to both sides: at most the views' depth */
} hlc_rows_spec;

/**
 * A piece of a row of the block, and the rows around it. cells[k] points to the first cell of row k; of each of them the cells from -reach[dim]
 * to count - 1 + reach[dim] may be read (in a star, of rows but the middle one those from 0 to count - 1). Row k is offset by o_d in the
 * dimensions d other than dim: with these dimensions in ascending order, k counts (o_d + reach[d]) with the first of them fastest. The
 * middle one is the piece itself. NULL: a row of which not all is
 * known (a view is NULL or empty), or that a star does not read.
 */
typedef struct hlc_row {
  int64_t first[HLC_MAX_DIMS]; /**< the piece's first cell, counted from 0 in the block */
  int64_t count; /**< cells of the piece */
  const void *const *cells; /**< prod(2 reach[d] + 1), d other than dim */
} hlc_row;

/** Computes the cells of one piece of a row. row and what it points to are gone when it returns. */
typedef void (*hlc_row_fn)(const hlc_row *row, void *user);

/**
 * Calls body for pieces that make up the whole block, each cell once, rows in ascending order with the lowest dimension other than dim
 * fastest. Pieces are whole rows where the cells beyond both ends lie beside the row; else the row's inner part, and its two ends, which are shown
 * from a copy together with the cells beyond them (which is why cells are read here and results written elsewhere). Local; allocates nothing; any thread.
 * HLC_ERR_ARGUMENT names what is wrong: spec, views or body NULL, ndims or dim out of range, cells that are not contiguous along dim, a
 * reach below 0 or above the depth of a view that has cells, views along dim that are NULL or empty though reach is not 0 there, more than 343 rows around a row, or 64 KiB of their ends. Source: Simmendinger et al., section 3.3.
 */
HLC_NODISCARD HLC_API hlc_status hlc_for_rows(const hlc_rows_spec *spec, hlc_row_fn body, void *user);

#ifdef __cplusplus
}
#endif

#endif
