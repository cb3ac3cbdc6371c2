// What halocline-doctor has found about the modes with this MPI on this host. It keeps a report; here it is read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <string>

namespace halocline::core {

/// The verdict on a mode in a word (right, lacks, untested, wrong, crashes, hangs), and why it is not right.
struct ModeVerdict {
  std::string word, reason;
  /// False for what should not be used.
  bool usable() const { return word == "right" || word == "untested"; }
};

class Verdicts {
 public:
  /// Reads a report's text, of this MPI; nothing where it is invalid, with the reason in `fault`.
  static std::optional<Verdicts> parse(const std::string &text, const std::string &mpi_version, std::string &fault);
  /// The report that HALOCLINE_DOCTOR names ("none": no report), else `kept` where there is one. If `reports`, one that cannot be
  /// used is reported, once.
  static Verdicts find(const std::string &kept, const std::string &mpi_version, bool reports);

  /// Where the verdicts are from, or why there are none.
  const std::string &source() const { return source_; }
  /// True if there is a report.
  bool examined() const { return examined_; }
  /// The verdict on a mode, NULL if the report has none.
  const ModeVerdict *of(const std::string &mode) const;

 private:
  std::string source_;
  bool examined_ = false;
  std::map<std::string, ModeVerdict> modes_;
};

}  // namespace halocline::core
