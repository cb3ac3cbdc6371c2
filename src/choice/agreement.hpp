// An agreement of all ranks in the course of their swaps. It is begun at one swap and concluded at a later one, the same on all ranks. In
// between no rank waits for it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/communicator/collective.hpp"
#include "exchange/swap.hpp"

namespace halocline::core {

/// Finds the mean of each number over all ranks, rounded down. Once made, nothing allocates.
class Agreement {
 public:
  /// plan: whose swaps these are.
  Agreement(Communicator &communicator, const PlanName &plan, int numbers);
  Agreement(const Agreement &) = delete;
  Agreement &operator=(const Agreement &) = delete;
  ~Agreement();

  /// Collective: its messages have a communicator of their own.
  Status create();
  /// What this rank says, before begin: some of the next numbers; the last one. What it does not say is 0. The agreement before must have
  /// been awaited: MPI may still read its numbers.
  void contribute(const std::vector<std::int64_t> &numbers) {
    for (const std::int64_t number : numbers) job_->mine[contributed_++] = number;
  }
  void contribute_last(std::int64_t number) { job_->mine.back() = number; }
  /// The means, once await has returned ok.
  const std::vector<std::int64_t> &means() const { return job_->all; }

  /// The agreement is due after this number of swaps.
  Status begin(int swaps);
  /// A swap is over. Lets MPI progress; ok once the agreement is due, `again` before.
  Status pass();
  /// Waits, at most HALOCLINE_TIMEOUT; not at all if nothing is pending. Fails if a rank has died.
  Status await();
  /// Collective, when the plan ends. After a failure of any rank MPI may still write: then its memory is leaked.
  void end(bool broken);

 private:
  struct Numbers : Job {
    std::vector<std::int64_t> mine, all;
  };
  Status poll();
  Status find_failure(bool timed_out);
  Member find_ending() const;
  Status suspect_ending();
  void give_up();

  Communicator &communicator_;
  const PlanName plan_;
  std::int64_t begun_ = 0;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::unique_ptr<Numbers> job_;
  std::size_t contributed_ = 0;
  int left_ = 0;  // swaps until it is due
  bool pending_ = false;
  std::int64_t ending_since_ns_ = 0;  // when this wait first found a rank that ends the plan
  int ending_checks_ = 0;  // how often since
};

}  // namespace halocline::core
