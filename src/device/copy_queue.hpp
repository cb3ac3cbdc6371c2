// The copies of one plan between a device's memory and the host's, and their errors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "device/staging.hpp"

namespace halocline::core {

/// The fields of a plan that are in a device's memory. No names: there are none. Their cells are copied from neighbours that are read in
/// place, and pass through pinned memory of the host for all others, and in reverse.
struct DeviceFields {
  int device = 0;
  std::string place;  // "CUDA device 0"
  std::vector<std::string> names;
  std::int64_t pinned_bytes = 0;
  int read = 0, staged = 0;  // links to neighbours
  std::string why;  // what was asked to be read is not; may be empty
};

/// A stream of the program's, of the fields' device; NULL is the default one.
struct DeviceStream {
  void *stream = nullptr;
  bool is_given = false;
};

namespace device {

/// After a failed copy no further ones are made, and every wait returns the first error.
class CopyQueue {
 public:
  /// call: the function of the API that plans, which errors name.
  CopyQueue(const char *call, int rank) : call_(call), rank_(rank) {}

  /// Makes a stream, and so much pinned memory, on the device that has this memory.
  Status open(const void *data, int device, std::int64_t bytes);
  /// Frees both: no copy follows.
  void close() { staging_.close(); }

  /// A function of the API begins.
  void begin(const char *call);
  /// Begins copies, after those so far.
  void copy(std::span<const StridedCopy> copies);
  void copy(const StridedCopy &one) { copy({&one, 1}); }
  /// The next copies follow what a stream of the program has been given; what it is given from now on follows all copies.
  void follow(void *stream);
  void precede(void *stream);
  /// The stream with which the next start, or the next end, of a swap is in order.
  void be_in_order(const DeviceStream &stream) { in_order_ = stream; }
  /// A swap starts: its copies follow what that stream has been given. is_read: without a stream a wait follows the default one, as other
  /// processes read what the program's work leaves.
  void start(bool is_read = false);
  /// A swap ends: what that stream is given from now on follows all copies. Without a stream they are waited for; finish returns the error.
  void end();
  /// Waits for all copies.
  Status wait();
  /// The first error since begin.
  Status result() const;

  char *memory() const { return staging_.memory(); }
  std::int64_t bytes() const { return staging_.bytes(); }
  int device() const { return staging_.device(); }
  Staging &staging() { return staging_; }

 private:
  void note(Status status);

  const char *call_;
  const int rank_;
  Staging staging_;
  DeviceStream in_order_;
  Status failed_ = Status::ok;
  char words_[512] = "";
};

/// Runs a start or a finish in order with a stream of the program; `cells`, the copies of the plan, is null if it has none.
template <class Cells, class Call>
Status in_order(Cells *cells, void *stream, Call call) {
  if (cells) cells->be_in_order({stream, true});
  const Status called = call();
  if (cells) cells->be_in_order({});
  return called;
}

/// Finds the device of a plan's fields, which must be one. Each has a name, and the device that it is on.
template <class Field>
Status find_common_device(const Caller &caller, const char *plan, const std::vector<Field> &fields, const Field **first) {
  *first = nullptr;
  for (const Field &field : fields) {
    if (field.device < 0) continue;
    if (*first && (*first)->device != field.device)
      return fail(Status::unsupported,
                  "%s on rank %d: field '%s' is in the memory of %s, and field '%s' in that of device %d: the fields of %s must be on one "
                  "device, or on the host",
                  caller.call, caller.rank, (*first)->name.c_str(), name_of_device((*first)->device).c_str(), field.name.c_str(),
                  field.device, plan);
    if (!*first) *first = &field;
  }
  return Status::ok;
}

}  // namespace device
}  // namespace halocline::core
