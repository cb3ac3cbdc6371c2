// What is known of libfabric's providers beyond the attributes that they report, and the attributes of those that tests simulate.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rdma/fabric.h>

#include "transport/network.hpp"

namespace halocline::core::transport::ofi {

struct Traits {
  bool announces = false;  // writes carry no immediate data: a tagged message follows each (announcements.hpp)
  bool injects_writes = true;  // few bytes of a write may be sent in the provider's own buffer
  bool moves_by_processor = false;  // the processors copy what it sends
  bool has_wait_object = true;  // or may have
};

/// An endpoint that libfabric offers, or one that tests simulate with it.
Traits traits_of(const fi_info &info, Fake fake);

/// Gives what libfabric offers the attributes of the network that tests ask for.
void simulate(fi_info &info, Fake fake);

}  // namespace halocline::core::transport::ofi
