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
  bool one_sided = false;  // puts and gets of UCX are used

  State() = default;
  State(const State &) = delete;
  State &operator=(const State &) = delete;
  ~State();
  /// Opens the context, with the wished transports and devices, some of which reach other nodes.
  Status open_context(const Wish &wish);
  /// The same, with any transports.
  Status open_any_context(const Wish &wish);
  /// Opens the worker; with a wait object if `sleeps`.
  Status open_worker(bool sleeps);
  /// Nothing is sent or received any more.
  void close_worker();
  /// The worker's own address.
  Status name(Address *address) const;
  /// Registers memory, which peers write and read by the bytes of its key; and ends that.
  Status map(char *base, std::int64_t bytes, void **mapped, std::vector<char> *key) const;
  void unmap(void *mapped) const { library->mem_unmap(context, static_cast<ucp_mem_h>(mapped)); }
  /// "tcp on lo and eth0, UCX 1.13.1 (...)".
  std::string describe() const;

 private:
  Status check(ucs_status_t status, const char *call) const;
  Status init(const ucp_config_t *config, const Wish &wish);
  Status has_no_network(const Wish &wish, const char *reason) const;
};

}  // namespace halocline::core::transport::ucx
