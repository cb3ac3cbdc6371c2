// The network that the library uses: the only place outside src/transport that names one. All others use these two classes, whose members
// transport/network.hpp specifies, and the plain types of namespace transport.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/network.hpp"

#ifdef HALOCLINE_LOOPBACK
// For tests whose ranks are threads of one process: each rank has its own copy of what otherwise exists once per process.
#include "transport/loopback/region.hpp"
#define HALOCLINE_ONCE_PER_PROCESS static thread_local
#else
#include "transport/selected.hpp"
#define HALOCLINE_ONCE_PER_PROCESS static
#endif

namespace halocline::core {

#ifdef HALOCLINE_LOOPBACK
namespace network = transport::loopback;
#else
namespace network = transport::selected;
#endif

using NetworkEndpoint = network::Endpoint;
using NetworkSegment = network::Region;
using transport::Transfer;

static_assert(transport::NetworkContract<NetworkEndpoint, NetworkSegment>);

}  // namespace halocline::core
