// SPDX-License-Identifier: BSD-3-Clause
#include "choice/connected.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

#include "engine/communicator/collective.hpp"

namespace halocline::core {
namespace {

constexpr std::int64_t kMaxLinks = std::int64_t{1} << 24;

/// The neighbours of all ranks, in one list.
struct Links : Job {
  int count = 0;
  std::vector<int> mine, counts, offsets, all, parents;
};

Status gather_counts(Communicator &communicator, std::unique_ptr<Links> &links) {
  HLC_TRY(
      check_mpi(MPI_Iallgather(&links->count, 1, MPI_INT, links->counts.data(), 1, MPI_INT, communicator.comm(), links->requests.data()),
                "MPI_Iallgather"));
  return await(communicator, links);
}

Status gather_neighbours(Communicator &communicator, std::unique_ptr<Links> &links) {
  HLC_TRY(check_mpi(MPI_Iallgatherv(links->mine.data(), links->count, MPI_INT, links->all.data(), links->counts.data(),
                                    links->offsets.data(), MPI_INT, communicator.comm(), links->requests.data()),
                    "MPI_Iallgatherv"));
  return await(communicator, links);
}

/// The first rank of the group, as far as it is known.
int root_of(std::vector<int> &parents, int rank) {
  const auto parent = [&](int one) -> int & { return parents[static_cast<std::size_t>(one)]; };
  while (parent(rank) != rank) rank = parent(rank) = parent(parent(rank));
  return rank;
}

int count_groups(Links &links) {
  std::iota(links.parents.begin(), links.parents.end(), 0);
  int groups = static_cast<int>(links.parents.size());
  std::size_t next = 0;
  for (int rank = 0; rank < static_cast<int>(links.counts.size()); ++rank)
    for (int i = 0; i < links.counts[static_cast<std::size_t>(rank)]; ++i) {
      const int here = root_of(links.parents, rank), there = root_of(links.parents, links.all[next++]);
      if (here == there) continue;
      links.parents[static_cast<std::size_t>(std::max(here, there))] = std::min(here, there);
      groups -= 1;
    }
  return groups;
}

}  // namespace

Status find_connected(Communicator &communicator, const std::vector<int> &neighbours, bool *connected) {
  std::unique_ptr<Links> links;
  const auto ranks = static_cast<std::size_t>(communicator.size());
  HLC_TRY(prepare(communicator, communicator.comm(), [&] {
    links = std::make_unique<Links>();
    links->mine = neighbours;
    links->count = static_cast<int>(neighbours.size());
    for (auto *list : {&links->counts, &links->offsets, &links->parents}) list->resize(ranks);
    links->requests.resize(1, MPI_REQUEST_NULL);
    return Status::ok;
  }));
  HLC_TRY(gather_counts(communicator, links));
  const std::int64_t total = std::accumulate(links->counts.begin(), links->counts.end(), std::int64_t{0});
  *connected = true;
  if (total > kMaxLinks) return Status::ok;
  HLC_TRY(prepare(communicator, communicator.comm(), [&] {
    std::exclusive_scan(links->counts.begin(), links->counts.end(), links->offsets.begin(), 0);
    links->all.resize(static_cast<std::size_t>(total));
    return Status::ok;
  }));
  HLC_TRY(gather_neighbours(communicator, links));
  *connected = count_groups(*links) == 1;
  return Status::ok;
}

}  // namespace halocline::core
