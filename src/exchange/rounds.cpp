// The steps of a round, in the order in which they happen: open, pack and send, collect, unpack, close.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/rounds.hpp"

#include <utility>

#include "engine/communicator/collective.hpp"
#include "engine/communicator/communicator.hpp"
#include "exchange/check.hpp"
#include "exchange/modes/modes.hpp"

namespace halocline::core {

// ---------------------------------------------------------------- start

Status Rounds::start() {
  return trace_.start([this] {
    if (plan_.views_out) HLC_TRY(mark_broken(arrivals_.release_views()));
    arrivals_.begin();
    plan_.state.under_way = true;
    copied_ = false;
    return send_all();
  });
}

Status Rounds::send_all() {
  for (auto &channel : channels_.all()) HLC_TRY(mark_broken(trace_.step("open", -1, [&channel] { return channel->open(); })));
  for (auto &channel : channels_.all()) {
    if (channel->packs()) HLC_TRY(mark_broken(send_edges(*channel)));
    HLC_TRY(mark_broken(channel->launched()));
    channel->wake_peers();
  }
  return Status::ok;
}

Status Rounds::send_edges(Channel &channel) {
  for (const int e : channel.edges())
    if (plan_.parts[static_cast<std::size_t>(e)].out > 0) HLC_TRY(send_edge(channel, e));
  return Status::ok;
}

Status Rounds::send_edge(Channel &channel, int e) {
  void *buffer = nullptr;
  Status status = channel.place(e, &buffer);
  if (status == Status::again) status = wait_for_place(channel, e, &buffer);
  HLC_TRY(status);
  if (buffer) trace_.quiet_step("pack", e, [this, e, buffer, &channel] { packer_->pack(e, buffer, channel.packs_past_caches()); });
  status = trace_.step("put", e, [&channel, e] { return channel.send(e); });
  return status == Status::ok ? status : channels_.name_peer(status, e);
}

/// This waits only for a peer that is two rounds behind, and only where that peer does not also send to this rank.
Status Rounds::wait_for_place(Channel &channel, int e, void **buffer) {
  const Edge &edge = plan_.edges[static_cast<std::size_t>(e)];
  trace_.begin_wait();
  const Status status = waiting_.until([&](bool *) { return channel.place(e, buffer); },
                                       [&](bool timed_out) { return waiting_.suspect_awaited(edge.rank, edge.member, timed_out); });
  trace_.end_wait(e, "wait for room");
  return status;
}

// ---------------------------------------------------------------- finish

Status Rounds::test() { return mark_broken(arrivals_.poll()); }

Status Rounds::finish_without_wait() {
  const Status tested = test();
  if (tested != Status::ok) return tested;
  return channels_.blocks() ? Status::again : finish(false);
}

Status Rounds::finish(bool waits) {
  return trace_.finish([this, waits] {
    if (!std::exchange(copied_, true)) trace_.quiet_step("copy to self", -1, [this] { owner_.copy_to_self(); });
    if (const Status completed = complete(waits); completed != Status::ok) return completed;
    owner_.end_round();
    return Status::ok;
  });
}

Status Rounds::finish_views() {
  return trace_.finish([this] {
    plan_.views_out = true;
    return complete(true);
  });
}

Status Rounds::complete(bool waits) {
  HLC_TRY(mark_broken(wait_for_all()));
  if (const Status closed = mark_broken(close(waits)); closed != Status::ok) return closed;
  plan_.state.under_way = false;
  return Status::ok;
}

Status Rounds::wait_for_all() {
  HLC_TRY(arrivals_.take_arrived());
  if (arrivals_.all_taken()) return Status::ok;
  trace_.begin_wait();
  const Status status = waiting_.until([this](bool *progress) { return arrivals_.look(progress); },
                                       [this](bool timed_out) { return suspect_missing(timed_out); });
  trace_.end_wait(-1);
  return status;
}

/// All channels are closed in every step: one that waits for its peers must not keep another from serving its own.
Status Rounds::close_each(int *rank) {
  bool waits = false;
  for (auto &channel : channels_.all()) {
    const Status closed = channel->close(rank);
    if (failed(closed)) return closed;
    waits = waits || closed == Status::again;
  }
  return waits ? Status::again : Status::ok;
}

/// Ends the round with the peers. If not waits, `again` while one needs data of this rank.
Status Rounds::close(bool waits) {
  int rank = -1;
  if (!waits) {
    channels_.wake_peers();
    return close_each(&rank);
  }
  trace_.begin_wait();
  const Status closed =
      waiting_.until([&](bool *) { return close_each(&rank); }, [&](bool timed_out) { return suspect_reader(rank, timed_out); });
  trace_.end_wait_for_readers(rank);
  HLC_TRY(closed);
  channels_.wake_peers();
  return Status::ok;
}

// ---------------------------------------------------------------- views, and the end

Status Rounds::release() {
  if (!plan_.views_out) return Status::ok;
  return trace_.release([this] {
    HLC_TRY(mark_broken(arrivals_.release_views()));
    return mark_broken(close(true));
  });
}

Status Rounds::announce_release() {
  HLC_TRY(mark_broken(arrivals_.release_shown()));
  channels_.wake_peers();
  return Status::ok;
}

Status Rounds::settle() {
  HLC_TRY(announce_release());
  plan_.views_out = false;
  for (auto &channel : channels_.all()) {
    int rank = -1;
    HLC_TRY(mark_broken(waiting_.until([&](bool *) { return channel->settle(&rank); },
                                       [&](bool timed_out) { return waiting_.check_alive(rank, kNotOnNode, timed_out); })));
  }
  return Status::ok;
}

// ---------------------------------------------------------------- failures

/// Of the ranks whose reading the end of a round waits for; below 0: the mode does not know which. Only channels that read fields name the rank
/// that they wait for. Others name any neighbour.
Status Rounds::suspect_reader(int rank, bool timed_out) {
  HLC_TRY(waiting_.suspect_all(rank, timed_out));
  if (!find_mode(plan_.options.mode)->reads_fields) return suspect_ending(true);
  return rank < 0 ? Status::ok : waiting_.suspect_awaited(rank, plan_.communicator->member_of(rank), false);
}

Status Rounds::suspect_missing(bool timed_out) {
  for (const bool late : {false, timed_out})
    for (std::size_t e = 0; e < plan_.edges.size(); ++e)
      if (arrivals_.is_missing(e)) HLC_TRY(waiting_.check_alive(plan_.edges[e].rank, plan_.edges[e].member, late));
  return suspect_ending(!channels_.knows_who());
}

/// A neighbour whose data are missing ends the plan. Where the wait may be for any neighbour, also for one that only receives, all have to end it:
/// one that does not may be late.
Status Rounds::suspect_ending(bool of_all) {
  int rank = -1;
  bool all = true;
  for (std::size_t e = 0; e < plan_.edges.size(); ++e) {
    if (!of_all && !arrivals_.is_missing(e)) continue;
    const bool ends = waiting_.ends_plan(plan_.edges[e].member);
    if (ends) rank = plan_.edges[e].rank;
    all = all && ends;
  }
  return waiting_.suspect_ending(all || !of_all ? rank : -1);
}

void Rounds::stamp(Check &check) {
  check_ = &check;
  packer_ = &check.stamped();
  arrivals_.hand_to(*packer_);
  waiting_.set_check(check);
}

/// After a failure nothing is known of what the peers hold: the exchange can only be destroyed.
Status Rounds::break_off(Status status) {
  if (status == Status::mpi) status = name_failure(*plan_.communicator, status);
  const bool notifies = check_ && !plan_.state.broken && (status == Status::rule || status == Status::memory);
  plan_.state.broken = true;
  if (notifies) check_->give_up(status);
  return status;
}

}  // namespace halocline::core
