// What the channels of all modes share.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/channel.hpp"

#include "engine/communicator/collective.hpp"

namespace halocline::core {

Status Channel::prepare_by(Status (*step)(void *), void *of) {
  return halocline::core::prepare(*plan_.communicator, plan_.comm, [&] { return step(of); });
}

}  // namespace halocline::core
