/*
 * Halo swaps of unstructured meshes. Each rank lists which of its entries (cells, nodes, edges, degrees of freedom) a neighbour needs, and
 * which it gets from that neighbour. Part of the C API; halocline.h includes it.
 *
 *     hlc_index_halo_init(context, &spec, &halo);      once
 *     hlc_index_halo_start(halo, NULL);                owners' values of this moment ...
 *     hlc_index_halo_finish(halo);                     ... are in the ghosts
 *     hlc_index_halo_start(halo, &reverse);            what was computed in ghosts ...
 *     hlc_index_halo_finish(halo);                     ... has been added to the owners' entries
 *
 * A field is an array of entries, owned ones and ghosts in any order, each of one or several components. Finite-element assembly is a
 * reverse swap, followed by a forward one if the ghosts are to hold the sums as well.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HALOCLINE_INDEX_HALO_H
#define HALOCLINE_INDEX_HALO_H

#include <halocline/halocline.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A planned swap of lists of entries: hlc_index_halo_init. */
typedef struct hlc_index_halo hlc_index_halo;

/**
 * The lists that this rank shares with one neighbour. Entry k of my out list fills entry k of the in list at the other end, and vice versa.
 * A rank may appear several times, and may be the caller itself. Lists with (rank b, tag_out s, tag_in t) of rank a are joined to those
 * with (rank a, tag_out t, tag_in s) of rank b. One neighbour, one pair of lists: leave both tags 0. Two sides that face the same rank, as
 * in a periodic ring of 1 or 2 ranks: give each side a number. tag_out is the number of this side, and tag_in that of the side it faces.
 * Two lists for one rank with the same tag_out, or the same tag_in, are HLC_ERR_ARGUMENT: their order alone would not tell which is which.
 */
typedef struct hlc_index_neighbour {
  int rank; /**< in the context's communicator */
  int tag_out, tag_in; /**< 0 or more */
  int64_t nout; /**< entries that the neighbour needs of mine; must be nin at the other end */
  const int64_t
      *out; /**< their local indices, counted from 0, in any order; an index may be listed several times. May be NULL if nout is 0 */
  int64_t nin; /**< entries that I get from the neighbour */
  const int64_t *in; /**< their local indices: ghosts, each in one in list only, once, and in no out list */
} hlc_index_neighbour;

/** One field: entry i begins at data + i * entry_stride_bytes. Its component c is component_stride_bytes * c further. */
typedef struct hlc_index_field {
  void *data; /**< entry 0; NULL only if the rank has no entries */
  hlc_type type; /**< of a component */
  size_t element_bytes; /**< of a component; needed for HLC_OPAQUE, else 0 or the type's own size */
  int64_t components; /**< per entry; 0 counts as 1 */
  int64_t entry_stride_bytes; /**< 0: entries side by side, each with all its components, or those of one block */
  int64_t component_stride_bytes; /**< 0: components side by side (u[entry][component] in C); else bytes of a block (u[component][entry]) */
  const char *name; /**< for messages; may be NULL */
} hlc_index_field;

/** Everything that hlc_index_halo_init needs. Zero-initialise it. The lists and the structs are copied. */
typedef struct hlc_index_halo_spec {
  int64_t nentries; /**< entries of each field on this rank, ghosts included; indices are 0 to nentries - 1 */
  int nneighbours; /**< 0 or more */
  const hlc_index_neighbour *neighbours; /**< copied, with their lists */
  int nfields; /**< 1 or more */
  const hlc_index_field *fields; /**< the data must stay where they are until finalise */
  hlc_mode mode; /**< 0: HALOCLINE_MODE, else auto */
  hlc_epoch epoch; /**< of modes fence and pscw */
  hlc_drive drive; /**< of mode fence */
} hlc_index_halo_spec;

/** What one swap moves. Zero: all fields, from owners to ghosts. */
typedef struct hlc_index_swap {
  int nfields; /**< 0: all fields of the halo */
  const int *fields; /**< indices of the fields, strictly ascending */
  int reverse; /**< 1: ghosts are added to their owners' entries, and become 0 */
} hlc_index_swap;

/**
 * Plans swaps of listed entries. Collective over the context. These must be the same on all ranks: number, types, element sizes and
 * components of the fields, mode, epoch and drive. Entries, lists and strides are each rank's own. Modes direct, view and notify_node read
 * directly where both ranks of a link are on one node and have all fields from hlc_field_alloc, or in a device's memory and lists of few
 * or of long runs. The neighbour's lists are fetched here, and
 * each swap copies straight from its array into mine. Runs in the lists are found here; long ones are copied as a whole. Otherwise entries
 * are packed.
 *
 * Errors, the same on all ranks: HLC_ERR_ARGUMENT, HLC_ERR_MISMATCH (names two ranks, and how many entries each expects), HLC_ERR_MEMORY,
 * HLC_ERR_TIMEOUT, HLC_ERR_PEER_DIED, HLC_ERR_MPI, HLC_ERR_UNSUPPORTED. HLC_ERR_ARGUMENT names the argument, its place, value and rank: an
 * index out of range, a ghost filled twice or sent on, equal tags.
 */
HLC_NODISCARD HLC_API hlc_status hlc_index_halo_init(hlc_context *context, const hlc_index_halo_spec *spec, hlc_index_halo **halo);

/**
 * Starts one swap (what NULL: all fields, from owners to ghosts). As hlc_halo_start: from here until finish, entries in out lists may be
 * read but not written, and ghosts neither read nor written. All ranks start the same swaps in the same order. In a reverse swap each rank
 * first adds what it gets from itself. Then it adds the neighbours' ghosts in the order of its list of neighbours, each in the order of the
 * in list. Sums thus have the same bits in every run and every mode. HLC_ERR_UNSUPPORTED for a reverse swap of HLC_OPAQUE fields. Allocates
 * nothing.
 */
HLC_NODISCARD HLC_API hlc_status hlc_index_halo_start(hlc_index_halo *halo, const hlc_index_swap *what);

/**
 * As hlc_index_halo_start, of fields in the memory of a CUDA device, after the work that the program has given to `stream`. As
 * hlc_halo_start_on: neighbours of this node may read such fields in place until the swap is finished. A rank without such fields ignores
 * the stream. Memory of a device may be freed once hlc_index_halo_finalise has returned.
 * If it fails this rank has started nothing, and may start the swap again: its neighbours wait for it.
 */
HLC_NODISCARD HLC_API hlc_status hlc_index_halo_start_on(hlc_index_halo *halo, const hlc_index_swap *what, void *stream);

/** Advances the swap without waiting. As hlc_halo_test. */
HLC_NODISCARD HLC_API hlc_status hlc_index_halo_test(hlc_index_halo *halo);

/**
 * Completes the swap. Every ghost holds its owner's value at the moment of the owner's start, and entries in out lists may be written
 * again. In reverse, every owner's entry has received its ghosts' values. As hlc_halo_finish, errors and HALOCLINE_CHECK=1 included.
 */
HLC_NODISCARD HLC_API hlc_status hlc_index_halo_finish(hlc_index_halo *halo);

/** As hlc_index_halo_finish, but work that the program gives to `stream` from now on follows the last copies. As hlc_halo_finish_on. */
HLC_NODISCARD HLC_API hlc_status hlc_index_halo_finish_on(hlc_index_halo *halo, void *stream);

/** Consecutive values of an in list that are in consecutive entries. */
typedef struct hlc_index_run {
  int64_t place; /**< the entry of the view that holds the first of them */
  int64_t first; /**< its place in the in list, counted from 0 */
  int64_t count; /**< entries of the run */
} hlc_index_run;

/**
 * Location of the values of one in list: an array and runs of entries in it. Value first + i of the list, component c, is at data +
 * (place + i) * entry_stride_bytes + c * component_stride_bytes, 0 <= i < count of the run. Read, never written. The runs are in the order
 * of the in list and cover it; they belong to the halo.
 */
typedef struct hlc_index_view {
  const void *data; /**< NULL: the last swap did not move this field */
  int64_t entry_stride_bytes, component_stride_bytes; /**< of the array */
  int64_t nruns; /**< of the list */
  const hlc_index_run *runs; /**< in the order of the list */
  int rank; /**< owner of these lists */
} hlc_index_view;

/**
 * Completes a swap as hlc_index_halo_finish does, but in mode view it copies nothing. The neighbours' values are then read through
 * hlc_index_halo_view, and the ghosts are left as they were. This holds until the next hlc_index_halo_start of this halo,
 * hlc_index_halo_release or hlc_index_halo_finalise. For a neighbour that is read directly, the view shows its own array, with runs as long
 * as its out list has them. For all others it shows the receive buffer, as one run. Entries in out lists must not be written before
 * hlc_index_halo_release, or the finish of the next swap. In all other modes, in reverse, and with HALOCLINE_CHECK=1 it acts as
 * hlc_index_halo_finish, and views show the ghosts. In mode auto, the default, it does one or the other, from swap to swap. So read through
 * views, and write no entry of an out list before the release. A reverse swap cannot start while views are out, which is HLC_ERR_STATE:
 * release them first, in every mode. Errors as hlc_index_halo_finish.
 */
HLC_NODISCARD HLC_API hlc_status hlc_index_halo_finish_views(hlc_index_halo *halo);

/** Releases the views, and waits until all neighbours have released those of my entries. As hlc_halo_release. */
HLC_NODISCARD HLC_API hlc_status hlc_index_halo_release(hlc_index_halo *halo);

/**
 * Fills *view for one field and one entry of the list of neighbours. Local. The first call for each neighbour searches for runs and
 * allocates. Call it for all once, before the loop, if that matters. HLC_ERR_ARGUMENT, HLC_ERR_MEMORY; HLC_ERR_STATE while a swap is
 * outstanding.
 */
HLC_NODISCARD HLC_API hlc_status hlc_index_halo_view(hlc_index_halo *halo, int field, int neighbour, hlc_index_view *view);

/** Releases a halo and sets *halo to NULL. Collective. As hlc_halo_finalise. */
HLC_NODISCARD HLC_API hlc_status hlc_index_halo_finalise(hlc_index_halo **halo);

/** Fills *info. Local. self_copies counts entries of the list of neighbours that name the caller. */
HLC_NODISCARD HLC_API hlc_status hlc_index_halo_info(const hlc_index_halo *halo, hlc_plan_info *info);
/** Explains the mode. As hlc_halo_explain. */
HLC_NODISCARD HLC_API hlc_status hlc_index_halo_explain(const hlc_index_halo *halo, hlc_format format, char *buffer, size_t size,
                                                        size_t *length);

#ifdef __cplusplus
}
#endif

#endif
