// Fits cost curves to measured points: which terms, and their coefficients. Robust: the sum of absolute relative errors is the least, so that a
// point that is far off has no more weight than others. Source of the terms: Gerstenberger et al., section 3.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/model.h>

#include <cstdint>
#include <vector>

namespace bench {

/// One measured case. `size` and `which.ranks` say which half of the points it is in: sizes are numbered in order.
struct CostPoint {
  hlc_model_case which{};  ///< operation and by are not used
  int size = 0;
  double us = 0;
};
using CostPoints = std::vector<CostPoint>;

/// A term, and the 5th and 95th percentile of its coefficient in fits to points drawn again.
struct FittedTerm {
  hlc_model_term term{};
  double low_us = 0, high_us = 0;
};

/// Errors of predictions: |predicted - measured| / measured.
struct Errors {
  double median = 0, worst = 0;
  int points = 0;
};

struct Fit {
  std::vector<FittedTerm> terms;
  std::vector<double> residuals;  ///< (predicted - measured) / measured, of each point

  double predict(const hlc_model_case &which) const;
};

struct FitOptions {
  int draws = 200;  ///< for the confidence intervals; 0: none
  std::uint64_t seed = 1;
};

/// Chooses terms one by one as long as they pay, and fits their coefficients, none of which is below 0. At least one point.
Fit fit_curve(const CostPoints &points, const FitOptions &options);

/// Every other size and every other number of ranks, and the rest.
struct Halves {
  CostPoints fitted, predicted;
};
Halves halves_of(const CostPoints &points);

/// How well a fit predicts points.
Errors errors_of(const Fit &fit, const CostPoints &points);
Errors errors_of(const std::vector<double> &relative);

}  // namespace bench
