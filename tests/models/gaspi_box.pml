/* Passive messages (src/faces/gaspi/boxes.cpp): a rank has one box. A sender requests it by compare and swap over the network, and receives
 * the reply later. The threads of a process share what it has of the box. Then the message is written, in two steps, and announced; the
 * receiver reads it and frees the box. A thread may return at any check, because its time is over: its process releases the box when all
 * threads have ended. With DIES a process may end at any moment. With PIECES data and notification are sent separately: the writer waits
 * until the data have arrived, and another thread may run in between.
 *
 * Found: a message that is lost, arrives twice, or is mixed with another; a box that no process can acquire any more.
 *
 * check   a process of two threads, one of one:           -DPLAIN
 * check   the same, one may end:                          -DDIES
 * check   the same, in pieces:                            -DPIECES
 * break   FREED_FIRST     received-before-box: the box is free before the message is read:         -DPLAIN
 * break   WRITTEN_FIRST   received-before-box: the message is written before the box is had:       -DPLAIN
 * break   ANSWER_LOST     who gives up forgets that it has asked:                                  -DPLAIN
 * break   NO_PURGE        the box is not given back:                                               -DPLAIN
 * break   PURGE_ALL       the box is given back while the answer is under way:                     -DPLAIN
 * break   PURGE_EARLY     the box is given back while data are on their way there:                 -DPIECES
 * break   NEVER_FREED     the box of a process that has ended stays taken:                         -DDIES
 * break   FREED_FULL      it is freed with the message in it:                                      -DDIES
 * break   ONE_ANNOUNCING  a thread announces what another has written:                             -DPIECES
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define THREADS 3
#define PROCESS(t) ((t) / 2)   /* threads 0 and 1 are of process 0 */
#define OWNER(p) ((p) + 1)

byte box, first, second, came;
byte received[THREADS + 1], sent[THREADS + 1];

/* Of each process. */
bit asked[2], answered[2], got[2], mine[2], busy[2], dead[2], gone[2];
byte writer[2];   /* in pieces: whose data have been sent, */
byte going[2];    /* and are still under way */
byte threads_left[2];

active [2] proctype Network() {
  byte p = _pid;
end:
  do
  :: atomic {
       asked[p] && !answered[p] ->
       got[p] = (box == 0 -> 1 : 0);
       if
       :: got[p] -> box = OWNER(p)
       :: else
       fi;
       answered[p] = 1
     }
  :: atomic { going[p] != 0 -> first = going[p]; second = going[p]; going[p] = 0 }
  od
}

/* One check for the box; mine[p] says whether the process has it. */
inline look_for_box() {
  if
  :: mine[p] -> skip
  :: !mine[p] && !asked[p] -> asked[p] = 1
  :: !mine[p] && asked[p] && !answered[p] -> skip
  :: !mine[p] && asked[p] && answered[p] ->
     atomic { mine[p] = got[p]; asked[p] = 0; answered[p] = 0 }
  fi
}

inline write_message() {
#ifdef PIECES
  if
#ifndef ONE_ANNOUNCING
  :: writer[p] != 0 && writer[p] != id && going[p] == 0 -> writer[p] = 0
  :: writer[p] != 0 && writer[p] != id && going[p] != 0 -> skip
  :: writer[p] == 0 ->
#else
  :: writer[p] != 0 && writer[p] != id && going[p] == 0 -> announce()
  :: writer[p] != 0 && writer[p] != id && going[p] != 0 -> skip
  :: writer[p] == 0 ->
#endif
     atomic { writer[p] = id; going[p] = id }
  :: writer[p] == id && going[p] == 0 -> announce()
  :: writer[p] == id && going[p] != 0 -> skip
  fi
#else
#ifndef WRITTEN_FIRST
  first = id;
#endif
  second = id;
  announce()
#endif
}

inline announce() {
  atomic {
    /* SYNC payload-before-notification */
    sent[id] = 1;
    writer[p] = 0;
    mine[p] = 0;
    came = id;
    done = 1
  }
}

/* Between any two steps. */
inline may_die() {
#ifdef DIES
  if
  :: p == 1 -> goto died
  :: skip
  fi
#else
  skip
#endif
}

proctype Thread(byte me) {
  byte p = PROCESS(me), id = me + 1;
  bit done;
  do
  :: done -> break
  :: !done ->
     atomic { !busy[p] -> busy[p] = 1 }
#ifdef WRITTEN_FIRST
     first = id;
#endif
     look_for_box();
     may_die();
     if
     :: mine[p] -> write_message()
     :: else
     fi;
     may_die();
     busy[p] = 0
  :: !done ->
     /* Its time is over, and it does not call again. */
#ifdef ANSWER_LOST
     atomic {
       !busy[p] ->
       if
       :: asked[p] && !answered[p] -> asked[p] = 0; box = (box == 0 -> OWNER(p) : box)
       :: else
       fi
     }
#endif
     break
  od;
  threads_left[p]--;
  goto finish;
#ifdef DIES
died:
  atomic { dead[p] = 1; mine[p] = 0 }
#endif
finish:
  skip
}

/* gaspi_passive_queue_purge. */
proctype Purge(byte p) {
  threads_left[p] == 0 || dead[p];
  if
  :: dead[p] -> goto ended
  :: else
  fi;
#ifndef NO_PURGE
#ifndef PURGE_EARLY
  going[p] == 0;
#endif
#ifndef PURGE_ALL
  !asked[p] || answered[p];
#endif
  atomic {
    if
    :: mine[p] || (asked[p] && answered[p] && got[p]) -> box = (box == OWNER(p) -> 0 : box)
    :: else
    fi;
    mine[p] = 0
  }
#endif
ended:
  gone[p] = 1
}

proctype Receiver() {
  byte one, two, from, lost;
end:
  do
  :: came != 0 ->
     from = came;
#ifdef FREED_FIRST
     box = 0;
#endif
     one = first;
     two = second;
     assert(one == from && two == from && received[from] == 0);
     received[from] = 1;
     came = 0;
     /* SYNC received-before-box */
#ifndef FREED_FIRST
     box = 0
#endif
#ifndef NEVER_FREED
  :: box != 0 && dead[box - 1] ->
     lost = box;
#ifdef FREED_FULL
     box = 0
#else
     atomic {
       if
       :: came == 0 && box == lost -> box = 0
       :: else
       fi
     }
#endif
#endif
  od
}

init {
  byte i;
  atomic {
    threads_left[0] = 2;
    threads_left[1] = 1;
    run Receiver();
    i = 0;
    do
    :: i < THREADS -> run Thread(i); i++
    :: else -> break
    od;
    run Purge(0);
    run Purge(1)
  }
  gone[0] && gone[1];
  /* In the end any process could acquire the box. */
  !(asked[0] && !answered[0]) && !(asked[1] && !answered[1]) && box == 0 && came == 0;
  assert(received[1] == sent[1] && received[2] == sent[2] && received[3] == sent[3])
}
