// How ranks of other nodes name a rank's memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "transport/network.hpp"

namespace halocline::core {

/// What ranks of other nodes need to access a rank's memory. Plain numbers, to be sent as they are.
struct RemoteDescriptor {
  std::int64_t bytes = 0;
  transport::RemoteKey part;  // from the dummy target on, if there is one
  std::uint64_t words_id = 0;
  std::uint32_t number = 0;  // identifies the memory in queries
  std::uint16_t dummy_target = 0;  // its bytes before the data; 0: there is none
  std::uint16_t takes_signals = 0;  // 1: immediate data change numbers of the data (SignalledNumbers)
};

}  // namespace halocline::core
