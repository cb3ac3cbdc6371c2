// Making UCX's endpoints.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ucx/peers.hpp"

#include <algorithm>
#include <cerrno>

#include "base/clock.hpp"
#include "transport/random.hpp"
#include "transport/ucx/errors.hpp"
#include "transport/ucx/state.hpp"

namespace halocline::core::transport::ucx {
namespace {

/// UCX leaks the socket of an endpoint that it cannot make (1.13, 1.20): a peer that has ended is tried less and less often.
constexpr std::int64_t kFirstPause_ns = 100'000'000, kLongestPause_ns = 60'000'000'000;

}  // namespace

Peer Peers::resolve(const Address &address) {
  Peer &peer = known_[address];
  if (peer == 0) {
    connections_.push_back(std::make_unique<Connection>());
    peer = connections_.size();
    connections_.back()->peer = peer;
    connections_.back()->address = address;
    connections_.back()->peers = this;
  }
  connections_[peer - 1]->users += 1;
  return peer;
}

std::optional<Peer> Peers::release(const Address &address) {
  const auto known = known_.find(address);
  return known == known_.end() ? std::nullopt : release(known->second);
}

std::optional<Peer> Peers::release(Peer peer) {
  if (peer == 0 || peer > connections_.size() || connections_[peer - 1]->users == 0) return std::nullopt;
  return --connections_[peer - 1]->users == 0 ? std::optional(peer) : std::nullopt;
}

Connection *Peers::reach(const State &state, Peer peer, int *error) {
  Connection *const found = find(peer);
  if (!found) {
    *error = ENOTCONN;
    return nullptr;
  }
  Connection &connection = *found;
  if (connection.is_lost) {
    *error = connection.error;
    return nullptr;
  }
  if (connection.endpoint) return &connection;
  if (connection.pause_ns > 0 && now_ns() < connection.again_ns) {
    *error = connection.error;
    return nullptr;
  }
  connection.stream = random_bits();
  connection.sent = 0;
  ucp_ep_params_t params{};
  params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
  params.address = reinterpret_cast<const ucp_address_t *>(connection.address.text);
  params.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  params.err_handler.arg = &connection;
  params.err_handler.cb = [](void *lost, ucp_ep_h, ucs_status_t status) {
    auto &one = *static_cast<Connection *>(lost);
    one.is_lost = true;
    one.error = error_of(status);
    one.peers->note_lost();
  };
  const ucs_status_t status = state.library->ep_create(state.worker, &params, &connection.endpoint);
  connection.pause_ns = status == UCS_OK ? 0 : std::clamp(2 * connection.pause_ns, kFirstPause_ns, kLongestPause_ns);
  if (status == UCS_OK) return &connection;
  connection.again_ns = now_ns() + connection.pause_ns;
  connection.endpoint = nullptr;
  *error = connection.error = error_of(status);
  return nullptr;
}

}  // namespace halocline::core::transport::ucx
