// The command `model`: measures the operations and the halo swaps of this machine, fits a cost curve to each, checks that a half of the points
// predicts the other one, and writes a machine card. Source: Gerstenberger et al., section 3.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/frame/results.hpp"
#include "bench/model/fit.hpp"
#include "bench/model/options.hpp"

#include <optional>

namespace bench {

/// One operation by one way, on one node or on several.
struct ModelCurve {
  std::string operation, by;
  int nodes = 1;  ///< 2: several
  CostPoints points{};
  Fit fit{};
  Errors residuals{};  ///< of the fit to all points
  std::optional<Errors> predicted{};  ///< of a fit to a half of the points, of the others; none where there are too few
};

struct ModelReport {
  Results results;
  std::vector<ModelCurve> curves;
  Errors predicted;  ///< of all curves together
  int left_out = 0;  ///< measurements for which there was no time
  double measuring_s = 0, fitting_s = 0;
  int passes = 0;  ///< how often everything was measured; 0: the rows are those of a file
  std::string card{};  ///< the file that was written; empty: none
  std::string no_card{};  ///< why it could not be written after all; empty: it was, or none was wanted
};

/// The rows that are times, one list of points per operation, way and nodes, in the order of their first.
std::vector<ModelCurve> curves_of(const Results &results);
/// Fits a curve and checks it.
void fit(ModelCurve &curve, std::uint64_t seed);
/// The errors of all predictions of a half of the points by the other.
Errors check_halves(std::vector<ModelCurve> &curves, std::uint64_t seed);

/// Measures, or reads `options.from`. Collective over all ranks; the rows are on rank 0.
struct Measured {
  Results results;
  int left_out = 0;
  int passes = 0;
};
Measured measure_model(MPI_Comm all, const ModelOptions &options, int argc, char **argv);

/// The whole command. Collective over all ranks; the report is rank 0's, and nothing on others.
std::optional<ModelReport> run_model(MPI_Comm all, const ModelOptions &options, int argc, char **argv);

std::string table_of(const ModelReport &report);
Document document_of(const ModelReport &report);

/// The machine card: schema halocline-card/1, docs/results.md.
Json card_of(const ModelReport &report);
/// Why the card can't be written, and which option or variable helps; empty if it can, or if none is wanted. Makes the folder.
std::string why_no_card(const ModelOptions &options);
/// Writes the card, as a whole, and returns its path; "" if none is wanted. Throws if it can't be written.
std::string write_card(const ModelReport &report, const ModelOptions &options);

}  // namespace bench
