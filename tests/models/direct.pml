/* Mode direct (src/exchange/modes/direct.cpp): no buffer, two counters. A rank stores ready when its interior may be read. It stores read
 * when it has taken all it needs from a peer. It overwrites its interior once its readers have stored read. The ranks form a ring and each
 * reads from the one before, two edges (two cells) per peer; with two ranks both read from each other. Which ranks read in a round is free.
 * A reverse swap is the same with the halo in place of the interior: it is read by the peers and then cleared.
 *
 * Found: a cell that is not of this round; a deadlock.
 *
 * check   2 ranks, all rounds whole:           -DRANKS=2 -DROUNDS=4 -DWHOLE
 * check   2 ranks, rounds that move any part:  -DRANKS=2 -DROUNDS=3
 * check   3 ranks, all rounds whole:           -DRANKS=3 -DROUNDS=2 -DWHOLE
 * break   NO_RELEASE_READY     the interior may be seen after ready:                      -DRANKS=2 -DROUNDS=2 -DWHOLE
 * break   NO_ACQUIRE_READY     the interior may be read before ready:                     -DRANKS=2 -DROUNDS=2 -DWHOLE
 * break   NO_READY_CHECK       reads without looking at ready:                            -DRANKS=2 -DROUNDS=2 -DWHOLE
 * break   NO_READY             never says ready:                                          -DRANKS=2 -DROUNDS=2 -DWHOLE
 * break   NO_RELEASE_READ      the interior may be read after read is seen:               -DRANKS=2 -DROUNDS=2 -DWHOLE
 * break   NO_CLOSE             finishes without looking at read:                          -DRANKS=2 -DROUNDS=2 -DWHOLE
 * break   READ_AFTER_ONE_EDGE  says read after the first edge of a peer:                  -DRANKS=2 -DROUNDS=2 -DWHOLE
 * break   NO_READ              never says read:                                           -DRANKS=2 -DROUNDS=2 -DWHOLE
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/* Words of a rank: two cells of its interior, ready, and read, by which it tells the rank before it. */
#define CELL(r, i) (4 * (r) + (i))
#define READY(r) (4 * (r) + 2)
#define READ(r) (4 * (r) + 3)
#define WORDS (4 * RANKS)
#define WRITER(w) ((w) / 4)
#define STREAMED(w) false
#include "memory.pml"

#define OVERWRITTEN 99

bit reads[RANKS * ROUNDS];  /* whether a rank reads from the one before in a round */

inline say_ready(me, round) {
  /* SYNC interior-before-ready */
#ifdef NO_RELEASE_READY
  STORE(READY(me), round)
#elif defined(NO_READY)
  skip
#else
  RELEASE_STORE(READY(me), round)
#endif
}

inline load(i) {
  if
  :: early -> early = 0
  :: else -> cell = seen[CELL(from, i)]
  fi;
  assert(cell == round);
  cell = 0
}

/* SYNC read-before-overwrite */
inline read_both(me) {
#ifdef NO_RELEASE_READ
  STORE(READ(me), round);
#endif
  load(0);
#ifdef READ_AFTER_ONE_EDGE
  RELEASE_STORE(READ(me), round);
#endif
  load(1);
#if !defined(NO_RELEASE_READ) && !defined(NO_READ) && !defined(READ_AFTER_ONE_EDGE)
  RELEASE_STORE(READ(me), round);
#endif
}

proctype Rank(byte me) {
  byte round, cell, from, reader;
  bit early;
  from = (me + RANKS - 1) % RANKS;
  reader = (me + 1) % RANKS;
  do
  :: round < ROUNDS ->
     round++;
     STORE(CELL(me, 0), round);
     STORE(CELL(me, 1), round);
     say_ready(me, round);
     if
     :: reads[me * ROUNDS + round - 1] ->
#ifdef NO_ACQUIRE_READY
        if
        :: cell = seen[CELL(from, 0)]; early = 1
        :: skip
        fi;
#endif
        /* SYNC interior-before-ready */
#ifndef NO_READY_CHECK
        seen[READY(from)] >= round;
#endif
        read_both(me)
     :: else
     fi;
     /* SYNC read-before-overwrite */
#ifndef NO_CLOSE
     !reads[reader * ROUNDS + round - 1] || seen[READ(reader)] >= round;
#endif
     STORE(CELL(me, 0), OVERWRITTEN);
     STORE(CELL(me, 1), OVERWRITTEN)
  :: else -> break
  od
}

init {
  byte i;
  atomic {
    do
    :: i < RANKS * ROUNDS ->
       reads[i] = 1;
#ifndef WHOLE
       if
       :: reads[i] = 0
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
