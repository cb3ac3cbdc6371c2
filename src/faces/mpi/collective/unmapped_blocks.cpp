// Messages that are not in shared memory: the kernel copies them from another process, or the host moves them.
// SPDX-License-Identifier: BSD-3-Clause
#include <sys/uio.h>

#include <cerrno>
#include <cstring>
#include <limits>

#include "faces/mpi/collective/links.hpp"
#include "faces/mpi/interpose/error_text.hpp"

namespace halocline::core::mpi {
namespace {

/// Copies memory of another process of this node; an errno or 0.
int read_process(pid_t process, std::uint64_t address, char *to, std::int64_t bytes) {
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  for (std::int64_t done = 0; done < bytes;) {
    const auto part = static_cast<std::size_t>(std::min(kMost, bytes - done));
    const iovec local{to + done, part};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of another process
    const iovec remote{reinterpret_cast<void *>(address + static_cast<std::uint64_t>(done)), part};
    const ssize_t copied = process_vm_readv(process, &local, 1, &remote, 1, 0);
    if (copied <= 0) return copied < 0 ? errno : EFAULT;
    done += copied;
  }
  return 0;
}

#if MPI_VERSION >= 4
constexpr auto isend = PMPI_Isend_c;
constexpr auto irecv = PMPI_Irecv_c;
using HostCount = MPI_Count;
#else
constexpr auto isend = PMPI_Isend;
constexpr auto irecv = PMPI_Irecv;
using HostCount = int;
#endif

}  // namespace

int Links::read_memory(const Block &block, const InEdge &edge, const SlotHead &slot) {
  static const typed::Layout *const layout = typed::layout_of(MPI_BYTE);
  const std::int64_t bytes = std::min(slot.bytes, block.bytes());
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of this process, whose rank sends to itself
  if (edge.rank == comm_->context.rank())
    return typed::copy(block.buffer(), {reinterpret_cast<void *>(slot.address), layout, bytes}), MPI_SUCCESS;
  int error = 0;
  if (block.layout->contiguous()) {
    error = read_process(edge.process, slot.address, static_cast<char *>(block.address), bytes);
  } else {
    thread_local std::vector<char> packed;
    if (static_cast<std::int64_t>(packed.size()) < bytes) packed.resize(static_cast<std::size_t>(bytes));
    error = read_process(edge.process, slot.address, packed.data(), bytes);
    if (error == 0) typed::copy(block.buffer(), {packed.data(), layout, bytes});
  }
  if (error == 0) return MPI_SUCCESS;
  return error == ESRCH ? refuse(class_of_dead_peer(), "the process of rank %d has ended", edge.rank)
                        : refuse(MPI_ERR_OTHER, "the memory of rank %d cannot be read: %s", edge.rank, std::strerror(error));
}

/// Blocks to and from other nodes.
void Links::start_host(Exchange &exchange) {
  const auto note = [&](int code) {
    if (code != MPI_SUCCESS) exchange.code = code;
  };
  for (const int edge : far_in_)
    note(receive_by_host(exchange, exchange.in[static_cast<std::size_t>(edge)], in_[static_cast<std::size_t>(edge)]));
  for (const int edge : far_out_)
    note(send_by_host(exchange, exchange.out[static_cast<std::size_t>(edge)], out_[static_cast<std::size_t>(edge)]));
}

int Links::receive_by_host(Exchange &exchange, const Block &block, const InEdge &edge) {
  exchange.host.push_back(MPI_REQUEST_NULL);
  return irecv(block.address, static_cast<HostCount>(block.count), block.type, edge.rank, edge.key, host_comm_, &exchange.host.back());
}

int Links::send_by_host(Exchange &exchange, const Block &block, const OutEdge &edge) {
  exchange.host.push_back(MPI_REQUEST_NULL);
  return isend(block.address, static_cast<HostCount>(block.count), block.type, edge.rank, edge.key, host_comm_, &exchange.host.back());
}

}  // namespace halocline::core::mpi
