/* Mode notify_node between nodes (src/exchange/modes/node_wire.cpp, on the channels of src/engine/network/slot_ends.hpp, which announce
 * nothing here): the ranks of a node pack into one slot, and the last of them sends it with one write. The ranks of the other node unpack
 * from where it is written. There are two slots in each direction. Nothing says that one has been unpacked: that is known from the other
 * node's aggregate of the round after. The network keeps no order; of a write in two pieces the first says how many more there are. Two
 * nodes of RANKS ranks each. Which ranks send something in a round is free; all are counted in each. Aggregates of all rounds but the
 * second take two pieces.
 *
 * Found: data that are not of the round that is unpacked; a write used again while it is under way; a deadlock.
 *
 * check   2 ranks each, all rounds whole, one piece:              -DRANKS=2 -DROUNDS=3 -DWHOLE -DSHORT
 * check   1 rank each, two pieces:                                -DRANKS=1 -DROUNDS=3 -DWHOLE
 * check   1 rank each, rounds that move any part:                 -DRANKS=1 -DROUNDS=3 -DSHORT
 * large   2 ranks each, one sends, nothing comes back:            -DRANKS=2 -DROUNDS=3 -DWHOLE -DONE_WAY -DSHORT
 * break   NO_ARRIVED_CHECK  unpacks without waiting for the announcement:                  -DRANKS=1 -DROUNDS=1 -DWHOLE -DSHORT
 * break   ANNOUNCED_FIRST   the network announces before the bytes are there:              -DRANKS=1 -DROUNDS=1 -DWHOLE -DSHORT
 * break   FIRST_PIECE       does not ask how many pieces there are:                        -DRANKS=1 -DROUNDS=1 -DWHOLE
 * break   PIECES_OF_ROUND   counts the further pieces of this round alone:                 -DRANKS=1 -DROUNDS=3 -DWHOLE
 * break   FIRST_SENDS       sends when the first rank has packed, not the last:            -DRANKS=2 -DROUNDS=1 -DWHOLE -DSHORT
 * break   COUNTED_FIRST     counts itself before it has packed:                            -DRANKS=2 -DROUNDS=1 -DWHOLE -DSHORT
 * break   SENDERS_ALONE     counts only the ranks that send something:                     -DRANKS=2 -DROUNDS=1 -DSHORT
 * break   NO_LEFT_CHECK     packs while what was sent from the slot may be under way:      -DRANKS=2 -DROUNDS=3 -DWHOLE -DSHORT
 * break   NO_LEFT           never says that it has left:                                   -DRANKS=1 -DROUNDS=3 -DWHOLE -DSHORT
 * break   LEAVES_EARLY      ends a round while its write is under way, and says it left:   -DRANKS=1 -DROUNDS=3 -DWHOLE -DSHORT
 * break   IDLE_LEAVES       who receives nothing ends a round without the other's bundle:  -DRANKS=1 -DROUNDS=3 -DWHOLE -DONE_WAY -DSHORT
 * break   ONE_SLOT          has one slot:                                                  -DRANKS=2 -DROUNDS=2 -DWHOLE -DSHORT
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifdef ONE_SLOT
#define TURN(round) 0
#define USE(round) (round)
#define SLOTS 1
#else
#define TURN(round) ((round) % 2)
#define USE(round) (((round) + 1) / 2)
#define SLOTS 2
#endif
#define SLOT(node, round) (2 * (node) + TURN(round))
#define CELL(slot, rank) ((slot) * RANKS + (rank))
#define PLAN(node, rank, round) (((node) * RANKS + (rank)) * ROUNDS + (round) - 1)

byte out[4 * RANKS];     /* packed by the ranks of the node that sends */
byte in[4 * RANKS];      /* where the network writes, by the slot that it was sent from */
byte head_out[4], head_in[4];   /* further pieces that have been sent so far */
byte tail_out[4], tail_in[4];   /* what the second piece carries: the round */
byte first[4], further[4];      /* immediate data counted */
byte packed[4], sent[4], pieces[4];
bit many[4];                    /* the aggregate that is sent takes two pieces */
bit under_way[8], put[8];       /* first pieces, second pieces */
bit sends[2 * RANKS * ROUNDS];

inline carry_first(slot) {
  atomic {
    i = 0;
    do
    :: i < RANKS -> carried[i] = out[CELL(slot, i)]; i++
    :: else -> break
    od;
    carried_head = head_out[slot];
    i = 0
  }
}

inline land_first(slot) {
  atomic {
    i = 0;
    do
    :: i < RANKS -> in[CELL(slot, i)] = carried[i]; carried[i] = 0; i++
    :: else -> break
    od;
    head_in[slot] = carried_head;
    carried_head = 0;
    i = 0
  }
}

/* The network's part in a write: it leaves the sender at some time, arrives at another, and the sender detects its end at a third,
 * before the arrival or after. */
proctype First(byte slot) {
  byte carried[RANKS], carried_head, i;
  bit ended;
end:
  do
  :: put[slot] ->
     atomic {
       put[slot] = 0;
       carry_first(slot);
       if
       :: under_way[slot] = 0; ended = 1
       :: ended = 0
       fi
     }
#ifdef ANNOUNCED_FIRST
     first[slot]++;
     land_first(slot);
#else
     land_first(slot);
     /* SYNC payload-before-immediate */
     first[slot]++;
#endif
     atomic {
       if
       :: !ended -> under_way[slot] = 0
       :: else
       fi;
       ended = 0
     }
  od
}

proctype Second(byte slot) {
  byte carried;
end:
  do
  :: put[4 + slot] ->
     atomic { put[4 + slot] = 0; carried = tail_out[slot] }
     atomic { tail_in[slot] = carried; carried = 0 }
     further[slot]++;
     under_way[4 + slot] = 0
  od
}

inline post(slot) {
  d_step {
    packed[slot] = 0;
#ifndef SHORT
    if
    :: many[slot] ->
#ifdef PIECES_OF_ROUND
       head_out[slot] = 1;
#else
       head_out[slot]++;
#endif
       tail_out[slot] = round;
       assert(!under_way[4 + slot]);
       under_way[4 + slot] = 1;
       put[4 + slot] = 1
    :: else
#ifdef PIECES_OF_ROUND
       -> head_out[slot] = 0
#endif
    fi;
#endif
    assert(!under_way[slot]);
    under_way[slot] = 1;
    put[slot] = 1;
    posted = 1
  }
}

inline count_me(slot) {
  /* SYNC packed-before-sent */
  atomic {
    packed[slot]++;
    if
#ifdef FIRST_SENDS
    :: packed[slot] == 1 -> last = 1
#else
#ifdef SENDERS_ALONE
    :: packed[slot] == senders -> last = 1
#else
    :: packed[slot] == RANKS -> last = 1
#endif
#endif
    :: else -> last = 0
    fi
  }
  if
  :: last -> post(slot)
  :: else
  fi
}

inline start() {
  /* SYNC left-before-packed */
#ifndef NO_LEFT_CHECK
  round <= SLOTS || sent[SLOT(node, round)] >= round - SLOTS;
#endif
#ifdef COUNTED_FIRST
  count_me(SLOT(node, round));
#endif
  d_step {
    assert(!under_way[SLOT(node, round)] && !under_way[4 + SLOT(node, round)]);
    if
    :: sends[PLAN(node, me, round)] -> out[CELL(SLOT(node, round), me)] = round
    :: else
    fi
  }
#ifdef SENDERS_ALONE
  senders = sends[PLAN(node, 0, round)] + (RANKS > 1 && sends[PLAN(node, RANKS - 1, round)]);
#endif
#ifndef SHORT
  if
  :: me == 0 && round != 2 -> many[SLOT(node, round)] = 1
  :: me == 0 && round == 2 -> many[SLOT(node, round)] = 0
  :: else
  fi;
#endif
#ifndef COUNTED_FIRST
  count_me(SLOT(node, round));
#endif
  skip
}

/* All that arrives is checked. */
inline unpack(from) {
  d_step {
    i = 0;
    do
    :: i < RANKS ->
       assert(!sends[PLAN(1 - node, i, round)] || in[CELL(from, i)] == round);
       i++
    :: else -> break
    od;
    i = 0
  }
}

inline finish() {
  if
#ifdef IDLE_LEAVES
  :: !sends[PLAN(1 - node, 0, round)] && !sends[PLAN(1 - node, RANKS - 1, round)] -> skip
#endif
  :: else ->
     /* SYNC payload-before-immediate */
     /* SYNC unpacked-before-packed */
#ifndef NO_ARRIVED_CHECK
     first[SLOT(1 - node, round)] >= USE(round);
#ifndef FIRST_PIECE
     further[SLOT(1 - node, round)] >= head_in[SLOT(1 - node, round)];
#endif
#endif
     unpack(SLOT(1 - node, round));
#ifndef SHORT
     assert(round == 2 || tail_in[SLOT(1 - node, round)] == round)
#endif
  fi;
  if
  :: posted ->
#ifndef LEAVES_EARLY
     /* SYNC written-before-reuse */
     !under_way[SLOT(node, round)] && !under_way[4 + SLOT(node, round)];
#endif
#ifndef NO_LEFT
     /* SYNC left-before-packed */
     sent[SLOT(node, round)] = round;
#endif
     posted = 0
  :: else
  fi
}

proctype Rank(byte node, me) {
  byte round = 1, i, senders;
  bit last, posted;
  do
  :: round <= ROUNDS -> start(); finish(); round++
  :: else -> break
  od
}

init {
  byte i;
  atomic {
    do
    :: i < 2 * RANKS * ROUNDS ->
#ifdef ONE_WAY
       sends[i] = i < ROUNDS;
#else
       sends[i] = 1;
#endif
#ifndef WHOLE
       if
       :: sends[i] = 0
       :: skip
       fi;
#endif
       i++
    :: else -> break
    od;
    i = 0;
    do
    :: i < 4 -> run First(i);
#ifndef SHORT
       run Second(i);
#endif
       i++
    :: else -> break
    od;
    i = 0;
    do
    :: i < 2 * RANKS -> run Rank(i / RANKS, i % RANKS); i++
    :: else -> break
    od;
    i = 0
  }
}
