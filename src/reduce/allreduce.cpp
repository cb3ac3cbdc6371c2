// Planning a reduction, and the three things that a rank does with each unit: it gives its elements to the others of its node, combines its
// own lanes, and takes the results of the others' lanes. It gives one unit ahead and takes one behind, so that it seldom waits.
// SPDX-License-Identifier: BSD-3-Clause
#include "reduce/allreduce.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/stream.hpp"
#include "engine/notification.hpp"
#include "engine/rules.hpp"
#include "engine/segment.hpp"

namespace halocline {
namespace {

constexpr const char *kCreate = "hlc_allreduce_create", *kRun = "hlc_allreduce_run";
constexpr std::int64_t kMostBytes = std::int64_t{1} << 48;  // the address space of one process, more or less
constexpr std::int64_t kAtOnce = 16 << 10;  // bytes that a rank reads of all others, where each combines everything
constexpr std::int64_t kInPlace = 128 << 10;  // bytes of an array from which on it is read where it lies, if all ranks of the node can
constexpr std::int64_t kPastCaches = 32 << 20;  // bytes of a result that is not read from a cache

const char *reduction_word(std::int64_t reduction) {
  constexpr const char *names[] = {"HLC_REDUCE_SUM", "HLC_REDUCE_MIN", "HLC_REDUCE_MAX", "HLC_REDUCE_USER"};
  return names[reduction];
}

/// What a reduction is to do, the same on all ranks.
std::vector<Rule> rules_of(const hlc_allreduce_spec &spec, std::int64_t element_bytes) {
  return {{"type", spec.type, type_name},
          {"element_bytes", element_bytes},
          {"reduction", spec.reduction, reduction_word},
          {"count", spec.count}};
}

/// What a rank of another node may still write into is left for good.
void keep(std::unique_ptr<Ring> ring) {
  if (ring) keep_for_ever(std::move(ring));
}

}  // namespace

Status Allreduce::check(const hlc_allreduce_spec *spec) const {
  const int me = context_.rank();
  if (!spec) return fail(Status::argument, "%s on rank %d: spec is NULL", kCreate, me);
  if (spec->type < HLC_OPAQUE || spec->type > HLC_COMPLEX128)
    return fail(Status::argument, "%s on rank %d: type is %d, which is no hlc_type", kCreate, me, static_cast<int>(spec->type));
  if (spec->reduction < HLC_REDUCE_SUM || spec->reduction > HLC_REDUCE_USER)
    return fail(Status::argument, "%s on rank %d: reduction is %d, which is no hlc_reduction", kCreate, me,
                static_cast<int>(spec->reduction));
  const auto own = static_cast<std::size_t>(type_bytes(spec->type));
  if (own != 0 && spec->element_bytes != 0 && spec->element_bytes != own)
    return fail(Status::argument, "%s on rank %d: element_bytes is %zu, elements of this type have %zu", kCreate, me, spec->element_bytes,
                own);
  if (own == 0 && (spec->element_bytes == 0 || spec->element_bytes > kMostBytes))
    return fail(Status::argument,
                "%s on rank %d: element_bytes is %zu, an element of HLC_OPAQUE needs 1 or more, and no more than memory holds", kCreate, me,
                spec->element_bytes);
  const auto element = static_cast<std::int64_t>(own != 0 ? own : spec->element_bytes);
  if (spec->count < 0 || spec->count > kMostBytes / element)
    return fail(Status::argument, "%s on rank %d: count is %lld, it must be 0 or more, and no more than memory holds", kCreate, me,
                static_cast<long long>(spec->count));
  if (spec->reduction == HLC_REDUCE_USER && !spec->function)
    return fail(Status::argument, "%s on rank %d: function is NULL, and reduction is HLC_REDUCE_USER", kCreate, me);
  if (spec->reduction != HLC_REDUCE_USER && spec->function)
    return fail(Status::argument, "%s on rank %d: function is given, but reduction is %s", kCreate, me, reduction_word(spec->reduction));
  return Status::ok;
}

Status Allreduce::create(const hlc_allreduce_spec *spec) {
  HLC_TRY(prepare(context_, context_.comm(), [&] {
    HLC_TRY(check(spec));
    return combiner_.choose((std::string(kCreate) + " on rank " + std::to_string(context_.rank())).c_str(), *spec);
  }));
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
  at_once_ = context_.nodes() == 1 && all <= kAtOnce / context_.members();
  past_caches_ = all >= kPastCaches;
  layout_ = Layout::of(at_once_ ? round_up(all, 64) : cut_.chunk_bytes(), at_once_ ? 1 : cut_.lanes, context_.members(),
                       context_.nodes() > 1 ? cut_.sends() * (kAhead + 1) : 0);
  HLC_TRY(prepare(context_, context_.comm(), [this] {
    sources_.resize(static_cast<std::size_t>(context_.members()) + 1);
    parts_.resize(static_cast<std::size_t>(context_.members()));
    arrays_.make_room();
    if (context_.nodes() > 1) ring_ = std::make_unique<Ring>(context_, cut_, layout_);
    return Status::ok;
  }));
  if (context_.nodes() > 1) HLC_TRY(context_.network().open(context_));
  HLC_TRY(agree(context_, context_.comm(), create_segment(context_, layout_.bytes(context_.member()), memory_)));
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

/// Few elements: all give theirs, and each combines them for itself. Before a rank comes to the third run from here it has seen all others
/// in the next one, so that nobody reads any more what it overwrites.
Status Allreduce::combine_at_once(Run run) {
  const std::int64_t all = cut_.count * cut_.element_bytes;
  const auto turn = static_cast<std::int64_t>(units_++);
  std::memcpy(part(context_.member()) + layout_.given_at(turn, 0), run.in, static_cast<std::size_t>(all));
  // SYNC given-before-combined (pairs with await_all)
  tell(words(context_.member()).given, units_);
  HLC_TRY(await_all(&Milestones::given, units_));
  for (Member member = 0; member < context_.members(); ++member)
    sources_[static_cast<std::size_t>(member)] = part(member) + layout_.given_at(turn, 0);
  combiner_.fold(run.out, sources_.data(), context_.members(), cut_.count);
  return Status::ok;
}

Status Allreduce::combine_long(Run run) {
  Status done = open(run);
  if (!failed(done)) done = pass_round(run);
  if (!failed(done)) done = close();
  arrays_.give_back();
  return done;
}

/// The ranks of the node tell each other where their arrays lie. Those in memory from hlc_field_alloc are read there, unless a rank of the
/// node has released its part of that memory, and with it its view of the others'.
Status Allreduce::open(Run run) {
  if (!is_shared() || cut_.count * cut_.element_bytes < kInPlace) return Status::ok;
  Notice &mine = notice(context_.member());
  // SYNC combined-before-given-anew (pairs with work): who has done the work of the last run has read its notices.
  HLC_TRY(await_all(&Milestones::worked, units_));
  mine = arrays_.describe(run.in, run.out, cut_.count * cut_.element_bytes);
  HLC_TRY(meet());
  bool any = false, all = true;
  for (Member member = 0; member < context_.members(); ++member) {
    any = any || notice(member).in.serial >= 0 || notice(member).out.serial >= 0;
    all = arrays_.borrow(member, notice(member)) && all;
  }
  if (!any) return Status::ok;
  mine.sees_all = all;
  HLC_TRY(meet());
  for (Member member = 0; member < context_.members(); ++member) all = all && notice(member).sees_all;
  if (!all) arrays_.give_back();
  return Status::ok;
}

/// Waits for the ranks of the node; what each has written before may then be read.
Status Allreduce::meet() {
  // SYNC noticed-before-opened
  tell(words(context_.member()).opened, ++opened_);
  return await_all(&Milestones::opened, opened_);
}

/// What others read of mine may be written again.
Status Allreduce::close() {
  // SYNC combined-before-given-anew (pairs with work)
  if (is_shared() && arrays_.in(context_.member())) HLC_TRY(await_all(&Milestones::worked, units_));
  // SYNC taken-before-worked-anew (pairs with take)
  if (is_shared() && arrays_.out(context_.member())) HLC_TRY(await_all(&Milestones::taken, units_));
  return leave();
}

Status Allreduce::pass_round(Run run) {
  Units ahead(cut_), here(cut_), behind(cut_);
  const std::int64_t units = cut_.units();
  for (std::int64_t turn = 0; turn < units + 2; ++turn) {
    if (turn < units) {
      HLC_TRY(give(ahead, run));
      ahead.next();
    }
    if (turn >= 1 && turn <= units) {
      HLC_TRY(work(here, run));
      here.next();
    }
    if (turn >= 2) {
      HLC_TRY(take(behind, run));
      behind.next();
    }
  }
  if (past_caches_) stream_fence();
  units_ += static_cast<std::uint64_t>(units);
  return Status::ok;
}

/// My elements of the chunks that others combine.
Status Allreduce::give(const Units &unit, Run run) {
  if (!is_shared()) return Status::ok;
  const Member me = context_.member();
  if (gives(unit) && !arrays_.in(me)) {
    // SYNC combined-before-given-anew (pairs with work)
    const auto slots = static_cast<std::uint64_t>(layout_.given_slots);
    if (serial(unit) >= slots) HLC_TRY(await_all(&Milestones::worked, serial(unit) + 1 - slots));
    for (int lane = 0; lane < cut_.lanes; ++lane) {
      if (lane % context_.members() == me) continue;
      const Range range = cut_.chunk_of(unit.round(), part_of(unit), lane);
      std::memcpy(part(me) + layout_.given_at(static_cast<std::int64_t>(serial(unit)), lane), run.in + offset(range),
                  static_cast<std::size_t>(bytes(range)));
    }
  }
  // SYNC given-before-combined (pairs with work)
  tell(words(me).given, serial(unit) + 1);
  return Status::ok;
}

Status Allreduce::work(const Units &unit, Run run) {
  const Member me = context_.member();
  if (ring_) HLC_TRY(ring_->progress());
  // SYNC given-before-combined (pairs with give)
  if (is_shared() && gives(unit)) HLC_TRY(await_all(&Milestones::given, serial(unit) + 1));
  // SYNC taken-before-worked-anew (pairs with take)
  const auto slots = static_cast<std::uint64_t>(layout_.result_slots);
  if (is_shared() && serial(unit) >= slots) HLC_TRY(await_all(&Milestones::taken, serial(unit) + 1 - slots));
  for (int index = 0; index < layout_.lanes_of(me); ++index) {
    const Range range = cut_.chunk_of(unit.round(), part_of(unit), me + index * context_.members());
    if (range.count == 0) continue;
    HLC_TRY(gives(unit) ? combine(unit, index, range, run) : hand_on(unit, index, range, run));
    if (sends(unit)) HLC_TRY(send(unit, index, range));
  }
  // SYNC combined-before-given-anew (pairs with give), worked-before-taken (pairs with take)
  if (is_shared()) tell(words(me).worked, serial(unit) + 1);
  return Status::ok;
}

/// Adds my node's elements to what has come from the node before.
Status Allreduce::combine(const Units &unit, int index, Range range, Run run) {
  HLC_TRY(await_chunk(unit, index, range));
  const int lane = context_.member() + index * context_.members();
  int n = 0;
  if (unit.step() > 0) sources_[static_cast<std::size_t>(n++)] = ring_->incoming(index);
  for (Member member = 0; member < context_.members(); ++member)
    sources_[static_cast<std::size_t>(n++)] = member == context_.member() ? run.in + offset(range) : elements(member, unit, lane, range);
  char *mine = run.out + offset(range);
  // Where it is the result at once, and overlaps no source but the first.
  const bool at_once = !ring_ && (!is_shared() || (arrays_.out(context_.member()) && (mine == sources_[0] || run.in != run.out)));
  char *to = at_once ? mine : my_result(unit, index);
  const bool is_wanted_twice = publishes(unit) && to != mine;
  combiner_.fold(to, sources_.data(), n, range.count, {is_wanted_twice ? mine : nullptr, past_caches_ && !arrays_.out(context_.member())});
  if (unit.step() > 0) ring_->release(index);
  return Status::ok;
}

/// Takes a result that has come from the node before, for myself and for who comes after.
Status Allreduce::hand_on(const Units &unit, int index, Range range, Run run) {
  HLC_TRY(await_chunk(unit, index, range));
  const char *come = ring_->incoming(index);
  put_out(run.out + offset(range), come, bytes(range));
  const bool is_taken = is_shared() && !arrays_.out(context_.member());
  if (is_taken || sends(unit)) std::memcpy(my_result(unit, index), come, static_cast<std::size_t>(bytes(range)));
  ring_->release(index);
  return Status::ok;
}

/// What the unit needs from the node before, and a result slot that has left for the node after.
Status Allreduce::await_chunk(const Units &unit, int index, Range range) {
  if (!ring_) return Status::ok;
  HLC_TRY(await([&] { return ring_->has_left(index, result_slot(unit)); }, ring_->after(index)));
  if (unit.step() == 0) return Status::ok;
  ring_->expect(index, bytes(range));
  return await([&] { return ring_->has_come(index); }, ring_->before(index));
}

Status Allreduce::send(const Units &unit, int index, Range range) {
  HLC_TRY(await([&] { return ring_->has_room(index); }, ring_->after(index)));
  ring_->send(index, result_slot(unit), bytes(range));
  return Status::ok;
}

/// The results of the lanes that others drive.
Status Allreduce::take(const Units &unit, Run run) {
  if (!is_shared()) return Status::ok;
  const Member me = context_.member();
  for (int lane = 0; publishes(unit) && lane < cut_.lanes; ++lane) {
    const Member driver = lane % context_.members();
    const Range range = cut_.chunk_of(unit.round(), part_of(unit), lane);
    if (driver == me || range.count == 0) continue;
    // SYNC worked-before-taken (pairs with work)
    HLC_TRY(await([&] { return reached(words(driver).worked, serial(unit) + 1); }, -1 - driver));
    const char *from = arrays_.out(driver) ? arrays_.out(driver) + offset(range)
                                           : part(driver) + layout_.result_at(driver, result_slot(unit), lane / context_.members());
    copy_out(run.out + offset(range), from, bytes(range));
  }
  // SYNC taken-before-worked-anew (pairs with work)
  tell(words(me).taken, serial(unit) + 1);
  return Status::ok;
}

/// All that I have sent has left this process, so that nobody waits for me while I am not in the library.
Status Allreduce::leave() {
  if (!ring_) return Status::ok;
  return await([&] { return ring_->is_quiet(); }, ring_->after(0));
}

/// Of a member's lane of which it was told that it is given.
const char *Allreduce::elements(Member member, const Units &unit, int lane, Range range) const {
  if (arrays_.in(member)) return arrays_.in(member) + offset(range);
  return part(member) + layout_.given_at(static_cast<std::int64_t>(serial(unit)), lane);
}

/// A result of mine, which others may read next, into my array.
void Allreduce::put_out(char *to, const char *from, std::int64_t bytes) const {
  if (arrays_.out(context_.member()))
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  else
    copy_out(to, from, bytes);
}

void Allreduce::copy_out(char *to, const char *from, std::int64_t bytes) const {
  if (past_caches_)
    stream_copy(to, from, bytes);
  else
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
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

/// Waits for something that a rank does; a member of this node is named as -1 - member. What a peer did before it died counts, so there is one
/// more look before the verdict.
template <class Ready>
Status Allreduce::await(Ready ready, int who) {
  if (ready()) return Status::ok;
  const bool rings = !ring_ || context_.network().has_thread();
  Wait wait(context_, rings ? WakeUp::by_bell : WakeUp::by_polling);
  while (!ready()) {
    if (ring_) HLC_TRY(ring_->progress());
    if (wait.pause() == Wait::Turn::look_again) continue;
    const Status verdict = suspect(who, wait.timed_out());
    if (failed(verdict)) return ready() ? Status::ok : verdict;
  }
  return Status::ok;
}

Status Allreduce::suspect(int who, bool timed_out) const {
  const int me = context_.rank();
  for (Member member = 0; member < context_.members(); ++member)
    if (!context_.port().alive(member))
      return fail(Status::peer_died, "%s: rank %d waits for rank %d, whose process has ended", kRun, me, context_.rank_of(member));
  if (ring_) HLC_TRY(ring_->find_lost());
  if (!timed_out) return Status::ok;
  const std::string name = who < 0 ? "rank " + std::to_string(context_.rank_of(-1 - who)) : ring_->name_of(who);
  return fail(Status::timeout, "%s: rank %d has waited %lld s for %s (HALOCLINE_TIMEOUT)", kRun, me,
              static_cast<long long>(context_.timeout_ns() / 1'000'000'000), name.c_str());
}

/// After a failure nothing is known of what the others have come to: the plan can only be destroyed.
Status Allreduce::mark_broken(Status status) {
  broken_ = broken_ || failed(status);
  return status;
}

Status Allreduce::end() {
  if (!broken_ && ring_) static_cast<void>(mark_broken(await([&] { return ring_->is_settled(); }, ring_->after(0))));
  int broken = broken_ || context_.lost() ? 1 : 0;
  const Status voted = vote(context_, context_.comm(), broken, &broken);
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
  for (Units unit(cut_); !unit.over(); unit.next())
    for (int lane = me; sends(unit) && lane < cut_.lanes; lane += context_.members())
      info.network_bytes += bytes(cut_.chunk_of(unit.round(), part_of(unit), lane));
  return info;
}

}  // namespace halocline
