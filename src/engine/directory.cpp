// The steps of sharing: the node's memory, the gathering, the handing out.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/directory.hpp"

#include <cstring>

#include "engine/collective.hpp"
#include "engine/segment.hpp"

namespace halocline {
namespace {

/// What MPI reads and writes on the way.
struct Sharing : Job {
  std::vector<char> mine;
  Segment table;
};

Status prepare_sharing(Context &context, const void *mine, int bytes, std::unique_ptr<Sharing> &sharing, ObjectFile file) {
  HLC_TRY(prepare(context, context.comm(), [&] {
    sharing = std::make_unique<Sharing>();
    sharing->requests.resize(1, MPI_REQUEST_NULL);
    sharing->mine.resize(static_cast<std::size_t>(bytes));
    std::memcpy(sharing->mine.data(), mine, static_cast<std::size_t>(bytes));
    return Status::ok;
  }));
  const std::int64_t here = context.member() == 0 ? std::int64_t{bytes} * context.size() : 0;
  return agree(context, context.comm(), create_segment(context, here, sharing->table, file));
}

}  // namespace

Leaders::~Leaders() {
  if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

Status Leaders::meet(Context &context) {
  if (met_) return Status::ok;
  // Two meetings before a call that blocks inside MPI (engine/collective.hpp).
  HLC_TRY(agree(context, context.comm(), Status::ok));
  HLC_TRY(agree(context, context.comm(), Status::ok));
  const int colour = context.member() == 0 ? 0 : MPI_UNDEFINED;
  HLC_TRY(check_mpi(MPI_Comm_split(context.comm(), colour, context.rank(), &comm_), "MPI_Comm_split"));
  if (comm_ != MPI_COMM_NULL) MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  met_ = true;
  return Status::ok;
}

Status share_records(Context &context, const void *mine, int bytes, Segment &table, ObjectFile file) {
  Leaders &leaders = context.network().leaders();
  HLC_TRY(leaders.meet(context));
  std::unique_ptr<Sharing> sharing;
  HLC_TRY(prepare_sharing(context, mine, bytes, sharing, file));
  MPI_Datatype record = MPI_DATATYPE_NULL;
  HLC_TRY(check_mpi(MPI_Type_contiguous(bytes, MPI_BYTE, &record), "MPI_Type_contiguous"));
  MPI_Type_commit(&record);
  char *all = sharing->table.part(0);
  const auto pass = [&](int code, const char *call) {
    HLC_TRY(check_mpi(code, call));
    return await(context, sharing);
  };
  Status status =
      pass(MPI_Igather(sharing->mine.data(), 1, record, all, 1, record, 0, context.comm(), sharing->requests.data()), "MPI_Igather");
  if (!failed(status) && context.member() == 0)
    status = pass(MPI_Ibcast(all, context.size(), record, 0, leaders.comm(), sharing->requests.data()), "MPI_Ibcast");
  MPI_Type_free(&record);
  HLC_TRY(agree(context, context.comm(), status));
  table = std::move(sharing->table);
  return Status::ok;
}

}  // namespace halocline
