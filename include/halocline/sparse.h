/*
 * Dynamic sparse data exchange: each rank knows its targets and what it sends to them, and no rank knows from which ranks it receives.
 * Particle codes, adaptive meshes and graph traversals need it. Part of the C API; halocline.h includes it.
 *
 * Each rank has a row of slots. A sender takes the next slots of its target by a fetch_and_add, and puts its message there with a
 * notification. When its messages are there it enters a barrier, which does not wait. Once all ranks have entered it, a rank has received
 * everything. Between nodes a rank enters the barrier while its messages are under way. The barrier's notifications say how many messages each
 * rank is to receive. They also carry messages, in the first round up to 8 KiB, later up to 512 bytes. Further messages of up to 8 KiB go to
 * slots that a target keeps for ranks that have sent to it before. Longer ones claim slots as on one node.
 *
 * A rank holds memory for its slots, on several nodes for five times as many, and for its messages. For each round of the barrier it has one word,
 * on several nodes 4 KiB, for the first round 19 KiB. That is O(k + log(ranks)). As with any segment, the ranks of a node hold the addresses of all ranks once where there are several nodes. Sources:
 * Gerstenberger, Besta, Hoefler, SC13, section 4. Hoefler, Siebert, Lumsdaine: Scalable communication protocols for dynamic sparse data
 * exchange, PPoPP 2010 (the barrier that does not wait).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HALOCLINE_SPARSE_H
#define HALOCLINE_SPARSE_H

#include <halocline/halocline.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A prepared sparse exchange: hlc_sparse_create. */
typedef struct hlc_sparse hlc_sparse;

/** Bytes of a message that fit into one slot. A longer message takes several. */
#define HLC_SPARSE_SLOT_BYTES 2016
/** Most slots of a rank. */
#define HLC_MAX_SPARSE_SLOTS 65536

/**
 * Takes a message that rank `origin` has sent. Called inside hlc_sparse_start, hlc_sparse_test and hlc_sparse_finish, once per message, in
 * no order. data is aligned to 8 bytes; after the call the library uses it for other messages. Of a message of the calling rank to itself
 * it may be the data that it sends. The function must not call the library for this exchange.
 */
typedef void (*hlc_sparse_receive_fn)(int origin, const void *data, int64_t bytes, void *user);

/** What hlc_sparse_create needs. Zero-initialise it. */
typedef struct hlc_sparse_spec {
  int slots; /**< of each rank, 1 to HLC_MAX_SPARSE_SLOTS, rounded up to a power of two, 2 KiB each; 0: 64. Then the same on all ranks */
  hlc_sparse_receive_fn receive; /**< called once per message that arrives */
  void *user; /**< handed to receive */
  const char *name; /**< for messages, the same on all ranks; may be NULL */
} hlc_sparse_spec;

/** A message to a rank of the context; the calling rank itself and several messages to one rank are allowed. */
typedef struct hlc_sparse_message {
  int rank; /**< the target */
  const void *data; /**< must not change from start to finish; may be NULL if bytes is 0 */
  int64_t bytes;    /**< 0 or more, to 4 TB: an empty message is received, too */
} hlc_sparse_message;

/**
 * Makes the slots. Collective over the context; returns when exchanges may start. More slots let more messages to one rank be under way. Any
 * number of messages can be received with any number of slots. Errors, the same on all ranks: HLC_ERR_ARGUMENT, HLC_ERR_MISMATCH (slots or
 * names differ), HLC_ERR_MEMORY, HLC_ERR_TIMEOUT, HLC_ERR_PEER_DIED, HLC_ERR_MPI. HLC_ERR_UNSUPPORTED, with the reason, if there are several
 * nodes and no network that all can use.
 */
HLC_NODISCARD HLC_API hlc_status hlc_sparse_create(hlc_context *context, const hlc_sparse_spec *spec, hlc_sparse **sparse);

/**
 * Starts an exchange: sends count messages, as far as their targets have free slots. messages is copied. Does not wait for other ranks,
 * unless the network takes no more for now. All
 * ranks start the same exchanges in the same order, also those that send nothing. Several, made by several hlc_sparse_create, may be
 * outstanding. All ranks then finish them in the same order, or test all of them until they are complete. finish moves its own exchange
 * along, and no other. Errors: HLC_ERR_STATE (started twice, or an earlier exchange has failed), HLC_ERR_ARGUMENT (names the message; nothing was
 * sent), HLC_ERR_MEMORY, HLC_ERR_PEER_DIED. One thread per handle at a time.
 */
HLC_NODISCARD HLC_API hlc_status hlc_sparse_start(hlc_sparse *sparse, int count, const hlc_sparse_message *messages);

/**
 * Moves the exchange along without waiting for other ranks; may call receive. HLC_OK: it is complete, and finish returns at once. HLC_AGAIN:
 * not yet. Errors as for hlc_sparse_finish. For HALOCLINE_TIMEOUT only the time counts in which tests are repeated.
 */
HLC_NODISCARD HLC_API hlc_status hlc_sparse_test(hlc_sparse *sparse);

/**
 * Completes the exchange. On return receive has been called for all messages to this rank, and the data of its own messages may change again.
 * Its messages to other nodes may still be under way. Waits at most HALOCLINE_TIMEOUT seconds: HLC_ERR_TIMEOUT. HLC_ERR_PEER_DIED
 * names a rank of the node whose process has ended, or a rank of another node that cannot be reached. HLC_ERR_MEMORY if there is none for a
 * message that is longer than a slot. After an error the handle can only be destroyed. HLC_ERR_STATE without a start.
 */
HLC_NODISCARD HLC_API hlc_status hlc_sparse_finish(hlc_sparse *sparse);

/** hlc_sparse_start and hlc_sparse_finish in one. */
HLC_NODISCARD HLC_API hlc_status hlc_sparse_exchange(hlc_sparse *sparse, int count, const hlc_sparse_message *messages);

/**
 * Waits for all ranks, releases the handle and sets *sparse to NULL; NULL is fine. Collective. HLC_ERR_STATE while an exchange is
 * outstanding. HLC_ERR_PEER_DIED or HLC_ERR_TIMEOUT if a rank has died or does not arrive (within twice HALOCLINE_TIMEOUT); the handle is
 * released then, too. HLC_ERR_MISMATCH, as for hlc_halo_finalise.
 */
HLC_NODISCARD HLC_API hlc_status hlc_sparse_destroy(hlc_sparse **sparse);

#ifdef __cplusplus
}
#endif

#endif
