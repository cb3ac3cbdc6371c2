// The memory that ranks have attached to a dynamic window. Each lists its own in its part. Ranks of the node look there; those of other nodes
// read the list by a get, keep it, and read its version before each access.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/window/dynamic_regions.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "engine/rma/operations.hpp"
#include "faces/mpi/access/bounce_buffer.hpp"

namespace halocline::core::mpi {
namespace {

constexpr const char *kRead = "MPI RMA access to a dynamic window";

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
Status read_bytes(const RemoteMemory &memory, std::int64_t offset, Sink sink) { return read_far(kRead, {memory, offset}, sink); }

/// The slots in use.
void list_slots(const FarAttachedRegions &found, std::vector<FarRegion> *regions) {
  const std::size_t used = std::min<std::size_t>(found.list.used.load(std::memory_order_relaxed), AttachedRegions::kMax);
  for (std::size_t at = 0; at < used; ++at)
    if (found.list.slots[at].bytes.load(std::memory_order_relaxed) > 0)
      regions->push_back({found.list.slots[at].base.load(std::memory_order_relaxed), found.descriptors[at]});
}

}  // namespace

/// One half of a change of the list, of which other nodes must not see the middle.
void Attached::count_change() {
  // SYNC list-before-version (pairs with read)
  if (!memory_.segment()) return;
  mine_for_others().version.fetch_add(1, std::memory_order_seq_cst);
  // What follows the first half is not seen before it.
  std::atomic_thread_fence(std::memory_order_release);
}

/// Regions of one window do not overlap (MPI 4.1, section 12.2.4).
Status Attached::check_apart(const void *base, std::int64_t bytes) const {
  const auto begin = reinterpret_cast<std::uintptr_t>(base), end = begin + static_cast<std::uintptr_t>(bytes);
  auto other = bytes_.lower_bound(end);
  if (other == bytes_.begin()) return Status::ok;
  --other;
  if (other->first + static_cast<std::uintptr_t>(other->second) <= begin) return Status::ok;
  return fail(Status::argument, "%lld bytes at %p overlap %lld bytes at %#llx that this rank has already attached",
              static_cast<long long>(bytes), base, static_cast<long long>(other->second), static_cast<unsigned long long>(other->first));
}

Status Attached::attach(void *base, std::int64_t bytes) {
  const std::lock_guard lock(attaching_);
  if (bytes == 0) return empty_.push_back(base), Status::ok;
  HLC_TRY(check_apart(base, bytes));
  HLC_TRY(add(base, bytes));
  bytes_.emplace(reinterpret_cast<std::uintptr_t>(base), bytes);
  return Status::ok;
}

/// To the list, or beyond it.
Status Attached::add(void *base, std::int64_t bytes) {
  AttachedRegions &mine = regions(comm_.context.rank());
  const std::uint32_t used = mine.used.load(std::memory_order_relaxed);
  std::uint32_t at = 0;
  while (at < used && mine.slots[at].bytes.load(std::memory_order_relaxed) != 0) at += 1;
  if (at == AttachedRegions::kMax) {
    if (memory_.segment()) HLC_TRY(enter_beyond(base, bytes));
    mine.more.fetch_add(1, std::memory_order_relaxed);
    return more_.push_back(base), Status::ok;
  }
  return enter(at, base, bytes);
}

/// Uses the slot `at`, which may be the next.
Status Attached::enter(std::uint32_t at, void *base, std::int64_t bytes) {
  AttachedRegions &mine = regions(comm_.context.rank());
  count_change();
  Status exposed = Status::ok;
  if (memory_.segment())
    exposed = registered_[at].open(comm_.context.network(), static_cast<char *>(base), bytes, &mine_for_others().descriptors[at]);
  if (!failed(exposed)) {
    mine.slots[at].base.store(reinterpret_cast<std::uint64_t>(base), std::memory_order_relaxed);
    mine.slots[at].bytes.store(bytes, std::memory_order_relaxed);
    // The program synchronises before another rank uses the memory.
    if (at == mine.used.load(std::memory_order_relaxed)) mine.used.store(at + 1, std::memory_order_release);
  }
  count_change();
  return exposed;
}

/// Doubles the overflow.
Status Attached::grow() {
  auto longer = std::make_unique<Overflow>();
  if (!overflows_.empty()) longer->regions = overflows_.back()->regions;
  longer->regions.resize(std::max(AttachedRegions::kMax, 2 * longer->regions.size()));
  RemoteDescriptor descriptor;
  HLC_TRY(longer->registered.open(comm_.context.network(), reinterpret_cast<char *>(longer->regions.data()),
                                  static_cast<std::int64_t>(longer->regions.size() * sizeof(FarRegion)), &descriptor));
  count_change();
  mine_for_others().overflow = descriptor;
  overflows_.push_back(std::move(longer));
  count_change();
  return Status::ok;
}

Status Attached::enter_beyond(void *base, std::int64_t bytes) {
  const auto is_free = [](const FarRegion &region) { return region.descriptor.bytes == 0; };
  const std::size_t before = overflows_.empty() ? 0 : overflows_.back()->regions.size();
  if (before == 0 || std::none_of(overflows_.back()->regions.begin(), overflows_.back()->regions.end(), is_free)) HLC_TRY(grow());
  std::vector<FarRegion> &all = overflows_.back()->regions;
  const auto free = std::find_if(all.begin(), all.end(), is_free);
  FarRegion added{reinterpret_cast<std::uint64_t>(base), {}};
  const auto at = AttachedRegions::kMax + static_cast<std::size_t>(free - all.begin());
  HLC_TRY(registered_[at].open(comm_.context.network(), static_cast<char *>(base), bytes, &added.descriptor));
  count_change();
  *free = added;
  count_change();
  return Status::ok;
}

/// False if it is not there.
bool Attached::leave_beyond(const void *base) {
  if (overflows_.empty()) return false;
  std::vector<FarRegion> &all = overflows_.back()->regions;
  const auto is_it = [=](const FarRegion &region) {
    return region.descriptor.bytes > 0 && region.base == reinterpret_cast<std::uint64_t>(base);
  };
  const auto found = std::find_if(all.begin(), all.end(), is_it);
  if (found == all.end()) return false;
  count_change();
  *found = FarRegion();
  registered_.erase(AttachedRegions::kMax + static_cast<std::size_t>(found - all.begin()));
  count_change();
  return true;
}

bool Attached::detach(const void *base) {
  const std::lock_guard lock(attaching_);
  if (bytes_.erase(reinterpret_cast<std::uintptr_t>(base)) == 0) return erase_first(empty_, base);
  return take_away(base);
}

/// From the list, or from what is beyond it. False if it is not there.
bool Attached::take_away(const void *base) {
  AttachedRegions &mine = regions(comm_.context.rank());
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
  if (!erase_first(more_, base)) return false;
  if (memory_.segment()) static_cast<void>(leave_beyond(base));
  mine.more.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

bool Attached::has(int rank, std::uint64_t begin, std::int64_t bytes) const {
  const auto length = static_cast<std::uint64_t>(bytes);
  if (!comm_.is_near(rank)) return covers(*far(rank), begin, length);
  const AttachedRegions &theirs = regions(rank);
  return covers(theirs, begin, length) || theirs.more.load(std::memory_order_relaxed) > 0;
}

std::shared_ptr<const FarRegions> Attached::far(int rank) const {
  const std::lock_guard lock(reading_);
  std::shared_ptr<const FarRegions> &known = read_[rank];
  if (!known) known = std::make_shared<FarRegions>();
  return known;
}

/// All that a rank has attached, if the list does not change meanwhile.
Status Attached::read_list(int rank, FarRegions *regions) const {
  const auto found = std::make_unique<FarAttachedRegions>();
  HLC_TRY(read_bytes(memory_.control(rank), memory_.data_offset(), {found.get(), sizeof *found}));
  list_slots(*found, &regions->all);
  const RemoteDescriptor beyond = found->overflow;
  if (beyond.bytes <= 0 || found->version.load(std::memory_order_relaxed) != regions->version) return Status::ok;
  std::vector<FarRegion> more(static_cast<std::size_t>(beyond.bytes) / sizeof(FarRegion));
  HLC_TRY(read_bytes(RemoteMemory(comm_.context.network(), rank, beyond, 0), 0, {more.data(), beyond.bytes}));
  std::copy_if(more.begin(), more.end(), std::back_inserter(regions->all), [](const FarRegion &one) { return one.descriptor.bytes > 0; });
  return Status::ok;
}

/// Reads the list again if its version has changed, until it does not change meanwhile.
Status Attached::read(int rank) const {
  const RemoteMemory memory = memory_.control(rank);
  const std::int64_t version_at = memory_.data_offset() + static_cast<std::int64_t>(offsetof(FarAttachedRegions, version));
  std::uint64_t version = 0;
  // SYNC list-before-version (pairs with count_change)
  HLC_TRY(read_bytes(memory, version_at, {&version, sizeof version}));
  while (version % 2 != 0 || version != far(rank)->version) {
    const auto regions = std::make_shared<FarRegions>();
    regions->version = version;
    HLC_TRY(read_list(rank, regions.get()));
    HLC_TRY(read_bytes(memory, version_at, {&version, sizeof version}));
    if (version != regions->version || version % 2 != 0) continue;
    const std::lock_guard lock(reading_);
    read_[rank] = regions;
  }
  return Status::ok;
}

}  // namespace halocline::core::mpi
