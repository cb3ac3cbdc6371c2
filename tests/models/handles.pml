/* Tables from handles to pointers that are read without a lock (src/faces/mpi/handle/handle_table.hpp). One rank of this model is the thread
 * that has the lock and changes the table: it erases a handle, inserts another in the same place, and replaces the table by a larger one.
 * The others look for a handle that stays, and for the one that is inserted. All handles begin at place 0. Stores are seen late.
 *
 * Found: a value that is not the handle's; a handle that stays and is not found.
 *
 * check   two readers:                 -DRANKS=3
 * break   NO_RELEASE     value-before-handle: the handle is seen before the value:            -DRANKS=2
 * break   NO_ACQUIRE     value-before-handle: the value may be read before the handle:        -DRANKS=2
 * break   NO_GAP         an erased place is free, though another handle lies behind it:       -DRANKS=2
 * break   EARLY_TABLE    the larger table is seen before what is in it:                       -DRANKS=2
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define FREE 0
#define ERASED 1
#define STAYS 2
#define GOES 3
#define COMES 4
#define PLACES 3
/* Two tables of handles and values, then which table is the current one. */
#define HANDLE(table, place) (2 * (PLACES * (table) + (place)))
#define VALUE(table, place) (HANDLE(table, place) + 1)
#define CURRENT (4 * PLACES)
#define WORDS (4 * PLACES + 1)
#define WRITER(w) 0
#define STREAMED(w) false
#include "memory.pml"

#ifdef NO_RELEASE
#define STORE_HANDLE(w, v) STORE(w, v)
#else
#define STORE_HANDLE(w, v) RELEASE_STORE(w, v)
#endif

proctype Writer() {
  /* erase */
#ifdef NO_GAP
  RELEASE_STORE(HANDLE(0, 0), FREE);
#else
  RELEASE_STORE(HANDLE(0, 0), ERASED);
#endif
  /* put */
  STORE(VALUE(0, 0), COMES);
  /* SYNC value-before-handle */
  STORE_HANDLE(HANDLE(0, 0), COMES);
  /* grow */
  STORE(VALUE(1, 0), COMES);
  STORE_HANDLE(HANDLE(1, 0), COMES);
  STORE(VALUE(1, 1), STAYS);
  STORE_HANDLE(HANDLE(1, 1), STAYS);
#ifdef EARLY_TABLE
  STORE(CURRENT, 1)
#else
  RELEASE_STORE(CURRENT, 1)
#endif
}

inline find(handle) {
  table = seen[CURRENT];
  place = 0;
  value = 0;
  do
  :: 
#ifdef NO_ACQUIRE
     early = seen[VALUE(table, place)];
#endif
     there = seen[HANDLE(table, place)];
     if
     :: there == handle ->
        /* SYNC value-before-handle */
#ifdef NO_ACQUIRE
        value = early;
#else
        value = seen[VALUE(table, place)];
#endif
        assert(value == handle);
        break
     :: there == FREE -> break
     :: there != handle && there != FREE -> place = (place + 1) % PLACES
     fi
  od;
  table = 0;
  place = 0;
  there = 0
}

proctype Reader() {
  byte table, place, there, value;
#ifdef NO_ACQUIRE
  byte early;
#endif
  find(STAYS);
  assert(value == STAYS);
  find(COMES);
  find(STAYS);
  assert(value == STAYS)
}

init {
  byte i;
  atomic {
    stored[HANDLE(0, 0)] = GOES;
    stored[VALUE(0, 0)] = GOES;
    stored[HANDLE(0, 1)] = STAYS;
    stored[VALUE(0, 1)] = STAYS;
    do
    :: i < WORDS -> seen[i] = stored[i]; run Memory(i); i++
    :: else -> break
    od;
    run Writer();
    i = 1;
    do
    :: i < RANKS -> run Reader(); i++
    :: else -> break
    od;
    i = 0
  }
}
