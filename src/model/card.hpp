// A machine card: the cost curves of a machine, read from a JSON file. No MPI, no context; a plan asks it at creation.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "model/terms.hpp"

namespace halocline::core {

/// One operation by one contender, on one node or on several.
struct Curve {
  std::string operation, by;
  int nodes = 1;  ///< 2: several
  int points = 0;
  double least_bytes = 0, most_bytes = 0, least_ranks = 0, most_ranks = 0;  ///< of the points
  double least_us = 0;        ///< the least that was measured at a point; 0: the card does not say it
  double typical_error = -1;  ///< -1: not tested
  std::vector<hlc_model_term> terms;
};

class Card {
 public:
  /// Reads a card's text; nothing where it is invalid, with the reason in `fault`.
  static std::optional<Card> parse(const std::string &text, const std::string &source, std::string &fault);
  /// The same of a card's file.
  static std::optional<Card> read(const std::string &path, std::string &fault);
  /// The card that is part of the library. `why` goes into its source.
  static Card standard(const std::string &why);
  /// The file that HALOCLINE_CARD names, else `kept` where there is one, else the default. If `reports`, a card that cannot be used is
  /// reported, once.
  static Card find(const std::string &kept, bool reports = true);

  const std::string &source() const { return source_; }
  const std::vector<Curve> &curves() const { return curves_; }
  /// unsupported, with the name in the message, where there is no such curve.
  Status predict(const hlc_model_case &which, hlc_prediction &prediction) const;
  /// The curve of a case; NULL where there is none.
  const Curve *find_curve(const hlc_model_case &which) const;

 private:
  std::string source_;
  std::vector<Curve> curves_;
};

/// The file in which the card of a host and an MPI is kept; "" where there is no folder for it.
std::string kept_card(const std::string &mpi_version);
/// The same of halocline-doctor's report.
std::string kept_report(const std::string &mpi_version);

}  // namespace halocline::core
