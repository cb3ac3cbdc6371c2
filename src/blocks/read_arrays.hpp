// Neighbours whose blocks are read in place: the descriptors of their arrays, and the copies planned from them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "blocks/tables.hpp"
#include "engine/communicator/collective.hpp"
#include "exchange/channel.hpp"
#include "exchange/device_reads.hpp"
#include "exchange/fields.hpp"

namespace halocline::core {

class ReadArrays {
 public:
  /// device: what is read of a device's memory; NULL if nothing is.
  ReadArrays(Communicator &communicator, BlockTables &tables, HeldFields &held, const DeviceReads *device)
      : communicator_(communicator), tables_(tables), held_(held), device_(device) {}

  /// Exchanges the descriptors over the edges that are read, and plans their copies. Collective over the plan's communicator up to its last
  /// step, which a rank does alone.
  Status swap(const Plan &plan);

 private:
  /// The descriptor of an array with which another rank can read it.
  struct Descriptor {
    std::int64_t serial, offset;
    Strides strides;
  };
  struct Descriptors : Job {
    std::vector<std::vector<Descriptor>> mine, theirs;  // per link: of each block that takes part, per field
  };

  std::unique_ptr<Descriptors> list() const;
  static Status start(const Plan &plan, std::size_t link, Descriptors &descriptors);
  Status take(PieceList &list, std::size_t link, const std::vector<Descriptor> &descriptors, Member member);

  Communicator &communicator_;
  BlockTables &tables_;
  HeldFields &held_;
  const DeviceReads *device_;
};

}  // namespace halocline::core
