/*
 * Halocline: halo swaps on structured grids. This file also includes swaps of any set of boxes (blocks.h) and of unstructured meshes
 * (index_halo.h), and views (view.h). It includes reductions (reduce.h), sparse exchanges (sparse.h), one-sided communication (segment.h)
 * and cost models (model.h), too. Together these files are the whole C API. The C++ header, the Fortran modules and the tools use nothing
 * else. Every function returns an hlc_status. hlc_error_message() returns one sentence that names the argument, rank and value. A call that
 * fails to create or allocate something sets the caller's pointer to NULL.
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
#define HLC_VERSION_MINOR 2
#define HLC_VERSION_PATCH 0

/** Most dimensions that a grid may have. */
#define HLC_MAX_DIMS 4
/** The rank number beyond an open side of a grid. */
#define HLC_NO_NEIGHBOUR (-1)

/** The result of a call. HLC_AGAIN is no error: it means "not yet". */
typedef enum hlc_status HLC_INT {
  HLC_OK = 0,
  HLC_AGAIN = 1,            /**< test: the swap is not complete yet */
  HLC_ERR_ARGUMENT = 2,     /**< an argument is wrong; the message names it, its value and the rank */
  HLC_ERR_STATE = 3,        /**< the call is not allowed now: start twice, finish without start, free while in use */
  HLC_ERR_MEMORY = 4,       /**< memory or shared memory ran out */
  HLC_ERR_MISMATCH = 5,     /**< two ranks disagree; the message names both ranks and both values */
  HLC_ERR_TIMEOUT = 6,      /**< a peer did not arrive in time; the message names it */
  HLC_ERR_PEER_DIED = 7,    /**< a process of this node has ended, or the network no longer reaches one; the message names its rank */
  HLC_ERR_MPI = 8,          /**< MPI returned an error; the message has MPI's own text */
  HLC_ERR_UNSUPPORTED = 9,  /**< not possible here; the message says why */
  HLC_ERR_RULE = 10,        /**< HALOCLINE_CHECK=1 found a broken rule; the message names rank, field, cell, neighbour and step */
  HLC_ERR_DEVICE = 11       /**< CUDA's driver returned an error; the message has its function and its name for the error */
} hlc_status;

/** How the data move. See the table of modes in docs/guide/modes.md. */
typedef enum hlc_mode HLC_INT {
  HLC_MODE_DEFAULT = 0,   /**< HALOCLINE_MODE if set, else auto */
  HLC_MODE_P2P,           /**< MPI persistent send and receive, unpacked in order of arrival */
  HLC_MODE_NEIGHBOR,      /**< MPI persistent neighbourhood collective */
  HLC_MODE_FENCE,         /**< MPI_Put (or MPI_Get) between fences */
  HLC_MODE_PSCW,          /**< MPI_Put between post/start and complete/wait */
  HLC_MODE_PASSIVE,       /**< MPI_Put in one lock_all epoch, flush_all, empty messages */
  HLC_MODE_PASSIVE_NAIVE, /**< MPI_Put in a lock_all epoch per swap, non-blocking barrier */
  HLC_MODE_NOTIFY,        /**< packed straight into the neighbour's buffer, with a notification */
  HLC_MODE_DIRECT,        /**< copied once, from the neighbour's interior into my halo */
  HLC_MODE_VIEW, /**< the neighbour's interior or the receive buffer, read in place by hlc_halo_finish_views; else as direct */
  HLC_MODE_NOTIFY_NODE, /**< to other nodes one write per node, for all ranks of both; inside the node as direct */
  HLC_MODE_AUTO, /**< the fastest of these here: predicted, tried in the first swaps, the same on all ranks; see hlc_halo_explain */
  HLC_MODE_COUNT_
} hlc_mode;

/** When fence and pscw open an epoch: at the end of the previous finish (early), or in start (late). */
typedef enum hlc_epoch HLC_INT { HLC_EPOCH_DEFAULT = 0, HLC_EPOCH_EARLY, HLC_EPOCH_LATE } hlc_epoch;
/** Which side moves the data in mode fence: the origin writes (put), or reads (get, always with late epochs). */
typedef enum hlc_drive HLC_INT { HLC_DRIVE_DEFAULT = 0, HLC_DRIVE_PUT, HLC_DRIVE_GET } hlc_drive;
/** Which neighbours a stencil reads: only across faces (star), or across edges and corners too (box). */
typedef enum hlc_stencil HLC_INT { HLC_STENCIL_BOX = 0, HLC_STENCIL_STAR } hlc_stencil;
/**
 * Strides of fields that have none of their own: the last dimension is contiguous (row-major, C), or dimension 0 (column-major, Fortran).
 * There is no default: in two or more dimensions one of them has to be set for such fields.
 */
typedef enum hlc_layout HLC_INT { HLC_LAYOUT_UNSET = 0, HLC_ROW_MAJOR = 1, HLC_COLUMN_MAJOR = 2 } hlc_layout;
/** One or both sides of a dimension. */
typedef enum hlc_side HLC_INT { HLC_SIDE_BOTH = 0, HLC_SIDE_LOW, HLC_SIDE_HIGH } hlc_side;
/** How a text is written. */
typedef enum hlc_format HLC_INT { HLC_FORMAT_TEXT = 0, HLC_FORMAT_JSON } hlc_format;
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

/** The library as opened for the ranks of a communicator: hlc_init. */
typedef struct hlc_context hlc_context;
/** A planned halo swap: hlc_halo_init. */
typedef struct hlc_halo hlc_halo;
/** A planned exchange with any list of neighbours: hlc_exchange_create. */
typedef struct hlc_exchange hlc_exchange;

/* ---------------------------------------------------------------- names and messages */

/** Returns the fixed name of a status ("HLC_ERR_ARGUMENT"). Any thread; never NULL. */
HLC_API const char *hlc_status_name(hlc_status status);
/** Returns one sentence about the last call of this thread that failed, "" if none did. Valid until the thread's next hlc_ or gaspi_ call. */
HLC_API const char *hlc_error_message(void);
/** Returns the mode's name as HALOCLINE_MODE takes it ("p2p"), "unknown" for a value that is no mode. Any thread. */
HLC_API const char *hlc_mode_name(hlc_mode mode);
/** Finds a mode by its name. HLC_ERR_ARGUMENT, with the nearest name in the message, if there is none. Any thread. */
HLC_NODISCARD HLC_API hlc_status hlc_mode_from_name(const char *name, hlc_mode *mode);
/** Returns the library's version as "major.minor.patch". Any thread. */
HLC_API const char *hlc_version(void);

/** Called by a thread in a long wait of the library. A result other than 0 ends that wait. */
typedef int (*hlc_wait_check)(void);
/**
 * Has check called by every thread that waits in the library for more than about ten milliseconds, and then as often. If it returns
 * anything but 0, the wait ends as if HALOCLINE_TIMEOUT had passed: the call returns HLC_ERR_TIMEOUT, with all that this implies. So an
 * interpreter can handle signals, and end a wait. check must not call the library. It is called for the whole process, until another one
 * replaces it; NULL removes it. Waits inside MPI do not call it. Any thread.
 */
HLC_API void hlc_set_wait_check(hlc_wait_check check);

/* ---------------------------------------------------------------- context */

/**
 * Opens the library for the ranks of a communicator. It duplicates the communicator, finds the ranks that share this node's memory, and
 * creates the node's shared-memory state. Collective over comm; returns when the context can be used. MPI must be initialised.
 *
 * Environment, the same on all ranks (docs/guide/environment.md):
 *  - HALOCLINE_FAKE_NODES=N treats the ranks as N nodes of consecutive ranks. HALOCLINE_CHECK=1 checks every swap.
 *  - HALOCLINE_PROGRESS. On several nodes each process has a progress thread once its network is open. The thread moves data every few
 *    milliseconds while no thread of the process calls the library. With =thread it does so whenever something arrives, and with =caller
 *    there is no such thread. With =helper a process per node serves the segments of its ranks while they compute.
 *  - HALOCLINE_TIMEOUT (seconds, default 300, 0: never) bounds every wait of the library itself. This covers swaps and collective calls;
 *    those that release and end state their own limits. Calls that block inside MPI (windows that are made, fences, late epochs, flushes)
 *    cannot be bounded.
 *
 * Collective calls. All ranks make the collective calls of a context in one order. Where the orders differ, all ranks get HLC_ERR_MISMATCH,
 * which names two ranks, their calls and their plans. Nothing has been made or released, and the context remains usable. A collective call
 * that ends with HLC_ERR_TIMEOUT or HLC_ERR_PEER_DIED has lost a rank. The context and everything made from it can then only be finalised,
 * the context last.
 *
 * After MPI_Finalize swaps return HLC_ERR_STATE. Calls that release something then release what a rank can release alone, and return
 * HLC_ERR_STATE.
 *
 * Errors, the same on all ranks unless comm or MPI is wrong: HLC_ERR_ARGUMENT (context NULL, comm MPI_COMM_NULL or an inter-communicator),
 * HLC_ERR_STATE (MPI not initialised), HLC_ERR_MEMORY, HLC_ERR_MISMATCH, HLC_ERR_TIMEOUT, HLC_ERR_MPI.
 */
HLC_NODISCARD HLC_API hlc_status hlc_init(MPI_Comm comm, hlc_context **context);

/** As hlc_init, with the communicator as a Fortran integer (MPI_Comm_c2f). */
HLC_NODISCARD HLC_API hlc_status hlc_init_fortran(int comm, hlc_context **context);

/**
 * Closes a context and sets *context to NULL; NULL is fine. Collective. All halos, exchanges, reductions, segments and fields made from it
 * must have been released before. Otherwise it returns HLC_ERR_STATE with the number of objects left, and the context stays usable. If a
 * rank has died or does not arrive, it returns HLC_ERR_PEER_DIED or HLC_ERR_TIMEOUT, after twice HALOCLINE_TIMEOUT at most. The context is
 * closed all the same. Its communicators, which MPI can only free collectively, are left as they are.
 */
HLC_NODISCARD HLC_API hlc_status hlc_finalise(hlc_context **context);

/** What a context found. Filled by hlc_context_info. */
typedef struct hlc_context_info_t {
  int rank, size; /**< in the context's communicator */
  int node, nodes; /**< this rank's node and the number of nodes (emulated ones, if requested) */
  int node_rank, node_size; /**< among the ranks of this node */
  int cores; /**< cores that the ranks of this node may run on together */
} hlc_context_info_t;

/** Fills *info. Local; any thread. */
HLC_NODISCARD HLC_API hlc_status hlc_context_info(const hlc_context *context, hlc_context_info_t *info);

/**
 * Returns one line about what carries data to other nodes, in modes notify, direct, view and notify_node, for segments and for reductions.
 * It names the provider and interface that libfabric or UCX drives, that library, and what drives progress (HALOCLINE_PROGRESS). Or it gives the reason why MPI
 * carries the data; segments cannot use MPI. The first plan or segment that needs the network opens it; until then the line says that none
 * has. HALOCLINE_PROVIDER names a provider of libfabric ("none": MPI carries plans' data), HALOCLINE_INTERFACE an interface or its address.
 * Valid as long as the context; local. NULL for NULL.
 */
HLC_API const char *hlc_context_network(const hlc_context *context);

/* ---------------------------------------------------------------- fields */

/**
 * Allocates memory for a field that every rank of the node can read, as required by modes direct, view and notify_node. Collective over the
 * context; bytes may differ between ranks and may be 0. *data is aligned to a page and filled with zeros. Its pages are in the memory of
 * the calling rank. A field of a halo, index halo or block that begins in it must end in it. Otherwise the call that plans the swaps
 * returns HLC_ERR_ARGUMENT. HLC_ERR_MEMORY on all ranks of the node if shared memory is short on one.
 */
HLC_NODISCARD HLC_API hlc_status hlc_field_alloc(hlc_context *context, size_t bytes, void **data);

/**
 * As hlc_field_alloc, which other ranks may call at the same time, but takes no page. As for malloc, each page is placed in the memory of
 * the core that touches it first. Where several threads of a rank compute, let each first write what it will compute (its zeros, too),
 * before any other access. The call checks that shared memory has room for the bytes now. If others take it before the pages are touched,
 * touching one ends the process (SIGBUS). Memory is counted as used only when it is touched.
 */
HLC_NODISCARD HLC_API hlc_status hlc_field_alloc_untouched(hlc_context *context, size_t bytes, void **data);

/** In whose memory a field is. */
typedef enum hlc_memory HLC_INT {
  HLC_MEMORY_HOST = 0,
  HLC_MEMORY_DEVICE /* that of the device that is current in the calling thread, which the host cannot access: for CUDA or HIP */
} hlc_memory;

/**
 * As hlc_field_alloc, which other ranks may call at the same time, in the memory that this rank asks for. That of a device is allocated by
 * cuMemAlloc or hipMalloc, so that neighbours of the node can read it in place, and filled with zeros. Also HLC_ERR_UNSUPPORTED on all ranks if
 * one has loaded no driver, HLC_ERR_STATE if no device is current (cudaSetDevice), HLC_ERR_MEMORY or HLC_ERR_DEVICE if the driver fails. It
 * must be freed before its device is reset.
 */
HLC_NODISCARD HLC_API hlc_status hlc_field_alloc_in(hlc_context *context, hlc_memory memory, size_t bytes, void **data);

/**
 * Releases memory from hlc_field_alloc and sets *data to NULL; NULL is fine. Local: it does not wait for other ranks. HLC_ERR_STATE while a
 * halo or a running reduction of this rank uses it. HLC_ERR_ARGUMENT if it is not from hlc_field_alloc.
 */
HLC_NODISCARD HLC_API hlc_status hlc_field_free(hlc_context *context, void **data);

/* ---------------------------------------------------------------- grids */

/** A block decomposition of a grid over the ranks of a context. Make it with hlc_grid_create, or fill it by hand: then zero it first. */
typedef struct hlc_grid {
  int ndims; /**< 1 to HLC_MAX_DIMS */
  int dims[HLC_MAX_DIMS]; /**< ranks along each dimension */
  int periodic[HLC_MAX_DIMS]; /**< 1: the sides of this dimension are joined; 0: they are open */
  int coords[HLC_MAX_DIMS]; /**< this rank's position */
  int64_t global[HLC_MAX_DIMS]; /**< cells of the whole grid */
  int64_t start[HLC_MAX_DIMS]; /**< first global cell of this rank's block (0-based) */
  int64_t local[HLC_MAX_DIMS]; /**< cells of this rank's block, without halo */
  int tile[HLC_MAX_DIMS]; /**< reordered: ranks fill tiles with so many positions per side, one after the other; else 0 */
  int dealt; /**< reordered: nodes to which the launcher assigned the ranks in turn; 0: node by node */
  hlc_layout order; /**< HLC_COLUMN_MAJOR: ranks are numbered along dimension 0 first; else along the last, as by MPI_Cart_create */
} hlc_grid;

/**
 * Splits global cells over all ranks of the context. dims[d] > 0 fixes the ranks along d, 0 leaves it free, NULL leaves all free. The split
 * is taken whose blocks face other ranks with the smallest surface: sides that face the rank itself cost no message. Blocks differ by at
 * most one cell in each dimension. periodic NULL: all open. Local and deterministic: every rank finds the same split. Ranks are numbered as
 * by MPI_Cart_create with reorder = 0; hlc_grid_reorder may follow.
 * HLC_ERR_ARGUMENT if no split gives each rank at least one cell, or the fixed dims do not divide the number of ranks.
 */
HLC_NODISCARD HLC_API hlc_status hlc_grid_create(const hlc_context *context, int ndims, const int64_t *global, const int *dims,
                                                 const int *periodic, hlc_grid *grid);

/** As hlc_grid_create, with ranks numbered in an order: see hlc_grid. HLC_ERR_ARGUMENT also for an order that is none. */
HLC_NODISCARD HLC_API hlc_status hlc_grid_create_ordered(const hlc_context *context, hlc_layout order, int ndims, const int64_t *global,
                                                         const int *dims, const int *periodic, hlc_grid *grid);

/** The swap for which hlc_grid_reorder minimises bytes between nodes. All 0: one cell of eight bytes deep on every side, box stencil. */
typedef struct hlc_swap_shape {
  int64_t depth_low[HLC_MAX_DIMS]; /**< as in hlc_halo_spec; if all depths are 0, they are 1 */
  int64_t depth_high[HLC_MAX_DIMS]; /**< the same on the high sides */
  hlc_stencil stencil; /**< which directions are swapped */
  int64_t cell_bytes; /**< bytes of a cell in all fields together; 0: 8 */
} hlc_swap_shape;

/** What hlc_grid_reorder found. */
typedef struct hlc_placement {
  int64_t bytes; /**< bytes that one swap moves between all ranks, copies of a rank to itself left out */
  int64_t bytes_before; /**< of these between nodes, with ranks in the grid's order */
  int64_t bytes_after; /**< of these between nodes, with ranks placed as now: never more than before */
  int nodes; /**< nodes of the context */
  int node_dims[HLC_MAX_DIMS]; /**< nodes along each dimension, if all nodes hold equal boxes of the process grid; else 0 */
} hlc_placement;

/**
 * Gives the ranks other positions in a grid from hlc_grid_create, so that as many neighbours as possible share a node. MPI_Cart_create does
 * this with reorder = 1. The ranks keep their numbers and the grid its dims. coords, start and local change, and so do the results of
 * hlc_grid_rank. Call it before anything is stored that depends on coords. It tries all orders that fill the process grid tile by tile. It
 * considers launchers that number ranks node by node and launchers that assign them to the nodes in turn. The bytes of each order are
 * counted exactly, and the present order stays where none is better. shape NULL: as a shape of zeros. placement may be NULL. Collective
 * over the context, with the same grid and shape on all ranks. During the call it needs 4 bytes per rank of the job, afterwards none.
 *
 * Errors, the same on all ranks: HLC_ERR_ARGUMENT (also for blocks that are not those of hlc_grid_create), HLC_ERR_MISMATCH,
 * HLC_ERR_MEMORY, HLC_ERR_TIMEOUT, HLC_ERR_PEER_DIED, HLC_ERR_MPI.
 *
 * Sources: MPI 4.0, section 8.5.1; Gropp, Using node and socket information to implement MPI Cartesian topologies, Parallel Computing 85,
 * 2019; Hoefler and Snir, ICS 2011.
 */
HLC_NODISCARD HLC_API hlc_status hlc_grid_reorder(hlc_context *context, const hlc_swap_shape *shape, hlc_grid *grid,
                                                  hlc_placement *placement);

/** Directions of ndims dimensions, the one in the middle (v = 0) included. Direction v is number sum((v_d + 1) * 3^d). */
#define HLC_DIRECTIONS(ndims) ((ndims) == 1 ? 3 : (ndims) == 2 ? 9 : (ndims) == 3 ? 27 : 81)

/**
 * Returns the rank at coords (wrapped where periodic). HLC_NO_NEIGHBOUR beyond an open side and for a grid without ranks. Local; any
 * thread.
 */
HLC_API int hlc_grid_rank(const hlc_grid *grid, const int *coords);

/* ---------------------------------------------------------------- halo: structured grids */

/**
 * One field of a halo: an array of local + depth_low + depth_high cells per dimension, of any strides. An array may be wider than what is
 * swapped. Then data points to the outermost halo cell that is swapped, and the strides are those of the whole array.
 */
typedef struct hlc_field {
  void *data; /**< the first cell of the array: the outermost low halo cell in every dimension; in memory that the host can access,
                   or in that of a CUDA device, see hlc_halo_start_on */
  hlc_type type; /**< element type */
  size_t element_bytes; /**< needed for HLC_OPAQUE; else 0 or the type's own size */
  int64_t stride_bytes[HLC_MAX_DIMS]; /**< bytes between neighbouring cells, > 0; all 0: contiguous in the spec's layout */
  const char *name; /**< for messages, the same on all ranks; may be NULL */
} hlc_field;

/**
 * Where the values of a field are along one dimension. Between two blocks of cells is a node, which is the last of one rank and the first
 * of the next. A field on nodes has one value more than its block has cells.
 */
typedef enum hlc_stagger HLC_INT {
  HLC_CENTRED = 0, /**< in the cells */
  HLC_NODES_SHARED, /**< on nodes; both ranks compute the node between them: swaps leave it out, and begin behind it */
  HLC_NODES_OWNED /**< on nodes; the rank above owns the node between two: the rank below gets it, as the first value of its high halo */
} hlc_stagger;

/** How a field of a halo or of blocks differs from the spec. Zero: it does not. The same on all ranks. */
typedef struct hlc_field_shape {
  hlc_stagger stagger[HLC_MAX_DIMS]; /**< along each dimension */
  int own_depth; /**< 1: the depths below are the field's; 0: the spec's are, and those below must be 0 */
  int64_t depth_low[HLC_MAX_DIMS]; /**< halo values on the low side, 0 to the cells of the smallest block; of hlc_blocks any number */
  int64_t depth_high[HLC_MAX_DIMS]; /**< the same on the high side; of owned nodes less than that, and the neighbour's node not counted */
} hlc_field_shape;

/** Everything that hlc_halo_init needs. Zero-initialise it; the zero of every enum but layout is a sensible default. */
typedef struct hlc_halo_spec {
  const hlc_grid *grid; /**< copied */
  int64_t
      depth_low[HLC_MAX_DIMS]; /**< halo cells on the low side, 0 or more; above local only where the rank is its own periodic neighbour */
  int64_t depth_high[HLC_MAX_DIMS]; /**< halo cells on the high side */
  hlc_stencil stencil; /**< which neighbours are filled: star or box */
  hlc_layout layout; /**< of fields without strides, which need it in two or more dimensions: HLC_ROW_MAJOR is that of C arrays */
  int nfields; /**< 1 or more */
  const hlc_field *fields; /**< copied; the data must stay where they are until finalise */
  const int
      *neighbours; /**< NULL: from the grid. Else 3^ndims ranks, index sum((v_d + 1) * 3^d), v in {-1,0,1}; dims and coords may be 0 */
  hlc_mode mode; /**< 0: HALOCLINE_MODE, else auto */
  hlc_epoch epoch; /**< of modes fence and pscw */
  hlc_drive drive; /**< of mode fence */
  const unsigned char *fills; /**< NULL: every field in every direction. Else nfields * HLC_DIRECTIONS(ndims) entries, see hlc_halo_init */
  const char *name; /**< for messages, the same on all ranks; may be NULL */
  int rebind; /**< 1: swaps may use other arrays than those of fields, see hlc_halo_start_with; the same on all ranks */
  int staged; /**< 1: one dimension after the other, two messages per dimension, see hlc_halo_init; the same on all ranks */
  const hlc_field_shape *shapes; /**< NULL: every field has the block's cells and the spec's depths. Else nfields entries, copied; see
                                      hlc_halo_init */
} hlc_halo_spec;

/** Which part of a halo one swap fills. Zero: everything. */
typedef struct hlc_swap {
  int nfields; /**< 0: all fields of the halo */
  const int *fields; /**< indices of the fields, strictly ascending */
  int one_dim; /**< 1: only the faces of dimension dim are filled, no edges or corners */
  int dim; /**< which one, if one_dim is not 0 */
  hlc_side side; /**< with one_dim: fill the low halo, the high halo, or both */
  int reverse; /**< 1: the adjoint: halo values are added to the owner's edge, and my halo becomes 0 */
  int64_t depth; /**< 0: the whole halo; else at most so many halo values per side, those nearest the block. The same on all ranks */
} hlc_swap;

/**
 * Plans halo swaps. It finds the neighbours, checks that they agree on sizes and types, and allocates the one receive buffer. It chooses a
 * route to each neighbour and maps what can be mapped. Collective over the context. Except for sizes, data and strides, the spec is the
 * same on all ranks. The strides of a field order the dimensions alike on all ranks, else HLC_ERR_MISMATCH: messages have the cells in that
 * order.
 *
 * Depth. Along a dimension in which the rank is its own periodic neighbour the halo may be deeper than the block. The block is then
 * repeated as often as needed, and those cells are copied inside the array. Elsewhere such a halo would need cells of a neighbour's
 * neighbour: HLC_ERR_ARGUMENT.
 *
 * fills. If fills[f * HLC_DIRECTIONS(ndims) + v] is 0, the halo of field f in direction v is neither sent nor filled. A reverse swap then
 * neither adds it nor sets it to zero. A field whose components move in one direction each (lattice Boltzmann) is described as one field
 * per component, with fills from hlc_fills_moving. Messages that would be empty are not sent. Some dimensions may have a halo deeper than
 * the block. A filled direction then needs the same direction without these dimensions to be filled too.
 *
 * staged. A box stencil's edges and corners travel with the faces. A swap handles one dimension after the other, each time including the
 * halos that have already arrived. In three dimensions that is two messages per dimension, 6 instead of 26, and the same cells are filled.
 * Start begins the first dimension. Finish does the others, and waits for the neighbours in each. It suits few cells per rank in the modes
 * that send messages (p2p, neighbor, the network). It saves the cost per message and loses overlap. Staged halos are swapped whole or field
 * by field, not one dimension alone. hlc_halo_test continues with the next dimension once the data of one are there. Reverse swaps add in
 * another order than without staging. Views show the halo only. Staging needs the grid's own neighbours and no fills, else
 * HLC_ERR_UNSUPPORTED. A star stencil has nothing to stage and stays as it is.
 *
 * shapes. Fields on cells, nodes and faces of one grid are swapped together, with one message per neighbour. The array of a field along
 * dimension d has depth_low + local + depth_high values, and one more if it is on nodes. Its data point to the outermost low halo value.
 * HLC_NODES_SHARED: the block has local + 1 values, of which the first and the last are the neighbours' as well. A swap leaves these as
 * they are, also in reverse. HLC_NODES_OWNED: the block has local values, and local + 1 at the upper end of an open dimension. Its high
 * halo is one value deeper elsewhere, in a swap of any depth. A star stencil fills it beside the block only, not at corners. A table of
 * neighbours is an upper end where it has no rank above; ranks side by side must agree on that. Shapes and staged together are
 * HLC_ERR_UNSUPPORTED, also with a halo deeper than the block. Where every field has depths of its own, those of the spec have no effect, and
 * need not fit the block.
 *
 * depth of a swap. It may differ from swap to swap. Of each field the halo values nearest the block are filled, as many as depth says and
 * the field has. Views of such a swap have so many cells in mode view, and the whole halo elsewhere. HLC_ERR_UNSUPPORTED with staged, and
 * with a halo deeper than the block.
 *
 * Errors, the same on all ranks: HLC_ERR_ARGUMENT (names the argument, the rank and its value), HLC_ERR_MISMATCH, HLC_ERR_MEMORY,
 * HLC_ERR_MPI, HLC_ERR_UNSUPPORTED. HLC_ERR_MISMATCH names both ranks and both sizes. Where ranks make halos of different names or with
 * fields of other names, it names both plans.
 *
 * Source: Brown et al., section IV-A.
 */
HLC_NODISCARD HLC_API hlc_status hlc_halo_init(hlc_context *context, const hlc_halo_spec *spec, hlc_halo **halo);

/**
 * Writes HLC_DIRECTIONS(ndims) entries of fills for a component that moves by velocity[d] cells along each dimension per step. velocity[d]
 * may be any number; only its sign counts. An entry is 1 for the directions from which the component enters the block, 0 for all others. Of
 * the 19 components of D3Q19, 5 enter through each face and one through each edge. Local; any thread. HLC_ERR_ARGUMENT: ndims is not 1 to
 * HLC_MAX_DIMS, velocity or fills is NULL.
 */
HLC_NODISCARD HLC_API hlc_status hlc_fills_moving(int ndims, const int *velocity, unsigned char *fills);

/**
 * Replaces hlc_halo_init or hlc_exchange_create on a rank whose arguments a language binding has found wrong. Every participating rank
 * returns HLC_ERR_ARGUMENT with the message of the lowest rank that failed. Collective over the context. Returns HLC_ERR_ARGUMENT, or the
 * status of the other ranks.
 */
HLC_NODISCARD HLC_API hlc_status hlc_refuse(hlc_context *context, const char *message);

/**
 * Starts one swap (what NULL: everything). Allocates nothing. From here until finish the interior may be read but its edge not written. The
 * halo may be neither read nor written. All ranks must start the same swaps of a halo in the same order. Several halos may be outstanding.
 * All ranks finish those in the same order too, because a finish waits for the neighbours' finish of the same halo.
 *
 * Ranks that start different swaps (other fields, depth, sides or direction) are found by HALOCLINE_CHECK=1 in every mode. Without it mode
 * p2p finds messages of another length: finish returns HLC_ERR_MISMATCH. In other modes, and where lengths are equal, such a swap may wait
 * until HALOCLINE_TIMEOUT, or leave values of an earlier swap in halos.
 *
 * Does not wait for other ranks, except in these cases:
 *  - modes fence and pscw with late epochs, and fence by get;
 *  - notified writes: those of mode notify, and of other modes where they behave as notify or write to other nodes. They wait if a
 *    neighbour that only receives from me is two swaps behind, or has not released its views of two swaps before;
 *  - mode notify_node, if the rank of this node that sent an aggregated message two swaps before has not called the library since.
 *
 * In mode auto ranks agree on a mode in some of the first 60 finishes, and in few later ones. Such a finish waits for ranks that are more
 * than four swaps behind, even if they are no neighbours. Nothing is tried, and no finish waits so, where a rank has no neighbours, or
 * where groups of ranks have no common ones. A program that holds a rank back until another, which is no neighbour, is further ahead than
 * that needs a single mode.
 *
 * Errors: HLC_ERR_STATE (started twice), HLC_ERR_ARGUMENT, HLC_ERR_TIMEOUT, HLC_ERR_PEER_DIED, HLC_ERR_MPI. One thread per halo at a time;
 * several threads may drive several halos if MPI was initialised with MPI_THREAD_MULTIPLE.
 */
HLC_NODISCARD HLC_API hlc_status hlc_halo_start(hlc_halo *halo, const hlc_swap *what);

/**
 * As hlc_halo_start, but this one swap uses other arrays than the spec's. data[f], with one entry per field of the halo, is where field f
 * begins now. NULL means the array of the spec; data NULL means it for all fields. The array has the element type, the cells and the
 * strides of that field of the spec. So one plan serves two or three arrays in turn, or temporaries. Each costs some tenths of a
 * microsecond per swap, and no message. Needs rebind in the spec. All ranks replace the same fields. In modes direct, view and notify_node
 * neighbours learn in each swap where the arrays are. A rank that reads or is read by a neighbour must use arrays from hlc_field_alloc.
 * Such an array is held from here until finish, or until this rank and all that read it have released its views. Its memory is released
 * (hlc_field_free) when no rank of the node swaps it any more. An array that is not from hlc_field_alloc may be freed as soon as finish has
 * returned. hlc_halo_views shows the arrays of the last swap.
 *
 * Errors as hlc_halo_start. HLC_ERR_STATE without rebind. HLC_ERR_ARGUMENT for an array that neighbours cannot read, or that begins in
 * memory from hlc_field_alloc and ends behind it. hlc_halo_finish adds HLC_ERR_STATE: a neighbour's array is in memory of which this rank
 * has released its own part.
 *
 * Source: GHEX, which binds fields to a pattern in each exchange.
 */
HLC_NODISCARD HLC_API hlc_status hlc_halo_start_with(hlc_halo *halo, const hlc_swap *what, void *const *data);

/**
 * As hlc_halo_start, of fields in the memory of a CUDA device, after the work that the program has given to `stream`, a CUstream or
 * cudaStream_t of that device; NULL is the default stream. The swap sends what that work leaves. Returns when that work is done, and what is
 * packed has been copied to the host. Such a swap may be finished by hlc_halo_finish_on or hlc_halo_finish. Until then later work may read the
 * interior, but not write its edge: in modes direct, view and notify_node neighbours of this node may read it in place.
 *
 * Neighbours on this node whose same fields are in memory that CUDA IPC can open are read in place in these modes. All else passes through
 * pinned memory of the host. hlc_halo_start orders its copies after the default stream alone; work in other streams must be complete then. A
 * plan without such fields on this rank ignores the stream. Memory of a device may be freed once hlc_halo_finalise has returned.
 *
 * Errors as hlc_halo_start, and HLC_ERR_DEVICE and HLC_ERR_MEMORY from the driver. The swap has not been started then, and may be started
 * again.
 */
HLC_NODISCARD HLC_API hlc_status hlc_halo_start_on(hlc_halo *halo, const hlc_swap *what, void *stream);

/**
 * Advances the swap without waiting. HLC_OK: finish will not wait for data any more. Modes fence and passive_naive cannot detect this and
 * return HLC_AGAIN; mode auto uses them only where HALOCLINE_AUTO_MODES lists them. HLC_AGAIN: not complete yet. A staged swap advances from
 * dimension to dimension, which writes parts of the halo. With HALOCLINE_CHECK=1 each dimension also needs all neighbours to test or finish
 * it. A staged swap in mode pscw with late epochs stays in its first dimension until finish, because MPI_Win_start may wait there: a test
 * returns HLC_AGAIN. Errors as for finish.
 */
HLC_NODISCARD HLC_API hlc_status hlc_halo_test(hlc_halo *halo);

/**
 * Completes the swap. Every requested halo cell holds the neighbour's value at the moment of its start. All neighbours have taken what they
 * need from my interior, which may be written again. Cells that face myself are copied here. Waits at most HALOCLINE_TIMEOUT seconds.
 * HLC_ERR_PEER_DIED names the rank. So does HLC_ERR_TIMEOUT where the mode can tell which rank is late (p2p, passive, notify, direct). The
 * halo can then only be finalised. HLC_ERR_MISMATCH: a neighbour has started another swap (hlc_halo_start), or, after three seconds, one of
 * this node ends its halo and makes no such swap.
 * HLC_ERR_DEVICE and HLC_ERR_MEMORY from CUDA's driver: of fields in a device's memory the halo is undefined, and can only be finalised.
 * HLC_ERR_STATE without a start. With HALOCLINE_CHECK=1, HLC_ERR_RULE has two causes. If cells were
 * touched illegally or wrong values arrived, the swap is complete all the same. If ranks disagree, the halo can only be finalised. The cells
 * of blocks are not looked at.
 */
HLC_NODISCARD HLC_API hlc_status hlc_halo_finish(hlc_halo *halo);

/**
 * As hlc_halo_finish, but does not wait for the last copies from the host: work that the program gives to `stream` from now on follows them.
 * The stream is as for hlc_halo_start_on. What a copy does wrong later, that work returns. Without fields in a device's memory it is
 * hlc_halo_finish.
 */
HLC_NODISCARD HLC_API hlc_status hlc_halo_finish_on(hlc_halo *halo, void *stream);

/**
 * Releases a halo and sets *halo to NULL; NULL is fine. Collective; waits for the others. Only one thread at a time may be in a collective
 * call of a context. A swap may call MPI in every mode. HLC_ERR_STATE while a swap is outstanding, unless that swap failed. Then buffers
 * that MPI may still write into are never freed, on all ranks. HLC_ERR_PEER_DIED or HLC_ERR_TIMEOUT if a rank has died or does not arrive
 * (within twice HALOCLINE_TIMEOUT); the halo is released then, too. HLC_ERR_MISMATCH if another rank is in another collective call, or
 * releases another halo: the halo stays then, with its views released.
 */
HLC_NODISCARD HLC_API hlc_status hlc_halo_finalise(hlc_halo **halo);

/** What hlc_halo_init decided. Filled by hlc_halo_info and hlc_exchange_info. */
typedef struct hlc_plan_info {
  hlc_mode mode; /**< of the last swap: never auto, but the mode that it has chosen so far */
  hlc_epoch epoch; /**< of modes fence and pscw */
  hlc_drive drive; /**< of mode fence */
  int neighbours; /**< messages per full swap, copies to myself left out */
  int self_copies; /**< directions that face myself, or are copied from my own halo because the halo is deeper than the block */
  int via_direct; /**< neighbours read directly */
  int via_notify; /**< neighbours reached by notified writes */
  int via_network; /**< neighbours of other nodes reached by notified writes over the network */
  int via_mpi; /**< neighbours reached by MPI */
  int64_t bytes_in, bytes_out; /**< moved per full swap, copies to myself left out */
  int64_t self_bytes; /**< copied from myself to myself */
  int64_t memory_bytes; /**< buffers and tables of this rank */
  int64_t network_writes; /**< messages that this rank has begun so far to other nodes: data, and notifications without data */
} hlc_plan_info;

/** Fills *info. Local. */
HLC_NODISCARD HLC_API hlc_status hlc_halo_info(const hlc_halo *halo, hlc_plan_info *info);

/**
 * Explains the mode of a halo: in words, or as one JSON object. In mode auto this says which mode is used and why. It lists what each mode
 * was predicted to take. Of the trial it has the mean times of the ranks: median, least and most. Modes that were left out have a
 * reason. It also says where the predictions and the verdicts on modes are from.
 *
 * Writes at most size bytes to buffer, the last of them a zero. *length, unless NULL, receives the length of the whole text, without the
 * zero. So a call with size 0 asks for the length, and a text that ends early has a *length of size or more. Local; at any time.
 * HLC_ERR_ARGUMENT: halo NULL, no hlc_format, buffer NULL with a size.
 */
HLC_NODISCARD HLC_API hlc_status hlc_halo_explain(const hlc_halo *halo, hlc_format format, char *buffer, size_t size, size_t *length);

/* ---------------------------------------------------------------- exchange: any list of neighbours */

/**
 * One neighbour. An entry of rank a for rank b is joined to the entry of rank b for rank a with matching tags. The tag_out of each is the
 * tag_in of the other. Each receives what the other sends. Entries for one rank need different tags, out as well as in. So the sides of a
 * ring have the tags out 0, in 1 (below) and out 1, in 0 (above). They are joined correctly even where both are one rank.
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
  int nneighbours; /**< 0 or more */
  const hlc_neighbour *neighbours; /**< copied */
  hlc_pack_fn pack; /**< may be NULL if all bytes_out are 0 */
  hlc_unpack_fn unpack; /**< may be NULL if all bytes_in are 0 */
  void *user; /**< handed to pack and unpack */
  hlc_mode mode; /**< direct, view and notify_node act as notify inside a node: no field can be read; reported once if asked for here */
  hlc_epoch epoch; /**< of modes fence and pscw */
  hlc_drive drive; /**< of mode fence */
  const char *name; /**< for messages, the same on all ranks; may be NULL */
} hlc_exchange_spec;

/**
 * Plans exchanges with a list of neighbours. It allocates one receive buffer for all and exchanges the offsets once. Collective over the
 * context. HLC_ERR_MISMATCH on all ranks, with both ranks and both sizes in the message, if two lists do not match. Source: Brown et al.,
 * section IV-A and IV-D.
 */
HLC_NODISCARD HLC_API hlc_status hlc_exchange_create(hlc_context *context, const hlc_exchange_spec *spec, hlc_exchange **exchange);
/** Packs for every neighbour and sends. As hlc_halo_start. */
HLC_NODISCARD HLC_API hlc_status hlc_exchange_start(hlc_exchange *exchange);
/** Advances the exchange without waiting; it calls unpack for no neighbour. As hlc_halo_test. */
HLC_NODISCARD HLC_API hlc_status hlc_exchange_test(hlc_exchange *exchange);
/** Calls unpack for every neighbour with bytes_in > 0, in order of arrival; returns when all are done. As hlc_halo_finish. */
HLC_NODISCARD HLC_API hlc_status hlc_exchange_finish(hlc_exchange *exchange);
/** Releases an exchange and sets *exchange to NULL; NULL is fine. Collective. As hlc_halo_finalise. */
HLC_NODISCARD HLC_API hlc_status hlc_exchange_destroy(hlc_exchange **exchange);
/** Fills *info. Local. */
HLC_NODISCARD HLC_API hlc_status hlc_exchange_info(const hlc_exchange *exchange, hlc_plan_info *info);
/** Explains the mode. As hlc_halo_explain. */
HLC_NODISCARD HLC_API hlc_status hlc_exchange_explain(const hlc_exchange *exchange, hlc_format format, char *buffer, size_t size,
                                                      size_t *length);

#ifdef __cplusplus
}
#endif

#include <halocline/blocks.h>
#include <halocline/index_halo.h>
#include <halocline/model.h>
#include <halocline/reduce.h>
#include <halocline/segment.h>
#include <halocline/sparse.h>
#include <halocline/view.h>

#endif
