// Neighbours of this node whose arrays in a device's memory are read in place: the handles that both sides exchange at creation, and what this
// rank has opened by them. Where either side cannot open the other's, both pack, and stage. Halos, blocks and index halos use it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/copy_queue.hpp"
#include "device/opened.hpp"
#include "engine/communicator/collective.hpp"
#include "exchange/channel.hpp"

namespace halocline::core {

/// The serial of an array that is in the memory of a device, and that others can open.
inline constexpr std::int64_t kDeviceSerial = -3;

/// What neighbours can read of a field.
enum class Readable { no, on_host, on_device };

/// Edge::readable where all fields are on the host.
inline constexpr int kReadByProcessor = 1;

/// Edge::readable of a rank with these fields; 0 if one cannot be read by neighbours. Two ranks read each other if the same fields of both are
/// on a device: a processor copies none of that memory, and a device none of the host's that is not pinned.
template <class Fields, class KindOf>
int how_readable(const Fields &fields, KindOf kind_of) {
  std::uint32_t kinds = kReadByProcessor;
  for (const auto &field : fields) {
    const Readable kind = kind_of(field);
    if (kind == Readable::no) return 0;
    const bool on_device = kind == Readable::on_device;
    if (kinds != kReadByProcessor || on_device) kinds = (kinds * 31 + (on_device ? 2 : 1)) % 1'000'000'007U;
  }
  return static_cast<int>(kinds);
}
/// The kind of one array. One that no neighbour can read has no place.
inline Readable kind_of_array(const FieldPlace &place, int device) {
  return place.serial == FieldPlace().serial ? Readable::no : device >= 0 ? Readable::on_device : Readable::on_host;
}

class DeviceReads {
 public:
  /// An array of mine. One that others can open gets its place.
  struct Array {
    const void *data = nullptr;  // NULL: it is on the host
    std::int64_t bytes = 0;
    std::string name;  // for messages
    FieldPlace *place = nullptr;
  };
  /// What the two ends of an edge read of each other: which of my arrays, and how many of the neighbour's.
  struct Link {
    std::vector<int> mine;
    std::size_t theirs = 0;
  };

  /// call: the function of the API that plans.
  DeviceReads(Communicator &communicator, const char *call, device::Staging &staging)
      : communicator_(communicator), call_(call), staging_(staging) {}
  DeviceReads(const DeviceReads &) = delete;
  DeviceReads &operator=(const DeviceReads &) = delete;
  ~DeviceReads() { close(); }

  /// Finds the handles of my arrays. What fails has no handle, and no place. Local; links: per edge.
  void give(std::span<const Array> arrays, std::span<const Link> links);
  /// Exchanges the handles over the edges of which both ends have them, and opens those of the neighbours. An edge of which one end cannot is
  /// not readable afterwards. Only ranks with such edges take part.
  Status meet(Plan &plan);
  /// Closes what has been opened, after all copies.
  void close();

  /// A neighbour's array on the device, as copies of this process find it; `array` counts as the link of its edge.
  char *find(std::size_t edge, std::size_t array) const { return found_[edge][array]; }
  /// This rank does not read over an edge. `why` is said of the plan if the neighbour is on this node. Before `meet`.
  void decline(std::size_t edge, std::string why) { meeting_->declined[edge] = std::move(why); }
  /// The links that are read, and all others, in what is said of the plan.
  void describe(DeviceFields &fields) const;
  /// Edges that are read in place.
  int count() const { return count_; }

 private:
  struct Meeting : Job {
    std::vector<std::vector<device::Given>> mine, theirs;  // per edge and array of its link
    std::vector<int> opened, opened_there;  // per edge
    std::vector<std::string> declined;  // per edge
  };

  /// Why something is not read; the first reason is kept.
  void refuse(const std::string &why);
  Status exchange(const Plan &plan);
  Status compare(const Plan &plan);
  bool open(int rank, std::size_t edge);

  Communicator &communicator_;
  const char *const call_;
  device::Staging &staging_;
  device::Opened opened_;
  std::unique_ptr<Meeting> meeting_;
  std::vector<std::size_t> edges_;
  std::vector<std::vector<char *>> found_;  // per edge and array
  std::string why_;
  int count_ = 0;
};

}  // namespace halocline::core
