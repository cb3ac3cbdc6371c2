// Where the build found no NetCDF.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "output.hpp"

#include <stdexcept>

namespace pic {

static const char *const kReason = ": this build has no NetCDF; install libnetcdf-dev and configure again";

struct Output::File {};
Output::Output(const std::string &path, const Model &) { throw std::runtime_error(path + kReason); }
Output::~Output() = default;
void Output::write_record(const Model &) {}
void Output::write_state(const Model &) {}
void Output::close() {}
void write_checkpoint(const std::string &path, const Model &) { throw std::runtime_error(path + kReason); }
void read_state(const std::string &path, Model &) { throw std::runtime_error(path + kReason); }

}  // namespace pic
