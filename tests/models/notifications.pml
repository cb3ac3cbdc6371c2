/* Notifications under an index (src/base/notifications.*): a word per notification, a leaf bit per word, a top bit per leaf. Here a leaf
 * has two bits and the index one word of tops. Setter s sets notification 2 s, with ONE_LEAF s, ROUNDS times, each as soon as the last has
 * been taken. One looker takes what it finds anywhere. With TAKERS=2 another takes what it finds in a range that ends amid a leaf. With
 * TESTER a last one finds once and takes nothing. A looker that finds nothing sleeps until the doorbell rings, which it does after every
 * set. Takes of a single word, as by a wait for one notification, are the same step without a look.
 *
 * All steps on words and bits are sequentially consistent, as in the library.
 *
 * Found: a look that finds nothing though a notification had been set before it began, and none is taken until it ends; a state in which
 * all sleep and a notification is set; a notification that is taken twice.
 *
 * check   one setter, taken in turn beside a tester:            -DSETTERS=1 -DROUNDS=3 -DTAKERS=1 -DTESTER
 * large   one setter, two takers:                               -DSETTERS=1 -DROUNDS=2 -DTAKERS=2
 * check   two setters of one leaf, a taker and a tester:        -DSETTERS=2 -DROUNDS=1 -DTAKERS=1 -DTESTER -DONE_LEAF
 * large   two setters of two leaves, two takers:                -DSETTERS=2 -DROUNDS=1 -DTAKERS=2
 * break   INDEX_BEFORE_WORD   the bits are set before the word:               -DSETTERS=1 -DROUNDS=2 -DTAKERS=1 -DTESTER
 * break   TOP_BEFORE_LEAF     the top before the leaf:                        -DSETTERS=1 -DROUNDS=2 -DTAKERS=1 -DTESTER
 * break   NO_LEAF             the leaf is not set:                            -DSETTERS=1 -DROUNDS=2 -DTAKERS=1 -DTESTER
 * break   NO_TOP              the top is not set:                             -DSETTERS=1 -DROUNDS=2 -DTAKERS=1 -DTESTER
 * break   NO_SECOND_LOOK      a leaf's bit is cleared without another look:   -DSETTERS=1 -DROUNDS=2 -DTAKERS=1 -DTESTER
 * break   NO_SECOND_TOP       a top's bit is cleared without another look:    -DSETTERS=1 -DROUNDS=2 -DTAKERS=1 -DTESTER
 * break   LOOK_THEN_CLEAR     the second look comes before the clearing:      -DSETTERS=1 -DROUNDS=2 -DTAKERS=1 -DTESTER
 * break   NO_GAPS             nobody asks whether there was a gap:            -DSETTERS=1 -DROUNDS=2 -DTAKERS=1 -DTESTER
 * break   END_BEFORE_RESTORE  a gap ends before its bit is set anew:          -DSETTERS=1 -DROUNDS=2 -DTAKERS=1 -DTESTER
 * break   READ_AND_ZERO       a notification is taken in two steps:           -DSETTERS=1 -DROUNDS=1 -DTAKERS=2
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define IDS 4
#define LEAF(id) ((id) / 2)
#ifdef ONE_LEAF
#define ID(setter) (setter)
#else
#define ID(setter) (2 * (setter))
#endif

byte word[IDS];
bit leaf[IDS];
bit top[2];
bit rung[3];  /* since the looker's last look */
bit due[IDS];  /* set and not taken */

inline ring() { d_step { rung[0] = 1; rung[1] = 1; rung[2] = 1 } }

bit gap[3];         /* of a looker is open, */
bit disturbed[3];   /* or others had one during its look: that they do, it knows from counts of begins and ends */
bit told[IDS];      /* set and marked */
byte all_taken;

/* Notifications::raise: a load, and an addition only where the bit is clear. */
inline raise(bits) {
  if
  :: bits
  :: else -> bits = 1
  fi
}

inline mark(id) {
#ifdef TOP_BEFORE_LEAF
  raise(top[LEAF(id)]);
#endif
#ifndef NO_LEAF
  raise(leaf[id]);
#endif
#if !defined(NO_TOP) && !defined(TOP_BEFORE_LEAF)
  raise(top[LEAF(id)]);
#endif
  skip
}

proctype Setter(byte id) {
  byte round;
  do
  :: round < ROUNDS ->
     word[id] == 0;
     round++;
#ifdef INDEX_BEFORE_WORD
     mark(id);
#endif
     /* SYNC word-before-index */
     d_step { word[id] = 1; due[id] = 1; told[id] = 0 };
#ifndef INDEX_BEFORE_WORD
     mark(id);
#endif
     told[id] = 1;
     ring()
  :: else -> break
  od
}

inline begin_gap(looker) {
  d_step { gap[looker] = 1; disturbed[(looker + 1) % 3] = 1; disturbed[(looker + 2) % 3] = 1 }
}

/* Whether a bit of the leaf is set: one load. */
#define ANY(l) (leaf[2 * (l)] || leaf[2 * (l) + 1])

proctype Looker(byte me, last; bool takes) {
  byte id, at, value, takes_then;
  bit low, high, is_low, is_high, found, must;
  do
  :: rung[me] = 0;
     d_step {
       must = (told[0] && due[0]) || (told[1] && due[1]) || (told[2] && due[2]) || (told[3] && due[3] && last == 3);
       takes_then = all_taken
     };
look: skip;
     /* SYNC gap-before-answer */
     d_step { disturbed[me] = gap[(me + 1) % 3] || gap[(me + 2) % 3] };
     d_step { low = top[0]; high = top[1]; found = 0; at = 0; id = 0; value = 0 };
next_leaf:
     if
     :: at == 0 && low -> low = 0
     :: at <= 1 && !low && high -> high = 0; at = 1
     :: else -> goto looked
     fi;
in_leaf: skip;
     d_step {
       is_low = leaf[2 * at] && 2 * at <= last;
       is_high = leaf[2 * at + 1] && 2 * at + 1 <= last
     };
next_word:
     if
     :: is_low -> id = 2 * at; is_low = 0
     :: !is_low && is_high -> id = 2 * at + 1; is_high = 0
     :: else -> goto end_of_leaf
     fi;
     if
     :: word[id] != 0 -> found = 1; goto looked
     :: else
     fi;
#ifdef LOOK_THEN_CLEAR
     if
     :: word[id] != 0 -> found = 1; goto looked
     :: else -> leaf[id] = 0; goto next_word
     fi;
#endif
     begin_gap(me);
     leaf[id] = 0;
#ifdef NO_SECOND_LOOK
     gap[me] = 0;
     goto next_word;
#endif
     /* SYNC word-before-index */
     if
#ifdef END_BEFORE_RESTORE
     :: word[id] != 0 -> gap[me] = 0; mark(id); found = 1; goto looked
#else
     :: word[id] != 0 -> mark(id); gap[me] = 0; found = 1; goto looked
#endif
     :: else -> gap[me] = 0; goto next_word
     fi;
end_of_leaf:
     if
     :: ANY(at) -> goto next_leaf
     :: else -> begin_gap(me); top[at] = 0
     fi;
#ifndef NO_SECOND_TOP
     if
     :: ANY(at) -> raise(top[at])
     :: else
     fi;
#endif
     gap[me] = 0;
     goto next_leaf;
looked:
#ifdef NO_GAPS
     disturbed[me] = 0;
#endif
     if
     :: !found && disturbed[me] -> goto look
     :: else
     fi;
     d_step { assert(found || !must || all_taken != takes_then); must = 0; takes_then = 0; disturbed[me] = 0 };
     if
     :: !takes -> break
     :: takes && found ->
#ifdef READ_AND_ZERO
        value = word[id];
        d_step { word[id] = 0; assert(value == 0 || due[id]); due[id] = 0; all_taken++ }
#else
        d_step { assert(word[id] == 0 || due[id]); word[id] = 0; due[id] = 0; all_taken++ }
#endif
     :: takes && !found ->
        d_step { id = 0; at = 0 };
end_asleep:
        rung[me]
     fi
  od
}

/* When no process can continue. */
proctype Monitor() {
  timeout -> assert(word[0] == 0 && word[1] == 0 && word[2] == 0 && word[3] == 0)
}

init {
  byte i;
  atomic {
    do
    :: i < SETTERS -> run Setter(ID(i)); i++
    :: else -> break
    od;
    i = 0;
    run Looker(0, 3, true);
#if TAKERS == 2
    run Looker(1, 2, true);
#endif
#ifdef TESTER
    run Looker(2, 3, false);
#endif
    run Monitor()
  }
}
