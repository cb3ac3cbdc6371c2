// Counts the bytes that libhalocline holds on the heap. The test program has its own malloc family. While counting is on, an allocation is
// charged to the first library on the call stack that is not libc or libstdc++. What MPI allocates inside its calls is therefore charged to
// MPI.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace halocline::test {

/// Counts from its construction to its end. One at a time.
class LiveBytes {
 public:
  LiveBytes();
  ~LiveBytes();
  LiveBytes(const LiveBytes &) = delete;
  LiveBytes &operator=(const LiveBytes &) = delete;

  /// Bytes allocated by libhalocline since the count began and not yet freed.
  long held() const;
  /// The most that was held at one time.
  long most() const;
};

/// Whether bytes can be counted in this build; sanitizers have a malloc of their own.
bool can_count_bytes();

}  // namespace halocline::test
