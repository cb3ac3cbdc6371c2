// The memory that ranks have attached to a dynamic window. Each lists its own in its part. Ranks of the node look there; those of other nodes
// read the list by a get, keep it, and read its version before each access.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>

#include "engine/rma/operations.hpp"
#include "faces/mpi/window_memory.hpp"

namespace halocline::core::mpi {
namespace {

constexpr const char *kRead = "an access to a dynamic window of MPI";

/// How many bytes from an address on are in a region; 0 if it is not there.
std::uint64_t bytes_from(std::uint64_t address, std::uint64_t base, std::uint64_t bytes) {
  return address >= base && address - base < bytes ? bytes - (address - base) : 0;
}

/// The most that are in one region.
std::uint64_t attached_from(const AttachedRegions &regions, std::uint64_t address) {
  const std::uint32_t used = regions.used.load(std::memory_order_acquire);
  std::uint64_t most = 0;
  for (std::uint32_t at = 0; at < used; ++at) {
    const std::uint64_t base = regions.slots[at].base.load(std::memory_order_relaxed);
    const auto bytes = static_cast<std::uint64_t>(regions.slots[at].bytes.load(std::memory_order_relaxed));
    most = std::max(most, bytes_from(address, base, bytes));
  }
  return most;
}

std::uint64_t attached_from(const FarRegions &regions, std::uint64_t address) {
  std::uint64_t most = 0;
  for (const FarRegion &region : regions.all)
    most = std::max(most, bytes_from(address, region.base, static_cast<std::uint64_t>(region.descriptor.bytes)));
  return most;
}

/// True if all bytes are in regions. Regions that adjoin are one.
template <class Regions>
bool covers(const Regions &regions, std::uint64_t begin, std::uint64_t bytes) {
  while (bytes > 0) {
    const std::uint64_t found = std::min(bytes, attached_from(regions, begin));
    if (found == 0) return false;
    begin += found;
    bytes -= found;
  }
  return true;
}

bool erase_first(std::vector<const void *> &list, const void *one) {
  const auto found = std::find(list.begin(), list.end(), one);
  if (found == list.end()) return false;
  list.erase(found);
  return true;
}

/// Gets bytes of the list of a rank of another node.
Status read_bytes(const RemoteMemory &memory, std::int64_t offset, Sink sink) {
  HLC_TRY(core::get(kRead, {memory, offset}, sink));
  return flush_local(kRead, memory);
}

FarRegions listed(const FarAttachedRegions &found, std::uint64_t version) {
  FarRegions regions;
  regions.version = version;
  const std::size_t used = std::min<std::size_t>(found.list.used.load(std::memory_order_relaxed), AttachedRegions::kMost);
  for (std::size_t at = 0; at < used; ++at) {
    const std::int64_t bytes = found.list.slots[at].bytes.load(std::memory_order_relaxed);
    if (bytes > 0) regions.all.push_back({found.list.slots[at].base.load(std::memory_order_relaxed), {bytes, found.keys[at], 0, 0, 0}});
  }
  return regions;
}

}  // namespace

/// One half of a change of the list, of which other nodes must not see the middle.
void WindowMemory::count_change() {
  // SYNC list-before-version (pairs with read_far_regions)
  if (segment_) my_far_regions().version.fetch_add(1, std::memory_order_seq_cst);
}

Status WindowMemory::expose(std::uint32_t at, void *base, std::int64_t bytes) {
  if (!segment_) return Status::ok;
  NetworkSegment &registered = registered_[at] = NetworkSegment();
  HLC_TRY(registered.cover(*node_.context.network().endpoint(), static_cast<char *>(base), bytes));
  my_far_regions().keys[at] = registered.remote();
  return Status::ok;
}

Status WindowMemory::attach(void *base, std::int64_t bytes) {
  const std::lock_guard lock(attaching_);
  if (bytes == 0) return empty_.push_back(base), Status::ok;
  AttachedRegions &mine = regions(node_.context.rank());
  const std::uint32_t used = mine.used.load(std::memory_order_relaxed);
  std::uint32_t at = 0;
  while (at < used && mine.slots[at].bytes.load(std::memory_order_relaxed) != 0) at += 1;
  if (at == AttachedRegions::kMost) {
    if (segment_)
      return fail(Status::unsupported, "rank %d has attached %zu regions to a window of several nodes, which is the most",
                  node_.context.rank(), AttachedRegions::kMost);
    mine.more.fetch_add(1, std::memory_order_relaxed);
    return more_.push_back(base), Status::ok;
  }
  count_change();
  const Status exposed = expose(at, base, bytes);
  if (!failed(exposed)) {
    mine.slots[at].base.store(reinterpret_cast<std::uint64_t>(base), std::memory_order_relaxed);
    mine.slots[at].bytes.store(bytes, std::memory_order_relaxed);
    // The program synchronises before another rank uses the memory.
    if (at == used) mine.used.store(used + 1, std::memory_order_release);
  }
  count_change();
  return exposed;
}

bool WindowMemory::detach(const void *base) {
  const std::lock_guard lock(attaching_);
  AttachedRegions &mine = regions(node_.context.rank());
  for (std::uint32_t at = 0; at < mine.used.load(std::memory_order_relaxed); ++at) {
    AttachedRegions::Slot &slot = mine.slots[at];
    if (slot.bytes.load(std::memory_order_relaxed) == 0 ||
        slot.base.load(std::memory_order_relaxed) != reinterpret_cast<std::uint64_t>(base))
      continue;
    count_change();
    slot.bytes.store(0, std::memory_order_relaxed);
    registered_.erase(at);
    count_change();
    return true;
  }
  if (erase_first(empty_, base)) return true;
  if (!erase_first(more_, base)) return false;
  mine.more.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

bool WindowMemory::is_attached(int rank, std::uint64_t begin, std::int64_t bytes) const {
  const auto length = static_cast<std::uint64_t>(bytes);
  if (!node_.is_near(rank)) return is_attached_far(rank, begin, length);
  const AttachedRegions &theirs = regions(rank);
  return covers(theirs, begin, length) || theirs.more.load(std::memory_order_relaxed) > 0;
}

/// A rank that cannot be reached has attached nothing.
bool WindowMemory::is_attached_far(int rank, std::uint64_t begin, std::uint64_t bytes) const {
  return !failed(read_far_regions(rank)) && covers(*far_regions(rank), begin, bytes);
}

std::shared_ptr<const FarRegions> WindowMemory::far_regions(int rank) const {
  const std::lock_guard lock(reading_);
  std::shared_ptr<const FarRegions> &known = read_[rank];
  if (!known) known = std::make_shared<FarRegions>();
  return known;
}

/// Reads the list anew if its version has changed, until it does not change meanwhile.
Status WindowMemory::read_far_regions(int rank) const {
  const RemoteMemory memory = control(rank);
  const std::int64_t version_at = data_ + static_cast<std::int64_t>(offsetof(FarAttachedRegions, version));
  std::uint64_t version = 0;
  // SYNC list-before-version (pairs with count_change)
  HLC_TRY(read_bytes(memory, version_at, {&version, sizeof version}));
  while (version % 2 != 0 || version != far_regions(rank)->version) {
    const auto found = std::make_unique<FarAttachedRegions>();
    std::uint64_t after = 0;
    HLC_TRY(read_bytes(memory, data_, {found.get(), sizeof *found}));
    HLC_TRY(read_bytes(memory, version_at, {&after, sizeof after}));
    if (after == version && version % 2 == 0) {
      auto read = std::make_shared<const FarRegions>(listed(*found, version));
      const std::lock_guard lock(reading_);
      read_[rank] = std::move(read);
      return Status::ok;
    }
    version = after;
  }
  return Status::ok;
}

}  // namespace halocline::core::mpi
