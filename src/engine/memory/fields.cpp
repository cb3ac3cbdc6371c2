// The list of fields.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/memory/fields.hpp"

#include <algorithm>

#include "base/environment.hpp"
#include "engine/communicator/collective.hpp"
#include "engine/memory/node_memory.hpp"

namespace halocline::core {
namespace {

/// Huge pages for short rows across a grid, each of which is in a page of its own else (docs/design/051-huge-pages.md).
Pages permitted(Pages wanted) { return wanted == Pages::huge && *environment("HUGE_PAGES") == '0' ? Pages::reserved : wanted; }

constexpr std::size_t kLargestField = std::size_t{1} << 48;  // about the address space of one process

}  // namespace

Status Fields::allocate(std::size_t bytes, void **data, Pages pages) {
  std::list<Field> made;
  const Call in_call(communicator_, CallName::field_alloc);
  HLC_TRY(meet(communicator_, alone(communicator_, [&] {
                 if (!data) return fail(Status::argument, "hlc_field_alloc on rank %d: data is NULL", communicator_.rank());
                 if (bytes > kLargestField)
                   return fail(Status::memory, "hlc_field_alloc on rank %d: bytes is %zu, more than memory can hold", communicator_.rank(),
                               bytes);
                 made.push_back({next_serial_, static_cast<std::int64_t>(bytes), {}, 0});
                 return Status::ok;
               })));
  HLC_TRY(agree(
      communicator_, communicator_.comm(),
      create_shared_memory(communicator_, static_cast<std::int64_t>(bytes), made.front().segment, ObjectFile::closed, permitted(pages))));
  next_serial_ += 1;
  *data = made.front().segment.part(communicator_.member());
  const Lock lock(mutex_);
  fields_.splice(fields_.end(), made);
  return Status::ok;
}

Status Fields::release(void *data) {
  const Lock lock(mutex_);
  const auto field =
      std::find_if(fields_.begin(), fields_.end(), [&](const Field &f) { return f.segment.part(communicator_.member()) == data; });
  if (field == fields_.end())
    return fail(Status::argument, "hlc_field_free on rank %d: data %p is not from hlc_field_alloc", communicator_.rank(), data);
  if (field->users > 0)
    return fail(Status::state,
                "hlc_field_free on rank %d: data %p is used by %d plans (a halo in mode auto has one per candidate); release them first",
                communicator_.rank(), data, field->users);
  fields_.erase(field);
  return Status::ok;
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
    const char *part = field.segment.part(communicator_.member());
    if (byte >= part && byte < part + field.segment.part_bytes(communicator_.member()))
      return std::max<std::int64_t>(0, part + field.bytes - byte);
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
    const char *part = field.segment.part(communicator_.member());
    if (byte < part || byte + bytes > part + field.segment.part_bytes(communicator_.member())) continue;
    field.users += 1;
    return {field.serial, byte - part};
  }
  return {};
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
