// What a result depends on besides the library: machine, MPI, compiler, command line.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/halocline.hpp>

#include <string>

namespace common {

struct Environment {
  std::string host, cpu, kernel, mpi, mpi_short, compiler, flags, date, version, revision, arguments;
  hlc_context_info_t context{};

  /// True if the ranks of this node share cores.
  bool oversubscribed() const { return context.node_size > context.cores; }
};

/// A title: what was measured, and with how many ranks, nodes and cores, and which MPI.
std::string title_of(const std::string &what, const Environment &environment);

Environment find_environment(const halocline::Context &context, int argc, char **argv);

}  // namespace common
