// Splitting the communicator.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/memory/node_leaders.hpp"

#include "engine/communicator/collective.hpp"

namespace halocline::core {

NodeLeaders::~NodeLeaders() {
  if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

Status NodeLeaders::meet(Communicator &communicator) {
  if (met_) return Status::ok;
  // Two meetings before a call that blocks inside MPI (engine/communicator/collective.hpp).
  HLC_TRY(agree(communicator, communicator.comm(), Status::ok));
  HLC_TRY(agree(communicator, communicator.comm(), Status::ok));
  const int colour = communicator.member() == 0 ? 0 : MPI_UNDEFINED;
  HLC_TRY(check_mpi(MPI_Comm_split(communicator.comm(), colour, communicator.rank(), &comm_), "MPI_Comm_split"));
  if (comm_ != MPI_COMM_NULL) MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  met_ = true;
  return Status::ok;
}

}  // namespace halocline::core
