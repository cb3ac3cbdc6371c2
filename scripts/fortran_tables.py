"""What the C headers do not say, and fortran_interfaces.py needs to know: which pointers are arrays, what is read and what is written, the
names and comments that Fortran programs see, and what Fortran does not have.

An argument is named by its function and its own name. A name may be a pattern, such as hlc_model_*.

SPDX-License-Identifier: BSD-3-Clause
"""

# What C files of bindings/fortran call, because Fortran passes arrays of any type to it.
CALLED_IN_C = {
    "halocline_reduce.c": "hlc_allreduce_create hlc_allreduce_run hlc_allreduce_spec",
    "halocline_segment.c": "hlc_accumulate hlc_action hlc_fetch_op hlc_get hlc_get_strided hlc_put hlc_put_notify hlc_put_strided",
}
# What Fortran does not have, with the reason. The generated files list the functions.
LEFT_OUT = {
    "hlc_init": "hlc_init_fortran takes a communicator of Fortran",
    "hlc_set_wait_check": "it is for interpreters",
    "hlc_exchange_explain hlc_blocks_explain hlc_index_halo_explain": "Fortran has hlc_halo_explain",
    "hlc_sparse_exchange": "module halocline_sparse calls start and finish",
    "hlc_atomics hlc_atomic": "lists of atomics are for C",
    "hlc_model_* hlc_prediction": "machine cards are for C",
    "HLC_VERSION_*": "hlc_version returns it",
    "HLC_SPARSE_SLOT_BYTES HLC_MAX_SPARSE_SLOTS": "the library checks them",
    "HLC_OP_COUNT_ HLC_NUMBER_COUNT_ HLC_NUMBER_INT8 HLC_NUMBER_INT16 HLC_NUMBER_UINT* HLC_NUMBER_FLOAT*": "no interface takes them",
    "gaspi_error_str gaspi_printf gaspi_printf_to gaspi_print_affinity_mask": "they print or return text for C; Fortran has write",
    "gaspi_machine_type": "it fills an array of C characters",
    "gaspi_uchar gaspi_ushort gaspi_uint gaspi_ulong": "Fortran has no unsigned integers",
    "GASPI_*_VERSION GASPI_REVISION": "gaspi_version returns it",
    "GASPI_ERR_MANY_Q_REQS": "an older name",
}
# Pointers to arrays. Those to constant numbers and to characters always are.
ARRAYS = {"hlc_fills_moving fills", "hlc_halo_views views", "hlc_sparse_start messages",
          "gaspi_group_ranks group_ranks", "gaspi_segment_list segment_id_list", "gaspi_state_vec_get state_vector"}
# Intents that differ from those that Writer.intent finds.
INTENTS = {"hlc_mode_from_name mode": "out", "hlc_fills_moving fills": "out", "hlc_grid_reorder grid": "inout",
           "hlc_halo_views views": "inout"}
# Names of arguments that differ from those in C.
RENAMED = {"hlc_halo_start what": "swap", "hlc_halo_start_on what": "swap",
           "hlc_halo_start_with what": "swap", "hlc_atomic_fetch_add type": "number",
           "hlc_atomic_swap type": "number", "hlc_atomic_compare_swap type": "number"}
# Types that Fortran programs use, under their names in C. Those of the others begin with c_.
PUBLIC = {"hlc_allreduce_info_t", "hlc_block", "hlc_box", "hlc_context_info_t", "hlc_grid", "hlc_index_run", "hlc_neighbour",
          "hlc_placement", "hlc_plan_info", "hlc_segment_info_t", "hlc_sparse_message"}
# Initial values of members other than 0.
VALUES = {"hlc_halo_spec layout": "HLC_COLUMN_MAJOR", "hlc_blocks_spec layout": "HLC_COLUMN_MAJOR", "hlc_view rank": "HLC_NO_NEIGHBOUR",
          "hlc_index_view rank": "HLC_NO_NEIGHBOUR"}
# The kinds of constants that have no enumeration, or one that is no type of Fortran.
KINDS_OF_CONSTANTS = {"gaspi_alloc_policy_flags": "gaspi_alloc_t", "GASPI_ALLOC_DEFAULT": "gaspi_alloc_t",
                      "GASPI_MEM_SHARED": "gaspi_alloc_t"}
# Comments for Fortran programs where those of the headers do not fit.
COMMENTS = {
    "hlc_mode": "How the data move; hlc_mode_name gives the names that the argument mode and HALOCLINE_MODE take.",
    "hlc_format": "How hlc_halo_explain writes.",
    "hlc_layout": "The order of ranks in a grid. Default strides of C fields, too; Fortran fields always carry their own.",
    "hlc_type": "Element types; an HLC_OPAQUE element can be swapped, but not added in a reverse swap.",
    "hlc_op":
        "What an atomic makes of the target's number t and the operand v. In order: t + v, the smaller, the larger, t * v, the bits "
        "of both (integers only), v, t.",
    "hlc_number": "The integers that fetch_add, swap and compare_swap work on, as enum hlc_number.",
    "hlc_reduction": "How two elements become one: their sum, the lesser, the greater, or what a procedure of the program makes of them.",
    "hlc_context_info_t":
        "What a context found. rank and size are those of its communicator. node, nodes, node_rank and node_size give this rank's "
        "position among the nodes. cores counts the cores that the ranks of this node may run on together. Filled by "
        "hlc_context_info.",
    "hlc_grid":
        "A block decomposition of a grid over the ranks of a context. The first ndims elements of each array hold one entry per "
        "dimension: dims (ranks), periodic (1 or 0), coords (this rank's position, 0-based). Also global (cells of the whole grid), "
        "start (first global cell of this block, 0-based) and local (cells of this block, without halo). tile and dealt are how ranks "
        "fill the positions, as hlc_grid_reorder found it. order numbers the ranks: HLC_COLUMN_MAJOR along the first dimension first, "
        "else along the last. Made by hlc_grid_create, or by hand.",
    "hlc_placement":
        "What hlc_grid_reorder found: the bytes that one swap moves between all ranks, and those that cross nodes before and after. "
        "Also the number of nodes, and the nodes along each dimension if all hold equal boxes of the process grid (else 0).",
    "hlc_plan_info":
        "What planning decided: the mode, epoch and drive in use, messages per full swap, and directions that face the caller itself. "
        "Also how many neighbours each route serves, bytes per full swap, bytes of buffers, and writes to other nodes so far. Filled "
        "by hlc_halo_info and hlc_exchange_info.",
    "hlc_neighbour":
        "One neighbour of an exchange: its rank, the tags (0 or more) and the bytes of what is sent to it and received from it. What "
        "an entry of rank a for rank b sends is delivered to rank b's entry for rank a whose tag_in equals its tag_out. Entries for "
        "one rank need different tags: the sides of a ring have out 0, in 1 (below) and out 1, in 0 (above).",
    "hlc_sparse_message": "A message of a sparse exchange: bytes bytes at data (c_loc) to a rank, which counts from 0.",
    "gaspi_segment_ptr_of": "Where this process sees the segment of a rank of its node; c_null_ptr for other nodes (GASPI_Ext.h).",
    "GASPI_MEM_SHARED": "An extension (GASPI_Ext.h).",
}
