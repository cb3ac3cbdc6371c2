// Opening a context: communicators, nodes (real or pretended), cores; and the register of fields in shared memory.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/context.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/environment.hpp"
#include "base/log.hpp"
#include "base/mpi_end.hpp"
#include "base/variables.hpp"
#include "engine/collective.hpp"
#include "engine/segment.hpp"
#include "transport/shm/xpmem.hpp"

namespace halocline {

namespace {

constexpr long kLongestTimeout_s = 100'000'000;                // three years
constexpr std::size_t kLargestField = std::size_t{1} << 48;  // the address space of one process, more or less

/// A variable's value as users write it.
struct Value {
  Value(const char *name, std::int64_t value) {
    if (std::strcmp(name, "PROGRESS") == 0)
      std::snprintf(text, sizeof text, "%s", name_of(static_cast<Progress>(value)));
    else
      std::snprintf(text, sizeof text, "%lld", static_cast<long long>(value));
  }
  char text[24];
};

/// The version, and a number to raise within it with every change of what ranks send each other or find in each other's memory.
constexpr std::int64_t kBuild = ((HLC_VERSION_MAJOR * 1000LL + HLC_VERSION_MINOR) * 1000 + HLC_VERSION_PATCH) * 1000 + 2;

std::string name_of_build(std::int64_t build) {
  return std::to_string(build / 1'000'000'000) + "." + std::to_string(build / 1'000'000 % 1000) + "." +
         std::to_string(build / 1000 % 1000) + " (" + std::to_string(build % 1000) + ")";
}

/// What is set and has no effect.
void report_environment() {
  report_unknown_variables();
  if (const char *trouble = transport::shm::xpmem_trouble(); *trouble != '\0')
    report_once("xpmem", "library", "HALOCLINE_XPMEM is '%s', which cannot be used: %s", environment("XPMEM"), trouble);
}

}  // namespace

Status Context::open(MPI_Comm comm, Status mine) {
  MPI_Comm_rank(comm, &rank_);
  MPI_Comm_size(comm, &size_);
  const Call in_call(*this, CallName::init);
  const Status environment = read_environment();
  // Two meetings on the caller's communicator, because MPI_Comm_dup cannot be bounded (engine/collective.hpp).
  HLC_TRY(agree(*this, comm, mine));
  HLC_TRY(agree(*this, comm, environment));
  HLC_TRY(compare_builds(comm));
  HLC_TRY(compare_environment(comm));
  HLC_TRY(check_mpi(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup"));
  HLC_TRY(agree(*this, comm, watch_end_of_mpi()));
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  HLC_TRY(split_nodes());
  HLC_TRY(number_nodes());
  HLC_TRY(count_cores());
  HLC_TRY(open_port());
  if (rank_ == 0) report_environment();
  return open_post();
}

Status Context::read_environment() {
  long timeout_s = 300;
  const Status status = environment_number("TIMEOUT", rank_, timeout_s);
  timeout_ns_ = std::min(timeout_s, kLongestTimeout_s) * 1'000'000'000;
  HLC_TRY(status);
  HLC_TRY(environment_number("FAKE_NODES", rank_, pretended_nodes_));
  const char *check = environment("CHECK");
  if (*check != '\0' && std::strcmp(check, "0") != 0 && std::strcmp(check, "1") != 0)
    return fail(Status::argument, "hlc_init on rank %d: HALOCLINE_CHECK is '%s', it must be 0 or 1", rank_, check);
  checks_ = *check == '1' ? 1 : 0;
  return read_progress(rank_, progress_);
}

/// Hosts may have different versions installed, and ranks understand only what their own version sends.
Status Context::compare_builds(MPI_Comm comm) {
  ballot_.all[0] = kBuild;
  HLC_TRY(check_mpi(MPI_Ibcast(ballot_.all, 1, MPI_INT64_T, 0, comm, &ballot_.request), "MPI_Ibcast"));
  HLC_TRY(await(*this, 1, &ballot_.request));
  const std::int64_t first = ballot_.all[0];
  Status same = Status::ok;
  if (first != kBuild)
    same = fail(Status::mismatch, "hlc_init: rank 0 has Halocline %s, rank %d has %s; all need the same", name_of_build(first).c_str(),
                rank_, name_of_build(kBuild).c_str());
  return agree(*this, comm, same);
}

/// A launcher may hand a variable to some ranks alone, or another value of it: all ranks compare what they read with rank 0.
Status Context::compare_environment(MPI_Comm comm) {
  const char *names[] = {"TIMEOUT", "FAKE_NODES", "CHECK", "PROGRESS"};
  const std::int64_t mine[] = {timeout_ns_ / 1'000'000'000, pretended_nodes_, checks_, static_cast<std::int64_t>(progress_)};
  std::copy(std::begin(mine), std::end(mine), ballot_.all);
  HLC_TRY(check_mpi(MPI_Ibcast(ballot_.all, static_cast<int>(std::size(mine)), MPI_INT64_T, 0, comm, &ballot_.request), "MPI_Ibcast"));
  HLC_TRY(await(*this, 1, &ballot_.request));
  Status same = Status::ok;
  for (std::size_t i = 0; i < std::size(mine); ++i)
    if (mine[i] != ballot_.all[i])
      same = fail(Status::mismatch, "hlc_init: ranks disagree on HALOCLINE_%s: rank 0 has %s, rank %d has %s", names[i],
                  Value(names[i], ballot_.all[i]).text, rank_, Value(names[i], mine[i]).text);
  return agree(*this, comm, same);
}

Status Context::split_nodes() {
  MPI_Comm shared = MPI_COMM_NULL;
  HLC_TRY(check_mpi(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &shared), "MPI_Comm_split_type"));

  int here = 1;
  MPI_Comm_size(shared, &here);
  one_host_ = here == size_;
  // Pretended nodes cut the real ones into blocks of neighbouring ranks.
  const long blocks = pretended_nodes_ > 0 ? std::min<long>(pretended_nodes_, size_) : 1;
  const int block = static_cast<int>(rank_ * blocks / size_);
  const Status status = check_mpi(MPI_Comm_split(shared, block, rank_, &node_comm_), "MPI_Comm_split");
  MPI_Comm_free(&shared);
  HLC_TRY(status);
  MPI_Comm_set_errhandler(node_comm_, MPI_ERRORS_RETURN);
  MPI_Comm_rank(node_comm_, &member_);
  MPI_Comm_size(node_comm_, &members_);
  MPI_Comm_group(comm_, &group_);
  MPI_Comm_group(node_comm_, &node_group_);
  return Status::ok;
}

/// Nodes are numbered in the order of their first ranks.
Status Context::number_nodes() {
  const std::int64_t first = member_ == 0 ? 1 : 0;
  std::int64_t nodes = first, before = first;
  HLC_TRY(reduce(*this, comm_, MPI_SUM, &nodes, 1));
  ballot_.mine[0] = first;
  const Status begun = check_mpi(MPI_Iscan(ballot_.mine, ballot_.all, 1, MPI_INT64_T, MPI_SUM, comm_, &ballot_.request), "MPI_Iscan");
  if (failed(begun)) return lose(begun);
  HLC_TRY(await(*this, 1, &ballot_.request));
  before = ballot_.all[0];
  // The number of a node is that of its first rank: the smallest, because the others count no node of their own.
  HLC_TRY(reduce(*this, node_comm_, MPI_MIN, &before, 1));
  nodes_ = static_cast<int>(nodes);
  node_ = static_cast<int>(before) - 1;
  return Status::ok;
}

/// The union of what the ranks are bound to: a launcher may give each rank one core, or all of them all.
Status Context::count_cores() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  if (sched_getaffinity(0, sizeof cpus, &cpus) != 0) CPU_SET(0, &cpus);
  std::int64_t words[Ballot::kNumbers];
  static_assert(sizeof words == sizeof cpus);
  std::memcpy(words, &cpus, sizeof cpus);
  HLC_TRY(reduce(*this, node_comm_, MPI_BOR, words, Ballot::kNumbers));
  std::memcpy(&cpus, words, sizeof cpus);
  cores_ = std::max(1, CPU_COUNT(&cpus));
  return Status::ok;
}

/// All have entered their processes before anybody looks at another's.
Status Context::open_port() {
  Segment segment;
  HLC_TRY(agree(*this, comm_,
                create_segment(*this, sizeof(transport::shm::PortState), segment,
                               progress_ == Progress::helper ? ObjectFile::kept : ObjectFile::closed)));
  Port port;
  port.attach(std::move(segment), member_);
  HLC_TRY(agree(*this, comm_, Status::ok));
  port_ = std::move(port);
  return Status::ok;
}

void Context::ring_node() { port_.ring_below(members_); }

void Context::nudge() {
  network_.poll();
  if (mpi_has_ended()) return;
  int provided = MPI_THREAD_SINGLE, allowed = 1;
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_SERIALIZED) MPI_Is_thread_main(&allowed);
  if (allowed && comm_ != MPI_COMM_NULL) roll_call_.answer(comm_, call());
}

CallWord Context::enter(CallWord call) {
  const std::lock_guard lock(calls_mutex_);
  const CallWord before = std::exchange(collective_call_, call);
  tell_call();
  return before;
}

bool Context::enter_wait(CallWord wait) {
  const std::lock_guard lock(calls_mutex_);
  if (wait_.name != CallName::none) return false;
  wait_ = wait;
  tell_call();
  return true;
}

void Context::leave_wait() {
  const std::lock_guard lock(calls_mutex_);
  wait_ = {};
  tell_call();
}

/// The lock is held.
void Context::tell_call() {
  const CallWord told = collective_call_.name == CallName::none ? wait_ : collective_call_;
  call_.store(told.packed(), std::memory_order_relaxed);
  if (port_.attached()) port_.enter(told.packed());
}

Status Context::open_post() {
  if (!checks_) return Status::ok;
  if (rank_ == 0) report_once("check", "on", "HALOCLINE_CHECK=1: every swap is checked, which takes much longer than the swap");
  HLC_TRY(prepare(*this, comm_, [this] {
    post_ = std::make_unique<Post>();
    return Status::ok;
  }));
  return post_->open(comm_);
}

Status Context::lose(Status why) {
  if (lost()) return why_lost();
  why_lost_ = why;
  std::snprintf(loss_, sizeof loss_, "%s", error_message());
  return why;
}

void Context::lose_with_mpi(const char *call) {
  if (lost() && !lost_with_mpi_) return;
  why_lost_ = Status::ok;
  lost_with_mpi_ = true;
  static_cast<void>(
      lose(fail(Status::state, "%s on rank %d: MPI is not initialised any more; what it held is left as it is", call, rank_)));
}

Status Context::why_lost() const { return fail(why_lost_, "%s", loss_); }

void Context::give_up() {
  const std::lock_guard lock(fields_mutex_);
  fields_.clear();
  network_.close();
  port_ = Port();
  comm_ = node_comm_ = MPI_COMM_NULL;
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

int Context::rank_of(Member member) const {
  int rank = MPI_UNDEFINED;
  MPI_Group_translate_ranks(node_group_, 1, &member, group_, &rank);
  return rank;
}

Status Context::allocate_field(std::size_t bytes, void **data, Pages pages) {
  std::list<Field> made;
  const Call in_call(*this, CallName::field_alloc);
  HLC_TRY(meet(*this, alone(*this, [&] {
    if (!data) return fail(Status::argument, "hlc_field_alloc on rank %d: data is NULL", rank_);
    if (bytes > kLargestField) return fail(Status::memory, "hlc_field_alloc on rank %d: bytes is %zu, which no memory has", rank_, bytes);
    made.push_back({next_serial_, static_cast<std::int64_t>(bytes), {}, 0});
    return Status::ok;
  })));
  HLC_TRY(agree(*this, comm_, create_segment(*this, static_cast<std::int64_t>(bytes), made.front().segment, ObjectFile::closed, pages)));
  next_serial_ += 1;
  *data = made.front().segment.part(member_);
  const std::lock_guard lock(fields_mutex_);
  fields_.splice(fields_.end(), made);
  return Status::ok;
}

Status Context::release_field(void *data) {
  const std::lock_guard lock(fields_mutex_);
  const auto field = std::find_if(fields_.begin(), fields_.end(), [&](const Field &f) { return f.segment.part(member_) == data; });
  if (field == fields_.end())
    return fail(Status::argument, "hlc_field_free on rank %d: data %p does not come from hlc_field_alloc", rank_, data);
  if (field->users > 0)
    return fail(Status::state, "hlc_field_free on rank %d: data %p is still used by %d halo(s) or running reductions; end them first",
                rank_, data, field->users);
  fields_.erase(field);
  return Status::ok;
}

FieldPlace Context::find_field(const void *data, std::int64_t bytes) {
  const FieldPlace found = hold_field(data, bytes);
  if (found.serial >= 0) use_field(found.serial, -1);
  return found;
}

std::int64_t Context::field_room(const void *data) {
  const std::lock_guard lock(fields_mutex_);
  const auto *byte = static_cast<const char *>(data);
  for (const Field &field : fields_) {
    const char *part = field.segment.part(member_);
    if (byte >= part && byte < part + field.segment.part_bytes(member_)) return std::max<std::int64_t>(0, part + field.bytes - byte);
  }
  return kNoField;
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

FieldPlace Context::hold_field(const void *data, std::int64_t bytes) {
  const std::lock_guard lock(fields_mutex_);
  const auto *byte = static_cast<const char *>(data);
  for (Field &field : fields_) {
    const char *part = field.segment.part(member_);
    if (byte < part || byte + bytes > part + field.segment.part_bytes(member_)) continue;
    field.users += 1;
    return {field.serial, byte - part};
  }
  return {};
}

char *Context::borrow_field(std::int64_t serial, Member member) {
  const std::lock_guard lock(fields_mutex_);
  Field *field = field_with(serial);
  if (!field) return nullptr;
  field->users += 1;
  return field->segment.part(member);
}

void Context::use_field(std::int64_t serial, int change) {
  const std::lock_guard lock(fields_mutex_);
  if (Field *field = field_with(serial)) field->users += change;
}

}  // namespace halocline
