// The network that reaches the ranks of other nodes: opened by all ranks of a context together, when the first plan needs it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/ofi/port.hpp"
#include "transport/ofi/region.hpp"

namespace halocline {

class Context;

using NetworkPort = transport::ofi::Port;
using NetworkSegment = transport::ofi::Region;
using transport::ofi::Transfer;

/// What a context knows of its network. Until it is opened, and where it cannot be, there is no port.
class Network {
 public:
  /// Opens it, once. Collective over the context, the same status on all ranks: unsupported if there is none that all ranks can use, with
  /// the reason as the message, now and whenever it is asked again.
  Status open(Context &context);
  void close() { port_.reset(); }
  NetworkPort *port() const { return port_.get(); }
  /// One line: what carries data to other nodes, or why it is MPI.
  const char *description() const { return description_; }

 private:
  Status try_to_open(Context &context);

  std::unique_ptr<NetworkPort> port_;
  bool asked_ = false;
  char description_[512] = "no plan has needed a network";
};

}  // namespace halocline
