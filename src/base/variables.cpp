// The search for environment variables that are unknown.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/variables.hpp"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "base/log.hpp"
#include "base/variable_table.hpp"

namespace halocline::core {
namespace {

constexpr std::string_view kPrefix = "HALOCLINE_", kOfTests = "TEST_";

/// `name` is the part after the prefix.
bool is_known(std::string_view name) {
  const auto has_name = [name](const Variable &variable) { return variable.name == name; };
  return name.substr(0, kOfTests.size()) == kOfTests || std::any_of(kVariables.begin(), kVariables.end(), has_name);
}

}  // namespace

void report_unknown_variables() {
  for (char **entry = environ; entry && *entry; ++entry) {
    const std::string_view variable = std::string_view(*entry).substr(0, std::string_view(*entry).find('='));
    if (variable.substr(0, kPrefix.size()) == kPrefix && !is_known(variable.substr(kPrefix.size())))
      report_once("environment", *entry, "%.*s: unknown variable, ignored", static_cast<int>(variable.size()), variable.data());
  }
}

}  // namespace halocline::core
