/* Post, start, complete and wait (src/faces/mpi/sync/pscw_words.hpp, calls/pscw.cpp). A rank that posts claims a free slot in the other's list,
 * or sets its bit there if no slot is free, or if it is on another node; the other's start waits for the entry and takes it out. Complete adds 1 to a counter of the rank
 * that has posted, whose wait compares it with the number of all accesses so far. Rank 0 exposes its memory to 1 and 2, rank 1 to 2. Which of
 * these take part in a round is free, so that ranks may be rounds apart. Stores and puts are seen late.
 *
 * Found: a value that is not of this round, on either side; a deadlock.
 *
 * check   one slot:                                    -DROUNDS=2 -DSLOTS=1
 * large   two slots:                                   -DROUNDS=2 -DSLOTS=2
 * large   one slot, rank 0 on another node:            -DROUNDS=2 -DSLOTS=1 -DFAR
 * break   NO_RELEASE_POST      access-before-post: posts before its stores are seen:                -DROUNDS=2 -DSLOTS=1
 * break   NO_ACQUIRE_START     access-before-post: may read before it has found the entry:          -DROUNDS=2 -DSLOTS=1
 * break   NO_START_WAIT        start does not wait for the entry:                                   -DROUNDS=2 -DSLOTS=1
 * break   ANY_ENTRY            start takes an entry of any rank:                                    -DROUNDS=2 -DSLOTS=1
 * break   NOT_TAKEN            start leaves the entry in the list:                                  -DROUNDS=2 -DSLOTS=2
 * break   TORN                 looks for a free slot and claims it in two steps:                    -DROUNDS=2 -DSLOTS=1
 * break   NO_OVERFLOW          a rank that finds no free slot posts nothing:                        -DROUNDS=2 -DSLOTS=1
 * break   WAITS_FOR_SLOT       post waits for a free slot:                                          -DROUNDS=2 -DSLOTS=1
 * break   NO_RELEASE_COMPLETE  access-before-completed: counts before its puts are seen:            -DROUNDS=2 -DSLOTS=1
 * break   NO_ACQUIRE_WAIT      access-before-completed: may read before all have completed:         -DROUNDS=2 -DSLOTS=1
 * break   NO_WAIT              wait does not wait:                                                  -DROUNDS=2 -DSLOTS=1
 * break   ONE_WAITED           wait returns after the first complete:                               -DROUNDS=2 -DSLOTS=1
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define RANKS 3
/* Words: a value of rank 0 and of rank 1, and what is put to 0 by 1, to 0 by 2, to 1 by 2. */
#define VALUE(rank) (rank)
#define PUT(from, to) (1 + (from) + (to))
#define WORDS 5
#define WRITER(w) ((w) == 0 -> 0 : ((w) == 1 || (w) == 2 -> 1 : 2))
#define STREAMED(w) false
#include "memory.pml"

/* Whether `to` may access `from` in a round: pairs 0 to 1, 0 to 2, 1 to 2. */
#define PAIR(from, to) ((from) + (to) - 1)
bit paired[3 * ROUNDS];
#define IS_PAIRED(round, from, to) ((from) < (to) && paired[3 * ((round) - 1) + PAIR(from, to)])

byte slots[RANKS * SLOTS];  /* 0, or a rank counted from 1 */
bit overflow[9];
byte completed[RANKS];
#define SLOT(of, i) ((of) * SLOTS + (i))
#define BIT(of, rank) (3 * (of) + (rank))

inline post(me, to) {
#ifndef NO_RELEASE_POST
  /* SYNC access-before-post */
  FENCE(me);
#endif
#ifdef FAR
  i = (me == 0 -> SLOTS : 0);
#else
  i = 0;
#endif
  do
  :: i < SLOTS ->
#ifdef TORN
     if
     :: slots[SLOT(to, i)] == 0 -> slots[SLOT(to, i)] = me + 1; break
#else
     if
     :: atomic { slots[SLOT(to, i)] == 0 -> slots[SLOT(to, i)] = me + 1 } break
#endif
#ifndef WAITS_FOR_SLOT
     :: atomic { else -> i++ }
#endif
     fi
  :: i == SLOTS ->
#ifndef NO_OVERFLOW
     overflow[BIT(to, me)] = 1;
#endif
     break
  od;
  i = 0
}

#define HAS_ENTRY(me, from) (slots[SLOT(me, 0)] == (from) + 1 || slots[SLOT(me, SLOTS - 1)] == (from) + 1 || overflow[BIT(me, from)])

inline take_out(me, from) {
  if
  :: slots[SLOT(me, 0)] == from + 1 -> slots[SLOT(me, 0)] = 0
  :: slots[SLOT(me, 0)] != from + 1 && slots[SLOT(me, SLOTS - 1)] == from + 1 -> slots[SLOT(me, SLOTS - 1)] = 0
  :: else -> overflow[BIT(me, from)] = 0
  fi
}

inline start(me, from) {
#ifdef NO_ACQUIRE_START
  got = seen[VALUE(from)];
#endif
#ifdef ANY_ENTRY
  if
  :: atomic { slots[SLOT(me, 0)] != 0 -> slots[SLOT(me, 0)] = 0 }
  :: atomic { HAS_ENTRY(me, from) -> take_out(me, from) }
  fi;
#elif defined(NOT_TAKEN)
  HAS_ENTRY(me, from);
#elif !defined(NO_START_WAIT)
  /* SYNC access-before-post */
  atomic { HAS_ENTRY(me, from) -> take_out(me, from) }
#endif
#ifndef NO_ACQUIRE_START
  got = seen[VALUE(from)];
#endif
  assert(got == round);
  got = 0
}

inline complete(me, from) {
#ifndef NO_RELEASE_COMPLETE
  /* SYNC access-before-completed */
  FENCE(me);
#endif
  completed[from]++
}

inline wait_for_completes(me) {
  i = IS_PAIRED(round, me, 1) + IS_PAIRED(round, me, 2);
#ifdef NO_ACQUIRE_WAIT
  got = (IS_PAIRED(round, me, 2) -> seen[PUT(2, me)] : round);
#endif
#ifdef ONE_WAITED
  i == 0 || completed[me] > awaited;
#elif !defined(NO_WAIT)
  /* SYNC access-before-completed */
  completed[me] >= awaited + i;
#endif
  awaited = awaited + i;
#ifndef NO_ACQUIRE_WAIT
  got = (IS_PAIRED(round, me, 2) -> seen[PUT(2, me)] : round);
#endif
  assert(got == round);
  assert(!IS_PAIRED(round, me, 1) || seen[PUT(1, me)] == round);
  i = 0;
  got = 0
}

proctype Rank(byte me) {
  byte round, i, awaited, got;
  do
  :: round < ROUNDS ->
     round++;
     if
     :: me < 2 ->
        STORE(VALUE(me), round);
        if
        :: IS_PAIRED(round, me, 1) -> post(me, 1)
        :: else
        fi;
        if
        :: IS_PAIRED(round, me, 2) -> post(me, 2)
        :: else
        fi
     :: else
     fi;
     if
     :: me > 0 && IS_PAIRED(round, 0, me) -> start(me, 0); STORE(PUT(me, 0), round)
     :: else
     fi;
     if
     :: me == 2 && IS_PAIRED(round, 1, me) -> start(me, 1); STORE(PUT(me, 1), round)
     :: else
     fi;
     if
     :: me > 0 && IS_PAIRED(round, 0, me) -> complete(me, 0)
     :: else
     fi;
     if
     :: me == 2 && IS_PAIRED(round, 1, me) -> complete(me, 1)
     :: else
     fi;
     if
     :: me < 2 -> wait_for_completes(me)
     :: else
     fi
  :: else -> break
  od
}

init {
  byte i;
  atomic {
    do
    :: i < 3 * ROUNDS ->
       if
       :: paired[i] = 1
       :: skip
       fi;
       i++
    :: else -> break
    od;
    i = 0;
    do
    :: i < WORDS -> run Memory(i); i++
    :: else -> break
    od;
    run Rank(0);
    run Rank(1);
    run Rank(2);
    i = 0
  }
}
