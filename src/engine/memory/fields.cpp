// The list of fields.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/memory/fields.hpp"

#include <algorithm>

#include "base/environment.hpp"
#include "device/allocation.hpp"
#include "engine/communicator/collective.hpp"
#include "engine/memory/node_memory.hpp"

namespace halocline::core {
namespace {

/// Huge pages for short rows across a grid, each of which is in a page of its own else (docs/design/051-huge-pages.md).
Pages permitted(Pages wanted) { return wanted == Pages::huge && *environment("HUGE_PAGES") == '0' ? Pages::reserved : wanted; }

constexpr std::size_t kLargestField = std::size_t{1} << 48;  // about the address space of one process

}  // namespace

Status Fields::allocate(std::size_t bytes, void **data, Pages pages) {
  List made;
  const Call in_call(communicator_, CallName::field_alloc);
  HLC_TRY(meet(communicator_, alone(communicator_, [&] {
                 HLC_TRY(check("hlc_field_alloc", bytes, data));
                 made.push_back({next_serial_, static_cast<std::int64_t>(bytes), {}, 0});
                 return Status::ok;
               })));
  HLC_TRY(allocate(made, bytes, pages));
  *data = begin_of(made.front());
  const Lock lock(mutex_);
  fields_.splice(fields_.end(), made);
  return Status::ok;
}

/// Memory of a device is allocated first, so that no rank has memory where one has failed. A rank that asks for it shares none.
Status Fields::allocate_in(hlc_memory memory, std::size_t bytes, void **data) {
  constexpr const char *call = "hlc_field_alloc_in";
  List made;
  const Call in_call(communicator_, CallName::field_alloc);
  HLC_TRY(meet(communicator_, alone(communicator_, [&] {
                 HLC_TRY(check(call, bytes, data));
                 if (memory != HLC_MEMORY_HOST && memory != HLC_MEMORY_DEVICE)
                   return fail(Status::argument, "%s on rank %d: memory is %d, it must be HLC_MEMORY_HOST (0) or HLC_MEMORY_DEVICE (1)",
                               call, communicator_.rank(), static_cast<int>(memory));
                 made.push_back({next_serial_, static_cast<std::int64_t>(bytes), {}, 0});
                 if (memory == HLC_MEMORY_HOST) return Status::ok;
                 made.front().on_device = std::make_shared<device::Allocation>();
                 return made.front().on_device->make({call, communicator_.rank()}, static_cast<std::int64_t>(bytes));
               })));
  HLC_TRY(allocate(made, memory == HLC_MEMORY_DEVICE ? 0 : bytes, Pages::huge));
  *data = begin_of(made.front());
  const Lock lock(mutex_);
  fields_.splice(fields_.end(), made);
  return Status::ok;
}

Status Fields::check(const char *call, std::size_t bytes, void **data) const {
  if (!data) return fail(Status::argument, "%s on rank %d: data is NULL", call, communicator_.rank());
  if (bytes > kLargestField)
    return fail(Status::memory, "%s on rank %d: bytes is %zu, more than memory can hold", call, communicator_.rank(), bytes);
  return Status::ok;
}

Status Fields::allocate(List &made, std::size_t bytes, Pages pages) {
  HLC_TRY(agree(
      communicator_, communicator_.comm(),
      create_shared_memory(communicator_, static_cast<std::int64_t>(bytes), made.front().segment, ObjectFile::closed, permitted(pages))));
  next_serial_ += 1;
  return Status::ok;
}

char *Fields::begin_of(const Field &field) const {
  return field.on_device ? field.on_device->data() : static_cast<char *>(field.segment.part(communicator_.member()));
}

Status Fields::release(void **data) {
  const Lock lock(mutex_);
  const auto field = std::find_if(fields_.begin(), fields_.end(), [&](const Field &f) { return begin_of(f) == *data; });
  if (field == fields_.end())
    return fail(Status::argument, "hlc_field_free on rank %d: data %p is not from hlc_field_alloc", communicator_.rank(), *data);
  if (field->users > 0)
    return fail(Status::state,
                "hlc_field_free on rank %d: data %p is used by %d plans (a halo in mode auto has one per candidate); release them first",
                communicator_.rank(), *data, field->users);
  const Status released = field->on_device ? field->on_device->release({"hlc_field_free", communicator_.rank()}) : Status::ok;
  fields_.erase(field);
  *data = nullptr;
  return released;
}

FieldPlace Fields::find(const void *data, std::int64_t bytes) {
  const FieldPlace found = hold(data, bytes);
  if (found.serial >= 0) use(found.serial, -1);
  return found;
}

std::int64_t Fields::room(const void *data) {
  const Lock lock(mutex_);
  const auto *byte = static_cast<const char *>(data);
  for (const Field &field : fields_) {
    const char *part = begin_of(field);
    const std::int64_t bytes = field.on_device ? field.bytes : field.segment.part_bytes(communicator_.member());
    if (byte >= part && byte < part + bytes) return std::max<std::int64_t>(0, part + field.bytes - byte);
  }
  return kNoField;
}

Fields::Field *Fields::with(std::int64_t serial) {
  for (Field &field : fields_)
    if (field.serial == serial) return &field;
  return nullptr;
}

char *Fields::part(std::int64_t serial, Member member) {
  const Lock lock(mutex_);
  const Field *field = with(serial);
  return field ? field->segment.part(member) : nullptr;
}

FieldPlace Fields::hold(const void *data, std::int64_t bytes) {
  const Lock lock(mutex_);
  const auto *byte = static_cast<const char *>(data);
  for (Field &field : fields_) {
    if (field.on_device) continue;
    const char *part = field.segment.part(communicator_.member());
    if (byte < part || byte + bytes > part + field.segment.part_bytes(communicator_.member())) continue;
    field.users += 1;
    return {field.serial, byte - part};
  }
  return {};
}

std::int64_t Fields::find_on_device(const void *data) {
  const Lock lock(mutex_);
  const auto *byte = static_cast<const char *>(data);
  for (const Field &field : fields_)
    if (field.on_device && byte >= begin_of(field) && byte < begin_of(field) + field.bytes) return field.serial;
  return -1;
}

char *Fields::borrow(std::int64_t serial, Member member) {
  const Lock lock(mutex_);
  Field *field = with(serial);
  if (!field) return nullptr;
  field->users += 1;
  return field->segment.part(member);
}

void Fields::clear() {
  const Lock lock(mutex_);
  fields_.clear();
}

void Fields::use(std::int64_t serial, int change) {
  const Lock lock(mutex_);
  if (Field *field = with(serial)) field->users += change;
}

}  // namespace halocline::core
