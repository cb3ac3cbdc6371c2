// Intercepts libfabric and lets one of its calls fail for lack of memory: the one that HALOCLINE_TEST_FAULT names. All others are
// forwarded.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "real_libfabric.hpp"

namespace {

bool fails(const char *call) {
  const char *fault = std::getenv("HALOCLINE_TEST_FAULT");
  return fault && std::strcmp(fault, call) == 0;
}

// The operations of libfabric's objects, and copies of them in which some can fail.
fi_ops_fabric of_fabric, faulty_of_fabric;
fi_ops_domain of_domain, faulty_of_domain;
fi_ops_mr of_memory, faulty_of_memory;
fi_ops_av of_addresses, faulty_of_addresses;

int insert(fid_av *av, const void *address, std::size_t count, fi_addr_t *number, std::uint64_t flags, void *context) {
  return fails("fi_av_insert") ? 0 : of_addresses.insert(av, address, count, number, flags, context);
}

int open_addresses(fid_domain *domain, fi_av_attr *attributes, fid_av **av, void *context) {
  if (fails("fi_av_open")) return -FI_ENOMEM;
  const int code = of_domain.av_open(domain, attributes, av, context);
  if (code != 0) return code;
  of_addresses = faulty_of_addresses = *(*av)->ops;
  faulty_of_addresses.insert = insert;
  (*av)->ops = &faulty_of_addresses;
  return code;
}

int open_queue(fid_domain *domain, fi_cq_attr *attributes, fid_cq **queue, void *context) {
  return fails("fi_cq_open") ? -FI_ENOMEM : of_domain.cq_open(domain, attributes, queue, context);
}

int open_endpoint(fid_domain *domain, fi_info *info, fid_ep **endpoint, void *context) {
  return fails("fi_endpoint") ? -FI_ENOMEM : of_domain.endpoint(domain, info, endpoint, context);
}

int register_memory(fid *domain, const void *base, std::size_t bytes, std::uint64_t access, std::uint64_t offset, std::uint64_t key,
                    std::uint64_t flags, fid_mr **registration, void *context) {
  return fails("fi_mr_reg") ? -FI_ENOMEM : of_memory.reg(domain, base, bytes, access, offset, key, flags, registration, context);
}

int open_domain(fid_fabric *fabric, fi_info *info, fid_domain **domain, void *context) {
  if (fails("fi_domain")) return -FI_ENOMEM;
  const int code = of_fabric.domain(fabric, info, domain, context);
  if (code != 0) return code;
  of_domain = faulty_of_domain = *(*domain)->ops;
  of_memory = faulty_of_memory = *(*domain)->mr;
  faulty_of_domain.av_open = open_addresses;
  faulty_of_domain.cq_open = open_queue;
  faulty_of_domain.endpoint = open_endpoint;
  faulty_of_memory.reg = register_memory;
  (*domain)->ops = &faulty_of_domain;
  (*domain)->mr = &faulty_of_memory;
  return code;
}

}  // namespace

// NOLINTBEGIN: the names and types are libfabric's
EXPORTED int fi_getinfo(std::uint32_t version, const char *node, const char *service, std::uint64_t flags, const fi_info *hints,
                        fi_info **info) {
  return fails("fi_getinfo") ? -FI_ENOMEM : real(&fi_getinfo, "fi_getinfo")(version, node, service, flags, hints, info);
}
EXPORTED int fi_fabric(fi_fabric_attr *attributes, fid_fabric **fabric, void *context) {
  if (fails("fi_fabric")) return -FI_ENOMEM;
  const int code = real(&fi_fabric, "fi_fabric")(attributes, fabric, context);
  if (code != 0) return code;
  of_fabric = faulty_of_fabric = *(*fabric)->ops;
  faulty_of_fabric.domain = open_domain;
  (*fabric)->ops = &faulty_of_fabric;
  return code;
}
// NOLINTEND
