// What the functions of the C API have in common.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/halocline.h>

#include <new>

#include "base/mpi_end.hpp"

namespace halocline::core {
class Context;
class Topology;
}  // namespace halocline::core

namespace halocline::core::api {

inline hlc_status out(Status status) { return static_cast<hlc_status>(status); }

/// A call that fails leaves no result.
template <class Object>
void clear(Object **result) {
  if (result) *result = nullptr;
}

/// Runs a call off the hot path; a failed allocation in it becomes a status.
template <class Call>
hlc_status guarded(const char *name, Call call) {
  try {
    return out(call());
  } catch (const std::bad_alloc &) {
    return out(fail(Status::memory, "%s: out of memory", name));
  }
}

inline Status null(const char *function, const char *argument) { return fail(Status::argument, "%s: %s is NULL", function, argument); }
Status null_on(const Topology &context, const char *function, const char *argument);

/// Fails unless MPI may be called.
Status mpi_is_up(const char *function);

/// Called before a release. After MPI_Finalize no rank can wait for others, and MPI's objects cannot be freed. The context is lost then,
/// and the release does what a rank can do alone.
void note_end_of_mpi(Context &context, const char *function);

/// Runs a call of a plan; fails after MPI_Finalize.
template <class Handle, class Run>
hlc_status in_swap(const char *name, Handle *handle, const char *what, Run run) {
  if (!handle) return out(null(name, what));
  if (mpi_has_ended()) return out(fail(Status::state, "%s: MPI has been finalised", name));
  return out(run(handle->inner));
}

}  // namespace halocline::core::api
