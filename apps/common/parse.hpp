// Reads a command line with CLI11, which takes long to compile: one file of a program includes this, and is compiled cheaply.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "program.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <optional>
#include <sstream>
#include <string>

namespace common {

/// A check of an option. CLI11's own of this kind print the limits of a double where the value is wrong, and take what is no number (NaN).
inline CLI::Validator number_check(const std::function<bool(double)> &is_right, const std::string &words, const std::string &name) {
  const auto complaint = [=](const std::string &text) {
    double value = 0;
    const bool right = CLI::detail::lexical_cast(text, value) && std::isfinite(value) && is_right(value);
    return right ? std::string() : "'" + text + "' is not a " + words;
  };
  return CLI::Validator(complaint, name);
}
inline CLI::Validator finite_number() {
  return number_check([](double) { return true; }, "finite number", "FINITE");
}
inline CLI::Validator positive_number() {
  return number_check([](double value) { return value > 0; }, "positive number", "POSITIVE");
}
inline CLI::Validator number_from_zero() {
  return number_check([](double value) { return value >= 0; }, "number from 0 on", "NONNEGATIVE");
}
inline CLI::Validator number_between(double least, double most) {
  std::ostringstream words, name;
  words << "number from " << least << " to " << most;
  name << "FLOAT in [" << least << " - " << most << "]";
  return number_check([=](double value) { return value >= least && value <= most; }, words.str(), name.str());
}

/// A whole number of 64 bits. CLI11 takes -1 for the largest one, and so every number that is larger.
inline CLI::Validator seed() {
  const auto complaint = [](const std::string &text) {
    const bool is_whole = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    errno = 0;
    if (is_whole) static_cast<void>(std::strtoull(text.c_str(), nullptr, 10));
    return is_whole && errno == 0 ? std::string() : "'" + text + "' is not a whole number from 0 to 2^64 - 1";
  };
  return CLI::Validator(complaint, "");
}

/// What is wrong with a case file. CLI11 calls every file INI, and names neither the file nor what it expected.
inline std::string wrong_case(CLI::App &app, const CLI::ConfigError &error) {
  const std::string what = error.what(), unknown = "INI was not able to parse ";
  const CLI::Option *file = app.get_config_ptr();
  const std::string name = file ? file->as<std::string>() : std::string();
  if (what.compare(0, unknown.size(), unknown) != 0) return name + ": " + what + "\n";
  return name + ": no option is called '" + what.substr(unknown.size()) + "'; --help lists those that there are\n";
}

/// Fills what the options of app are bound to. Returns nothing if there is something to run; the status of a wrong command line is 2.
inline std::optional<Answer> parse(CLI::App &app, int argc, char **argv) {
  try {
    app.parse(argc, argv);
    return {};
  } catch (const CLI::ConfigError &error) {
    return Answer{2, "", wrong_case(app, error)};
  } catch (const CLI::Error &error) {
    std::ostringstream out, err;
    const int status = app.exit(error, out, err) == 0 ? 0 : 2;
    return Answer{status, out.str(), err.str()};
  }
}

}  // namespace common
