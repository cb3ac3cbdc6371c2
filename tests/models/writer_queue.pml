/* The queue in front of an exclusive lock (src/faces/mpi/sync/mcs_queue.hpp, locks.cpp). A word at the target names the last place. A rank that
 * enters exchanges it for its own place, links that behind the one that it has found, and waits to be the first. The first does its work and
 * leaves: if no place is behind it, by compare and swap of the last place; else it waits for the link and makes that place the first.
 * Words are changed by atomics; a rank resets those of its own place by stores, which may be seen late, before it enters.
 *
 * Found: two ranks that are first; a deadlock.
 *
 * check   three ranks:                 -DRANKS=3 -DTIMES=3
 * check   four ranks:                  -DRANKS=4 -DTIMES=1
 * break   NO_RELEASE   place-before-next: the place is entered before its words are reset:   -DRANKS=3 -DTIMES=2
 * break   NO_WAIT      a rank does not wait to be the first:                                 -DRANKS=2 -DTIMES=1
 * break   TORN         looks at the last place and replaces it in two steps:                 -DRANKS=2 -DTIMES=1
 * break   LEAVES       leaves without a look at whether it is still the last:                -DRANKS=2 -DTIMES=1
 * break   NO_LINK      a rank that has found the link missing does not wait for it:          -DRANKS=2 -DTIMES=1
 * break   NO_PASSING   leaves without making the next place the first:                       -DRANKS=2 -DTIMES=1
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
byte last;                      /* 0, or a rank counted from 1 */
byte next[RANKS], first[RANKS];
bit next_late[RANKS], first_late[RANKS];  /* reset, but not seen by others: then it overwrites what they have entered */
byte inside;

active proctype Memory() {
end:
  do
  :: atomic { next_late[0] -> next[0] = 0; next_late[0] = 0 }
  :: atomic { first_late[0] -> first[0] = 0; first_late[0] = 0 }
  :: atomic { next_late[1] -> next[1] = 0; next_late[1] = 0 }
  :: atomic { first_late[1] -> first[1] = 0; first_late[1] = 0 }
#if RANKS > 2
  :: atomic { next_late[2] -> next[2] = 0; next_late[2] = 0 }
  :: atomic { first_late[2] -> first[2] = 0; first_late[2] = 0 }
#endif
#if RANKS > 3
  :: atomic { next_late[3] -> next[3] = 0; next_late[3] = 0 }
  :: atomic { first_late[3] -> first[3] = 0; first_late[3] = 0 }
#endif
  od
}

/* What the rank itself sees of a word that it has reset. */
#define NEXT(r) (next_late[r] -> 0 : next[r])
#define FIRST(r) (first_late[r] -> 0 : first[r])

inline enter(me) {
  next_late[me] = 1;
  first_late[me] = 1;
#ifndef NO_RELEASE
  /* SYNC place-before-next */
  !next_late[me] && !first_late[me];
#endif
#ifdef TORN
  before = last;
  last = me + 1;
#else
  atomic { before = last; last = me + 1 }
#endif
  if
  :: before > 0 ->
     next[before - 1] = me + 1;
#ifndef NO_WAIT
     FIRST(me) == 1;
#endif
     before = 0
  :: else
  fi
}

inline leave(me) {
#ifdef LEAVES
  if
  :: NEXT(me) == 0 -> last = 0
#else
  if
  :: atomic { NEXT(me) == 0 && last == me + 1 -> last = 0 }
#endif
#ifdef NO_LINK
  :: atomic { NEXT(me) == 0 && last != me + 1 -> skip }
#endif
  :: NEXT(me) != 0 ->
#ifndef NO_PASSING
     first[NEXT(me) - 1] = 1;
#endif
     skip
  fi
}

proctype Rank(byte me) {
  byte times, before;
  do
  :: times < TIMES ->
     times++;
     enter(me);
     atomic { assert(inside == 0); inside = 1 }
     inside = 0;
     leave(me)
  :: else -> break
  od
}

init {
  byte r;
  atomic {
    do
    :: r < RANKS -> run Rank(r); r++
    :: else -> break
    od;
    r = 0
  }
}
