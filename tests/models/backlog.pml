/* Writes to one peer and the message that announces them (src/transport/backlog.hpp, RemoteRma::notify_in_order). The provider has room
 * for a few transfers and delivers what it was given in order. A transfer without room waits: each poll tries it again, of the caller
 * between two starts or of a progress thread. A transfer to another peer waits separately; there may never be room for it.
 *
 * Found: a message that arrives before a write that was started before it; writes that arrive in another order; a peer that is held up by
 * another.
 *
 * check   a caller that polls between starts:       -DPOLLERS=1
 * check   a progress thread that polls besides:     -DPOLLERS=2
 * check   another peer never has room:              -DPOLLERS=1 -DOTHER_PEER
 * break   PASSES      a start tries the provider although older ones wait:   -DPOLLERS=1
 * break   LAST_IN     what waits is tried last in, first out:                -DPOLLERS=1
 * break   ALL_TRIED   one after another is tried, and those behind one that has no room too:  -DPOLLERS=1
 * break   ONE_LINE    all peers wait in one line:                            -DPOLLERS=1 -DOTHER_PEER
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define WRITES 3
#define MESSAGE 4           /* follows writes 1, 2 and 3 */
#define OTHER 5             /* to the peer that never has room */
#define MOST 6

chan provider = [2] of { byte };     /* what it was given and has not delivered */
byte waiting[MOST], waits;           /* in the order of their starts */
byte came;                           /* the last that the target has seen */
bit lock;

inline take_lock() { atomic { lock == 0; lock = 1 } }
inline give_lock() { lock = 0 }

/* Full at any time, as long as it is not empty: other transfers use it too. */
inline try_start(transfer, started) {
  started = 0;
  if
  :: transfer != OTHER && nfull(provider) -> provider!transfer; started = 1
  :: transfer == OTHER || len(provider) > 0
  fi
}

inline push(transfer) { waiting[waits] = transfer; waits++ }

inline take_out(place) {
  k = place;
  do
  :: k + 1 < waits -> waiting[k] = waiting[k + 1]; k++
  :: else -> break
  od;
  waits--;
  waiting[waits] = 0;
  k = 0
}

/* SYNC first-in-first-out */
inline start(transfer) {
  take_lock();
  atomic {
    held = 0;
    k = 0;
    do
    :: k < waits ->
#ifdef ONE_LINE
       held = 1;
#else
       held = held || ((waiting[k] == OTHER) == (transfer == OTHER));
#endif
       k++
    :: else -> break
    od;
    k = 0;
#ifdef PASSES
    held = 0;
#endif
    ok = 0;
    if
    :: !held -> try_start(transfer, ok)
    :: else
    fi;
    if
    :: !ok -> push(transfer)
    :: else
    fi
  }
  give_lock()
}

/* SYNC first-in-first-out */
inline poll() {
  take_lock();
  atomic {
    i = 0;
    held = 0;
    do
    :: i < waits ->
#ifdef LAST_IN
       j = waits - 1 - i;
#else
       j = i;
#endif
       ok = 0;
       if
       :: held && waiting[j] != OTHER
       :: else -> try_start(waiting[j], ok)
       fi;
       if
       :: ok -> take_out(j)
       :: else ->
#ifdef ONE_LINE
          break;
#endif
#ifndef ALL_TRIED
          held = held || waiting[j] != OTHER;
#endif
          i++
       fi
    :: else -> break
    od;
    /* A provider that has nothing has room. */
    assert(len(provider) > 0 || waits == 0 || (waits == 1 && waiting[0] == OTHER));
    i = 0; j = 0; held = 0; ok = 0
  }
  give_lock()
}

proctype Target() {
  byte transfer;
end:
  do
  :: atomic {
       provider?transfer ->
       assert(transfer == came + 1);
       came = transfer;
       transfer = 0
     }
  od
}

proctype Caller() {
  byte i, j, k, n;
  bit held, ok;
#ifdef OTHER_PEER
  start(OTHER);
#endif
  n = 1;
  do
  :: n <= MESSAGE ->
     start(n);
     n++
  :: n <= MESSAGE -> poll()
  :: n > MESSAGE && came < MESSAGE -> poll()
  :: came == MESSAGE -> break
  od
}

proctype Poller() {
  byte i, j, k;
  bit held, ok;
  do
  :: waits > 0 && came < MESSAGE -> poll()
  :: came == MESSAGE -> break
  od
}

init {
  atomic {
    run Target();
    run Caller();
#if POLLERS == 2
    run Poller()
#endif
  }
}
