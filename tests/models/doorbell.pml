/* Sleeping and waking (src/engine/communicator/wait.cpp, src/transport/shm/doorbell.*, the channels' wake_peers). The ranks form a line and
 * run the rounds of mode direct with the one below and the one above: store ready, wait for each peer's ready, copy and store read for it,
 * wait for each peer's read. They wait as the library does: check, wake the ranks that they have notified, announce the sleep, check again,
 * sleep on the futex. Sleeps have no time limit here: in the library they end after 10 ms, which would hide a lost wake-up.
 *
 * Ranks may depend on each other by other means, too, as in a solver that passes results on. With LATE the last rank starts only when rank
 * 0 has finished. With ONE_WAY each rank reads only from the one below, and rank 0 continues from start to finish only when rank 1 has
 * finished. So a rank that has been notified must be woken before the notifier sleeps, and at the end of start.
 *
 * Found: a lost wake-up, as a state without progress.
 *
 * check   2 ranks:                                    -DRANKS=2 -DROUNDS=2
 * check   3 ranks, the last one late:                 -DRANKS=3 -DROUNDS=1 -DLATE
 * check   2 ranks, one way, the sender waits:         -DRANKS=2 -DROUNDS=2 -DONE_WAY
 * break   NO_FENCE_RINGER       counter-before-sleepers, at Port::ring_all:                -DRANKS=2 -DROUNDS=2
 * break   NO_FENCE_SLEEPER      counter-before-sleepers, at Doorbell::announce_sleep:          -DRANKS=2 -DROUNDS=2
 * break   NO_ANNOUNCEMENT       sleeps without saying so:                                  -DRANKS=2 -DROUNDS=2
 * break   NO_LAST_LOOK          sleeps without another look after the announcement:        -DRANKS=2 -DROUNDS=2
 * break   NO_BELL_INCREMENT     FUTEX_WAKE alone, the doorbell does not count:                 -DRANKS=2 -DROUNDS=2
 * break   NO_FUTEX_WAKE         the doorbell counts, nobody is woken:                          -DRANKS=2 -DROUNDS=2
 * break   BELL_AFTER_LOOK       the doorbell is read after the last look:                      -DRANKS=2 -DROUNDS=2
 * break   NO_ACQUIRE_BELL       after a sleep the look may come before the doorbell is read:   -DRANKS=3 -DROUNDS=1 -DLATE
 * break   NO_WAKE_AT_START      start tells, but does not wake:                            -DRANKS=2 -DROUNDS=2 -DONE_WAY
 * break   NO_WAKE_AT_CLOSE      finish tells, but wakes only if it has to wait itself:     -DRANKS=2 -DROUNDS=2
 * break   NO_WAKE_BEFORE_PAUSE  whoever was told something sleeps on while I sleep:        -DRANKS=3 -DROUNDS=1 -DLATE
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/* Words of a rank: ready, read (to the one below, to the one above), sleepers. */
#define READY(r) (4 * (r))
#define READ(r, upwards) (4 * (r) + 1 + (upwards))
#define SLEEPERS(r) (4 * (r) + 3)
#define WORDS (4 * RANKS)
#define WRITER(w) ((w) / 4)
#define STREAMED(w) false
#include "memory.pml"

byte doorbell[RANKS];      /* changed by atomic additions, seen by all at once */
bit asleep[RANKS];     /* in the futex */
byte finished[RANKS];  /* rounds; known by other means than the library's */

inline wake(member) {
  if
  :: seen[SLEEPERS(member)] ->
#ifndef NO_BELL_INCREMENT
     doorbell[member] = (doorbell[member] + 1) % 16;
#endif
#ifndef NO_FUTEX_WAKE
     asleep[member] = 0;
#endif
     skip
  :: else
  fi
}

inline wake_peers(me) {
  if
  :: told ->
     told = 0;
     /* SYNC counter-before-sleepers */
#ifndef NO_FENCE_RINGER
     FENCE(me);
#endif
     if
     :: me > 0 -> wake(me - 1)
     :: else
     fi;
     if
     :: me < RANKS - 1 -> wake(me + 1)
     :: else
     fi
  :: else
  fi
}

inline announce_sleep(me) {
#ifndef BELL_AFTER_LOOK
  was = doorbell[me];
#endif
#ifndef NO_ANNOUNCEMENT
  STORE(SLEEPERS(me), 1);
#endif
  /* SYNC counter-before-sleepers */
#ifndef NO_FENCE_SLEEPER
  FENCE(me);
#endif
  announced = 1
}

/* SYNC doorbell: FUTEX_WAIT compares and falls asleep in one step. */
inline sleep(me, condition) {
#ifdef BELL_AFTER_LOOK
  was = doorbell[me];
#endif
  atomic {
    if
    :: doorbell[me] == was -> asleep[me] = 1
    :: else
    fi
  };
  !asleep[me];
#ifdef NO_ACQUIRE_BELL
  looked = (condition);
  stale = 1;
#endif
#ifndef BELL_AFTER_LOOK
  was = doorbell[me]
#endif
}

/* Wait::pause and the loop around it; the spins and yields before are checks like any other. */
inline wait_until(me, condition) {
  do
  :: (stale -> looked : (condition)) -> break
  :: else ->
     stale = 0;
#ifndef NO_WAKE_BEFORE_PAUSE
     wake_peers(me);
#endif
     if
     :: !announced ->
        announce_sleep(me);
#ifdef NO_LAST_LOOK
        sleep(me, condition)
#endif
     :: else -> sleep(me, condition)
     fi
  od;
  stale = 0;
  if
  :: announced -> STORE(SLEEPERS(me), 0); announced = 0
  :: else
  fi;
  was = 0
}

inline read_from(me, peer, upwards) {
  wait_until(me, seen[READY(peer)] >= round);
  RELEASE_STORE(READ(me, upwards), round);
  told = 1
}

#ifdef ONE_WAY
#define READS_UPWARDS false
#else
#define READS_UPWARDS true
#endif

proctype Rank(byte me) {
  byte round, was;
  bit told, announced, stale, looked;
  do
  :: round < ROUNDS ->
     round++;
#ifdef LATE
     me < RANKS - 1 || finished[0] >= round;
#endif
     /* start */
     RELEASE_STORE(READY(me), round);
     told = 1;
#ifndef NO_WAKE_AT_START
     wake_peers(me);
#endif
#ifdef ONE_WAY
     me > 0 || finished[1] >= round;
#endif
     /* finish */
     if
     :: me > 0 -> read_from(me, me - 1, 0)
     :: else
     fi;
     if
     :: READS_UPWARDS && me < RANKS - 1 -> read_from(me, me + 1, 1)
     :: else
     fi;
#ifndef NO_WAKE_AT_CLOSE
     wake_peers(me);
#endif
     wait_until(me, (!READS_UPWARDS || me == 0 || seen[READ(me - 1, 1)] >= round) && (me == RANKS - 1 || seen[READ(me + 1, 0)] >= round));
     finished[me] = round
  :: else -> break
  od
}

init {
  byte i;
  atomic {
    do
    :: i < WORDS -> run Memory(i); i++
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
