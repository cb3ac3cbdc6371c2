// The names of the network's classes, for headers that only refer to them: with network_transport.hpp, which has the classes, the only place
// outside src/transport that names a network.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

namespace halocline::core::transport {

struct Transfer;
using Failures = std::atomic<std::uint64_t>;

#ifdef HALOCLINE_TEST_NETWORK
namespace loopback {
#else
namespace selected {
#endif
class Endpoint;
class Region;
}

}  // namespace halocline::core::transport

namespace halocline::core {

#ifdef HALOCLINE_TEST_NETWORK
namespace network = transport::loopback;
#else
namespace network = transport::selected;
#endif

using NetworkEndpoint = network::Endpoint;
using NetworkSegment = network::Region;
using transport::Transfer;

}  // namespace halocline::core
