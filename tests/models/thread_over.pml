/* The progress thread and the end of the process (src/engine/progress/progress.cpp): the thread polls libfabric until it is asked to stop.
 * The thread that ends the process waits until the progress thread says that it is over, because libfabric is taken down after that.
 *
 * Found: a poll after libfabric is gone; what a poll has written, seen only after that; an end that is never reached.
 *
 * check   two polls:  -DPOLLS=2
 * break   NO_RELEASE  over is stored relaxed:                           -DPOLLS=1
 * break   NO_ACQUIRE  libfabric is looked at before over is:            -DPOLLS=1
 * break   NO_WAIT     the end does not wait for the thread:             -DPOLLS=1
 * break   TOO_EARLY   the thread says that it is over before it is:     -DPOLLS=1
 * break   NOT_SAID    the thread does not say that it is over:          -DPOLLS=1
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define RANKS 2
#define USED 0
#define OVER 1
#define STOP 2
#define WORDS 3
#define WRITER(w) ((w) < 2 -> 0 : 1)
#define STREAMED(w) 0
#include "memory.pml"

bit gone;  /* libfabric */

inline POLL() {
  assert(!gone);
  polls++;
  STORE(USED, polls);
  assert(!gone)
}

inline SAY_OVER() {
  /* SYNC thread-over */
#ifdef NO_RELEASE
  STORE(OVER, 1)
#else
  RELEASE_STORE(OVER, 1)
#endif
}

proctype Thread() {
  byte polls;
  do
  :: seen[STOP] == 0 && polls < POLLS -> POLL()
  :: seen[STOP] == 1 -> break
  od;
#ifdef TOO_EARLY
  SAY_OVER();
  POLL()
#else
#ifndef NOT_SAID
  SAY_OVER()
#endif
#endif
}

proctype End() {
  byte read;
  STORE(STOP, 1);
#ifdef NO_ACQUIRE
  read = seen[USED];
#endif
  /* SYNC thread-over */
#ifndef NO_WAIT
  seen[OVER] == 1;
#endif
#ifndef NO_ACQUIRE
  read = seen[USED];
#endif
  d_step {
    gone = 1;
    assert(read == stored[USED])
  }
}

init {
  byte w;
  atomic {
    do
    :: w < WORDS -> run Memory(w); w++
    :: else -> break
    od;
    run Thread();
    run End();
    w = 0
  }
}
