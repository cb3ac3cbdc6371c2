/* Few elements on several nodes (FewOnNodes::gather, src/reduce/few.cpp; Ring, src/reduce/ring.cpp, on channels of
 * src/engine/network/slot_ends.hpp that announce no slot that has been read). In step s of each run the first rank of each node sends all
 * packs that it has to the node 2^s after, and gets as many from the node 2^s before, until it has the packs of all. The messages of one
 * step use SLOTS slots in turn and may overtake each other; no rank notifies the sender that it has read one. The slots are free because
 * no rank ends a run before all have begun it, and so have ended, and read, the run before.
 *
 * A message and its immediate data are one word here (payload-before-immediate): run * 8 + the node that sends it.
 *
 * Found: a message of another run than expected; a deadlock.
 *
 * check   2 nodes, slots for two runs:   -DRANKS=2 -DSTEPS=1 -DRUNS=5 -DSLOTS=2
 * check   3 nodes, slots for two runs:   -DRANKS=3 -DSTEPS=2 -DRUNS=4 -DSLOTS=2
 * check   4 nodes, slots for two runs:   -DRANKS=4 -DSTEPS=2 -DRUNS=4 -DSLOTS=2
 * check   5 nodes, slots for two runs:   -DRANKS=5 -DSTEPS=3 -DRUNS=3 -DSLOTS=2
 * break   ONE_RUN_2      2 nodes, slots for one run:   -DRANKS=2 -DSTEPS=1 -DRUNS=3 -DSLOTS=1
 * break   ONE_RUN_4      4 nodes, slots for one run:   -DRANKS=4 -DSTEPS=2 -DRUNS=3 -DSLOTS=1
 * break   FORGETS_LAST   does not wait for the last message of a run:   -DRANKS=3 -DSTEPS=2 -DRUNS=3 -DSLOTS=2
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define SLOT(r, step, run) (((r) * STEPS + (step)) * SLOTS + (run) % SLOTS)
#define WORDS (SLOTS * STEPS * RANKS)
#define WRITER(w) (((w) / (SLOTS * STEPS) + RANKS - (1 << ((w) / SLOTS % STEPS))) % RANKS)
#define STREAMED(w) false
#include "memory.pml"

#define MESSAGE(run, node) ((run) * 8 + (node))
#define BEFORE(r, step) (((r) + RANKS - (1 << (step))) % RANKS)
#define AFTER(r, step) (((r) + (1 << (step))) % RANKS)

proctype Rank(byte me) {
  byte turn = 1, step;
  do
  :: turn <= RUNS ->
     step = 0;
     do
     :: step < STEPS ->
        STORE(SLOT(AFTER(me, step), step, turn), MESSAGE(turn, me));
#ifdef FORGETS_LAST
        if
        :: step == STEPS - 1
        :: else ->
#endif
        /* What has arrived in the slot since it was last read; what was overwritten is lost. */
        seen[SLOT(me, step, turn)] / 8 >= turn;
        assert(seen[SLOT(me, step, turn)] == MESSAGE(turn, BEFORE(me, step)));
#ifdef FORGETS_LAST
        fi;
#endif
        step++
     :: else -> break
     od;
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
