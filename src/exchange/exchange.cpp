// Makes an exchange, and ends it.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/exchange.hpp"

#include <set>
#include <utility>

#include "engine/communicator/collective.hpp"
#include "exchange/checked_rounds.hpp"
#include "exchange/handshake.hpp"
#include "exchange/stamp.hpp"

namespace halocline::core {

Exchange::Exchange(const EngineParts &engine, Packer &owner, const Refusals &refusals)
    : owner_(owner), refusals_(refusals), channels_(plan_) {
  plan_.communicator = &engine.communicator;
  plan_.topology = &engine.communicator;
  plan_.lent_comm = engine.lent_comm;
  plan_.network = &engine.network;
  plan_.packings = &engine.packings;
  plan_.check_mailbox = engine.check_mailbox;
  plan_.times = engine.times;
  if (plan_.check_mailbox) {
    auto checked = std::make_unique<CheckedRounds>(plan_, channels_, owner);
    checked_ = checked.get();
    rounds_ = std::move(checked);
  } else {
    rounds_ = std::make_unique<Rounds>(plan_, channels_, owner);
  }
}

Exchange::~Exchange() { static_cast<void>(end(false)); }

std::vector<Part> &Exchange::parts() {
  rounds_->parts_changed();
  return plan_.parts;
}

void Exchange::set_round(bool whole, bool in_order) {
  rounds_->parts_changed();
  plan_.whole_round = whole;
  rounds_->set_order(in_order);
  if (check()) add_stamps(plan_.parts);
}

void Exchange::describe_round(const std::string &what) { rounds_->trace().describe_round(what); }

Check *Exchange::check() const { return checked_ ? checked_->check() : nullptr; }

Status Exchange::create(Options options, std::vector<Edge> edges, std::string label, int ndims) {
  plan_.ndims = ndims;
  plan_.options = std::move(options);
  plan_.edges = std::move(edges);
  plan_.copies_cells = owner_.copies_cells();
  HLC_TRY(prepare(*plan_.communicator, plan_.communicator->comm(), [this] { return make_tables(); }));
  HLC_TRY(make_comm());
  HLC_TRY(join_edges(plan_));
  HLC_TRY(owner_.met(plan_));
  if (checked_) HLC_TRY(make_check(std::move(label)));
  HLC_TRY(channels_.create());
  if (checked_ && channels_.blocks()) check()->wait_for_all_ranks();
  return agree(*plan_.communicator, plan_.comm, owner_.joined(plan_));
}

Status Exchange::make_comm() {
  plan_.comm = plan_.lent_comm;
  if (plan_.lent_comm != MPI_COMM_NULL) return Status::ok;
  return check_mpi(MPI_Comm_dup(plan_.communicator->comm(), &plan_.comm), "MPI_Comm_dup");
}

/// From here on each message is longer by its stamp.
Status Exchange::make_check(std::string label) {
  HLC_TRY(prepare(*plan_.communicator, plan_.comm, [&] {
    checked_->make_check(std::move(label));
    return Status::ok;
  }));
  return check()->create();
}

Status Exchange::make_tables() {
  const std::size_t n = plan_.edges.size();
  plan_.parts.resize(n);
  for (std::size_t e = 0; e < n; ++e) plan_.parts[e] = {plan_.edges[e].out, plan_.edges[e].in};
  rounds_->make_tables();
  return check_sizes();
}

/// All buffers of an exchange together must have a size that fits 64 bits, slots and alignment included.
Status Exchange::check_sizes() const {
  constexpr std::int64_t limit = std::int64_t{1} << 60;
  std::int64_t total = 0;
  for (const Edge &edge : plan_.edges)
    for (const std::int64_t bytes : {edge.space_in, edge.space_out}) {
      if (bytes > limit - total)
        return fail(Status::argument, "rank %d: the buffers for its %zu neighbours would be larger than %lld bytes", plan_.topology->rank(),
                    plan_.edges.size(), static_cast<long long>(limit));
      total += bytes;
    }
  return Status::ok;
}

/// If a round failed on any rank, MPI may still write into buffers of this one, and collective calls would not end. What MPI holds is then
/// leaked, not freed. Everything else is freed.
Status Exchange::end(bool others_broken) {
  if (plan_.comm == MPI_COMM_NULL) return Status::ok;
  if (others_broken) rounds_->break_up();
  if (!state().broken) static_cast<void>(rounds_->settle());
  int broken_here = state().broken ? 1 : 0;
  const Status voted = agree_on_largest(*plan_.communicator, plan_.comm, broken_here, &broken_here);
  if (!failed(voted) && !broken_here) {
    channels_.end();
    if (plan_.lent_comm == MPI_COMM_NULL) return check_mpi(MPI_Comm_free(&plan_.comm), "MPI_Comm_free");
    plan_.comm = MPI_COMM_NULL;
    return Status::ok;
  }
  rounds_->break_up();
  channels_.give_up();
  plan_.comm = MPI_COMM_NULL;
  return voted;
}

void Exchange::describe(hlc_plan_info &info) const {
  info.mode = plan_.options.mode;
  info.epoch = plan_.options.epoch;
  info.drive = plan_.options.drive;
  info.neighbours = static_cast<int>(plan_.edges.size());
  channels_.describe(info);
  for (const Edge &edge : plan_.edges) {
    info.bytes_out += check() ? payload_bytes(edge.out) : edge.out;
    info.bytes_in += check() ? payload_bytes(edge.in) : edge.in;
  }
  info.memory_bytes += static_cast<std::int64_t>(plan_.edges.size() * (sizeof(Edge) + sizeof(Part) + sizeof(int)) + sizeof(Rounds));
}

Work Exchange::work() const {
  Work work;
  std::set<int> sources, others;
  for (const Edge &edge : plan_.edges) {
    const std::int64_t bytes = check() ? payload_bytes(edge.in) : edge.in;
    work.bytes += bytes;
    others.insert(edge.rank);
    if (edge.in == 0) continue;
    sources.insert(edge.rank);
    ++work.messages;
    if (plan_.communicator->member_of(edge.rank) == kNotOnNode) work.far_bytes += bytes, ++work.far_messages;
  }
  work.neighbours = static_cast<int>(sources.size());
  work.others.assign(others.begin(), others.end());
  return work;
}

Status Exchange::bad_call(const char *call, const char *why) const {
  if (const Check *one = check()) return one->wrong_call(call, why);
  return fail(Status::state, "%s on rank %d: %s", call, plan_.topology->rank(), why);
}

}  // namespace halocline::core
