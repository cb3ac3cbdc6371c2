// What takes part in the race: every mode of the library, the hand-written swap, and the physical limit, behind one call.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/halo/problem.hpp"

#include <halocline/halocline.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace bench {

class Contender {
 public:
  explicit Contender(std::string name) : name_(std::move(name)) {}
  virtual ~Contender() = default;
  Contender(const Contender &) = delete;
  Contender &operator=(const Contender &) = delete;

  /// Fills all halos once and returns when interiors may be written again.
  virtual void swap() = 0;
  /// Takes over the problem's interiors before a swap that is verified, and gives back the halos after it, where it has memory of its own.
  virtual void load() {}
  virtual void unload() {}
  /// How the neighbours of this rank are reached.
  virtual std::string route() const = 0;
  /// The library's mode of its next swap; empty where the swap is none of the library's.
  virtual std::string mode() const { return ""; }
  /// Changes the edge from which the swap reads, before a sample (stamp) or before each swap (rewrite).
  virtual void change_edge(Edge edge, std::uint32_t step) = 0;
  /// False for the physical limit, which measures a cost and swaps nothing.
  virtual bool swaps() const { return true; }

  const std::string &name() const { return name_; }

 private:
  std::string name_;
};

using Contenders = std::vector<std::unique_ptr<Contender>>;

/// Makes hand_p2p, hand_types and the rows that options ask for. Modes that are not possible here, or that halocline-doctor
/// found wrong, land in skipped, with the reason. Collective.
Contenders make_contenders(const halocline::Context &context, Problem &problem, const HaloOptions &options, MPI_Comm comm,
                           std::map<std::string, std::string> &skipped);

}  // namespace bench
