/* The barrier with counts of a sparse exchange between nodes (src/sparse/counted_barrier.cpp), and the slots that are reserved for one sender
 * (src/sparse/reserved_slots.hpp). Each rank is a node. In an exchange a rank sends a message to one of the others, or to none, into the slot
 * that is reserved for it there, and does not wait for it. In round k it sends a list to the rank 2^k above it: how many messages it knows of
 * for that rank, and for those to which the way leads there. It leaves the exchange when it has the lists of all rounds and as many messages
 * as they say. Slots and lists are there twice, for exchanges of even and of odd number. The network keeps no order.
 *
 * Found: a message or a list that is overwritten, lost, or taken in another exchange; a rank that leaves with too few messages; a deadlock.
 *
 * check   two ranks:                                  -DRANKS=2 -DROUNDS=1 -DTIMES=4
 * large   three ranks:                                -DRANKS=3 -DROUNDS=2 -DTIMES=1
 * break   ONE_SLOT     read-two-exchanges-later: one slot for all exchanges:                        -DRANKS=2 -DROUNDS=1 -DTIMES=3
 * break   ONE_LIST     read-two-exchanges-later: one list per round for all exchanges:              -DRANKS=2 -DROUNDS=1 -DTIMES=3
 * break   EITHER_SLOT  takes what is in both slots:                                                 -DRANKS=2 -DROUNDS=1 -DTIMES=2
 * break   KEPT_SET     the notification of a list is not reset:                                     -DRANKS=2 -DROUNDS=1 -DTIMES=3
 * break   NO_COUNT     leaves when it has the lists:                                                -DRANKS=2 -DROUNDS=1 -DTIMES=1
 * break   NO_LIST      leaves without the last list:                                                -DRANKS=2 -DROUNDS=1 -DTIMES=1
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/* Places in a rank's memory: a slot for each sender, then a list for each round, and all of them twice. */
#define EACH (RANKS + ROUNDS)
#define PLACES (2 * EACH)
#define SLOT(r, sender, parity) ((r) * PLACES + (parity) * EACH + (sender))
#define LIST(r, k, parity) ((r) * PLACES + (parity) * EACH + RANKS + (k))
#ifdef ONE_SLOT
#define SLOT_PARITY(round) 0
#else
#define SLOT_PARITY(round) ((round) % 2)
#endif
#ifdef ONE_LIST
#define LIST_PARITY(round) 0
#else
#define LIST_PARITY(round) ((round) % 2)
#endif
#define ABOVE(r, k) (((r) + (1 << (k))) % RANKS)
#define BELOW(r, k) (((r) + RANKS - (1 << (k))) % RANKS)
#define GOES_UP(r, t, k) (((((t) + RANKS - (r)) % RANKS) >> (k)) & 1)

byte wire[RANKS * PLACES];   /* what is under way to a place: the number of its exchange, counted from 1; 0: nothing */
byte there[RANKS * PLACES];  /* what is in a place; set along with its notification, and 0 once that is reset */
byte told[TIMES * RANKS * ROUNDS * RANKS];  /* what the list of an exchange, a sender and a round says of each rank */
#define TOLD(round, r, k, t) told[(((round) * RANKS + (r)) * ROUNDS + (k)) * RANKS + (t)]
byte sent[TIMES * RANKS];    /* messages to a rank in an exchange, to compare */

inline start(place, what) {
  atomic {
    assert(wire[place] == 0);
    wire[place] = what
  }
}

/* What is under way arrives at any time. */
proctype Wire(byte place) {
end:
  do
  :: d_step {
       wire[place] != 0 ->
       assert(there[place] == 0);
       there[place] = wire[place];
       wire[place] = 0
     }
  od
}

/* Takes what is in a slot, if there is something. */
inline take(place) {
  atomic {
    if
    :: there[place] != 0 ->
       assert(there[place] == round + 1);
       there[place] = 0;
       got++
    :: else -> skip
    fi
  }
}

#ifdef EITHER_SLOT
#define IN_SLOTS(s) (there[SLOT(me, s, 0)] != 0 || there[SLOT(me, s, 1)] != 0)
#else
#define IN_SLOTS(s) (there[SLOT(me, s, SLOT_PARITY(round))] != 0)
#endif
#if RANKS > 2
#define ANY_MESSAGE (IN_SLOTS(0) || IN_SLOTS(1) || IN_SLOTS(2))
#else
#define ANY_MESSAGE (IN_SLOTS(0) || IN_SLOTS(1))
#endif

inline take_all() {
  s = 0;
  do
  :: s < RANKS ->
#ifdef EITHER_SLOT
     take(SLOT(me, s, 0));
     take(SLOT(me, s, 1));
#else
     take(SLOT(me, s, SLOT_PARITY(round)));
#endif
     s++
  :: else -> break
  od;
  s = 0
}

/* Sends to the rank above what is for it and for those behind it. */
inline send_list() {
  d_step {
    s = 0;
    do
    :: s < RANKS ->
       if
       :: GOES_UP(me, s, k) -> TOLD(round, me, k, s) = count[s]; count[s] = 0
       :: else -> skip
       fi;
       s++
    :: else -> break
    od;
    s = 0
  }
  start(LIST(ABOVE(me, k), k, LIST_PARITY(round)), round + 1)
}

inline read_list() {
  d_step {
    assert(there[LIST(me, k, LIST_PARITY(round))] == round + 1);
#ifndef KEPT_SET
    there[LIST(me, k, LIST_PARITY(round))] = 0;
#endif
    s = 0;
    do
    :: s < RANKS ->
       count[s] = count[s] + TOLD(round, BELOW(me, k), k, s);
       s++
    :: else -> break
    od;
    s = 0
  }
}

#ifdef NO_LIST
#define LAST_LIST (ROUNDS - 1)
#else
#define LAST_LIST ROUNDS
#endif

proctype Rank(byte me) {
  byte round, k, s, got;
  byte count[RANKS];
  do
  :: round < TIMES ->
     if
     :: skip
     :: s = (me + 1) % RANKS;
        d_step { count[s] = 1; sent[round * RANKS + s] = sent[round * RANKS + s] + 1 }
        start(SLOT(s, me, SLOT_PARITY(round)), round + 1)
#if RANKS > 2
     :: s = (me + 2) % RANKS;
        d_step { count[s] = 1; sent[round * RANKS + s] = sent[round * RANKS + s] + 1 }
        start(SLOT(s, me, SLOT_PARITY(round)), round + 1)
#endif
     fi;
     do
     :: k < ROUNDS ->
        send_list();
        do
        :: k >= LAST_LIST -> break
        :: k < LAST_LIST && there[LIST(me, k, LIST_PARITY(round))] != 0 -> read_list(); break
        :: ANY_MESSAGE -> take_all()
        od;
        k++
     :: else -> break
     od;
#ifndef NO_COUNT
     do
     :: got == count[me] -> break
     :: got != count[me] && ANY_MESSAGE -> take_all()
     od;
#endif
     /* All have entered this exchange, and so have said what they send. */
     atomic {
       assert(got == sent[round * RANKS + me]);
       s = 0;
       do
       :: s < RANKS -> count[s] = 0; s++
       :: else -> break
       od;
       s = 0;
       k = 0;
       got = 0;
       round++
     }
  :: else -> break
  od
}

init {
  byte i;
  atomic {
    do
    :: i < RANKS * PLACES -> run Wire(i); i++
    :: else -> break
    od;
    i = 0;
    do
    :: i < RANKS -> run Rank(i); i++
    :: else -> break
    od
  }
}
