// Looking for ranks that have ended, or cannot be reached any more.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/network/watch.hpp"

#include <algorithm>
#include <ctime>
#include <utility>

#include "engine/communicator/wait.hpp"
#include "engine/network/helper.hpp"
#include "engine/network/liveness.hpp"
#include "engine/network/request_engine.hpp"

namespace halocline::core {
namespace {

/// A clock that costs a few loads, and is some milliseconds behind.
std::int64_t coarse_now_ns() {
  std::timespec time;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

}  // namespace

/// Stores the ranks of the node, since MPI may have been finalised when they are needed.
void Watch::open() {
  const auto members = static_cast<std::size_t>(communicator_.members());
  looked_ns_ = std::make_unique<std::atomic<std::int64_t>[]>(members);
  for (Member member = 0; member < communicator_.members(); ++member) ranks_.push_back(communicator_.rank_of(member));
}

Watch::Loss *Watch::find(int rank) {
  const auto found = std::find_if(losses_.begin(), losses_.end(), [rank](const Loss &loss) { return loss.rank == rank; });
  return found == losses_.end() ? nullptr : &*found;
}

void Watch::note(int rank, std::string why) {
  losses_.push_back({rank, std::move(why), false});
  count_.store(static_cast<int>(losses_.size()), std::memory_order_release);
  if (Liveness *liveness = network_.liveness()) liveness->forget(rank);
}

Status Watch::look(const char *call) {
  const Lock lock(mutex_);
  for (Member member = 0; member < communicator_.members(); ++member) look_at(member);
  if (const Helper *helper = network_.helper()) HLC_TRY(helper->look_for_death());
  if (RequestEngine *requests = network_.requests()) look_at_others(call, *requests);
  return Status::ok;
}

void Watch::look_at(Member member) {
  const int rank = ranks_[static_cast<std::size_t>(member)];
  if (!find(rank) && !communicator_.doorbell().alive(member)) note(rank, "the process of rank " + std::to_string(rank) + " has ended");
}

bool Watch::poll_sometimes(Member member) {
  std::atomic<std::int64_t> &looked = looked_ns_[static_cast<std::size_t>(member)];
  const std::int64_t now = coarse_now_ns();
  if (now - looked.load(std::memory_order_relaxed) >= kMinPollInterval_ns) {
    looked.store(now, std::memory_order_relaxed);
    const Lock lock(mutex_);
    look_at(member);
  }
  return knows_any() && is_lost(ranks_[static_cast<std::size_t>(member)]);
}

bool Watch::has_lost(int rank, const char *call) {
  static_cast<void>(look(call));
  return is_lost(rank);
}

void Watch::look_at_others(const char *call, RequestEngine &requests) {
  Liveness &liveness = *network_.liveness();
  for (int lost = -1; (lost = liveness.find_lost(Liveness::kLost_ns, lost)) >= 0;) requests.failures().abandon(lost, call);
  if (!requests.failures().has_failed()) return;
  for (int rank = 0; rank < communicator_.size(); ++rank)
    if (requests.failures().has_failed(rank) && !find(rank)) note(rank, requests.name_of(rank) + " cannot be reached over the network");
}

bool Watch::is_lost(int rank) {
  const Lock lock(mutex_);
  return find(rank) != nullptr;
}

Status Watch::name(const char *call, Loss &loss) const {
  loss.reported = true;
  return fail(Status::peer_died, "%s on rank %d: %s", call, communicator_.rank(), loss.why.c_str());
}

Status Watch::send_notice(const char *call, int since) {
  if (!knows_any()) return Status::ok;
  const Lock lock(mutex_);
  for (std::size_t i = 0; i < losses_.size(); ++i)
    if (!losses_[i].reported || i >= static_cast<std::size_t>(since)) return name(call, losses_[i]);
  return Status::ok;
}

Status Watch::report(const char *call, int rank) {
  const Lock lock(mutex_);
  Loss *loss = find(rank);
  return loss ? name(call, *loss) : Status::ok;
}

void Watch::mark_all_reported() {
  const Lock lock(mutex_);
  for (Loss &loss : losses_) loss.reported = true;
}

}  // namespace halocline::core
