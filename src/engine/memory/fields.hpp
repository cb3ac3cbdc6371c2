// The memory of hlc_field_alloc: arrays in the node's shared memory, which the other ranks of the node read, and in that of devices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/halocline.h>

#include <cstdint>
#include <limits>
#include <list>
#include <memory>

#include "base/mutex.hpp"
#include "engine/memory/field_place.hpp"
#include "transport/shm/region.hpp"

namespace halocline::core {

class Communicator;
namespace device {
class Allocation;
}

/// The fields of a context. Any thread may call, except allocate.
class Fields {
 public:
  explicit Fields(Communicator &communicator) : communicator_(communicator) {}
  Fields(const Fields &) = delete;
  Fields &operator=(const Fields &) = delete;

  /// Collective.
  Status allocate(std::size_t bytes, void **data, transport::shm::Pages pages = transport::shm::Pages::huge);
  /// The same, in the memory of a device where this rank asks for it.
  Status allocate_in(hlc_memory memory, std::size_t bytes, void **data);
  /// Local. Fails if a plan uses the field. Sets *data to NULL once the field is gone, also where the device's driver returns an error.
  Status release(void **data);
  /// Releases all fields.
  void clear();
  int live() const {
    const Lock lock(mutex_);
    return static_cast<int>(fields_.size());
  }

  /// The field that contains a piece of memory that other ranks can access.
  FieldPlace find(const void *data, std::int64_t bytes);
  /// The serial of the field of this rank on a device in which an address is; -1: none.
  std::int64_t find_on_device(const void *data);
  /// Bytes from `data` to the end that was asked for at allocation, if it is in a field of this rank; else kNoField.
  std::int64_t room(const void *data);
  static constexpr std::int64_t kNoField = std::numeric_limits<std::int64_t>::max();
  /// The memory of another member's field, as this process sees it.
  char *part(std::int64_t serial, transport::Member member);
  /// As find and part, and keep this rank's field from being released until use(serial, -1). If it has been released: serial < 0, and null.
  FieldPlace hold(const void *data, std::int64_t bytes);
  char *borrow(std::int64_t serial, transport::Member member);
  /// Keeps a field from being released (+1), or permits it again (-1).
  void use(std::int64_t serial, int change);

 private:
  struct Field {
    std::int64_t serial;
    std::int64_t bytes;  // of this rank, as asked for; the segment has whole pages
    transport::shm::Region segment;
    int users = 0;
    std::shared_ptr<device::Allocation> on_device = {};  // then the segment is empty here
  };
  using List = std::list<Field>;

  Field *with(std::int64_t serial) HLC_REQUIRES(mutex_);
  /// Where this rank has a field.
  char *begin_of(const Field &field) const;
  Status check(const char *call, std::size_t bytes, void **data) const;
  Status allocate(List &made, std::size_t bytes, transport::shm::Pages pages);

  Communicator &communicator_;
  mutable Mutex mutex_;
  std::list<Field> fields_ HLC_GUARDED_BY(mutex_);
  std::int64_t next_serial_ = 0;
};

}  // namespace halocline::core
