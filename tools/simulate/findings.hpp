// What the papers found, decided by simulated points: none of these is true by construction.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "figure.hpp"

namespace simulate {

/// Brown et al., section V, of figures with modes p2p, fence, pscw, passive and passive_naive over the ranks.
Finding fence_falls_behind(const Figure &figure);
Finding adopted_passive_beats_naive(const Figure &figure);
Finding passive_beats_messages(const Figure &figure);
Finding pscw_beats_messages(const Figure &figure);
Finding pscw_is_near_passive(const Figure &figure);
Finding messages_catch_up(const Figure &figure);
/// The same where messages become short at many ranks.
Finding messages_overtake_in_strong_scaling(const Figure &figure);
/// The same over the bytes of a message.
Finding messages_overtake(const Figure &figure);

/// Gerstenberger et al., sections 2.4 and 3.2: PSCW over the ranks, and over the neighbours.
Finding pscw_does_not_depend_on_ranks(const Figure &figure);
Finding pscw_costs_the_same_per_neighbour(const Figure &figure);
Finding fence_grows_with_log_ranks(const Figure &figure);
/// Section 3.1: "The DMAPP acceleration lowers the latency for small operations while the locked implementation exhibits a higher bandwidth."
Finding lock_overtakes_network(const Figure &figure);
/// SC13, sections 4.1 to 4.3: the hashtable, "the rate grows with the ranks"; the sparse exchange; the FFT.
Finding inserts_scale(const Figure &figure);
Finding atomics_beat_messages(const Figure &figure);
Finding nbx_beats_alltoall(const Figure &figure);
Finding overlap_pays(const Figure &figure);

/// Simmendinger et al., section 5.3.
Finding zero_copy_is_twice_as_fast(const Figure &figure);
Finding notified_beats_messages(const Figure &figure);
Finding large_blocks_are_alike(const Figure &figure);

}  // namespace simulate
