// What is known of this machine when a mode is chosen: its card of costs, and the verdicts of halocline-doctor. Read once per context.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "model/card.hpp"
#include "model/verdicts.hpp"

namespace halocline::core {

struct Machine {
  Card card;
  Verdicts verdicts;

  /// Reads what the environment names, or what is kept for this host and this MPI. If `reports`, files that cannot be used are reported.
  static Machine find(bool reports);
};

/// Read when it is first asked for. One thread at a time asks.
class LazyMachine {
 public:
  /// The files are those of all ranks of a node: one rank reports what is wrong with them.
  void leave_reports_to_others() { reports_ = false; }
  const Machine &get() {
    if (!machine_) machine_ = std::make_unique<Machine>(Machine::find(reports_));
    return *machine_;
  }

 private:
  bool reports_ = true;
  std::unique_ptr<Machine> machine_;
};

/// The MPI's text, without what depends on the build.
std::string mpi_version();

}  // namespace halocline::core
