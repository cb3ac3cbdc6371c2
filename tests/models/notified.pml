/* Notified accesses to a window (src/faces/mpi/window/notify_board.hpp, calls/notify_requests.cpp). Origin o has THREADS threads, each of which
 * puts PUTS numbers and counts an arrival after each; only its origin writes a counter. REQUESTS requests of the target, each by a thread of
 * its own, wait for COUNT arrivals of any origin. A request that misses some sleeps until the doorbell rings. With GETS the accesses are
 * reads, and the owner overwrites its number once it has all arrivals. With VALUES one thread puts numbers and sets a value after each, which
 * need not have been taken; the target takes values until it has the last one.
 *
 * A release waits for all stores of its rank, of other threads too: those are ordered by the additions to the counter in the same way.
 *
 * Found: a request that is complete before data of its arrivals are there; an arrival that is matched twice, or by none, so that a request
 * sleeps for ever; a read of what the owner wrote later; a value that is lost.
 *
 * check   one origin, one request:                                 -DORIGINS=1 -DTHREADS=1 -DPUTS=3 -DREQUESTS=1 -DCOUNT=3
 * check   one origin, a request for each arrival:                  -DORIGINS=1 -DTHREADS=1 -DPUTS=2 -DREQUESTS=2 -DCOUNT=1
 * check   two origins, two requests:                               -DORIGINS=2 -DTHREADS=1 -DPUTS=1 -DREQUESTS=2 -DCOUNT=1
 * large   two origins, two requests of two arrivals:               -DORIGINS=2 -DTHREADS=1 -DPUTS=2 -DREQUESTS=2 -DCOUNT=2
 * check   two threads of an origin:                                -DORIGINS=1 -DTHREADS=2 -DPUTS=2 -DREQUESTS=1 -DCOUNT=4
 * check   two origins read:                                        -DORIGINS=2 -DTHREADS=1 -DPUTS=1 -DREQUESTS=1 -DCOUNT=2 -DGETS
 * check   values:                                                  -DORIGINS=1 -DTHREADS=1 -DPUTS=3 -DREQUESTS=0 -DCOUNT=0 -DVALUES
 * break   COUNT_BEFORE_DATA  the arrival is counted first:         -DORIGINS=1 -DTHREADS=1 -DPUTS=1 -DREQUESTS=1 -DCOUNT=1
 * break   RELAXED_COUNT   the counter is stored without release:   -DORIGINS=1 -DTHREADS=1 -DPUTS=1 -DREQUESTS=1 -DCOUNT=1
 * break   RELAXED_LOOK    data are loaded before the counter:      -DORIGINS=1 -DTHREADS=1 -DPUTS=1 -DREQUESTS=1 -DCOUNT=1
 * break   PLAIN_ADD       two threads load and store the counter:  -DORIGINS=1 -DTHREADS=2 -DPUTS=1 -DREQUESTS=1 -DCOUNT=2
 * break   NO_MUTEX        two requests match at the same time:     -DORIGINS=1 -DTHREADS=1 -DPUTS=2 -DREQUESTS=2 -DCOUNT=1
 * break   RING_FIRST      the doorbell rings before the count:     -DORIGINS=1 -DTHREADS=1 -DPUTS=1 -DREQUESTS=1 -DCOUNT=1
 * break   COUNT_BEFORE_DATA  a read that is counted first:         -DORIGINS=1 -DTHREADS=1 -DPUTS=1 -DREQUESTS=1 -DCOUNT=1 -DGETS
 * break   RELAXED_COUNT   the value is stored without release:     -DORIGINS=1 -DTHREADS=1 -DPUTS=2 -DREQUESTS=0 -DCOUNT=0 -DVALUES
 * break   READ_AND_ZERO   a value is taken in two steps:           -DORIGINS=1 -DTHREADS=1 -DPUTS=2 -DREQUESTS=0 -DCOUNT=0 -DVALUES
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define RANKS 3  /* two origins, then the target */
#define TARGET 2
#define WORDS 7
#define DATA(o, t) (2 * (o) + (t))
#define COUNTER(o) (4 + (o))
#define OWN 6  /* what the target has, and others read */
#define WRITER(w) ((w) == OWN -> TARGET : ((w) < 4 -> (w) / 2 : (w) - 4))
#define STREAMED(w) 0
#include "memory.pml"

byte sent[2];      /* arrivals that an origin has counted, */
byte matched[2];   /* that requests have matched, as the board has it, */
byte given[2];     /* and as they have got them */
byte complete;     /* requests */
bit rung[2];       /* since a request's last look */
byte value;
bit busy;          /* the board's mutex */

/* Doorbell::ring, with its fence: doorbell.pml breaks that. */
inline ring(o) {
  FENCE(o);
  d_step { rung[0] = 1; rung[1] = 1 }
}

/* A release store of the number that the origin has counted. */
inline count_arrival(o) {
#ifdef PLAIN_ADD
  before = stored[COUNTER(o)];
  d_step { sent[o]++ };
  RELEASE_STORE(COUNTER(o), before + 1)
#else
#ifdef RELAXED_COUNT
  d_step { sent[o]++; STORE(COUNTER(o), stored[COUNTER(o)] + 1) }
#else
  /* SYNC access-before-arrival */
  atomic {
    unseen[o] == 0;
    sent[o]++;
    STORE(COUNTER(o), stored[COUNTER(o)] + 1)
  }
#endif
#endif
}

inline make_access(o, t, n) {
#ifdef GETS
  assert(seen[OWN] == 0)
#else
  STORE(DATA(o, t), n)
#endif
}

inline announce(o, n) {
#ifdef VALUES
#ifndef RELAXED_COUNT
  atomic { unseen[o] == 0; value = n }
#else
  value = n
#endif
#else
  count_arrival(o)
#endif
}

proctype Origin(byte me, thread) {
  byte n, before;
  do
  :: n < PUTS ->
     n++;
#ifdef RING_FIRST
     ring(me);
#endif
#ifdef COUNT_BEFORE_DATA
     announce(me, n);
     make_access(me, thread, n);
#else
     make_access(me, thread, n);
     announce(me, n);
#endif
#ifndef RING_FIRST
     ring(me);
#endif
     skip
  :: else -> break
  od
}

/* What has arrived of an origin's data: each thread's number is how many it has put. */
#define THERE(o) (seen[DATA(o, 0)] + seen[DATA(o, 1)])

proctype Request(byte me) {
  byte missing = COUNT, arrived, taken, o, early;
  do
  :: missing > 0 ->
     rung[me] = 0;
#ifndef NO_MUTEX
     atomic { !busy; busy = 1 };
#endif
     o = 0;
     do
     :: o < ORIGINS ->
#ifdef RELAXED_LOOK
        early = THERE(o);
#endif
        arrived = seen[COUNTER(o)];
        taken = arrived - matched[o];
        if
        :: taken > missing -> taken = missing
        :: else
        fi;
        matched[o] = matched[o] + taken;
        d_step { given[o] = given[o] + taken; missing = missing - taken };
        assert(given[o] <= sent[o]);
#ifndef GETS
#ifdef RELAXED_LOOK
        assert(early >= given[o]);
#else
        assert(THERE(o) >= given[o]);
#endif
#endif
        o++
     :: else -> break
     od;
#ifndef NO_MUTEX
     busy = 0;
#endif
     if
     :: missing > 0 -> rung[me] == 1
     :: else
     fi
  :: else -> break
  od;
  complete++;
#ifdef GETS
  STORE(OWN, 1)
#endif
}

proctype Taker() {
  byte got;
  do
  :: got < PUTS ->
     value != 0;
#ifdef READ_AND_ZERO
     got = value;
     value = 0;
#else
     d_step { got = value; value = 0 };
#endif
     assert(seen[DATA(0, 0)] >= got)
  :: else -> break
  od
}

init {
  byte i;
  atomic {
    for (i : 0 .. WORDS - 1) { run Memory(i) }
    for (i : 0 .. ORIGINS * THREADS - 1) { run Origin(i / THREADS, i % THREADS) }
#if REQUESTS > 0
    for (i : 0 .. REQUESTS - 1) { run Request(i) }
#endif
#ifdef VALUES
    run Taker()
#endif
  }
}
