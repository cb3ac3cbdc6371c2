// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/collective/own_request.hpp"

#include <mutex>
#include <vector>

#include "faces/mpi/handle/self_comm.hpp"

namespace halocline::core::mpi {

constinit halocline::mpi::HandleTable own_requests;
constinit std::atomic<bool> has_own_requests{false};

namespace {

/// Handles that no request has now. Never destroyed.
struct SpareHandles {
  std::mutex mutex;
  std::vector<MPI_Request> all;
};
SpareHandles &spare_handles() {
  static auto *const made = new SpareHandles;
  return *made;
}

/// A handle of the host.
int take_handle(MPI_Request *handle) {
  {
    SpareHandles &spare = spare_handles();
    const std::lock_guard lock(spare.mutex);
    if (!spare.all.empty()) {
      *handle = spare.all.back();
      spare.all.pop_back();
      return MPI_SUCCESS;
    }
  }
  return PMPI_Recv_init(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, halocline::mpi::self_comm(), handle);
}

}  // namespace

int give_handle(std::unique_ptr<OwnRequest> request, MPI_Request *handle) {
  if (const int code = take_handle(&request->handle)) return code;
  has_own_requests.store(true, std::memory_order_relaxed);
  own_requests.insert(halocline::mpi::handle_bits(request->handle), request.get());
  *handle = request.release()->handle;
  return MPI_SUCCESS;
}

void forget_own(OwnRequest *request) {
  own_requests.erase(halocline::mpi::handle_bits(request->handle), request);
  {
    SpareHandles &spare = spare_handles();
    const std::lock_guard lock(spare.mutex);
    spare.all.push_back(request->handle);
  }
  delete request;
}

}  // namespace halocline::core::mpi
