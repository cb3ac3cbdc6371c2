// Waits of a reduction, and what they report when they fail.
// SPDX-License-Identifier: BSD-3-Clause
#include "reduce/node_ranks.hpp"

#include <string>

#include "engine/communicator/missing.hpp"

namespace halocline::core {

void NodeRanks::attach(const SharedMemory &memory, Ring *ring, std::int64_t plan) {
  for (Member member = 0; member < members(); ++member) parts_[static_cast<std::size_t>(member)] = memory.part(member);
  ring_ = ring;
  plan_ = plan;
}

Status NodeRanks::await_all(Counter Milestones::*counter, std::uint64_t value) {
  for (Member member = 0; member < members(); ++member)
    if (member != me()) HLC_TRY(await([&] { return reached(words(member).*counter, value); }, -1 - member));
  return Status::ok;
}

Status NodeRanks::await_quiet() {
  return await([&] { return ring_->is_quiet(); }, ring_after());
}

Status NodeRanks::await_settled() {
  return await([&] { return ring_->is_settled(); }, ring_after());
}

Status NodeRanks::find_failed(int who, bool timed_out) const {
  const char *call = name_of(CallName::allreduce_run);
  const int rank = communicator_.rank();
  if (const int dead = communicator_.find_dead(); dead >= 0)
    return fail(Status::peer_died, "%s: rank %d waits for rank %d, whose process has ended", call, rank, dead);
  if (ring_) HLC_TRY(ring_->find_lost());
  if (!timed_out) return Status::ok;
  std::string name = name_missing_members(communicator_, {CallName::allreduce_run, plan_});
  if (name.empty()) name = who < 0 ? "rank " + std::to_string(communicator_.rank_of(-1 - who)) : ring_->name_of(who);
  return fail(Status::timeout, "%s: rank %d timed out after %lld s waiting for %s (HALOCLINE_TIMEOUT)", call, rank,
              static_cast<long long>(communicator_.timeout_ns() / 1'000'000'000), name.c_str());
}

}  // namespace halocline::core
