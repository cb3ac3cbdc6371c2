/* Memory that is weaker than that of any machine the library runs on, for words with one writer each. A store is seen by its writer at once
 * and by the others some time later; stores to different words in any order. Ordering operations wait:
 *
 *   STORE(w, v)             a plain or relaxed store, or a put of MPI
 *   RELEASE_STORE(w, v)     first waits until all that its rank stored before is seen, but for streamed words
 *   FENCE(r)                waits until all that rank r stored is seen, streamed words too
 *
 * A load is seen[w]. That a load without acquire may be early, or one before a store without release late, is modelled in each model
 * itself. The including model defines RANKS, WORDS, WRITER(w), the rank that writes w, and STREAMED(w), whether w is written past the
 * caches; its init runs one Memory(w) per word.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
byte seen[WORDS];        /* by all ranks but the writer */
byte stored[WORDS];      /* by the writer */
bit late[WORDS];         /* stored, not yet seen */
byte unseen[RANKS];      /* late words of a rank, */
byte streaming[RANKS];   /* and those of them that are streamed */

inline STORE(w, v) {
  d_step {
    stored[w] = v;
    if
    :: late[w] -> skip
    :: else ->
       late[w] = 1;
       unseen[WRITER(w)]++;
       streaming[WRITER(w)] = streaming[WRITER(w)] + (STREAMED(w) -> 1 : 0)
    fi
  }
}

inline RELEASE_STORE(w, v) {
  atomic {
    unseen[WRITER(w)] == streaming[WRITER(w)];
    STORE(w, v)
  }
}

inline FENCE(r) { unseen[r] == 0 }

proctype Memory(byte w) {
end:
  do
  :: d_step {
       late[w] ->
       seen[w] = stored[w];
       late[w] = 0;
       unseen[WRITER(w)]--;
       streaming[WRITER(w)] = streaming[WRITER(w)] - (STREAMED(w) -> 1 : 0)
     }
  od
}
