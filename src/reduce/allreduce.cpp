// Planning a reduction and ending it. The runs: few.cpp, pipeline.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "reduce/allreduce.hpp"

#include <iterator>
#include <utility>

#include "base/bounds.hpp"
#include "base/types.hpp"
#include "engine/communicator/consistency.hpp"
#include "engine/memory/node_memory.hpp"
#include "reduce/few.hpp"
#include "reduce/pipeline.hpp"

namespace halocline::core {
namespace {

constexpr const char *kCreate = "hlc_allreduce_create", *kRun = "hlc_allreduce_run";
constexpr std::int64_t kPastCaches = 32 << 20;  // bytes of a result that is not read from a cache

const char *reduction_word(std::int64_t reduction) {
  constexpr const char *names[] = {"HLC_REDUCE_SUM", "HLC_REDUCE_MIN", "HLC_REDUCE_MAX", "HLC_REDUCE_USER"};
  return names[reduction];
}

/// The values of the spec that must be the same on all ranks.
std::vector<Rule> rules_of(const hlc_allreduce_spec &spec, std::int64_t element_bytes, ReduceMethod asked) {
  return {{"type", spec.type, type_name},
          {"element_bytes", element_bytes},
          {"reduction", spec.reduction, reduction_word},
          {"count", spec.count},
          {"HALOCLINE_ALLREDUCE", static_cast<std::int64_t>(asked), reduce_method_word}};
}

/// Leaks memory that a rank of another node may still write.
void keep(std::unique_ptr<Ring> ring) {
  if (ring) leak(std::move(ring));
}

Status check_elements(const hlc_allreduce_spec &spec, const Caller &caller) {
  const auto own = static_cast<std::size_t>(type_bytes(spec.type));
  if (own != 0 && spec.element_bytes != 0 && spec.element_bytes != own)
    return fail(Status::argument, "%s on rank %d: element_bytes is %zu, but elements of this type have %zu", caller.call, caller.rank,
                spec.element_bytes, own);
  if (own == 0 && (spec.element_bytes == 0 || spec.element_bytes > kMaxBytes))
    return fail(Status::argument, "%s on rank %d: element_bytes is %zu but must be 1 or more for HLC_OPAQUE, and no more than memory holds",
                caller.call, caller.rank, spec.element_bytes);
  const auto element = static_cast<std::int64_t>(own != 0 ? own : spec.element_bytes);
  return check_bounds(caller, {{"count", spec.count, 0, kMaxBytes / element, " but must be 0 or more, and no more than memory holds"}});
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
  HLC_TRY(
      check_bounds(caller, {{"type", static_cast<int>(spec->type), HLC_OPAQUE, HLC_COMPLEX128, ", not an hlc_type"},
                            {"reduction", static_cast<int>(spec->reduction), HLC_REDUCE_SUM, HLC_REDUCE_USER, ", not an hlc_reduction"}}));
  HLC_TRY(check_elements(*spec, caller));
  return check_function(*spec, caller);
}

Status Allreduce::take(const hlc_allreduce_spec *spec, const Card &card, std::string *plan) {
  HLC_TRY(check(spec));
  if (spec->name) plan->append("'").append(spec->name).append("'");
  const std::string who = std::string(kCreate) + " on rank " + std::to_string(context_.rank());
  HLC_TRY(read_reduce_method(who, &asked_));
  HLC_TRY(plan_.combiner.choose(who.c_str(), *spec));
  opinion_ = ReduceOpinion::of(card, context_, spec->count * plan_.combiner.element_bytes());
  return Status::ok;
}

Status Allreduce::create(const hlc_allreduce_spec *spec) {
  serial_ = context_.next_plan() - 1;
  HLC_TRY(
      check_rules(context_, PlanCall(context_, spec->name).text, [&] { return rules_of(*spec, plan_.combiner.element_bytes(), asked_); }));
  std::int64_t largest[] = {opinion_.lanes, opinion_.at_once_ns, opinion_.chunks_ns};
  HLC_TRY(reduce(context_, context_.comm(), MPI_MAX, largest, static_cast<int>(std::size(largest))));
  opinion_ = {largest[0], largest[1], largest[2]};
  choose(spec->count);
  const Status made = make_memory();
  if (failed(made) && ring_) Ring::retire(std::move(ring_));
  return made;
}

/// How the array is cut, and where its pieces are.
void Allreduce::choose(std::int64_t count) {
  const int members = context_.members(), nodes = context_.nodes(), lanes = static_cast<int>(opinion_.lanes);
  plan_.cut = Cut::of(count, plan_.combiner.element_bytes(), nodes, lanes);
  const std::int64_t all = plan_.cut.bytes(), packed = pack_stride(all) * lanes;
  plan_.at_once = is_at_once(asked_, opinion_, context_, all);
  plan_.past_caches = all >= kPastCaches;
  if (!plan_.at_once)
    plan_.layout = Layout::of(plan_.cut.chunk_bytes(), lanes, members, nodes > 1 ? plan_.cut.sends() * (kAhead + 1) : 0);
  else
    plan_.layout = nodes == 1 ? Layout::of(round_up(all, 64), 1, members, 0) : Layout::of_packs(packed, all, members, nodes);
}

Status Allreduce::make_memory() {
  HLC_TRY(prepare(context_, context_.comm(), [this] { return make_tables(); }));
  if (context_.nodes() > 1) HLC_TRY(context_.network().open());
  HLC_TRY(agree(context_, context_.comm(), create_shared_memory(context_, plan_.layout.bytes(context_.member()), memory_)));
  ranks_.attach(memory_, ring_.get(), serial_);
  return ring_ ? ring_->create(std::move(memory_)) : Status::ok;
}

Status Allreduce::make_tables() {
  ranks_.make_room();
  if (context_.nodes() > 1)
    ring_ = std::make_unique<Ring>(context_.network(), plan_.layout, plan_.at_once ? 1 : plan_.cut.rounds * plan_.cut.sends());
  algorithm_ = choose_algorithm();
  return Status::ok;
}

std::unique_ptr<ReduceAlgorithm> Allreduce::choose_algorithm() {
  if (!ring_ && plan_.at_once) return std::make_unique<FewOnOneNode>(plan_, ranks_);
  if (!ring_) return std::make_unique<ManyOnOneNode>(plan_, ranks_, context_.fields());
  if (plan_.at_once) return std::make_unique<FewOnNodes>(plan_, ranks_, *ring_, context_);
  return std::make_unique<ManyOnNodes>(plan_, ranks_, *ring_, context_.fields(), context_.node());
}

Status Allreduce::run(const void *in, void *out) {
  const int me = context_.rank();
  if (broken_) return fail(Status::state, "%s on rank %d: an earlier run failed; the plan can only be destroyed", kRun, me);
  if (plan_.cut.count == 0) return Status::ok;
  if (!in || !out) return fail(Status::argument, "%s on rank %d: %s is NULL", kRun, me, in ? "out" : "in");
  return mark_broken(algorithm_->run({static_cast<const char *>(in), static_cast<char *>(out)}));
}

/// After a failure the state of the other ranks is unknown: the plan can only be destroyed.
Status Allreduce::mark_broken(Status status) {
  broken_ = broken_ || failed(status);
  return status;
}

Status Allreduce::end(bool others_broken) {
  broken_ = broken_ || others_broken;
  if (!broken_ && ring_) static_cast<void>(mark_broken(ranks_.await_settled()));
  int broken = broken_ || context_.lost() ? 1 : 0;
  const Status voted = agree_on_largest(context_, context_.comm(), broken, &broken);
  if (failed(voted) || broken) keep(std::move(ring_));
  ring_.reset();
  return voted;
}

hlc_allreduce_info_t Allreduce::describe() const {
  const Member me = context_.member();
  hlc_allreduce_info_t info{};
  info.parts = plan_.cut.nodes;
  info.lanes = plan_.at_once ? 1 : plan_.cut.lanes;
  info.my_lanes = plan_.at_once ? 1 : plan_.layout.lanes_of(me);
  info.chunk_bytes = plan_.at_once ? 0 : plan_.cut.chunk * plan_.cut.element_bytes;
  info.chunks = plan_.cut.chunks();
  info.network_bytes = network_bytes();
  info.memory_bytes = plan_.layout.bytes(me);
  if (opinion_.predicts()) {
    info.at_once_us = static_cast<double>(opinion_.at_once_ns) / 1e3;
    info.chunks_us = static_cast<double>(opinion_.chunks_ns) / 1e3;
  }
  return info;
}

/// What this rank sends to other nodes in one run.
std::int64_t Allreduce::network_bytes() const {
  const Cut &cut = plan_.cut;
  const Member me = context_.member();
  if (plan_.at_once) return me == 0 ? plan_.layout.pack_bytes * (cut.nodes - 1) : 0;
  std::int64_t bytes = 0;
  for (Units unit(cut); !unit.over(); unit.next())
    for (int lane = me; unit.sends() && lane < cut.lanes; lane += context_.members())
      bytes += cut.bytes(cut.chunk_of(unit.round(), cut.part_at(context_.node(), unit.step()), lane));
  return bytes;
}

}  // namespace halocline::core
