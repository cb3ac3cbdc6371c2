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

/// The places of memory that is all in the part of rank 0.
std::vector<Place> places_in_row(const WindowMemory &memory, int ranks) {
  std::vector<Place> places;
  char *next = memory.data_of(0);
  for (int rank = 0; rank < ranks; ++rank) {
    const TargetWords &words = memory.words(rank);
    places.push_back({next, 0, words.bytes, words.unit, true, false});
    next += words.bytes;
  }
  return places;
}

}  // namespace

WindowMemory::~WindowMemory() = default;

Status WindowMemory::open(const MemorySpec &mine) {
  kind_ = mine.kind;
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
  HLC_TRY(segment_->create("MPI_Win_create", {.bytes = bytes, .holds_up_queries = true}));
  return node_.watch_neighbours();
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

/// Memory that is allocated alike on all ranks needs no tables. Else a node has one of those of other nodes, and each rank a list of what it
/// has mapped of its own node's.
Status WindowMemory::find_places(const MemorySpec &mine) {
  HLC_TRY(find_alike(mine));
  const bool brings = mine.kind == Kind::brought, is_unequal = alike_.unit == 0;
  if (segment_ && (brings || is_unequal)) HLC_TRY(share_places(mine));
  if (brings || (is_unequal && mine.kind == Kind::allocated_in_a_row)) {
    HLC_TRY(prepare(node_.context, node_.context.comm(), [&] {
      if (brings)
        list_brought(mine);
      else
        listed_ = places_in_row(*this, node_.context.size());
      return Status::ok;
    }));
  }
  const bool has_row = alike_.unit != 0 && is_allocated(mine.kind) && !segment_;
  if (has_row) {
    alike_.stride = mine.kind == Kind::allocated ? region_.part_bytes(0) : alike_.bytes;
    alike_.begin = data_of(0);
  }
  return find_obstacle();
}

/// Whether all ranks give as many bytes, with the same unit.
Status WindowMemory::find_alike(const MemorySpec &mine) {
  if (mine.kind == Kind::dynamic) return alike_.unit = 1, Status::ok;
  std::int64_t ends[4] = {mine.bytes, -mine.bytes, mine.unit, -mine.unit};
  if (segment_) {
    HLC_TRY(reduce(node_.context, node_.context.comm(), MPI_MIN, ends, 4));
  } else {
    for (int rank = 0; rank < node_.context.size(); ++rank) {
      const TargetWords &words = this->words(rank);
      const std::int64_t theirs[4] = {words.bytes, -words.bytes, words.unit, -words.unit};
      for (std::size_t i = 0; i < 4; ++i) ends[i] = std::min(ends[i], theirs[i]);
    }
  }
  if (ends[0] == -ends[1] && ends[2] == -ends[3]) alike_.bytes = ends[0], alike_.unit = ends[2];
  return Status::ok;
}

/// What cannot be mapped here the kernel copies.
void WindowMemory::list_brought(const MemorySpec &mine) {
  for (Member member = 0; member < node_.context.members(); ++member) {
    const int rank = node_.context.rank_of(member);
    const TargetWords &words = this->words(rank);
    const bool is_mine = rank == node_.context.rank();
    SharedMemory mapped = !is_mine && words.shared.object_bytes > 0 ? map_shared(words.shared) : SharedMemory();
    Place place{nullptr, words.base, words.bytes, words.unit, is_mine || mapped.mapped(), false};
    if (is_mine) place.mapped = static_cast<char *>(mine.base);
    if (mapped.mapped()) place.mapped = mapped.part(0) + words.shared.offset;
    if (mapped.mapped()) mapped_.push_back(std::move(mapped));
    listed_.push_back(place);
  }
}

/// The ranks may differ in what they could map.
Status WindowMemory::find_obstacle() {
  if (node_.reads_others()) return Status::ok;
  const auto needs_kernel = [](const Place &place) { return !place.is_mapped && place.bytes > 0; };
  const bool dynamic = kind_ == Kind::dynamic && node_.context.members() > 1;
  std::int64_t any = dynamic || std::any_of(listed_.begin(), listed_.end(), needs_kernel) ? 1 : 0;
  HLC_TRY(reduce(node_.context, node_.context.comm(), MPI_MAX, &any, 1));
  if (any)
    obstacle_ =
        "its memory is private, and the kernel does not let ranks read each other's: use MPI_Win_allocate or MPI_Alloc_mem, "
        "or allow it (kernel.yama.ptrace_scope=0; in a container, its settings)";
  return Status::ok;
}

Place WindowMemory::place_of(int rank) const {
  const Member member = node_.member_of(rank);
  if (member == kNotOnNode && kind_ != Kind::brought && alike_.unit != 0) return {nullptr, 0, alike_.bytes, alike_.unit, false, true};
  if (member == kNotOnNode) return {nullptr, far_.of(rank).base, far_.of(rank).bytes, far_.of(rank).unit, false, true};
  if (!listed_.empty()) return listed_[static_cast<std::size_t>(member)];
  if (kind_ == Kind::dynamic) return {nullptr, 0, 0, 1, rank == node_.context.rank(), false};
  const TargetWords &words = this->words(rank);
  return {data_of(rank), 0, words.bytes, words.unit, true, false};
}

int WindowMemory::copy(Direction direction, int rank, const std::vector<Piece> &pieces) const {
  std::vector<iovec> local, remote;
  std::size_t bytes = 0;
  const auto flush = [&] {
    const int error =
        local.empty() ? 0 : copy_some(direction, node_.context.doorbell().process_of(node_.member_of(rank)), local, remote, bytes);
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
