// Counts what its process asks of libfabric: writes, reads, messages, bytes, registrations of memory; and the completions that it reads.
// SPDX-License-Identifier: BSD-3-Clause
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

#include <atomic>
#include <cstdint>
#include <mutex>

#include "network/counts.hpp"
#include "network/real_libfabric.hpp"

namespace {

using halocline::test::NetworkCounts;

std::atomic<int> counted{0};
std::mutex mutex;
NetworkCounts counts;

fi_ops_fabric of_fabric, counting_fabric;
fi_ops_domain of_domain, counting_domain;
fi_ops_msg of_messages, counting_messages;
fi_ops_rma of_transfers, counting_transfers;
fi_ops_tagged of_tagged, counting_tagged;
fi_ops_mr of_memory, counting_memory;
fi_ops_cq of_queue, counting_queue;

std::size_t bytes_of(const iovec *parts, std::size_t count) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < count; ++i) bytes += parts[i].iov_len;
  return bytes;
}

/// What the provider has no room for is tried again.
ssize_t count(ssize_t code, std::uint64_t NetworkCounts::*kind, std::size_t bytes) {
  if (code != 0) return code;
  const std::lock_guard lock(mutex);
  counted += 1;
  counts.*kind += 1;
  counts.bytes += bytes;
  return code;
}

ssize_t send(fid_ep *endpoint, const fi_msg *message, std::uint64_t flags) {
  return count(of_messages.sendmsg(endpoint, message, flags), &NetworkCounts::messages, bytes_of(message->msg_iov, message->iov_count));
}
ssize_t send_tagged(fid_ep *endpoint, const fi_msg_tagged *message, std::uint64_t flags) {
  return count(of_tagged.sendmsg(endpoint, message, flags), &NetworkCounts::announcements, bytes_of(message->msg_iov, message->iov_count));
}
ssize_t write(fid_ep *endpoint, const fi_msg_rma *message, std::uint64_t flags) {
  const auto kind = (flags & FI_REMOTE_CQ_DATA) != 0 ? &NetworkCounts::writes_with_immediate : &NetworkCounts::writes;
  return count(of_transfers.writemsg(endpoint, message, flags), kind, bytes_of(message->msg_iov, message->iov_count));
}
ssize_t read(fid_ep *endpoint, void *into, std::size_t bytes, void *desc, fi_addr_t from, std::uint64_t address, std::uint64_t key,
             void *context) {
  return count(of_transfers.read(endpoint, into, bytes, desc, from, address, key, context), &NetworkCounts::reads, bytes);
}

int register_memory(fid *domain, const void *base, std::size_t bytes, std::uint64_t access, std::uint64_t offset, std::uint64_t key,
                    std::uint64_t flags, fid_mr **registration, void *context) {
  const std::lock_guard lock(mutex);
  counts.registrations += 1;
  return of_memory.reg(domain, base, bytes, access, offset, key, flags, registration, context);
}

ssize_t read_queue(fid_cq *queue, void *entries, std::size_t most) {
  const ssize_t read = of_queue.read(queue, entries, most);
  const std::lock_guard lock(mutex);
  if (read > 0) counts.completions += static_cast<std::uint64_t>(read);
  return read;
}

int open_queue(fid_domain *domain, fi_cq_attr *attributes, fid_cq **queue, void *context) {
  const int code = of_domain.cq_open(domain, attributes, queue, context);
  if (code != 0) return code;
  of_queue = counting_queue = *(*queue)->ops;
  counting_queue.read = read_queue;
  (*queue)->ops = &counting_queue;
  return code;
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
  if (!(*endpoint)->tagged) return code;
  of_tagged = counting_tagged = *(*endpoint)->tagged;
  counting_tagged.sendmsg = send_tagged;
  (*endpoint)->tagged = &counting_tagged;
  return code;
}

int open_domain(fid_fabric *fabric, fi_info *info, fid_domain **domain, void *context) {
  const int code = of_fabric.domain(fabric, info, domain, context);
  if (code != 0) return code;
  of_domain = counting_domain = *(*domain)->ops;
  counting_domain.endpoint = open_endpoint;
  counting_domain.cq_open = open_queue;
  (*domain)->ops = &counting_domain;
  of_memory = counting_memory = *(*domain)->mr;
  counting_memory.reg = register_memory;
  (*domain)->mr = &counting_memory;
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
/// How many writes, reads and messages there have been.
EXPORTED int halocline_test_sent() { return counted; }
/// All counts so far.
EXPORTED void halocline_test_counts(halocline::test::NetworkCounts *all) {
  const std::lock_guard lock(mutex);
  *all = counts;
}
