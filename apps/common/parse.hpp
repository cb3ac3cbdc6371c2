// Reads a command line with CLI11, which takes long to compile: one file of a program includes this, and is compiled cheaply.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "program.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <sstream>
#include <string>

namespace common {

/// A check of an option. CLI11's own of this kind print the limits of a double where the value is wrong.
inline CLI::Validator number_check(bool or_zero, const std::string &words, const std::string &name) {
  const auto complaint = [=](const std::string &text) {
    double value = 0;
    const bool is_right = CLI::detail::lexical_cast(text, value) && (value > 0 || (or_zero && value == 0));
    return is_right ? std::string() : "'" + text + "' is no " + words;
  };
  return CLI::Validator(complaint, name);
}
inline CLI::Validator positive_number() { return number_check(false, "positive number", "POSITIVE"); }
inline CLI::Validator number_from_zero() { return number_check(true, "number from 0 on", "NONNEGATIVE"); }

/// Fills what the options of app are bound to. Returns nothing if there is something to run; the status of a wrong command line is 2.
inline std::optional<Answer> parse(CLI::App &app, int argc, char **argv) {
  try {
    app.parse(argc, argv);
    return {};
  } catch (const CLI::Error &error) {
    std::ostringstream out, err;
    const int status = app.exit(error, out, err) == 0 ? 0 : 2;
    return Answer{status, out.str(), err.str()};
  }
}

}  // namespace common
