// SPDX-License-Identifier: BSD-3-Clause
#include "bench/halo/excluded_modes.hpp"

#include "bench/frame/refusal.hpp"
#include "bench/frame/shared.hpp"

#include <common/identity.hpp>
#include <doctor/verdicts.hpp>

#include <cstdio>
#include <sstream>

namespace bench {

/// Whether the MPI was ever examined, said once.
static void say_unexamined() {
  static bool said = false;
  if (!said)
    std::fprintf(stderr,
                 "halocline-bench: no report on this MPI and host, so every mode is taken to be right; run 'mpiexec -n 2 halocline-doctor' "
                 "to make one, or give '--doctor none'\n");
  said = true;
}

/// One line per mode that is not to be used: the mode and the reason. A file that was asked for and is no report is the only complaint.
static std::string read_report(const std::string &file) {
  if (file == "none") return "";
  const std::string version = mpi_library(), path = file.empty() ? doctor::report_path(version, host_name()) : file;
  const auto verdicts = doctor::read_verdicts(path, version);
  if (!verdicts && file.empty()) say_unexamined();
  if (!verdicts)
    return file.empty() ? "" : "! " + file + " is not a report of halocline-doctor on " + version.substr(0, version.find('\n')) + "\n";
  std::string lines;
  for (const auto &[mode, verdict] : *verdicts)
    if (!verdict.usable()) lines += mode + " halocline-doctor: " + verdict.word + ": " + verdict.reason + "\n";
  return lines;
}

std::map<std::string, std::string> excluded_modes(const std::string &file, MPI_Comm comm) {
  std::istringstream lines(broadcast(rank_of(comm) == 0 ? read_report(file) : "", 0, comm));
  std::map<std::string, std::string> modes;
  for (std::string mode, reason; lines >> mode && std::getline(lines >> std::ws, reason);) {
    if (mode == "!") throw Refusal(reason);
    modes[mode] = reason;
  }
  if (modes.count("p2p")) throw Refusal("mode p2p, against which all are measured, cannot be trusted here: " + modes["p2p"]);
  return modes;
}

}  // namespace bench
