// This rank's memory as ranks of other nodes access it: registered with the network, and served to their queries.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/network/network.hpp"

namespace halocline::core {

/// What ranks of other nodes need to access a rank's memory. Plain numbers, to be sent as they are.
struct RemoteDescriptor {
  std::int64_t bytes = 0;
  transport::RemoteKey part;  // from the dummy target on, if there is one
  std::uint64_t words_id = 0;
  std::uint32_t number = 0;  // identifies the memory in queries
  std::uint32_t dummy_target = 0;  // its bytes before the data; 0: there is none
};

/// Exposes memory of this rank as long as the object lives; the network is open.
class ExposedMemory {
 public:
  /// The memory with this number. `is_user_memory`: the application provides it, and there is no dummy target before its data.
  ExposedMemory(Network &network, std::uint32_t number, bool is_user_memory)
      : requests_(*network.requests()),
        endpoint_(*network.endpoint()),
        helper_(network.helper()),
        rank_(network.communicator().rank()),
        number_(number),
        dummy_target_(is_user_memory ? 0 : kDummyTarget) {}
  ExposedMemory(const ExposedMemory &) = delete;
  ExposedMemory &operator=(const ExposedMemory &) = delete;
  ~ExposedMemory();

  /// Exposes it, by the helper of the node if there is one: then as a member's part of `object`, whose file is open. Local.
  Status open(const Served &mine, const SharedMemory &object, Member member, RemoteDescriptor *descriptor);

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
