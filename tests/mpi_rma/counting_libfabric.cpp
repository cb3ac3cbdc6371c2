// Counts what its process sends to other nodes: messages, writes and reads of libfabric.
// SPDX-License-Identifier: BSD-3-Clause
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>

#include <atomic>
#include <cstdint>

#include "network/real_libfabric.hpp"

namespace {

std::atomic<int> counted{0};

fi_ops_fabric of_fabric, counting_fabric;
fi_ops_domain of_domain, counting_domain;
fi_ops_msg of_messages, counting_messages;
fi_ops_rma of_transfers, counting_transfers;

/// What the provider has no room for is tried again.
ssize_t count(ssize_t code) {
  if (code == 0) ++counted;
  return code;
}

ssize_t send(fid_ep *endpoint, const fi_msg *message, std::uint64_t flags) { return count(of_messages.sendmsg(endpoint, message, flags)); }
ssize_t write(fid_ep *endpoint, const fi_msg_rma *message, std::uint64_t flags) {
  return count(of_transfers.writemsg(endpoint, message, flags));
}
ssize_t read(fid_ep *endpoint, void *into, std::size_t bytes, void *desc, fi_addr_t from, std::uint64_t address, std::uint64_t key,
             void *context) {
  return count(of_transfers.read(endpoint, into, bytes, desc, from, address, key, context));
}

int open_endpoint(fid_domain *domain, fi_info *info, fid_ep **endpoint, void *context) {
  const int code = of_domain.endpoint(domain, info, endpoint, context);
  if (code != 0) return code;
  of_messages = counting_messages = *(*endpoint)->msg;
  counting_messages.sendmsg = send;
  (*endpoint)->msg = &counting_messages;
  of_transfers = counting_transfers = *(*endpoint)->rma;
  counting_transfers.writemsg = write;
  counting_transfers.read = read;
  (*endpoint)->rma = &counting_transfers;
  return code;
}

int open_domain(fid_fabric *fabric, fi_info *info, fid_domain **domain, void *context) {
  const int code = of_fabric.domain(fabric, info, domain, context);
  if (code != 0) return code;
  of_domain = counting_domain = *(*domain)->ops;
  counting_domain.endpoint = open_endpoint;
  (*domain)->ops = &counting_domain;
  return code;
}

}  // namespace

// NOLINTBEGIN: the names and types are libfabric's
EXPORTED int fi_getinfo(std::uint32_t version, const char *node, const char *service, std::uint64_t flags, const fi_info *hints,
                        fi_info **info) {
  return real(&fi_getinfo, "fi_getinfo")(version, node, service, flags, hints, info);
}
EXPORTED int fi_fabric(fi_fabric_attr *attributes, fid_fabric **fabric, void *context) {
  const int code = real(&fi_fabric, "fi_fabric")(attributes, fabric, context);
  if (code != 0) return code;
  of_fabric = counting_fabric = *(*fabric)->ops;
  counting_fabric.domain = open_domain;
  (*fabric)->ops = &counting_fabric;
  return code;
}
// NOLINTEND
/// How many there have been.
EXPORTED int halocline_test_sent() { return counted; }
