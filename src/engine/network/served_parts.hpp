// Serves the parts of this rank to ranks of other nodes: numbers the parts, carries out queries for them, and replies.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "engine/network/connection_table.hpp"
#include "engine/network/pending_requests.hpp"

namespace halocline::core {

/// Any thread may call if the endpoint was opened for many threads.
class ServedParts {
 public:
  ServedParts(const RequestNeeds &needs, PendingRequests &pending, std::uint64_t secret)
      : communicator_(needs.communicator),
        shared_endpoint_(needs.shared_endpoint),
        pending_(pending),
        service_(secret, needs.communicator.size()) {}

  /// Numbers a segment. All ranks call it in the same order; it has the same number on all.
  std::uint32_t next_segment();
  /// Numbers a part that this rank alone has made; no segment has that number.
  std::uint32_t next_own_part();
  /// Answers queries for a segment from now on.
  void serve(std::uint32_t segment, const Served &memory);
  void stop_serving(std::uint32_t segment);

  // With the lock:
  /// Reads a message of another rank; false for what is not a message of the job.
  bool read(const char *text, std::int64_t bytes, Message *message) const { return service_.read(text, bytes, message); }
  /// Carries out a query, whose operands follow it, and replies; false if it is not valid.
  bool carry_out(const Message &query, const char *operands, std::int64_t bytes);
  /// Tries the queries that were put off again, in the order in which they arrived.
  void carry_out_put_off();

 private:
  Status carry_out_and_reply(const Message &query, const char *operands, std::int64_t bytes, Outcome *outcome);

  Communicator &communicator_;
  SharedEndpoint &shared_endpoint_;
  PendingRequests &pending_;
  Service service_;
  std::vector<PutOff> put_off_;
  std::uint32_t next_segment_ = 0, next_own_part_ = 0;
};

}  // namespace halocline::core
