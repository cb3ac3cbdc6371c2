// A planned reduction: the object behind hlc_allreduce.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/communicator/wait_until.hpp"
#include "engine/context/context.hpp"
#include "reduce/combine.hpp"
#include "reduce/ring.hpp"
#include "reduce/shared_arrays.hpp"

namespace halocline::core {

/// Made and ended collectively; run allocates nothing.
class Allreduce {
 public:
  explicit Allreduce(Context &context) : context_(context), arrays_(context) {}
  Allreduce(const Allreduce &) = delete;
  Allreduce &operator=(const Allreduce &) = delete;

  /// The local part of the creation: checks the spec, chooses the arithmetic, and appends the plan's name to *plan.
  Status take(const hlc_allreduce_spec *spec, std::string *plan);
  Status create(const hlc_allreduce_spec *spec);
  Status run(const void *in, void *out);
  /// To be called after all ranks have met to end it; others_broken if a run has failed on any of them.
  Status end(bool others_broken);
  bool broken() const { return broken_; }
  std::int64_t serial() const { return serial_; }

  Context &context() { return context_; }
  hlc_allreduce_info_t describe() const;

 private:
  /// One run as one rank sees it.
  struct Run {
    const char *in;
    char *out;
  };

  Status check(const hlc_allreduce_spec *spec) const;
  Status make_memory();
  Status combine_at_once(Run run);
  Status combine_gathered(std::int64_t turn, Run run);
  Status gather(std::int64_t turn);
  Status combine_long(Run run);
  Status pass_round(Run run);

  Status open(Run run);
  Status meet();
  Status close();

  Status give(const Units &unit, Run run);
  Status work(const Units &unit, Run run);
  Status combine(const Units &unit, int index, Range range, Run run);
  Status hand_on(const Units &unit, int index, Range range, Run run);
  Status await_chunk(const Units &unit, int index, Range range);
  Status send(const Units &unit, int index, Range range);
  Status take(const Units &unit, Run run);
  Status leave();

  int part_of(const Units &unit) const { return (context_.node() - unit.step() + 2 * context_.nodes()) % context_.nodes(); }
  bool gives(const Units &unit) const { return unit.step() < context_.nodes(); }
  bool publishes(const Units &unit) const { return unit.step() >= context_.nodes() - 1; }
  bool sends(const Units &unit) const { return unit.step() < cut_.sends(); }
  /// In a run, the pack of the node that is `before` nodes before mine.
  char *pack(std::int64_t turn, int before) const {
    return part(0) + layout_.result_at(0, static_cast<int>(turn % Layout::kPackTurns), 0) + before * layout_.pack_bytes;
  }
  int ring_after() const { return ring_->lanes() > 0 ? ring_->after(0) : -1; }
  bool is_shared() const { return context_.members() > 1; }
  std::uint64_t serial(const Units &unit) const { return units_ + static_cast<std::uint64_t>(unit.number()); }
  int result_slot(const Units &unit) const { return static_cast<int>(serial(unit) % static_cast<std::uint64_t>(layout_.result_slots)); }
  std::int64_t bytes(Range range) const { return range.count * cut_.element_bytes; }
  std::int64_t offset(Range range) const { return range.first * cut_.element_bytes; }
  Milestones &words(Member member) const { return *reinterpret_cast<Milestones *>(parts_[static_cast<std::size_t>(member)]); }
  char *part(Member member) const { return parts_[static_cast<std::size_t>(member)]; }
  char *my_result(const Units &unit, int index) const {
    return part(context_.member()) + layout_.result_at(context_.member(), result_slot(unit), index);
  }
  Notice &notice(Member member) const { return *reinterpret_cast<Notice *>(part(member) + Layout::notice); }
  const char *elements(Member member, const Units &unit, int lane, Range range) const;
  void copy_out(char *to, const char *from, std::int64_t bytes) const;
  void put_out(char *to, const char *from, std::int64_t bytes) const;
  void tell(Counter &counter, std::uint64_t value);

  template <class Ready>
  Status await(Ready ready, int who);
  Status await_all(Counter Milestones::*counter, std::uint64_t value);
  Status find_failed(int who, bool timed_out) const;
  Status mark_broken(Status status);

  Context &context_;
  std::int64_t serial_ = 0;  // among the plans of the context
  Combiner combiner_;
  Cut cut_;
  Layout layout_;
  bool at_once_ = false;      // every rank combines everything itself
  bool past_caches_ = false;  // results are too long to stay in a cache
  bool broken_ = false;
  SharedMemory memory_;  // moved into the ring where there is one
  std::unique_ptr<Ring> ring_;
  std::vector<char *> parts_;          // by member
  std::vector<const char *> sources_;  // of one fold
  SharedArrays arrays_;  // of the current run
  std::uint64_t opened_ = 0;
  std::uint64_t units_ = 0;            // in all runs before
};

/// Waits until `ready` is true, for rank `who`; a member of this node is named as -1 - member.
template <class Ready>
Status Allreduce::await(Ready ready, int who) {
  if (ready()) return Status::ok;
  const bool rings = who < 0 || context_.network().has_thread();
  Wait wait(context_, rings ? WakeUp::by_doorbell : WakeUp::by_network, {CallName::allreduce_run, serial_});
  const auto look = [&] {
    if (ready()) return Status::ok;
    if (ring_) HLC_TRY(ring_->progress());
    return Status::again;
  };
  return wait_until(wait, look, [&] { return find_failed(who, wait.timed_out()); });
}

}  // namespace halocline::core
