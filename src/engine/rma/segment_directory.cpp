// Publishing the descriptors of segments, and reading them.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/rma/segment_directory.hpp"

#include <algorithm>
#include <cstring>

#include "engine/network/request_engine.hpp"

namespace halocline::core {
namespace {

constexpr const char *kLookUp = "looking up a segment";

/// A value that no count of changes has.
constexpr std::uint64_t kOutdated = ~std::uint64_t{0};

std::atomic_ref<std::uint64_t> version_of(MemoryDescriptor &descriptor) { return std::atomic_ref(descriptor.version); }

}  // namespace

void *SegmentDirectory::address(int rank, int id, const RemoteMemory &part) {
  if (rank == communicator_.rank() || !part.data()) return part.data();
  const std::lock_guard lock(shown_mutex_);
  auto &shown = shown_[static_cast<std::size_t>(id)];
  const auto is_it = [&part](const std::shared_ptr<OpenedMemory> &other) { return other.get() == &part; };
  if (std::none_of(shown.begin(), shown.end(), is_it)) shown.push_back(known_.at(key(rank, id)));
  return part.data();
}

void SegmentDirectory::close() {
  known_.clear();
  for (auto &shown : shown_) shown.clear();
  for (auto &part : own_) part.reset();
}

Status SegmentDirectory::make(int id, const MemorySpec &spec, bool *is_new) {
  const std::unique_lock lock(mutex_);
  std::shared_ptr<LocalMemory> &place = own_[static_cast<std::size_t>(id)];
  *is_new = !place;
  if (place) return Status::ok;
  auto part = std::make_shared<LocalMemory>(network_);
  HLC_TRY(part->create(spec));
  place = std::move(part);
  return Status::ok;
}

/// The version is written last: it tells a reader that the rest is complete.
void SegmentDirectory::publish(int id) {
  const std::shared_lock lock(mutex_);
  const LocalMemory *part = own(id);
  if (!part) return;
  MemoryDescriptor unfinished = part->descriptor();
  unfinished.version = 0;
  MemoryDescriptor &place = *place_of_descriptor(id);
  version_of(place).store(0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  std::memcpy(&place, &unfinished, sizeof place);
  // SYNC descriptor-before-version (pairs with read_descriptor): a descriptor with a version is whole.
  version_of(place).store(part->descriptor().version, std::memory_order_release);
}

void SegmentDirectory::withdraw(int id) { version_of(*place_of_descriptor(id)).store(0, std::memory_order_release); }

void SegmentDirectory::forget(int id) {
  const std::unique_lock lock(mutex_);
  std::erase_if(known_, [id](const auto &entry) { return id_of(entry.first) == id; });
  for (auto &[name, inquiry] : inquiries_)
    if (id_of(name) == id) inquiry.changes = kOutdated;
}

bool SegmentDirectory::drop(int id) {
  forget(id);
  const std::unique_lock lock(mutex_);
  std::shared_ptr<LocalMemory> &place = own_[static_cast<std::size_t>(id)];
  if (!place) return false;
  withdraw(id);
  known_.erase(key(communicator_.rank(), id));
  shown_[static_cast<std::size_t>(id)].clear();
  place.reset();
  return true;
}

Status SegmentDirectory::read_descriptor(int rank, int id, MemoryDescriptor *descriptor) {
  RemoteMemory *control = nullptr;
  HLC_TRY(find_control(rank, &control));
  // SYNC descriptor-before-version (pairs with publish): the same version before and after it.
  std::uint64_t before = 0, after = 0;
  HLC_TRY(get(kLookUp, Target{*control, places_.descriptor(id)}, {&before, sizeof before}));
  std::atomic_thread_fence(std::memory_order_acquire);
  HLC_TRY(get(kLookUp, Target{*control, places_.descriptor(id)}, {descriptor, sizeof *descriptor}));
  std::atomic_thread_fence(std::memory_order_acquire);
  HLC_TRY(get(kLookUp, Target{*control, places_.descriptor(id)}, {&after, sizeof after}));
  descriptor->version = before == after ? after : 0;
  return Status::ok;
}

/// A part that cannot be opened is an error of its first use.
void SegmentDirectory::learn_from(int rank, int id, const MemoryDescriptor &descriptor) {
  if (descriptor.version == 0 || communicator_.member_of(rank) != kNotOnNode) return;
  const std::unique_lock lock(mutex_);
  auto part = std::make_shared<OpenedMemory>();
  if (!failed(part->open(network_, rank, descriptor, nullptr))) known_[key(rank, id)] = std::move(part);
}

/// Begins the next read of an inquiry.
Status SegmentDirectory::ask(Inquiry &inquiry, int rank, int id) {
  RemoteMemory *control = nullptr;
  HLC_TRY(find_control(rank, &control));
  if (const Status room = control->find_room(kLookUp); room != Status::ok) return room;
  if (inquiry.stage == Inquiry::Stage::none) {
    inquiry.changes = changed();
    HLC_TRY(get(kLookUp, Target{*control, places_.descriptor(id)}, {&inquiry.version, sizeof inquiry.version}));
    inquiry.stage = Inquiry::Stage::version;
  } else if (inquiry.stage == Inquiry::Stage::version) {
    HLC_TRY(get(kLookUp, Target{*control, places_.descriptor(id)}, {&inquiry.descriptor, sizeof inquiry.descriptor}));
    inquiry.stage = Inquiry::Stage::descriptor;
  } else {
    HLC_TRY(get(kLookUp, Target{*control, places_.descriptor(id)}, {&inquiry.after, sizeof inquiry.after}));
    inquiry.stage = Inquiry::Stage::version_again;
  }
  inquiry.flush = network_.requests()->begin_flush(rank, false);
  return Status::ok;
}

/// Reads again if a segment was registered with this rank meanwhile: it may be another one.
Status SegmentDirectory::inquire(int rank, int id, MemoryDescriptor *descriptor) {
  Inquiry &inquiry = inquiries_[key(rank, id)];
  while (true) {
    if (inquiry.stage == Inquiry::Stage::none)
      if (const Status asked = ask(inquiry, rank, id); asked != Status::ok) return asked;
    const Status flushed = network_.requests()->look(inquiry.flush, kLookUp);
    if (flushed != Status::ok) return flushed;
    // SYNC descriptor-before-version (pairs with publish): the same version before and after it.
    if (inquiry.stage == Inquiry::Stage::version_again && inquiry.changes == changed()) break;
    if (inquiry.stage == Inquiry::Stage::version_again) inquiry.stage = Inquiry::Stage::none;
    if (const Status asked = ask(inquiry, rank, id); asked != Status::ok) return asked;
  }
  *descriptor = inquiry.descriptor;
  descriptor->version = inquiry.version == inquiry.after ? inquiry.after : 0;
  inquiries_.erase(key(rank, id));
  return Status::ok;
}

Status SegmentDirectory::find_descriptor(int rank, int id, MemoryDescriptor *descriptor) {
  if (rank == communicator_.rank()) return Status::ok;
  return communicator_.member_of(rank) == kNotOnNode ? inquire(rank, id, descriptor) : read_descriptor(rank, id, descriptor);
}

Status SegmentDirectory::learn(int rank, int id, bool *exists) {
  const std::unique_lock lock(mutex_);
  if (const std::uint64_t now = changed(); now != seen_) {
    known_.clear();
    seen_ = now;
  }
  if (known(rank, id)) return Status::ok;
  MemoryDescriptor descriptor;
  const LocalMemory *mine = rank == communicator_.rank() ? own(id) : nullptr;
  if (mine) descriptor = mine->descriptor();
  if (!mine)
    if (const Status found = find_descriptor(rank, id, &descriptor); found != Status::ok) return found;
  *exists = descriptor.version != 0;
  if (!*exists) return Status::ok;
  auto part = std::make_shared<OpenedMemory>();
  HLC_TRY(part->open(network_, rank, descriptor, mine));
  known_[key(rank, id)] = std::move(part);
  return Status::ok;
}

}  // namespace halocline::core
