// What a network offers on this host, and why what it offers is refused. For reports alone: nothing is opened.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "transport/network.hpp"

namespace halocline::core::transport {

/// A provider on an interface of this host.
struct Offer {
  std::string provider, interface;
  std::string refusal;  // why it is not used; empty: it is chosen
};

struct Survey {
  std::string library;        // version and file
  std::vector<Offer> offers;  // in the order of speed; last those that lack a capability
};

/// Fills *found with all that the library of the selected network offers. Unsupported, with the reason, if there is none.
Status survey(const Wish &wish, Survey *found);

namespace ofi {
Status survey(const Wish &wish, Survey *found);
}
namespace ucx {
Status survey(const Wish &wish, Survey *found);
/// True if UCX has a device here that writes and reads memory of peers, and a worker opens on what is wished. UCX is not loaded where the system
/// has no such device.
bool has_device(const Wish &wish);
}  // namespace ucx

}  // namespace halocline::core::transport
