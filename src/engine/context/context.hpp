// The library opened for a communicator: its ranks, the network, the fields in shared memory, check mode's mailbox. The root of the engine.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <memory>

#include "engine/communicator/check_mailbox.hpp"
#include "engine/communicator/communicator.hpp"
#include "engine/memory/fields.hpp"
#include "engine/network/network.hpp"

namespace halocline::core {

/// Everything that outlives single halos. Created by hlc_init; one per communicator.
class Context : public Communicator {
 public:
  Context() = default;

  /// Duplicates the communicator and finds this rank's node. Collective over comm; `mine` is this rank's status so far.
  Status open(MPI_Comm comm, Status mine);
  /// Releases everything except the communicators, which MPI can only free collectively, and the memory that MPI may still write.
  void give_up();

  /// The network to the ranks of other nodes.
  Network &network() { return network_; }
  const Network &network() const { return network_; }
  /// The memory of hlc_field_alloc.
  Fields &fields() { return fields_; }
  /// Check mode's mailbox; null unless HALOCLINE_CHECK=1.
  CheckMailbox *check_mailbox() const { return check_mailbox_.get(); }
  /// The best packing of messages of at most 2^n bytes for a peer, as found by trials on this node (docs/design/004-packing-for-a-peer.md).
  /// The same on all ranks of the node.
  enum class Packing : char { not_tried, kept, fetched, past_caches };
  Packing &packing(int n) { return packings_[static_cast<std::size_t>(n)]; }

  /// Halos and exchanges made from this context and not yet released.
  std::atomic<int> live_plans = 0;

 private:
  Status read_environment();
  Status compare_builds(MPI_Comm comm);
  Status compare_environment(MPI_Comm comm);
  Status split_nodes();
  Status number_nodes();
  Status count_cores();
  Status open_doorbell();
  Status open_post();

  long pretended_nodes_ = 0, checks_ = 0;
  std::array<Packing, 64> packings_{};
  Network network_{*this};
  std::unique_ptr<CheckMailbox> check_mailbox_;
  Fields fields_{*this};  // destroyed first
};

}  // namespace halocline::core
