/* The barrier (src/engine/sync/barrier.cpp): in round k each rank sets a word of the rank 2^k above it to the number of the barrier. It waits
 * until its own word of that round, which the rank 2^k below sets, has reached that number. The words are never reset: a neighbour may be
 * one barrier ahead. Before each barrier a rank stores the barrier's number, without any order, where all ranks read it afterwards.
 *
 * With NETWORK words are set by notifications over a network, which may overtake each other: a word then never decreases.
 *
 * Found: a rank that leaves before another has entered, or does not see what that rank stored before; a deadlock.
 *
 * check   2 ranks:                                       -DRANKS=2 -DROUNDS=1 -DBARRIERS=3
 * check   3 ranks:                                       -DRANKS=3 -DROUNDS=2 -DBARRIERS=2
 * check   4 ranks:                                       -DRANKS=4 -DROUNDS=2 -DBARRIERS=1
 * check   2 ranks, network:                              -DRANKS=2 -DROUNDS=1 -DBARRIERS=3 -DNETWORK
 * check   3 ranks, network:                              -DRANKS=3 -DROUNDS=2 -DBARRIERS=2 -DNETWORK
 * break   OVERTAKEN      a word goes back:                                 -DRANKS=2 -DROUNDS=1 -DBARRIERS=2 -DNETWORK
 * break   NO_RELEASE     what was stored may be seen after the word:       -DRANKS=2 -DROUNDS=1 -DBARRIERS=2
 * break   NO_ACQUIRE     what was stored may be read before the word:      -DRANKS=2 -DROUNDS=1 -DBARRIERS=2
 * break   NO_WAIT        does not wait for the rank below:                 -DRANKS=2 -DROUNDS=1 -DBARRIERS=2
 * break   ONE_ROUND      leaves out the last round:                        -DRANKS=3 -DROUNDS=2 -DBARRIERS=1
 * break   NO_TELL        does not tell the rank above:                     -DRANKS=2 -DROUNDS=1 -DBARRIERS=1
 * break   WAIT_FIRST     waits before it tells:                            -DRANKS=2 -DROUNDS=1 -DBARRIERS=1
 * break   EQUAL          waits for the very number:                        -DRANKS=2 -DROUNDS=1 -DBARRIERS=3
 * break   SAME_DISTANCE  tells the next rank in every round:               -DRANKS=4 -DROUNDS=2 -DBARRIERS=1
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/* Word k of rank r is written by the rank 2^k below it; behind those words what each rank stores. */
#define WORD(r, k) ((r) * ROUNDS + (k))
#define STORED(r) (RANKS * ROUNDS + (r))
#define WORDS (RANKS * ROUNDS + RANKS)
#ifdef SAME_DISTANCE
#define DISTANCE(k) 1
#else
#define DISTANCE(k) (1 << (k))
#endif
#define BELOW(r, k) (((r) + RANKS - DISTANCE(k)) % RANKS)
#define ABOVE(r, k) (((r) + DISTANCE(k)) % RANKS)
#define WRITER(w) ((w) < RANKS * ROUNDS -> BELOW((w) / ROUNDS, (w) % ROUNDS) : (w) - RANKS * ROUNDS)
#define STREAMED(w) false
#include "memory.pml"

#ifdef NETWORK
byte wire[2 * WORDS];    /* notifications under way to a word, 0: none; never more than two */

inline SEND(w, v) {
  atomic {
    unseen[WRITER(w)] == 0;  /* what was stored has been flushed */
    if
    :: wire[2 * (w)] == 0 -> wire[2 * (w)] = v
    :: else -> assert(wire[2 * (w) + 1] == 0); wire[2 * (w) + 1] = v
    fi
  }
}

proctype Wire(byte w) {
end:
  do
  :: d_step {
       wire[w] != 0 ->
#ifdef OVERTAKEN
       seen[w / 2] = wire[w];
#else
       /* SYNC later-before-earlier */
       seen[w / 2] = (wire[w] > seen[w / 2] -> wire[w] : seen[w / 2]);
#endif
       wire[w] = 0
     }
  od
}
#endif

inline tell() {
  /* SYNC barrier-round */
#if defined(NETWORK)
  SEND(WORD(ABOVE(me, round), round), number)
#elif defined(NO_RELEASE)
  STORE(WORD(ABOVE(me, round), round), number)
#elif defined(NO_TELL)
  skip
#else
  RELEASE_STORE(WORD(ABOVE(me, round), round), number)
#endif
}

inline wait() {
  /* SYNC barrier-round */
#if defined(EQUAL)
  seen[WORD(me, round)] == number
#elif defined(NO_WAIT)
  skip
#else
  seen[WORD(me, round)] >= number
#endif
}

/* What another rank stored is of this barrier, or of the next if that rank is quicker. */
inline look(value) { assert(value == number || value == number + 1) }

proctype Rank(byte me) {
  byte number, round, other, value;
  do
  :: number < BARRIERS ->
     number++;
     STORE(STORED(me), number);
     round = 0;
     do
#ifdef ONE_ROUND
     :: round < ROUNDS - 1 ->
#else
     :: round < ROUNDS ->
#endif
#ifdef WAIT_FIRST
        wait();
        tell();
#else
        tell();
#ifdef NO_ACQUIRE
        if
        :: value = seen[STORED(BELOW(me, round))]
        :: skip
        fi;
#endif
        wait();
#endif
        round++
     :: else -> break
     od;
     other = 0;
     do
     :: other < RANKS ->
        if
        :: other == me -> skip
        :: else ->
#ifdef NO_ACQUIRE
           if
           :: value == 0 -> value = seen[STORED(other)]
           :: else -> skip
           fi;
#else
           value = seen[STORED(other)];
#endif
           look(value);
           value = 0
        fi;
        other++
     :: else -> break
     od
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
#ifdef NETWORK
    i = 0;
    do
    :: i < 2 * RANKS * ROUNDS -> run Wire(i); i++
    :: else -> break
    od;
#endif
    i = 0;
    do
    :: i < RANKS -> run Rank(i); i++
    :: else -> break
    od;
    i = 0
  }
}
