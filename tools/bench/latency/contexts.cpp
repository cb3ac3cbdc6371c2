// SPDX-License-Identifier: BSD-3-Clause
#include "bench/latency/contexts.hpp"

#include "bench/frame/variable.hpp"

namespace bench {

static halocline::Context open_with(const std::string &progress, MPI_Comm comm) {
  const Variable variable("HALOCLINE_PROGRESS", progress);
  return halocline::Context(comm);
}

ContextWith::ContextWith(const std::string &progress, MPI_Comm comm) : progress_(progress), context_(open_with(progress, comm)) {}

std::string ContextWith::network() const {
  const std::string line = context_.network();
  return line.substr(0, line.find(", progress by "));
}

std::list<ContextWith> all_progress(MPI_Comm comm) {
  std::list<ContextWith> contexts;
  for (const char *progress : {"caller", "thread"}) contexts.emplace_back(progress, comm);
  return contexts;
}

}  // namespace bench
