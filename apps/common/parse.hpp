// Reads a command line with CLI11, which takes long to compile: one file of a program includes this, and is compiled cheaply.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "program.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <sstream>

namespace common {

/// Fills what the options of app are bound to. Returns nothing if there is something to run.
inline std::optional<Answer> parse(CLI::App &app, int argc, char **argv) {
  try {
    app.parse(argc, argv);
    return {};
  } catch (const CLI::Error &error) {
    std::ostringstream out, err;
    const int status = app.exit(error, out, err);
    return Answer{status, out.str(), err.str()};
  }
}

}  // namespace common
