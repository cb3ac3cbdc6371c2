// What the papers found, decided by simulated points: none of these is true by construction.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "figure.hpp"

#include <cstdint>
#include <string>

namespace simulate {

/// Windows over all ranks, as the library's, or over the neighbours alone, as in Brown et al., section IV-A.
enum class Windows : std::uint8_t { all_ranks, neighbours };

/// Brown et al., section V, of figures with modes p2p_waitall, fence, pscw, passive and passive_naive, or what has windows over the neighbours in their place.
Finding fence_falls_behind(const Figure &figure, Windows windows);
Finding fence_is_competitive_on_few_ranks(const Figure &figure, Windows windows);
Finding adopted_passive_beats_naive(const Figure &figure, Windows windows);
Finding naive_loses_to_messages(const Figure &figure, Windows windows);
Finding pscw_is_near_passive(const Figure &figure, Windows windows);
Finding passive_beats_messages(const Figure &figure);
Finding pscw_beats_messages(const Figure &figure);
/// Section IV-C.
Finding early_epochs_pay(const Figure &figure);
/// Figure 10.
Finding hardware_path_pays(const Figure &figure);
Finding software_rma_does_not_beat_messages(const Figure &figure);
Finding messages_catch_up(const Figure &figure);
/// Figure 7: the fastest of all on 16,384 ranks.
Finding messages_overtake_in_strong_scaling(const Figure &figure);
/// The same over the bytes of a message.
Finding messages_overtake(const Figure &figure);
/// Section VI, figures 12 and 13.
Finding software_rma_loses_on_infiniband(const Figure &figure);

/// Gerstenberger et al., sections 2.4 and 3.2: PSCW over the ranks, and over the neighbours.
Finding pscw_does_not_depend_on_ranks(const Figure &figure);
Finding pscw_costs_the_same_per_neighbour(const Figure &figure);
Finding fence_grows_with_log_ranks(const Figure &figure);
/// Section 3.2: "PSCW performs better for small groups of processes and fence performs best for groups that are essentially as big as the full group".
Finding fence_overtakes_pscw(const Figure &figure);
/// Section 3.1: "The DMAPP acceleration lowers the latency for small operations while the locked implementation exhibits a higher bandwidth."
Finding lock_overtakes_network(const Figure &figure);
/// Not of the paper: whether the simulated points are the published functions, up to this ratio.
Finding is_near_published(const Figure &figure, const std::string &name, double ratio);
/// SC13, sections 4.1 to 4.3: the hashtable, "the rate grows with the ranks"; the sparse exchange; the FFT.
Finding inserts_scale(const Figure &figure);
Finding atomics_beat_messages(const Figure &figure);
Finding nbx_beats_alltoall(const Figure &figure);
Finding overlap_pays(const Figure &figure);

/// Simmendinger et al., section 5.3, on figure 14, where "flat" is MPI alone.
Finding notified_beats_flat(const Figure &figure);
Finding notified_beats_messages(const Figure &figure);
Finding shared_one_copy_is_as_flat(const Figure &figure);
Finding zero_copy_is_twice_as_fast(const Figure &figure, const std::string &variant);
Finding one_copies_are_alike_at_the_peak(const Figure &figure);
Finding large_blocks_are_alike(const Figure &figure);

/// The number of cells of a side where "we then reach the peak bandwidth of the network adapter": 6 x 38^2 are the 8,664 elements of the text.
constexpr double kPeakSide = 38;

}  // namespace simulate
