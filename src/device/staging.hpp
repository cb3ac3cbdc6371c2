// Copies between the memory of a device and pinned memory of the host, or inside that of devices, in order, in a stream of the library's own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "device/driver.hpp"

namespace halocline::core::device {

/// One side of a copy: where its first run is, and how far apart its runs are.
struct Strided {
  char *first = nullptr;
  bool on_device = true;  // else in pinned memory
  std::array<std::int64_t, 4> step{};  // bytes from one turn of a loop to the next
};

/// Runs of bytes, in up to four nested loops.
struct StridedCopy {
  Strided to, from;
  std::int64_t run = 0;  // bytes; 0: nothing to do
  std::array<std::int64_t, 4> count{1, 1, 1, 1};  // innermost first
};

/// Makes such copies in one context of one device. One thread at a time may use it, any at all. After a failure nothing is known of the
/// copies that have been made.
class Staging {
 public:
  Staging() = default;
  Staging(const Staging &) = delete;
  Staging &operator=(const Staging &) = delete;
  ~Staging() { close(); }

  /// Makes a stream, and pinned memory, in the context that an address of the device's memory belongs to.
  Status open(const Caller &caller, const void *data, int device, std::int64_t bytes);
  /// Waits for the copies, and frees everything. A context that the program has destroyed has taken all with it.
  void close();
  bool is_open() const { return stream_; }

  char *memory() const { return static_cast<char *>(memory_); }
  std::int64_t bytes() const { return memory_ ? bytes_ : 0; }
  int device() const { return device_; }
  Context context() const { return context_; }

  /// Begins copies. The stream makes them after those before, and after all that the program has given to the device's default stream.
  Status begin(const Caller &caller, std::span<const StridedCopy> copies);
  /// The next copies follow what a stream of the program has been given, or what it is given from now on follows those so far.
  Status follow(const Caller &caller, void *stream);
  Status precede(const Caller &caller, void *stream);
  /// Waits until all copies have been made.
  Status wait(const Caller &caller);

  /// Runs part() while the context is current in this thread.
  template <class Part>
  Status in_context(const Caller &caller, Part part);

 private:
  Status find_context(const Caller &caller, const void *data);
  Status allocate(const Caller &caller);
  Status order(const Caller &caller, Stream first, Stream then);
  Result begin_one(StridedCopy copy) const;
  Result begin_piece(const StridedCopy &copy) const;
  const Driver *driver_ = nullptr;
  int device_ = 0;
  Context context_ = nullptr;
  bool retained_ = false;  // the device's primary context
  Ordinal ordinal_ = 0;
  Stream stream_ = nullptr;
  Event event_ = nullptr;
  void *memory_ = nullptr;
  std::int64_t bytes_ = 0;
};

template <class Part>
Status Staging::in_context(const Caller &caller, Part part) {
  Context before = nullptr;
  HLC_TRY(driver_->check(caller, driver_->context_push, device_, driver_->enter(context_, before)));
  const Status done = part();
  const Result left = driver_->leave(before);
  return failed(done) ? done : driver_->check(caller, driver_->context_pop, device_, left);
}

}  // namespace halocline::core::device
