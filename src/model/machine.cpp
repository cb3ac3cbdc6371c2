// SPDX-License-Identifier: BSD-3-Clause
#include "model/machine.hpp"

#include <mpi.h>

#include <cstddef>

#include "model/lazy_machine.hpp"

namespace halocline::core {

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING]{};
  int length = 0;
  MPI_Get_library_version(text, &length);
  return {text, static_cast<std::size_t>(length)};
}

Machine Machine::find(bool reports) {
  // halocline-doctor reads the text up to its zero byte, which some MPIs count.
  const std::string version = mpi_version();
  return {Card::find(kept_card(version), reports), Verdicts::find(kept_report(version.c_str()), version.c_str(), reports)};
}

LazyMachine::LazyMachine() = default;
LazyMachine::~LazyMachine() = default;

const Machine &LazyMachine::get() {
  if (!machine_) machine_ = std::make_unique<Machine>(Machine::find(reports_));
  return *machine_;
}

}  // namespace halocline::core
