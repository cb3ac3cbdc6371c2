// Requests that have failed or are abandoned.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/network/request_failures.hpp"

#include <cerrno>

namespace halocline::core {

bool RequestFailures::has_failed(int rank) {
  const auto locked = pending_.lock();
  const Connection *const connection = connections_.find(rank);
  return connection && connection->error != 0;
}

bool RequestFailures::has_failed() {
  const auto locked = pending_.lock();
  return connections_.any_failed();
}

bool RequestFailures::is_held_by_provider(const Request &request) {
  return request.state.load(std::memory_order_relaxed) == Transfer::State::under_way && !endpoint_.waits_for_room(request);
}

bool RequestFailures::holds_any(const Connection &connection) {
  bool held = false;
  pending_.of(connection, [&](const Request &request) { held |= is_held_by_provider(request); });
  return held;
}

bool RequestFailures::is_on_its_way(int rank) {
  const auto locked = pending_.lock();
  const Connection *const connection = connections_.find(rank);
  return connection && holds_any(*connection);
}

void RequestFailures::abandon(int rank, const char *call) {
  const auto locked = pending_.lock();
  Connection *const connection = connections_.find(rank);
  if (!connection || connection->error != 0 || holds_any(*connection)) return;
  connections_.fail_connection(*connection, ENOTCONN, call);
  pending_.of(*connection, [&](Request &request) {
    // A request that another thread has handed to the provider meanwhile gets its own completion.
    const bool only_answer = request.awaits_reply && request.awaited == 1;
    if (!only_answer) return endpoint_.abandon(request, ENOTCONN);
    request.error = ENOTCONN;
    pending_.ended(request);
  });
}

Status RequestFailures::look_for_failure(const char *call) {
  if (Helper *const helper = connections_.helper()) HLC_TRY(helper->look_for_death());
  const auto locked = pending_.lock();
  return connections_.find_failure(call);
}

}  // namespace halocline::core
