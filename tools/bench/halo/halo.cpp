// SPDX-License-Identifier: BSD-3-Clause
#include "bench/halo/halo.hpp"

#include "bench/frame/progress_line.hpp"
#include "bench/halo/contender.hpp"
#include "bench/halo/memory_bound.hpp"

namespace bench {

/// The node of each rank. Collective.
static std::vector<int> nodes_of_ranks(const halocline::Context &context, MPI_Comm comm) {
  const int mine = context.info().node;
  std::vector<int> nodes(static_cast<std::size_t>(context.size()));
  MPI_Allgather(&mine, 1, MPI_INT, nodes.data(), 1, MPI_INT, comm);
  return nodes;
}

HaloOutcome measure_halo(MPI_Comm comm, const HaloOptions &options, int argc, char **argv, const AddContenders &add_guests) {
  const halocline::Context context(comm);
  const Comm node = machine_of(comm);
  Problem problem(context, options);

  // Who takes part: the hand-written swap, the modes, guests, and the limit last.
  std::map<std::string, std::string> skipped;
  Contenders contenders = make_contenders(context, problem, options, comm, skipped);
  if (add_guests) add_guests(problem, comm, contenders);
  contenders.push_back(make_memory_bound(problem, comm, node));
  Handover handover(node);

  // Verified before the measurement and after it.
  Race race(problem, contenders, options, comm);
  {
    const ProgressLine progress(options, rank_of(comm));
    if (auto wrong = race.verify(options.warmups, progress)) return {wrong, {}};
    race.run(handover, progress);
    if (auto wrong = race.verify(1, progress)) return {*wrong + " (after the measurement)", {}};
  }
  return {{}, make_report(find_environment(context, argc, argv), options, problem, nodes_of_ranks(context, comm), race, skipped)};
}

}  // namespace bench
