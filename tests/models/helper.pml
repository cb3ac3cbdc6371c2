/* A rank and the helper process of its node (src/engine/network/helper.cpp, src/helper/server.cpp): the helper publishes its address, takes
 * the rank's requests one by one and replies to each. The rank waits for some replies at once, and for the others only before its next
 * request.
 *
 * Found: an address, a request or a reply that is read before it is complete, or after it has been rewritten; a deadlock.
 *
 * check   three orders:  -DORDERS=3
 * break   NO_RELEASE_READY     state is stored relaxed:                         -DORDERS=1
 * break   NO_ACQUIRE_READY     the address is read before state:                -DORDERS=1
 * break   NO_RELEASE_ASKED     asked is stored relaxed:                         -DORDERS=2
 * break   NO_ACQUIRE_ASKED     the order is read before asked:                  -DORDERS=2
 * break   NO_RELEASE_ANSWERED  answered is stored relaxed:                      -DORDERS=2
 * break   NO_ACQUIRE_ANSWERED  the answer is read before answered:              -DORDERS=2
 * break   NO_FREE_CHECK        an order is written before the last is answered: -DORDERS=2
 * break   NEVER_ANSWERED       the helper does not say that it has answered:    -DORDERS=2
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define RANKS 2
#define ORDER 0
#define ASKED 1
#define ANSWER 2
#define ANSWERED 3
#define ADDRESS 4
#define STATE 5
#define WORDS 6
#define WRITER(w) ((w) < 2 -> 0 : 1)
#define STREAMED(w) 0
#include "memory.pml"

proctype Rank() {
  byte n, read;
  /* SYNC helper-ready */
#ifdef NO_ACQUIRE_READY
  read = seen[ADDRESS];
  seen[STATE] == 1;
#else
  seen[STATE] == 1;
  read = seen[ADDRESS];
#endif
  assert(read == 1);
  n = 1;
  do
  :: n <= ORDERS ->
     /* SYNC reply-before-answered */
#ifndef NO_FREE_CHECK
     seen[ANSWERED] == n - 1;
#endif
     STORE(ORDER, n);
     /* SYNC request-before-asked */
#ifdef NO_RELEASE_ASKED
     STORE(ASKED, n);
#else
     RELEASE_STORE(ASKED, n);
#endif
     if
     :: skip
     :: skip ->
#ifdef NO_ACQUIRE_ANSWERED
        read = seen[ANSWER];
        seen[ANSWERED] == n;
#else
        seen[ANSWERED] == n;
        read = seen[ANSWER];
#endif
        assert(read == n)
     fi;
     n++
  :: else -> break
  od
}

proctype Helper() {
  byte asked, answered, order;
  STORE(ADDRESS, 1);
  /* SYNC helper-ready */
#ifdef NO_RELEASE_READY
  STORE(STATE, 1);
#else
  RELEASE_STORE(STATE, 1);
#endif
end:
  do
  :: answered < ORDERS ->
#ifdef NO_ACQUIRE_ASKED
     order = seen[ORDER];
#endif
     /* SYNC request-before-asked */
     seen[ASKED] != answered;
     asked = seen[ASKED];
#ifndef NO_ACQUIRE_ASKED
     order = seen[ORDER];
#endif
     assert(order == asked);
     STORE(ANSWER, asked);
     /* SYNC reply-before-answered */
#ifndef NEVER_ANSWERED
#ifdef NO_RELEASE_ANSWERED
     STORE(ANSWERED, asked);
#else
     RELEASE_STORE(ANSWERED, asked);
#endif
#endif
     answered = asked
  :: else -> break
  od
}

init {
  byte w;
  atomic {
    do
    :: w < WORDS -> run Memory(w); w++
    :: else -> break
    od;
    run Rank();
    run Helper();
    w = 0
  }
}
