// The failure of several steps that are all done, whichever of them fail: that of the first, with its message.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "base/status.hpp"

namespace halocline::core {

class FirstFailure {
 public:
  FirstFailure() = default;
  explicit FirstFailure(Status status) { note(status); }

  /// Takes the status of a step, and this thread's message if it is the first that has failed.
  void note(Status status) {
    if (!failed(status) || failed(first_)) return;
    first_ = status;
    message_ = error_message();
  }
  /// True if no step has failed so far.
  bool none() const { return !failed(first_); }
  /// The first failure, whose message is this thread's again; ok if there is none.
  Status status() const { return none() ? Status::ok : fail(first_, "%s", message_.c_str()); }

 private:
  Status first_ = Status::ok;
  std::string message_;
};

}  // namespace halocline::core
