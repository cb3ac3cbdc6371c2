// Reports as JSON.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "environment.hpp"

#include <nlohmann/json.hpp>

namespace common {

using Json = nlohmann::ordered_json;

Json environment_of(const Environment &environment);

/// Throws std::runtime_error if the file can't be written.
void write_file(const Json &json, const std::string &path);
/// Why a file can't be written, in the words of the system; empty if it can. One that is there stays as it is, and none is left behind.
std::string why_not_writable(const std::string &path);

}  // namespace common
