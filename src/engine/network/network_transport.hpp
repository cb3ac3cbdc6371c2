// The network that the library uses. All above src/transport use its two classes, whose members transport/network.hpp specifies, and the plain
// types of namespace transport. Only this file and network_names.hpp name a network.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/network/network_names.hpp"
#include "transport/network.hpp"

#ifdef HALOCLINE_TEST_NETWORK
// For tests whose ranks are threads of one process: each rank has its own copy of what otherwise exists once per process.
#include HALOCLINE_TEST_NETWORK  // tests/support/loopback
#define HALOCLINE_ONCE_PER_PROCESS static thread_local
#else
#include "transport/selected.hpp"
#define HALOCLINE_ONCE_PER_PROCESS static
#endif

namespace halocline::core {

static_assert(transport::NetworkContract<NetworkEndpoint, NetworkSegment>);

}  // namespace halocline::core
