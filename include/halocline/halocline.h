/*
 * Halocline: halo swaps, those of any set of boxes (blocks.h) and of unstructured meshes (index_halo.h), views (view.h), reductions (reduce.h), and the
 * one-sided engine under them (segment.h); this file includes all five.
 * Together they are the whole C API; the
 * C++ header, the Fortran modules and the tools see nothing else. Every function returns an hlc_status; hlc_error_message() has one
 * sentence that names the argument, rank and value.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HALOCLINE_H
#define HALOCLINE_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define HLC_API __attribute__((visibility("default")))
#else
#define HLC_API
#endif

#ifdef __cplusplus
#define HLC_NODISCARD [[nodiscard]]
#define HLC_INT : int /* callers in C may pass any int: to C++ that is a value of the type only with this */
extern "C" {
#else
#define HLC_NODISCARD
#define HLC_INT
#endif

#define HLC_VERSION_MAJOR 0
#define HLC_VERSION_MINOR 1
#define HLC_VERSION_PATCH 0

/** Most dimensions that a grid may have. */
#define HLC_MAX_DIMS 4
/** The rank that stands beyond an open side of a grid. */
#define HLC_NO_NEIGHBOUR (-1)

/** What a call came to. HLC_AGAIN is no error: it says "not yet". */
typedef enum hlc_status HLC_INT {
  HLC_OK = 0,
  HLC_AGAIN = 1,            /**< test: the swap is still under way */
  HLC_ERR_ARGUMENT = 2,     /**< an argument is wrong; the message names it, its value and the rank */
  HLC_ERR_STATE = 3,        /**< the call does not fit: start twice, finish without start, free while in use */
  HLC_ERR_MEMORY = 4,       /**< memory or shared memory ran out */
  HLC_ERR_MISMATCH = 5,     /**< two ranks disagree; the message names both and both values */
  HLC_ERR_TIMEOUT = 6,      /**< a peer did not arrive in time; the message names it */
  HLC_ERR_PEER_DIED = 7,    /**< a process has ended, of this node or one that the network reaches no more; the message names its rank */
  HLC_ERR_MPI = 8,          /**< MPI returned an error; the message has MPI's own text */
  HLC_ERR_UNSUPPORTED = 9,  /**< not possible here; the message says why */
  HLC_ERR_RULE = 10         /**< HALOCLINE_CHECK=1 found a broken rule; the message names rank, field, cell, neighbour and step */
} hlc_status;

/** How the data move. See the table of modes in README.md. */
typedef enum hlc_mode HLC_INT {
  HLC_MODE_DEFAULT = 0,   /**< HALOCLINE_MODE if set, else direct */
  HLC_MODE_P2P,           /**< MPI persistent send and receive, unpacked in order of arrival */
  HLC_MODE_NEIGHBOR,      /**< MPI persistent neighbourhood collective */
  HLC_MODE_FENCE,         /**< MPI_Put (or MPI_Get) between fences */
  HLC_MODE_PSCW,          /**< MPI_Put between post/start and complete/wait */
  HLC_MODE_PASSIVE,       /**< MPI_Put in one lock_all epoch, flush_all, empty messages */
  HLC_MODE_PASSIVE_NAIVE, /**< MPI_Put in a lock_all epoch per swap, non-blocking barrier */
  HLC_MODE_NOTIFY,        /**< packed straight into the neighbour's buffer, with a notification */
  HLC_MODE_DIRECT,        /**< copied once, from the neighbour's interior into my halo */
  HLC_MODE_VIEW, /**< read where it lies, the neighbour's interior or the receive buffer, by hlc_halo_finish_views; else as direct */
  HLC_MODE_NOTIFY_NODE, /**< to other nodes one write per node, for all ranks of both; inside the node as direct */
  HLC_MODE_COUNT_
} hlc_mode;

/** When fence and pscw open an epoch: at the end of the previous finish (early), or in start (late). */
typedef enum hlc_epoch HLC_INT { HLC_EPOCH_DEFAULT = 0, HLC_EPOCH_EARLY, HLC_EPOCH_LATE } hlc_epoch;
/** Who moves the data in mode fence: the origin writes (put), or reads (get, always with late epochs). */
typedef enum hlc_drive HLC_INT { HLC_DRIVE_DEFAULT = 0, HLC_DRIVE_PUT, HLC_DRIVE_GET } hlc_drive;
/** Which neighbours a stencil reads: only across faces (star), or across edges and corners too (box). */
typedef enum hlc_stencil HLC_INT { HLC_STENCIL_BOX = 0, HLC_STENCIL_STAR } hlc_stencil;
/** Default strides: dimension 0 contiguous (column-major, Fortran) or the last one (row-major, C). */
typedef enum hlc_layout HLC_INT { HLC_COLUMN_MAJOR = 0, HLC_ROW_MAJOR } hlc_layout;
/** One or both sides of a dimension. */
typedef enum hlc_side HLC_INT { HLC_SIDE_BOTH = 0, HLC_SIDE_LOW, HLC_SIDE_HIGH } hlc_side;
/** Element types. HLC_OPAQUE is any element of element_bytes bytes: it can be swapped, but not added in a reverse swap. */
typedef enum hlc_type HLC_INT {
  HLC_OPAQUE = 0,
  HLC_FLOAT32,
  HLC_FLOAT64,
  HLC_INT32,
  HLC_INT64,
  HLC_COMPLEX64,
  HLC_COMPLEX128,
} hlc_type;

typedef struct hlc_context hlc_context;
typedef struct hlc_halo hlc_halo;
typedef struct hlc_exchange hlc_exchange;

/* ---------------------------------------------------------------- names and messages */

/** Returns the fixed name of a status ("HLC_ERR_ARGUMENT"). Any thread; never NULL. */
HLC_API const char *hlc_status_name(hlc_status status);
/** Returns one sentence about the last call of this thread that failed, "" if none did. Valid until the thread's next hlc_ call. */
HLC_API const char *hlc_error_message(void);
/** Returns the mode's name as HALOCLINE_MODE takes it ("p2p"), "unknown" for a value that is no mode. Any thread. */
HLC_API const char *hlc_mode_name(hlc_mode mode);
/** Finds a mode by its name. HLC_ERR_ARGUMENT with the nearest name in the message if there is none such. Any thread. */
HLC_NODISCARD HLC_API hlc_status hlc_mode_from_name(const char *name, hlc_mode *mode);
/** Returns the library's version as "major.minor.patch". Any thread. */
HLC_API const char *hlc_version(void);

/* ---------------------------------------------------------------- context */

/**
 * Opens the library for the ranks of a communicator: duplicates it, finds the ranks that share this node's memory, and makes the node's
 * waiting ports. Collective over comm; returns when the context can be used. MPI must be initialised. HALOCLINE_FAKE_NODES=N treats the
 * ranks as N nodes of neighbouring ranks; HALOCLINE_CHECK=1 checks every swap (docs/guide.md). On several nodes each process has
 * a thread once its network is open, which moves data every few milliseconds while nobody of the process calls the library; HALOCLINE_PROGRESS=thread has it do
 * so whenever something comes, =caller has none, and =helper a process per node, which serves the segments of its ranks while they compute; all of
 * them must be the same on all ranks;
 * HALOCLINE_TIMEOUT (seconds, default 300, 0: never) bounds every wait in which the library itself waits, in swaps and in the calls that all
 * ranks make together (those that release and end say their own limits); calls that block inside MPI (windows that are made, fences, late
 * epochs, flushes) cannot be bounded. A collective call that ends with HLC_ERR_TIMEOUT or HLC_ERR_PEER_DIED has lost a rank: the context can
 * then only be finalised, after all that was made from it. The collective calls of a context are made in one order by all ranks: where they
 * cross, HLC_ERR_MISMATCH names two ranks, their calls and their plans, on all ranks, nothing has been made or released, and the context goes on.
 * With MPI_Finalize swaps end: they are HLC_ERR_STATE from then on, and what releases something releases what a rank can release alone, and says
 * HLC_ERR_STATE.
 * Errors, the same on all ranks unless comm or MPI is wrong: HLC_ERR_ARGUMENT (context NULL, comm MPI_COMM_NULL or an inter-communicator),
 * HLC_ERR_STATE (MPI not initialised), HLC_ERR_MEMORY, HLC_ERR_MISMATCH, HLC_ERR_TIMEOUT, HLC_ERR_MPI.
 */
HLC_NODISCARD HLC_API hlc_status hlc_init(MPI_Comm comm, hlc_context **context);

/** As hlc_init, with the communicator as a Fortran integer (MPI_Comm_c2f). */
HLC_NODISCARD HLC_API hlc_status hlc_init_fortran(int comm, hlc_context **context);

/**
 * Closes a context and sets *context to NULL; NULL is fine. Collective. All halos, exchanges, reductions, segments and fields made from it must have been released before:
 * else HLC_ERR_STATE, which says how many live, and the context stays usable. If a rank has died or does not come, HLC_ERR_PEER_DIED or
 * HLC_ERR_TIMEOUT (after twice HALOCLINE_TIMEOUT at most); the context is closed all the same, but its communicators,
 * which MPI can only free collectively, are left as they are.
 */
HLC_NODISCARD HLC_API hlc_status hlc_finalise(hlc_context **context);

/** What a context found. Filled by hlc_context_info. */
typedef struct hlc_context_info_t {
  int rank, size; /**< in the context's communicator */
  int node, nodes; /**< this rank's node and the number of nodes (pretended ones, if so asked) */
  int node_rank, node_size; /**< among the ranks of this node */
  int cores; /**< cores that the ranks of this node may run on together */
} hlc_context_info_t;

/** Fills *info. Local; any thread. */
HLC_NODISCARD HLC_API hlc_status hlc_context_info(const hlc_context *context, hlc_context_info_t *info);

/**
 * Returns one line about what carries data to other nodes in modes notify, direct, view and notify_node, for segments and reductions: the provider and interface that libfabric
 * drives, and who moves it (HALOCLINE_PROGRESS), or the reason why it is MPI, which segments cannot use. The network is opened by the first plan
 * or segment that needs it; until then the line says that none has. HALOCLINE_PROVIDER names a provider of libfabric ("none": MPI carries
 * plans' data), HALOCLINE_INTERFACE an interface or its address. Valid as long as the context; local. NULL for NULL.
 */
HLC_API const char *hlc_context_network(const hlc_context *context);

/* ---------------------------------------------------------------- fields */

/**
 * Allocates memory for a field that every rank of the node can read, as modes direct, view and notify_node need it. Collective over the context; bytes may
 * differ between ranks and may be 0. *data is aligned to a page and filled with zeros, its pages lie on the memory of the calling rank.
 * A field of a halo, index halo or block that begins in it must end in it: HLC_ERR_ARGUMENT of the call that plans the swaps.
 * HLC_ERR_MEMORY on all ranks of the node if shared memory is short on one.
 */
HLC_NODISCARD HLC_API hlc_status hlc_field_alloc(hlc_context *context, size_t bytes, void **data);

/**
 * As hlc_field_alloc, and may stand beside it on other ranks, but takes no page: each lies on the memory of the core that touches it first, as for malloc. So where
 * several threads of a rank compute, let each write what it will compute before anybody else reads or writes it (its zeros, too). It is looked whether
 * shared memory has room for the bytes now; if others take it before the pages are touched, touching one ends the process (SIGBUS), and memory is
 * counted as used only then.
 */
HLC_NODISCARD HLC_API hlc_status hlc_field_alloc_untouched(hlc_context *context, size_t bytes, void **data);

/**
 * Releases memory from hlc_field_alloc and sets *data to NULL; NULL is fine. Local: it does not wait for other ranks. HLC_ERR_STATE while a halo of
 * this rank still uses it or a reduction that is running does, HLC_ERR_ARGUMENT if it is not from hlc_field_alloc.
 */
HLC_NODISCARD HLC_API hlc_status hlc_field_free(hlc_context *context, void **data);

/* ---------------------------------------------------------------- grids */

/** A block decomposition of a grid over the ranks of a context. Make it with hlc_grid_create, or fill it by hand: then zero it first. */
typedef struct hlc_grid {
  int ndims; /**< 1 to HLC_MAX_DIMS */
  int dims[HLC_MAX_DIMS]; /**< ranks along each dimension */
  int periodic[HLC_MAX_DIMS]; /**< 1: the sides of this dimension are joined; 0: they are open */
  int coords[HLC_MAX_DIMS]; /**< this rank's place; unless reordered, the last dimension runs fastest, as in MPI_Cart_create */
  int64_t global[HLC_MAX_DIMS]; /**< cells of the whole grid */
  int64_t start[HLC_MAX_DIMS]; /**< first global cell of this rank's block (0-based) */
  int64_t local[HLC_MAX_DIMS]; /**< cells of this rank's block, without halo */
  int tile[HLC_MAX_DIMS]; /**< reordered: ranks fill tiles with so many places per side, one after the other; else 0 */
  int dealt; /**< reordered: nodes to which the launcher dealt the ranks in turn; 0: node by node */
} hlc_grid;

/**
 * Splits global cells over all ranks of the context. dims[d] > 0 fixes the ranks along d, 0 leaves it free, NULL leaves all free: the
 * split with the smallest block surface is taken. Blocks differ by at most one cell in each dimension. periodic NULL: all open. Local
 * and deterministic: every rank finds the same split, with ranks numbered as by MPI_Cart_create with reorder = 0; hlc_grid_reorder may
 * follow. HLC_ERR_ARGUMENT if no split gives each rank at least one cell, or the fixed dims
 * do not divide the number of ranks.
 */
HLC_NODISCARD HLC_API hlc_status hlc_grid_create(const hlc_context *context, int ndims, const int64_t *global, const int *dims,
                                                 const int *periodic, hlc_grid *grid);

/** The swap that hlc_grid_reorder weighs. All 0: one cell of eight bytes deep on every side, box stencil. */
typedef struct hlc_swap_shape {
  int64_t depth_low[HLC_MAX_DIMS]; /**< as in hlc_halo_spec; if all depths are 0, they are 1 */
  int64_t depth_high[HLC_MAX_DIMS];
  hlc_stencil stencil;
  int64_t cell_bytes; /**< bytes of a cell in all fields together; 0: 8 */
} hlc_swap_shape;

/** What hlc_grid_reorder found. */
typedef struct hlc_placement {
  int64_t bytes; /**< that one swap moves between all ranks, copies of a rank to itself left out */
  int64_t bytes_before; /**< of these between nodes, ranks in MPI_Cart_create's order */
  int64_t bytes_after; /**< of these between nodes, ranks where they are placed now: never more than before */
  int nodes; /**< nodes of the context */
  int node_dims[HLC_MAX_DIMS]; /**< nodes along each dimension, if all hold boxes of the process grid, all alike; else 0 */
} hlc_placement;

/**
 * Gives the ranks other places in a grid from hlc_grid_create, so that as many neighbours as possible share a node: what MPI_Cart_create
 * does with reorder = 1. The ranks keep their numbers and the grid its dims; coords, start and local change, and with them what
 * hlc_grid_rank answers. Call it before anything is stored by coords. Tried are all ways to fill the process grid tile by tile, for ranks
 * that launchers number node by node or deal to the nodes in turn; the bytes of each are counted exactly, and the order of before stays
 * where none is better. shape NULL: as one of zeros. placement may be NULL. Collective over the context, with the same grid and shape on
 * all ranks; 4 bytes per rank of the job are needed meanwhile and none afterwards. Sources: MPI 4.0, section 8.5.1; Gropp, Using node and
 * socket information to implement MPI Cartesian topologies, Parallel Computing 85, 2019; Hoefler and Snir, ICS 2011. Errors, the same on
 * all ranks: HLC_ERR_ARGUMENT (also for blocks that are not those of hlc_grid_create), HLC_ERR_MISMATCH, HLC_ERR_MEMORY, HLC_ERR_TIMEOUT,
 * HLC_ERR_PEER_DIED, HLC_ERR_MPI.
 */
HLC_NODISCARD HLC_API hlc_status hlc_grid_reorder(hlc_context *context, const hlc_swap_shape *shape, hlc_grid *grid,
                                                  hlc_placement *placement);

/** Directions of ndims dimensions, the one in the middle (v = 0) included. Direction v is number sum((v_d + 1) * 3^d). */
#define HLC_DIRECTIONS(ndims) ((ndims) == 1 ? 3 : (ndims) == 2 ? 9 : (ndims) == 3 ? 27 : 81)

/** Returns the rank at coords (wrapped where periodic), HLC_NO_NEIGHBOUR beyond an open side and for a grid without ranks. Local; any thread. */
HLC_API int hlc_grid_rank(const hlc_grid *grid, const int *coords);

/* ---------------------------------------------------------------- halo: structured grids */

/**
 * One field of a halo: an array of local + depth_low + depth_high cells per dimension, of any strides. An array may be wider than what is
 * swapped: data then points to the outermost halo cell that is swapped, and the strides are those of the whole array.
 */
typedef struct hlc_field {
  void *data; /**< the first cell of the array: the outermost low halo cell in every dimension */
  hlc_type type; /**< element type */
  size_t element_bytes; /**< needed for HLC_OPAQUE; else 0 or the type's own size */
  int64_t stride_bytes[HLC_MAX_DIMS]; /**< bytes between neighbouring cells, > 0; all 0: contiguous in the spec's layout */
  const char *name; /**< for messages, the same on all ranks; may be NULL */
} hlc_field;

/** Everything that hlc_halo_init needs. Zero-initialise it; the zero of every enum is a sensible default. */
typedef struct hlc_halo_spec {
  const hlc_grid *grid; /**< copied */
  int64_t
      depth_low[HLC_MAX_DIMS]; /**< halo cells on the low side, 0 or more; above local only where the rank is its own periodic neighbour */
  int64_t depth_high[HLC_MAX_DIMS]; /**< halo cells on the high side */
  hlc_stencil stencil;
  hlc_layout layout; /**< for fields without strides */
  int nfields; /**< 1 or more */
  const hlc_field *fields; /**< copied; the data must stay where they are until finalise */
  const int *neighbours; /**< NULL: from the grid. Else 3^ndims ranks, index sum((v_d + 1) * 3^d), v in {-1,0,1} */
  hlc_mode mode;
  hlc_epoch epoch;
  hlc_drive drive;
  const unsigned char *fills; /**< NULL: every field in every direction. Else nfields * HLC_DIRECTIONS(ndims) entries, see hlc_halo_init */
  const char *name; /**< for messages, the same on all ranks; may be NULL */
  int rebind; /**< 1: swaps may bring other arrays than those of fields, see hlc_halo_start_with; the same on all ranks */
  int staged; /**< 1: one dimension after the other, two messages per dimension, see hlc_halo_init; the same on all ranks */
} hlc_halo_spec;

/** Which part of a halo one swap fills. Zero: everything. */
typedef struct hlc_swap {
  int nfields; /**< 0: all fields of the halo */
  const int *fields; /**< indices of the fields, strictly ascending */
  int one_dim; /**< 1: only the faces of dimension dim are filled, no edges or corners */
  int dim;
  hlc_side side; /**< with one_dim: fill the low halo, the high halo, or both */
  int reverse; /**< 1: the adjoint: halo values are added to the owner's edge, and my halo becomes 0 */
} hlc_swap;

/**
 * Plans halo swaps: finds the neighbours, checks that they agree on sizes and types, allocates the one receive buffer, chooses a route
 * to each neighbour, maps what can be mapped. Collective over the context, with the same spec but for sizes, data and strides.
 * Along a dimension in which the rank is its own periodic neighbour the halo may be deeper than the block: the block is repeated as often as
 * needed, and those cells are copied inside the array. Elsewhere it would need cells of a neighbour's neighbour: HLC_ERR_ARGUMENT.
 * fills[f * HLC_DIRECTIONS(ndims) + v] is 0 where the halo of field f in direction v is neither sent, nor filled, nor (in a reverse swap) added and set
 * to zero; a field whose components move in one direction each (lattice Boltzmann) is described as one field per component, with fills from
 * hlc_fills_moving. Messages in which nothing is left are not sent. Along dimensions in which the halo is deeper than the block, a direction
 * that is filled needs the same direction without them to be filled, too. Source: Brown et al., section IV-A.
 * staged: a box stencil's edges and corners travel with the faces. A swap goes through the dimensions one after the other, each time with the halos that
 * have come before: two messages per dimension, 6 where there are 26 in three dimensions, and the same cells in the end. Start begins the first
 * dimension, finish does the others, each of them a wait for the neighbours. For few cells per rank, in the modes that send messages (p2p,
 * neighbor, the network): what a message costs is saved, what overlaps is lost. Staged halos are swapped whole or field by field, not one dimension
 * alone; hlc_halo_test goes on to the next dimension once the data of one are there; reverse swaps add in another order than without; there are no
 * views but of the halo. Needs the grid's own neighbours and no fills, else HLC_ERR_UNSUPPORTED. A star stencil has nothing to stage and stays as it is.
 * Errors, the same on all ranks: HLC_ERR_ARGUMENT (names the argument, the rank and its value), HLC_ERR_MISMATCH (names both ranks and both
 * sizes; or both plans, where ranks make halos of different names or with fields of other names), HLC_ERR_MEMORY, HLC_ERR_MPI, HLC_ERR_UNSUPPORTED.
 */
HLC_NODISCARD HLC_API hlc_status hlc_halo_init(hlc_context *context, const hlc_halo_spec *spec, hlc_halo **halo);

/**
 * Writes HLC_DIRECTIONS(ndims) entries of fills for a component that moves by velocity[d] cells (any number, only its sign counts) along each dimension
 * per step: 1 for the directions from which it enters the block, 0 for all others. Of the 19 components of D3Q19, 5 enter through each face
 * and one through each edge. Local; any thread. HLC_ERR_ARGUMENT: ndims is not 1 to HLC_MAX_DIMS, velocity or fills is NULL.
 */
HLC_NODISCARD HLC_API hlc_status hlc_fills_moving(int ndims, const int *velocity, unsigned char *fills);

/**
 * Stands in for hlc_halo_init or hlc_exchange_create on a rank whose arguments a language binding has found wrong: every rank that takes part
 * leaves with HLC_ERR_ARGUMENT and the message of the lowest rank that failed. Collective over the context. Returns HLC_ERR_ARGUMENT, or
 * what the others came to.
 */
HLC_NODISCARD HLC_API hlc_status hlc_refuse(hlc_context *context, const char *message);

/**
 * Starts one swap (what NULL: everything). Does not wait for other ranks, but for these cases: mode fence or pscw with late epochs; fence
 * by get; notified writes (mode notify, and other modes where they go as notify or to other nodes) if a neighbour that only receives from me is
 * two swaps behind, or has not given back its views of two swaps before; and mode notify_node if the rank of this node that sent a bundle two
 * swaps before has not called the library since. From here until finish the interior may be read but its edge not written; the halo may be neither read nor written. All ranks must start the same swaps of a
 * halo in the same order. Several halos may be in flight at once; all ranks finish those in the same order, too, because a finish waits
 * for the neighbours' finish of the same halo. Allocates nothing. One thread per halo at a time; several threads
 * may drive several halos if MPI was initialised with MPI_THREAD_MULTIPLE. Errors: HLC_ERR_STATE (started twice), HLC_ERR_ARGUMENT,
 * HLC_ERR_TIMEOUT, HLC_ERR_PEER_DIED, HLC_ERR_MPI.
 */
HLC_NODISCARD HLC_API hlc_status hlc_halo_start(hlc_halo *halo, const hlc_swap *what);

/**
 * As hlc_halo_start, for this one swap with other arrays than the spec's: data[f], of one entry per field of the halo, is where field f begins now, NULL
 * where the spec says (data NULL: all of them). What lies there has the element type, the cells and the strides of that field of the spec. So one plan
 * serves two or three arrays in turn, or temporaries; each of them costs some tenths of a microsecond per swap, and no message. Needs rebind in the spec.
 * All ranks bring the same arrays. In modes direct, view and notify_node a rank one of whose neighbours reads its fields, or is read, must bring arrays from
 * hlc_field_alloc: neighbours are told in each swap where they lie. Such an array is held from here until finish, or until the views of it are given
 * back, by this rank and by all that read it; it is released (hlc_field_free) when no rank of the node swaps it any more. An array that is
 * not from hlc_field_alloc may go as soon as finish has returned. hlc_halo_views shows the arrays of the last swap. Errors as
 * hlc_halo_start; HLC_ERR_STATE without rebind, HLC_ERR_ARGUMENT for an array that neighbours cannot read, or that begins in memory from
 * hlc_field_alloc and ends behind it. hlc_halo_finish adds HLC_ERR_STATE: a neighbour's array
 * lies in memory of which this rank has released its own part. Source: GHEX, which binds fields to a pattern in each exchange.
 */
HLC_NODISCARD HLC_API hlc_status hlc_halo_start_with(hlc_halo *halo, const hlc_swap *what, void *const *data);

/**
 * Moves the swap along without waiting. HLC_OK: finish will not wait for data any more (modes fence and passive_naive cannot see
 * this and answer HLC_AGAIN). HLC_AGAIN: still under way. A staged swap is moved on from dimension to dimension, which writes parts of the
 * halo; with HALOCLINE_CHECK=1 each of them needs all neighbours to test or finish it, too. Errors as for finish.
 */
HLC_NODISCARD HLC_API hlc_status hlc_halo_test(hlc_halo *halo);

/**
 * Completes the swap: every halo cell asked for holds the neighbour's value of the moment of its start, and all neighbours have taken
 * what they need from my interior, which may be written again. Cells that face myself are copied here. Waits at most HALOCLINE_TIMEOUT
 * seconds: HLC_ERR_PEER_DIED names the rank, and so does HLC_ERR_TIMEOUT where the mode can tell who is late (p2p, passive, notify,
 * direct); the halo can then only be finalised. HLC_ERR_STATE without a start. With HALOCLINE_CHECK=1, HLC_ERR_RULE: cells were touched
 * that must not be, or wrong values came, and the swap is complete all the same; or ranks disagree, and the halo can only be finalised.
 */
HLC_NODISCARD HLC_API hlc_status hlc_halo_finish(hlc_halo *halo);

/**
 * Releases a halo and sets *halo to NULL; NULL is fine. Collective; waits for the others. Two threads must not be in collective calls of one context at
 * once; and in every mode a swap may call MPI. HLC_ERR_STATE while a swap is in flight, unless that
 * swap failed: then buffers that MPI may still write into are left alone for good, on all ranks. HLC_ERR_PEER_DIED or HLC_ERR_TIMEOUT if a
 * rank has died or does not come (within twice HALOCLINE_TIMEOUT); the halo is gone then, too. HLC_ERR_MISMATCH if another rank is in another
 * collective call, or releases another halo: nothing is released then.
 */
HLC_NODISCARD HLC_API hlc_status hlc_halo_finalise(hlc_halo **halo);

/** What hlc_halo_init decided. Filled by hlc_halo_info and hlc_exchange_info. */
typedef struct hlc_plan_info {
  hlc_mode mode;
  hlc_epoch epoch;
  hlc_drive drive;
  int neighbours; /**< messages per full swap, copies to myself left out */
  int self_copies; /**< directions that face myself, or are copied from my own halo because the halo is deeper than the block */
  int via_direct; /**< neighbours read directly */
  int via_notify; /**< neighbours reached by notified writes */
  int via_network; /**< neighbours of other nodes reached by notified writes over the network */
  int via_mpi; /**< neighbours reached by MPI */
  int64_t bytes_in, bytes_out; /**< moved per full swap, copies to myself left out */
  int64_t self_bytes; /**< copied from myself to myself */
  int64_t memory_bytes; /**< buffers and tables of this rank */
  int64_t network_writes; /**< that this rank has begun so far to other nodes: data, and announcements without data */
} hlc_plan_info;

/** Fills *info. Local. */
HLC_NODISCARD HLC_API hlc_status hlc_halo_info(const hlc_halo *halo, hlc_plan_info *info);

/* ---------------------------------------------------------------- exchange: any list of neighbours */

/**
 * One neighbour. What an entry of rank a for rank b sends goes to the entry of rank b for rank a whose tag_in is this one's tag_out, and what
 * it receives comes from there: that entry's tag_out is this one's tag_in. Entries for one rank need different tags, out as well as in. So
 * the sides of a ring have the tags out 0, in 1 (below) and out 1, in 0 (above), and are joined rightly also where both are one rank.
 */
typedef struct hlc_neighbour {
  int rank; /**< in the context's communicator; the caller itself is allowed, and a rank may appear several times */
  int tag_out; /**< of what I send: 0 or more */
  int tag_in; /**< of what I receive: 0 or more */
  int64_t bytes_out; /**< what I send; must be the other entry's bytes_in */
  int64_t bytes_in; /**< what I receive */
} hlc_neighbour;

/** Fills buffer with the bytes_out bytes for a neighbour (index in the list). Called inside start. buffer is aligned to 64 bytes. */
typedef void (*hlc_pack_fn)(int neighbour, void *buffer, void *user);
/** Takes the bytes_in bytes of a neighbour out of the receive buffer itself. Called inside finish, in order of arrival. */
typedef void (*hlc_unpack_fn)(int neighbour, const void *buffer, void *user);

/** Everything that hlc_exchange_create needs. Zero-initialise it. */
typedef struct hlc_exchange_spec {
  int nneighbours;
  const hlc_neighbour *neighbours; /**< copied */
  hlc_pack_fn pack; /**< may be NULL if all bytes_out are 0 */
  hlc_unpack_fn unpack; /**< may be NULL if all bytes_in are 0 */
  void *user; /**< handed to pack and unpack */
  hlc_mode mode; /**< direct, view and notify_node go as notify inside a node: no field can be read; said once if chosen here */
  hlc_epoch epoch;
  hlc_drive drive;
  const char *name; /**< for messages, the same on all ranks; may be NULL */
} hlc_exchange_spec;

/**
 * Plans exchanges with a list of neighbours: one receive buffer for all, offsets exchanged here and never again. Collective over the
 * context. HLC_ERR_MISMATCH on all ranks, with both ranks and both sizes in the message, if two lists do not fit. Source: Brown et al.,
 * section IV-A and IV-D.
 */
HLC_NODISCARD HLC_API hlc_status hlc_exchange_create(hlc_context *context, const hlc_exchange_spec *spec, hlc_exchange **exchange);
/** Packs for every neighbour and sends. As hlc_halo_start. */
HLC_NODISCARD HLC_API hlc_status hlc_exchange_start(hlc_exchange *exchange);
/** Moves the exchange along without waiting and calls unpack for nothing. As hlc_halo_test. */
HLC_NODISCARD HLC_API hlc_status hlc_exchange_test(hlc_exchange *exchange);
/** Calls unpack for every neighbour with bytes_in > 0, in order of arrival; returns when all are done. As hlc_halo_finish. */
HLC_NODISCARD HLC_API hlc_status hlc_exchange_finish(hlc_exchange *exchange);
/** Releases an exchange and sets *exchange to NULL; NULL is fine. Collective. As hlc_halo_finalise. */
HLC_NODISCARD HLC_API hlc_status hlc_exchange_destroy(hlc_exchange **exchange);
/** Fills *info. Local. */
HLC_NODISCARD HLC_API hlc_status hlc_exchange_info(const hlc_exchange *exchange, hlc_plan_info *info);

#ifdef __cplusplus
}
#endif

#include <halocline/blocks.h>
#include <halocline/index_halo.h>
#include <halocline/reduce.h>
#include <halocline/segment.h>
#include <halocline/view.h>

#endif
