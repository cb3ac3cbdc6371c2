/* A message in its sender's memory (src/faces/mpi/collective/unmapped_blocks.cpp): the receiver reads it there, or the sender puts it where the
 * receiver wants it: the one that comes first, by a word that both change atomically. The receiver offers a destination for some messages. It
 * may give up while it waits: then it withdraws the destination and waits for a sender that is putting. The sender may run ahead by SLOTS
 * messages, and finds out late that one has been read. It may give up, too: then it withdraws what has not been read, and its program writes
 * that memory anew. It waits for no receiver that reads: that looks once more when it has copied.
 *
 * Found: a message that is not the one announced; a put to memory that is not offered; a deadlock.
 *
 * check   one slot:                        -DSLOTS=1 -DROUNDS=3
 * check   two slots:                       -DSLOTS=2 -DROUNDS=3
 * break   NO_RELEASE_NUMBER   the message may be seen after its number:                   -DSLOTS=1 -DROUNDS=2
 * break   NO_RELEASE_DONE     put-before-done: the put may be seen after done:            -DSLOTS=1 -DROUNDS=2
 * break   NO_CLAIM            the sender puts what the receiver may be reading:           -DSLOTS=1 -DROUNDS=2
 * break   NO_SLOT_CHECK       the sender puts a message whose slot has a later one:       -DSLOTS=1 -DROUNDS=2
 * break   NO_SECOND_LOOK      the sender does not look again once it has the message:     -DSLOTS=1 -DROUNDS=2
 * break   NO_FENCE            withdrawn-or-waited-for: the withdrawal may be seen late:   -DSLOTS=1 -DROUNDS=2
 * break   NO_WAIT             the receiver gives up while the sender puts:                -DSLOTS=1 -DROUNDS=2
 * break   NO_WITHDRAWAL       the sender gives up, and its messages can be read:          -DSLOTS=1 -DROUNDS=2
 * break   NO_RELEASE_LEAVING  withdrawn-before-reuse: the withdrawal may be seen late:    -DSLOTS=1 -DROUNDS=2
 * break   EARLY_LOOK          withdrawn-before-reuse: the last look may be early:         -DSLOTS=1 -DROUNDS=2
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/* Words of the sender, rank 0: its messages, and what it puts; a number, done and withdrawn per slot. Of the receiver: for which message there is
 * a destination, and how many messages it has read. */
#define MESSAGE(n) ((n) - 1)
#define PUT ROUNDS
#define NUMBER(n) (ROUNDS + 1 + (n) % SLOTS)
#define DONE(n) (ROUNDS + 1 + SLOTS + (n) % SLOTS)
#define WITHDRAWN(n) (ROUNDS + 1 + 2 * SLOTS + (n) % SLOTS)
#define DESTINATION (ROUNDS + 1 + 3 * SLOTS)
#define READ (DESTINATION + 1)
#define WORDS (READ + 1)
#define RANKS 2
#define WRITER(w) ((w) < DESTINATION -> 0 : 1)
#define STREAMED(w) false
#include "memory.pml"

#ifdef NO_SLOT_CHECK
#define IS_IN_SLOT(n) true
#else
#define IS_IN_SLOT(n) (stored[NUMBER(n)] == n)
#endif
#ifdef NO_CLAIM
#define ANYHOW 1
#else
#define ANYHOW 0
#endif
#ifdef NO_SECOND_LOOK
#define ONE_LOOK true
#else
#define ONE_LOOK false
#endif

#define OVERWRITTEN 99
mtype = {nobody, receiver, sender};
mtype mover[SLOTS];
byte offered;  /* the message for which the receiver's memory may be written */
bit given_up;

inline publish(n) {
  STORE(MESSAGE(n), n);
  mover[n % SLOTS] = nobody;
#ifdef NO_RELEASE_NUMBER
  STORE(NUMBER(n), n);
#else
  /* SYNC block-before-number */
  RELEASE_STORE(NUMBER(n), n);
#endif
  unread[n - 1] = 1
}

/* The program writes its memory anew. */
inline end_of(n) {
  unread[n - 1] = 0;
  STORE(MESSAGE(n), OVERWRITTEN)
}

inline try_put(n) {
  if
  :: seen[DESTINATION] == n && IS_IN_SLOT(n) ->
     atomic {
       if
       :: mover[n % SLOTS] == nobody -> mover[n % SLOTS] = sender; mine = 1
       :: else -> mine = ANYHOW
       fi
     };
     if
     :: mine ->
        /* SYNC withdrawn-or-waited-for */
        FENCE(0);
        if
        :: seen[DESTINATION] == n || ONE_LOOK ->
           assert(offered == n);
           STORE(PUT, n);
           assert(offered == n);
#ifdef NO_RELEASE_DONE
           STORE(DONE(n), n);
#else
           /* SYNC put-before-done */
           RELEASE_STORE(DONE(n), n);
#endif
           end_of(n)
        :: else -> mover[n % SLOTS] = nobody
        fi;
        mine = 0
     :: else
     fi
  :: else
  fi
}

/* Here the word is not the one that says who has the message: the receiver may miss it when it takes the message. */
inline withdraw_messages() {
  n = 1;
  do
  :: n <= sent ->
     if
     :: unread[n - 1] && stored[NUMBER(n)] == n -> STORE(WITHDRAWN(n), n)
     :: else
     fi;
     n++
  :: else -> break
  od;
#ifndef NO_RELEASE_LEAVING
  /* SYNC withdrawn-before-reuse */
  FENCE(0)
#endif
}

inline leave() {
#ifndef NO_WITHDRAWAL
  withdraw_messages();
#endif
  n = 1;
  do
  :: n <= sent ->
     if
     :: unread[n - 1] -> end_of(n)
     :: else
     fi;
     n++
  :: else -> break
  od;
  goto over
}

proctype Sender() {
  byte sent, n;
  bit mine;
  bit unread[ROUNDS];
  do
  :: sent < ROUNDS && sent - seen[READ] < SLOTS -> sent++; publish(sent)
  :: sent > 0 && !given_up ->
     /* Any message that it takes for unread. */
     n = 1;
     do
     :: n < sent -> n++
     :: break
     od;
     if
     :: unread[n - 1] ->
        if
        :: seen[READ] >= n -> end_of(n)
        :: try_put(n)
        fi
     :: else
     fi;
     n = 0
  :: sent == ROUNDS && seen[READ] == ROUNDS -> break
  :: given_up -> break
  :: leave()
  od;
over:
  skip
}

inline give_up(n) {
  STORE(DESTINATION, 0);
#ifndef NO_FENCE
  /* SYNC withdrawn-or-waited-for */
  FENCE(1);
#endif
#ifndef NO_WAIT
  !(seen[NUMBER(n)] == n && mover[n % SLOTS] == sender && seen[DONE(n)] != n);
#endif
  offered = 0;
  given_up = 1;
  goto over
}

/* What has been copied is the message unless the sender has withdrawn it. */
inline read_memory(n) {
#ifdef EARLY_LOOK
  withdrawn = (seen[WITHDRAWN(n)] == n);
  copied = seen[MESSAGE(n)];
#else
  copied = seen[MESSAGE(n)];
  /* SYNC withdrawn-before-reuse */
  withdrawn = (seen[WITHDRAWN(n)] == n);
#endif
  if
  :: withdrawn -> give_up(n)
  :: else -> assert(copied == n)
  fi;
  copied = 0
}

proctype Receiver() {
  byte round, copied;
  bit withdrawn;
  do
  :: round < ROUNDS ->
     round++;
     if
     :: offered = round;
        /* SYNC destination-before-put */
        RELEASE_STORE(DESTINATION, round)
     :: true
     fi;
     if
     :: seen[NUMBER(round)] == round
     :: give_up(round)
     fi;
     atomic {
       if
       :: mover[round % SLOTS] == nobody -> mover[round % SLOTS] = receiver
       :: else
       fi
     };
     if
     :: mover[round % SLOTS] == receiver -> read_memory(round)
     :: mover[round % SLOTS] == sender ->
        if
        :: seen[DONE(round)] == round -> assert(seen[PUT] == round)
        :: mover[round % SLOTS] == nobody -> mover[round % SLOTS] = receiver; read_memory(round)
        :: give_up(round)
        fi
     :: else
     fi;
     offered = 0;
     /* SYNC read-before-reuse */
     RELEASE_STORE(READ, round)
  :: else -> break
  od;
over:
  skip
}

init {
  byte w;
  atomic {
    mover[0] = nobody;
#if SLOTS > 1
    mover[1] = nobody;
#endif
    do
    :: w < WORDS -> run Memory(w); w++
    :: else -> break
    od;
    run Sender();
    run Receiver()
  }
}
