// The halo exchange of MiniGhost in its variants, over the cells per rank. Source: Simmendinger et al., sections 4.3 and 5.3.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "experiments.hpp"
#include "findings.hpp"

#include <algorithm>

namespace simulate {

namespace {

/// 512 ranks. Of the sides the text names 14 and 58 by their cells (2,744 and 195,112), and 38 by those of six faces (8,664).
constexpr int kGrid = 8;
constexpr int kSides[] = {4, 8, 14, 22, 28, 38, 58, 128};

/// How a variant exchanges inside a node and to others, and what ends an iteration on a node.
struct Variant {
  const char *name;
  bool shared;    ///< ranks of a node read each other's cells
  bool notified;  ///< other nodes are reached by notified writes, not by messages
  double copies;  ///< of a neighbour's cells on the same node
  bool barrier;   ///< of the node, at the end; else the word "have read" of each neighbour
  bool blocking;  ///< a message is waited for before the next is packed
};
const Variant kVariants[] = {{"mpi_only", false, false, 1, false, false},
                             {"mpi_shared_1copy", true, false, 1, true, false},
                             {"mpi_shared_1copy_blocking", true, false, 1, true, true},
                             {"notified_1copy", true, true, 1, true, false},
                             {"notified_1copy_nobarrier", true, true, 1, false, false},
                             {"mpi_0copy", true, false, 0, true, false},
                             {"notified_0copy", true, true, 0, false, false}};

/// A barrier of the ranks of a node by words in its memory: the first of them counts, and lets the others go.
void node_barrier(Writer &w) {
  const int size = w.machine().network.ranks_per_node, first = w.rank() / size * size, last = std::min(first + size, w.ranks());
  if (w.rank() != first) {
    w.store(first, kPosted);
    return w.script().wait(kCompleted, 1);
  }
  w.script().wait(kPosted, last - first - 1);
  for (int rank = first + 1; rank < last; ++rank) w.store(rank, kCompleted);
}

void send_far(Writer &w, const Variant &variant, const Link &link) {
  w.pack(link.bytes);
  const double unpack_us = w.machine().pack_us(link.bytes);
  if (variant.notified) return w.notified_put(link.peer, link.bytes, unpack_us);
  const bool waits = w.message(link.peer, link.bytes, unpack_us);
  if (waits && variant.blocking) w.script().wait(kSent, 1);
}

void exchange(Writer &w, const Variant &variant, const std::vector<Link> &links) {
  int near = 0, waits = 0;
  for (const Link &link : links) {
    if (!variant.shared || !w.near(link.peer)) continue;
    w.store(link.peer, kData, variant.copies * w.machine().copy_us(link.bytes));
    near += 1;
  }
  for (const Link &link : links) {
    if (variant.shared && w.near(link.peer)) continue;
    send_far(w, variant, link);
    const bool asks = !w.near(link.peer) && link.bytes > w.machine().network.eager_bytes;
    waits += asks && !variant.notified && !variant.blocking ? 1 : 0;
  }
  w.script().take(kData, static_cast<int>(links.size()));
  w.script().wait(kSent, waits);
  if (variant.barrier) return node_barrier(w);
  for (const Link &link : links)
    if (variant.shared && w.near(link.peer)) w.store(link.peer, kRead);
  w.script().wait(kRead, near);
}

}  // namespace

std::vector<Figure> ghost_sweep(const Settings &settings) {
  Figure figure{"ghost", "Halo exchange of 8 x 8 x 8 ranks, one variable", "cells per rank", "MB/s per rank (6 faces / time)",
                "Simmendinger et al., figure 14"};
  for (const Variant &variant : kVariants) figure.series.push_back({variant.name, Origin::simulated, {}});
  for (const int side : kSides) {
    HaloProblem problem;
    problem.local.fill(side), problem.ranks.fill(kGrid), problem.corners = false;
    const Pattern pattern = halo_pattern(problem, 3);
    const Machine machine = settings.machine("fdr10", {bytes_of(pattern[0]), longest_of(pattern[0])});
    const double cells = static_cast<double>(side) * side * side, compute = machine.copy_us(cells * problem.bytes_per_cell);
    for (std::size_t i = 0; i < std::size(kVariants); ++i) {
      const Variant &variant = kVariants[i];
      const Job job = swap_job([&](Writer &w, const std::vector<Link> &links) { exchange(w, variant, links); }, pattern, machine,
                               {compute, settings.noise * compute});
      const double us = simulate::run(job, machine, settings.rounds).mean_us;
      figure.series[i].points.push_back({cells, 6.0 * side * side * problem.bytes_per_cell / us});
    }
  }
  figure.findings = {notified_beats_flat(figure),
                     shared_one_copy_is_as_flat(figure),
                     zero_copy_is_twice_as_fast(figure, "mpi_0copy"),
                     zero_copy_is_twice_as_fast(figure, "notified_0copy"),
                     one_copies_are_alike_at_the_peak(figure),
                     notified_beats_messages(figure),
                     large_blocks_are_alike(figure)};
  return {figure};
}

}  // namespace simulate
