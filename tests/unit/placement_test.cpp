// Where ranks are placed in a process grid: orders are permutations, and none that is chosen is worse than MPI_Cart_create's. On small
// grids the best is compared with the best of all possible placements.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <sstream>

#include "halo/grid.hpp"

namespace halocline::core {
namespace {

using Dims = std::vector<int>;

/// Ranks on nodes, a process grid, and the sides of its blocks (6 if not given).
struct Case {
  Dims dims;
  std::vector<int> node_of;
  bool periodic = false;
  std::vector<std::int64_t> block{};
  hlc_swap_shape shape = fill_in_shape(nullptr);

  int ranks() const { return static_cast<int>(node_of.size()); }
  int nodes() const { return *std::max_element(node_of.begin(), node_of.end()) + 1; }

  hlc_grid grid() const {
    hlc_grid grid{};
    grid.ndims = static_cast<int>(dims.size());
    for (std::size_t d = 0; d < dims.size(); ++d) {
      grid.dims[d] = dims[d];
      grid.periodic[d] = periodic;
      grid.global[d] = dims[d] * (block.empty() ? 6 : block[d]);
    }
    return grid;
  }

  std::int64_t bytes_between_nodes(const hlc_grid &order) const {
    std::int64_t sum = 0;
    for (int rank = 0; rank < ranks(); ++rank) sum += count_bytes(order, shape, node_of.data(), rank).between_nodes;
    return sum;
  }

  std::int64_t before() const { return bytes_between_nodes(grid()); }
  std::int64_t after() const {
    std::int64_t least = INT64_MAX;
    for (const hlc_grid &order : list_orders(grid(), nodes())) least = std::min(least, bytes_between_nodes(order));
    return least;
  }
};

/// Ranks numbered node by node.
std::vector<int> node_by_node(const std::vector<int> &ranks_per_node) {
  std::vector<int> node_of;
  for (std::size_t node = 0; node < ranks_per_node.size(); ++node)
    node_of.insert(node_of.end(), static_cast<std::size_t>(ranks_per_node[node]), static_cast<int>(node));
  return node_of;
}

/// Ranks dealt to the nodes in turn, as `--map-by node` does.
std::vector<int> in_turn(int ranks, int nodes) {
  std::vector<int> node_of(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) node_of[static_cast<std::size_t>(rank)] = rank % nodes;
  return node_of;
}

std::vector<int> evenly(int ranks, int nodes) {
  std::vector<int> node_of(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) node_of[static_cast<std::size_t>(rank)] = static_cast<int>(std::int64_t{rank} * nodes / ranks);
  return node_of;
}

/// As many ranks on each node as fit, the rest on the last.
std::vector<int> filled_up(int ranks, int nodes) {
  const int each = (ranks + nodes - 1) / nodes;
  std::vector<int> node_of(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) node_of[static_cast<std::size_t>(rank)] = rank / each;
  return node_of;
}

/// No pattern at all: ranks on nodes as a hash assigns them, every node with one rank at least.
std::vector<int> scattered(int ranks, int nodes) {
  std::vector<int> node_of(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank)
    node_of[static_cast<std::size_t>(rank)] =
        rank < nodes ? rank : static_cast<int>((static_cast<unsigned>(rank) * 2654435761u >> 16) % static_cast<unsigned>(nodes));
  return node_of;
}

/// Every factorisation of ranks into ndims factors.
std::vector<Dims> splits(int ranks, int ndims) {
  if (ndims == 1) return {{ranks}};
  std::vector<Dims> all;
  for (int first = 1; first <= ranks; ++first) {
    if (ranks % first != 0) continue;
    for (Dims rest : splits(ranks / first, ndims - 1)) {
      rest.insert(rest.begin(), first);
      all.push_back(rest);
    }
  }
  return all;
}

std::string text_of(const Case &job) {
  std::ostringstream text;
  text << "dims";
  for (const int n : job.dims) text << ' ' << n;
  text << (job.periodic ? ", periodic, nodes" : ", open, nodes");
  for (const int node : job.node_of) text << ' ' << node;
  return text.str();
}

/// Bytes between nodes in a placement given place by place, found without the library: cells of blocks that touch across sides.
std::int64_t star_bytes(const Case &job, const std::vector<int> &node_of_place) {
  const hlc_grid grid = job.grid();
  std::int64_t sum = 0;
  for (int place = 0; place < job.ranks(); ++place)
    for (int d = 0, behind = job.ranks(); d < grid.ndims; ++d) {
      const int n = grid.dims[d], ahead = behind / n, coord = place % behind / ahead;
      behind = ahead;
      if (coord + 1 == n && !job.periodic) continue;
      const int next = place + (coord + 1 == n ? 1 - n : 1) * ahead;
      std::int64_t face = 8;
      for (int e = 0; e < grid.ndims; ++e) face *= e == d ? 1 : grid.global[e] / grid.dims[e];
      if (node_of_place[static_cast<std::size_t>(place)] != node_of_place[static_cast<std::size_t>(next)]) sum += 2 * face;
    }
  return sum;
}

/// The least over all placements of the nodes' ranks.
std::int64_t least_of_all(const Case &job) {
  std::vector<int> node_of_place = job.node_of;
  std::sort(node_of_place.begin(), node_of_place.end());
  std::int64_t least = INT64_MAX;
  do {
    if (node_of_place.front() == 0) least = std::min(least, star_bytes(job, node_of_place));
  } while (std::next_permutation(node_of_place.begin(), node_of_place.end()));
  return least;
}

TEST(Placement, every_order_is_a_permutation_and_ranks_and_places_are_each_others_inverse) {
  for (const Dims &dims : {Dims{12}, Dims{4, 6}, Dims{3, 4, 5}, Dims{2, 3, 2, 3}})
    for (const hlc_layout numbered : {HLC_ROW_MAJOR, HLC_COLUMN_MAJOR})
      for (const int nodes : {2, 3, 5}) {
        const Case job{dims, in_turn(std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<>()), nodes)};
        hlc_grid grid = job.grid();
        grid.order = numbered;
        for (hlc_grid order : list_orders(grid, nodes)) {
          std::set<std::vector<int>> places;
          for (int rank = 0; rank < job.ranks(); ++rank) {
            take_block(order, rank);
            ASSERT_EQ(grid_rank(order, order.coords), rank);
            places.insert(std::vector<int>(order.coords, order.coords + order.ndims));
          }
          ASSERT_EQ(places.size(), job.node_of.size());
        }
      }
}

TEST(Placement, the_first_order_is_that_of_MPI_Cart_create) {
  hlc_grid order = list_orders(Case{{3, 4}, evenly(12, 2)}.grid(), 2).front();
  for (int rank = 0; rank < 12; ++rank) {
    take_block(order, rank);
    EXPECT_EQ(order.coords[0], rank / 4);
    EXPECT_EQ(order.coords[1], rank % 4);
  }
}

TEST(Placement, is_never_worse_than_MPI_Cart_create_for_1_to_64_ranks_on_1_to_8_nodes) {
#ifdef __SANITIZE_ADDRESS__
  constexpr int step = 7;  // under AddressSanitizer every job is slow, and a few are enough
#else
  constexpr int step = 1;
#endif
  int better = 0, jobs = 0;
  for (int ranks = 1; ranks <= 64; ranks += step)
    for (int nodes = 1; nodes <= std::min(8, ranks); ++nodes)
      for (const auto &node_of : {evenly(ranks, nodes), filled_up(ranks, nodes), in_turn(ranks, nodes), scattered(ranks, nodes)})
        for (int ndims = 1; ndims <= 3; ++ndims) {
          // The most cubic of the splits, as hlc_grid_create chooses it.
          const std::vector<Dims> all = splits(ranks, ndims);
          const auto longest = [](const Dims &dims) { return *std::max_element(dims.begin(), dims.end()); };
          Case job{*std::min_element(all.begin(), all.end(), [&](auto &a, auto &b) { return longest(a) < longest(b); }), node_of};
          job.periodic = (ranks + nodes) % 2 == 0;
          const std::int64_t before = job.before(), after = job.after();
          ASSERT_LE(after, before) << text_of(job);
          ASSERT_TRUE(nodes > 1 || before == 0) << text_of(job);
          better += after < before;
          ++jobs;
        }
  EXPECT_GT(better, jobs / 4) << "of " << jobs << " jobs few gained";
}

TEST(Placement, counts_the_bytes_that_cells_on_the_sides_of_blocks_have) {
  for (const bool periodic : {false, true})
    for (const Dims &dims : {Dims{7}, Dims{3, 4}, Dims{2, 2, 3}}) {
      const int ranks = std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<>());
      Case job{dims, scattered(ranks, 3), periodic, {6, 4, 3}};
      job.block.resize(dims.size());
      job.shape.stencil = HLC_STENCIL_STAR;
      EXPECT_EQ(job.before(), star_bytes(job, job.node_of)) << text_of(job);
    }
}

TEST(Placement, a_box_stencil_counts_the_corners_too) {
  // Four ranks in a square, each on a node of its own: per rank two faces of 6 cells and one corner, 8 bytes each.
  const Case job{{2, 2}, {0, 1, 2, 3}};
  EXPECT_EQ(job.before(), 4 * (6 + 6 + 1) * 8);
}

TEST(Placement, finds_the_node_blocks_that_a_person_would_draw) {
  // 4 x 4 ranks on 4 nodes: rows cut 3 x 4 faces in both directions, squares cut 2 x 4.
  Case job{{4, 4}, evenly(16, 4)};
  job.shape.stencil = HLC_STENCIL_STAR;
  EXPECT_EQ(job.before(), 3 * 4 * 2 * 6 * 8);
  EXPECT_EQ(job.after(), 2 * 4 * 2 * 6 * 8);
  // Dealt in turn no rank has a neighbour along the rows on its node; the columns were whole nodes.
  Case dealt{{4, 4}, in_turn(16, 4)};
  dealt.shape.stencil = HLC_STENCIL_STAR;
  EXPECT_EQ(dealt.after(), job.after());
}

TEST(Placement, weighs_dimensions_by_their_faces) {
  // The faces across dimension 0 are 100 times those across dimension 1: columns stay together.
  Case job{{4, 4}, evenly(16, 4), false, {6, 600}};
  job.shape.stencil = HLC_STENCIL_STAR;
  EXPECT_EQ(job.after(), 3 * 4 * 2 * 6 * 8);
  Case deep = job;
  deep.block = {60, 60};
  deep.shape.depth_low[0] = deep.shape.depth_high[0] = 50;
  EXPECT_EQ(deep.after(), 3 * 4 * 2 * 60 * 8);
}

/// Small jobs against all placements.
class SmallPlacement : public testing::TestWithParam<std::pair<Dims, std::vector<int>>> {};

TEST_P(SmallPlacement, comes_near_the_best_of_all_placements) {
  const auto &[dims, counts] = GetParam();
  const bool even = std::all_of(counts.begin(), counts.end(), [&, first = counts.front()](int n) { return n == first; });
  for (const bool periodic : {false, true})
    for (const std::vector<std::int64_t> &block : {std::vector<std::int64_t>{6, 6, 6}, {3, 9, 5}, {12, 2, 4}}) {
      Case job{dims, node_by_node(counts), periodic, {block.begin(), block.begin() + static_cast<std::ptrdiff_t>(dims.size())}};
      job.shape.stencil = HLC_STENCIL_STAR;
      const std::int64_t least = least_of_all(job), after = job.after();
      EXPECT_GE(after, least) << "no placement can be better than the best: " << text_of(job);
      EXPECT_LE(static_cast<double>(after), (even ? 1.2 : 1.25) * static_cast<double>(least)) << text_of(job);
    }
}

INSTANTIATE_TEST_SUITE_P(Jobs, SmallPlacement,
                         testing::ValuesIn(std::vector<std::pair<Dims, std::vector<int>>>{{{8}, {4, 4}},
                                                                                          {{4, 2}, {4, 4}},
                                                                                          {{2, 4}, {2, 2, 2, 2}},
                                                                                          {{3, 3}, {3, 3, 3}},
                                                                                          {{2, 2, 2}, {4, 4}},
                                                                                          {{2, 2, 2}, {2, 2, 2, 2}},
                                                                                          {{3, 4}, {6, 6}},
                                                                                          {{3, 4}, {4, 4, 4}},
                                                                                          {{2, 2, 3}, {6, 6}},
                                                                                          {{2, 2, 3}, {4, 4, 4}},
                                                                                          {{3, 3}, {5, 4}},
                                                                                          {{3, 3}, {4, 4, 1}},
                                                                                          {{4, 3}, {5, 5, 2}},
                                                                                          {{2, 2, 3}, {5, 5, 2}},
                                                                                          {{2, 5}, {4, 4, 2}},
                                                                                          {{12}, {5, 5, 2}},
                                                                                          {{4, 3}, {8, 4}},
                                                                                          {{5, 2}, {3, 3, 3, 1}}}));

}  // namespace
}  // namespace halocline::core
