/* A channel of slots (src/engine/network/slot_ends.hpp) as modes notify and direct use it between nodes (src/exchange/modes/wire.cpp): two
 * slots per edge, written over a network that keeps no order, not even between the pieces of one message. Each arrival of a piece is
 * announced by immediate data, each unpacked slot too, and both are counted slot by slot. The ranks form a ring and each sends to the
 * next. Which edges take part in a round is free, the same at both ends.
 *
 * Found: a piece that is not of the message that is unpacked; a write used again while it is under way; a deadlock.
 *
 * check   2 ranks, all rounds whole, one piece:     -DRANKS=2 -DROUNDS=4 -DPIECES=1 -DWHOLE
 * check   one sends, the other receives, two pieces: -DRANKS=2 -DROUNDS=4 -DPIECES=2 -DWHOLE -DONE_WAY
 * large   2 ranks, rounds that move any part:       -DRANKS=2 -DROUNDS=3 -DPIECES=1
 * break   NO_ARRIVED_CHECK  unpacks without waiting for the announcements:             -DRANKS=2 -DROUNDS=2 -DPIECES=1 -DWHOLE
 * break   ANNOUNCED_FIRST   the network announces before the bytes are there:          -DRANKS=2 -DROUNDS=2 -DPIECES=1 -DWHOLE
 * break   ONE_PIECE         waits for one piece of two:                                -DRANKS=2 -DROUNDS=2 -DPIECES=2 -DWHOLE
 * break   BOTH_SLOTS        counts the arrivals of both slots together:                -DRANKS=2 -DROUNDS=4 -DPIECES=1
 * break   NO_FREED_CHECK    packs without waiting until the slot is unpacked:          -DRANKS=2 -DROUNDS=4 -DPIECES=1
 * break   NO_FREED          never says that a slot is unpacked:                        -DRANKS=2 -DROUNDS=4 -DPIECES=1
 * break   NO_CLOSE          ends a round while its writes are under way:               -DRANKS=2 -DROUNDS=3 -DPIECES=1 -DWHOLE
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/* Edge e leads from rank e to the next. */
#define SLOT(e, use) (2 * (e) + ((use) % 2))
#define PIECE(e, use, p) (SLOT(e, use) * PIECES + (p))
#define OTHER_SLOT(e, use) SLOT(e, (use) + 1)

byte out[2 * RANKS];             /* packed by the sender */
byte in[2 * RANKS * PIECES];     /* where the network writes */
byte arrived[2 * RANKS];         /* immediate data counted by the receiver */
byte freed[2 * RANKS];           /* immediate data counted by the sender */
bit under_way[2 * RANKS * PIECES], freeing[2 * RANKS];  /* the provider still uses what it was given */
bit put[2 * RANKS * PIECES], put_free[2 * RANKS];  /* given to the provider, not yet left */
bit moves[RANKS * ROUNDS];       /* whether edge e takes part in round n */

/* The network's part in one write, used repeatedly: it leaves the sender at some time, arrives at another, and the sender detects its
 * end at a third, before the arrival or after. */
proctype Piece(byte slot, piece) {
  byte carried;
  bit ended;
end:
  do
  :: put[piece] ->
     atomic {
       put[piece] = 0;
       carried = out[slot];
       if
       :: under_way[piece] = 0; ended = 1
       :: ended = 0
       fi
     }
#ifdef ANNOUNCED_FIRST
     arrived[slot]++;
     in[piece] = carried;
#else
     in[piece] = carried;
     /* SYNC payload-before-immediate */
     arrived[slot]++;
#endif
     atomic {
       carried = 0;
       if
       :: !ended -> under_way[piece] = 0
       :: else
       fi;
       ended = 0
     }
  od
}

proctype Free(byte slot) {
end:
  do
  :: put_free[slot] ->
     put_free[slot] = 0;
     if
     :: freeing[slot] = 0; freed[slot]++
     :: freed[slot]++; freeing[slot] = 0
     fi
  od
}

inline send(e) {
  sent++;
  /* SYNC unpacked-before-rewrite */
#ifndef NO_FREED_CHECK
  freed[SLOT(e, sent)] >= (sent - 1) / 2;
#endif
  atomic {
    out[SLOT(e, sent)] = sent;
    p = 0;
    do
    :: p < PIECES ->
       assert(!under_way[PIECE(e, sent, p)]);
       under_way[PIECE(e, sent, p)] = 1;
       put[PIECE(e, sent, p)] = 1;
       p++
    :: else -> break
    od
  }
}

inline receive(e) {
  received++;
  /* SYNC payload-before-immediate */
#ifndef NO_ARRIVED_CHECK
#ifdef BOTH_SLOTS
  arrived[SLOT(e, received)] + arrived[OTHER_SLOT(e, received)] >= received * PIECES;
#else
#ifdef ONE_PIECE
  arrived[SLOT(e, received)] >= (received + 1) / 2;
#else
  arrived[SLOT(e, received)] >= ((received + 1) / 2) * PIECES;
#endif
#endif
#endif
  atomic {
    p = 0;
    do
    :: p < PIECES -> assert(in[PIECE(e, received, p)] == received); p++
    :: else -> break
    od
  }
  /* SYNC unpacked-before-rewrite */
#ifndef NO_FREED
  atomic {
    assert(!freeing[SLOT(e, received)]);
    freeing[SLOT(e, received)] = 1;
    put_free[SLOT(e, received)] = 1
  }
#endif
}

/* The writes of this rank have left it. */
inline close(mine, from) {
  skip;
  /* SYNC written-before-reuse */
#ifndef NO_CLOSE
  !freeing[SLOT(from, 0)] && !freeing[SLOT(from, 1)];
  p = 0;
  do
  :: p < PIECES -> !under_way[PIECE(mine, 0, p)] && !under_way[PIECE(mine, 1, p)]; p++
  :: else -> break
  od
#endif
}

proctype Rank(byte me) {
  byte round, sent, received, p;
  do
  :: round < ROUNDS ->
     if
     :: moves[me * ROUNDS + round] -> send(me)
     :: else
     fi;
     if
     :: moves[((me + RANKS - 1) % RANKS) * ROUNDS + round] -> receive((me + RANKS - 1) % RANKS)
     :: else
     fi;
     close(me, (me + RANKS - 1) % RANKS);
     round++
  :: else -> break
  od
}

init {
  byte i;
  atomic {
    do
    :: i < RANKS * ROUNDS ->
#ifdef ONE_WAY
       moves[i] = i < ROUNDS;
#else
       moves[i] = 1;
#endif
#ifndef WHOLE
       if
       :: moves[i] = 0
       :: skip
       fi;
#endif
       i++
    :: else -> break
    od;
    i = 0;
    do
    :: i < 2 * RANKS -> run Free(i); i++
    :: else -> break
    od;
    i = 0;
    do
    :: i < 2 * RANKS * PIECES -> run Piece(i / PIECES, i); i++
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
