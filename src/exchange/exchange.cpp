// The steps of a round, in the order in which they happen: open, pack and send, collect, unpack, close.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/exchange.hpp"

#include <utility>

#include "base/log.hpp"
#include "exchange/handshake.hpp"
#include "exchange/modes/modes.hpp"

namespace halocline {
namespace {

/// What a peer does at the same time is there within so many looks: about a microsecond, less than it takes to prepare a wait.
constexpr int kFirstLooks = 32;

}  // namespace

Status Exchange::create(Options options, std::vector<Edge> edges, std::string label, int ndims) {
  Context &context = *plan_.context;
  plan_.ndims = ndims;
  plan_.serial = context.next_plan() - 1;
  plan_.options = std::move(options);
  plan_.edges = std::move(edges);
  plan_.copies_cells = cargo_->copies_cells();
  HLC_TRY(prepare(context, context.comm(), [this] { return make_tables(); }));
  HLC_TRY(check_mpi(MPI_Comm_dup(context.comm(), &plan_.comm), "MPI_Comm_dup"));
  HLC_TRY(join_edges(plan_));
  if (context.post()) HLC_TRY(make_check(std::move(label)));
  HLC_TRY(make_legs());
  HLC_TRY(report_detours());
  return agree(context, plan_.comm, cargo_->joined(plan_));
}

/// From here on the cargo is the stamped one, and each message longer by its stamp.
Status Exchange::make_check(std::string label) {
  HLC_TRY(prepare(*plan_.context, plan_.comm, [&] {
    check_ = std::make_unique<Check>(plan_, *cargo_, std::move(label));
    return Status::ok;
  }));
  cargo_ = &check_->stamped();
  return check_->create();
}

Status Exchange::make_tables() {
  const std::size_t n = plan_.edges.size();
  plan_.parts.resize(n);
  for (std::size_t e = 0; e < n; ++e) plan_.parts[e] = {plan_.edges[e].out, plan_.edges[e].in};
  came_.assign(n, 0);
  awaited_.assign(n, false);
  early_.reserve(n);
  shown_.reserve(n);
  leg_of_.assign(n, 0);
  return check_sizes();
}

/// All buffers of an exchange together must have a size that fits 64 bits, slots and alignment included.
Status Exchange::check_sizes() const {
  constexpr std::int64_t limit = std::int64_t{1} << 60;
  std::int64_t total = 0;
  for (const Edge &edge : plan_.edges)
    for (const std::int64_t bytes : {edge.space_in, edge.space_out}) {
      if (bytes > limit - total)
        return fail(Status::argument, "rank %d: the buffers for its %zu neighbours would be larger than %lld bytes", plan_.context->rank(),
                    plan_.edges.size(), static_cast<long long>(limit));
      total += bytes;
    }
  return Status::ok;
}

/// If a round failed on any rank, MPI may still write into buffers of this one, and what is collective would not end: whatever MPI
/// holds is given up, not freed. Everything else goes.
Status Exchange::end(bool others_broken) {
  if (plan_.comm == MPI_COMM_NULL) return Status::ok;
  broken_ = broken_ || others_broken;
  if (!broken_) static_cast<void>(settle());
  int broken = broken_ ? 1 : 0;
  const Status voted = vote(*plan_.context, plan_.comm, broken, &broken);
  if (!failed(voted) && !broken) {
    legs_.clear();
    return check_mpi(MPI_Comm_free(&plan_.comm), "MPI_Comm_free");
  }
  for (auto &leg : legs_) {
    if (!leg->outlives_failure()) continue;
    leg->let_go();
    keep_for_ever(std::move(leg));
  }
  legs_.clear();
  plan_.comm = MPI_COMM_NULL;
  return voted;
}

/// Waits until the legs may go.
Status Exchange::settle() {
  HLC_TRY(mark_broken(give_back()));
  for (auto &leg : legs_) leg->wake_peers();
  for (auto &leg : legs_) {
    int rank = -1;
    HLC_TRY(mark_broken(
        wait_until([&](bool *) { return leg->settle(&rank); }, [&](bool timed_out) { return suspect_rank(rank, kOtherNode, timed_out); })));
  }
  return Status::ok;
}

/// The one routing decision: read directly, write through the node's memory, or hand to MPI. Every rank makes the same legs, in the same
/// order, because making one is collective; a rank may have no edges in it. A leg in which no rank has an edge is not made.
Status Exchange::make_legs() {
  const ModeRow &mode = *find_mode(plan_.options.mode);
  std::vector<int> direct, near, far;
  HLC_TRY(prepare(*plan_.context, plan_.comm, [&] {
    for (std::size_t e = 0; e < plan_.edges.size(); ++e) {
      const Edge &edge = plan_.edges[e];
      const bool same_node = edge.member != kOtherNode;
      const bool readable = mode.reads_fields && edge.readable && edge.peer_readable;
      (same_node || !mode.make_far ? (readable ? direct : near) : far).push_back(static_cast<int>(e));
    }
    return Status::ok;
  }));
  if (!mode.make_far) return add_leg(mode.make, near, &hlc_plan_info::via_mpi);
  std::int64_t used[] = {!direct.empty(), !near.empty(), !far.empty()};
  HLC_TRY(reduce(*plan_.context, plan_.comm, MPI_MAX, used, 3));
  if (used[0]) HLC_TRY(add_leg(mode.make, direct, &hlc_plan_info::via_direct));
  if (used[1]) HLC_TRY(add_leg(mode.reads_fields ? make_notify : mode.make, near, &hlc_plan_info::via_notify));
  return used[2] ? make_far_leg(far) : Status::ok;
}

/// Where no rank has a neighbour on another node, no network is opened.
Status Exchange::make_far_leg(const std::vector<int> &far) {
  const ModeRow &mode = *find_mode(plan_.options.mode);
  const Status opened = plan_.context->network().open();
  if (opened == Status::ok) return add_leg(mode.make_far, far, &hlc_plan_info::via_network);
  if (opened != Status::unsupported) return opened;
  return add_leg(mode.make_without_network, far, &hlc_plan_info::via_mpi);
}

/// Says once what the mode was asked for and cannot do here: links to other nodes, fields that cannot be read.
Status Exchange::report_detours() const {
  const ModeRow &mode = *find_mode(plan_.options.mode);
  hlc_plan_info info{};
  describe(info);
  // Mode notify_node does not promise it, and nobody has asked it of an exchange whose mode is the default.
  const bool reads = mode.reads_fields && mode.mode != HLC_MODE_NOTIFY_NODE && plan_.options.says_detours;
  std::int64_t links[3] = {info.neighbours, mode.make_far ? info.via_mpi : 0, reads ? info.via_notify : 0};
  HLC_TRY(reduce(*plan_.context, plan_.comm, MPI_SUM, links, 3));
  if (plan_.context->rank() != 0) return Status::ok;
  const auto all = static_cast<long long>(links[0]), far = static_cast<long long>(links[1]), unread = static_cast<long long>(links[2]);
  if (far > 0)
    report_once(mode.name, "between nodes", "mode %s: %lld of %lld links between neighbours lead to another node and go over MPI: %s",
                mode.name, far, all, plan_.context->network().description());
  if (unread > 0)
    report_once(
        mode.name, "without fields",
        "mode %s: %lld of %lld links between neighbours go as notify: not both sides have their data in memory from hlc_field_alloc "
        "(an exchange never has)",
        mode.name, unread, all);
  return Status::ok;
}

Status Exchange::add_leg(MakeLeg make, const std::vector<int> &edges, int hlc_plan_info::*route) {
  HLC_TRY(prepare(*plan_.context, plan_.comm, [&] {
    for (const int e : edges) leg_of_[static_cast<std::size_t>(e)] = legs_.size();
    routes_.push_back(route);
    legs_.push_back(make(plan_, edges));
    return Status::ok;
  }));
  Leg &leg = *legs_.back();
  HLC_TRY(agree(*plan_.context, plan_.comm, leg.create()));
  if (!edges.empty() && leg.wake_up() == WakeUp::by_polling) wake_up_ = WakeUp::by_polling;
  knows_who_ = knows_who_ && leg.knows_who();
  if (check_) wake_up_ = WakeUp::by_polling;  // nobody rings for a card
  if (check_ && leg.poll_blocks()) check_->wait_for_all_ranks();
  return Status::ok;
}

void Exchange::describe(hlc_plan_info &info) const {
  info.mode = plan_.options.mode;
  info.epoch = plan_.options.epoch;
  info.drive = plan_.options.drive;
  info.neighbours = static_cast<int>(plan_.edges.size());
  for (std::size_t i = 0; i < legs_.size(); ++i) {
    info.*routes_[i] += static_cast<int>(legs_[i]->edges().size());
    info.memory_bytes += legs_[i]->memory_bytes();
    info.network_writes += legs_[i]->network_writes();
  }
  for (const Edge &edge : plan_.edges) {
    info.bytes_out += check_ ? payload_bytes(edge.out) : edge.out;
    info.bytes_in += check_ ? payload_bytes(edge.in) : edge.in;
  }
  info.memory_bytes += static_cast<std::int64_t>(plan_.edges.size() * (sizeof(Edge) + sizeof(Part) + sizeof(int)));
}

/// What does not change from round to round while the parts stay the same.
void Exchange::arrange() {
  awaited_edges_ = 0;
  for (std::size_t e = 0; e < awaited_.size(); ++e) {
    awaited_[e] = plan_.parts[e].in > 0;
    awaited_edges_ += awaited_[e] ? 1 : 0;
  }
  for (auto &leg : legs_) leg->parts_changed();
  arranged_ = true;
}

Status Exchange::bad_call(const char *call, const char *why) const {
  if (check_) return check_->wrong_call(call, why);
  return fail(Status::state, "%s on rank %d: %s", call, plan_.context->rank(), why);
}

void Exchange::begin_round() {
  if (!arranged_) arrange();
  in_flight_ = true;
  copied_ = announced_ = false;
  looked_ = Status::ok;
  round_ += 1;
  next_ = 0;
  left_ = missing_ = awaited_edges_;
}

Status Exchange::launch() {
  if (plan_.views_out) HLC_TRY(mark_broken(give_back()));
  begin_round();
  for (auto &leg : legs_) HLC_TRY(mark_broken(leg->open()));
  for (auto &leg : legs_) {
    if (leg->packs()) HLC_TRY(mark_broken(send_edges(*leg)));
    HLC_TRY(mark_broken(leg->launched()));
    leg->wake_peers();
  }
  return Status::ok;
}

Status Exchange::test() { return check_ ? test_checked() : test_unchecked(); }

Status Exchange::test_unchecked() {
  for (const auto &leg : legs_)
    if (leg->poll_blocks()) return missing_ > 0 ? Status::again : Status::ok;
  bool progress = true;
  const auto keep = [this](Leg &, Edges come) {
    if (!in_order_) early_.insert(early_.end(), come.begin(), come.end());
    return Status::ok;
  };
  while (missing_ > 0 && progress) HLC_TRY(mark_broken(collect(&progress, keep)));
  return missing_ > 0 ? Status::again : Status::ok;
}

Status Exchange::finish() { return check_ ? finish_checked() : deliver(); }

Status Exchange::try_finish() {
  const Status tested = test();
  if (tested != Status::ok) return tested;
  for (const auto &leg : legs_)
    if (leg->poll_blocks()) return Status::again;
  return check_ ? try_finish_checked() : try_deliver();
}

/// All has come.
Status Exchange::try_deliver() {
  if (!std::exchange(copied_, true)) owner_.copy_to_myself();
  HLC_TRY(mark_broken(in_order_ ? take_in_order() : take_early()));
  for (auto &leg : legs_) leg->wake_peers();
  int rank = -1;
  const Status closed = mark_broken(close_each(&rank));
  if (closed != Status::ok) return closed;
  in_flight_ = false;
  owner_.end_round();
  return Status::ok;
}

Status Exchange::deliver() {
  if (!std::exchange(copied_, true)) owner_.copy_to_myself();
  HLC_TRY(complete());
  owner_.end_round();
  return Status::ok;
}

Status Exchange::complete() {
  HLC_TRY(mark_broken(wait_for_all()));
  HLC_TRY(mark_broken(close_all()));
  in_flight_ = false;
  return Status::ok;
}

Status Exchange::finish_views() {
  plan_.views_out = true;
  return complete();
}

Status Exchange::release() {
  if (!plan_.views_out) return Status::ok;
  HLC_TRY(mark_broken(give_back()));
  return mark_broken(close_all());
}

/// Does a part of a checked round. If memory runs out in it, nobody knows which cards and letters are lost: the round is over.
template <class Part>
Status Exchange::in_round(Part part) {
  const Status status = alone(*plan_.context, part);
  return status == Status::memory ? mark_broken(check_->no_memory()) : status;
}

Status Exchange::start_checked(const RoundCard &card) {
  return in_round([&] {
    HLC_TRY(mark_broken(check_->start(card)));
    return launch();
  });
}

Status Exchange::test_checked() {
  return in_round([this] {
    const Status started = mark_broken(check_->all_started());
    return started == Status::ok ? test_unchecked() : started;
  });
}

/// As finish, between looks at what must not have changed and at what was delivered.
Status Exchange::finish_checked() {
  return in_round([this] {
    HLC_TRY(announce_finish(true));
    HLC_TRY(meet());
    look_before_delivery();
    HLC_TRY(deliver());
    return look_after_delivery();
  });
}

Status Exchange::try_finish_checked() {
  return in_round([this] {
    HLC_TRY(announce_finish(false));
    const Status met = mark_broken(check_->meet(false));
    if (met != Status::ok) return met;
    look_before_delivery();
    const Status delivered = try_deliver();
    return delivered == Status::ok ? look_after_delivery() : delivered;
  });
}

/// Once in a round.
Status Exchange::announce_finish(bool waits) {
  if (std::exchange(announced_, true)) return Status::ok;
  if (Looks *const looks = owner_.looks()) looks->before_finish();
  return mark_broken(check_->announce_finish(waits));
}

/// The neighbours may wait inside MPI from here on: they get their part, whether mine can be checked or not.
void Exchange::look_before_delivery() {
  Looks *const looks = owner_.looks();
  if (!looks || copied_) return;
  looked_ = alone(*plan_.context, [looks] {
    looks->before_delivery();
    return Status::ok;
  });
}

Status Exchange::look_after_delivery() {
  HLC_TRY(looked_);
  if (Looks *const looks = owner_.looks()) looks->after_finish();
  return check_->verdict();
}

/// Waits until all neighbours have started the same and have come to finish it. No data have been touched by then.
Status Exchange::meet() {
  return mark_broken(wait_until([&](bool *) { return check_->meet(true); }, [&](bool timed_out) { return suspect_peers(timed_out); }));
}

/// Asks each leg once, without waiting, and hands on what has come.
template <class Take>
Status Exchange::collect(bool *progress, Take take_come) {
  *progress = false;
  for (auto &leg : legs_) {
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

/// Hands the cargo what has come over edges of one leg: to unpack, to copy from the neighbour, or to be read where it lies.
Status Exchange::take(Leg &from, Edges edges) {
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

Status Exchange::find(const Leg &from, Edges edges) {
  for (const int e : edges) HLC_TRY(cargo_->found(e, from.places(e)));
  return Status::ok;
}

void Exchange::show(Leg &from, Edges edges) {
  for (const int e : edges) {
    cargo_->show(e, from.arrived(e));
    shown_.push_back(e);
  }
}

/// What was shown may be overwritten by those whose it is.
Status Exchange::give_back() {
  for (const int e : shown_) HLC_TRY(leg(e).release(e));
  shown_.clear();
  plan_.views_out = false;
  return Status::ok;
}

/// What came before finish. Edges that came one after the other over the same leg are taken together.
Status Exchange::take_early() {
  const Edges come = early_;
  for (std::size_t first = 0, end = 0; first < come.size(); first = end) {
    Leg &from = leg(come[first]);
    while (end < come.size() && &leg(come[end]) == &from) ++end;
    HLC_TRY(take(from, come.subspan(first, end - first)));
  }
  early_.clear();
  return Status::ok;
}

/// As far as the edges have come.
Status Exchange::take_in_order() {
  for (; next_ < static_cast<int>(came_.size()); ++next_) {
    const auto e = static_cast<std::size_t>(next_);
    if (!awaited_[e]) continue;
    if (came_[e] != round_) return Status::ok;
    HLC_TRY(take(leg(next_), {&next_, 1}));
  }
  return Status::ok;
}

/// Repeats a step until it no longer answers `again`. A step says through `progress` that it has moved on, which makes the waiting short again. Now
/// and then suspect is asked whether there is still hope; what a peer did before it died counts, so the step is tried once more before the verdict.
template <class Step, class Suspect>
Status Exchange::wait_until(Step step, Suspect suspect) {
  bool progress = false;
  for (auto &leg : legs_) leg->wake_peers();
  for (int looks = plan_.context->core_per_rank() ? kFirstLooks : 1; looks > 0; --looks) {
    const Status status = step(&progress);
    if (status != Status::again) return status;
    cpu_pause();
  }
  Wait wait(*plan_.context, wake_up_, {CallName::swap, plan_.serial});
  while (true) {
    for (auto &leg : legs_) leg->wake_peers();
    const bool ask = wait.pause() == Wait::Turn::check_peers;
    const Status verdict = ask ? judge(suspect, wait.timed_out()) : Status::ok;
    progress = false;
    const Status status = step(&progress);
    if (status != Status::again) return status;
    if (progress) wait.progress();
    if (progress || !failed(verdict)) continue;
    for (auto &leg : legs_)
      if (dead_ >= 0) leg->tell_lost(dead_);
    return verdict;
  }
}

/// Ok while there is hope.
template <class Suspect>
Status Exchange::judge(Suspect suspect, bool timed_out) {
  if (check_) HLC_TRY(check_->still_wanted());
  HLC_TRY(look_for_lost());
  HLC_TRY(suspect_partners());
  return suspect(timed_out);
}
/// What other ranks have found out.
Status Exchange::look_for_lost() {
  for (auto &leg : legs_) HLC_TRY(leg->look_for_lost());
  return Status::ok;
}

/// MPI knows its call and not the neighbour: a failure of it becomes one that names both. An edge below 0: nobody knows which.
Status Exchange::name_peer(Status status, int e) const {
  if (status != Status::mpi || e < 0) return status;
  const int rank = plan_.edges[static_cast<std::size_t>(e)].rank;
  const char *host = plan_.other_host(rank);
  return fail(status, "rank %d cannot reach rank %d%s%s: %s", plan_.context->rank(), rank, host ? " on host " : "", host ? host : "",
              error_message());
}

/// In which call a rank of this node is, in brackets; nothing of others.
std::string Exchange::where(int rank) const {
  const Context &context = *plan_.context;
  const Member member = rank < 0 ? kOtherNode : context.member_of(rank);
  return member == kOtherNode ? "" : " (in " + context.call_of(member).text() + ")";
}

/// "a swap of plan 'flow'", of a plan without a name "a swap of plan 2".
std::string Exchange::swap_text() const {
  const std::string &name = plan_.options.name;
  return name.empty() ? CallWord{CallName::swap, plan_.serial}.text() : "a swap of plan '" + name + "'";
}

Status Exchange::suspect_rank(int rank, Member member, bool timed_out) {
  const Context &context = *plan_.context;
  if (member != kOtherNode && !plan_.context->port().alive(member)) {
    dead_ = rank;
    return fail(Status::peer_died, "%s: rank %d waits for rank %d, whose process has ended", swap_text().c_str(), context.rank(), rank);
  }
  const char *host = plan_.other_host(rank);
  if (timed_out)
    return fail(Status::timeout, "%s: rank %d has waited %lld s for rank %d%s%s%s%s (HALOCLINE_TIMEOUT)", swap_text().c_str(),
                context.rank(), static_cast<long long>(context.timeout_ns() / 1'000'000'000), rank, host ? " on host " : "",
                host ? host : "", where(rank).c_str(), knows_who_ ? "" : " or another of its neighbours: this mode does not tell which");
  return Status::ok;
}

/// Any neighbour of the round may have died; which one a mode waits for, the mode itself may not know.
Status Exchange::suspect_all(int rank, bool timed_out) {
  for (std::size_t e = 0; e < plan_.edges.size(); ++e)
    if (plan_.parts[e].active()) HLC_TRY(suspect_rank(plan_.edges[e].rank, plan_.edges[e].member, false));
  return timed_out ? suspect_rank(rank, kOtherNode, true) : Status::ok;
}

Status Exchange::suspect_missing(bool timed_out) {
  for (const bool late : {false, timed_out})
    for (std::size_t e = 0; e < came_.size(); ++e)
      if (awaited_[e] && came_[e] != round_) HLC_TRY(suspect_rank(plan_.edges[e].rank, plan_.edges[e].member, late));
  return Status::ok;
}

/// Ranks of this node that move data for this one.
Status Exchange::suspect_partners() {
  for (const auto &leg : legs_)
    for (const Member member : leg->partners()) HLC_TRY(suspect_rank(plan_.context->rank_of(member), member, false));
  return Status::ok;
}

/// Check mode waits for all neighbours, whether they take part in the round or not.
Status Exchange::suspect_peers(bool timed_out) {
  for (const Edge &edge : plan_.edges) HLC_TRY(suspect_rank(edge.rank, edge.member, false));
  return timed_out ? check_->late() : Status::ok;
}

Status Exchange::send_edges(Leg &leg) {
  for (const int e : leg.edges())
    if (plan_.parts[static_cast<std::size_t>(e)].out > 0) HLC_TRY(send_edge(leg, e));
  return Status::ok;
}

Status Exchange::send_edge(Leg &leg, int e) {
  void *buffer = nullptr;
  Status status = leg.place(e, &buffer);
  if (status == Status::again) status = wait_for_place(leg, e, &buffer);
  HLC_TRY(status);
  if (buffer) cargo_->pack(e, buffer, leg.packs_past_caches());
  status = leg.send(e);
  return status == Status::ok ? status : name_peer(status, e);
}

/// Only a peer that is two rounds behind makes me wait here, and only where it does not also send to me.
Status Exchange::wait_for_place(Leg &leg, int e, void **buffer) {
  const Edge &edge = plan_.edges[static_cast<std::size_t>(e)];
  return wait_until([&](bool *) { return leg.place(e, buffer); },
                    [&](bool timed_out) { return suspect_rank(edge.rank, edge.member, timed_out); });
}

Status Exchange::wait_for_all() {
  HLC_TRY(in_order_ ? take_in_order() : take_early());
  if (left_ == 0) return Status::ok;
  return wait_until([this](bool *progress) { return look(progress); }, [this](bool timed_out) { return suspect_missing(timed_out); });
}

/// Unpacks what has come; ok once that is everything.
Status Exchange::look(bool *progress) {
  HLC_TRY(collect(progress, [this](Leg &from, Edges come) { return in_order_ ? Status::ok : take(from, come); }));
  if (in_order_ && *progress) HLC_TRY(take_in_order());
  return left_ == 0 ? Status::ok : Status::again;
}

/// All legs are asked in every step: one that waits for its peers must not keep another from serving its own.
Status Exchange::close_each(int *rank) {
  bool waits = false;
  for (auto &leg : legs_) {
    const Status closed = leg->close(rank);
    if (failed(closed)) return closed;
    waits = waits || closed == Status::again;
  }
  return waits ? Status::again : Status::ok;
}

Status Exchange::close_all() {
  int rank = -1;
  HLC_TRY(wait_until([&](bool *) { return close_each(&rank); }, [&](bool timed_out) { return suspect_all(rank, timed_out); }));
  for (auto &leg : legs_) leg->wake_peers();
  return Status::ok;
}

/// After a failure nothing is known of what the peers hold: the exchange can only be destroyed.
Status Exchange::break_off(Status status) {
  if (status == Status::mpi) status = blame(*plan_.context, status);
  const bool tell = check_ && !broken_ && (status == Status::rule || status == Status::memory);
  broken_ = true;
  if (tell) check_->give_up(status);
  return status;
}

}  // namespace halocline
