// The grid and the fields that all contenders swap: the same memory for every mode, for the hand-written swap and for the limit. It fills
// interiors, poisons halos, verifies every cell, and changes edges between samples.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/halo/block.hpp"
#include "bench/halo/options.hpp"

#include <halocline/halocline.hpp>

#include <optional>
#include <string>
#include <vector>

namespace bench {

/// What a verification found on this rank.
struct Verdict {
  std::int64_t cells = 0;            ///< halo cells checked
  std::optional<std::string> wrong;  ///< the first cell that is wrong, in words
};

/// What one rank's swap moves.
struct SwapShape {
  std::int64_t bytes = 0, local_bytes = 0;  ///< from other ranks, and from itself
  std::int64_t blocks = 0;                  ///< contiguous runs of bytes, of both
  int neighbours = 0, messages = 0;         ///< other ranks, and directions that they fill
  std::int64_t far_bytes = 0;               ///< of the bytes and messages, those from other nodes
  int far_messages = 0;
};

class Problem {
 public:
  /// Allocates the fields. Collective.
  Problem(const halocline::Context &context, const HaloOptions &options);

  const Block &block() const { return block_; }
  const halocline::Grid &grid() const { return grid_; }
  /// What crosses nodes as MPI_Cart_create places the ranks, and with --reorder.
  const hlc_placement &placement() const { return placement_; }
  bool box() const { return box_; }
  const ElementType &element() const { return element_; }
  const std::vector<char *> &fields() const { return fields_; }
  /// Halo bytes that one swap fills on this rank, those from itself included.
  std::int64_t halo_bytes() const;
  /// nodes: by rank.
  SwapShape shape(const std::vector<int> &nodes) const;
  /// The rank in direction v.
  int neighbour(const Index &v) const;
  /// The ranks in all directions of the stencil.
  std::vector<int> neighbours() const;
  /// A halo of the library over these fields.
  halocline::Halo make_halo(const halocline::Context &context, halocline::Mode mode, halocline::Epoch epoch, halocline::Drive drive) const;

  /// Writes every interior cell of every field for a step and poisons every halo cell.
  void fill(std::uint32_t step);
  /// Checks every cell of every field: halo cells hold their owner's value of this step, all others what fill left there.
  Verdict verify(std::uint32_t step) const;
  /// Changes the interior's edge in fields of this shape: one cell of every column (stamp), or all (rewrite).
  void change_edge(Edge edge, const std::vector<char *> &fields, std::uint32_t step) const;

 private:
  /// A box of cells that one rank owns: my interior, or what I hold of a neighbour's.
  struct Part {
    Region region;
    int owner;
    bool interior, filled;  ///< filled: part of the stencil, so that a swap fills it
  };
  hlc_placement place_ranks(const halocline::Context &context, const HaloOptions &options);
  void list_parts();
  std::uint64_t first_code(const Part &part, std::uint32_t step, std::size_t field, std::int64_t x, std::int64_t y) const;
  std::string describe_cell(std::size_t field, const char *found, std::uint64_t expected, const Index &at) const;

  bool box_;
  ElementType element_;
  halocline::Grid grid_;
  hlc_placement placement_;
  Block block_;
  std::vector<halocline::SharedArray<char>> memory_;
  std::vector<char *> fields_;
  std::vector<Part> parts_;
  std::vector<Region> edges_;
  int rank_;
};

}  // namespace bench
