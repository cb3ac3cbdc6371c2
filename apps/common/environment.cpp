// SPDX-License-Identifier: BSD-3-Clause
#include "environment.hpp"

#include "identity.hpp"
#include "revision.hpp"

#include <sys/utsname.h>

#include <fstream>

namespace common {

static std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::string title_of(const std::string &what, const Environment &environment) {
  const hlc_context_info_t &context = environment.context;
  return what + ", " + std::to_string(context.size) + " ranks, " + std::to_string(context.nodes) +
         (context.nodes == 1 ? " node, " : " nodes, ") + std::to_string(context.cores) + " cores, " + environment.mpi_short + "\n";
}

Environment find_environment(const halocline::Context &context, int argc, char **argv) {
  Environment e;
  utsname system{};
  uname(&system);
  e.host = system.nodename;
  e.kernel = std::string(system.sysname) + " " + system.release + " " + system.machine;
  e.cpu = cpu_model();
  e.mpi = mpi_library();
  e.mpi_short = short_mpi(e.mpi);
  e.compiler = COMMON_COMPILER;
  e.flags = COMMON_FLAGS;
  e.date = now_utc();
  e.version = hlc_version();
  e.revision = COMMON_REVISION;
  for (int i = 1; i < argc; ++i) e.arguments.append(i > 1 ? " " : "").append(argv[i]);
  e.context = context.info();
  return e;
}

}  // namespace common
