/* What a rank waits for before it announces what it has written on another node (src/engine/rma/remote_rma.cpp,
 * src/engine/network/pending_requests.cpp). Three cases: a put_notify in two pieces, the second of which carries the notification; two writes
 * of a queue and the message that announces them; two short puts and a flush, after which another message, by other means, notifies the
 * target. The network may keep the order of what it was given (ORDERED) or not. Where it does not, a write has ended when it is delivered.
 * Where it does, a write has ended when it has left, and the flush queries the target whether all has arrived.
 *
 * Found: a notification, or the end of a flush, before the data.
 *
 * check   pieces, no order kept:                -DPIECES
 * check   pieces, order kept:                   -DPIECES -DORDERED
 * check   writes and a message, no order kept:  -DMESSAGE
 * check   writes and a message, order kept:     -DMESSAGE -DORDERED
 * check   a flush, no order kept:               -DFLUSH
 * check   a flush, order kept:                  -DFLUSH -DORDERED
 * break   NO_DRAIN    pieces-before-notification: the last piece does not wait for the first:     -DPIECES
 * break   NO_WAIT     writes-before-notification: the message does not wait for the writes:       -DMESSAGE
 * break   OVERTAKES   writes-before-notification: messages overtake what they must not:           -DMESSAGE -DORDERED
 * break   NO_END      put-before-flush: a flush does not wait for the ends of puts:               -DFLUSH
 * break   NO_CONFIRM  put-before-flush: a flush waits until puts have left, and asks nobody:      -DFLUSH -DORDERED
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define MESSAGE_PLACE 3
#define PLACES 4
bit given[PLACES], delivered[PLACES], ended[PLACES];
bit notified, answered;

/* In the order in which they were given, if that is kept. */
#ifdef ORDERED
#ifdef OVERTAKES
#define MAY_COME(t) (t == MESSAGE_PLACE || t == 1 || delivered[t - 1])
#else
#define MAY_COME(t) (t == 1 || delivered[t - 1])
#endif
#define MAY_END(t) 1
#else
#define MAY_COME(t) 1
#define MAY_END(t) delivered[t]
#endif

inline arrive(t) {
  delivered[t] = 1;
#ifdef PIECES
  if
  :: t == 2 -> notified = 1
  :: else
  fi;
#endif
#ifdef MESSAGE
  if
  :: t == MESSAGE_PLACE -> notified = 1
  :: else
  fi;
#endif
#ifdef FLUSH
  if
  :: t == MESSAGE_PLACE -> answered = 1
  :: else
  fi;
#endif
  /* SYNC payload-before-notification */
  assert(!notified || (delivered[1] && delivered[2]))
}

active proctype Network() {
end:
  do
  :: atomic { given[1] && !delivered[1] && MAY_COME(1) -> arrive(1) }
  :: atomic { given[2] && !delivered[2] && MAY_COME(2) -> arrive(2) }
  :: atomic { given[3] && !delivered[3] && MAY_COME(3) -> arrive(3) }
  :: atomic { given[1] && !ended[1] && MAY_END(1) -> ended[1] = 1 }
  :: atomic { given[2] && !ended[2] && MAY_END(2) -> ended[2] = 1 }
  od
}

active proctype Origin() {
  given[1] = 1;
#ifdef PIECES
  /* SYNC pieces-before-notification */
#ifndef NO_DRAIN
  ended[1];
#endif
  given[2] = 1
#endif
#ifdef MESSAGE
  given[2] = 1;
  /* SYNC writes-before-notification */
#ifndef NO_WAIT
#ifndef ORDERED
  ended[1] && ended[2];
#endif
#endif
  given[MESSAGE_PLACE] = 1
#endif
#ifdef FLUSH
  given[2] = 1;
  /* SYNC put-before-flush */
#ifndef NO_END
  ended[1] && ended[2];
#endif
#ifdef ORDERED
#ifndef NO_CONFIRM
  given[MESSAGE_PLACE] = 1;
  answered;
#endif
#endif
  assert(delivered[1] && delivered[2])
#endif
}
