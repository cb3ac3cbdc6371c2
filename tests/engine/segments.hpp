// What the tests of segments share: a segment for the length of a test, bytes that name their writer, and random delays.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/mpi_test.hpp"

namespace halocline::test {

/// A segment of the test's context. Made and freed by all ranks together.
class TestSegment {
 public:
  explicit TestSegment(std::int64_t bytes, int notifications = 0, bool shared = false) {
    const hlc_segment_spec spec{bytes, notifications, shared ? 1 : 0};
    EXPECT_TRUE(ok(hlc_segment_create(context(), &spec, &segment_)));
    // Said now, because a test that uses it all the same crashes.
    if (!segment_) std::fprintf(stderr, "rank %d has no segment: %s\n", rank(), hlc_error_message());
  }
  TestSegment(const TestSegment &) = delete;
  TestSegment &operator=(const TestSegment &) = delete;
  ~TestSegment() { EXPECT_TRUE(ok(hlc_segment_free(&segment_))); }

  hlc_segment *raw() const { return segment_; }
  hlc_target at(int rank, std::int64_t offset) const { return {segment_, rank, offset}; }
  std::byte *data() const { return static_cast<std::byte *>(hlc_segment_data(segment_)); }
  void barrier() const { EXPECT_TRUE(ok(hlc_barrier(segment_))); }

 private:
  hlc_segment *segment_ = nullptr;
};

/// Byte `b` of what `origin` writes in a step; depends on all three, and is never the poison of an untouched buffer.
inline std::byte byte_of(int origin, std::uint64_t step, std::int64_t b) {
  std::uint64_t word = (static_cast<std::uint64_t>(origin) << 40) + (step << 24) + static_cast<std::uint64_t>(b / 4);
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
  return static_cast<std::byte>(1 + (word >> (8 * (b % 4) + 24)) % 254);
}

inline constexpr std::byte untouched{0xFF};

inline std::vector<std::byte> bytes_of(int origin, std::uint64_t step, std::int64_t bytes) {
  std::vector<std::byte> made(static_cast<std::size_t>(bytes));
  for (std::int64_t b = 0; b < bytes; ++b) made[static_cast<std::size_t>(b)] = byte_of(origin, step, b);
  return made;
}

/// How often something is repeated: `often` on one node. Over a network a quarter of that, because each round trip may wait for a sleeping
/// rank.
inline int times(int often) {
  hlc_context_info_t info{};
  EXPECT_TRUE(ok(hlc_context_info(context(), &info)));
  return info.nodes == 1 ? often : often / 4;
}

/// The node of every rank.
inline std::vector<int> nodes_of_ranks() {
  hlc_context_info_t info{};
  EXPECT_TRUE(ok(hlc_context_info(context(), &info)));
  std::vector<int> nodes(static_cast<std::size_t>(size()));
  MPI_Allgather(&info.node, 1, MPI_INT, nodes.data(), 1, MPI_INT, MPI_COMM_WORLD);
  return nodes;
}

/// The ranks of this rank's node, in order, and those of every node.
class Nodes {
 public:
  Nodes() : node_of_(nodes_of_ranks()) {
    for (int r = 0; r < size(); ++r)
      if (node_of_[static_cast<std::size_t>(r)] == node_of_[static_cast<std::size_t>(rank())]) mine_.push_back(r);
  }
  const std::vector<int> &mine() const { return mine_; }
  int count() const { return 1 + *std::max_element(node_of_.begin(), node_of_.end()); }
  int of(int rank) const { return node_of_[static_cast<std::size_t>(rank)]; }
  /// The next rank of the same node; after the last, the first.
  int next_to(int rank) const {
    for (int r = (rank + 1) % size();; r = (r + 1) % size())
      if (of(r) == of(rank)) return r;
  }
  /// A rank of a node, selected by a number.
  int some_rank_of(int node, int number) const {
    std::vector<int> ranks;
    for (int r = 0; r < size(); ++r)
      if (of(r) == node) ranks.push_back(r);
    return ranks[static_cast<std::size_t>(number) % ranks.size()];
  }

 private:
  std::vector<int> node_of_, mine_;
};

}  // namespace halocline::test
