// Ranks of other nodes: operations on their parts are refused with a message that says so, and those on the own node work all the same.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "engine/segments.hpp"

namespace halocline::test {
namespace {

/// The node of every rank.
std::vector<int> nodes_of_ranks() {
  hlc_context_info_t info{};
  EXPECT_TRUE(ok(hlc_context_info(context(), &info)));
  std::vector<int> nodes(static_cast<std::size_t>(size()));
  MPI_Allgather(&info.node, 1, MPI_INT, nodes.data(), 1, MPI_INT, MPI_COMM_WORLD);
  return nodes;
}

TEST(OtherNodes, are_named_by_each_operation_and_the_own_node_works) {
  const std::vector<int> nodes = nodes_of_ranks();
  if (std::count(nodes.begin(), nodes.end(), nodes[0]) == size()) GTEST_SKIP() << "all ranks stand on one node (HALOCLINE_FAKE_NODES=2)";
  TestSegment segment(8 * size(), size());
  for (int r = 0; r < size(); ++r) {
    const bool here = nodes[static_cast<std::size_t>(r)] == nodes[static_cast<std::size_t>(rank())];
    std::int64_t word = rank() + 1, old = 0;
    const hlc_target at = segment.at(r, 8 * rank());
    const auto expect = [&](hlc_status status) {
      EXPECT_TRUE(is_status(here ? HLC_OK : HLC_ERR_UNSUPPORTED, status));
      const std::string words = "rank " + std::to_string(r) + " is on another node";
      EXPECT_TRUE(here || std::string(hlc_error_message()).find(words) != std::string::npos) << hlc_error_message();
    };
    expect(hlc_put(at, &word, 8));
    expect(hlc_get(at, &word, 8));
    expect(hlc_fetch_op(at, {HLC_OP_SUM, HLC_NUMBER_INT64}, &word, &old));
    expect(hlc_atomic_compare_swap(at, HLC_NUMBER_INT64, 0, 1, &old));
    expect(hlc_flush(segment.raw(), r));
    expect(hlc_put_notify(at, &word, 8, {rank(), 1}));
  }
  EXPECT_TRUE(is_status(HLC_ERR_UNSUPPORTED, hlc_barrier(segment.raw()))) << "a barrier needs all ranks";
  for (int r = 0; r < size(); ++r) {
    if (nodes[static_cast<std::size_t>(r)] != nodes[static_cast<std::size_t>(rank())]) continue;
    int id = -1;
    EXPECT_TRUE(ok(hlc_notify_wait(segment.raw(), {r, 1}, &id)));
    EXPECT_EQ(reinterpret_cast<const std::int64_t *>(segment.data())[r], r + 1);
  }
}

}  // namespace
}  // namespace halocline::test
