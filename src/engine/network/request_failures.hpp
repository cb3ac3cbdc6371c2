// Requests that have failed, and requests that are abandoned because their rank is lost.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/network/pending_requests.hpp"

namespace halocline::core {

/// Any thread may call if the endpoint was opened for many threads.
class RequestFailures {
 public:
  RequestFailures(PendingRequests &pending, ConnectionTable &connections) : pending_(pending), connections_(connections) {}

  /// True if a request to a rank has failed; to any rank.
  bool has_failed(int rank);
  bool has_failed();
  /// True if the provider holds a request to a rank.
  bool is_on_its_way(int rank);
  /// To be called for a rank that its probe does not reach. Requests that wait for it fail, unless the provider holds a request to it.
  void abandon(int rank, const char *call);
  /// Fails if a request to any rank has failed, or the helper process has ended.
  Status look_for_failure(const char *call);

 private:
  PendingRequests &pending_;
  ConnectionTable &connections_;
};

}  // namespace halocline::core
