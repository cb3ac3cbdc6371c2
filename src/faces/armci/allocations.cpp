// Making allocations, and the sorted lists of their ranges.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/armci/allocations.hpp"

#include <algorithm>
#include <utility>

namespace halocline::core::armci {
namespace {

bool begins_before(const Range *range, std::uint64_t address) { return range->begin < address; }

void insert(std::vector<const Range *> &ranges, const Range &range) {
  ranges.insert(std::lower_bound(ranges.begin(), ranges.end(), range.begin, begins_before), &range);
}

/// The last range that begins at or before an address.
const Range *find_before(const std::vector<const Range *> &ranges, std::uint64_t address) {
  const auto behind = std::lower_bound(ranges.begin(), ranges.end(), address + 1, begins_before);
  return behind == ranges.begin() ? nullptr : *(behind - 1);
}

}  // namespace

Status Allocation::make(std::int64_t bytes) {
  MemorySpec spec;
  spec.bytes = round_up(bytes, kLockBytes) + kLockBytes;
  bytes_ = bytes;
  return bytes > 0 ? mine_.create(spec) : Status::ok;
}

PartRecord Allocation::record() const {
  PartRecord record;
  record.address = reinterpret_cast<std::uint64_t>(mine_.data());
  record.bytes = bytes_;
  record.descriptor = mine_.descriptor();
  return record;
}

Status Allocation::open(int proc, const PartRecord &record) {
  auto part = std::make_unique<Part>();
  part->proc = proc;
  part->memory = std::make_unique<OpenedMemory>();
  const auto bytes = static_cast<std::uint64_t>(record.bytes);
  if (bytes > 0) {
    const bool is_mine = proc == network_.communicator().rank();
    HLC_TRY(part->memory->open(network_, proc, record.descriptor, is_mine ? &mine_ : nullptr));
    const char *const seen = part->memory->data();
    part->seen = {seen ? reinterpret_cast<std::uint64_t>(seen) : record.address, bytes, part->memory.get()};
    if (seen) part->owners = {record.address, bytes, part->memory.get()};
  }
  parts_.push_back(std::move(part));
  return Status::ok;
}

void Allocations::clear() {
  const std::lock_guard lock(mutex_);
  for (Table &table : tables_) {
    table.last.store(nullptr, std::memory_order_relaxed);
    table.seen.clear();
    table.owners.clear();
  }
  all_.clear();
}

Allocation &Allocations::add(std::unique_ptr<Allocation> made) {
  const std::lock_guard lock(mutex_);
  for (const auto &part : made->parts()) {
    Table &table = tables_[static_cast<std::size_t>(part->proc)];
    if (part->seen.bytes > 0) insert(table.seen, part->seen);
    if (part->owners.bytes > 0) insert(table.owners, part->owners);
  }
  next_number_ = std::max(next_number_, made->number + 1);
  all_.push_back(std::move(made));
  return *all_.back();
}

Allocation *Allocations::find(int proc, const void *address) {
  const std::lock_guard lock(mutex_);
  const auto at = reinterpret_cast<std::uint64_t>(address);
  for (const auto &allocation : all_)
    for (const auto &part : allocation->parts())
      if (part->proc == proc && at >= part->seen.begin && at - part->seen.begin < part->seen.bytes) return allocation.get();
  return nullptr;
}

Allocation *Allocations::find_single(int proc, const void *owners) {
  const std::lock_guard lock(mutex_);
  for (const auto &allocation : all_) {
    if (allocation->parts().size() != 1) continue;
    const Allocation::Part &part = *allocation->parts().front();
    const Range &range = part.owners.bytes > 0 ? part.owners : part.seen;
    if (part.proc == proc && range.begin == reinterpret_cast<std::uint64_t>(owners)) return allocation.get();
  }
  return nullptr;
}

Allocation *Allocations::with_number(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  for (const auto &allocation : all_)
    if (allocation->number == number) return allocation.get();
  return nullptr;
}

std::unique_ptr<Allocation> Allocations::take(const Allocation *allocation) {
  const std::lock_guard lock(mutex_);
  for (const auto &part : allocation->parts()) {
    Table &table = tables_[static_cast<std::size_t>(part->proc)];
    table.last.store(nullptr, std::memory_order_relaxed);
    std::erase(table.seen, &part->seen);
    std::erase(table.owners, &part->owners);
  }
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const auto &other) { return other.get() == allocation; });
  std::unique_ptr<Allocation> taken = std::move(*found);
  all_.erase(found);
  return taken;
}

bool Allocations::search(Table &table, const void *address, Extent extent, Place *place) {
  const std::lock_guard lock(mutex_);
  const auto at = reinterpret_cast<std::uint64_t>(address);
  for (const auto *ranges : {&table.seen, &table.owners}) {
    const Range *const range = find_before(*ranges, at);
    if (!range || !place_in(*range, address, extent, place)) continue;
    // SYNC range-before-last (pairs with locate)
    table.last.store(range, std::memory_order_release);
    return true;
  }
  return false;
}

}  // namespace halocline::core::armci
