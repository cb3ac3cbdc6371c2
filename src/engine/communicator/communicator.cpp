// The lost state of a communicator, waking the node's ranks, and translating between ranks and members.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/communicator/communicator.hpp"

#include <cstdio>

#include "base/clock.hpp"
#include "base/mpi_end.hpp"
#include "trace/trace.hpp"

namespace halocline::core {

Status LostState::lose(Status why) {
  if (lost()) return why_lost();
  why_ = why;
  std::snprintf(message_, sizeof message_, "%s", error_message());
  return why;
}

void LostState::lose_with_mpi(const char *call, int rank) {
  if (lost() && !with_mpi_) return;
  why_ = Status::ok;
  with_mpi_ = true;
  static_cast<void>(lose(fail(Status::state, "%s on rank %d: MPI has been finalised; its resources are leaked", call, rank)));
}

Status LostState::why_lost() const { return fail(why_, "%s", message_); }

void Communicator::drive_progress() {
  if (RemoteProgress *network = remote()) network->poll();
  if (mpi_has_ended()) return;
  int provided = MPI_THREAD_SINGLE, allowed = 1;
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_SERIALIZED) MPI_Is_thread_main(&allowed);
  if (allowed && comm_ != MPI_COMM_NULL) roll_call_.answer(comm_, call());
}

void Communicator::ring_waiters() {
  if (shared_.load(std::memory_order_relaxed) == 0)
    doorbell_.ring(member());
  else
    ring_node();
}

void Communicator::abandon() {
  doorbell_ = Doorbell();
  comm_ = node_comm_ = MPI_COMM_NULL;
}

Communicator::~Communicator() {
  if (group_ != MPI_GROUP_NULL) MPI_Group_free(&group_);
  if (node_group_ != MPI_GROUP_NULL) MPI_Group_free(&node_group_);
  if (node_comm_ != MPI_COMM_NULL) MPI_Comm_free(&node_comm_);
  if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

Member Communicator::member_of(int rank) const {
  int member = MPI_UNDEFINED;
  MPI_Group_translate_ranks(group_, 1, &rank, node_group_, &member);
  return member == MPI_UNDEFINED ? kNotOnNode : member;
}

int Communicator::find_dead() const {
  for (Member member = 0; doorbell_.attached() && member < members(); ++member)
    if (!doorbell_.alive(member)) return rank_of(member);
  return -1;
}

int Communicator::rank_of(Member member) const {
  int rank = MPI_UNDEFINED;
  MPI_Group_translate_ranks(node_group_, 1, &member, group_, &rank);
  return rank;
}

Call::Call(Communicator &communicator, CallName name, std::int64_t plan)
    : communicator_(communicator), mine_{name, plan}, before_(communicator.calls().enter(mine_)), begun_ns_(now_ns()) {
  communicator.calls().begin(begun_ns_);
}

Call::~Call() {
  static_cast<void>(communicator_.calls().enter(before_));
  if (trace::is_on()) record();
}

/// Only the outermost has a time of its own.
void Call::record() const {
  if (before_.name != CallName::none) return;
  trace::Event event{name_of(mine_.name), "collective"};
  event.begin_ns = begun_ns_;
  event.end_ns = now_ns();
  event.rank = communicator_.in_world(communicator_.rank());
  event.context = communicator_.number();
  event.plan = mine_.plan;
  trace::record(event);
}

PlanCall::PlanCall(const Communicator &communicator, const char *name) {
  const CallWord call = communicator.call();
  if (name && *name)
    std::snprintf(text, sizeof text, "%s of plan '%s'", name_of(call.name), name);
  else
    call.write(text, sizeof text);
}

}  // namespace halocline::core
