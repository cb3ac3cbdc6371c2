// What libfabric has made for a port. Only the files of this folder that include libfabric's headers see it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>

#include "transport/ofi/provider.hpp"

namespace halocline::transport::ofi {

struct Port::State {
  const Library *library = nullptr;
  Info info;
  fid_fabric *fabric = nullptr;
  fid_domain *domain = nullptr;
  fid_cq *queue = nullptr;
  fid_av *addresses = nullptr;
  fid_ep *endpoint = nullptr;

  ~State();
  /// With a wait object, if one is wanted and the provider has one.
  Status open(const std::string &description, bool sleeps);
  Status open_queue(const std::string &description, bool sleeps);
  /// A file descriptor that is readable when something has come; -1: there is none.
  int wait_object() const;
  /// The endpoint's own address.
  Status name(const std::string &description, Address *address) const;
  Status check(int code, const char *call, const std::string &description) const;
};

}  // namespace halocline::transport::ofi
