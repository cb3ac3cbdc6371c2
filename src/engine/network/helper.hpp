// A rank's end of its node's helper process (HALOCLINE_PROGRESS=helper): a process of the library, one per node, that answers for the parts of
// all its ranks while they compute. Ranks of other nodes write to it, read from it and ask it; what a rank itself begins goes
// through its own endpoint. Source: Si et al., Casper (IPDPS 2015), in the slides of Hammond.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mutex>
#include <string>

#include "engine/communicator/communicator.hpp"
#include "engine/network/helper_state.hpp"
#include "engine/network/service.hpp"

namespace halocline {

/// The first rank of a node starts the helper, all ranks talk to it. It ends when told to by that rank, or with the last of its ranks, however
/// they end.
class Helper {
 public:
  explicit Helper(Communicator &communicator) : communicator_(communicator) {}
  Helper(const Helper &) = delete;
  Helper &operator=(const Helper &) = delete;
  ~Helper();

  /// Starts it, and tells it where all ranks are. Collective over the communicator, the same status on all ranks.
  Status start(const NetworkEndpoint &network, const transport::Choice &choice, const SharedMemory &addresses);
  /// Where ranks of other nodes reach this one.
  const transport::Address &address() const { return state().address; }

  /// Has this rank's part of a segment served: that of a member in memory whose file is kept until then.
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
  template <class There>
  Status await(There there);
  void ring() const;
  void reap();
  HelperState &state() const { return reinterpret_cast<HelperPart *>(memory_.part(0))->state; }
  HelperSlot &slot() const { return reinterpret_cast<HelperPart *>(memory_.part(communicator_.member()))->slot; }

  Communicator &communicator_;
  SharedMemory memory_;
  int child_ = 0;  // of member 0
  int pipe_[2] = {-1, -1};  // both ends: a pipe that nobody reads would end the rank that writes
  std::mutex mutex_;
};

}  // namespace halocline
