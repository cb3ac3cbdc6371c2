// The libfabric objects of an endpoint. Only the files of this folder that include libfabric's headers see them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>

#include <string>

#include "transport/network.hpp"
#include "transport/ofi/announcements.hpp"
#include "transport/ofi/provider.hpp"
#include "transport/ofi/traits.hpp"

namespace halocline::core::transport::ofi {

/// Memory to be registered: for peers to write into and read, or for this process to write from and read into.
struct Registering {
  const char *base = nullptr;
  std::int64_t bytes = 0;
  bool for_peers = false;
};

struct State {
  const Library *library = nullptr;
  Info info;
  Traits traits;
  std::string description;  // in messages
  fid_fabric *fabric = nullptr;
  fid_domain *domain = nullptr;
  fid_cq *queue = nullptr;
  fid_av *addresses = nullptr;
  fid_ep *endpoint = nullptr;
  std::size_t inject_bytes = 0, inject_write_bytes = 0;  // of a message, of a write: the most that is sent from the provider's own buffer
  Announcements announcements;  // open if the provider announces
  fid_mr *announcements_memory = nullptr;
  int wait_object = -1;  // readable when something has arrived; belongs to the completion queue; -1: there is none

  ~State();
  /// Opens all objects; with a wait object if `sleeps` and the provider has one.
  Status open(bool sleeps);
  /// The endpoint's own address.
  Status name(Address *address) const;
  /// Registers memory, under an unguessable key if the provider lets us choose it.
  Status register_memory(const Registering &memory, fid_mr **registration) const;

 private:
  Status open_queue(bool sleeps);
  void find_wait_object();
  Status enable() const;
  Status open_announcements();
  int try_to_register(const Registering &memory, std::uint64_t key, fid_mr **registration) const;
  Status check(int code, const char *call) const;
};

}  // namespace halocline::core::transport::ofi
