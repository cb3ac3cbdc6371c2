/*
 * Cost models: what an operation of this library or of the host MPI takes on this machine, in microseconds. Part of the C API; halocline.h
 * includes it.
 *
 * `halocline-bench model` measures a machine and fits one curve for each operation and contender (the engine, the host MPI, a mode). The
 * curves are kept in a machine card: a JSON file (docs/results.md). A curve is a sum of terms, each a coefficient times a quantity of the
 * case. There are terms for latency, bytes over bandwidth with switch points, c log2(p), neighbours and blocks. Source: Gerstenberger et
 * al., section 3.
 *
 * None of these functions is collective, and none needs an open context. Any thread may call them; one thread at a time uses a card.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HALOCLINE_MODEL_H
#define HALOCLINE_MODEL_H

#include <halocline/halocline.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A machine card that has been read. */
typedef struct hlc_model hlc_model;

/** What is to be predicted. Zero-initialise it. */
typedef struct hlc_model_case {
  const char *operation; /**< "put + flush", "halo", ...: hlc_model_curve lists those of a card */
  const char *by;        /**< the contender: "engine", "host", or a mode of a halo ("direct") */
  int nodes;             /**< of all ranks; 0 as 1. A card has curves for one node and for several */
  double bytes;          /**< that one rank moves to or from others in one operation */
  double local_bytes;    /**< that it copies within its own memory, as a halo does for a neighbour that is the rank itself */
  double ranks;          /**< that take part; 0 as 2 */
  double ranks_per_core; /**< of a node; 0 as 1. Above 1 the ranks share cores */
  double neighbours;     /**< other ranks that one rank exchanges data with */
  double blocks;         /**< contiguous runs of bytes that one rank moves */
  double messages;       /**< that one rank gets from others: a halo has one for each direction that another rank fills */
  double far_bytes;      /**< of the bytes, those to or from ranks on other nodes */
  double far_messages;   /**< of the messages, those from ranks on other nodes */
} hlc_model_case;

/** The quantity of a case that a term multiplies. The names in cards are those of hlc_model_quantity_name. */
typedef enum hlc_model_quantity HLC_INT {
  HLC_MODEL_LATENCY = 0,          /**< 1 */
  HLC_MODEL_BYTES,                /**< the bytes between `from` and `to` */
  HLC_MODEL_SWITCH,               /**< 1 from `from` bytes on: another protocol begins */
  HLC_MODEL_LOG_RANKS,            /**< log2 of the ranks */
  HLC_MODEL_RANKS,                /**< ranks - 1 */
  HLC_MODEL_SHARING,              /**< 1 where ranks share cores */
  HLC_MODEL_CROWDING,             /**< ranks per core - 1, at least 0 */
  HLC_MODEL_CROWDING_LOG,         /**< that times log2 of the ranks */
  HLC_MODEL_CROWDING_BYTES,       /**< that times the bytes */
  HLC_MODEL_NEIGHBOURS,           /**< neighbours */
  HLC_MODEL_BLOCKS,               /**< blocks */
  HLC_MODEL_LOCAL_BYTES,          /**< local bytes */
  HLC_MODEL_RANKS_BYTES,          /**< ranks - 1 times the bytes: what a rank gets that needs the bytes of all others */
  HLC_MODEL_MESSAGES,             /**< messages */
  HLC_MODEL_FAR_BYTES,            /**< far bytes: what they take longer than bytes within the node */
  HLC_MODEL_FAR_MESSAGES,         /**< far messages, likewise */
  HLC_MODEL_CROWDING_LOCAL_BYTES, /**< ranks per core - 1 times the local bytes: the ranks of a core copy one after the other */
  HLC_MODEL_CROWDING_MESSAGES,    /**< ranks per core - 1 times the messages */
  HLC_MODEL_QUANTITY_COUNT_
} hlc_model_quantity;

/** One term of a curve. */
typedef struct hlc_model_term {
  hlc_model_quantity quantity; /**< what `us` is multiplied with */
  double from, to; /**< bytes; of HLC_MODEL_BYTES (to 0: no end) and HLC_MODEL_SWITCH */
  double us;       /**< microseconds per unit, 0 or more */
} hlc_model_term;

/** Returns the name of a quantity as cards have it ("log_ranks"), NULL for a value that is none. */
HLC_API const char *hlc_model_quantity_name(hlc_model_quantity quantity);
/** Returns how much of a term's quantity a case has: what its coefficient is multiplied with. 0 if one of them is NULL. */
HLC_API double hlc_model_quantity_of(const hlc_model_term *term, const hlc_model_case *which);

/**
 * Returns where the card of this host and this MPI is kept: $XDG_CACHE_HOME or ~/.cache, halocline/card-*.json. "" where there is no such
 * folder. Valid until the thread's next call.
 */
HLC_API const char *hlc_model_path(void);

/**
 * Reads a machine card. path: its file; if it cannot be used, HLC_ERR_ARGUMENT names the file and the fault. NULL: the file that
 * HALOCLINE_CARD names, else the one that is kept for this host and this MPI (hlc_model_path). If there is none, or HALOCLINE_CARD is
 * "default", it is the default card, which is part of the library. It also replaces a card that cannot be used, which one report on
 * stderr names with the fault.
 */
HLC_NODISCARD HLC_API hlc_status hlc_model_open(const char *path, hlc_model **model);

/** Releases a card and sets *model to NULL; NULL is fine. */
HLC_API void hlc_model_close(hlc_model **model);

/** Returns the origin of the card: its path, or "default card" and why. "" if model is NULL. Valid as long as the card. */
HLC_API const char *hlc_model_source(const hlc_model *model);

/** A curve of a card. */
typedef struct hlc_model_curve_t {
  const char *operation, *by; /**< valid as long as the card */
  int nodes;                  /**< 1, or 2 for several */
  int points;                 /**< that it was fitted to */
  double least_bytes, most_bytes, least_ranks, most_ranks; /**< of these points */
  double typical_error; /**< median of |predicted - measured| / measured of points that were left out of a fit; -1: there were none */
  const hlc_model_term *terms; /**< whose sum is the time; valid as long as the card */
  int nterms; /**< at least 1 */
} hlc_model_curve_t;

/** Fills *curve with curve number `index`, 0 or more. HLC_ERR_ARGUMENT if there are not so many. */
HLC_NODISCARD HLC_API hlc_status hlc_model_curve(const hlc_model *model, int index, hlc_model_curve_t *curve);

/** What a card says about a case. */
typedef struct hlc_prediction {
  double us; /**< microseconds of one operation on the slowest rank; no less than the least that the curve was fitted to */
  double
      typical_error; /**< of such predictions: 0.1 means that half of them are within 10 %; -1: not tested, no point was left out of a fit */
  int beyond_measured; /**< 1: bytes or ranks are beyond those that were measured */
} hlc_prediction;

/** Predicts a case. HLC_ERR_UNSUPPORTED, with the name in the message, if the card has no such curve; HLC_ERR_ARGUMENT for NULL. */
HLC_NODISCARD HLC_API hlc_status hlc_model_predict(const hlc_model *model, const hlc_model_case *which, hlc_prediction *prediction);

#ifdef __cplusplus
}
#endif

#endif
