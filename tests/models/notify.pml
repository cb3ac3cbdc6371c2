/* Mode notify (src/exchange/modes/notify.cpp): two slots per edge, the counters arrived and freed, and the sender's check of freed before
 * it writes a slot again. The ranks form a ring and each sends to the next; with two ranks that is one edge in each direction. Which edges
 * take part in a round is free, the same at both ends, so that a sender may run ahead of a receiver that does not send to it.
 *
 * Found: a payload read that is not the one announced; a deadlock.
 *
 * check   2 ranks, all rounds whole:           -DRANKS=2 -DROUNDS=4 -DWHOLE
 * check   2 ranks, rounds that move any part:  -DRANKS=2 -DROUNDS=4
 * check   3 ranks, all rounds whole:           -DRANKS=3 -DROUNDS=3 -DWHOLE
 * check   2 ranks, payload past the caches:    -DRANKS=2 -DROUNDS=3 -DPAST_CACHES
 * break   NO_RELEASE_ARRIVED   the payload may be seen after arrived:                     -DRANKS=2 -DROUNDS=2 -DWHOLE
 * break   NO_ACQUIRE_ARRIVED   the payload may be read before arrived:                    -DRANKS=2 -DROUNDS=2 -DWHOLE
 * break   NO_ARRIVED_CHECK     unpacks without looking at arrived:                        -DRANKS=2 -DROUNDS=2 -DWHOLE
 * break   NO_RELEASE_FREED     the payload may be read after freed is seen:               -DRANKS=2 -DROUNDS=4
 * break   NO_FREED_CHECK       packs without looking at freed:                            -DRANKS=2 -DROUNDS=4
 * break   FREED_ONE_LATE       looks for a use that is one too old:                       -DRANKS=2 -DROUNDS=4
 * break   NO_FREED             never says freed:                                          -DRANKS=2 -DROUNDS=4
 * break   ONE_SLOT             every use in slot 0:                                       -DRANKS=2 -DROUNDS=4 -DWHOLE
 * break   ANNOUNCE_FIRST       arrived is stored before the payload:                      -DRANKS=2 -DROUNDS=2 -DWHOLE
 * break   NO_STREAM_FENCE      streamed payload, no fence before arrived:                 -DRANKS=2 -DROUNDS=2 -DWHOLE -DPAST_CACHES
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/* Edge e leads from rank e to the next. Words of an edge: two slots and arrived, written by its sender; freed, written by its receiver. */
#define SLOT(e, use) (4 * (e) + ((use) % 2))
#define ARRIVED(e) (4 * (e) + 2)
#define FREED(e) (4 * (e) + 3)
#define WORDS (4 * RANKS)
#define WRITER(w) ((w) % 4 == 3 -> ((w) / 4 + 1) % RANKS : (w) / 4)
#ifdef PAST_CACHES
#define STREAMED(w) ((w) % 4 < 2)
#else
#define STREAMED(w) false
#endif
#include "memory.pml"

#ifdef ONE_SLOT
#define SLOT_OF(e, use) SLOT(e, 0)
#else
#define SLOT_OF(e, use) SLOT(e, use)
#endif
#ifdef FREED_ONE_LATE
#define TWO 3
#else
#define TWO 2
#endif

bit moves[RANKS * ROUNDS];  /* whether edge e takes part in round n */

inline announce(e, use) {
#ifdef NO_RELEASE_ARRIVED
  STORE(ARRIVED(e), use)
#else
  RELEASE_STORE(ARRIVED(e), use)
#endif
}

inline send(e) {
  sent++;
  /* SYNC unpacked-before-reuse */
#ifndef NO_FREED_CHECK
  sent <= TWO || seen[FREED(e)] >= sent - TWO;
#endif
#ifdef ANNOUNCE_FIRST
  announce(e, sent);
#endif
  STORE(SLOT_OF(e, sent), sent);
  /* SYNC streamed-before-counter */
#if defined(PAST_CACHES) && !defined(NO_STREAM_FENCE)
  FENCE(e);
#endif
  /* SYNC payload-before-arrived */
#ifndef ANNOUNCE_FIRST
  announce(e, sent);
#endif
}

inline receive(e) {
  received++;
#ifdef NO_ACQUIRE_ARRIVED
  if
  :: payload = seen[SLOT_OF(e, received)]; early = 1
  :: early = 0
  fi;
#endif
  /* SYNC payload-before-arrived */
#ifndef NO_ARRIVED_CHECK
  seen[ARRIVED(e)] >= received;
#endif
#ifdef NO_RELEASE_FREED
  STORE(FREED(e), received);
#endif
  if
  :: early -> early = 0
  :: else -> payload = seen[SLOT_OF(e, received)]
  fi;
  assert(payload == received);
  payload = 0;
  /* SYNC unpacked-before-reuse */
#if !defined(NO_FREED) && !defined(NO_RELEASE_FREED)
  RELEASE_STORE(FREED(e), received);
#endif
}

proctype Rank(byte me) {
  byte round, sent, received, payload;
  bit early;
  do
  :: round < ROUNDS ->
     if
     :: moves[me * ROUNDS + round] -> send(me)
     :: else
     fi;
     if
     :: moves[((me + RANKS - 1) % RANKS) * ROUNDS + round] -> receive((me + RANKS - 1) % RANKS)
     :: else
     fi;
     round++
  :: else -> break
  od
}

init {
  byte i;
  atomic {
    do
    :: i < RANKS * ROUNDS ->
       moves[i] = 1;
#ifndef WHOLE
       if
       :: moves[i] = 0
       :: skip
       fi;
#endif
       i++
    :: else -> break
    od;
    i = 0;
    do
    :: i < WORDS -> run Memory(i); i++
    :: else -> break
    od;
    i = 0;
    do
    :: i < RANKS -> run Rank(i); i++
    :: else -> break
    od;
    i = 0
  }
}
