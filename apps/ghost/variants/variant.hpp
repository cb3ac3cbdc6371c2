// One of the seven ways to run a step, and the table of them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "far.hpp"
#include "fields.hpp"
#include "node_sync.hpp"
#include "stencil.hpp"

#include <common/skew.hpp>

#include <memory>
#include <vector>

namespace ghost {

class Variant {
 public:
  virtual ~Variant() = default;
  /// Brings a variable's surroundings here. Exchanges are numbered from 1, variable after variable, step after step.
  virtual void exchange(std::int64_t number, int variable) = 0;
  /// Writes the averages of a variable's block to `out`, no ghost cells around.
  virtual void compute(int variable, const Target &out) = 0;
  /// Returns when nobody reads the variable's block any more: then the averages may be put into it.
  virtual void guard(std::int64_t number) = 0;
  /// Returns when all ranks have called it. Not part of a step.
  virtual void meet() = 0;
  virtual const Fields &fields() const = 0;
};

/// Where the fields lie, and what carries data to other nodes.
enum class Carrier { mpi, gaspi };
/// What keeps a rank from overwriting what its node still reads.
enum class Guard { barrier, have_read };

/// What all variants are made of.
struct Setup {
  const Grid &grid;
  const Options &options;
  common::Skew &skew;
};

std::unique_ptr<Variant> make_mpi_only(const Setup &setup);
std::unique_ptr<Variant> make_one_copy(const Setup &setup, Carrier carrier, Guard guard, Send send);
std::unique_ptr<Variant> make_zero_copy(const Setup &setup, Carrier carrier);

/// A row of the table: a variant's name in the paper's words, and how it is made. Collective over all ranks.
struct Kind {
  const char *name;
  bool needs_gaspi;
  std::unique_ptr<Variant> (*make)(const Setup &setup);
};
const std::vector<Kind> &kinds();

}  // namespace ghost
