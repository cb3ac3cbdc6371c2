// Flushes to the ranks that have been noted, and their failures.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/rma/completion_set.hpp"

#include <algorithm>

namespace halocline::core {

void CompletionSet::note(int rank) {
  const std::lock_guard lock(mutex_);
  noted_.add(rank);
}

void CompletionSet::note_failure(Status why, int rank) {
  const std::lock_guard lock(mutex_);
  keep_failure(why, rank);
}

void CompletionSet::keep_failure(Status why, int rank) {
  if (why_ == Status::ok) why_ = why, message_ = error_message();
  if (std::find(failed_ranks_.begin(), failed_ranks_.end(), rank) == failed_ranks_.end()) failed_ranks_.push_back(rank);
}

void CompletionSet::add(std::vector<Flush> flushes) {
  const std::lock_guard lock(mutex_);
  flushes_.insert(flushes_.end(), flushes.begin(), flushes.end());
}

Status CompletionSet::look(RequestEngine *requests, const char *call) {
  const std::lock_guard lock(mutex_);
  flushes_.reserve(flushes_.size() + noted_.size());
  noted_.take_all([&](int rank) { flushes_.push_back(requests->begin_flush(rank, completion_ == Completion::remote)); });
  std::erase_if(flushes_, [&](Flush &flush) {
    const Status status = requests->look(flush, call);
    if (failed(status)) keep_failure(status, flush.rank);
    return status != Status::again;
  });
  if (failed(why_)) return fail(why_, "%s", message_.c_str());
  return flushes_.empty() ? Status::ok : Status::again;
}

std::vector<int> CompletionSet::failed_ranks() {
  const std::lock_guard lock(mutex_);
  return failed_ranks_;
}

void CompletionSet::clear() {
  const std::lock_guard lock(mutex_);
  noted_.clear();
  flushes_.clear();
  failed_ranks_.clear();
  why_ = Status::ok;
}

}  // namespace halocline::core
