// The calls of a program that the library must not carry: see counted_calls.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace halocline::test {

/// While it lives, the library has to leave the calls of this process to the host.
class LeftToHost {
 public:
  LeftToHost();
  LeftToHost(const LeftToHost &) = delete;
  LeftToHost &operator=(const LeftToHost &) = delete;
  ~LeftToHost();
};

}  // namespace halocline::test
