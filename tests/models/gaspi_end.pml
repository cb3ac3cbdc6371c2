/* Calls and the end of the job (src/faces/common/visit.cpp, runtime.cpp): each thread counts its own calls before it loads the job. The
 * thread that ends the job removes it, waits until no other thread is in a call, and releases what the job has. Callers also write to it,
 * which others may see late.
 *
 * Found: a call that uses what is released; a write that takes effect after the release; an end that is never reached.
 *
 * check   two callers:          -DCALLERS=2
 * break   NO_FENCE_IN_CALL   visit-before-job: the visit is seen after the look at the job:       -DCALLERS=1
 * break   NO_FENCE_AT_END    visit-before-job: the job goes after the look at the visits:         -DCALLERS=1
 * break   LOOKS_FIRST        visit-before-job: the job is looked at before the visit is counted:  -DCALLERS=1
 * break   NO_RELEASE         used-before-released: a visit ends before what it has written:       -DCALLERS=1
 * break   NO_WAIT            the end does not wait for visits:                                    -DCALLERS=1
 * break   NO_END             a wait does not look whether the job ends:                           -DCALLERS=1
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define RANKS (CALLERS + 1)
#define ENDER CALLERS
/* Words: of each caller its visit and what it writes to the job; of the thread that ends it, the job, and that it ends. */
#define VISIT(c) (2 * (c))
#define USED(c) (2 * (c) + 1)
#define JOB (2 * CALLERS)
#define ENDS (2 * CALLERS + 1)
#define WORDS (2 * CALLERS + 2)
#define WRITER(w) ((w) / 2)
#define STREAMED(w) 0
#include "memory.pml"

bit released;

proctype Caller(byte me) {
  bit there;
  byte calls;
  do
  :: calls < 2 ->
     calls++;
#ifdef LOOKS_FIRST
     there = 1 - seen[JOB];
#endif
     STORE(VISIT(me), 1);
     /* SYNC visit-before-job: its own, or the fence for all threads, made by the thread that ends the job. */
#ifndef NO_FENCE_IN_CALL
     FENCE(me);
#endif
#ifndef LOOKS_FIRST
     there = 1 - seen[JOB];
#endif
     if
     :: there ->
        assert(!released);
        STORE(USED(me), calls);
        if
        :: skip
        :: skip ->
           /* It waits for what never arrives. */
#ifdef NO_END
           false
#else
           seen[ENDS] == 1
#endif
        fi;
        assert(!released)
     :: else -> calls = 2
     fi;
     /* SYNC used-before-released */
#ifdef NO_RELEASE
     STORE(VISIT(me), 0);
#else
     RELEASE_STORE(VISIT(me), 0);
#endif
  :: else -> break
  od
}

proctype Ender() {
  byte c;
  STORE(ENDS, 1);
  /* SYNC visit-before-job */
  STORE(JOB, 1);
#ifndef NO_FENCE_AT_END
  FENCE(ENDER);
#endif
#ifndef NO_WAIT
  c = 0;
  do
  :: c < CALLERS -> seen[VISIT(c)] == 0; c++
  :: else -> break
  od;
#endif
  skip;
  d_step {
    released = 1;
    c = 0;
    do
    :: c < CALLERS -> assert(!late[USED(c)]); c++
    :: else -> break
    od
  }
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
    :: i < CALLERS -> run Caller(i); i++
    :: else -> break
    od;
    run Ender();
    i = 0
  }
}
