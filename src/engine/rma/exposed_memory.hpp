// This rank's memory as ranks of other nodes access it: registered with the network, and served to their queries.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "engine/network/network_transport.hpp"
#include "engine/rma/remote_descriptor.hpp"
#include "transport/shm/region.hpp"

namespace halocline::core {

class Helper;
class Network;
class RequestEngine;
struct Served;

/// Exposes memory of this rank as long as the object lives; the network is open.
class ExposedMemory {
 public:
  /// The memory with this number. `is_user_memory`: the application provides it, and there is no dummy target before its data.
  ExposedMemory(Network &network, std::uint32_t number, bool is_user_memory);
  ExposedMemory(const ExposedMemory &) = delete;
  ExposedMemory &operator=(const ExposedMemory &) = delete;
  ~ExposedMemory();

  /// Exposes it, by the helper of the node if there is one: then as a member's part of `object`, whose file is open. Local.
  Status open(const Served &mine, const transport::shm::Region &object, transport::Member member, RemoteDescriptor *descriptor);

 private:
  Status open_here(const Served &mine, RemoteDescriptor *descriptor);
  RemoteDescriptor described(const Served &mine, const transport::RemoteKey &part, std::uint64_t words_id) const;

  RequestEngine &requests_;
  NetworkEndpoint &endpoint_;
  Helper *helper_;  // of this node, if there is one
  NetworkSegment registration_;
  std::uint64_t words_id_ = 0;
  int rank_;
  std::uint32_t number_;
  std::int64_t dummy_target_;
  bool is_open_ = false;
};

/// Memory of the application that ranks of other nodes put to and get from, and in which they change no numbers. Registered as long as the
/// object lives.
class RegisteredMemory {
 public:
  /// There are bytes, and the network is open. Local.
  Status open(Network &network, char *data, std::int64_t bytes, RemoteDescriptor *descriptor);

 private:
  NetworkSegment registration_;
};

}  // namespace halocline::core
