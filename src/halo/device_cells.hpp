// The cells of fields that are in a device's memory. Each box of cells that a swap moves has an image in pinned memory of the host: what is
// sent is fetched into it from the device before the swap is packed, and what arrives is stored from it. Cells of my own, and of neighbours
// that are read in place, are copied on the device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/copy_queue.hpp"
#include "halo/halo.hpp"
#include "halo/tables.hpp"

namespace halocline::core {

class DeviceCells {
 public:
  DeviceCells(HaloTables &tables, int rank) : tables_(tables), rank_(rank), queue_("hlc_halo_init", rank) {}

  /// True if a field is in a device's memory. One that is not may be NULL.
  static bool are_in(const HaloTables &tables);
  /// Makes an image of each box of such cells. The paths have been listed.
  Status create();
  /// Frees the images: no swap follows.
  void release() { queue_.close(); }

  /// Copies cells of the running swap into their images. An edge of a path to myself, and of a repeat, is where its halo is filled from.
  /// Complete once a wait has returned.
  void fetch_edges(const HaloPath &path) { copy(path, Side::edges, false); }
  void fetch_halos(const HaloPath &path) { copy(path, Side::halos, false); }
  /// Copies images to the device.
  void store_edges(const HaloPath &path) { copy(path, Side::edges, true); }
  void store_halos(const HaloPath &path) { copy(path, Side::halos, true); }
  /// Fills halos on the device: from my own cells; from a neighbour that is read in place.
  void copy_own(const HaloPath &path);
  void pull_halos(const HaloPath &path);
  /// Copies the halo of a neighbour that is read in place to where the image of my halo is, in a reverse swap.
  void fetch_peer_halos(const HaloPath &path);
  /// Waits for all copies.
  Status wait() { return queue_.wait(); }
  /// Work that a stream of the program is given from now on follows all copies.
  void precede(const DeviceStream &stream) { queue_.precede(stream.stream); }
  /// The first error since this function of the API began, which errors name.
  Status result() const { return queue_.result(); }
  /// Such a function begins.
  void begin(const char *call) { queue_.begin(call); }
  /// Copies, and a wait, follow what a stream of the program has been given.
  void follow(void *stream) { queue_.follow(stream); }

  std::int64_t bytes() const { return queue_.bytes(); }
  device::Staging &staging() { return queue_.staging(); }
  DeviceFields describe() const;

 private:
  enum class Side { edges, halos };
  /// Gives each box its place behind `memory`. Returns the bytes of all.
  std::int64_t give_images(char *memory);
  void copy(const HaloPath &path, Side which, bool to_device);
  template <class MakeCopy>
  void copy_each(MakeCopy make);

  HaloTables &tables_;
  const int rank_;
  device::CopyQueue queue_;
  std::vector<device::StridedCopy> copies_;  // of one path; has room for all fields
};

}  // namespace halocline::core
