// The steps of sharing records: create shared memory, gather at rank 0, broadcast to the leaders.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/memory/rank_table.hpp"

#include <cstring>
#include <utility>
#include <vector>

#include "engine/communicator/collective.hpp"
#include "engine/memory/node_leaders.hpp"

namespace halocline::core {

/// What MPI reads and writes while records are shared.
struct SharedRecords : Job {
  std::vector<char> mine;
  SharedMemory table;  // all records, in the part of the node's member 0
};

namespace {

/// All buffers of the step exist on all ranks.
Status make_records(Communicator &communicator, Status ready, Record mine, std::unique_ptr<SharedRecords> &records, ObjectFile file) {
  const Status listed = alone(communicator, [&] {
    records = std::make_unique<SharedRecords>();
    records->requests.resize(1, MPI_REQUEST_NULL);
    records->mine.resize(static_cast<std::size_t>(mine.bytes));
    return ready;
  });
  const std::int64_t here = communicator.member() == 0 ? std::int64_t{mine.bytes} * communicator.size() : 0;
  SharedMemory table;
  const Status made = create_shared_memory(communicator, here, table, file);
  HLC_TRY(agree(communicator, communicator.comm(), last_failure(listed, made)));
  records->table = std::move(table);
  return Status::ok;
}

/// Two steps through rank 0; one where each rank is its node's leader.
Status pass_on(Communicator &communicator, NodeLeaders &leaders, MPI_Datatype record, std::unique_ptr<SharedRecords> &records) {
  const char *mine = records->mine.data();
  char *all = records->table.part(0);
  MPI_Request *request = records->requests.data();
  if (communicator.nodes() == communicator.size()) {
    HLC_TRY(check_mpi(MPI_Iallgather(mine, 1, record, all, 1, record, communicator.comm(), request), "MPI_Iallgather"));
    return await(communicator, records);
  }
  HLC_TRY(check_mpi(MPI_Igather(mine, 1, record, all, 1, record, 0, communicator.comm(), request), "MPI_Igather"));
  HLC_TRY(await(communicator, records));
  if (communicator.member() != 0) return Status::ok;
  HLC_TRY(check_mpi(MPI_Ibcast(all, communicator.size(), record, 0, leaders.comm(), request), "MPI_Ibcast"));
  return await(communicator, records);
}

}  // namespace

RankRecords::RankRecords() = default;

RankRecords::RankRecords(RankRecords &&other) noexcept : records_(std::move(other.records_)), all_(std::exchange(other.all_, nullptr)) {}

RankRecords &RankRecords::operator=(RankRecords &&other) noexcept {
  records_ = std::move(other.records_);
  all_ = std::exchange(other.all_, nullptr);
  return *this;
}

RankRecords::~RankRecords() = default;

Status RankRecords::share(Communicator &communicator, NodeLeaders &leaders, Status ready, Record mine, ObjectFile file) {
  HLC_TRY(leaders.meet(communicator));
  const bool is_first = !records_;
  std::unique_ptr<SharedRecords> sharing = std::move(records_);
  if (is_first) HLC_TRY(make_records(communicator, ready, mine, sharing, file));
  std::memcpy(sharing->mine.data(), mine.data, static_cast<std::size_t>(mine.bytes));
  MPI_Datatype record = MPI_DATATYPE_NULL;
  HLC_TRY(check_mpi(MPI_Type_contiguous(mine.bytes, MPI_BYTE, &record), "MPI_Type_contiguous"));
  MPI_Type_commit(&record);
  const Status passed = pass_on(communicator, leaders, record, sharing);
  MPI_Type_free(&record);
  HLC_TRY(agree(communicator, communicator.comm(), last_failure(ready, passed)));
  records_ = std::move(sharing);
  all_ = records_->table.part(0);
  return Status::ok;
}

const SharedMemory &RankRecords::table() const { return records_->table; }

void RankRecords::close_file() { records_->table.close(); }

}  // namespace halocline::core
