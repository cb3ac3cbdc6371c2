// A variable of the environment that a network's library is to find while it is loaded or initialised.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>
#include <string>

namespace halocline::core::transport {

/// Sets a variable of the environment. When it ends, that is as before.
class TemporaryVariable {
 public:
  /// Sets nothing if `value` is empty.
  TemporaryVariable(const char *name, const std::string &value) : name_(name), is_set_(!value.empty()) {
    if (!is_set_) return;
    if (const char *const before = std::getenv(name)) before_ = before, was_set_ = true;
    setenv(name, value.c_str(), 1);
  }
  TemporaryVariable(const TemporaryVariable &) = delete;
  TemporaryVariable &operator=(const TemporaryVariable &) = delete;
  ~TemporaryVariable() {
    if (is_set_) was_set_ ? setenv(name_, before_.c_str(), 1) : unsetenv(name_);
  }

 private:
  const char *name_;
  std::string before_;
  bool is_set_ = false, was_set_ = false;
};

}  // namespace halocline::core::transport
