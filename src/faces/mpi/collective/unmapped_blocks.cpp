// Messages that are not in shared memory: the kernel copies them from or to another process, or the host moves them.
// SPDX-License-Identifier: BSD-3-Clause
#include <sys/uio.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <new>

#include "base/clock.hpp"
#include "faces/mpi/collective/links.hpp"
#include "faces/mpi/interpose/error_text.hpp"

namespace halocline::core::mpi {
namespace {

/// Copies between this process and another one of this node, as `copy` does; an errno or 0.
int copy_memory(decltype(&process_vm_readv) copy, pid_t process, std::uint64_t there, char *here, std::int64_t bytes) {
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  for (std::int64_t done = 0; done < bytes;) {
    const auto part = static_cast<std::size_t>(std::min(kMost, bytes - done));
    const iovec local{here + done, part};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of another process
    const iovec remote{reinterpret_cast<void *>(there + static_cast<std::uint64_t>(done)), part};
    const ssize_t copied = copy(process, &local, 1, &remote, 1, 0);
    if (copied <= 0) return copied < 0 ? errno : EFAULT;
    done += copied;
  }
  return 0;
}
int read_process(pid_t process, std::uint64_t there, char *here, std::int64_t bytes) {
  return copy_memory(process_vm_readv, process, there, here, bytes);
}

/// Of this thread, until the next call; null if there is none.
char *memory_for_packed(std::int64_t bytes) {
  thread_local std::vector<char> packed;
  try {
    if (static_cast<std::int64_t>(packed.size()) < bytes) packed.resize(static_cast<std::size_t>(bytes));
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
  return packed.data();
}

#if MPI_VERSION >= 4
constexpr auto isend = PMPI_Isend_c;
constexpr auto irecv = PMPI_Irecv_c;
constexpr auto pack_block = PMPI_Pack_c;
constexpr auto unpack_block = PMPI_Unpack_c;
using HostCount = MPI_Count;
#else
constexpr auto isend = PMPI_Isend;
constexpr auto irecv = PMPI_Irecv;
constexpr auto pack_block = PMPI_Pack;
constexpr auto unpack_block = PMPI_Unpack;
using HostCount = int;
#endif

/// MPIs pack the bytes of a datatype without any of their own, where all ranks are of one architecture.
int pack_by_host(const Block &block, char *to) {
  HostCount place = 0;
  const auto bytes = static_cast<HostCount>(block.bytes());
  return pack_block(block.address, static_cast<HostCount>(block.count), block.type, to, bytes, &place, MPI_COMM_SELF);
}
int unpack_by_host(const Block &block, const char *from, std::int64_t bytes) {
  HostCount place = 0;
  return unpack_block(from, static_cast<HostCount>(bytes), &place, block.address, static_cast<HostCount>(block.count), block.type,
                      MPI_COMM_SELF);
}

}  // namespace

int copy_from(const Block &block, char *to) {
  static const typed::Layout *const layout = typed::layout_of(MPI_BYTE);
  if (block.is_on_device) return pack_by_host(block, to);
  typed::copy({to, layout, block.bytes()}, block.buffer());
  return MPI_SUCCESS;
}

int copy_to(const Block &block, const char *from, std::int64_t bytes) {
  static const typed::Layout *const layout = typed::layout_of(MPI_BYTE);
  if (block.is_on_device) return unpack_by_host(block, from, bytes);
  typed::copy(block.buffer(), {from, layout, bytes});
  return MPI_SUCCESS;
}

/// Whether the process with this number is still the rank's. A number is given to another process only after all others have been, which takes
/// longer than what is trusted here.
bool Links::is_alive(int rank, Peer &peer) const {
  constexpr std::int64_t kTrusted_ns = 10'000'000;
  const std::int64_t now = now_ns();
  if (now - peer.alive_ns < kTrusted_ns) return true;
  if (!comm_->context.doorbell().alive(comm_->member_of(rank))) return false;
  peer.alive_ns = now;
  return true;
}

int Links::read_memory(const Block &block, InEdge &edge, const SlotHead &slot) {
  const std::int64_t bytes = std::min(slot.bytes, block.bytes());
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of this process, whose rank sends to itself
  if (edge.rank == comm_->context.rank()) return copy_to(block, reinterpret_cast<const char *>(slot.address), bytes);
  int error = is_alive(edge.rank, edge.peer) ? 0 : ESRCH;
  if (error != 0) {
    // No process, or one that is none of the ranks.
  } else if (block.layout->contiguous() && !block.is_on_device) {
    error = read_process(edge.peer.process, slot.address, static_cast<char *>(block.address), bytes);
  } else {
    char *const packed = memory_for_packed(bytes);
    if (!packed)
      return refuse(MPI_ERR_NO_MEM, "this rank has no memory to unpack %lld bytes from rank %d", static_cast<long long>(bytes), edge.rank);
    error = read_process(edge.peer.process, slot.address, packed, bytes);
    if (error == 0)
      if (const int code = copy_to(block, packed, bytes)) return code;
  }
  if (error == 0) return MPI_SUCCESS;
  return error == ESRCH ? refuse(class_of_dead_peer(), "the process of rank %d has ended", edge.rank)
                        : refuse(MPI_ERR_OTHER, "the memory of rank %d cannot be read: %s", edge.rank, std::strerror(error));
}

/// Only for the next message of an edge: an earlier one may still be under way.
void Links::offer_destinations(const Exchange &exchange) {
  if (!comm_->reads_others()) return;
  for (const int number : near_in_) {
    const InEdge &edge = in_[static_cast<std::size_t>(number)];
    const Block &block = exchange.in[static_cast<std::size_t>(number)];
    const bool is_one_run = block.layout->contiguous() && !block.is_on_device;
    if (!is_one_run || block.bytes() <= edge.ring.slot_bytes || edge.received != exchange.number - 1) continue;
    edge.destination->address = reinterpret_cast<std::uint64_t>(block.address);
    edge.destination->bytes = block.bytes();
    // SYNC destination-before-put (pairs with Links::put_to_receiver): the program is done with what was in this memory.
    edge.destination->number.store(exchange.number, std::memory_order_release);
  }
}

/// Puts a published message where its receiver wants it, unless that reads it already. Where it cannot, the receiver will read it.
bool Links::put_to_receiver(const Exchange &exchange, int number) {
  OutEdge &edge = out_[static_cast<std::size_t>(number)];
  SlotHead &slot = edge.ring.slot(exchange.number);
  // Where the receiver has read it a later message may be there.
  if (slot.number.load(std::memory_order_relaxed) != exchange.number) return false;
  // SYNC destination-before-put (pairs with Links::offer_destinations)
  if (!edge.destination || edge.destination->number.load(std::memory_order_acquire) != exchange.number ||
      edge.destination->bytes < slot.bytes || !is_alive(edge.rank, edge.peer))
    return false;
  Mover mover = Mover::none;
  if (!slot.mover.compare_exchange_strong(mover, Mover::sender, std::memory_order_relaxed)) return false;
  // SYNC withdrawn-or-waited-for (pairs with Links::withdraw_destinations): this rank sees that it is withdrawn, or the receiver waits for this rank.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (edge.destination->number.load(std::memory_order_relaxed) == exchange.number) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of this process
    char *const bytes = reinterpret_cast<char *>(slot.address);
    if (copy_memory(process_vm_writev, edge.peer.process, edge.destination->address, bytes, slot.bytes) == 0) {
      // SYNC put-before-done (pairs with Links::receive)
      slot.mover.store(Mover::sender_is_done, std::memory_order_release);
      return true;
    }
  }
  edge.destination = nullptr;
  slot.mover.store(Mover::none, std::memory_order_release);
  comm_->context.doorbell().ring_all(members_);
  return false;
}

/// Nothing is put into this process's memory any more for an exchange that has failed. A sender that is at it is waited for, if it lives.
void Links::withdraw_destinations(const Exchange &exchange) {
  for (const int number : exchange.unreceived) {
    InEdge &edge = in_[static_cast<std::size_t>(number)];
    edge.destination->number.store(0, std::memory_order_relaxed);
    // SYNC withdrawn-or-waited-for (pairs with Links::put_to_receiver)
    std::atomic_thread_fence(std::memory_order_seq_cst);
    SlotHead &slot = edge.ring.slot(exchange.number);
    while (slot.number.load(std::memory_order_acquire) == exchange.number && slot.mover.load(std::memory_order_acquire) == Mover::sender &&
           comm_->context.doorbell().alive(comm_->member_of(edge.rank)))
      cpu_pause();
  }
}

/// Blocks to and from other nodes.
void Links::start_host(Exchange &exchange) {
  for (const int edge : far_in_)
    exchange.note(receive_by_host(exchange, exchange.in[static_cast<std::size_t>(edge)], in_[static_cast<std::size_t>(edge)]));
  for (const int edge : far_out_)
    exchange.note(send_by_host(exchange, exchange.out[static_cast<std::size_t>(edge)], out_[static_cast<std::size_t>(edge)]));
}

int Links::receive_by_host(Exchange &exchange, const Block &block, const InEdge &edge) {
  exchange.host_receives.push_back(MPI_REQUEST_NULL);
  return irecv(block.address, static_cast<HostCount>(block.count), block.type, edge.rank, tag_of(edge.key), host_comm_->comm,
               &exchange.host_receives.back());
}

int Links::send_by_host(Exchange &exchange, const Block &block, const OutEdge &edge) {
  exchange.host_sends.push_back(MPI_REQUEST_NULL);
  return isend(block.address, static_cast<HostCount>(block.count), block.type, edge.rank, tag_of(edge.key), host_comm_->comm,
               &exchange.host_sends.back());
}

}  // namespace halocline::core::mpi
