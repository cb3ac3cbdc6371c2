// Lets the library run short of something: an allocation fails, or a system call for shared memory. The test program has its own operator
// new, also of aligned memory, and aligned_alloc. It also intercepts open, shm_open, ftruncate, posix_fallocate and mmap. Calls from
// outside libhalocline are forwarded unchanged.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace halocline::test {

/// Lets allocations fail from its construction to its end: the n-th, or all from the n-th on. n counts from 1; 0: none fails. Hold it
/// around one call of the library alone: allocations of the test itself count, too.
class FailingAllocation {
 public:
  enum class Extent { one, all_from_there };
  FailingAllocation(long n, Extent extent);
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation &) = delete;
  FailingAllocation &operator=(const FailingAllocation &) = delete;
  /// Whether one has failed.
  bool struck() const;
};

/// Whether every library of this process resolves that (mangled) name to this program's function.
bool is_replaced(const char *function);

/// Objects from operator new that live now.
long live_objects();

/// Lets a system function fail with an errno, from its construction to its end, whenever libhalocline calls it. Names: open, shm_open,
/// ftruncate, posix_fallocate, mmap; several are separated by blanks.
class FailingSystem {
 public:
  FailingSystem(const char *functions, int error);
  ~FailingSystem();
  FailingSystem(const FailingSystem &) = delete;
  FailingSystem &operator=(const FailingSystem &) = delete;
};

/// Open files of this process.
int open_files();
/// Mappings of shared memory objects of the library.
int shared_mappings();
/// Objects of the library that have a name in /dev/shm, of any process.
int names_in_dev_shm();

}  // namespace halocline::test
