/* Slots of a sparse exchange (src/sparse). Each rank sends to others that do not know of it. A sender claims a ticket of its target by a
 * fetch_and_add, and learns by it how many tickets the target has taken. Ticket t is for slot t modulo SLOTS. The sender writes there once the
 * ticket a row of slots before has been taken, and sets the slot's notification. When all its messages are there it enters a barrier. The
 * target takes slots in the order of tickets, and leaves the exchange when all ranks have entered the barrier and it has looked once more.
 * A rank that has left may send the next exchange's messages while others still take those of this one.
 * With COUNTED, as between nodes, a sender enters the barrier when it has claimed, and the target leaves when it also has as many messages as
 * the barrier says.
 * Words (tickets, notifications, the barrier) are changed in one step. What a slot holds is stored in two parts, seen late and in any order;
 * a release waits for it.
 *
 * Found: a message that is lost, mixed with another, or received in another exchange; a deadlock.
 *
 * check   two ranks, one slot:                            -DRANKS=2 -DSLOTS=1 -DTIMES=3
 * check   two ranks, two slots:                           -DRANKS=2 -DSLOTS=2 -DTIMES=3
 * check   three ranks, two slots:                         -DRANKS=3 -DSLOTS=2 -DTIMES=2
 * check   three ranks, two slots, three exchanges:        -DRANKS=3 -DSLOTS=2 -DTIMES=3
 * check   three ranks, two slots, counted:                -DRANKS=3 -DSLOTS=2 -DTIMES=2 -DCOUNTED
 * check   two ranks, one slot, counted:                   -DRANKS=2 -DSLOTS=1 -DTIMES=3 -DCOUNTED
 * break   NO_ROOM_CHECK     emptied-before-reuse: writes without a look at what has been taken:          -DRANKS=2 -DSLOTS=1 -DTIMES=2
 * break   ROOM_ONE_TOO_MANY emptied-before-reuse: a slot more than there is:                             -DRANKS=2 -DSLOTS=1 -DTIMES=2
 * break   TAKEN_FIRST       emptied-before-reuse: the ticket is taken before the slot has been read:     -DRANKS=2 -DSLOTS=1 -DTIMES=2
 * break   NEVER_TAKEN       the tickets taken are not published:                                         -DRANKS=2 -DSLOTS=1 -DTIMES=2
 * break   TORN_CLAIM        a ticket is read and counted in two steps:                                   -DRANKS=2 -DSLOTS=2 -DTIMES=1
 * break   NO_RELEASE        payload-before-notification: the notification is set before the data:        -DRANKS=2 -DSLOTS=2 -DTIMES=1
 * break   NO_NOTIFICATION   the slot is read without a look at its notification:                         -DRANKS=2 -DSLOTS=2 -DTIMES=1
 * break   KEPT_SET          the notification is not reset:                                               -DRANKS=2 -DSLOTS=1 -DTIMES=2
 * break   NO_ROUND_CHECK    a message of the next exchange is received in this one:                      -DRANKS=2 -DSLOTS=2 -DTIMES=2
 * break   ENTERED_FIRST     enters the barrier before its messages are there:                            -DRANKS=2 -DSLOTS=2 -DTIMES=1
 * break   NO_LAST_LOOK      leaves the exchange without another look after the barrier:                  -DRANKS=2 -DSLOTS=2 -DTIMES=1
 * break   PLACED_LATE       placed-before-entered: enters the barrier before it has claimed:                -DRANKS=3 -DSLOTS=2 -DTIMES=2 -DCOUNTED
 * break   NOT_COUNTED       leaves with fewer messages than the barrier says:                            -DRANKS=2 -DSLOTS=2 -DTIMES=1 -DCOUNTED
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/* One target, rank 0, which sends to itself by its slots, as others do. */
byte claimed, taken;
bit set[SLOTS];
byte head[SLOTS], tail[SLOTS];            /* the two parts of what a slot holds: the exchange, and the sender with it */
byte late_head[RANKS], late_tail[RANKS];  /* stored by a sender, not seen by others yet; 0: nothing */
byte slot_of[RANKS];
byte entered;
byte received[RANKS * (TIMES + 1)];

#define NAME(round, r) ((round) * RANKS + (r) + 1)

/* What a sender has stored arrives in any order. */
active proctype Memory() {
  byte r;
end:
  do
  :: atomic {
       late_head[0] != 0 -> head[slot_of[0]] = late_head[0]; late_head[0] = 0
     }
  :: atomic {
       late_tail[0] != 0 -> tail[slot_of[0]] = late_tail[0]; late_tail[0] = 0
     }
  :: atomic {
       late_head[1] != 0 -> head[slot_of[1]] = late_head[1]; late_head[1] = 0
     }
  :: atomic {
       late_tail[1] != 0 -> tail[slot_of[1]] = late_tail[1]; late_tail[1] = 0
     }
#if RANKS > 2
  :: atomic {
       late_head[2] != 0 -> head[slot_of[2]] = late_head[2]; late_head[2] = 0
     }
  :: atomic {
       late_tail[2] != 0 -> tail[slot_of[2]] = late_tail[2]; late_tail[2] = 0
     }
#endif
  od
}

/* One look for the next slot. */
#ifdef NO_NOTIFICATION
#define THERE (mine < claimed)
#else
#define THERE set[mine % SLOTS]
#endif
inline drain() {
  if
  :: THERE ->
#ifdef TAKEN_FIRST
     taken++;
#endif
     one = head[mine % SLOTS];
     two = tail[mine % SLOTS];
     if
#ifndef NO_ROUND_CHECK
     :: one != 0 && (one - 1) / RANKS > round -> looked = 1
     :: else ->
#else
     :: true ->
#endif
        assert(one != 0 && one == two);
        assert((one - 1) / RANKS == round && received[one - 1] == 0);
        received[one - 1] = 1;
        got++;
#ifndef KEPT_SET
        set[mine % SLOTS] = 0;
#endif
        mine++;
#if !defined(TAKEN_FIRST) && !defined(NEVER_TAKEN)
        /* SYNC emptied-before-reuse */
        taken++
#endif
     fi;
     one = 0;
     two = 0
  :: else -> looked = 1
  fi
}

inline claim() {
#ifdef TORN_CLAIM
  ticket = claimed;
  claimed = ticket + 1
#else
  atomic { ticket = claimed; claimed++ }
#endif
}

inline put() {
#ifdef NO_ROOM_CHECK
#define ROOM true
#else
#ifdef ROOM_ONE_TOO_MANY
#define ROOM (ticket - taken < SLOTS + 1)
#else
#define ROOM (ticket - taken < SLOTS)
#endif
#endif
  /* SYNC emptied-before-reuse */
  atomic {
    slot_of[me] = ticket % SLOTS;
    late_head[me] = NAME(round, me);
    late_tail[me] = NAME(round, me)
  }
#ifndef NO_RELEASE
  /* SYNC payload-before-notification */
  late_head[me] == 0 && late_tail[me] == 0;
#endif
  set[ticket % SLOTS] = 1
}

#if defined(ENTERED_FIRST) || defined(PLACED_LATE)
#define ENTER_AT 0
#else
#ifdef COUNTED
#define ENTER_AT 1
#else
#define ENTER_AT 2
#endif
#endif
/* 0: at the begin, 1: when it has claimed, 2: when its message is there. */
inline enter_at(place) {
  if
  :: ENTER_AT == place -> entered++
  :: else -> skip
  fi
}

proctype Sender(byte me) {
  byte round, ticket;
  do
  :: round < TIMES ->
     enter_at(0);
     /* SYNC placed-before-entered */
     claim();
     enter_at(1);
     ROOM;
     put();
     enter_at(2);
     /* SYNC barrier-round */
     entered >= (round + 1) * RANKS;
     round++
  :: else -> break
  od
}

/* Rank 0 sends, and takes what has come while it waits for room. */
proctype Target() {
  byte me, round, ticket, mine, one, two, r, got;
  bit looked;
  do
  :: round < TIMES ->
     enter_at(0);
     claim();
     enter_at(1);
     do
     :: ROOM -> break
     :: !(ROOM) && THERE -> drain()
     od;
     put();
     enter_at(2);
     /* SYNC barrier-round */
     do
     :: entered >= (round + 1) * RANKS -> break
     :: entered < (round + 1) * RANKS && !looked && THERE -> drain()
     od;
     looked = 0;
#if defined(COUNTED) && !defined(NOT_COUNTED)
     do
     :: got == RANKS -> break
     :: got < RANKS && !looked && THERE -> drain()
     od;
     looked = 0;
#endif
#ifndef NO_LAST_LOOK
     do
     :: !looked -> drain()
     :: looked -> break
     od;
#endif
     looked = 0;
     r = 0;
     do
     :: r < RANKS -> assert(received[NAME(round, r) - 1] == 1); r++
     :: else -> break
     od;
     r = 0;
     got = 0;
     round++
  :: else -> break
  od
}

init {
  byte r = 1;
  atomic {
    run Target();
    do
    :: r < RANKS -> run Sender(r); r++
    :: else -> break
    od;
    r = 0
  }
}
