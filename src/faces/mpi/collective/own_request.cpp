// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/collective/own_request.hpp"

#include <mutex>
#include <vector>

#include "base/never_destroyed.hpp"
#include "faces/mpi/handle/self_comm.hpp"

namespace halocline::core::mpi {

constinit halocline::mpi::HandleTable own_requests;
constinit std::atomic<bool> has_own_requests{false};

namespace {

/// Handles that no request has now. There is room for all. Never destroyed.
struct SpareHandles {
  std::mutex mutex;
  std::size_t made = 0;
  std::vector<MPI_Request> all;
};
SpareHandles &spare_handles() { return never_destroyed<SpareHandles>(); }

/// A handle of the host.
int take_handle(MPI_Request *handle) {
  SpareHandles &spare = spare_handles();
  const std::lock_guard lock(spare.mutex);
  if (!spare.all.empty()) {
    *handle = spare.all.back();
    spare.all.pop_back();
    return MPI_SUCCESS;
  }
  if (spare.all.capacity() == spare.made) spare.all.reserve(2 * spare.made + 8);
  if (const int code = PMPI_Recv_init(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, halocline::mpi::self_comm(), handle)) return code;
  spare.made += 1;
  return MPI_SUCCESS;
}

}  // namespace

OwnRequest::~OwnRequest() {
  if (handle == MPI_REQUEST_NULL) return;
  own_requests.erase(halocline::mpi::handle_bits(handle), this);
  SpareHandles &spare = spare_handles();
  const std::lock_guard lock(spare.mutex);
  spare.all.push_back(handle);
}

int give_handle(OwnRequest &request) {
  MPI_Request taken = MPI_REQUEST_NULL;
  if (const int code = take_handle(&taken)) return code;
  request.handle = taken;
  has_own_requests.store(true, std::memory_order_relaxed);
  own_requests.insert(halocline::mpi::handle_bits(taken), &request);
  return MPI_SUCCESS;
}

}  // namespace halocline::core::mpi
