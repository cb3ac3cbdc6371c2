// Neighbours whose fields are read in place: the descriptors that the two exchange at creation, and the copies that this rank plans from
// them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "engine/communicator/collective.hpp"
#include "exchange/channel.hpp"
#include "exchange/device_reads.hpp"
#include "halo/bindings.hpp"
#include "halo/field_memory.hpp"
#include "halo/views.hpp"

namespace halocline::core {

/// What the planning of a halo reads from neighbours, each step once.
class ReadDescriptors {
 public:
  /// device: what is read of a device's memory; NULL if nothing is.
  ReadDescriptors(Communicator &communicator, HaloTables &tables, FieldMemory &memory, const DeviceReads *device)
      : communicator_(communicator), tables_(tables), memory_(memory), device_(device) {}

  /// Exchanges the descriptors over the edges that are read, and plans their copies. Collective over the plan's communicator up to its last
  /// step, which a rank does alone. Bindings and views learn where and how the neighbours' fields are; NULL if there are none.
  Status swap(const Plan &plan, Bindings *bindings, Views *views);

 private:
  /// What a neighbour must know of one field to read it.
  struct Descriptor {
    std::int64_t serial, offset;  // the field's memory, and where the field starts in it
    std::int64_t halo, edge;  // where the boxes start in the field
    Strides strides;
    ExposedAddress exposed;  // in their place, for an array of the caller's own
  };
  struct Descriptors : Job {
    std::vector<Descriptor> mine, theirs;  // per path and field
  };

  std::unique_ptr<Descriptors> list() const;
  Descriptor describe(const HaloPath &path, std::size_t field) const;
  Status start(const Plan &plan, std::size_t path, Descriptors &descriptors) const;
  Status take(std::size_t edge, std::size_t field, const Descriptor &descriptor, Member member);

  Communicator &communicator_;
  HaloTables &tables_;
  FieldMemory &memory_;
  const DeviceReads *device_;
};

}  // namespace halocline::core
