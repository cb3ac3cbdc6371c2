/* The locks of a window (src/faces/mpi/sync/group_lock.hpp, locks.cpp): a lock of the window (0) and one of a target (1). A shared lock takes
 * side 0 of the target's, lock_all side 0 of the window's, an exclusive lock side 1 of the target's. Holders, waiters and turn
 * of a lock are one word, so each step changes them at once. A rank that waits looks and falls asleep in one step (doorbell.pml shows why).
 * Sleeps have no time limit. Each rank takes some locks of any kind. Exclusive ones add 1 to a number, which may be seen late.
 *
 * An exclusive lock looks at the window's once it has the target's. If ranks lock all or wait for that, it gives way: it gives the target's
 * back, and takes it while it holds side 1 of the window's. The first one does so as well, and sets a bit: targets may be locked alone.
 * From then on lock_all looks at all targets once it has the window's, and waits until each was free.
 *
 * With FAR an exclusive lock takes side 1 of both, first the window's, and holds both. Ranks from that number on are on another node than the
 * words. They try both at once, and give the target's back if they do not get the window's. They release a lock by a message that reads nothing, so whoever takes it there gives the turn to the other side at once if that
 * waits. They wake nobody: sleeps are short then, and not in the model.
 *
 * With CHAIN rank 0 locks two targets, the second while it holds the first, and the others lock all: those let it pass after a while.
 *
 * With RELAY rank 0 holds a shared lock until rank 1 has had one, while rank 2 waits for an exclusive one: the turn binds nobody for ever.
 *
 * Found: a number that is not that of all additions; a lost wake-up, as a deadlock; a side of which ranks
 * wait and are overtaken by more acquisitions of the other side than there are other ranks.
 *
 * check   two ranks:                                       -DRANKS=2 -DTIMES=3
 * check   three ranks:                                     -DRANKS=3 -DTIMES=1
 * check   three ranks, one is counted per side:            -DRANKS=3 -DTIMES=1 -DMOST=1
 * large   three ranks, shared and exclusive:               -DRANKS=3 -DTIMES=2 -DNO_ALL
 * check   a holder waits for a rank that the turn keeps out:   -DRANKS=3 -DTIMES=1 -DRELAY
 * large   three ranks, all kinds:                          -DRANKS=3 -DTIMES=2
 * check   a holder locks another target, one locks all:    -DRANKS=2 -DTIMES=3 -DCHAIN
 * check   a holder locks another target, two lock all:     -DRANKS=3 -DTIMES=1 -DCHAIN
 * check   three ranks, one on another node:                -DRANKS=3 -DTIMES=1 -DFAR=2
 * check   three ranks, two on another node:                -DRANKS=3 -DTIMES=1 -DFAR=1
 * large   three ranks on another node, no lock_all:        -DRANKS=3 -DTIMES=2 -DFAR=0 -DNO_ALL
 * break   NO_RELEASE      window-unlocked-before-locked: unlocked before the number:          -DRANKS=2 -DTIMES=1
 * break   NO_ACQUIRE      window-unlocked-before-locked: the number is read before the lock:  -DRANKS=2 -DTIMES=1
 * break   TORN            looks and takes in two steps:                                       -DRANKS=2 -DTIMES=1
 * break   NO_WINDOW_LOCK  an exclusive lock takes the target's alone:                         -DRANKS=2 -DTIMES=1 -DFAR=2
 * break   NO_LOOK         an exclusive lock does not look at the window's:                    -DRANKS=2 -DTIMES=2
 * break   NO_LOOK_BY_ALL  lock_all does not look at the targets:                              -DRANKS=2 -DTIMES=2
 * break   LOOKS_FIRST     taken-before-look: looks at the window's, then takes the target's:   -DRANKS=2 -DTIMES=2
 * break   ALL_LOOKS_FIRST taken-before-look: lock_all looks at the targets, then is counted:   -DRANKS=2 -DTIMES=2
 * break   NO_MARK         the first exclusive lock of a window does not tell of itself:       -DRANKS=2 -DTIMES=1
 * break   NO_RING         an exclusive unlock does not wake those that lock all:              -DRANKS=2 -DTIMES=2
 * break   EARLY_SIGHT     an exclusive unlock looks for them in a step before:                -DRANKS=2 -DTIMES=2
 * break   QUIET_WAY       a rank that gives way does not wake those that lock all:            -DRANKS=2 -DTIMES=2
 * break   KEEPS_ALL       lock_all lets nobody pass:                                          -DRANKS=2 -DTIMES=1 -DCHAIN
 * break   NO_WAKE         an unlock wakes nobody:                                             -DRANKS=2 -DTIMES=1
 * break   WAKES_OTHERS    an unlock looks for the other side's waiters only:                  -DRANKS=3 -DTIMES=1 -DMOST=2
 * break   EARLY_LOOK      an unlock looks for waiters in a step before:                       -DRANKS=2 -DTIMES=1
 * break   NO_ANNOUNCEMENT sleeps without being counted:                                       -DRANKS=2 -DTIMES=1
 * break   STAYS_COUNTED   remains counted among those that wait:                              -DRANKS=2 -DTIMES=3
 * break   NO_TURN         an unlock does not give the turn to the other side:                 -DRANKS=3 -DTIMES=3 -DNO_ALL
 * break   NO_FAR_TURN     a rank of another node takes without giving the turn to the other side:  -DRANKS=3 -DTIMES=3 -DNO_ALL -DFAR=0
 * break   NO_PATIENCE     the turn binds for ever:                                            -DRANKS=3 -DTIMES=1 -DRELAY
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MOST
#define MOST 3  /* ranks that are counted, per side */
#endif
#define AT(lock, side) (2 * (lock) + (side))
#ifdef FAR
#define IS_FAR(rank) ((rank) >= FAR)
#else
#define IS_FAR(rank) false
#endif
byte holders[6], waiters[6];
bit turn[3];
bit alone;              /* exclusive locks take the target's alone */

byte number, written, added;
bit late;
bit asleep[RANKS], had[RANKS];
byte waits[RANKS];      /* 0, or 1 + AT(lock, side) while it is counted */
byte overtaken[RANKS];  /* meanwhile */

active proctype Memory() {
end:
  do
  :: d_step { late -> number = written; late = 0 }
  od
}

/* Side 1 of a target's lock is one at a time. */
#define IS_FREE(lock, side) (holders[AT(lock, 1 - (side))] == 0 && ((lock) == 0 || (side) == 0 || holders[AT(lock, 1)] == 0))
#define IN_TURN(lock, side) (waiters[AT(lock, 1 - (side))] == 0 || turn[lock] == (side))
#ifdef RELAY
#ifdef NO_PATIENCE
#define MAY_TAKE(lock, side) (IS_FREE(lock, side) && IN_TURN(lock, side))
#else
#define MAY_TAKE(lock, side) IS_FREE(lock, side)
#endif
#else
#define MAY_TAKE(lock, side) (IS_FREE(lock, side) && IN_TURN(lock, side))
#endif

inline hold(me, lock, side) {
  holders[AT(lock, side)]++;
#ifndef NO_FAR_TURN
  if
  :: IS_FAR(me) && waiters[AT(lock, 1 - side)] > 0 -> turn[lock] = 1 - side
  :: else
  fi;
#endif
  r = 0;
  do
  :: r < RANKS ->
     if
     :: waits[r] == 1 + AT(lock, 1 - side) ->
        overtaken[r]++;
#ifndef RELAY
        assert(overtaken[r] < RANKS)
#endif
     :: waits[r] == 1 + AT(lock, side) -> overtaken[r] = 0
     :: else
     fi;
     r++
  :: else -> break
  od;
  r = 0
}

inline announce(me, lock, side) {
  atomic {
    if
#ifndef NO_ANNOUNCEMENT
    :: waiters[AT(lock, side)] < MOST -> waiters[AT(lock, side)]++; counted = 1; waits[me] = 1 + AT(lock, side)
#endif
    :: else
    fi
  }
}

inline stop_waiting(me, lock, side) {
#ifndef STAYS_COUNTED
  waiters[AT(lock, side)] = waiters[AT(lock, side)] - counted;
#endif
  counted = 0;
  waits[me] = 0;
  overtaken[me] = 0
}

inline wait_for(me, lock, side) {
  announce(me, lock, side);
  do
  :: atomic { MAY_TAKE(lock, side) -> stop_waiting(me, lock, side); hold(me, lock, side) } break
#ifdef FAR
  :: atomic { MAY_TAKE(lock, side) -> skip }
#elif defined(NO_ANNOUNCEMENT)
  :: atomic { !MAY_TAKE(lock, side) -> asleep[me] = 1 }
#else
  :: atomic { !MAY_TAKE(lock, side) && counted -> asleep[me] = 1 }
#endif
#ifdef RELAY
     /* A sleep ends by itself when the patience is over. */
     atomic { !asleep[me] || MAY_TAKE(lock, side) -> asleep[me] = 0 }
#else
     !asleep[me]
#endif
  od
}

inline take(me, lock, side) {
#ifdef TORN
  if
  :: IS_FREE(lock, side) && IN_TURN(lock, side) -> atomic { hold(me, lock, side) }
  :: atomic { else -> skip } wait_for(me, lock, side)
  fi
#else
  if
  :: atomic { IS_FREE(lock, side) && IN_TURN(lock, side) -> hold(me, lock, side) }
  :: atomic { else -> skip } wait_for(me, lock, side)
  fi
#endif
}

inline ring() {
  d_step {
    r = 0;
    do
    :: r < RANKS -> asleep[r] = 0; r++
    :: else -> break
    od;
    r = 0
  }
}

inline give_back(me, lock, side) {
#ifndef NO_RELEASE
  /* SYNC window-unlocked-before-locked */
  !late;
#endif
#ifdef EARLY_LOOK
  wakes = waiters[AT(lock, 0)] + waiters[AT(lock, 1)] > 0;
#endif
  atomic {
#ifdef WAKES_OTHERS
    wakes = waiters[AT(lock, 1 - side)] > 0;
#elif !defined(EARLY_LOOK)
    wakes = waiters[AT(lock, 0)] + waiters[AT(lock, 1)] > 0;
#endif
#ifndef NO_TURN
    if
    :: !IS_FAR(me) && waiters[AT(lock, 1 - side)] > 0 -> turn[lock] = 1 - side
    :: else
    fi;
#endif
    holders[AT(lock, side)]--
  }
#ifndef NO_WAKE
  if
  :: wakes && !IS_FAR(me) -> ring()
  :: else
  fi;
#endif
  wakes = 0
}

inline look_before() {
#ifdef NO_ACQUIRE
  old = number;
#endif
  skip
}

inline look() {
#ifndef NO_ACQUIRE
  old = number;
#endif
  assert(old == added);
  old = 0
}

inline lock_shared(me) {
  look_before();
  take(me, 1, 0);
  look();
#ifdef RELAY
  had[me] = 1;
  me > 0 || had[1];
#endif
  give_back(me, 1, 0)
}

/* What an exclusive lock of a target sees of the window's. */
#define ALL_IS_BUSY (holders[AT(0, 0)] + waiters[AT(0, 0)] > 0)
#ifdef NO_MARK
#define GIVES_WAY ALL_IS_BUSY
#else
#define GIVES_WAY (ALL_IS_BUSY || !alone)
#endif

/* Those that lock all may wait for this target. */
inline wake_those_of_all() {
#ifndef EARLY_SIGHT
  wakes = ALL_IS_BUSY;
#endif
  if
  :: wakes -> ring()
  :: else
  fi;
  wakes = 0
}

inline take_beside_all(me, target) {
  take(me, 0, 1);
#ifndef NO_MARK
  alone = 1;
#endif
  take(me, target, 1);
  give_back(me, 0, 1)
}

inline take_exclusive(me, target) {
#ifdef LOOKS_FIRST
  sees_all = GIVES_WAY;
#endif
  take(me, target, 1);
#if !defined(LOOKS_FIRST) && !defined(NO_LOOK)
  /* SYNC taken-before-look */
  sees_all = GIVES_WAY;
#endif
  if
  :: sees_all ->
     give_back(me, target, 1);
#ifndef QUIET_WAY
     wake_those_of_all();
#endif
     sees_all = 0;
     take_beside_all(me, target)
  :: else
  fi
}

inline give_back_exclusive(me, target) {
#ifdef EARLY_SIGHT
  sees_all = ALL_IS_BUSY;
#endif
  give_back(me, target, 1);
#ifdef EARLY_SIGHT
  wakes = sees_all;
  sees_all = 0;
#endif
#ifndef NO_RING
  wake_those_of_all()
#endif
}

inline let_pass(me) {
  give_back(me, 0, 0);
  take(me, 0, 0)
}

/* Until each target was free while this rank is counted at the window's. */
inline await_targets(me) {
  target = 1;
  do
  :: target < 3 ->
     if
     :: atomic { holders[AT(target, 1)] == 0 -> target++ }
#if defined(CHAIN) && !defined(KEEPS_ALL)
     :: atomic { holders[AT(target, 1)] > 0 -> target = 1 } let_pass(me)
#else
     :: atomic { holders[AT(target, 1)] > 0 -> asleep[me] = 1 } !asleep[me]
#endif
     fi
  :: else -> break
  od;
  target = 0
}

inline lock_all(me) {
  look_before();
#ifdef ALL_LOOKS_FIRST
  sees_free = holders[AT(1, 1)] == 0;
#endif
  take(me, 0, 0);
#if !defined(FAR) && !defined(NO_LOOK_BY_ALL)
  /* SYNC taken-before-look */
  if
  :: alone && !sees_free -> await_targets(me)
  :: else
  fi;
  sees_free = 0;
#endif
  look();
  give_back(me, 0, 0)
}

inline try(me, lock, side, has) {
  if
  :: atomic { IS_FREE(lock, side) && IN_TURN(lock, side) -> hold(me, lock, side); has = 1 }
  :: atomic { else -> skip }
  fi
}

/* Two messages, which may arrive in any order. */
inline try_both(me) {
  if
  :: skip -> try(me, 0, 1, has_all); try(me, 1, 1, has_target)
  :: skip -> try(me, 1, 1, has_target); try(me, 0, 1, has_all)
  fi;
  if
  :: has_target && !has_all -> give_back(me, 1, 1); has_target = 0
  :: else
  fi
}

inline lock_both(me) {
#ifndef NO_WINDOW_LOCK
  if
  :: IS_FAR(me) -> try_both(me)
  :: else
  fi;
  if
  :: !has_all -> take(me, 0, 1)
  :: else
  fi;
#endif
  /* SYNC window-unlocked-before-locked */
  if
  :: !has_target -> take(me, 1, 1)
  :: else
  fi;
  has_all = 0;
  has_target = 0;
  look();
  add();
  give_back(me, 1, 1);
#ifndef NO_WINDOW_LOCK
  give_back(me, 0, 1);
#endif
  skip
}

inline add() {
  d_step { added++; written = added; late = 1 }
}

inline lock_exclusive(me) {
  look_before();
#ifdef FAR
  lock_both(me)
#else
  /* SYNC window-unlocked-before-locked */
  take_exclusive(me, 1);
  look();
  add();
#ifdef CHAIN
  take_exclusive(me, 2);
  give_back_exclusive(me, 2);
#endif
  give_back_exclusive(me, 1)
#endif
}

proctype Rank(byte me) {
  byte times, old, r, target;
  bit counted, wakes, sees_all, sees_free;
  bit has_all, has_target;
  do
  :: times < TIMES ->
     times++;
     if
#ifdef RELAY
     :: me < 2 -> lock_shared(me)
     :: me == 2 -> lock_exclusive(me)
#elif defined(CHAIN)
     :: me == 0 -> lock_exclusive(me)
     :: me > 0 -> lock_all(me)
#else
     :: lock_shared(me)
     :: lock_exclusive(me)
#ifndef NO_ALL
     :: lock_all(me)
#endif
#endif
     fi
  :: else -> break
  od
}

init {
  byte i;
  atomic {
    if
    :: turn[0] = 1
    :: skip
    fi;
    if
    :: turn[1] = 1
    :: skip
    fi;
    if
    :: alone = 1
    :: skip
    fi;
    do
    :: i < RANKS -> run Rank(i); i++
    :: else -> break
    od;
    i = 0
  }
}
