// Planning a reduction, waiting, and runs with few elements, which every rank combines for itself. Many elements: pipeline.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "reduce/allreduce.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/bounds.hpp"
#include "base/counter.hpp"
#include "base/stream.hpp"
#include "base/types.hpp"
#include "engine/communicator/consistency.hpp"
#include "engine/communicator/missing.hpp"
#include "engine/memory/node_memory.hpp"

namespace halocline::core {
namespace {

constexpr const char *kCreate = "hlc_allreduce_create", *kRun = "hlc_allreduce_run";
constexpr std::int64_t kAtOnce = 16 << 10;  // bytes that a rank reads of all others, at most, where each rank combines everything
constexpr std::int64_t kGathered =
    64 << 10;  // the same between nodes, of all ranks: beyond this, sending all costs more than going round the ring twice
constexpr std::int64_t kPastCaches = 32 << 20;  // bytes of a result that is not read from a cache

const char *reduction_word(std::int64_t reduction) {
  constexpr const char *names[] = {"HLC_REDUCE_SUM", "HLC_REDUCE_MIN", "HLC_REDUCE_MAX", "HLC_REDUCE_USER"};
  return names[reduction];
}

/// The values of the spec that must be the same on all ranks.
std::vector<Rule> rules_of(const hlc_allreduce_spec &spec, std::int64_t element_bytes) {
  return {{"type", spec.type, type_name},
          {"element_bytes", element_bytes},
          {"reduction", spec.reduction, reduction_word},
          {"count", spec.count}};
}

/// Leaks memory that a rank of another node may still write.
void keep(std::unique_ptr<Ring> ring) {
  if (ring) leak(std::move(ring));
}

Status check_elements(const hlc_allreduce_spec &spec, const Caller &caller) {
  const auto own = static_cast<std::size_t>(type_bytes(spec.type));
  if (own != 0 && spec.element_bytes != 0 && spec.element_bytes != own)
    return fail(Status::argument, "%s on rank %d: element_bytes is %zu, elements of this type have %zu", caller.call, caller.rank,
                spec.element_bytes, own);
  if (own == 0 && (spec.element_bytes == 0 || spec.element_bytes > kMostBytes))
    return fail(Status::argument,
                "%s on rank %d: element_bytes is %zu, an element of HLC_OPAQUE needs 1 or more, and no more than memory holds", caller.call,
                caller.rank, spec.element_bytes);
  const auto element = static_cast<std::int64_t>(own != 0 ? own : spec.element_bytes);
  return check_bounds(caller, {{"count", spec.count, 0, kMostBytes / element, ", it must be 0 or more, and no more than memory holds"}});
}

Status check_function(const hlc_allreduce_spec &spec, const Caller &caller) {
  const bool needed = spec.reduction == HLC_REDUCE_USER;
  if (needed && !spec.function)
    return fail(Status::argument, "%s on rank %d: function is NULL, and reduction is HLC_REDUCE_USER", caller.call, caller.rank);
  if (!needed && spec.function)
    return fail(Status::argument, "%s on rank %d: function is given, but reduction is %s", caller.call, caller.rank,
                reduction_word(spec.reduction));
  return Status::ok;
}

}  // namespace

Status Allreduce::check(const hlc_allreduce_spec *spec) const {
  const Caller caller{kCreate, context_.rank()};
  if (!spec) return fail(Status::argument, "%s on rank %d: spec is NULL", kCreate, caller.rank);
  HLC_TRY(check_bounds(caller,
                       {{"type", static_cast<int>(spec->type), HLC_OPAQUE, HLC_COMPLEX128, ", which is no hlc_type"},
                        {"reduction", static_cast<int>(spec->reduction), HLC_REDUCE_SUM, HLC_REDUCE_USER, ", which is no hlc_reduction"}}));
  HLC_TRY(check_elements(*spec, caller));
  return check_function(*spec, caller);
}

Status Allreduce::take(const hlc_allreduce_spec *spec, std::string *plan) {
  HLC_TRY(check(spec));
  if (spec->name) plan->append("'").append(spec->name).append("'");
  return combiner_.choose((std::string(kCreate) + " on rank " + std::to_string(context_.rank())).c_str(), *spec);
}

Status Allreduce::create(const hlc_allreduce_spec *spec) {
  serial_ = context_.next_plan() - 1;
  HLC_TRY(check_rules(context_, kCreate, [&] { return rules_of(*spec, combiner_.element_bytes()); }));
  std::int64_t lanes = context_.members();
  HLC_TRY(reduce(context_, context_.comm(), MPI_MAX, &lanes, 1));
  cut_ = Cut::of(spec->count, combiner_.element_bytes(), context_.nodes(), static_cast<int>(lanes));
  const Status made = make_memory();
  if (failed(made) && ring_) Ring::retire(std::move(ring_));
  return made;
}

Status Allreduce::make_memory() {
  const std::int64_t all = cut_.count * cut_.element_bytes;
  const int members = context_.members(), nodes = context_.nodes();
  const std::int64_t packed = pack_stride(all) * cut_.lanes;
  at_once_ = nodes == 1 ? all <= kAtOnce / members : packed <= kGathered / nodes;
  past_caches_ = all >= kPastCaches;
  if (!at_once_)
    layout_ = Layout::of(cut_.chunk_bytes(), cut_.lanes, members, nodes > 1 ? cut_.sends() * (kAhead + 1) : 0);
  else
    layout_ = nodes == 1 ? Layout::of(round_up(all, 64), 1, members, 0) : Layout::of_packs(packed, all, members, nodes);
  HLC_TRY(prepare(context_, context_.comm(), [&] {
    sources_.resize(static_cast<std::size_t>(at_once_ && nodes > 1 ? context_.size() : members + 1));
    parts_.resize(static_cast<std::size_t>(context_.members()));
    arrays_.make_room();
    if (context_.nodes() > 1) ring_ = std::make_unique<Ring>(context_, layout_, at_once_ ? 1 : cut_.rounds * cut_.sends());
    return Status::ok;
  }));
  if (context_.nodes() > 1) HLC_TRY(context_.network().open());
  HLC_TRY(agree(context_, context_.comm(), create_shared_memory(context_, layout_.bytes(context_.member()), memory_)));
  for (Member member = 0; member < context_.members(); ++member) parts_[static_cast<std::size_t>(member)] = memory_.part(member);
  return ring_ ? ring_->create(std::move(memory_)) : Status::ok;
}

Status Allreduce::run(const void *in, void *out) {
  const int me = context_.rank();
  if (broken_) return fail(Status::state, "%s on rank %d: an earlier run failed; the plan can only be destroyed", kRun, me);
  if (cut_.count == 0) return Status::ok;
  if (!in || !out) return fail(Status::argument, "%s on rank %d: %s is NULL", kRun, me, in ? "out" : "in");
  const Run run{static_cast<const char *>(in), static_cast<char *>(out)};
  return mark_broken(at_once_ ? combine_at_once(run) : combine_long(run));
}

/// Few elements: all ranks give theirs, and each combines them for itself. Before a rank begins the second run from here, it has seen all
/// others in the next one. So two slots would be enough.
Status Allreduce::combine_at_once(Run run) {
  const std::int64_t all = cut_.count * cut_.element_bytes;
  const auto turn = static_cast<std::int64_t>(units_++);
  std::memcpy(part(context_.member()) + layout_.given_at(turn, 0), run.in, static_cast<std::size_t>(all));
  // SYNC given-before-combined (pairs with await_all)
  tell(words(context_.member()).given, units_);
  if (ring_) return combine_gathered(turn, run);
  HLC_TRY(await_all(&Milestones::given, units_));
  for (Member member = 0; member < context_.members(); ++member)
    sources_[static_cast<std::size_t>(member)] = part(member) + layout_.given_at(turn, 0);
  combiner_.fold(run.out, sources_.data(), context_.members(), cut_.count);
  return Status::ok;
}

/// Several nodes: the first rank of each packs its node's elements and sends the pack to all nodes. Every rank combines all packs.
Status Allreduce::combine_gathered(std::int64_t turn, Run run) {
  if (context_.member() == 0) {
    HLC_TRY(gather(turn));
    // SYNC worked-before-taken (pairs with the others of the node)
    tell(words(0).worked, units_);
  } else {
    // SYNC worked-before-taken (pairs with the first rank)
    HLC_TRY(await([&] { return reached(words(0).worked, units_); }, -1));
  }
  const int nodes = context_.nodes();
  const std::int64_t stride = pack_stride(cut_.count * cut_.element_bytes);
  for (int p = 0; p < nodes; ++p) {
    const Range range = cut_.part(p);
    int n = 0;
    for (int k = 0; k < nodes; ++k)
      for (Member member = 0; member < ring_->ranks_on((p + k) % nodes); ++member)
        sources_[static_cast<std::size_t>(n++)] =
            pack(turn, (context_.node() - p - k + 2 * nodes) % nodes) + member * stride + offset(range);
    combiner_.fold(run.out + offset(range), sources_.data(), n, range.count);
  }
  // SYNC taken-before-worked-anew (pairs with gather)
  tell(words(context_.member()).taken, units_);
  return leave();
}

/// In step s this node sends all packs that it has, or that are still missing, to the node 2^s after. It receives as many from the node 2^s
/// before.
Status Allreduce::gather(std::int64_t turn) {
  const std::int64_t all = cut_.count * cut_.element_bytes, stride = pack_stride(all);
  // SYNC given-before-combined (pairs with combine_at_once)
  HLC_TRY(await_all(&Milestones::given, units_));
  // SYNC taken-before-worked-anew (pairs with combine_gathered)
  if (turn >= Layout::kPackTurns) HLC_TRY(await_all(&Milestones::taken, units_ - Layout::kPackTurns));
  for (Member member = 0; member < context_.members(); ++member)
    std::memcpy(pack(turn, 0) + member * stride, part(member) + layout_.given_at(turn, 0), static_cast<std::size_t>(all));
  for (int step = 0; step < ring_->lanes(); ++step) {
    const std::int64_t some = packs_of_step(context_.nodes(), step) * layout_.pack_bytes;
    HLC_TRY(await([&] { return ring_->has_room(step); }, ring_->after(step)));
    ring_->send(step, static_cast<int>(turn % Layout::kPackTurns), some);
    ring_->expect(step, some);
    HLC_TRY(await([&] { return ring_->has_come(step); }, ring_->before(step)));
    std::memcpy(pack(turn, 1 << step), ring_->incoming(step), static_cast<std::size_t>(some));
    ring_->release(step);
  }
  return Status::ok;
}

/// Waits until all that I have sent has left this process, so that no rank waits for me while I am outside the library.
Status Allreduce::leave() {
  if (!ring_) return Status::ok;
  return await([&] { return ring_->is_quiet(); }, ring_after());
}

void Allreduce::tell(Counter &counter, std::uint64_t value) {
  notify(counter, value);
  context_.ring_node();
}

Status Allreduce::await_all(Counter Milestones::*counter, std::uint64_t value) {
  for (Member member = 0; member < context_.members(); ++member)
    if (member != context_.member()) HLC_TRY(await([&] { return reached(words(member).*counter, value); }, -1 - member));
  return Status::ok;
}

Status Allreduce::find_failed(int who, bool timed_out) const {
  const int me = context_.rank();
  for (Member member = 0; member < context_.members(); ++member)
    if (!context_.doorbell().alive(member))
      return fail(Status::peer_died, "%s: rank %d waits for rank %d, whose process has ended", kRun, me, context_.rank_of(member));
  if (ring_) HLC_TRY(ring_->find_lost());
  if (!timed_out) return Status::ok;
  std::string name = name_missing_members(context_, {CallName::allreduce_run, serial_});
  if (name.empty()) name = who < 0 ? "rank " + std::to_string(context_.rank_of(-1 - who)) : ring_->name_of(who);
  return fail(Status::timeout, "%s: rank %d has waited %lld s for %s (HALOCLINE_TIMEOUT)", kRun, me,
              static_cast<long long>(context_.timeout_ns() / 1'000'000'000), name.c_str());
}

/// After a failure the state of the other ranks is unknown: the plan can only be destroyed.
Status Allreduce::mark_broken(Status status) {
  broken_ = broken_ || failed(status);
  return status;
}

Status Allreduce::end(bool others_broken) {
  broken_ = broken_ || others_broken;
  if (!broken_ && ring_) static_cast<void>(mark_broken(await([&] { return ring_->is_settled(); }, ring_after())));
  int broken = broken_ || context_.lost() ? 1 : 0;
  const Status voted = agree_on_largest(context_, context_.comm(), broken, &broken);
  if (failed(voted) || broken) keep(std::move(ring_));
  ring_.reset();
  return voted;
}

hlc_allreduce_info_t Allreduce::describe() const {
  const Member me = context_.member();
  hlc_allreduce_info_t info{};
  info.parts = cut_.nodes;
  info.lanes = at_once_ ? 1 : cut_.lanes;
  info.my_lanes = at_once_ ? 1 : layout_.lanes_of(me);
  info.chunk_bytes = at_once_ ? 0 : cut_.chunk * cut_.element_bytes;
  info.memory_bytes = layout_.bytes(me);
  for (std::int64_t round = 0; round < cut_.rounds; ++round)
    for (int p = 0; p < cut_.nodes; ++p)
      for (int lane = 0; lane < cut_.lanes; ++lane) info.chunks += cut_.chunk_of(round, p, lane).count > 0 ? 1 : 0;
  if (at_once_) info.network_bytes = me == 0 ? layout_.pack_bytes * (context_.nodes() - 1) : 0;
  for (Units unit(cut_); !at_once_ && !unit.over(); unit.next())
    for (int lane = me; sends(unit) && lane < cut_.lanes; lane += context_.members())
      info.network_bytes += bytes(cut_.chunk_of(unit.round(), part_of(unit), lane));
  return info;
}

}  // namespace halocline::core
