// The steps of a round, in the order in which they happen: open, pack and send, collect, unpack, close.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/rounds.hpp"

#include <utility>

#include "engine/communicator/collective.hpp"

namespace halocline {

void Rounds::make_tables() {
  const std::size_t n = plan_.edges.size();
  came_.assign(n, 0);
  awaited_.assign(n, false);
  early_.reserve(n);
  shown_.reserve(n);
}

/// What does not change from round to round while the parts stay the same.
void Rounds::arrange() {
  awaited_edges_ = 0;
  for (std::size_t e = 0; e < awaited_.size(); ++e) {
    awaited_[e] = plan_.parts[e].in > 0;
    awaited_edges_ += awaited_[e] ? 1 : 0;
  }
  for (auto &leg : legs_.all()) leg->parts_changed();
  arranged_ = true;
}

void Rounds::begin() {
  if (!arranged_) arrange();
  in_flight_ = true;
  copied_ = false;
  round_ += 1;
  next_ = 0;
  left_ = missing_ = awaited_edges_;
}

// ---------------------------------------------------------------- start

Status Rounds::start() {
  if (plan_.views_out) HLC_TRY(mark_broken(give_back()));
  begin();
  for (auto &leg : legs_.all()) HLC_TRY(mark_broken(leg->open()));
  for (auto &leg : legs_.all()) {
    if (leg->packs()) HLC_TRY(mark_broken(send_edges(*leg)));
    HLC_TRY(mark_broken(leg->launched()));
    leg->wake_peers();
  }
  return Status::ok;
}

Status Rounds::send_edges(Leg &leg) {
  for (const int e : leg.edges())
    if (plan_.parts[static_cast<std::size_t>(e)].out > 0) HLC_TRY(send_edge(leg, e));
  return Status::ok;
}

Status Rounds::send_edge(Leg &leg, int e) {
  void *buffer = nullptr;
  Status status = leg.place(e, &buffer);
  if (status == Status::again) status = wait_for_place(leg, e, &buffer);
  HLC_TRY(status);
  if (buffer) cargo_->pack(e, buffer, leg.packs_past_caches());
  status = leg.send(e);
  return status == Status::ok ? status : name_peer(status, e);
}

/// Only a peer that is two rounds behind makes me wait here, and only where it does not also send to me.
Status Rounds::wait_for_place(Leg &leg, int e, void **buffer) {
  const Edge &edge = plan_.edges[static_cast<std::size_t>(e)];
  return waiting_.until([&](bool *) { return leg.place(e, buffer); },
                        [&](bool timed_out) { return waiting_.suspect_rank(edge.rank, edge.member, timed_out); });
}

// ---------------------------------------------------------------- test

Status Rounds::test() {
  if (legs_.blocks()) return missing_ > 0 ? Status::again : Status::ok;
  bool progress = true;
  const auto keep = [this](Leg &, Edges come) {
    if (!in_order_) early_.insert(early_.end(), come.begin(), come.end());
    return Status::ok;
  };
  while (missing_ > 0 && progress) HLC_TRY(mark_broken(collect(&progress, keep)));
  return missing_ > 0 ? Status::again : Status::ok;
}

/// Asks each leg once, without waiting, and hands on what has come.
template <class Take>
Status Rounds::collect(bool *progress, Take take_come) {
  *progress = false;
  for (auto &leg : legs_.all()) {
    Edges come;
    const Status status = leg->poll_several(&come);
    if (status == Status::again) continue;
    HLC_TRY(name_peer(status, come.empty() ? -1 : come.front()));
    for (const int e : come) came_[static_cast<std::size_t>(e)] = round_;
    missing_ -= static_cast<int>(come.size());
    *progress = true;
    HLC_TRY(take_come(*leg, come));
  }
  return Status::ok;
}

// ---------------------------------------------------------------- finish

Status Rounds::finish(bool waits) {
  if (!std::exchange(copied_, true)) owner_.copy_to_myself();
  if (const Status completed = complete(waits); completed != Status::ok) return completed;
  owner_.end_round();
  return Status::ok;
}

Status Rounds::finish_views() {
  plan_.views_out = true;
  return complete(true);
}

Status Rounds::complete(bool waits) {
  HLC_TRY(mark_broken(wait_for_all()));
  if (const Status closed = mark_broken(close(waits)); closed != Status::ok) return closed;
  in_flight_ = false;
  return Status::ok;
}

Status Rounds::wait_for_all() {
  HLC_TRY(in_order_ ? take_in_order() : take_early());
  if (left_ == 0) return Status::ok;
  return waiting_.until([this](bool *progress) { return look(progress); }, [this](bool timed_out) { return suspect_missing(timed_out); });
}

/// Unpacks what has come; ok once that is everything.
Status Rounds::look(bool *progress) {
  HLC_TRY(collect(progress, [this](Leg &from, Edges come) { return in_order_ ? Status::ok : take(from, come); }));
  if (in_order_ && *progress) HLC_TRY(take_in_order());
  return left_ == 0 ? Status::ok : Status::again;
}

/// Hands the cargo what has come over edges of one leg: to unpack, to copy from the neighbour, or to be read where it lies.
Status Rounds::take(Leg &from, Edges edges) {
  left_ -= static_cast<int>(edges.size());
  if (!plan_.places.empty() && !from.packs()) HLC_TRY(find(from, edges));
  if (plan_.views_out) {
    show(from, edges);
    return Status::ok;
  }
  if (!from.packs()) {
    cargo_->pull_several(edges);
    return from.release_several(edges);
  }
  for (const int e : edges) {
    cargo_->unpack(e, from.arrived(e));
    HLC_TRY(from.release(e));
  }
  return Status::ok;
}

Status Rounds::find(const Leg &from, Edges edges) {
  for (const int e : edges) HLC_TRY(cargo_->found(e, from.places(e)));
  return Status::ok;
}

void Rounds::show(Leg &from, Edges edges) {
  for (const int e : edges) {
    cargo_->show(e, from.arrived(e));
    shown_.push_back(e);
  }
}

/// What came before finish. Edges that came one after the other over the same leg are taken together.
Status Rounds::take_early() {
  const Edges come = early_;
  for (std::size_t first = 0, end = 0; first < come.size(); first = end) {
    Leg &from = legs_.of(come[first]);
    while (end < come.size() && &legs_.of(come[end]) == &from) ++end;
    HLC_TRY(take(from, come.subspan(first, end - first)));
  }
  early_.clear();
  return Status::ok;
}

/// As far as the edges have come.
Status Rounds::take_in_order() {
  for (; next_ < static_cast<int>(came_.size()); ++next_) {
    const auto e = static_cast<std::size_t>(next_);
    if (!awaited_[e]) continue;
    if (came_[e] != round_) return Status::ok;
    HLC_TRY(take(legs_.of(next_), {&next_, 1}));
  }
  return Status::ok;
}

/// All legs are asked in every step: one that waits for its peers must not keep another from serving its own.
Status Rounds::close_each(int *rank) {
  bool waits = false;
  for (auto &leg : legs_.all()) {
    const Status closed = leg->close(rank);
    if (failed(closed)) return closed;
    waits = waits || closed == Status::again;
  }
  return waits ? Status::again : Status::ok;
}

/// Ends the round with the peers; `again` while one needs something of mine, unless this waits.
Status Rounds::close(bool waits) {
  int rank = -1;
  if (!waits) {
    legs_.wake_peers();
    return close_each(&rank);
  }
  HLC_TRY(waiting_.until([&](bool *) { return close_each(&rank); }, [&](bool timed_out) { return waiting_.suspect_all(rank, timed_out); }));
  legs_.wake_peers();
  return Status::ok;
}

// ---------------------------------------------------------------- views, and the end

/// What was shown may be overwritten by those whose it is.
Status Rounds::give_back() {
  for (const int e : shown_) HLC_TRY(legs_.of(e).release(e));
  shown_.clear();
  plan_.views_out = false;
  return Status::ok;
}

Status Rounds::release() {
  if (!plan_.views_out) return Status::ok;
  HLC_TRY(mark_broken(give_back()));
  return mark_broken(close(true));
}

Status Rounds::settle() {
  HLC_TRY(mark_broken(give_back()));
  legs_.wake_peers();
  for (auto &leg : legs_.all()) {
    int rank = -1;
    HLC_TRY(mark_broken(waiting_.until([&](bool *) { return leg->settle(&rank); },
                                       [&](bool timed_out) { return waiting_.suspect_rank(rank, kOtherNode, timed_out); })));
  }
  return Status::ok;
}

// ---------------------------------------------------------------- failures

Status Rounds::suspect_missing(bool timed_out) {
  for (const bool late : {false, timed_out})
    for (std::size_t e = 0; e < came_.size(); ++e)
      if (awaited_[e] && came_[e] != round_) HLC_TRY(waiting_.suspect_rank(plan_.edges[e].rank, plan_.edges[e].member, late));
  return Status::ok;
}

/// MPI knows its call and not the neighbour: a failure of it becomes one that names both. An edge below 0: nobody knows which.
Status Rounds::name_peer(Status status, int e) const {
  if (status != Status::mpi || e < 0) return status;
  const int rank = plan_.edges[static_cast<std::size_t>(e)].rank;
  const char *host = plan_.other_host(rank);
  return fail(status, "rank %d cannot reach rank %d%s%s: %s", plan_.context->rank(), rank, host ? " on host " : "", host ? host : "",
              error_message());
}

/// After a failure nothing is known of what the peers hold: the exchange can only be destroyed.
Status Rounds::break_off(Status status) {
  if (status == Status::mpi) status = blame(*plan_.context, status);
  const bool tell = check_ && !broken_ && (status == Status::rule || status == Status::memory);
  broken_ = true;
  if (tell) check_->give_up(status);
  return status;
}

}  // namespace halocline
