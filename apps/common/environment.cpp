// SPDX-License-Identifier: BSD-3-Clause
#include "environment.hpp"

#include "revision.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>

namespace common {

static std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown";
}

static std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  return text;  // Open MPI 4 counts the zero byte at the end
}

/// The first line without tabs and doubled blanks: enough to tell one MPI from another.
static std::string first_line(std::string text) {
  text = text.substr(0, text.find_first_of(",\n"));
  std::replace(text.begin(), text.end(), '\t', ' ');
  text.erase(std::unique(text.begin(), text.end(), [](char a, char b) { return a == ' ' && b == ' '; }), text.end());
  return text;
}

static std::string now_utc() {
  char text[32];
  const std::time_t now = std::time(nullptr);
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
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
  e.mpi_short = first_line(e.mpi);
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
