/* Modes pscw and fence with early epochs (src/exchange/modes/{pscw,fence}.cpp) in the terms of the MPI standard. pscw: two windows in turn.
 * The exposure of the next round is posted before this round's access is completed. So start, which may wait for a post, never does. fence:
 * one window, two slots, one fence per round, which ends a round and opens the next. A put may take effect at any time from the call on
 * until the complete, or the fence, of its origin. Two ranks put into each other's windows.
 *
 * Found: a payload that is not of this round; a start that would have to wait; an epoch opened twice; a deadlock.
 *
 * check   pscw:                                -DROUNDS=5
 * check   fence:                               -DROUNDS=5 -DBY_FENCE
 * break   POST_AFTER_COMPLETE  post-before-complete:                                      -DROUNDS=3
 * break   NO_POST              the next round is never posted:                            -DROUNDS=3
 * break   NO_COMPLETE          the access is not completed:                               -DROUNDS=3
 * break   NO_WAIT              the exposure is not waited for:                            -DROUNDS=3
 * break   ONE_WINDOW           the next exposure is of the same window:                   -DROUNDS=3
 * break   POST_AT_CLOSE        one window, posted again only when the round is over:      -DROUNDS=3
 * break   NO_FENCE             a round ends without a fence:                              -DROUNDS=3 -DBY_FENCE
 * break   ONE_SLOT             every round in slot 0:                                     -DROUNDS=3 -DBY_FENCE
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define RANKS 2
#if defined(ONE_SLOT) || defined(ONE_WINDOW) || defined(POST_AT_CLOSE)
#define PLACE(round) 0
#else
#define PLACE(round) ((round) % 2)
#endif
/* What a rank puts into the other's window 0 and 1, or slot 0 and 1. */
#define PUT(origin, round) (2 * (origin) + PLACE(round))
#define WORDS 4
#define WRITER(w) ((w) / 2)
#define STREAMED(w) false
#include "memory.pml"

byte posts[4], completes[4];  /* by 2 * rank + window; they count */
bit exposed[4];               /* posted, and not waited for */
byte fences[RANKS];

#define WINDOW(rank, round) (2 * (rank) + PLACE(round))

inline post(rank, round) {
  atomic {
    assert(!exposed[WINDOW(rank, round)]);
    exposed[WINDOW(rank, round)] = 1;
    posts[WINDOW(rank, round)]++
  }
}

/* Start may wait for the post of its peer; here it must not have to. */
inline start(me, round) {
  uses[PLACE(round)]++;
  assert(posts[WINDOW(1 - me, round)] >= uses[PLACE(round)])
}

inline complete(me, round) {
  /* SYNC post-before-complete */
#if !defined(POST_AFTER_COMPLETE) && !defined(NO_POST) && !defined(POST_AT_CLOSE)
  post(me, round + 1);
#endif
#ifndef NO_COMPLETE
  FENCE(me);
  completes[WINDOW(me, round)]++;
#endif
#ifdef POST_AFTER_COMPLETE
  post(me, round + 1);
#endif
  skip
}

inline wait_exposure(me, round) {
#ifndef NO_WAIT
  completes[WINDOW(1 - me, round)] >= uses[PLACE(round)];
#endif
  exposed[WINDOW(me, round)] = 0
}

inline unpack(me, round) { assert(seen[PUT(1 - me, round)] == round) }

proctype Pscw(byte me) {
  byte round, uses[2];
  post(me, 1);
  /* Creating the exchange is collective and ends after all have posted. */
  posts[WINDOW(1 - me, 1)] > 0;
  start(me, 1);
  do
  :: round < ROUNDS ->
     round++;
     STORE(PUT(me, round), round);
     complete(me, round);
     wait_exposure(me, round);
     unpack(me, round);
#ifdef POST_AT_CLOSE
     post(me, round + 1);
#endif
     start(me, round + 1)
  :: else -> break
  od
}

/* A fence returns when both have called it and what they put before it is complete. */
inline fence(me) {
  FENCE(me);
  fences[me]++;
  fences[1 - me] >= fences[me]
}

proctype Fence(byte me) {
  byte round;
  fence(me);
  do
  :: round < ROUNDS ->
     round++;
     STORE(PUT(me, round), round);
#ifndef NO_FENCE
     fence(me);
#endif
     unpack(me, round)
  :: else -> break
  od
}

init {
  byte i;
  atomic {
    do
    :: i < WORDS -> run Memory(i); i++
    :: else -> break
    od;
    i = 0;
    do
    :: i < RANKS ->
#ifdef BY_FENCE
       run Fence(i);
#else
       run Pscw(i);
#endif
       i++
    :: else -> break
    od;
    i = 0
  }
}
