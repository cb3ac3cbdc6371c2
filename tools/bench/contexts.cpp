// SPDX-License-Identifier: BSD-3-Clause
#include "contexts.hpp"

#include <cstdlib>

namespace bench {

/// The variable goes back to what it was.
static halocline::Context open_with(const std::string &progress, MPI_Comm comm) {
  const char *set = std::getenv("HALOCLINE_PROGRESS");
  const std::string before = set ? set : "";
  setenv("HALOCLINE_PROGRESS", progress.c_str(), 1);
  halocline::Context context(comm);
  set ? setenv("HALOCLINE_PROGRESS", before.c_str(), 1) : unsetenv("HALOCLINE_PROGRESS");
  return context;
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
