// What the swaps of a plan took on this rank, for the table of HALOCLINE_SUMMARY. A plan in mode auto has an exchange per candidate, and a
// staged halo one per stage. The exchanges of a plan share it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exchange/channel.hpp"
#include "exchange/summary_table.hpp"
#include "trace/trace.hpp"

namespace halocline::core {

class SwapTimes {
 public:
  /// The swaps of one mode.
  struct OfMode {
    hlc_mode mode;
    std::int64_t swaps;
  };

  SwapTimes() = default;
  SwapTimes(const SwapTimes &) = delete;
  SwapTimes &operator=(const SwapTimes &) = delete;
  /// Rank 0 of the plan adds its own row to the table at the end, if all ranks together have none.
  ~SwapTimes();

  /// The caller's plan. It gets its number when all ranks make it.
  void set_name(const std::string &name) { plan_.name = name; }
  void set_serial(std::int64_t serial) { plan_.serial = serial; }
  const PlanName &plan() const { return plan_; }
  /// Makes room for what an exchange of the plan adds.
  void add_exchange(const Plan &plan);

  /// A call that belongs to a swap begins; it has ended.
  void begin_call() { count_waits(); }
  void end_call(std::int64_t begin_ns, std::int64_t end_ns);
  /// The neighbour's cells of a swap that is over are released: that is time in the swap, too.
  void add_release(std::int64_t begin_ns, std::int64_t end_ns);
  void begin_stage(const Plan &plan, std::int64_t now_ns);
  /// A stage is over. If it was not the last one, and the swap has not failed, another one follows.
  void end_stage(const Plan &plan, bool failed);
  /// This rank has waited in the swap, for that rank of the plan; below 0: for which is not known.
  void add_wait(int rank, std::int64_t ns);

  const SwapSums &sums() const { return sums_; }
  /// By rank of the plan: how long this rank has waited for its data.
  const std::vector<std::int64_t> &waits_by_rank() const { return waits_by_rank_; }
  /// The plan as the table names it, with the modes of its swaps.
  std::string title() const;
  /// Its rows are in the table.
  void set_shown() { shown_ = true; }
  /// Rank 0 alone adds its own row, if there is none of all ranks, and this one has swapped.
  void show_alone();

 private:
  void count_waits();

  PlanName plan_;
  int world_rank_ = 0;
  SwapSums sums_;
  std::vector<std::int64_t> waits_by_rank_;
  std::vector<OfMode> modes_;
  trace::Waited waited_;  // when this was last looked at
  std::int64_t swap_ns_ = 0;  // of the running swap
  int stages_over_ = 0;  // of the running swap
  bool listed_ = false, shown_ = false;
};

}  // namespace halocline::core
