// Memory that outlives its owner: MPI may still read or write it, and no owner remains that could wait for completion.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

namespace halocline::core {

/// Base of what can be leaked, which is never copied. Leaking allocates nothing: each object holds the link to the next.
class LeakedOnFailure {
 public:
  LeakedOnFailure() = default;
  LeakedOnFailure(const LeakedOnFailure &) = delete;
  LeakedOnFailure &operator=(const LeakedOnFailure &) = delete;
  virtual ~LeakedOnFailure() = default;

 private:
  friend void leak(std::unique_ptr<LeakedOnFailure> memory);
  LeakedOnFailure *next_ = nullptr;
};

/// Takes memory whose destructor must never run. It stays reachable. Any thread.
void leak(std::unique_ptr<LeakedOnFailure> memory);

}  // namespace halocline::core
