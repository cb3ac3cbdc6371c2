// What halocline-doctor found out about the modes, kept for whoever chooses one: where the report of an MPI on this host lies, and what it says.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <string>

namespace doctor {

/// The verdict on a mode in a word (right, lacks, untested, wrong, crashes, hangs), and why it is not right.
struct ModeVerdict {
  std::string word, reason;
  /// False for what nobody should use.
  bool usable() const { return word == "right" || word == "untested"; }
};
using ModeVerdicts = std::map<std::string, ModeVerdict>;

/// Where the report of an MPI (by the text of MPI_Get_library_version) on a host lies: doctor-<hash>.json in $XDG_CACHE_HOME/halocline, else
/// in ~/.cache/halocline. Empty without a home.
std::string report_path(const std::string &mpi_version, const std::string &host);

/// The verdicts of a report, if the file is one, of this MPI. Throws nothing; a file that is broken or of another MPI is no report.
std::optional<ModeVerdicts> read_verdicts(const std::string &path, const std::string &mpi_version);

}  // namespace doctor
