// Making a window's memory: a part per rank with its words, then the memory that the window allocates. The parts are one shared object, or
// a segment of the engine if there are several nodes.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/window/window_memory.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "engine/communicator/collective.hpp"
#include "engine/network/request_engine.hpp"
#include "engine/rma/exposed_memory.hpp"
#include "faces/mpi/window/comm_contexts.hpp"
#include "faces/mpi/window/region_list.hpp"

namespace halocline::core::mpi {
namespace {

using Kind = MemorySpec::Kind;

constexpr std::size_t kMaxPieces = 256, kMaxBytesOfPiece = std::size_t{1} << 30;

bool is_allocated(Kind kind) { return kind == Kind::allocated || kind == Kind::allocated_in_a_row; }

/// Of this rank's part, behind its words. Of memory in a row: of this rank's own memory.
std::int64_t bytes_of_part(const MemorySpec &mine, bool spans_nodes) {
  if (mine.kind == Kind::dynamic) return spans_nodes ? sizeof(FarAttachedRegions) : sizeof(AttachedRegions);
  return is_allocated(mine.kind) ? mine.bytes : 0;
}

/// The part of a rank of this node.
char *part_of(const WindowParts &parts, int rank) {
  return parts.segment ? parts.segment->memory_of(rank).data() : parts.region.part(rank);
}

/// The words of a rank that are there before the others know of the window: no rank has accessed them since the last one ended.
void publish(const CommContext &comm, const WindowParts &parts, const MemorySpec &mine) {
  char *const part = part_of(parts, comm.context.rank());
  std::memset(part, 0, static_cast<std::size_t>(parts.data));
  if (mine.kind == Kind::dynamic) std::memset(part + parts.data, 0, static_cast<std::size_t>(bytes_of_part(mine, comm.spans_nodes())));
  TargetWords &words = *reinterpret_cast<TargetWords *>(part);
  words.base = reinterpret_cast<std::uint64_t>(mine.base);
  words.bytes = mine.bytes;
  words.unit = mine.unit;
  if (mine.kind == Kind::user_memory) words.shared = find_shared(mine.base, mine.bytes);
}

/// Collective, the same status on all ranks.
Status make_parts(CommContext &comm, std::int64_t bytes, WindowParts &parts) {
  if (!comm.spans_nodes()) return create_shared_memory(comm.context, bytes, parts.region, ObjectFile::closed, Pages::promised);
  Context &context = comm.context;
  HLC_TRY(prepare(context, context.comm(), [&] {
    parts.segment = std::make_unique<Segment>(context.network());
    return parts.segment->check("MPI_Win_create", {.bytes = bytes});
  }));
  HLC_TRY(parts.segment->create("MPI_Win_create", {.bytes = bytes, .pauses_queries = true}));
  return comm.watch_neighbours();
}

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

WindowMemory::WindowMemory(CommContext &comm) : comm_(comm) {}

WindowMemory::~WindowMemory() {
  give_back();
  exposed_.reset();
  if (keeps_parts_) comm_.spares.keep(std::move(parts_));
}

CommonMemory WindowMemory::offer(const MemorySpec &mine) {
  CommonMemory common = CommonMemory::of_one(mine);
  if (mine.kind == Kind::allocated_in_a_row) return common;
  offered_ = comm_.spares.take_all();
  for (std::size_t slot = 0; slot < SpareParts::kSlots; ++slot) {
    const WindowParts &parts = offered_[slot];
    if (!parts.any() || parts.bytes < bytes_of_part(mine, comm_.spans_nodes())) continue;
    publish(comm_, parts, mine);
    common.of[CommonMemory::numbers + slot] = parts.number;
    common.of[CommonMemory::minus_numbers + slot] = -parts.number;
  }
  return common;
}

Status WindowMemory::open(const MemorySpec &mine, const CommonMemory &common, std::int64_t number) {
  kind_ = mine.kind;
  alike_ = common.alike();
  if (comm_.spans_nodes() && mine.kind == Kind::allocated) numbers_ = Numbers::by_atomics;
  if (comm_.spans_nodes() && mine.kind == Kind::user_memory) numbers_ = Numbers::by_owner;
  for (std::size_t slot = 0; slot < SpareParts::kSlots && !parts_.any(); ++slot)
    if (common.has_spare(slot)) parts_ = std::exchange(offered_[slot], {});
  give_back();
  return parts_.any() ? Status::ok : make(mine, number);
}

void WindowMemory::give_back() {
  for (WindowParts &parts : offered_) comm_.spares.keep(std::exchange(parts, {}));
}

/// Memory in a row is all in the part of rank 0, which has its pages.
Status WindowMemory::make(const MemorySpec &mine, std::int64_t number) {
  Context &context = comm_.context;
  std::int64_t bytes = bytes_of_part(mine, comm_.spans_nodes());
  if (mine.kind == Kind::allocated_in_a_row) {
    HLC_TRY(reduce(context, context.comm(), MPI_SUM, &bytes, 1));
    if (context.rank() > 0) bytes = 0;
  }
  parts_.data = SharedMemory::rounded(queue_end(context.size(), has_post_bits(context.size(), comm_.spans_nodes())));
  parts_.bytes = bytes;
  Status made = make_parts(comm_, parts_.data + bytes, parts_);
  if (made == Status::memory) drop_spares(), made = make_parts(comm_, parts_.data + bytes, parts_);
  HLC_TRY(made);
  parts_.number = number;
  publish(comm_, parts_, mine);
  return agree(context, context.comm(), Status::ok);
}

/// Registers user-provided memory of this rank, and exchanges addresses with other nodes. `ready`: the status of what this rank has done
/// before.
Status WindowMemory::share_places(const MemorySpec &mine, Status ready) {
  Context &context = comm_.context;
  FarPlace place{reinterpret_cast<std::uint64_t>(mine.base), mine.bytes, mine.unit, {}};
  // No network registers 0 bytes.
  if (!failed(ready) && mine.kind == Kind::user_memory && mine.bytes > 0)
    ready = alone(context, [&] {
      exposed_ = std::make_unique<ExposedMemory>(context.network(), context.network().requests()->served().next_own_part(), true);
      const NodeLock lock = comm_.lock_in(words(context.rank()).numbers);
      return exposed_->open({static_cast<char *>(mine.base), mine.bytes, {}, nullptr, lock}, parts_.region, 0, &place.user_memory);
    });
  return parts_.far.share(context, context.network().leaders(), place, ObjectFile::closed, ready);
}

/// Memory that is allocated alike on all ranks needs no tables. Else a node has one of those of other nodes, and each rank a list of what it
/// has mapped of its own node's.
Status WindowMemory::find_places(const MemorySpec &mine) {
  Context &context = comm_.context;
  const bool has_user_memory = mine.kind == Kind::user_memory, is_unequal = alike_.unit == 0;
  const bool has_list = has_user_memory || (is_unequal && mine.kind == Kind::allocated_in_a_row);
  const Status listed = alone(context, [&] {
    if (has_user_memory)
      list_user_memory(mine);
    else if (has_list)
      listed_ = places_in_row(*this, context.size());
    return Status::ok;
  });
  if (parts_.segment && (has_user_memory || is_unequal))
    HLC_TRY(share_places(mine, listed));
  else if (has_list)
    HLC_TRY(agree(context, context.comm(), listed));
  if (alike_.unit != 0 && is_allocated(mine.kind) && !parts_.segment) find_row();
  return find_obstacle();
}

/// Parts that are kept may be unequal.
void WindowMemory::find_row() {
  alike_.stride = kind_ == Kind::allocated ? parts_.region.part_bytes(0) : alike_.bytes;
  for (Member member = 0; kind_ == Kind::allocated && member < comm_.context.members(); ++member)
    if (parts_.region.part_bytes(member) != alike_.stride) return;
  alike_.begin = data_of(0);
}

/// What cannot be mapped here the kernel copies.
void WindowMemory::list_user_memory(const MemorySpec &mine) {
  for (Member member = 0; member < comm_.context.members(); ++member) {
    const int rank = comm_.context.rank_of(member);
    const TargetWords &words = this->words(rank);
    const bool is_mine = rank == comm_.context.rank();
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
  if (comm_.reads_others()) return Status::ok;
  const auto needs_kernel = [](const Place &place) { return !place.is_mapped && place.bytes > 0; };
  const bool dynamic = kind_ == Kind::dynamic && comm_.context.members() > 1;
  std::int64_t any = dynamic || std::any_of(listed_.begin(), listed_.end(), needs_kernel) ? 1 : 0;
  HLC_TRY(reduce(comm_.context, comm_.context.comm(), MPI_MAX, &any, 1));
  if (any)
    obstacle_ =
        "its memory is private, and the kernel does not let ranks read each other's: use MPI_Win_allocate or MPI_Alloc_mem, "
        "or allow it (kernel.yama.ptrace_scope=0; in a container, its settings)";
  return Status::ok;
}

Place WindowMemory::place_of(int rank) const {
  const Member member = comm_.member_of(rank);
  if (member == kNotOnNode && kind_ != Kind::user_memory && alike_.unit != 0) return {nullptr, 0, alike_.bytes, alike_.unit, false, true};
  if (member == kNotOnNode) return {nullptr, parts_.far.of(rank).base, parts_.far.of(rank).bytes, parts_.far.of(rank).unit, false, true};
  if (!listed_.empty()) return listed_[static_cast<std::size_t>(member)];
  if (kind_ == Kind::dynamic) return {nullptr, 0, 0, 1, rank == comm_.context.rank(), false};
  const TargetWords &words = this->words(rank);
  return {data_of(rank), 0, words.bytes, words.unit, true, false};
}

int WindowMemory::copy(Direction direction, int rank, const std::vector<Piece> &pieces) const {
  std::vector<iovec> local, remote;
  std::size_t bytes = 0;
  const auto flush = [&] {
    const int error =
        local.empty() ? 0 : copy_some(direction, comm_.context.doorbell().process_of(comm_.member_of(rank)), local, remote, bytes);
    local.clear(), remote.clear(), bytes = 0;
    return error;
  };
  for (const Piece &piece : pieces)
    for (std::size_t done = 0; done < piece.bytes; done += kMaxBytesOfPiece) {
      const std::size_t part = std::min(kMaxBytesOfPiece, piece.bytes - done);
      if (local.size() == kMaxPieces || bytes + part > kMaxBytesOfPiece)
        if (const int error = flush()) return error;
      local.push_back({piece.local + done, part});
      // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of another process
      remote.push_back({reinterpret_cast<void *>(piece.remote + done), part});
      bytes += part;
    }
  return flush();
}

}  // namespace halocline::core::mpi
