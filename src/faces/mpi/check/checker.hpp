// HALOCLINE_CHECK=1 for windows: accesses that conflict, buffers that are used before their access is complete, epochs that stay open. The
// calls of MPI pass through `checked`, which costs one branch where nothing is checked (docs/design/037-check-of-windows.md).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>

#include "faces/mpi/check/access_log.hpp"
#include "faces/mpi/window/window.hpp"

namespace halocline::core::mpi {

struct OriginBuffer;
struct TargetBuffer;

/// A call that accesses a target. The buffers may be null.
struct CheckedAccess {
  Call call;
  MPI_Op op;
  const OriginBuffer *origin, *result;
  const TargetBuffer *target;
};

enum class Sync {
  fence,
  lock,
  unlock,
  lock_all,
  unlock_all,
  flush,
  flush_local,
  flush_all,
  flush_local_all,
  sync,
  post,
  start,
  complete,
  wait
};

/// A call that synchronises.
struct CheckedSync {
  Sync call;
  int target = -1;
  int assertion = 0;
  const int *flag = nullptr;  // of MPI_Win_test
};

/// What is checked of a window.
class Check {
 public:
  virtual ~Check() = default;
  /// Makes the call by `work`, and checks it. Returns the code of `work`, or MPI_ERR_RMA_CONFLICT.
  virtual int around(const CheckedAccess &access, const std::function<int()> &work) = 0;
  virtual int around(const CheckedSync &sync, const std::function<int()> &work) = 0;
  /// For the last access of this thread, which has a request: what to call, from any thread, once that is complete.
  virtual std::function<void()> end_of_request() = 0;
  /// The program has asked where other ranks' memory is, and may store there.
  virtual void note_query() = 0;
  /// This rank has attached memory.
  virtual void note_memory(const void *base, std::int64_t bytes) = 0;
  /// Reports the epochs that are open in a call that ends the window.
  virtual void report_open_epochs(const char *call) = 0;
};

/// Null if nothing is checked, or if there is no memory for it. Collective over the ranks of the window.
std::shared_ptr<Check> open_check(Window &window, const char *call);
/// Reports the epochs of all windows that are open in MPI_Finalize.
void report_open_windows();

/// Apart, so that a call that is not checked saves no registers for it.
template <class Call, class Work>
[[gnu::noinline, gnu::cold]] int check_around(Window &window, const Call &call, const Work &work) {
  return window.check->around(call, work);
}

template <class Call, class Work>
int checked(Window &window, const Call &call, Work work) {
  return __builtin_expect(window.check == nullptr, 1) ? work() : check_around(window, call, work);
}

}  // namespace halocline::core::mpi
