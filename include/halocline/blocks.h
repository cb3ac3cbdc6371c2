/*
 * Blocks: halo swaps of any set of boxes. A rank may have several blocks or none, of any sizes, anywhere in the domain. Neighbouring blocks
 * are found by intersecting their boxes. Blocks of one rank copy from each other without a message. Part of the C API; halocline.h includes
 * it.
 *
 *     hlc_blocks_init(context, &spec, &blocks);
 *     hlc_blocks_start(blocks, NULL);              or, in each of spec.parts threads, hlc_blocks_start_part(blocks, part, NULL)
 *     hlc_blocks_finish(blocks);                   and hlc_blocks_finish_part(blocks, part)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HALOCLINE_BLOCKS_H
#define HALOCLINE_BLOCKS_H

#include <halocline/halocline.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A planned swap of boxes: hlc_blocks_init. */
typedef struct hlc_blocks hlc_blocks;

/** A box of cells of the domain that a rank owns. Zero-initialise it. */
typedef struct hlc_box {
  int64_t start[HLC_MAX_DIMS]; /**< its first cell in the domain (0-based) */
  int64_t count[HLC_MAX_DIMS]; /**< its cells along each dimension, 1 or more, without halo */
  int64_t id;                  /**< its name in messages; any number */
  int part; /**< the thread that drives it in hlc_blocks_start_part: 0 to spec.parts - 1 */
} hlc_box;

/** Everything that hlc_blocks_init needs. Zero-initialise it; the zero of every enum but layout is a sensible default. */
typedef struct hlc_blocks_spec {
  int ndims;                       /**< 1 to HLC_MAX_DIMS */
  int64_t global[HLC_MAX_DIMS];    /**< cells of the whole domain */
  int periodic[HLC_MAX_DIMS];      /**< 1: the sides of this dimension are joined; 0: they are open */
  int64_t depth_low[HLC_MAX_DIMS]; /**< halo cells on the low side of each dimension, 0 or more; they may reach beyond the next block */
  int64_t depth_high[HLC_MAX_DIMS]; /**< halo cells on the high side */
  hlc_stencil stencil; /**< which neighbours are filled: star or box */
  hlc_layout layout;               /**< of fields without strides, which need it in two or more dimensions, as for hlc_halo_init */
  int nblocks;                     /**< of this rank; 0 is allowed */
  const hlc_box *blocks;         /**< copied */
  int nfields;                     /**< 1 or more, the same on all ranks */
  const hlc_field
      *fields; /**< nblocks x nfields of them: field f of block b is fields[b * nfields + f]. Each is an array of the block's cells
                                and its halo, as for hlc_halo_init. Copied; the data must stay where they are until finalise */
  int parts;                       /**< threads that drive a swap together; 0: 1 */
  hlc_mode mode;                   /**< view is as direct: there are no views of blocks */
  hlc_epoch epoch; /**< of modes fence and pscw */
  hlc_drive drive; /**< of mode fence */
  const hlc_field_shape *shapes; /**< NULL: every field is in the cells, with the spec's depths. Else nfields entries, copied; see
                                      hlc_blocks_init */
} hlc_blocks_spec;

/**
 * Plans swaps of blocks. A halo cell is filled from the block that owns this cell of the domain, wrapped where periodic, as often as the
 * depth requires. A rank may own all of these blocks, some, or none. A star stencil fills only the cells beside the block in one dimension.
 * Cells that no block owns may be part of the domain (masked cells): the halo there is left unchanged. Two ranks exchange one message. In
 * modes direct, view and notify_node, fields of ranks of a node are read in place, if all blocks of both ranks are from hlc_field_alloc, or
 * each field of both ranks is so in all blocks, or in a device's memory in all of them.
 * Blocks of one rank copy from each other in every mode and memory. Collective over the context. The spec is the same on all ranks except
 * for blocks, parts, and fields' data and strides, which may have other orders of dimensions on other ranks. The names of the fields of each rank's first block are compared, so that plans made in
 * different orders return HLC_ERR_MISMATCH. A rank without blocks has no names to compare. During the call each node holds the boxes of all
 * ranks once. That takes 72 bytes per block, for as many blocks per rank as the largest rank has. Afterwards a rank stores its neighbours
 * only.
 *
 * shapes. Fields on cells, nodes and faces are swapped together, in arrays as hlc_halo_init describes them, with any depths. Each halo value
 * goes with one halo cell, and the block that owns this cell fills it. Of HLC_NODES_OWNED that is the cell above the node. Only the last
 * node of an open dimension goes with the cell below it, and belongs to that cell's block. Of HLC_NODES_SHARED it is the cell of which the
 * node is the far end, seen from the block. Beside the block, along the other dimensions, it is the cell above the node, and for the block's
 * last node the cell below. A block computes all nodes of its own cells; a swap leaves them as they are. Where no block owns the cell, the
 * value is left unchanged, also if another block has the node. So an owned node below a masked cell belongs to the block below. A reverse
 * swap adds each halo value to the block that fills it. A rank without blocks may leave shapes NULL.
 *
 * Errors, the same on all ranks: HLC_ERR_ARGUMENT, HLC_ERR_MISMATCH, HLC_ERR_MEMORY, HLC_ERR_MPI, HLC_ERR_TIMEOUT, HLC_ERR_PEER_DIED;
 * HLC_ERR_UNSUPPORTED (several parts without MPI_THREAD_SERIALIZED). HLC_ERR_ARGUMENT names the argument, the rank and its value; of blocks
 * that overlap it names both owners, and of fields of one block that overlap both fields. Arrays of different blocks are not compared,
 * except that no two may begin at the same address.
 */
HLC_NODISCARD HLC_API hlc_status hlc_blocks_init(hlc_context *context, const hlc_blocks_spec *spec, hlc_blocks **blocks);

/**
 * Starts one swap of all blocks of this rank (what NULL: all fields). Of hlc_swap, only fields, reverse and depth are used. one_dim, and a
 * side other than HLC_SIDE_BOTH with or without it, are HLC_ERR_UNSUPPORTED. The rules are those of hlc_halo_start. Owned nodes of the block
 * above are swapped at any depth. It waits only where that does, and all ranks start the same swaps in the same order. From here until
 * finish the cells that neighbours need may be read but not written, and the halos neither read nor written. Allocates nothing. One thread
 * at a time.
 *
 * HALOCLINE_CHECK=1 compares the swaps that ranks start, and a sum of each message. It does not look at the cells of blocks, as it does at
 * those of a halo: it finds no halo that is read, and no cell that is written, between start and finish.
 */
HLC_NODISCARD HLC_API hlc_status hlc_blocks_start(hlc_blocks *blocks, const hlc_swap *what);
/**
 * As hlc_blocks_start, of arrays in the memory of a CUDA device, after the work that the program has given to `stream`. As hlc_halo_start_on:
 * neighbours of this node may read such arrays in place until the swap is finished. A rank without such arrays ignores the stream. Memory of
 * a device may be freed once hlc_blocks_finalise has returned.
 * If it fails this rank has started nothing, and may start the swap again: its neighbours wait for it.
 */
HLC_NODISCARD HLC_API hlc_status hlc_blocks_start_on(hlc_blocks *blocks, const hlc_swap *what, void *stream);
/** Advances the swap without waiting; as hlc_halo_test. HLC_ERR_STATE for a swap that hlc_blocks_start has not started. */
HLC_NODISCARD HLC_API hlc_status hlc_blocks_test(hlc_blocks *blocks);
/** Completes a swap started by hlc_blocks_start: all halos are filled, all cells may be written again. As hlc_halo_finish. */
HLC_NODISCARD HLC_API hlc_status hlc_blocks_finish(hlc_blocks *blocks);
/** As hlc_blocks_finish, but work that the program gives to `stream` from now on follows the last copies. As hlc_halo_finish_on. */
HLC_NODISCARD HLC_API hlc_status hlc_blocks_finish_on(hlc_blocks *blocks, void *stream);

/**
 * Starts a swap by several threads: each of spec.parts threads calls it once per swap, with a part of its own and the same what. It
 * declares the blocks of this part ready; the last of the calls sends. Returns at once, except for the last call, which acts as
 * hlc_blocks_start. Any thread may be any part, one thread per part at a time. The other rules apply to the blocks of the part from this
 * call on. If another part has requested something else, HLC_ERR_MISMATCH for this and all calls of the swap; the blocks can then only be
 * finalised.
 */
HLC_NODISCARD HLC_API hlc_status hlc_blocks_start_part(hlc_blocks *blocks, int part, const hlc_swap *what);
/**
 * Completes a swap for one part: waits until all parts have started and all of this rank's blocks have what they need. When it returns, the
 * halos of this part's blocks are filled and its cells may be written again. The threads that wait in it share the copies, each beginning
 * with its own part. A thread that arrives late finds the swap complete. So a part waits for the start of the other parts, but not for
 * their finish. One thread copies a reverse swap. Errors as hlc_blocks_finish, the same for all parts; HLC_ERR_TIMEOUT also names parts
 * that were not started within HALOCLINE_TIMEOUT.
 */
HLC_NODISCARD HLC_API hlc_status hlc_blocks_finish_part(hlc_blocks *blocks, int part);

/** Releases blocks and sets *blocks to NULL; NULL is fine. Collective; as hlc_halo_finalise. No thread may be in another call with them. */
HLC_NODISCARD HLC_API hlc_status hlc_blocks_finalise(hlc_blocks **blocks);
/** Fills *info: neighbours are ranks, self_copies are boxes copied between blocks of this rank. Local. */
HLC_NODISCARD HLC_API hlc_status hlc_blocks_info(const hlc_blocks *blocks, hlc_plan_info *info);
/** Explains the mode. As hlc_halo_explain. */
HLC_NODISCARD HLC_API hlc_status hlc_blocks_explain(const hlc_blocks *blocks, hlc_format format, char *buffer, size_t size, size_t *length);

#ifdef __cplusplus
}
#endif

#endif
