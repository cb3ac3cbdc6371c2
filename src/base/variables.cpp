// The table of known environment variables, and the search for unknown ones.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/variables.hpp"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/log.hpp"

namespace halocline::core {
namespace {

constexpr std::string_view kPrefix = "HALOCLINE_", kOfTests = "TEST_";
constexpr std::string_view kKnown[] = {
    // the library's
    "CARD", "CHECK", "DRIVE", "EPOCH", "FAKE_NETWORK", "FAKE_NODES", "INTERFACE", "LOG", "MODE", "MPI_LOCK", "MPI_STRICT", "PROGRESS",
    "PROVIDER", "QUIET", "SUMMARY", "TIMEOUT", "TRACE", "XPMEM",
    // the tools' and tests'
    "ABI_MPIEXEC", "BREAK", "HOSTS", "SOAK_SWAPS",
    // where it is installed, as set by environment modules and CMake
    "DIR", "HOME", "ROOT", "VERSION"};

/// `name` is the part after the prefix.
bool is_known(std::string_view name) {
  return name.substr(0, kOfTests.size()) == kOfTests || std::find(std::begin(kKnown), std::end(kKnown), name) != std::end(kKnown);
}

}  // namespace

void report_unknown_variables() {
  for (char **entry = environ; entry && *entry; ++entry) {
    const std::string_view variable = std::string_view(*entry).substr(0, std::string_view(*entry).find('='));
    if (variable.substr(0, kPrefix.size()) == kPrefix && !is_known(variable.substr(kPrefix.size())))
      report_once("environment", *entry, "%.*s is set, and no variable of this name is known; it changes nothing",
                  static_cast<int>(variable.size()), variable.data());
  }
}

}  // namespace halocline::core
