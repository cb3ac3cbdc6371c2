// The ranks of the node as one rank of a reduction sees them: their parts of the plan's memory, and the counters in it. Also the waits for
// them and for other nodes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "base/counter.hpp"
#include "engine/communicator/wait_until.hpp"
#include "engine/network/network.hpp"
#include "reduce/plan.hpp"
#include "reduce/ring.hpp"

namespace halocline::core {

/// The ranks of the node. Only make_room allocates.
class NodeRanks {
 public:
  NodeRanks(Communicator &communicator, Network &network) : communicator_(communicator), network_(network) {}
  NodeRanks(const NodeRanks &) = delete;
  NodeRanks &operator=(const NodeRanks &) = delete;

  /// To be called before attach.
  void make_room() { parts_.resize(static_cast<std::size_t>(communicator_.members())); }
  /// Takes the node's memory. `ring`: what waits drive progress of; null on one node. `plan`: its number, for messages.
  void attach(const SharedMemory &memory, Ring *ring, std::int64_t plan);

  Member me() const { return communicator_.member(); }
  Member members() const { return communicator_.members(); }
  char *part(Member member) const { return parts_[static_cast<std::size_t>(member)]; }
  Milestones &words(Member member) const { return *reinterpret_cast<Milestones *>(part(member)); }
  /// Stores a counter of mine, and wakes the ranks that may wait for it.
  void publish(Counter &counter, std::uint64_t value) {
    notify(counter, value);
    communicator_.ring_node();
  }

  /// Waits until `ready` is true, for rank `who`; a member of this node is named as -1 - member.
  template <class Ready>
  Status await(Ready ready, int who) {
    return ready() ? Status::ok : wait(ready, who);
  }
  /// Waits until a counter of all other ranks of the node has reached the value.
  Status await_all(Counter Milestones::*counter, std::uint64_t value);
  /// Waits until all that I have sent has left this process, so that no rank waits for me while I am outside the library.
  Status await_quiet();
  /// The same until it has also been read.
  Status await_settled();

 private:
  template <class Ready>
  Status wait(Ready ready, int who);
  int ring_after() const { return ring_->lanes() > 0 ? ring_->after(0) : -1; }
  Status find_failed(int who, bool timed_out) const;

  Communicator &communicator_;
  Network &network_;
  Ring *ring_ = nullptr;
  std::int64_t plan_ = 0;
  std::vector<char *> parts_;  // by member
};

template <class Ready>
Status NodeRanks::wait(Ready ready, int who) {
  const bool rings = who < 0 || network_.has_thread();
  Wait wait(communicator_, rings ? WakeUp::by_doorbell : WakeUp::by_network, {CallName::allreduce_run, plan_});
  if (trace::is_on()) wait.expect(who < 0 ? communicator_.rank_of(-1 - who) : who);
  const auto look = [&] {
    if (ready()) return Status::ok;
    if (ring_) HLC_TRY(ring_->progress());
    return Status::again;
  };
  return wait_until(wait, look, [&] { return find_failed(who, wait.timed_out()); });
}

}  // namespace halocline::core
