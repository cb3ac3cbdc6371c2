// How waits end.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace halocline::core {

/// What ends the wait. by_doorbell: only peers of this node, which ring the doorbell. by_polling: also MPI or the network, which must be
/// polled. by_network: the network alone, where every answer takes microseconds.
enum class WakeUp { by_doorbell, by_polling, by_network };

}  // namespace halocline::core
