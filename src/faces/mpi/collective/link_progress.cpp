// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/collective/link_progress.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "base/never_destroyed.hpp"
#include "faces/mpi/collective/busy.hpp"
#include "faces/mpi/window/host_progress.hpp"

namespace halocline::core::mpi {
namespace {

/// Never destroyed: the host may progress as late as the process ends.
struct ListedLinks {
  Busy busy;
  std::vector<DrivenLinks *> all;
  std::atomic<bool> any{false};
};
ListedLinks &listed_links() { return never_destroyed<ListedLinks>(); }

/// Part of the host's progress.
int drive_links() {
  progress_all_links(true);
  return 0;
}

}  // namespace

void list_links(DrivenLinks *links) {
  drive_while_host_waits(drive_links);
  ListedLinks &list = listed_links();
  const std::lock_guard lock(list.busy);
  list.all.push_back(links);
  list.any.store(true, std::memory_order_relaxed);
}

void unlist_links(DrivenLinks *links) {
  ListedLinks &list = listed_links();
  const std::lock_guard lock(list.busy);
  list.all.erase(std::remove(list.all.begin(), list.all.end(), links), list.all.end());
  list.any.store(!list.all.empty(), std::memory_order_relaxed);
}

void progress_all_links(bool in_host) {
  ListedLinks &list = listed_links();
  if (!list.any.load(std::memory_order_relaxed) || !list.busy.try_lock()) return;
  const std::lock_guard lock(list.busy, std::adopt_lock);
  for (DrivenLinks *links : list.all) links->progress_if_free(in_host);
}

}  // namespace halocline::core::mpi
