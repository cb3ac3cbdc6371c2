// Posting, taking and finishing shared items. A thread may see a job that is finished, or the next job's list with the previous job's
// word. It must not take an item then. So the words are closed before another job is posted, and an item is taken by compare and swap.
// SPDX-License-Identifier: BSD-3-Clause
#include "blocks/team.hpp"

#include <sched.h>
#include <time.h>

#include <numeric>

namespace halocline::core {

void PartOrder::sort(const std::vector<int> &part_of, int parts) {
  first.assign(static_cast<std::size_t>(parts) + 1, 0);
  for (const int part : part_of) first[static_cast<std::size_t>(part) + 1] += 1;
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  items.resize(part_of.size());
  for (std::size_t i = 0; i < part_of.size(); ++i) items[next[static_cast<std::size_t>(part_of[i])]++] = static_cast<int>(i);
}

void ThreadPause::pause() {
  constexpr int spins = 100, yields = 400;
  constexpr timespec kPause{0, 50'000};
  looks_ = looks_ < spins + yields ? looks_ + 1 : looks_;
  if (looks_ <= spins)
    cpu_pause();
  else if (looks_ < spins + yields)
    sched_yield();
  else
    nanosleep(&kPause, nullptr);
}

SharedJob::SharedJob(int parts, DoItem do_item) : next_(static_cast<std::size_t>(parts)), do_item_(std::move(do_item)) { publish(kClosed); }

void SharedJob::publish(std::uint64_t next) {
  // SYNC job-before-item (pairs with take): what the items read was written before.
  for (Counter &word : next_) word.value.store(number_ << 32 | next, std::memory_order_release);
}

void SharedJob::run(const PartOrder &job, std::size_t part) {
  if (job.items.empty()) return;
  number_ += 1;
  items_ += job.items.size();
  // SYNC closed-before-posted (pairs with take)
  posted_.store(&job, std::memory_order_release);
  publish(0);
  while (help(part)) continue;
  ThreadPause wait;
  // SYNC item-before-done (pairs with take)
  while (done_.value.load(std::memory_order_acquire) != items_) wait.pause();
  publish(kClosed);
}

bool SharedJob::help(std::size_t part) {
  for (std::size_t i = 0; i < next_.size(); ++i)
    if (take((part + i) % next_.size())) return true;
  return false;
}

bool SharedJob::take(std::size_t part) {
  std::atomic<std::uint64_t> &word = next_[part].value;
  // SYNC job-before-item (pairs with publish)
  std::uint64_t seen = word.load(std::memory_order_acquire);
  while ((seen & kClosed) != kClosed) {
    // SYNC closed-before-posted (pairs with run): if the list is newer than the word, the word has been closed since,
    // and the compare and swap fails.
    const PartOrder *job = posted_.load(std::memory_order_acquire);
    const std::uint64_t item = seen & kClosed;
    if (item >= job->count(part)) return false;
    if (!word.compare_exchange_weak(seen, seen + 1, std::memory_order_acq_rel, std::memory_order_acquire)) continue;
    do_item_(job->items[job->first[part] + static_cast<std::size_t>(item)]);
    // SYNC item-before-done (pairs with run)
    done_.value.fetch_add(1, std::memory_order_release);
    return true;
  }
  return false;
}

}  // namespace halocline::core
