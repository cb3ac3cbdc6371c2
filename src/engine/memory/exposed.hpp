// Private memory of a process that other ranks of the node read (XPMEM).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/shm/xpmem.hpp"

namespace halocline::core {

using Attached = transport::shm::Attached;
using Exposed = transport::shm::Exposed;
using ExposedAddress = transport::shm::ExposedAddress;

}  // namespace halocline::core
