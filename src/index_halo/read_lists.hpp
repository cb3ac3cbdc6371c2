// What ranks of a node that read each other's arrays send each other while an index halo is planned.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "exchange/channel.hpp"
#include "exchange/device_reads.hpp"
#include "exchange/fields.hpp"
#include "index_halo/tables.hpp"

namespace halocline::core {

/// Fills the links of neighbours that are read directly. A descriptor has the place of each field, then the out list, then the in list.
class ReadLists {
 public:
  /// views: also keeps where the neighbours have what this rank receives. device: what is read of a device's memory; NULL if nothing is.
  struct Kept {
    bool views = false;
    const DeviceReads *device = nullptr;
  };
  ReadLists(Communicator &communicator, IndexTables &tables, HeldFields &held, const Kept &kept)
      : communicator_(communicator), tables_(tables), held_(held), kept_(kept) {}

  /// `read`: the edges whose neighbours are read, which have been joined.
  Status fetch(const Plan &plan, const std::vector<int> &read);

 private:
  struct Descriptors;

  Status make(const std::vector<int> &read, Descriptors &descriptors) const;
  static Status start(const Plan &plan, const std::vector<int> &read, Descriptors &descriptors);
  std::vector<std::int64_t> descriptor_of(const IndexLink &link) const;
  Status take(std::size_t link, const std::vector<std::int64_t> &descriptor, Member member);
  Status find_field(std::size_t link, std::size_t field, Member member, IndexPeerField &peer);

  Communicator &communicator_;
  IndexTables &tables_;
  HeldFields &held_;
  const Kept kept_;
};

}  // namespace halocline::core
