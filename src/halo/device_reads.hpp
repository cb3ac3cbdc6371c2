// Neighbours of this node whose fields in a device's memory are read in place: the handles that both sides exchange at creation, and what this
// rank has opened by them. Where either side cannot open the other's, both pack, and stage.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/opened.hpp"
#include "device/staging.hpp"
#include "engine/communicator/collective.hpp"
#include "exchange/channel.hpp"
#include "halo/tables.hpp"

namespace halocline::core {

/// The serial of a field that is in the memory of a device, and that others can open.
inline constexpr std::int64_t kDeviceSerial = -3;

class DeviceReads {
 public:
  DeviceReads(Communicator &communicator, HaloTables &tables, device::Staging &staging)
      : communicator_(communicator), tables_(tables), staging_(staging) {}
  DeviceReads(const DeviceReads &) = delete;
  DeviceReads &operator=(const DeviceReads &) = delete;
  ~DeviceReads() { close(); }

  /// Finds the handles of my fields, which get their place. What fails has no handle. Local; the paths have been listed.
  void give();
  /// Exchanges the handles over the edges of which both ends have them, and opens those of the neighbours. An edge of which one end cannot is
  /// not readable afterwards. Only ranks with such edges take part.
  Status meet(Plan &plan);
  /// Closes what has been opened, after all copies.
  void close();

  /// A neighbour's array, as copies of this process find it.
  char *find(std::size_t edge, std::size_t field) const { return found_[edge * tables_.fields.size() + field]; }
  /// Edges that are read in place.
  int count() const { return count_; }
  /// Why others are not; empty if nothing was refused.
  const std::string &why() const { return why_; }

 private:
  struct Meeting : Job {
    std::vector<device::Given> mine, theirs;  // per field; per edge and field
    std::vector<int> opened, opened_there;  // per edge
  };

  void give_one(HaloField &field, device::Given &given);
  Status exchange(const Plan &plan, const std::vector<int> &edges);
  Status compare(const Plan &plan, const std::vector<int> &edges);
  bool open(int rank, std::size_t edge);
  void refuse(const std::string &why);

  Communicator &communicator_;
  HaloTables &tables_;
  device::Staging &staging_;
  device::Opened opened_;
  std::unique_ptr<Meeting> meeting_;
  std::vector<int> edges_;
  std::vector<char *> found_;  // per edge and field
  std::string why_;
  int count_ = 0;
};

}  // namespace halocline::core
