/* Who may walk into a call that blocks inside MPI: nobody, unless all do. By default check mode before a finish (src/exchange/check.cpp): ranks
 * in a ring, of which rank 0 may have started another swap; each compares its neighbours' descriptors with its own, then passes a dissemination
 * barrier; who gives up tells its neighbours and those whom it would tell in the barrier. With -DMEET_TWICE the plans' rule
 * (src/engine/communicator/collective.hpp): all ranks meet twice before the call, and who waits too long for a late one gives up. A meeting is a reduction:
 * what a rank that has given up brought to it still counts. A rank may be late for the first meeting, not between the two.
 *
 * Found: a rank inside the call when another has given up; ranks that wait for ever.
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
byte told[RANKS];        /* stages that the rank has told */
bit quitting[RANKS];     /* has told that it gives up */

#define DISAGREES(me) (other_swap && ((me) == 0 || LEFT(me) == 0 || RIGHT(me) == 0))
/* Who would tell me in a stage, and whom I hear of when it gives up. */
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
byte absent[2];    /* ranks that have given up before they came to it */

/* The time is over for a rank that waits while another is late, or will not come. */
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
