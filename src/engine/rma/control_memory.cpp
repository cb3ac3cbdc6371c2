// Making the control memory of all ranks, and opening that of one.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/rma/control_memory.hpp"

#include <utility>

#include "engine/communicator/collective.hpp"

namespace halocline::core {

Status ControlMemory::open(const MemorySpec &spec) {
  Communicator &communicator = network_.communicator();
  HLC_TRY(prepare(communicator, communicator.comm(), [&] { return mine_.create(spec); }));
  HLC_TRY(descriptors_.share(communicator, network_.leaders(), mine_.descriptor()));
  return agree(communicator, communicator.comm(), Status::ok);
}

void ControlMemory::close() {
  known_.clear();
  mine_.close();
}

Status ControlMemory::find(int rank, RemoteMemory **memory) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<OpenedMemory> &known = known_[rank];
  if (!known) {
    auto opened = std::make_unique<OpenedMemory>();
    HLC_TRY(opened->open(network_, rank, descriptors_.of(rank), rank == network_.communicator().rank() ? &mine_ : nullptr));
    known = std::move(opened);
  }
  *memory = known.get();
  return Status::ok;
}

}  // namespace halocline::core
