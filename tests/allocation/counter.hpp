// Counts the memory that libhalocline allocates. The test program has its own malloc family and operator new. While counting is on, each
// allocation is charged to the first library on the call stack that is not libc or libstdc++. Allocations that MPI, UCX or libfabric make
// inside an MPI call are theirs: their frames are nearer to malloc than libhalocline's.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace halocline::test {

/// Counts from its construction to its end, in all threads. One at a time.
class AllocationCount {
 public:
  AllocationCount();
  ~AllocationCount();
  AllocationCount(const AllocationCount &) = delete;
  AllocationCount &operator=(const AllocationCount &) = delete;

  /// Allocations charged to libhalocline so far.
  long of_halocline() const;
  /// Where the first allocation of libhalocline was made.
  std::string first_place() const;
};

/// Whether allocations can be counted in this build; sanitizers have a malloc of their own.
bool can_count_allocations();

}  // namespace halocline::test
