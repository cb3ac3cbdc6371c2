// Making a window's memory: a part per rank with its words, then the memory that the window allocates. The parts are one shared object, or
// a segment of the engine if there are several nodes.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/window_memory.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "engine/communicator/collective.hpp"
#include "faces/mpi/regions.hpp"

namespace halocline::core::mpi {
namespace {

using Kind = MemorySpec::Kind;

constexpr std::size_t kMostPieces = 256, kMostBytesOfPiece = std::size_t{1} << 30;

bool is_allocated(Kind kind) { return kind == Kind::allocated || kind == Kind::allocated_in_a_row; }

/// One system call for some pieces.
int copy_some(WindowMemory::Direction direction, pid_t process, const std::vector<iovec> &local, const std::vector<iovec> &remote,
              std::size_t bytes) {
  const auto count = static_cast<unsigned long>(local.size());
  const auto work = direction == WindowMemory::Direction::read ? process_vm_readv : process_vm_writev;
  const ssize_t done = work(process, local.data(), count, remote.data(), count, 0);
  if (done < 0) return errno;
  return static_cast<std::size_t>(done) == bytes ? 0 : EFAULT;
}

}  // namespace

WindowMemory::~WindowMemory() = default;

Status WindowMemory::open(const MemorySpec &mine) {
  HLC_TRY(lay_out(mine));
  tell(mine);
  return Status::ok;
}

/// Memory in a row is all in the part of rank 0, which has its pages.
Status WindowMemory::lay_out(const MemorySpec &mine) {
  const int ranks = node_.context.size();
  data_ = SharedMemory::rounded(queue_end(ranks, has_post_bits(ranks, node_.spans_nodes())));
  std::int64_t bytes = is_allocated(mine.kind) ? mine.bytes : 0;
  if (mine.kind == Kind::dynamic) bytes = node_.spans_nodes() ? sizeof(FarAttachedRegions) : sizeof(AttachedRegions);
  if (mine.kind == Kind::allocated_in_a_row) {
    HLC_TRY(reduce(node_.context, node_.context.comm(), MPI_SUM, &bytes, 1));
    if (node_.context.rank() > 0) bytes = 0;
  }
  if (node_.spans_nodes() && mine.kind == Kind::allocated) numbers_ = Numbers::by_atomics;
  if (node_.spans_nodes() && mine.kind == Kind::brought) numbers_ = Numbers::by_owner;
  return make_part(data_ + bytes);
}

Status WindowMemory::make_part(std::int64_t bytes) {
  if (!node_.spans_nodes()) return create_shared_memory(node_.context, bytes, region_);
  Context &context = node_.context;
  HLC_TRY(prepare(context, context.comm(), [&] {
    segment_ = std::make_unique<Segment>(context.network());
    return segment_->check("MPI_Win_create", {.bytes = bytes});
  }));
  return segment_->create("MPI_Win_create", {.bytes = bytes});
}

void WindowMemory::tell(const MemorySpec &mine) {
  TargetWords &words = this->words(node_.context.rank());
  words.base = reinterpret_cast<std::uint64_t>(mine.base);
  words.bytes = mine.bytes;
  words.unit = mine.unit;
  if (mine.kind == Kind::brought) words.shared = find_shared(mine.base, mine.bytes);
}

/// Registers memory that this rank brings, and tells ranks of other nodes where everyone's is.
Status WindowMemory::share_places(const MemorySpec &mine) {
  Context &context = node_.context;
  FarPlace place{reinterpret_cast<std::uint64_t>(mine.base), mine.bytes, mine.unit, {}};
  HLC_TRY(prepare(context, context.comm(), [&] {
    // No network registers 0 bytes.
    if (mine.kind != Kind::brought || mine.bytes == 0) return Status::ok;
    brought_.emplace(context.network(), context.network().requests()->served().next_own_part(), true);
    const NodeLock lock = node_.lock_in(words(context.rank()).numbers);
    return brought_->open({static_cast<char *>(mine.base), mine.bytes, {}, nullptr, lock}, region_, 0, &place.brought);
  }));
  return far_.share(context, context.network().leaders(), place);
}

Status WindowMemory::find_places(const MemorySpec &mine) {
  if (segment_) HLC_TRY(share_places(mine));
  for (int rank = 0; rank < node_.context.size(); ++rank) find_place(rank, mine);
  return find_obstacle(mine);
}

/// The ranks may differ in what they could map.
Status WindowMemory::find_obstacle(const MemorySpec &mine) {
  if (node_.reads_others()) return Status::ok;
  const bool dynamic = mine.kind == Kind::dynamic;
  const auto needs_kernel = [=](const Place &place) { return !place.is_mapped && !place.is_far && (place.bytes > 0 || dynamic); };
  std::int64_t any = std::any_of(places_.begin(), places_.end(), needs_kernel) ? 1 : 0;
  HLC_TRY(reduce(node_.context, node_.context.comm(), MPI_MAX, &any, 1));
  if (any)
    obstacle_ =
        "its memory is private, and the kernel does not let ranks read each other's: use MPI_Win_allocate or MPI_Alloc_mem, "
        "or allow it (kernel.yama.ptrace_scope=0; in a container, its settings)";
  return Status::ok;
}

void WindowMemory::find_far_place(int rank, const MemorySpec &mine) {
  const FarPlace &far = far_.of(rank);
  Place &place = places_[static_cast<std::size_t>(rank)];
  place.is_far = true;
  place.bytes = far.bytes;
  place.unit = mine.kind == Kind::dynamic ? 1 : far.unit;
  place.address = far.base;
}

void WindowMemory::find_place(int rank, const MemorySpec &mine) {
  if (!node_.is_near(rank)) return find_far_place(rank, mine);
  const TargetWords &words = this->words(rank);
  Place &place = places_[static_cast<std::size_t>(rank)];
  place.bytes = words.bytes;
  place.unit = mine.kind == Kind::dynamic ? 1 : words.unit;
  place.address = words.base;
  place.is_mapped = true;
  if (mine.kind == Kind::allocated) {
    place.mapped = part(rank) + data_;
  } else if (mine.kind == Kind::allocated_in_a_row) {
    const Place *before = rank > 0 ? &places_[static_cast<std::size_t>(rank) - 1] : nullptr;
    place.mapped = before ? before->mapped + before->bytes : part(0) + data_;
  } else if (rank == node_.context.rank()) {
    place.mapped = static_cast<char *>(mine.base);
  } else {
    map_place(rank, place);
  }
}

/// Where that fails, the kernel copies.
void WindowMemory::map_place(int rank, Place &place) {
  const SharedPlace &shared = words(rank).shared;
  SharedMemory memory = shared.object_bytes > 0 ? map_shared(shared) : SharedMemory();
  place.is_mapped = memory.mapped();
  if (!place.is_mapped) return;
  place.mapped = memory.part(0) + shared.offset;
  mapped_.push_back(std::move(memory));
}

int WindowMemory::copy(Direction direction, int rank, const std::vector<Piece> &pieces) const {
  std::vector<iovec> local, remote;
  std::size_t bytes = 0;
  const auto flush = [&] {
    const int error = local.empty() ? 0 : copy_some(direction, node_.process_of(rank), local, remote, bytes);
    local.clear(), remote.clear(), bytes = 0;
    return error;
  };
  for (const Piece &piece : pieces)
    for (std::size_t done = 0; done < piece.bytes; done += kMostBytesOfPiece) {
      const std::size_t part = std::min(kMostBytesOfPiece, piece.bytes - done);
      if (local.size() == kMostPieces || bytes + part > kMostBytesOfPiece)
        if (const int error = flush()) return error;
      local.push_back({piece.local + done, part});
      // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of another process
      remote.push_back({reinterpret_cast<void *>(piece.remote + done), part});
      bytes += part;
    }
  return flush();
}

}  // namespace halocline::core::mpi
