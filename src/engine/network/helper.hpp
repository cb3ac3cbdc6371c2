// A rank's interface to its node's helper process (HALOCLINE_PROGRESS=helper): one per node, the target for the parts of all its ranks
// while they compute. Ranks of other nodes send their writes, reads and queries to it; the operations that a rank itself begins use its
// own endpoint. Source: Si et al., Casper (IPDPS 2015), in the slides of Hammond.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mutex>
#include <string>

#include "engine/communicator/communicator.hpp"
#include "engine/communicator/wait.hpp"
#include "engine/network/helper_state.hpp"
#include "engine/network/service.hpp"

namespace halocline::core {

/// The first rank of a node starts the helper, all its ranks send requests to it. It ends when that rank says so, or with the last of its
/// ranks, however they end.
class Helper {
 public:
  explicit Helper(Communicator &communicator) : communicator_(communicator) {}
  Helper(const Helper &) = delete;
  Helper &operator=(const Helper &) = delete;
  ~Helper();

  /// Starts it, and hands it the addresses of all ranks. Collective over the communicator, the same status on all ranks.
  Status start(const NetworkEndpoint &network, const transport::Choice &choice, const SharedMemory &addresses);
  /// The address at which ranks of other nodes reach this one.
  const transport::Address &address() const { return state().address; }
  /// Its word for probes.
  const transport::RemoteKey &probe() const { return state().probe; }

  /// Has this rank's part of a segment served: the part of `member` in `memory`, whose file must still be open.
  Status serve(std::uint32_t segment, const SharedMemory &memory, Member member, const Served &mine, HelperReply *reply);
  void stop_serving(std::uint32_t segment);
  /// Fails once its process has ended.
  Status look_for_death() const;

 private:
  Status launch(const NetworkEndpoint &network, const transport::Choice &choice);
  Status fill_state(const NetworkEndpoint &network, const transport::Choice &choice);
  Status await_ready();
  Status open_pipe();
  Status request(const HelperRequest &request, HelperReply *reply);
  Status find_failure(const Wait &wait) const;
  template <class There>
  Status await(There there);
  void ring() const;
  void reap();
  HelperState &state() const { return reinterpret_cast<HelperPart *>(memory_.part(0))->state; }
  HelperSlot &slot() const { return reinterpret_cast<HelperPart *>(memory_.part(communicator_.member()))->slot; }

  Communicator &communicator_;
  SharedMemory memory_;
  int child_ = 0;  // of member 0
  int pipe_[2] = {-1, -1};  // both ends: writing to a pipe without a reader would end the rank
  std::mutex mutex_;
};

}  // namespace halocline::core
