// Which network the library uses: the only place outside src/transport that names one. All others use these two classes, whose members are those
// of transport/network.hpp, and the plain types of namespace transport.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/network.hpp"
#include "transport/ofi/port.hpp"
#include "transport/ofi/region.hpp"

namespace halocline {

namespace network = transport::ofi;

using NetworkPort = network::Port;
using NetworkSegment = network::Region;
using transport::Transfer;

static_assert(transport::NetworkContract<NetworkPort, NetworkSegment>);

}  // namespace halocline
