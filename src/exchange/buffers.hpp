// Memory of an exchange that is not shared: one block, a chunk per edge, each on a boundary of 64 bytes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>
#include <memory>

#include "base/pages.hpp"
#include "exchange/channel.hpp"

namespace halocline::core {

inline constexpr std::int64_t kChunkAlignment = 64;

/// The offset of each edge's chunk in one buffer; the index is the edge's. Edges that are not laid out have none (-1).
struct ChunkLayout {
  std::vector<std::int64_t> offset;
  std::int64_t bytes = 0;
};

/// Lays out space_in (or space_out) bytes for each of the edges, one behind the other.
inline ChunkLayout lay_out(const Plan &plan, const std::vector<int> &edges, std::int64_t Edge::*space) {
  ChunkLayout layout;
  layout.offset.assign(plan.edges.size(), -1);
  for (const int e : edges) {
    layout.offset[static_cast<std::size_t>(e)] = layout.bytes;
    layout.bytes += round_up(plan.edges[static_cast<std::size_t>(e)].*space, kChunkAlignment);
  }
  return layout;
}

/// Private memory with a chunk per edge.
class ChunkBuffer {
 public:
  /// The message of a failure names the rank.
  Status create(int rank, ChunkLayout layout) {
    layout_ = std::move(layout);
    memory_.reset(static_cast<char *>(std::aligned_alloc(4096, static_cast<std::size_t>(round_up(layout_.bytes + 1, 4096)))));
    if (memory_) {
      provide_pages(memory_.get(), layout_.bytes);
      return Status::ok;
    }
    return fail(Status::memory, "rank %d cannot allocate an exchange buffer of %lld bytes", rank, static_cast<long long>(layout_.bytes));
  }
  char *base() const { return memory_.get(); }
  std::int64_t offset(int edge) const { return layout_.offset[static_cast<std::size_t>(edge)]; }
  char *chunk(int edge) const { return base() + offset(edge); }
  std::int64_t bytes() const { return layout_.bytes; }

 private:
  struct Free {
    void operator()(char *memory) const { std::free(memory); }
  };
  ChunkLayout layout_;
  std::unique_ptr<char, Free> memory_;
};

}  // namespace halocline::core
