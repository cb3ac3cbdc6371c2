// The server of the helper process. It serves the parts of its node's ranks to other nodes, carries out their requests, and sleeps while
// there is nothing to do.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <utility>

#include "engine/network/helper_state.hpp"
#include "engine/network/liveness.hpp"
#include "helper/replies.hpp"

namespace halocline::core {

/// Used by one thread.
class Server {
 public:
  /// The parts of the node's members, one behind the other.
  Server(char *parts, std::int64_t distance)
      : parts_(parts), distance_(distance), service_(state().choice.secret, state().ranks), replies_(endpoint_) {}

  /// Opens the network, and reports to the ranks whether that succeeded.
  bool open();
  /// Serves until no rank needs it any more. The ranks ring through the pipe.
  void serve(int pipe);

 private:
  /// A rank's part of a segment.
  struct Guest {
    transport::shm::Region memory, shared_notifications;
    NetworkSegment open_to_others;
    std::uint64_t words_id = 0;
  };

  Status try_to_open();
  bool is_needed(int pipe);
  bool poll();
  void receive(Transfer &buffer);
  bool read(const char *text, std::int64_t bytes);
  bool carry_out(const Message &query, Operands operands);
  void carry_out_put_off();
  void look_at(HelperSlot &slot);
  Status do_as_asked(const HelperRequest &request, HelperReply *reply);
  Status take_in(const HelperRequest &request, HelperReply *reply);
  static Status find_words(const HelperRequest &request, Guest *guest, NotificationWords *words);
  void abandon(const HelperRequest &request);
  HelperPart &part(int member) const { return *reinterpret_cast<HelperPart *>(parts_ + member * distance_); }
  HelperState &state() const { return part(0).state; }

  char *parts_;
  std::int64_t distance_;
  NetworkEndpoint endpoint_;
  Service service_;
  NetworkSegment probed_;  // a word that ranks of other nodes write
  ReceiveBuffers receive_buffers_;
  Replies replies_;
  std::vector<PutOff> put_off_;
  transport::shm::Region ranks_;  // the table of all ranks of the job
  transport::shm::Doorbell doorbells_;
  std::vector<int> members_;
  std::map<std::pair<int, std::uint32_t>, Guest> guests_;
};

}  // namespace halocline::core
