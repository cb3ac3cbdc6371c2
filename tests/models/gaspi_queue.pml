/* Two writes and a notification by one queue, and gaspi_wait (src/faces/gaspi/posting.hpp, queue.cpp; src/engine/rma/completion_set.cpp, remote_rma.cpp), to a
 * rank that may end at any moment. The network keeps no order. A call may return at any check because its time is over; then the program
 * calls again. What is under way to a rank that has ended never ends by itself: a waiting rank detects that the target is lost, and
 * abandons it. With NEAR the target is of the same node: its memory is written to, also when it has ended, and a check of its process
 * detects that.
 *
 * Found: a notification before its data; gaspi_wait that succeeds while something has failed or has not ended, or fails for nothing; a wait
 * that never ends.
 *
 * check   another node:      -DFAR
 * check   the same node:     -DNEAR
 * break   NO_DRAIN       writes-before-notification: a repeated call does not wait for the writes:   -DFAR
 * break   NOTHING_LOST   what is on its way to a rank that has ended is not given up:                -DFAR
 * break   NO_WAIT        gaspi_wait does not wait:                                                   -DFAR
 * break   FORGETS        what could not be posted is forgotten:                                      -DFAR
 * break   POST_FAILS     posting to a rank that is lost fails:                                       -DFAR
 * break   NO_GLANCE      nobody looks whether the rank of the node is still there:                   -DNEAR
 * break   FORGETS        what could not be posted is forgotten:                                      -DNEAR
 * break   NOTIFIED_FIRST payload-before-notification: the notification is set before the data:       -DNEAR
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define NOTIFICATION 2
#define OVER ((!given[0] || ended[0]) && (!given[1] || ended[1]) && (!given[2] || ended[2]))
bit given[3], delivered[3], ended[3];
bit dead, lost, corrupt, known_before;
byte outcome;   /* of gaspi_wait: 1 success, 2 error */

active proctype Target() {
  do
  :: atomic { delivered[NOTIFICATION] -> assert(delivered[0] && delivered[1]) } break
  :: atomic { dead = 1 } break
  od
}

#ifdef FAR
active proctype Network() {
end:
  do
  :: atomic { given[0] && !ended[0] && !dead -> delivered[0] = 1 }
  :: atomic { given[1] && !ended[1] && !dead -> delivered[1] = 1 }
  :: atomic { given[2] && !ended[2] && !dead -> delivered[2] = 1 }
  :: d_step { delivered[0] && !ended[0] -> ended[0] = 1 }
  :: d_step { delivered[1] && !ended[1] -> ended[1] = 1 }
  :: d_step { delivered[2] && !ended[2] -> ended[2] = 1 }
  od
}
#endif

/* Watch::poll_sometimes. */
inline look_for_lost() {
  if
  :: dead -> lost = 1
  :: else
  fi
}

/* Begins a write, or notes that it cannot be begun. */
inline begin(t) {
#ifdef NEAR
#ifndef NO_GLANCE
  look_for_lost();
#endif
#endif
  if
  :: lost -> note()
  :: else ->
     given[t] = 1;
#ifdef NEAR
     delivered[t] = 1;
     ended[t] = 1
#endif
  fi
}

inline note() {
#ifdef POST_FAILS
  assert(false);
#endif
#ifndef FORGETS
  corrupt = 1
#else
  skip
#endif
}

inline post_notification() {
  do
  :: lost -> note(); break
#ifdef FAR
  /* SYNC writes-before-notification */
  :: !lost && ended[0] && ended[1] -> begin(NOTIFICATION); break
#ifdef NO_DRAIN
  :: !lost && repeated -> begin(NOTIFICATION); break
#endif
  /* The time is over, and the program calls again. */
  :: !repeated -> repeated = 1
#ifndef NOTHING_LOST
  :: dead && !lost -> lost = 1
#endif
#else
  :: !lost -> begin(NOTIFICATION); break
#endif
  od
}

active proctype Origin() {
  bit repeated;
  /* It may have been notified already. */
  if
  :: atomic { dead -> lost = 1; known_before = 1 }
  :: skip
  fi;
#ifdef NEAR
  if
  :: dead -> known_before = 1
  :: skip
  fi;
#endif
#ifdef NOTIFIED_FIRST
  begin(NOTIFICATION);
#endif
  begin(0);
  begin(1);
#ifndef NOTIFIED_FIRST
  post_notification();
#endif
  do
  :: corrupt || (lost && !OVER) -> outcome = 2; break
#ifdef NO_WAIT
  :: !corrupt -> outcome = 1; break
#else
  :: !corrupt && OVER -> outcome = 1; break
#endif
#ifndef NOTHING_LOST
  :: !OVER && dead && !lost -> lost = 1
#endif
  od;
  assert(outcome != 2 || dead);
  assert(outcome != 1 || (!known_before && given[0] && given[1] && given[2] && ended[0] && ended[1] && ended[2]))
}
