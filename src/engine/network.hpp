// The network that reaches the ranks of other nodes: opened by all ranks of a context together, when the first plan needs it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/traffic.hpp"

namespace halocline {

class Context;

/// What a context knows of its network. Until it is opened, and where it cannot be, there is no port.
class Network {
 public:
  /// Opens it, once. Collective over the context, the same status on all ranks: unsupported if there is none that all ranks can use, with
  /// the reason as the message, now and whenever it is asked again.
  Status open(Context &context);
  /// Gives up all but what MPI can only free collectively.
  void close();
  NetworkPort *port() const { return port_.get(); }
  /// What goes over it for segments; there if the port is.
  Traffic *traffic() const { return traffic_.get(); }
  /// Moves everything along that is under way, and serves others. Any thread that may use the port.
  void poll() {
    if (traffic_) traffic_->poll();
  }
  /// The same now and then, for calls that are repeated until something has changed: one look costs as much as many of them.
  void glance() {
    thread_local unsigned turn = 0;
    if (traffic_ && ++turn % 32 == 0) traffic_->poll();
  }
  Leaders &leaders() { return leaders_; }
  /// One line: what carries data to other nodes, or why it is MPI.
  const char *description() const { return description_; }

 private:
  Status try_to_open(Context &context);

  Leaders leaders_;
  std::unique_ptr<NetworkPort> port_;
  std::unique_ptr<Traffic> traffic_;
  bool asked_ = false;
  char description_[512] = "no plan has needed a network";
};

}  // namespace halocline
