/* Reductions on one node (NodeRows, src/reduce/node_rows.cpp): what a rank gives, what it computes from its own and the others' elements, and what it
 * takes, each unit in a slot in turn. The counters are given, worked and taken, one of each per rank. A rank gives one unit ahead of the
 * one that it works on, and takes one behind. Of each unit every rank works on one lane. SLOTS is the number of slots of both kinds.
 *
 * Found: an element or a result that is not of the unit; a deadlock.
 *
 * check   2 ranks, two slots:                  -DRANKS=2 -DUNITS=5 -DSLOTS=2
 * check   2 ranks, three slots:                -DRANKS=2 -DUNITS=5 -DSLOTS=3
 * break   NO_RELEASE_GIVEN    elements may be seen after given:                         -DRANKS=2 -DUNITS=3 -DSLOTS=2
 * break   NO_GIVEN_CHECK      works without looking at given:                           -DRANKS=2 -DUNITS=3 -DSLOTS=2
 * break   NO_ACQUIRE_GIVEN    elements may be read before given:                        -DRANKS=2 -DUNITS=3 -DSLOTS=2
 * break   NO_WORKED_CHECK     gives without looking whether the slot has been combined: -DRANKS=2 -DUNITS=4 -DSLOTS=2
 * break   WORKED_FIRST        says worked before it has read the others' elements:      -DRANKS=2 -DUNITS=4 -DSLOTS=2
 * break   NO_RELEASE_WORKED   results may be seen after worked:                         -DRANKS=2 -DUNITS=3 -DSLOTS=2
 * break   NO_TAKE_CHECK       takes without looking at worked:                          -DRANKS=2 -DUNITS=3 -DSLOTS=2
 * break   NO_TAKEN_CHECK      works without looking whether its slot has been taken:    -DRANKS=2 -DUNITS=5 -DSLOTS=2
 * break   TAKEN_FIRST         says taken before it has read:                            -DRANKS=2 -DUNITS=5 -DSLOTS=2
 * break   ONE_SLOT            every unit in slot 0:                                     -DRANKS=2 -DUNITS=4 -DSLOTS=1
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define EACH (2 * SLOTS + 3)
#define ELEMENTS(r, unit) (EACH * (r) + ((unit) % SLOTS))
#define RESULTS(r, unit) (EACH * (r) + SLOTS + ((unit) % SLOTS))
#define GIVEN(r) (EACH * (r) + 2 * SLOTS)
#define WORKED(r) (EACH * (r) + 2 * SLOTS + 1)
#define TAKEN(r) (EACH * (r) + 2 * SLOTS + 2)
#define WORDS (EACH * RANKS)
#define WRITER(w) ((w) / EACH)
#define STREAMED(w) false
#include "memory.pml"

#define OTHER (1 - me)

inline give(unit) {
  /* SYNC combined-before-given-anew */
#ifndef NO_WORKED_CHECK
  unit < SLOTS || seen[WORKED(OTHER)] >= unit + 1 - SLOTS;
#endif
  STORE(ELEMENTS(me, unit), unit + 1);
  /* SYNC given-before-combined */
#ifdef NO_RELEASE_GIVEN
  STORE(GIVEN(me), unit + 1);
#else
  RELEASE_STORE(GIVEN(me), unit + 1);
#endif
}

inline work(unit) {
#ifdef NO_ACQUIRE_GIVEN
  if
  :: read = seen[ELEMENTS(OTHER, unit)]
  :: skip
  fi;
#endif
  /* SYNC given-before-combined */
#ifndef NO_GIVEN_CHECK
  seen[GIVEN(OTHER)] >= unit + 1;
#endif
  /* SYNC taken-before-worked-anew */
#ifndef NO_TAKEN_CHECK
  unit < SLOTS || seen[TAKEN(OTHER)] >= unit + 1 - SLOTS;
#endif
#ifdef WORKED_FIRST
  RELEASE_STORE(WORKED(me), unit + 1);
#endif
  if
  :: read == 0 -> read = seen[ELEMENTS(OTHER, unit)]
  :: else
  fi;
  assert(read == unit + 1);
  STORE(RESULTS(me, unit), read);
  read = 0;
  /* SYNC combined-before-given-anew, worked-before-taken */
#ifdef NO_RELEASE_WORKED
  STORE(WORKED(me), unit + 1);
#else
#ifndef WORKED_FIRST
  RELEASE_STORE(WORKED(me), unit + 1);
#endif
#endif
}

inline take(unit) {
  /* SYNC worked-before-taken */
#ifndef NO_TAKE_CHECK
  seen[WORKED(OTHER)] >= unit + 1;
#endif
#ifdef TAKEN_FIRST
  RELEASE_STORE(TAKEN(me), unit + 1);
#endif
  read = seen[RESULTS(OTHER, unit)];
  assert(read == unit + 1);
  read = 0;
  /* SYNC taken-before-worked-anew */
#ifndef TAKEN_FIRST
  RELEASE_STORE(TAKEN(me), unit + 1);
#endif
}

proctype Rank(byte me) {
  byte turn, read;
  do
  :: turn < UNITS + 2 ->
     if
     :: turn < UNITS -> give(turn)
     :: else
     fi;
     if
     :: turn >= 1 && turn <= UNITS -> work((turn - 1))
     :: else
     fi;
     if
     :: turn >= 2 -> take((turn - 2))
     :: else
     fi;
     turn++
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
