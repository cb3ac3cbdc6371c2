// Requests that have failed or are abandoned. A connection with an error is waited for no longer, and messages name it.
// SPDX-License-Identifier: BSD-3-Clause
#include <cerrno>

#include "engine/network/request_engine.hpp"

namespace halocline::core {

void RequestEngine::fail_connection(Connection &connection, int error, const char *call) {
  if (connection.error == 0) failed_connections_ += 1;
  connection.error = error;
  connection.failed_call = call;
}

bool RequestEngine::has_failed(int rank) {
  const auto locked = lock();
  const auto known = connections_.find(rank);
  return known != connections_.end() && known->second.error != 0;
}

bool RequestEngine::has_failed() {
  const auto locked = lock();
  return failed_connections_ > 0;
}

bool RequestEngine::is_held_by_provider(const Request &request) {
  return request.state.load(std::memory_order_relaxed) == Transfer::State::under_way && !endpoint_.waits_for_room(request);
}

bool RequestEngine::holds_any(const Connection &connection) {
  bool held = false;
  pool_.of(connection, [&](const Request &request) { held |= is_held_by_provider(request); });
  return held;
}

bool RequestEngine::is_on_its_way(int rank) {
  const auto locked = lock();
  const auto known = connections_.find(rank);
  return known != connections_.end() && holds_any(known->second);
}

void RequestEngine::give_up(int rank, const char *call) {
  const auto locked = lock();
  const auto known = connections_.find(rank);
  if (known == connections_.end() || known->second.error != 0) return;
  Connection &connection = known->second;
  if (holds_any(connection)) return;
  fail_connection(connection, ENOTCONN, call);
  pool_.of(connection, [&](Request &request) {
    // A request that another thread has handed to the provider meanwhile gets its own completion.
    const bool only_answer = request.awaits_reply && request.awaited == 1;
    if (!only_answer) return endpoint_.give_up(request, ENOTCONN);
    request.error = ENOTCONN;
    ended(request);
  });
}

Status RequestEngine::failure(const Connection &connection, const char *call) const {
  return fail(Status::peer_died, "%s: rank %d cannot reach %s over the network (any more): %s (in %s)", call, communicator_.rank(),
              name_of(connection.rank).c_str(), endpoint_.text_of(connection.error), connection.failed_call);
}

Status RequestEngine::late(const char *call, int rank) const {
  const std::string peer = rank < 0 ? "the network" : name_of(rank);
  return fail(Status::timeout, "%s: rank %d has waited %lld s for %s (HALOCLINE_TIMEOUT)", call, communicator_.rank(),
              static_cast<long long>(communicator_.timeout_ns() / 1'000'000'000), peer.c_str());
}

Status RequestEngine::look_for_failure(const char *call) {
  if (helper_) HLC_TRY(helper_->look_for_death());
  const auto locked = lock();
  if (failed_connections_ == 0) return Status::ok;
  for (const auto &[rank, connection] : connections_)
    if (connection.error != 0) return failure(connection, call);
  return Status::ok;
}

std::string RequestEngine::name_of(int rank) const { return on_its_host(rank, ranks_.of(rank).host); }

}  // namespace halocline::core
