/* Few elements on several nodes (Allreduce::gather, src/reduce/allreduce.cpp; Ring, src/reduce/ring.cpp): in each run the first rank of each node
 * sends its pack to the node after, and hands on what comes from the node before, until it has the packs of all. Messages of one node to the
 * next use SLOTS slots in turn and may overtake each other; nobody says that it has read one. What makes the slots free is that nobody
 * ends a run before all have begun it, and so have ended, and read, the run before.
 *
 * A message and its announcement are one word here (payload-before-announcement): run * 8 + the node whose pack it is.
 *
 * Found: a pack of another run or node than expected; a deadlock.
 *
 * check   2 nodes, slots for two runs:   -DRANKS=2 -DRUNS=5 -DSLOTS=2
 * check   3 nodes, slots for two runs:   -DRANKS=3 -DRUNS=4 -DSLOTS=4
 * break   ONE_RUN_2      2 nodes, slots for one run:   -DRANKS=2 -DRUNS=3 -DSLOTS=1
 * break   ONE_RUN_3      3 nodes, slots for one run:   -DRANKS=3 -DRUNS=3 -DSLOTS=2
 * break   FORGETS_LAST   does not wait for the last pack of a run:   -DRANKS=3 -DRUNS=3 -DSLOTS=4
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define SLOT(r, message) (SLOTS * (r) + ((message) % SLOTS))
#define WORDS (SLOTS * RANKS)
#define WRITER(w) (((w) / SLOTS + RANKS - 1) % RANKS)
#define STREAMED(w) false
#include "memory.pml"

#define PACK(round, node) ((round) * 8 + (node))

proctype Rank(byte me) {
  byte round = 1, step, sent, received, whose;
  do
  :: round <= RUNS ->
     step = 0;
     whose = me;
     do
     :: step < RANKS - 1 ->
        STORE(SLOT((me + 1) % RANKS, sent), PACK(round, whose));
        sent++;
        whose = (whose + RANKS - 1) % RANKS;
#ifdef FORGETS_LAST
        if
        :: step == RANKS - 2
        :: else ->
#endif
        /* Whatever has come into the slot since it was last read; what was written over is lost. */
        seen[SLOT(me, received)] / 8 >= round && seen[SLOT(me, received)] != 0;
        assert(seen[SLOT(me, received)] == PACK(round, whose));
#ifdef FORGETS_LAST
        fi;
#endif
        received++;
        step++
     :: else -> break
     od;
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
