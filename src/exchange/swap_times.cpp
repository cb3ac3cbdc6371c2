// Sums, and the plans that have not been released when the process ends.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/swap_times.hpp"

#include <algorithm>
#include <mutex>

#include "exchange/modes/modes.hpp"
#include "trace/recorder.hpp"

namespace halocline::core {
namespace {

/// The plans whose rank 0 this process is.
struct Registry {
  std::mutex mutex;
  std::vector<SwapTimes *> plans;
};

/// Never destroyed: plans may be released at the end of the process.
Registry &registry() {
  static auto *const all = new Registry;
  return *all;
}

/// Before the table is printed, because that library was loaded first.
[[gnu::destructor]] void show_plans_that_are_left() {
  if (!trace::summarises()) return;
  const std::lock_guard lock(registry().mutex);
  for (SwapTimes *plan : registry().plans) plan->show_alone();
}

/// The mode of a swap that is over. Where the library has chosen view, a swap that was finished without views is as one in mode direct.
hlc_mode mode_of(const Plan &plan) {
  const bool copied = plan.options.mode == HLC_MODE_VIEW && plan.options.chosen && !plan.views_out;
  return copied ? HLC_MODE_DIRECT : plan.options.mode;
}

}  // namespace

std::string Plan::text() const { return times->plan().text(); }

SwapTimes::~SwapTimes() {
  if (!listed_) return;
  const std::lock_guard lock(registry().mutex);
  registry().plans.erase(std::find(registry().plans.begin(), registry().plans.end(), this));
  show_alone();
}

void SwapTimes::add_exchange(const Plan &plan) {
  const Topology &topology = *plan.topology;
  waits_by_rank_.resize(static_cast<std::size_t>(topology.size()));
  world_rank_ = topology.in_world(topology.rank());
  for (const hlc_mode mode : {plan.options.mode, mode_of(plan)})
    if (std::none_of(modes_.begin(), modes_.end(), [mode](const OfMode &of) { return of.mode == mode; })) modes_.push_back({mode, 0});
  if (listed_ || topology.rank() > 0 || !trace::summarises()) return;
  const std::lock_guard lock(registry().mutex);
  registry().plans.push_back(this);
  listed_ = true;
}

/// Waits since the last look, if the same thread made that one: those of other threads do not belong to this plan's time.
void SwapTimes::count_waits() {
  const trace::Waited now = trace::waited();
  if (now.thread == waited_.thread) sums_.all_waits += now.ns - waited_.ns;
  waited_ = now;
}

void SwapTimes::end_call(std::int64_t begin_ns, std::int64_t end_ns) {
  count_waits();
  sums_.ended = end_ns;
  swap_ns_ += end_ns - begin_ns;
}

void SwapTimes::add_release(std::int64_t begin_ns, std::int64_t end_ns) {
  count_waits();
  sums_.ended = end_ns;
  sums_.in_calls += end_ns - begin_ns;
  swap_ns_ += end_ns - begin_ns;
  sums_.most = std::max(sums_.most, swap_ns_);
}

void SwapTimes::begin_stage(const Plan &plan, std::int64_t now_ns) {
  for (const Part &part : plan.parts) {
    sums_.bytes_out += part.out;
    sums_.bytes_in += part.in;
  }
  if (stages_over_ > 0) return;
  if (sums_.swaps == 0) sums_.begun = now_ns;
  sums_.swaps += 1;
  swap_ns_ = 0;
}

void SwapTimes::end_stage(const Plan &plan, bool failed) {
  stages_over_ += 1;
  if (stages_over_ < plan.options.stages && !failed) return;
  stages_over_ = 0;
  for (OfMode &of : modes_)
    if (of.mode == mode_of(plan)) of.swaps += 1;
  sums_.in_calls += swap_ns_;
  sums_.most = std::max(sums_.most, swap_ns_);
  sums_.least = sums_.swaps == 1 ? swap_ns_ : std::min(sums_.least, swap_ns_);
}

void SwapTimes::add_wait(int rank, std::int64_t ns) {
  sums_.waits += ns;
  if (rank >= 0 && static_cast<std::size_t>(rank) < waits_by_rank_.size()) waits_by_rank_[static_cast<std::size_t>(rank)] += ns;
}

std::string SwapTimes::title() const {
  std::string modes;
  const bool several = std::count_if(modes_.begin(), modes_.end(), [](const OfMode &of) { return of.swaps > 0; }) > 1;
  for (const OfMode &of : modes_) {
    if (of.swaps == 0) continue;
    modes += modes.empty() ? ", mode " : ", ";
    modes += find_mode(of.mode)->name;
    if (several) modes += " (" + std::to_string(of.swaps) + " swaps)";
  }
  const std::string number = "plan " + std::to_string(plan_.serial);
  return plan_.name.empty() ? number + modes : "'" + plan_.name + "' (" + number + ")" + modes;
}

void SwapTimes::show_alone() {
  if (!shown_ && sums_.swaps > 0)
    for (const std::string &line : summary_lines_of_one(title(), {world_rank_, sums_, 0})) trace::add_line(line);
  shown_ = true;
}

}  // namespace halocline::core
