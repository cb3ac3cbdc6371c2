// Entries of fields that are in a device's memory. Each such array has an image in pinned memory of the host, laid out as itself. What is sent is
// fetched into it before the swap is packed, and what arrives is stored from it. From neighbours that are read in place entries are copied on the
// device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "device/copy_queue.hpp"
#include "exchange/device_reads.hpp"
#include "exchange/exchange.hpp"
#include "index_halo/tables.hpp"

namespace halocline::core {

class DeviceEntries {
 public:
  DeviceEntries(IndexTables &tables, int rank) : tables_(tables), rank_(rank), queue_("hlc_index_halo_init", rank) {}

  /// True if a field is in a device's memory.
  static bool are_in(const IndexTables &tables);
  /// Makes the images. From now on the fields' layouts are theirs. reads: neighbours may read arrays in place, whose handles are found here.
  Status create(Communicator &communicator, bool reads);
  void release();
  /// Closes the arrays of neighbours.
  void close_reads();
  /// Of the plan's edges, which have been joined: what is read in place; null if nothing may be.
  DeviceReads *reads() { return reads_.get(); }
  /// True if the lists of a link are in few runs, or in long ones, so that neighbours can read them in place.
  bool has_long_runs(std::size_t link);

  /// A function of the API begins, which errors name.
  void begin(const char *call) { queue_.begin(call); }
  /// The next start or finish is in order with a stream of the program.
  void be_in_order(const DeviceStream &stream) { queue_.be_in_order(stream); }
  /// Fetches what the running swap packs, also for this rank itself; returns once it is there, and neighbours may read the arrays. all: every
  /// entry, for check mode.
  Status fetch_sent(const Exchange &exchange, bool all);
  /// Copies entries of a neighbour that is read in place into my ghosts.
  void pull(const IndexLink &link);
  /// In a reverse swap: fetches the ghosts of such a neighbour to where a message begins, which is returned.
  char *fetch_peer_ghosts(const IndexLink &link);
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
  void give_arrays(Communicator &communicator);
  std::int64_t longest_sum() const;
  void move(const EntryStretch &list, bool to_device);
  void move_run(const IndexField &field, std::int64_t first, std::int64_t count, bool to_device);

  IndexTables &tables_;
  const int rank_;
  device::CopyQueue queue_;
  std::unique_ptr<DeviceReads> reads_;
  char *sums_ = nullptr;  // pinned: the ghosts of a neighbour that is read in a reverse swap, as a message has them
};

}  // namespace halocline::core
