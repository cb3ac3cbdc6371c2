// The memory of a halo's fields: my own, which neighbours may read in place, and theirs. A field in it is kept from being freed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "exchange/fields.hpp"
#include "halo/tables.hpp"

namespace halocline::core {

/// The serial of memory that is in no field, but exposed.
inline constexpr std::int64_t kExposedSerial = -2;

class FieldMemory {
 public:
  explicit FieldMemory(Fields &fields) : held_(fields) {}

  /// Finds where a field of mine is. If so asked, exposes an array of the caller's own: neighbours can read it if the kernel lets them.
  void place(HaloField &field, bool exposes) {
    field.place = held_.find(field.data, field.extent);
    if (field.place.serial < 0 && exposes) expose(field);
  }
  /// A field in a device's memory has no such place; it is only kept.
  void keep(const HaloField &field) { static_cast<void>(held_.find(field.data, field.extent)); }
  /// A neighbour's memory, as this process sees it; NULL if this rank has freed the field, or cannot attach what is exposed.
  char *find(std::int64_t serial, const ExposedAddress &exposed, Member member) {
    return serial == kExposedSerial ? attach(exposed) : held_.part(serial, member);
  }

 private:
  void expose(HaloField &field) {
    Exposed exposed(field.data, field.extent);
    field.exposed = exposed.address();
    if (field.exposed.segment < 0) return;
    mine_.push_back(std::move(exposed));
    field.place = {kExposedSerial, 0};
  }
  char *attach(const ExposedAddress &address) {
    for (const Attached &known : theirs_)
      if (known.segment() == address.segment) return known.data();
    theirs_.emplace_back(address);
    return theirs_.back().data();
  }

  HeldFields held_;
  std::vector<Exposed> mine_;     // of fields that are in no memory from hlc_field_alloc
  std::vector<Attached> theirs_;  // each once, though it may be read in several directions
};

}  // namespace halocline::core
