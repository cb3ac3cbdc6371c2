// Each thread counts its own calls; whoever wants to know looks at all of them.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/gaspi/visit.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

namespace halocline::gaspi {
namespace {

struct Visitor;

/// It outlives the threads that end with the process.
struct Visitors {
  std::mutex mutex;
  std::vector<const Visitor *> all;
  std::uint64_t numbers = 0;
};

Visitors &visitors() {
  static auto *const kept = new Visitors;
  return *kept;
}

struct Visitor {
  Visitor() {
    const std::lock_guard lock(visitors().mutex);
    visitors().all.push_back(this);
    number = ++visitors().numbers;
  }
  Visitor(const Visitor &) = delete;
  Visitor &operator=(const Visitor &) = delete;
  ~Visitor() {
    const std::lock_guard lock(visitors().mutex);
    std::erase(visitors().all, this);
  }

  std::atomic<int> calls{0};  // written by its thread alone
  std::uint64_t number = 0;
};

Visitor &me() {
  thread_local Visitor visitor;
  return visitor;
}

}  // namespace

Visit::Visit() {
  // SYNC visit-before-job (pairs with is_alone): the visit is counted before the job is looked at.
  std::atomic<int> &calls = me().calls;
  calls.store(calls.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
}

Visit::~Visit() {
  // SYNC used-before-released (pairs with is_alone)
  std::atomic<int> &calls = me().calls;
  calls.store(calls.load(std::memory_order_relaxed) - 1, std::memory_order_release);
}

int Visit::depth() { return me().calls.load(std::memory_order_relaxed); }

bool Visit::is_alone() {
  const Visitor &mine = me();
  const std::lock_guard lock(visitors().mutex);
  // SYNC visit-before-job, used-before-released (pair with Visit)
  return std::all_of(visitors().all.begin(), visitors().all.end(),
                     [&](const Visitor *visitor) { return visitor == &mine || visitor->calls.load(std::memory_order_seq_cst) == 0; });
}

std::uint64_t thread_number() { return me().number; }

}  // namespace halocline::gaspi
