// A build without the NetCDF library.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "output.hpp"

namespace boltzmann {

std::string why_no_files() { return "this build has no NetCDF library (Debian package libnetcdf-dev)"; }

Output::Output(const std::string &, const halocline::Context &context, const Options &, const Domain &) : rank_(context.rank()) {}
Output::~Output() = default;
void Output::write(Fluid &) {}
void write_checkpoint(const std::string &, const halocline::Context &, const Options &, Fluid &) {}
void read_checkpoint(const std::string &, const Options &, Fluid &) {}

}  // namespace boltzmann
