/* Which ranks may enter a call that blocks inside MPI: none, unless all do. By default check mode before a finish (src/exchange/check.cpp).
 * Ranks form a ring, of which rank 0 may have started another swap. Each compares its neighbours' check messages with its own, then passes
 * a dissemination barrier. A rank that abandons the swap notifies its neighbours and those ranks that it would notify in the barrier. With
 * -DMEET_TWICE the protocol of plans (src/engine/communicator/collective.hpp): all ranks meet twice before the call, and a rank that waits
 * too long for a late one abandons it. A meeting is a reduction: what a rank that has abandoned it contributed still counts. A rank may be
 * late for the first meeting, not between the two.
 *
 * Found: a rank inside the call when another has abandoned it; ranks that wait forever.
 *
 * check   ranks that disagree before a finish:   -DRANKS=5
 * check   a rank that is late for a plan:        -DRANKS=4 -DMEET_TWICE
 * break   NO_BARRIER    the descriptors alone decide:                              -DRANKS=5
 * break   ONE_STAGE     the barrier has its first stage alone:               -DRANKS=5
 * break   READY_FIRST   the barrier is told before the descriptors are compared:   -DRANKS=5
 * break   NOT_PASSED_ON who hears that a rank has given up tells nobody:     -DRANKS=5
 * break   QUITS_INSIDE  a rank gives up when it has told the last stage:     -DRANKS=5
 * break   MEET_ONCE     one meeting:                                         -DRANKS=3 -DMEET_TWICE
 * break   LATE_BETWEEN  a rank may be late between the meetings:             -DRANKS=3 -DMEET_TWICE
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
byte inside = 0, given_up = 0;

#define LEFT(me) (((me) + RANKS - 1) % RANKS)
#define RIGHT(me) (((me) + 1) % RANKS)

/* The call, and the end without it. */
inline walk_in() {
  atomic {
    inside++;
    assert(given_up == 0)
  }
}
inline quit() {
  atomic {
    given_up++;
    assert(inside == 0)
  }
}

#ifndef MEET_TWICE

#ifdef ONE_STAGE
#define STAGES 1
#else
#define STAGES 3  /* of up to 8 ranks */
#endif
bit other_swap;          /* what rank 0 has started */
bit descriptor[RANKS];         /* sent to both neighbours */
byte told[RANKS];        /* stages that the rank has notified */
bit quitting[RANKS];     /* has notified others that it abandons the call */

#define DISAGREES(me) (other_swap && ((me) == 0 || LEFT(me) == 0 || RIGHT(me) == 0))
/* The rank that would notify me in a stage, or tell me that it abandons the call. */
#define FROM(me, stage) (((me) + RANKS - (1 << (stage)) % RANKS) % RANKS)
#define HEARS(me) (quitting[LEFT(me)] || quitting[RIGHT(me)] || quitting[FROM(me, 0)] || quitting[FROM(me, 1)] || quitting[FROM(me, 2)])

inline give_up(me, at_first_hand) {
  quit();
#ifdef NOT_PASSED_ON
  if
  :: at_first_hand -> quitting[me] = 1
  :: else
  fi;
#else
  quitting[me] = 1;
#endif
  goto end
}

proctype Rank(byte me) {
  byte stage = 0;
  if
  :: me == 0 -> if :: other_swap = 1 :: skip fi
  :: else
  fi;
  descriptor[me] = 1;
#ifdef READY_FIRST
  told[me] = STAGES;
#endif
  if
  :: descriptor[LEFT(me)] && descriptor[RIGHT(me)] ->
     if
     :: DISAGREES(me) -> give_up(me, true)
     :: else
     fi
  :: HEARS(me) -> give_up(me, false)
  fi;
#ifndef NO_BARRIER
  do
  :: stage < STAGES ->
#ifndef READY_FIRST
     told[me] = stage + 1;
#endif
     if
     :: told[FROM(me, stage)] > stage -> stage++
     :: HEARS(me) -> give_up(me, false)
#ifdef QUITS_INSIDE
     :: stage == STAGES - 1 && me == 1 -> give_up(me, true)
#endif
     fi
  :: else -> break
  od;
#endif
  walk_in();
end:
  skip
}

#else

#ifdef MEET_ONCE
#define MEETINGS 1
#else
#define MEETINGS 2
#endif
byte come[2];      /* to each meeting */
byte absent[2];    /* ranks that have abandoned the call before they entered it */

/* The time is over for a rank that waits while another is late, or will not enter. */
#ifdef LATE_BETWEEN
#define MAY_BE_LATE(m) true
#else
#define MAY_BE_LATE(m) ((m) == 0)
#endif

proctype Rank(byte me) {
  byte m = 0;
  do
  :: m < MEETINGS ->
     come[m]++;
     if
     :: come[m] == RANKS -> m++
     :: come[m] < RANKS && (MAY_BE_LATE(m) || absent[m] > 0) ->
        atomic {
          if
          :: m == 0 -> absent[1]++
          :: else
          fi
        }
        quit();
        goto end
     fi
  :: else -> break
  od;
  walk_in();
end:
  skip
}

#endif

init {
  byte r = 0;
  atomic {
    do
    :: r < RANKS -> run Rank(r); r++
    :: else -> break
    od
  }
}
