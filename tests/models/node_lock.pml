/* Atomics on memory that is read and written, under a lock of the node (src/engine/memory/node_lock.hpp, src/engine/rma/fetch.cpp).
 * The lock is a word with the rank that holds it; a rank that finds an ended rank there takes the lock from it. Each rank adds 1 to a
 * number some times; one of them may end at any moment. What is written may be seen late.
 *
 * Found: an addition that is lost; a wait that never ends.
 *
 * check   three ranks:                    -DRANKS=3 -DTIMES=2
 * check   three ranks, one ends:          -DRANKS=3 -DTIMES=2 -DENDS
 * break   NO_LOCK        nobody has the lock:                                            -DRANKS=2 -DTIMES=1
 * break   NO_RELEASE     unlocked-before-locked: the lock is free before the number:     -DRANKS=2 -DTIMES=1
 * break   NO_ACQUIRE     unlocked-before-locked: the number is read before the lock:     -DRANKS=2 -DTIMES=1
 * break   FROM_LIVING    the lock is taken from a rank that lives:                       -DRANKS=2 -DTIMES=1
 * break   NO_TAKING      the lock of a rank that has ended is not taken:                 -DRANKS=2 -DTIMES=1 -DENDS
 * break   STORED         the lock of a rank that has ended is taken by a store:          -DRANKS=3 -DTIMES=1 -DENDS
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
byte lock;           /* 0, or the rank that has it, counted from 1 */
byte number;         /* as others see it, */
byte written;        /* what is to be written there, */
bit late;            /* if it has not yet */
byte added;          /* additions that have been done */
bit ended[RANKS];

active proctype Memory() {
end:
  do
  :: d_step { late -> number = written; late = 0 }
  od
}

/* The kernel writes the number in one step, so that a rank that ends has written it or not. */
inline write(value) {
  d_step {
    written = value;
    late = 1;
    added++
  }
}

inline take(me) {
  do
#ifdef NO_LOCK
  :: break
#endif
  :: atomic { lock == 0 -> lock = me + 1 } break
#ifdef FROM_LIVING
  :: atomic { lock != 0 -> lock = me + 1 } break
#endif
#ifndef NO_TAKING
  :: atomic { lock != 0 && ended[lock - 1] -> owner = lock }
#ifdef STORED
     lock = me + 1;
     break
#else
     if
     :: atomic { lock == owner -> lock = me + 1 } break
     :: atomic { lock != owner -> skip }
     fi
#endif
#endif
  od
}

proctype Rank(byte me) {
  byte times, old, owner;
  do
  :: times < TIMES ->
#ifdef NO_ACQUIRE
     old = number;
     take(me);
#else
     /* SYNC unlocked-before-locked */
     take(me);
     old = number;
#endif
#ifdef ENDS
     if
     :: me == 0 -> break
     :: skip
     fi;
#endif
     write(old + 1);
#ifdef ENDS
     if
     :: me == 0 -> break
     :: skip
     fi;
#endif
     /* SYNC unlocked-before-locked */
#ifndef NO_RELEASE
     !late;
#endif
     atomic {
#ifndef NO_LOCK
       assert(lock == me + 1);
#endif
       lock = 0
     }
     times++
  :: else -> break
  od;
  /* What the process has begun to write is there when it is seen to have ended. */
  atomic { !late -> ended[me] = 1 }
}

init {
  byte r;
  atomic {
    r = 0;
    do
    :: r < RANKS -> run Rank(r); r++
    :: else -> break
    od
  }
  r = 0;
  do
  :: r < RANKS -> ended[r]; r++
  :: else -> break
  od;
  assert(number == added)
}
