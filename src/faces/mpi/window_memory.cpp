// Making a window's memory: a part per rank with its words, then the memory that the window allocates. The parts are one shared object, or
// a segment of the engine if there are several nodes.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/window_memory.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/rounds.hpp"
#include "engine/communicator/collective.hpp"

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

/// How many bytes from this address on are in one region; 0 if it is in none.
std::uint64_t attached_from(const AttachedRegions &regions, std::uint64_t address) {
  const std::uint32_t used = regions.used.load(std::memory_order_acquire);
  std::uint64_t most = 0;
  for (std::uint32_t at = 0; at < used; ++at) {
    const std::uint64_t base = regions.slots[at].base.load(std::memory_order_relaxed);
    const auto bytes = static_cast<std::uint64_t>(regions.slots[at].bytes.load(std::memory_order_relaxed));
    if (address >= base && address - base < bytes) most = std::max(most, bytes - (address - base));
  }
  return most;
}

bool erase_first(std::vector<const void *> &list, const void *one) {
  const auto found = std::find(list.begin(), list.end(), one);
  if (found == list.end()) return false;
  list.erase(found);
  return true;
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
  const std::int64_t rounds = doubling_rounds(ranks);
  pairs_ = static_cast<std::int64_t>(sizeof(TargetWords)) + rounds * static_cast<std::int64_t>(sizeof(Counter));
  data_ = SharedMemory::rounded(pairs_ + ranks * static_cast<std::int64_t>(sizeof(PairWords)));
  std::int64_t bytes = is_allocated(mine.kind) ? mine.bytes : 0;
  if (mine.kind == Kind::dynamic) bytes = sizeof(AttachedRegions);
  if (mine.kind == Kind::allocated_in_a_row) {
    HLC_TRY(reduce(node_.context, node_.context.comm(), MPI_SUM, &bytes, 1));
    if (node_.context.rank() > 0) bytes = 0;
  }
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
    if (mine.kind != Kind::brought) return Status::ok;
    if (context.network().helper())
      return fail(Status::unsupported, "rank %d: a helper process (HALOCLINE_PROGRESS) reaches no memory that the program brings",
                  context.rank());
    place.brought.bytes = mine.bytes;
    if (mine.bytes == 0) return Status::ok;  // no network registers 0 bytes
    HLC_TRY(brought_.cover(*context.network().endpoint(), static_cast<char *>(mine.base), mine.bytes));
    place.brought.part = brought_.remote();
    return Status::ok;
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
  if (any) obstacle_ = "its memory is private, and the kernel does not let ranks read each other's (ptrace_scope, or a container)";
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

void WindowMemory::attach(const void *base, std::int64_t bytes) {
  const std::lock_guard lock(attaching_);
  if (bytes == 0) return empty_.push_back(base);
  AttachedRegions &mine = regions(node_.context.rank());
  const std::uint32_t used = mine.used.load(std::memory_order_relaxed);
  std::uint32_t at = 0;
  while (at < used && mine.slots[at].bytes.load(std::memory_order_relaxed) != 0) at += 1;
  if (at == AttachedRegions::kMost) {
    mine.more.fetch_add(1, std::memory_order_relaxed);
    return more_.push_back(base);
  }
  mine.slots[at].base.store(reinterpret_cast<std::uint64_t>(base), std::memory_order_relaxed);
  mine.slots[at].bytes.store(bytes, std::memory_order_relaxed);
  // The program synchronises before another rank uses the memory.
  if (at == used) mine.used.store(used + 1, std::memory_order_release);
}

bool WindowMemory::detach(const void *base) {
  const std::lock_guard lock(attaching_);
  AttachedRegions &mine = regions(node_.context.rank());
  for (std::uint32_t at = 0; at < mine.used.load(std::memory_order_relaxed); ++at) {
    AttachedRegions::Slot &slot = mine.slots[at];
    if (slot.bytes.load(std::memory_order_relaxed) == 0 ||
        slot.base.load(std::memory_order_relaxed) != reinterpret_cast<std::uint64_t>(base))
      continue;
    slot.bytes.store(0, std::memory_order_relaxed);
    return true;
  }
  if (erase_first(empty_, base)) return true;
  if (!erase_first(more_, base)) return false;
  mine.more.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

/// Regions that adjoin are one.
bool WindowMemory::is_attached(int rank, std::uint64_t begin, std::int64_t bytes) const {
  const AttachedRegions &theirs = regions(rank);
  std::uint64_t left = static_cast<std::uint64_t>(bytes);
  while (left > 0) {
    const std::uint64_t found = attached_from(theirs, begin);
    if (found == 0) return theirs.more.load(std::memory_order_relaxed) > 0;
    if (found >= left) return true;
    begin += found;
    left -= found;
  }
  return true;
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
