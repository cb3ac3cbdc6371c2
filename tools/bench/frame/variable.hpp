// An environment variable that has another value for a while.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace bench {

/// Sets a variable; at the end it is what it was. An empty value leaves it alone.
class Variable {
 public:
  Variable(std::string name, const std::string &value) : name_(std::move(name)) {
    if (const char *found = std::getenv(name_.c_str())) before_ = found;
    if (!value.empty()) setenv(name_.c_str(), value.c_str(), 1);
  }
  ~Variable() { before_ ? setenv(name_.c_str(), before_->c_str(), 1) : unsetenv(name_.c_str()); }
  Variable(const Variable &) = delete;
  Variable &operator=(const Variable &) = delete;

 private:
  std::string name_;
  std::optional<std::string> before_;
};

}  // namespace bench
