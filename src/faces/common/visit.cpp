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

thread_local constinit Visitor *visit_state::known = nullptr;
std::atomic<bool> visit_state::fences_all{false};

namespace {

using visit_state::fences_all;
using visit_state::known;

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

/// A thread's visitor, listed as long as the thread lives.
struct ListedVisitor : Visitor {
  ListedVisitor() {
    const std::lock_guard lock(visitors().mutex);
    visitors().all.push_back(this);
    number = ++visitors().numbers;
    known = this;
  }
  ListedVisitor(const ListedVisitor &) = delete;
  ListedVisitor &operator=(const ListedVisitor &) = delete;
  ~ListedVisitor() {
    const std::lock_guard lock(visitors().mutex);
    std::erase(visitors().all, this);
    known = nullptr;
  }
};

Visitor &me() { return known ? *known : visit_state::introduce(); }

}  // namespace

Visitor &visit_state::introduce() {
  thread_local ListedVisitor visitor;
  return visitor;
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
