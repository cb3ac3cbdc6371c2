// One fluid or two, and a step of them. All variants compute the same bits; they differ in the swaps alone.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collide.hpp"
#include "swap.hpp"

#include <array>
#include <cstdint>
#include <functional>

namespace boltzmann {

/// The swaps of a step: one fluid has the first one alone, and two fluids the first two, with differences all three.
enum Swapped { kDistributions, kOrderParameter, kGradients, kSwaps };
inline constexpr const char *kSwapNames[kSwaps] = {"distributions", "order parameter", "gradients"};

/// Seconds: in each swap, in rows that read from other ranks or are read by them, and in the rest.
struct Times {
  std::array<double, kSwaps> swaps{};
  double outer = 0, inner = 0;
  double in_swaps() const { return swaps[kDistributions] + swaps[kOrderParameter] + swaps[kGradients]; }
  double total() const { return in_swaps() + outer + inner; }
};

/// What there is at a site.
struct Site {
  double rho = 1;
  std::array<double, kDims> u{};
  double phi = 0;
};

/// HUGE_VAL where it is no number (NaN), or the density is not positive.
double speed_of(const Site &site);

/// Where a fluid is first too fast: the fastest site of that step, and of several the first one.
struct TooFast {
  int step = INT32_MAX;        ///< INT32_MAX: it has not been
  double speed = 0;            ///< HUGE_VAL for what is no number (NaN), or where the density is not positive
  std::int64_t site = 0;       ///< its number in the whole lattice
  bool has_been() const { return step < INT32_MAX; }
  void take(const TooFast &other);
};

/// The arrays of all fluids of a run, and the rows that a step works on.
struct Memories {
  /// Collective.
  Memories(const halocline::Context &context, const Domain &domain, const Options &options);
  Memory distributions, phi, fluxes;
  Rows f, g, around, chemistry, velocity;
};

class Fluid {
 public:
  /// Collective.
  Fluid(const halocline::Context &context, const Domain &domain, const Options &options, common::Skew &skew, Memories &memories,
        const Kind &kind);

  /// Begins with equilibria. at(x, y, z): by the site's coordinates in the whole lattice. Collective.
  void begin(const std::function<Site(const std::array<std::int64_t, kDims> &)> &at);
  /// Goes on from distributions that have been written to stored(): after so many steps. Collective.
  void resume(int step) { step_ = step; }
  void step();
  /// The next fluid may use the memory. Collective.
  void settle();
  int steps() const { return step_; }
  /// Where this block has been faster than kMostMach, and than sound: lattice Boltzmann is unstable then.
  const TooFast &compressed() const { return compressed_; }
  const TooFast &unstable() const { return unstable_; }

  /// What a site of the block is at the end of the last step.
  Site site(std::int64_t x, std::int64_t y, std::int64_t z);
  /// The pressure of a row's sites at the end of the last step, with what gradients of the order parameter add: a third of the stress's trace.
  /// Of two fluids, after share_order_parameter().
  void pressure(std::int64_t x, std::int64_t y, double *to);
  /// Lets neighbours know the order parameter at the end of the last step. settle() before another step. Collective.
  void share_order_parameter();
  /// Whole arrays of what a run continues from: 19 distributions, of two fluids 38, or 19 and phi.
  int stored_components() const { return swap_->components() + (is_differenced_ ? 1 : 0); }
  double *stored_row(int component, std::int64_t x, std::int64_t y);

  const Domain &domain() const { return domain_; }
  const Times &times() const { return times_; }
  void forget_times() { times_ = {}; }
  /// Of all swaps of a step.
  std::int64_t bytes_in() const;

 private:
  using RowBody = void (Fluid::*)(std::int64_t, std::int64_t);
  Swap &swap_of(Swapped which) { return which == kDistributions ? *swap_ : which == kOrderParameter ? *phi_swap_ : *flux_swap_; }
  void swap(Swapped which, int turn, RowBody body);
  double inner_rows(Swap &one, int turn, RowBody body);
  void collide_single(std::int64_t x, std::int64_t y);
  void sum_order_parameter(std::int64_t x, std::int64_t y);
  void find_chemistry(int turn, std::int64_t x, std::int64_t y);
  void collide_binary(std::int64_t x, std::int64_t y);
  void advance_order_parameter(std::int64_t x, std::int64_t y);
  void pull_fluid(std::int64_t x, std::int64_t y);
  void put(Rows &from, int base, std::int64_t x, std::int64_t y);
  void note_speeds(std::int64_t x, std::int64_t y);
  int turn() const { return step_ % 2; }

  const Domain &domain_;
  bool is_binary_, is_differenced_, overlap_;
  Relaxation relaxation_;
  FreeEnergy energy_;
  std::unique_ptr<Swap> swap_;  ///< of distributions
  std::unique_ptr<Swap> phi_swap_;  ///< of the order parameter
  std::unique_ptr<Swap> flux_swap_;  ///< by differences alone: of the chemical potential and the velocity
  Rows &f_, &g_, &around_, &chemistry_, &velocity_;
  std::int64_t inner_rows_ = 0;
  int step_ = 0;
  TooFast compressed_, unstable_;
  Times times_;
};

}  // namespace boltzmann
