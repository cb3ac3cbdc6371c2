// Requests of collectives that the engine carries. The program's handle is a persistent request of the host that is never started, so that it can
// be converted for Fortran; starts, waits and tests are taken from the host (calls/waits.cpp), and find the object by the handle.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <atomic>

#include "faces/mpi/handle/handle_table.hpp"

namespace halocline::core::mpi {

class OwnRequest {
 public:
  enum class Kind { once, persistent };

  explicit OwnRequest(Kind kind) : is_persistent(kind == Kind::persistent) {}
  OwnRequest(const OwnRequest &) = delete;
  OwnRequest &operator=(const OwnRequest &) = delete;
  /// It is no longer found by its handle.
  virtual ~OwnRequest();

  /// Begins. An MPI error code, as of end().
  virtual int start() = 0;
  /// Moves what can be moved now. True once it is over; the code is that of end().
  virtual bool test() = 0;
  /// Waits until it is over.
  virtual void wait() = 0;
  /// After test() or wait().
  virtual int end() = 0;

  const bool is_persistent;
  bool is_active = false;
  MPI_Request handle = MPI_REQUEST_NULL;
  MPI_Comm comm = MPI_COMM_NULL;  // whose error handler is called, unless it has been freed
};

/// Hidden: a variable that other libraries might replace would be read through a table.
[[gnu::visibility("hidden")]] extern constinit halocline::mpi::HandleTable own_requests;
[[gnu::visibility("hidden")]] extern constinit std::atomic<bool> has_own_requests;

/// The request of a handle; null if it is the host's. Any thread.
inline OwnRequest *find_own(MPI_Request handle) {
  // A program that has none pays this look alone.
  if (!has_own_requests.load(std::memory_order_relaxed)) return nullptr;
  return const_cast<OwnRequest *>(static_cast<const OwnRequest *>(own_requests.find(halocline::mpi::handle_bits(handle))));
}

/// Gives the request a handle, by which it is found. An MPI error code.
int give_handle(OwnRequest &request);

}  // namespace halocline::core::mpi
