/* Mode view (src/exchange/modes/direct.cpp, src/exchange/arrivals.cpp): as direct.pml, but what is ready is read in place after the finish,
 * until the next start releases it by storing read. A rank has two fields and swaps them in turn. It writes one when the finish of the
 * other has seen that what was shown of it before has been released. At the end it waits for all (release). The ranks form a ring, open at
 * one end unless RING: each reads from the one before, so that only read tells a rank that it may write.
 *
 * Found: a cell that is not of this round; a deadlock.
 *
 * check   2 ranks:               -DRANKS=2 -DROUNDS=5
 * check   2 ranks in a ring:     -DRANKS=2 -DROUNDS=4 -DRING
 * check   3 ranks:               -DRANKS=3 -DROUNDS=3
 * break   NO_RELEASE_READY     the interior may be seen after ready:                      -DRANKS=2 -DROUNDS=3
 * break   NO_ACQUIRE_READY     the interior may be read before ready:                     -DRANKS=2 -DROUNDS=3
 * break   NO_READY_CHECK       reads without looking at ready:                            -DRANKS=2 -DROUNDS=3
 * break   NO_RELEASE_READ      the interior may be read after read is seen:               -DRANKS=2 -DROUNDS=4
 * break   READ_WHEN_SHOWN      says read in finish, before the solver reads:              -DRANKS=2 -DROUNDS=4
 * break   NO_CLOSE             finishes without looking at read of earlier rounds:        -DRANKS=2 -DROUNDS=4
 * break   NO_RELEASE           writes at the end without waiting for the last views:      -DRANKS=2 -DROUNDS=3
 * break   NO_READ              never says read:                                           -DRANKS=2 -DROUNDS=4
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/* Words of a rank: a cell of each of its two fields, ready, and read, by which it tells the rank before it. */
#define CELL(r, f) (4 * (r) + (f))
#define READY(r) (4 * (r) + 2)
#define READ(r) (4 * (r) + 3)
#define WORDS (4 * RANKS)
#define WRITER(w) ((w) / 4)
#define STREAMED(w) false
#include "memory.pml"

#define OVERWRITTEN 99

#ifdef RING
#define READS(r) true
#else
#define READS(r) ((r) > 0)
#endif

/* SYNC read-before-overwrite */
inline give_back(me, last) {
#if defined(NO_RELEASE_READ)
  STORE(READ(me), last)
#elif defined(NO_READ) || defined(READ_WHEN_SHOWN)
  skip
#else
  RELEASE_STORE(READ(me), last)
#endif
}

/* SYNC interior-before-ready */
inline finish_views(me) {
#ifdef NO_ACQUIRE_READY
  if
  :: READS(me) -> cell = seen[CELL(from, round % 2)]; early = 1
  :: skip
  fi;
#endif
#ifndef NO_READY_CHECK
  !READS(me) || seen[READY(from)] >= round;
#endif
#ifdef READ_WHEN_SHOWN
  RELEASE_STORE(READ(me), round);
#endif
#ifndef NO_CLOSE
  /* SYNC read-before-overwrite: of earlier rounds */
  !READS(reader) || seen[READ(reader)] + 1 >= round;
#endif
  skip
}

/* The solver reads what is shown. */
inline solve(me) {
  if
  :: READS(me) ->
     if
     :: early -> early = 0
     :: else -> cell = seen[CELL(from, round % 2)]
     fi;
     assert(cell == round);
     cell = 0
  :: else
  fi
}

proctype Rank(byte me) {
  byte round, cell, from, reader;
  bit early;
  from = (me + RANKS - 1) % RANKS;
  reader = (me + 1) % RANKS;
  do
  :: round < ROUNDS ->
     /* The solver reads what the last swap shows and writes the other field; then the next swap starts. */
#ifdef NO_RELEASE_READ
     if
     :: round > 0 -> give_back(me, round)
     :: else
     fi;
#endif
     if
     :: round > 0 -> solve(me)
     :: else
     fi;
     STORE(CELL(me, (round + 1) % 2), round + 1);
#ifndef NO_RELEASE_READ
     if
     :: round > 0 -> give_back(me, round)
     :: else
     fi;
#endif
     round++;
#ifdef NO_RELEASE_READY
     STORE(READY(me), round);
#else
     RELEASE_STORE(READY(me), round);
#endif
     finish_views(me)
  :: else -> break
  od;
  solve(me);
  give_back(me, ROUNDS);
#ifndef NO_RELEASE
  !READS(reader) || seen[READ(reader)] >= ROUNDS;
#endif
  STORE(CELL(me, 0), OVERWRITTEN);
  STORE(CELL(me, 1), OVERWRITTEN)
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
    :: i < RANKS -> run Rank(i); i++
    :: else -> break
    od;
    i = 0
  }
}
