// Opening a context: communicators, nodes (real or pretended), cores; and the register of fields in shared memory.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/context.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/environment.hpp"

namespace halocline {

namespace {

constexpr long kLongestTimeout_s = 100'000'000;                // three years
constexpr std::int64_t kLargestField = std::int64_t{1} << 48;  // the address space of one process, more or less

}  // namespace

Status agree(MPI_Comm comm, Status mine) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  int my_vote[2] = {failed(mine) ? 0 : 1, rank}, vote[2];
  HLC_TRY(check_mpi(MPI_Allreduce(my_vote, vote, 1, MPI_2INT, MPI_MINLOC, comm), "MPI_Allreduce"));
  if (vote[0] == 1) return Status::ok;

  struct {
    int status;
    char message[508];
  } news{static_cast<int>(mine), ""};
  std::strncpy(news.message, error_message().c_str(), sizeof news.message - 1);
  HLC_TRY(check_mpi(MPI_Bcast(&news, sizeof news, MPI_BYTE, vote[1], comm), "MPI_Bcast"));
  return fail(static_cast<Status>(news.status), "%s", news.message);
}

Status Context::open(MPI_Comm comm) {
  HLC_TRY(check_mpi(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup"));
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
  long timeout_s = 300;
  Status status = environment_number("TIMEOUT", timeout_s);
  timeout_ns_ = std::min(timeout_s, kLongestTimeout_s) * 1'000'000'000;
  HLC_TRY(agree(comm_, status));
  HLC_TRY(split_nodes());
  HLC_TRY(agree(comm_, count_cores()));
  return agree(comm_, Port::create(node_comm_, port_));
}

Status Context::split_nodes() {
  long pretended = 0;
  HLC_TRY(agree(comm_, environment_number("FAKE_NODES", pretended)));
  MPI_Comm shared = MPI_COMM_NULL;
  HLC_TRY(check_mpi(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &shared), "MPI_Comm_split_type"));

  // Pretended nodes cut the real ones into blocks of neighbouring ranks.
  const long blocks = pretended > 0 ? std::min<long>(pretended, size_) : 1;
  const int block = static_cast<int>(rank_ * blocks / size_);
  const Status status = check_mpi(MPI_Comm_split(shared, block, rank_, &node_comm_), "MPI_Comm_split");
  MPI_Comm_free(&shared);
  HLC_TRY(status);
  MPI_Comm_set_errhandler(node_comm_, MPI_ERRORS_RETURN);
  MPI_Comm_rank(node_comm_, &member_);
  MPI_Comm_size(node_comm_, &members_);
  MPI_Comm_group(comm_, &group_);
  MPI_Comm_group(node_comm_, &node_group_);

  // Nodes are numbered in the order of their first ranks.
  const int first = member_ == 0 ? 1 : 0;
  HLC_TRY(check_mpi(MPI_Allreduce(&first, &nodes_, 1, MPI_INT, MPI_SUM, comm_), "MPI_Allreduce"));
  HLC_TRY(check_mpi(MPI_Scan(&first, &node_, 1, MPI_INT, MPI_SUM, comm_), "MPI_Scan"));
  node_ -= 1;
  return check_mpi(MPI_Bcast(&node_, 1, MPI_INT, 0, node_comm_), "MPI_Bcast");
}

Status Context::count_cores() {
  // The union of what the ranks are bound to: a launcher may give each rank one core, or all of them all.
  cpu_set_t mine, all;
  CPU_ZERO(&mine);
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) CPU_SET(0, &mine);
  HLC_TRY(check_mpi(MPI_Allreduce(&mine, &all, sizeof mine, MPI_BYTE, MPI_BOR, node_comm_), "MPI_Allreduce"));
  cores_ = std::max(1, CPU_COUNT(&all));
  return Status::ok;
}

Context::~Context() {
  fields_.clear();
  if (group_ != MPI_GROUP_NULL) MPI_Group_free(&group_);
  if (node_group_ != MPI_GROUP_NULL) MPI_Group_free(&node_group_);
  if (node_comm_ != MPI_COMM_NULL) MPI_Comm_free(&node_comm_);
  if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

Member Context::member_of(int rank) const {
  int member = MPI_UNDEFINED;
  MPI_Group_translate_ranks(group_, 1, &rank, node_group_, &member);
  return member == MPI_UNDEFINED ? kOtherNode : member;
}

Status Context::allocate_field(std::int64_t bytes, void **data) {
  Status size = Status::ok;
  if (bytes < 0 || bytes > kLargestField) size = fail(Status::memory, "hlc_field_alloc on rank %d: bytes is larger than any memory", rank_);
  HLC_TRY(agree(comm_, size));
  Field field{next_serial_, {}, 0};
  HLC_TRY(agree(comm_, Segment::create(node_comm_, bytes, field.segment)));
  next_serial_ += 1;
  *data = field.segment.part(member_);
  const std::lock_guard lock(fields_mutex_);
  fields_.push_back(std::move(field));
  return Status::ok;
}

Status Context::release_field(void *data) {
  const std::lock_guard lock(fields_mutex_);
  const auto field = std::find_if(fields_.begin(), fields_.end(), [&](const Field &f) { return f.segment.part(member_) == data; });
  if (field == fields_.end())
    return fail(Status::argument, "hlc_field_free on rank %d: data %p does not come from hlc_field_alloc", rank_, data);
  if (field->users > 0)
    return fail(Status::state, "hlc_field_free on rank %d: data %p is still used by %d halo(s); finalise them first", rank_, data,
                field->users);
  fields_.erase(field);
  return Status::ok;
}

FieldPlace Context::find_field(const void *data, std::int64_t bytes) {
  const std::lock_guard lock(fields_mutex_);
  const auto *byte = static_cast<const char *>(data);
  for (const Field &field : fields_) {
    const char *part = field.segment.part(member_);
    if (byte >= part && byte + bytes <= part + field.segment.part_bytes(member_)) return {field.serial, byte - part};
  }
  return {};
}

Context::Field *Context::field_with(std::int64_t serial) {
  for (Field &field : fields_)
    if (field.serial == serial) return &field;
  return nullptr;
}

char *Context::field_part(std::int64_t serial, Member member) {
  const std::lock_guard lock(fields_mutex_);
  const Field *field = field_with(serial);
  return field ? field->segment.part(member) : nullptr;
}

void Context::use_field(std::int64_t serial, int change) {
  const std::lock_guard lock(fields_mutex_);
  if (Field *field = field_with(serial)) field->users += change;
}

}  // namespace halocline
