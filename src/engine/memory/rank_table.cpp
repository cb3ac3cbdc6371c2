// The steps of sharing records: create shared memory, gather at rank 0, broadcast to the leaders.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/memory/rank_table.hpp"

#include <cstring>

#include "engine/communicator/collective.hpp"

namespace halocline::core {
namespace {

/// What MPI reads and writes in these steps.
struct Sharing : Job {
  std::vector<char> mine;
  SharedMemory table;
};

Status prepare_sharing(Communicator &communicator, Record mine, std::unique_ptr<Sharing> &sharing, ObjectFile file) {
  HLC_TRY(prepare(communicator, communicator.comm(), [&] {
    sharing = std::make_unique<Sharing>();
    sharing->requests.resize(1, MPI_REQUEST_NULL);
    sharing->mine.resize(static_cast<std::size_t>(mine.bytes));
    std::memcpy(sharing->mine.data(), mine.data, static_cast<std::size_t>(mine.bytes));
    return Status::ok;
  }));
  const std::int64_t here = communicator.member() == 0 ? std::int64_t{mine.bytes} * communicator.size() : 0;
  return agree(communicator, communicator.comm(), create_shared_memory(communicator, here, sharing->table, file));
}

}  // namespace

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

Status share_records(Communicator &communicator, NodeLeaders &leaders, Record mine, SharedMemory &table, ObjectFile file) {
  HLC_TRY(leaders.meet(communicator));
  std::unique_ptr<Sharing> sharing;
  HLC_TRY(prepare_sharing(communicator, mine, sharing, file));
  MPI_Datatype record = MPI_DATATYPE_NULL;
  HLC_TRY(check_mpi(MPI_Type_contiguous(mine.bytes, MPI_BYTE, &record), "MPI_Type_contiguous"));
  MPI_Type_commit(&record);
  char *all = sharing->table.part(0);
  const auto pass = [&](int code, const char *call) {
    HLC_TRY(check_mpi(code, call));
    return await(communicator, sharing);
  };
  Status status =
      pass(MPI_Igather(sharing->mine.data(), 1, record, all, 1, record, 0, communicator.comm(), sharing->requests.data()), "MPI_Igather");
  if (!failed(status) && communicator.member() == 0)
    status = pass(MPI_Ibcast(all, communicator.size(), record, 0, leaders.comm(), sharing->requests.data()), "MPI_Ibcast");
  MPI_Type_free(&record);
  HLC_TRY(agree(communicator, communicator.comm(), status));
  table = std::move(sharing->table);
  return Status::ok;
}

}  // namespace halocline::core
