// Runs variants step by step with a clock beside them, the variants in turn, and measures what the machine itself could do.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "variants/variant.hpp"

#include <common/handover.hpp>

#include <string>
#include <vector>

namespace ghost {

/// Seconds of some steps.
struct Sample {
  double total = 0;          ///< on the slowest rank
  double computation = 0;    ///< mean of the ranks
  double communication = 0;  ///< mean of the ranks: exchanges, words to others, barriers
};

/// A variant under test.
class Runner {
 public:
  Runner(const Kind &kind, const Setup &setup)
      : name_(kind.name), setup_(setup), variant_(kind.make(setup)), work_(static_cast<std::size_t>(volume(setup.grid.cells))) {}

  /// Runs so many steps from where it stands. Collective.
  Sample run(int steps);

  const std::string &name() const { return name_; }
  const Fields &fields() const { return variant_->fields(); }
  std::vector<Sample> samples;

 private:
  std::string name_;
  Setup setup_;
  std::unique_ptr<Variant> variant_;
  std::vector<double> work_;  ///< the averages, until they may be put into place
  std::int64_t exchanges_ = 0;
};

/// What the machine could do, measured beside the variants: a plain copy of all cells, as the least that a stencil has to move; a plain
/// copy of the bytes of all faces out of the neighbour's memory into one's own; and the hand-over of a cache line between two ranks.
struct Limits {
  double cells_s = 0, faces_s = 0, handover_s = 0;
};
class Machine {
 public:
  explicit Machine(const Grid &grid);
  /// Collective over all ranks; the mean of them.
  Limits measure();

 private:
  double copy(const double *from, std::size_t count);

  common::Comm node_;  ///< the ranks that truly share memory, whatever nodes are pretended
  common::Handover handover_;
  std::size_t cells_, faces_;  ///< of this rank; the parts of memory have room for the most of any
  std::int64_t turns_ = 0;
  std::unique_ptr<Memory> memory_;
  std::vector<double> from_, to_;
};

}  // namespace ghost
