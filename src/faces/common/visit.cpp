// Each thread counts its own calls; is_alone reads the counts of all threads.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/common/visit.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

namespace halocline::core {
namespace {

thread_local constinit Visitor *known = nullptr;
std::atomic<bool> fences_all{false};

/// All threads' counts. Never destroyed: it outlives the threads that end with the process.
struct Visitors {
  std::mutex mutex;
  std::vector<const Visitor *> all;
  std::uint64_t numbers = 0;
};

Visitors &visitors() {
  static auto *const kept = new Visitors;
  return *kept;
}

}  // namespace

struct Visitor {
  Visitor() {
    const std::lock_guard lock(visitors().mutex);
    visitors().all.push_back(this);
    number = ++visitors().numbers;
    known = this;
  }
  Visitor(const Visitor &) = delete;
  Visitor &operator=(const Visitor &) = delete;
  ~Visitor() {
    const std::lock_guard lock(visitors().mutex);
    std::erase(visitors().all, this);
    known = nullptr;
  }

  std::atomic<int> calls{0};  // written by its thread alone
  std::uint64_t number = 0;
};

namespace {

Visitor &introduce() {
  thread_local Visitor visitor;
  return visitor;
}

Visitor &me() { return known ? *known : introduce(); }

}  // namespace

Visit::Visit() : visitor_(me()) {
  // SYNC visit-before-job (pairs with is_alone): the visit is counted before the job is looked at.
  const int calls = visitor_.calls.load(std::memory_order_relaxed) + 1;
  if (fences_all.load(std::memory_order_relaxed)) {
    visitor_.calls.store(calls, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  } else {
    visitor_.calls.store(calls, std::memory_order_seq_cst);
  }
}

Visit::~Visit() {
  // SYNC used-before-released (pairs with is_alone)
  visitor_.calls.store(visitor_.calls.load(std::memory_order_relaxed) - 1, std::memory_order_release);
}

void Visit::prepare() { fences_all = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0; }

int Visit::depth() { return me().calls.load(std::memory_order_relaxed); }

bool Visit::is_alone() {
  const Visitor &mine = me();
  // SYNC visit-before-job (pairs with Visit): a fence of all threads, between what each has counted and what it looks at next.
  if (fences_all) syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
  const std::lock_guard lock(visitors().mutex);
  // SYNC visit-before-job, used-before-released (pair with Visit)
  return std::all_of(visitors().all.begin(), visitors().all.end(),
                     [&](const Visitor *visitor) { return visitor == &mine || visitor->calls.load(std::memory_order_seq_cst) == 0; });
}

std::uint64_t thread_number() { return me().number; }

}  // namespace halocline::core
