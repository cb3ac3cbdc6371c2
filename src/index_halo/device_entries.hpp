// Entries of fields that are in a device's memory. Each such array has an image in pinned memory of the host, laid out as itself. What is sent is
// fetched into it before the swap is packed, and what arrives is stored from it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device/copy_queue.hpp"
#include "index_halo/tables.hpp"

namespace halocline::core {

class DeviceEntries {
 public:
  DeviceEntries(IndexTables &tables, int rank) : tables_(tables), rank_(rank), queue_("hlc_index_halo_init", rank) {}

  /// True if a field is in a device's memory.
  static bool are_in(const IndexTables &tables);
  /// Makes the images. From now on the fields' layouts are theirs.
  Status create();
  void release() { queue_.close(); }

  /// A function of the API begins, which errors name.
  void begin(const char *call) { queue_.begin(call); }
  /// The next start or finish is in order with a stream of the program.
  void be_in_order(const DeviceStream &stream) { queue_.be_in_order(stream); }
  /// Fetches what the running swap sends, also to this rank itself; returns once it is there. all: every entry, for check mode.
  Status fetch_sent(bool all);
  /// Fetches, or stores, the entries of a list.
  void fetch(const EntryStretch &list) { move(list, false); }
  void store(const EntryStretch &list) { move(list, true); }
  Status wait() { return queue_.wait(); }
  /// All has arrived, and has been stored.
  void end() { queue_.end(); }
  /// The first error of the running function.
  Status result() const { return queue_.result(); }

  DeviceFields describe() const;
  std::int64_t bytes() const { return queue_.bytes(); }

 private:
  void move(const EntryStretch &list, bool to_device);
  void move_run(const IndexField &field, std::int64_t first, std::int64_t count, bool to_device);

  IndexTables &tables_;
  const int rank_;
  device::CopyQueue queue_;
};

}  // namespace halocline::core
