/* Mode passive (src/exchange/modes/passive.cpp) in the terms of the MPI standard: a put may take effect at any time until its origin has
 * flushed. A message is ordered after the flush only because it is sent after it. Two slots per edge and no acknowledgement: that a slot
 * may be written again follows from the empty messages, which are sent in both directions over every edge of a round. Data go from rank 0
 * to rank 1, and back in the rounds that say so.
 *
 * Found: a payload that is not of this use; a deadlock.
 *
 * check   data both ways:                 -DROUNDS=4
 * check   data one way, any round:        -DROUNDS=4 -DONE_WAY
 * break   NO_FLUSH           the message may overtake the puts:                           -DROUNDS=2
 * break   FLUSH_AFTER        the message is sent before the flush:                        -DROUNDS=2
 * break   NO_ACQUIRE         the payload may be read before the message has come:         -DROUNDS=2
 * break   NO_MESSAGE_BACK    who only receives sends no message:                          -DROUNDS=4 -DONE_WAY
 * break   NO_CLOSE           who only sends does not wait for the message back:           -DROUNDS=4 -DONE_WAY
 * break   ONE_SLOT           every use in slot 0:                                         -DROUNDS=4
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define RANKS 2
/* Words: what a rank puts into the two slots of the other, and how many messages it has sent. */
#ifdef ONE_SLOT
#define SLOT(origin, use) (3 * (origin))
#else
#define SLOT(origin, use) (3 * (origin) + (use) % 2)
#endif
#define MESSAGES(origin) (3 * (origin) + 2)
#define WORDS 6
#define WRITER(w) ((w) / 3)
#define STREAMED(w) false
#include "memory.pml"

bit active_in[ROUNDS];  /* whether the edge takes part in a round */

#ifdef ONE_WAY
#define SENDS(rank) ((rank) == 0)
#else
#define SENDS(rank) true
#endif

/* A message is neither ordered after earlier puts nor lost: it is a late store of a count. */
inline flush_and_tell(me) {
  /* SYNC flush-before-empty-message */
#if !defined(NO_FLUSH) && !defined(FLUSH_AFTER)
  FENCE(me);
#endif
#ifdef NO_MESSAGE_BACK
  if
  :: SENDS(me) -> STORE(MESSAGES(me), use)
  :: else
  fi;
#else
  STORE(MESSAGES(me), use);
#endif
#ifdef FLUSH_AFTER
  FENCE(me);
#endif
  skip
}

inline take(me) {
#ifdef NO_ACQUIRE
  if
  :: payload = seen[SLOT(1 - me, use)]; early = 1
  :: skip
  fi;
#endif
  seen[MESSAGES(1 - me)] >= use;
  if
  :: early -> early = 0
  :: else -> payload = seen[SLOT(1 - me, use)]
  fi;
  assert(payload == use);
  payload = 0
}

proctype Rank(byte me) {
  byte round, use, payload;
  bit early;
  do
  :: round < ROUNDS ->
     if
     :: active_in[round] ->
        use++;
        if
        :: SENDS(me) -> STORE(SLOT(me, use), use)
        :: else
        fi;
        flush_and_tell(me);
        if
        :: SENDS(1 - me) -> take(me)
        :: else ->
#ifndef NO_CLOSE
           seen[MESSAGES(1 - me)] >= use
#else
           skip
#endif
        fi
     :: else
     fi;
     round++
  :: else -> break
  od
}

init {
  byte i;
  atomic {
    do
    :: i < ROUNDS ->
       if
       :: active_in[i] = 1
       :: skip
       fi;
       i++
    :: else -> break
    od;
    i = 0;
    do
    :: i < WORDS -> run Memory(i); i++
    :: else -> break
    od;
    run Rank(0);
    run Rank(1);
    i = 0
  }
}
