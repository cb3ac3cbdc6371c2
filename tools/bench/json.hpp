// What all reports hold of the machine, and how they are written.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "environment.hpp"

#include <nlohmann/json.hpp>

namespace bench {

using Json = nlohmann::ordered_json;

Json environment_of(const Environment &environment);

/// What the report of a bench between two ranks begins with; its results come after.
Json opening(const std::string &benchmark, const Environment &environment, const std::string &network);

/// Throws std::runtime_error if the file can't be written.
void write_file(const Json &json, const std::string &path);

}  // namespace bench
