// The stream, the pinned memory, and copies of three dimensions, which are what the driver has.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/staging.hpp"

#include <limits>
#include <utility>

namespace halocline::core::device {
namespace {

/// No device has a smaller CU_DEVICE_ATTRIBUTE_MAX_PITCH, which is the most bytes of a run, too.
constexpr std::int64_t kMaxPitch = std::numeric_limits<std::int32_t>::max();
/// Longer runs are copied in pieces of so many bytes.
constexpr std::int64_t kPiece = std::int64_t{1} << 30;

/// Rows of a slice: the innermost loop, if both sides can say its step as a pitch.
bool has_rows(const StridedCopy &copy) {
  const auto fits = [&](const Strided &side) { return side.step[0] >= copy.run && side.step[0] <= kMaxPitch; };
  return copy.count[0] > 1 && fits(copy.to) && fits(copy.from);
}

/// Slices: the second loop, if its step is a number of rows on both sides, and no less than a slice has.
bool has_slices(const StridedCopy &copy) {
  const auto fits = [&](const Strided &side) { return side.step[1] % side.step[0] == 0 && side.step[1] / side.step[0] >= copy.count[0]; };
  return copy.count[1] > 1 && has_rows(copy) && fits(copy.to) && fits(copy.from);
}

Rows rows_of(const StridedCopy &copy, const Strided &side, bool rows, bool slices) {
  Rows half;
  half.type = side.on_device ? kDeviceMemory : kHostMemory;
  half.pitch = static_cast<std::size_t>(rows ? side.step[0] : copy.run);
  half.height = static_cast<std::size_t>(slices ? side.step[1] / side.step[0] : rows ? copy.count[0] : 1);
  return half;
}

void put(const Strided &side, std::int64_t shift, Rows &half) {
  char *const first = side.first + shift;
  if (side.on_device)
    half.device = address_of(first);
  else
    half.host = first;
}

}  // namespace

Status Staging::open(const Caller &caller, const void *data, int device, std::int64_t bytes) {
  driver_ = driver();
  device_ = device;
  bytes_ = bytes;
  if (driver_->missing)
    return fail(Status::unsupported, "%s on rank %d: %s's driver is too old to swap memory of device %d: it has no %s", caller.call,
                caller.rank, driver_->platform, device, driver_->missing);
  Status opened = find_context(caller, data);
  if (!failed(opened)) opened = in_context(caller, [&] { return allocate(caller); });
  if (failed(opened)) close();
  return opened;
}

/// Memory of a pool, or mapped by the program, belongs to no context: the device's primary one can access it.
Status Staging::find_context(const Caller &caller, const void *data) {
  int which[] = {kContextOfMemory};
  void *answers[] = {&context_};
  HLC_TRY(driver_->check(caller, driver_->pointer_get_attributes, device_,
                         driver_->pointer_get_attributes.call(1, which, answers, address_of(data))));
  if (context_) return Status::ok;
  HLC_TRY(driver_->check(caller, driver_->device_get, device_, driver_->device_get.call(&ordinal_, device_)));
  HLC_TRY(driver_->check(caller, driver_->primary_context_retain, device_, driver_->primary_context_retain.call(&context_, ordinal_)));
  retained_ = true;
  return Status::ok;
}

/// A stream that waits for the default one, as that waits for it: flags 0. The event's times are not asked for.
Status Staging::allocate(const Caller &caller) {
  constexpr unsigned kDisableTiming = 2;
  HLC_TRY(driver_->check(caller, driver_->stream_create, device_, driver_->stream_create.call(&stream_, 0)));
  HLC_TRY(driver_->check(caller, driver_->event_create, device_, driver_->event_create.call(&event_, kDisableTiming)));
  return driver_->check(caller, driver_->host_alloc, device_, driver_->host_alloc.call(&memory_, static_cast<std::size_t>(bytes_), 0));
}

/// Errors have no consequence here: there is nothing more to do.
void Staging::close() {
  Context before = nullptr;
  const bool entered = context_ && driver_->enter(context_, before) == kSuccess;
  if (entered) {
    if (stream_) {
      static_cast<void>(driver_->stream_synchronize.call(stream_));
      static_cast<void>(driver_->stream_destroy.call(stream_));
    }
    if (event_) static_cast<void>(driver_->event_destroy.call(event_));
    if (memory_) static_cast<void>(driver_->host_free.call(memory_));
    static_cast<void>(driver_->leave(before));
  }
  stream_ = nullptr;
  event_ = nullptr;
  memory_ = nullptr;
  if (std::exchange(retained_, false)) static_cast<void>(driver_->primary_context_release.call(ordinal_));
  context_ = nullptr;
}

Status Staging::begin(const Caller &caller, std::span<const StridedCopy> copies) {
  return in_context(caller, [&] {
    for (const StridedCopy &copy : copies)
      if (copy.run > 0) HLC_TRY(driver_->check(caller, driver_->copy_3d, device_, begin_one(copy)));
    return Status::ok;
  });
}

Result Staging::begin_one(StridedCopy copy) const {
  while (copy.run > kMaxPitch) {
    StridedCopy piece = copy;
    piece.run = kPiece;
    if (const Result result = begin_piece(piece); result != kSuccess) return result;
    copy.run -= kPiece;
    copy.from.first += kPiece;
    copy.to.first += kPiece;
  }
  return begin_piece(copy);
}

/// What does not fit into three dimensions becomes several copies.
Result Staging::begin_piece(const StridedCopy &copy) const {
  const bool rows = has_rows(copy), slices = has_slices(copy);
  Copy3d first;
  first.from = rows_of(copy, copy.from, rows, slices);
  first.to = rows_of(copy, copy.to, rows, slices);
  first.width_bytes = static_cast<std::size_t>(copy.run);
  first.height = rows ? static_cast<std::size_t>(copy.count[0]) : 1;
  first.depth = slices ? static_cast<std::size_t>(copy.count[1]) : 1;
  auto left = copy.count;
  if (rows) left[0] = 1;
  if (slices) left[1] = 1;
  for (std::int64_t l = 0; l < left[3]; ++l)
    for (std::int64_t k = 0; k < left[2]; ++k)
      for (std::int64_t j = 0; j < left[1]; ++j)
        for (std::int64_t i = 0; i < left[0]; ++i) {
          const auto shift = [&](const Strided &side) { return i * side.step[0] + j * side.step[1] + k * side.step[2] + l * side.step[3]; };
          Copy3d one = first;
          put(copy.from, shift(copy.from), one.from);
          put(copy.to, shift(copy.to), one.to);
          if (const Result result = driver_->copy(one, stream_); result != kSuccess) return result;
        }
  return kSuccess;
}

Status Staging::order(const Caller &caller, Stream first, Stream then) {
  return in_context(caller, [&] {
    HLC_TRY(driver_->check(caller, driver_->event_record, device_, driver_->event_record.call(event_, first)));
    return driver_->check(caller, driver_->stream_wait_event, device_, driver_->stream_wait_event.call(then, event_, 0));
  });
}

Status Staging::follow(const Caller &caller, void *stream) { return order(caller, static_cast<Stream>(stream), stream_); }
Status Staging::precede(const Caller &caller, void *stream) { return order(caller, stream_, static_cast<Stream>(stream)); }

Status Staging::wait(const Caller &caller) {
  return in_context(
      caller, [&] { return driver_->check(caller, driver_->stream_synchronize, device_, driver_->stream_synchronize.call(stream_)); });
}

}  // namespace halocline::core::device
