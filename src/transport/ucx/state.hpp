// The UCX objects of an endpoint: context and worker. Only the files of this folder that include UCX's headers see them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "transport/network.hpp"
#include "transport/ucx/library.hpp"

namespace halocline::core::transport::ucx {

struct State {
  const Library *library = nullptr;
  ucp_context_h context = nullptr;
  ucp_worker_h worker = nullptr;
  int wait_object = -1;  // readable when something has arrived; belongs to the worker; -1: there is none
  std::vector<std::string> resources;  // transports on devices, as "tcp/eth0"

  State() = default;
  State(const State &) = delete;
  State &operator=(const State &) = delete;
  ~State();
  /// Opens the context, with the wished transports and devices.
  Status open_context(const Wish &wish);
  /// Opens the worker; with a wait object if `sleeps`.
  Status open_worker(bool sleeps);
  /// Nothing is sent or received any more.
  void close_worker();
  /// The worker's own address.
  Status name(Address *address) const;
  /// "tcp on lo and eth0, UCX 1.13.1 (...)".
  std::string describe() const;

 private:
  Status check(ucs_status_t status, const char *call) const;
};

}  // namespace halocline::core::transport::ucx
