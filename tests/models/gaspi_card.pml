/* What a rank publishes of its segments and groups (src/engine/rma/segment_directory.cpp, src/engine/sync/group_links.cpp).
 *
 * With SEGMENTS: the owner publishes a segment's descriptor, two words under a version, and registers it with the reader, which increments
 * a word of the reader's. Then it notifies the reader by other means. It repeats this, each time with another segment. The reader keeps
 * what it has read until the count changes. It reads version and descriptor one after the other, as over a network; either may be read
 * while the owner writes.
 *
 * With GROUP: a group that is made under the handle of an earlier one. Its words, which hold numbers of that one, are reset before the
 * others find that it exists; then they are raised.
 *
 * Found: a descriptor of two halves; an earlier segment's descriptor; a number of an earlier group; a deadlock.
 *
 * check   segments:                       -DSEGMENTS=3
 * check   a group:                        -DGROUP
 * break   NO_FENCE        descriptor-before-version: the old version is seen beside a new descriptor:         -DSEGMENTS=2
 * break   NO_RELEASE      descriptor-before-version: the new version is seen beside an old descriptor:        -DSEGMENTS=2
 * break   ONE_LOOK        descriptor-before-version: the version is not compared:                       -DSEGMENTS=2
 * break   NO_COUNT        descriptor-before-changed: the reader does not look at the count:             -DSEGMENTS=2
 * break   COUNT_FIRST     descriptor-before-changed: it is registered before it is published:           -DSEGMENTS=2
 * break   COUNT_LATE      descriptor-before-changed: the count that is kept is read after the descriptor:     -DSEGMENTS=2
 * break   NO_LOWER        words-before-record: the words are not lowered:                         -DGROUP
 * break   RECORD_RELAXED  words-before-record: the record is seen before the words are lowered:   -DGROUP
 * break   RECORD_FIRST    words-before-record: the record is written first:                       -DGROUP
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define RANKS 1
#define VERSION 0
#define FIRST 1
#define SECOND 2
#define CHANGED 3
#define TOLD 4
#define WORDS 5
#define WRITER(w) 0
#define STREAMED(w) 0
#include "memory.pml"

#ifdef SEGMENTS
inline publish(n) {
  STORE(VERSION, 0);
#ifndef NO_FENCE
  FENCE(0);
#endif
  STORE(FIRST, n);
  STORE(SECOND, n);
  /* SYNC descriptor-before-version */
#ifdef NO_RELEASE
  STORE(VERSION, n);
#else
  RELEASE_STORE(VERSION, n);
#endif
}

proctype Owner() {
  byte n, changes;
  do
  :: n < SEGMENTS ->
     n++;
     changes++;
#ifdef COUNT_FIRST
     RELEASE_STORE(CHANGED, changes);
     publish(n);
#else
     publish(n);
     /* SYNC descriptor-before-changed */
     RELEASE_STORE(CHANGED, changes);
#endif
     RELEASE_STORE(TOLD, n)
  :: else -> break
  od
}

proctype Reader() {
  byte kept, count, before, first, second, version, told, now;
  do
  :: told < SEGMENTS ->
     /* By other means; later segments may already be published. */
     seen[TOLD] > told;
     told = seen[TOLD];
     do
     :: true ->
        /* SYNC descriptor-before-changed */
#ifndef NO_COUNT
        if
        :: seen[CHANGED] != count -> kept = 0
        :: else
        fi;
#endif
        if
        :: kept != 0 -> break
        :: else
        fi;
#ifndef COUNT_LATE
        count = seen[CHANGED];
#endif
        before = seen[VERSION];
        first = seen[FIRST];
        second = seen[SECOND];
        version = seen[VERSION];
#ifdef COUNT_LATE
        count = seen[CHANGED];
#endif
        /* SYNC descriptor-before-version */
#ifdef ONE_LOOK
        before = version;
#endif
        if
        :: before == version && version != 0 ->
           assert(first == second && first == version);
           kept = first
        :: else
        fi
     od;
     assert(kept >= told)
  :: else -> break
  od
}
#endif

#ifdef GROUP
byte word = 2;   /* of an earlier group */
bit record;
bit lowering;    /* the owner has reset it, which others do not see yet */

proctype Lowering() {
end:
  do
  :: d_step { lowering -> word = 0; lowering = 0 }
  od
}

proctype Owner() {
#ifdef RECORD_FIRST
  record = 1;
#endif
#ifndef NO_LOWER
  lowering = 1;
#endif
  /* SYNC words-before-record */
#ifndef RECORD_FIRST
#ifndef RECORD_RELAXED
  !lowering;
#endif
  record = 1;
#endif
  !lowering && word >= 1;
  assert(word == 1)
}

proctype Partner() {
  /* SYNC words-before-record */
  record;
  d_step { word = (word > 1 -> word : 1) }
}
#endif

init {
  byte i;
  atomic {
    do
    :: i < WORDS -> run Memory(i); i++
    :: else -> break
    od;
    run Owner();
#ifdef SEGMENTS
    run Reader();
#endif
#ifdef GROUP
    run Lowering();
    run Partner();
#endif
    i = 0
  }
}
