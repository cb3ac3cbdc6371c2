// What has failed, or is given up: a link with an error is waited for no longer, and messages say which.
// SPDX-License-Identifier: BSD-3-Clause
#include <cerrno>

#include "engine/network/traffic.hpp"

namespace halocline {

void Traffic::fail_link(Link &link, int error, const char *call) {
  if (link.error == 0) failed_links_ += 1;
  link.error = error;
  link.failed_call = call;
}

bool Traffic::has_failed(int rank) {
  const auto locked = lock();
  const auto known = links_.find(rank);
  return known != links_.end() && known->second.error != 0;
}

bool Traffic::has_failed() {
  const auto locked = lock();
  return failed_links_ > 0;
}

bool Traffic::is_held_by_provider(const Flight &flight) {
  return flight.state.load(std::memory_order_relaxed) == Transfer::State::under_way && !port_.waits_for_room(flight);
}

bool Traffic::holds_any(const Link &link) {
  bool held = false;
  flights_.of(link, [&](const Flight &flight) { held |= is_held_by_provider(flight); });
  return held;
}

bool Traffic::is_on_its_way(int rank) {
  const auto locked = lock();
  const auto known = links_.find(rank);
  return known != links_.end() && holds_any(known->second);
}

void Traffic::give_up(int rank, const char *call) {
  const auto locked = lock();
  const auto known = links_.find(rank);
  if (known == links_.end() || known->second.error != 0) return;
  Link &link = known->second;
  if (holds_any(link)) return;
  fail_link(link, ENOTCONN, call);
  flights_.of(link, [&](Flight &flight) {
    // What another thread has handed over by now has an end of its own.
    const bool only_answer = flight.asks && flight.awaited == 1;
    if (!only_answer) return port_.give_up(flight, ENOTCONN);
    flight.error = ENOTCONN;
    ended(flight);
  });
}

Status Traffic::failure(const Link &link, const char *call) const {
  return fail(Status::peer_died, "%s: rank %d cannot reach %s over the network (any more): %s (in %s)", call, communicator_.rank(),
              name_of(link.rank).c_str(), port_.text_of(link.error), link.failed_call);
}

Status Traffic::late(const char *call, int rank) const {
  const std::string peer = rank < 0 ? "the network" : name_of(rank);
  return fail(Status::timeout, "%s: rank %d has waited %lld s for %s (HALOCLINE_TIMEOUT)", call, communicator_.rank(),
              static_cast<long long>(communicator_.timeout_ns() / 1'000'000'000), peer.c_str());
}

Status Traffic::look_for_failure(const char *call) {
  if (helper_) HLC_TRY(helper_->look_for_death());
  const auto locked = lock();
  if (failed_links_ == 0) return Status::ok;
  for (const auto &[rank, link] : links_)
    if (link.error != 0) return failure(link, call);
  return Status::ok;
}

std::string Traffic::name_of(int rank) const { return on_its_host(rank, ranks_.of(rank).host); }

}  // namespace halocline
