// The cells of blocks that are in a device's memory. Each box that a swap moves has an image in pinned memory of the host: what is sent is fetched
// into it before the swap is packed, and what arrives is stored from it. Between two blocks of this rank, and from neighbours that are read in
// place, cells are copied on the device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "blocks/piece_copies.hpp"
#include "blocks/tables.hpp"
#include "device/copy_queue.hpp"
#include "exchange/device_reads.hpp"
#include "exchange/exchange.hpp"

namespace halocline::core {

class DevicePieces {
 public:
  DevicePieces(BlockTables &tables, PieceCopies &copies, int rank)
      : tables_(tables), copies_(copies), rank_(rank), queue_("hlc_blocks_init", rank) {}

  /// True if an array is in a device's memory.
  static bool are_in(const BlockTables &tables);
  /// Gives each box of such cells its image. The links have been listed; their copies are planned anew. reads: neighbours may read arrays in
  /// place, whose handles are found here.
  Status create(Communicator &communicator, bool reads);
  void release();
  /// Closes the arrays of neighbours.
  void close_reads();
  /// Of the plan's edges, which have been joined: what is read in place; null if nothing may be.
  DeviceReads *reads() { return reads_.get(); }

  /// A function of the API begins, which errors name.
  void begin(const char *call) { queue_.begin(call); }
  /// The next start or finish is in order with a stream of the program.
  void be_in_order(const DeviceStream &stream) { queue_.be_in_order(stream); }
  /// Fetches what the running swap packs; returns once it has been fetched, and neighbours may read the arrays.
  Status fetch_sent(const Exchange &exchange);
  /// What has arrived over a link has been unpacked into images, or in reverse is added, piece by piece.
  void unpack(const BlockLink &link, const void *buffer);
  /// Copies cells of neighbours that are read in place, or in reverse adds their halos. Once this returns they may write them.
  void pull(Edges edges);
  /// Copies between blocks of this rank, or in reverse adds.
  void copy_to_self();
  /// All has arrived; halos have been cleared after a reverse swap.
  void end();
  /// The first error of the running function.
  Status result() const { return queue_.result(); }

  DeviceFields describe() const;
  std::int64_t bytes() const { return queue_.bytes(); }

 private:
  enum class Side { mine, theirs };
  std::int64_t give_images(char *memory);
  void give_arrays(Communicator &communicator);
  std::int64_t longest_sum() const;
  void pull_link(const BlockLink &link);
  template <class Add>
  void add_each(const PieceList &list, Add add);
  void copy_one(const Piece &piece, std::size_t i, Side side, bool to_device);
  bool copy_piece(const Piece &piece, Side side, bool to_device);
  void copy_list(const PieceList &list, Side side, bool to_device);
  void copy_on_device(const Piece &piece);
  device::StridedCopy copy_here(const Piece &piece, std::size_t i, char *array, const Strides &strides) const;
  device::StridedCopy copy_to_host(const Piece &piece, std::size_t i, char *to) const;
  std::size_t number_of(const Piece &piece, std::size_t i) const;
  const BlockField &field_of(const Piece &piece, std::size_t i) const { return tables_.fields[number_of(piece, i)]; }
  const BlockArray &array_of(const Piece &piece, std::size_t i, Side side) const;

  BlockTables &tables_;
  PieceCopies &copies_;
  const int rank_;
  device::CopyQueue queue_;
  std::unique_ptr<DeviceReads> reads_;
  char *sums_ = nullptr;  // pinned: the halos of a neighbour that is read in a reverse swap, as a message has them
  std::vector<device::StridedCopy> batch_;  // of one link; has room for all of it
};

}  // namespace halocline::core
