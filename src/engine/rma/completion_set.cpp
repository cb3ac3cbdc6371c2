// Flushes to the ranks that have been noted, and their failures.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/rma/completion_set.hpp"

#include <algorithm>
#include <utility>

#include "engine/network/request_engine.hpp"

namespace halocline::core {

void CompletionSet::note(int rank) {
  const Lock lock(mutex_);
  noted_.add(rank);
}

void CompletionSet::note_failure(Status why, int rank) {
  const Lock lock(mutex_);
  keep_failure(why, rank);
}

void CompletionSet::keep_failure(Status why, int rank) {
  const auto is_known = [rank](const Failure &one) { return one.rank == rank; };
  if (std::none_of(failures_.begin(), failures_.end(), is_known)) failures_.push_back({rank, why, error_message()});
}

void CompletionSet::add(std::vector<Flush> flushes) {
  const Lock lock(mutex_);
  flushes_.insert(flushes_.end(), flushes.begin(), flushes.end());
}

Status CompletionSet::look(RequestEngine *requests, const char *call) {
  const Lock lock(mutex_);
  flushes_.reserve(flushes_.size() + noted_.size());
  noted_.take_all([&](int rank)
                      HLC_UNDER_LOCK_OF_MAKER { flushes_.push_back(requests->begin_flush(rank, completion_ == Completion::remote)); });
  std::erase_if(flushes_, [&](Flush &flush) HLC_UNDER_LOCK_OF_MAKER {
    const Status status = requests->look(flush, call);
    if (failed(status)) keep_failure(status, flush.rank);
    return status != Status::again;
  });
  if (!failures_.empty()) return failures_.front().report();
  return flushes_.empty() ? Status::ok : Status::again;
}

Status CompletionSet::take_failure() {
  const Lock lock(mutex_);
  if (failures_.empty()) return Status::ok;
  const Failure first = std::move(failures_.front());
  failures_.erase(failures_.begin());
  return first.report();
}

std::vector<int> CompletionSet::failed_ranks() {
  const Lock lock(mutex_);
  std::vector<int> ranks;
  ranks.reserve(failures_.size());
  for (const Failure &one : failures_) ranks.push_back(one.rank);
  return ranks;
}

void CompletionSet::clear() {
  const Lock lock(mutex_);
  noted_.clear();
  flushes_.clear();
  failures_.clear();
}

}  // namespace halocline::core
