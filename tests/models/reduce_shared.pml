/* Reductions of arrays that the ranks of a node read in place (NodeRows::open and close, src/reduce/node_rows.cpp). In each run a rank
 * writes a notice of where its arrays are, meets the others, reads their notices, says whether it can see all, and meets them again. It
 * combines its half from both arrays, takes the other half from the other's result, and leaves when no rank reads its arrays any more. Then
 * its caller writes them anew. Each run is one unit. In even runs no rank's arrays can be read: then there is no second meeting, and no
 * rank waits for another after its elements were given. If a rank cannot see an array, all copy, which reduce.pml checks; here that only
 * has to be known to all.
 *
 * Found: a notice, an element or a result of another run; ranks that disagree on whether all see all; a deadlock.
 *
 * check   2 ranks:                                -DRANKS=2 -DRUNS=3
 * break   NO_GIVEN_CHECK     combines without looking at given, and so leaves while its notice is read:  -DRANKS=2 -DRUNS=3
 * break   NO_RELEASE_OPENED  notices and elements may be seen after opened:                       -DRANKS=2 -DRUNS=3
 * break   NO_OPENED_CHECK    reads notices without looking at opened:                             -DRANKS=2 -DRUNS=3
 * break   ONE_MEETING        does not wait for what the other sees:                               -DRANKS=2 -DRUNS=3
 * break   NO_RELEASE_WORKED  results may be seen after worked:                                    -DRANKS=2 -DRUNS=3
 * break   WORKED_FIRST       says worked before it has read the other's elements:                 -DRANKS=2 -DRUNS=3
 * break   NO_WORKED_CHECK    takes without looking at worked:                                     -DRANKS=2 -DRUNS=3
 * break   NO_CLOSE_TAKEN     leaves while its results are read:                                   -DRANKS=2 -DRUNS=3
 * break   TAKEN_FIRST        says taken before it has read:                                       -DRANKS=2 -DRUNS=3
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define EACH 8
#define NOTICE(r) (EACH * (r))
#define SEES(r) (EACH * (r) + 1)
#define IN(r) (EACH * (r) + 2)
#define OUT(r) (EACH * (r) + 3)
#define OPENED(r) (EACH * (r) + 4)
#define WORKED(r) (EACH * (r) + 5)
#define TAKEN(r) (EACH * (r) + 6)
#define GIVEN(r) (EACH * (r) + 7)
#define WORDS (EACH * RANKS)
#define WRITER(w) ((w) / EACH)
#define STREAMED(w) false
#include "memory.pml"

#define OTHER (1 - me)

inline tell_opened(value) {
  /* SYNC noticed-before-opened */
#ifdef NO_RELEASE_OPENED
  STORE(OPENED(me), value);
#else
  RELEASE_STORE(OPENED(me), value);
#endif
}

inline open(round) {
  STORE(NOTICE(me), round);
  tell_opened(2 * round - 1);
#ifndef NO_OPENED_CHECK
  seen[OPENED(OTHER)] >= 2 * round - 1;
#endif
  read = seen[NOTICE(OTHER)];
  assert(read == round);
  sees = 0;
  if
  :: round % 2 == 0 -> goto opened
  :: else
  fi;
  /* It sees the other's arrays, or not. */
  if
  :: sees = 1
  :: sees = 0
  fi;
  STORE(SEES(me), 2 * round + sees);
  tell_opened(2 * round);
#ifndef ONE_MEETING
  seen[OPENED(OTHER)] >= 2 * round;
#endif
  read = seen[SEES(OTHER)];
  assert(read / 2 == round);
  sees = sees && read % 2;
opened:
  read = 0;
}

inline combine(round) {
  /* SYNC given-before-combined */
  RELEASE_STORE(GIVEN(me), round);
#ifndef NO_GIVEN_CHECK
  seen[GIVEN(OTHER)] >= round;
#endif
#ifdef WORKED_FIRST
  RELEASE_STORE(WORKED(me), round);
#endif
  if
  :: sees -> read = seen[IN(OTHER)]; assert(read == round); read = 0
  :: else
  fi;
  STORE(OUT(me), round);
  /* SYNC combined-before-given-anew, worked-before-taken */
#ifdef NO_RELEASE_WORKED
  STORE(WORKED(me), round);
#else
#ifndef WORKED_FIRST
  RELEASE_STORE(WORKED(me), round);
#endif
#endif
}

inline take(round) {
  /* SYNC worked-before-taken */
#ifndef NO_WORKED_CHECK
  !sees || seen[WORKED(OTHER)] >= round;
#endif
#ifdef TAKEN_FIRST
  RELEASE_STORE(TAKEN(me), round);
#endif
  if
  :: sees -> read = seen[OUT(OTHER)]; assert(read == round); read = 0
  :: else
  fi;
  /* SYNC taken-before-worked-anew */
#ifndef TAKEN_FIRST
  RELEASE_STORE(TAKEN(me), round);
#endif
}

inline close(round) {
  /* SYNC taken-before-worked-anew */
#ifndef NO_CLOSE_TAKEN
  !sees || seen[TAKEN(OTHER)] >= round;
#endif
  skip;
}

proctype Rank(byte me) {
  byte round = 1, read, sees;
  do
  :: round <= RUNS ->
     STORE(IN(me), round);
     open(round);
     combine(round);
     take(round);
     close(round);
     /* The caller uses its arrays for something else. */
     STORE(IN(me), 99);
     STORE(OUT(me), 99);
     round++
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
    :: i < RANKS -> run Rank(i); i++
    :: else -> break
    od;
    i = 0
  }
}
