// Publishing the descriptors of segments, and reading them.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/gaspi/parts.hpp"

#include <algorithm>
#include <cstring>

#include "faces/gaspi/answer.hpp"

namespace halocline::core::gaspi {
namespace {

constexpr const char *kLookUp = "looking up a segment";

/// A value that is no count of changes.
constexpr std::uint64_t kOutdated = ~std::uint64_t{0};

std::atomic_ref<std::uint64_t> version_of(MemoryDescriptor &descriptor) { return std::atomic_ref(descriptor.version); }

}  // namespace

gaspi_return_t Parts::show(int rank, int id, gaspi_pointer_t *pointer) {
  return with(rank, id, [&](RemoteMemory &part) {
    *pointer = part.data();
    if (rank == context_.rank() || !*pointer) return GASPI_SUCCESS;
    const std::lock_guard lock(shown_mutex_);
    auto &shown = shown_[static_cast<std::size_t>(id)];
    const auto is_it = [&part](const std::shared_ptr<OpenedMemory> &other) { return other.get() == &part; };
    if (std::none_of(shown.begin(), shown.end(), is_it)) shown.push_back(known_.at(key(rank, id)));
    return GASPI_SUCCESS;
  });
}

void Parts::close() {
  known_.clear();
  for (auto &shown : shown_) shown.clear();
  for (auto &part : own_) part.reset();
}

gaspi_return_t Parts::add(int id, const MemorySpec &spec) {
  const std::unique_lock lock(mutex_);
  std::shared_ptr<LocalMemory> &place = own_[static_cast<std::size_t>(id)];
  if (place) return GASPI_ERR_INV_SEG;
  auto part = std::make_shared<LocalMemory>(context_.network());
  if (const Status made = part->create(spec); failed(made)) return answer(made);
  place = std::move(part);
  return GASPI_SUCCESS;
}

/// The version is written last: it tells a reader that the rest is complete.
void Parts::publish(int id) {
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

void Parts::withdraw(int id) { version_of(*place_of_descriptor(id)).store(0, std::memory_order_release); }

void Parts::forget(int id) {
  const std::unique_lock lock(mutex_);
  std::erase_if(known_, [id](const auto &entry) { return static_cast<int>(entry.first & 0xFF) == id; });
  for (auto &[name, inquiry] : inquiries_)
    if (static_cast<int>(name & 0xFF) == id) inquiry.changes = kOutdated;
}

gaspi_return_t Parts::remove(int id) {
  forget(id);
  const std::unique_lock lock(mutex_);
  std::shared_ptr<LocalMemory> &place = own_[static_cast<std::size_t>(id)];
  if (!place) return GASPI_ERR_INV_SEG;
  withdraw(id);
  known_.erase(key(context_.rank(), id));
  shown_[static_cast<std::size_t>(id)].clear();
  place.reset();
  return GASPI_SUCCESS;
}

Status Parts::read_descriptor(int rank, int id, MemoryDescriptor *descriptor) {
  RemoteMemory *control = nullptr;
  HLC_TRY(find_control(rank, &control));
  // SYNC descriptor-before-version (pairs with publish): the same version before and after it.
  std::uint64_t before = 0;
  HLC_TRY(get(kLookUp, Target{*control, Plan::descriptor(id)}, {&before, sizeof before}));
  std::atomic_thread_fence(std::memory_order_acquire);
  HLC_TRY(get(kLookUp, Target{*control, Plan::descriptor(id)}, {descriptor, sizeof *descriptor}));
  std::atomic_thread_fence(std::memory_order_acquire);
  if (before != descriptor->version) descriptor->version = 0;
  return Status::ok;
}

/// A part that cannot be opened is an error of its first use.
void Parts::learn_from(int rank, int id, const MemoryDescriptor &descriptor) {
  if (descriptor.version == 0 || context_.member_of(rank) != kNotOnNode) return;
  const std::unique_lock lock(mutex_);
  auto part = std::make_shared<OpenedMemory>();
  if (!failed(part->open(context_.network(), rank, descriptor, nullptr))) known_[key(rank, id)] = std::move(part);
}

/// Begins the next read of an inquiry.
Status Parts::ask(Inquiry &inquiry, int rank, int id) {
  RemoteMemory *control = nullptr;
  HLC_TRY(find_control(rank, &control));
  if (const Status room = control->find_room(kLookUp); room != Status::ok) return room;
  if (inquiry.stage == Inquiry::Stage::none) {
    inquiry.changes = changed();
    HLC_TRY(get(kLookUp, Target{*control, Plan::descriptor(id)}, {&inquiry.version, sizeof inquiry.version}));
    inquiry.stage = Inquiry::Stage::version;
  } else {
    HLC_TRY(get(kLookUp, Target{*control, Plan::descriptor(id)}, {&inquiry.descriptor, sizeof inquiry.descriptor}));
    inquiry.stage = Inquiry::Stage::descriptor;
  }
  inquiry.flush = context_.network().requests()->begin_flush(rank, false);
  return Status::ok;
}

/// Reads anew if a segment was registered with this rank meanwhile: it may be another one.
Status Parts::inquire(int rank, int id, MemoryDescriptor *descriptor) {
  Inquiry &inquiry = inquiries_[key(rank, id)];
  while (true) {
    if (inquiry.stage == Inquiry::Stage::none)
      if (const Status asked = ask(inquiry, rank, id); asked != Status::ok) return asked;
    const Status come = context_.network().requests()->look(inquiry.flush, kLookUp);
    if (come != Status::ok) return come;
    // SYNC descriptor-before-version (pairs with publish): the same version before and after it.
    if (inquiry.stage == Inquiry::Stage::descriptor && inquiry.changes == changed()) break;
    if (inquiry.stage == Inquiry::Stage::descriptor) inquiry.stage = Inquiry::Stage::none;
    if (const Status asked = ask(inquiry, rank, id); asked != Status::ok) return asked;
  }
  *descriptor = inquiry.descriptor;
  if (inquiry.version != descriptor->version) descriptor->version = 0;
  inquiries_.erase(key(rank, id));
  return Status::ok;
}

Status Parts::find_descriptor(int rank, int id, MemoryDescriptor *descriptor) {
  if (rank == context_.rank()) return Status::ok;
  return context_.member_of(rank) == kNotOnNode ? inquire(rank, id, descriptor) : read_descriptor(rank, id, descriptor);
}

gaspi_return_t Parts::learn(int rank, int id) {
  const std::unique_lock lock(mutex_);
  if (const std::uint64_t now = changed(); now != seen_) {
    known_.clear();
    seen_ = now;
  }
  if (known(rank, id)) return GASPI_SUCCESS;
  MemoryDescriptor descriptor;
  const LocalMemory *mine = rank == context_.rank() ? own(id) : nullptr;
  if (mine) descriptor = mine->descriptor();
  if (!mine)
    if (const Status found = find_descriptor(rank, id, &descriptor); found != Status::ok) return answer(found);
  if (descriptor.version == 0) return GASPI_ERR_INV_SEG;
  auto part = std::make_shared<OpenedMemory>();
  if (const Status opened = part->open(context_.network(), rank, descriptor, mine); failed(opened)) return answer(opened);
  known_[key(rank, id)] = std::move(part);
  return GASPI_SUCCESS;
}

}  // namespace halocline::core::gaspi
