// Sums over all ranks. All ways give the same bits, because the sums are exact. Some overlap with what is computed between start and finish.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "clock.hpp"
#include "exact_sum.hpp"

#include <halocline/halocline.hpp>

#include <memory>
#include <string>
#include <vector>

namespace pic {

class Sums {
 public:
  /// Values of one reduction at most.
  static constexpr std::size_t kMost = 64;

  explicit Sums(Clock &clock) : clock_(clock) {}
  Sums(const Sums &) = delete;
  Sums &operator=(const Sums &) = delete;
  virtual ~Sums() = default;

  /// Begins to sum; the same number of values on all ranks.
  void start(const std::vector<ExactSum> &mine);
  /// The sums of all ranks.
  std::vector<double> finish();
  std::vector<double> all(const std::vector<ExactSum> &mine) {
    start(mine);
    return finish();
  }
  double all(const ExactSum &mine) { return all(std::vector<ExactSum>{mine})[0]; }

 private:
  virtual void do_start(std::vector<double> &numbers) = 0;
  virtual void do_finish(std::vector<double> &numbers) = 0;

  Clock &clock_;
  std::vector<double> numbers_;
};

/// The ways, as --variant names them.
struct SumsKind {
  const char *name;
  std::unique_ptr<Sums> (*make)(const halocline::Context &context, Clock &clock);
};
const std::vector<SumsKind> &sums_kinds();
/// Collective.
std::unique_ptr<Sums> make_sums(const std::string &name, const halocline::Context &context, Clock &clock);

}  // namespace pic
