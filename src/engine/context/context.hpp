// The library opened for a communicator: its ranks, the network, the fields in shared memory, check mode's mailbox. The root of the engine.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "engine/communicator/check_mailbox.hpp"
#include "engine/communicator/communicator.hpp"
#include "engine/context/live.hpp"
#include "engine/memory/fields.hpp"
#include "engine/memory/packings.hpp"
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
  const Fields &fields() const { return fields_; }
  /// Check mode's mailbox; null unless HALOCLINE_CHECK=1.
  CheckMailbox *check_mailbox() const { return check_mailbox_.get(); }
  /// The packings of messages for peers of the node.
  Packings &packings() { return packings_; }

  /// Halos, exchanges, segments and others made from this context and not yet released.
  LiveObjects live;

 private:
  Status read_environment();
  Status compare_builds(MPI_Comm comm);
  Status compare_environment(MPI_Comm comm);
  Status compare_texts(MPI_Comm comm);
  Status split_nodes();
  Status number_nodes();
  Status count_cores(MPI_Comm ranks, int *cores);
  Status open_doorbell();
  Status open_post();

  long fake_nodes_ = 0, checks_ = 0;
  Packings packings_{};
  Network network_{*this};
  std::unique_ptr<CheckMailbox> check_mailbox_;
  Fields fields_{*this};  // destroyed first
};

}  // namespace halocline::core
