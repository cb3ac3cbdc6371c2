// Requests that have failed or are abandoned.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/network/request_failures.hpp"

#include "engine/network/connection_table.hpp"
#include "engine/network/helper.hpp"

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

bool RequestFailures::is_on_its_way(int rank) {
  const auto locked = pending_.lock();
  const Connection *const connection = connections_.find(rank);
  return connection && pending_.pool().is_held(*connection);
}

void RequestFailures::abandon(int rank, const char *call) {
  const auto locked = pending_.lock();
  if (Connection *const connection = connections_.find(rank)) pending_.abandon(*connection, call);
}

Status RequestFailures::look_for_failure(const char *call) {
  if (Helper *const helper = connections_.helper()) HLC_TRY(helper->look_for_death());
  const auto locked = pending_.lock();
  return connections_.find_failure(call);
}

}  // namespace halocline::core
