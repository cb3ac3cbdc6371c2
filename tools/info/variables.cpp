// SPDX-License-Identifier: BSD-3-Clause
#include "variables.hpp"

#include "base/environment.hpp"
#include "base/variable_table.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace info {
namespace {

using common::Json;
using halocline::core::kVariables;
using halocline::core::Reader;
using halocline::core::Variable;

const std::string kPrefix = "HALOCLINE_";

const char *name_of(Reader reader) {
  switch (reader) {
    case Reader::library: return "library";
    case Reader::drop_in: return "libhalocline_mpi";
    case Reader::python: return "the Python package";
    case Reader::command: return "the command halocline";
    case Reader::tests: return "tests";
    case Reader::place: return "nobody";
  }
  return "";
}

Json json_of(const Variable &variable) {
  const std::string name = kPrefix + std::string(variable.name);
  const char *set = std::getenv(name.c_str());
  const Json standard = variable.standard.empty() ? Json() : Json(variable.standard);
  return {{"name", name},
          {"value", set ? Json(set) : standard},
          {"default", standard},
          {"origin", set ? "environment" : "default"},
          {"read_by", name_of(variable.reader)},
          {"meaning", variable.meaning}};
}

bool is_known(const std::string &name) {
  const std::string rest = name.substr(kPrefix.size());
  return rest.rfind("TEST_", 0) == 0 ||
         std::any_of(kVariables.begin(), kVariables.end(), [&](const Variable &one) { return one.name == rest; });
}

}  // namespace

Json variables() {
  Json known = Json::array(), unknown = Json::array();
  for (const Variable &variable : kVariables) known.push_back(json_of(variable));
  for (char **entry = environ; entry && *entry; ++entry) {
    const std::string text = *entry, name = text.substr(0, text.find('='));
    if (name.rfind(kPrefix, 0) == 0 && !is_known(name)) unknown.push_back(name);
  }
  return {{"known", known}, {"unknown", unknown}};
}

}  // namespace info
