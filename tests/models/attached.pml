/* The list of regions that a rank has attached to a dynamic window, read while it is changed (src/faces/mpi/window/dynamic_regions.cpp). Ranks of the
 * node look there; a rank of another node gets the list, keeps it, and reads its version before each access: odd while the list changes.
 * Rank 0 has attached region 1, and detaches and attaches others beside it. The others use region 1 all the time, as the program allows.
 * Once told by the program, rank 1 uses region 3, too. A store is seen late, and bytes of a get are read in any order.
 *
 * Found: region 1 or 3 that is not found; a kept list with a slot that was never so: another region's bytes at this one's base.
 *
 * check   near:                        -DRANKS=2
 * check   far:                         -DRANKS=2 -DFAR
 * break   MOVES          detach moves the last region to the free slot:                       -DRANKS=2
 * break   NO_VERSION     a kept list is used without a look at the version:                   -DRANKS=2 -DFAR
 * break   ONE_VERSION    the version is not read again after the list:                        -DRANKS=2 -DFAR
 * break   EVEN_TOO       the version is counted only after a change:                          -DRANKS=2 -DFAR
 * break   EARLY_CHANGE   list-before-version: slots change before the odd version is seen:    -DRANKS=2 -DFAR
 * break   LATE_CHANGE    list-before-version: the even version is seen before the slots:      -DRANKS=2 -DFAR
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/* Slots: base and bytes, here the number of a region in both, 0 if free. Then the number of slots in use, and the version. */
#define BASE(slot) (2 * (slot))
#define BYTES(slot) (2 * (slot) + 1)
#define USED 4
#define VERSION 5
#define WORDS 6
#define WRITER(w) 0
#define STREAMED(w) false
#include "memory.pml"

bit told;

inline begin_change() {
#if defined(FAR) && !defined(EVEN_TOO)
  version++;
  RELEASE_STORE(VERSION, version);
#ifndef EARLY_CHANGE
  /* SYNC list-before-version */
  FENCE(0);
#endif
#endif
  skip
}

inline end_change() {
#ifdef FAR
#ifdef EVEN_TOO
  version = version + 2;
#else
  version++;
#endif
#ifdef LATE_CHANGE
  STORE(VERSION, version);
#else
  /* SYNC list-before-version */
  RELEASE_STORE(VERSION, version);
#endif
#endif
  skip
}

inline attach(slot, region) {
  begin_change();
  STORE(BASE(slot), region);
  STORE(BYTES(slot), region);
  if
  :: slot == used -> used++; RELEASE_STORE(USED, used)
  :: else
  fi;
  end_change()
}

inline detach(slot) {
  begin_change();
#ifdef MOVES
  used--;
  STORE(BASE(slot), stored[BASE(used)]);
  STORE(BYTES(slot), stored[BYTES(used)]);
  RELEASE_STORE(USED, used);
#else
  STORE(BYTES(slot), 0);
#endif
  end_change()
}

/* Slot 0 is region 2's, slot 1 region 1's. */
proctype Owner() {
  byte version, used = 2;
  detach(0);
#ifndef MOVES
  attach(0, 3);
  detach(0);
  attach(0, 2);
  detach(0);
  attach(0, 3);
#endif
  /* The program synchronises. */
  FENCE(0);
  told = 1
}

/* The words of the list in any order, though each once. */
inline read_list() {
  do
  :: !(read & 1) -> copy[BASE(0)] = seen[BASE(0)]; read = read | 1
  :: !(read & 2) -> copy[BYTES(0)] = seen[BYTES(0)]; read = read | 2
  :: !(read & 4) -> copy[BASE(1)] = seen[BASE(1)]; read = read | 4
  :: !(read & 8) -> copy[BYTES(1)] = seen[BYTES(1)]; read = read | 8
  :: read == 15 -> break
  od;
  read = 0
}

inline look_for(region) {
#ifdef FAR
  do
  ::
#ifdef NO_VERSION
     if
     :: has_list -> break
     :: else
     fi;
#endif
     now = seen[VERSION];
     if
     :: now == kept && has_list -> break
     :: else
     fi;
     if
     :: now % 2 == 0 ->
        read_list();
#ifndef ONE_VERSION
        if
        :: seen[VERSION] == now ->
           kept = now; has_list = 1; break
        :: else
        fi
#else
        kept = now; has_list = 1; break
#endif
     :: else
     fi
  od;
  now = 0;
  assert(copy[BYTES(0)] == 0 || copy[BASE(0)] == copy[BYTES(0)]);
#else
  /* From the first slot to the last: moved regions may be missed. */
  copy[BASE(0)] = seen[BASE(0)];
  copy[BYTES(0)] = seen[BYTES(0)];
  copy[BASE(1)] = seen[BASE(1)];
  copy[BYTES(1)] = (seen[USED] > 1 -> seen[BYTES(1)] : 0);
#endif
  assert((copy[BYTES(0)] == region && copy[BASE(0)] == region) || (copy[BYTES(1)] == region && copy[BASE(1)] == region))
}

proctype User() {
  byte copy[4], read, kept, now;
  bit has_list;
  look_for(1);
  look_for(1);
#ifndef MOVES
  told;
  look_for(3)
#endif
}

init {
  byte i;
  atomic {
    stored[BASE(0)] = 2;
    stored[BYTES(0)] = 2;
    stored[BASE(1)] = 1;
    stored[BYTES(1)] = 1;
    stored[USED] = 2;
    do
    :: i < WORDS -> seen[i] = stored[i]; run Memory(i); i++
    :: else -> break
    od;
    run Owner();
    run User();
    i = 0
  }
}
