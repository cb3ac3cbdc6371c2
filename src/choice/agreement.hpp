// An agreement of all ranks in the course of their swaps. It is begun at one swap and concluded at a later one, the same on all ranks.
// Nobody waits for it in between.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/communicator/collective.hpp"

namespace halocline::core {

/// Finds the largest of each number over all ranks. Once made, nothing allocates.
class Agreement {
 public:
  /// serial: of the plan whose swaps these are, for messages.
  Agreement(Communicator &communicator, std::int64_t serial, int numbers);
  Agreement(const Agreement &) = delete;
  Agreement &operator=(const Agreement &) = delete;
  ~Agreement();

  /// Collective: its messages have a communicator of their own.
  Status create();
  /// What this rank says; written before begin.
  std::vector<std::int64_t> &mine() { return job_->mine; }
  /// The largest, once await has returned ok.
  const std::vector<std::int64_t> &largest() const { return job_->all; }

  Status begin();
  /// True from begin until the numbers are there.
  bool is_pending() const { return pending_; }
  /// Lets MPI progress. `again` while ranks are missing.
  Status poll();
  /// Waits, at most HALOCLINE_TIMEOUT. Fails if a rank has died.
  Status await();
  /// Collective, when the plan ends. After a failure of any rank MPI may still write: then its memory is leaked.
  void end(bool broken);

 private:
  struct Numbers : Job {
    std::vector<std::int64_t> mine, all;
  };
  Status find_failure(bool timed_out) const;
  void give_up();

  Communicator &communicator_;
  std::int64_t serial_, begun_ = 0;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::unique_ptr<Numbers> job_;
  bool pending_ = false;
};

}  // namespace halocline::core
