// The cells of blocks that are in a device's memory. Each box that a swap moves has an image in pinned memory of the host: what is sent is fetched
// into it before the swap is packed, and what arrives is stored from it. Between two blocks of this rank cells are copied on the device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "blocks/piece_copies.hpp"
#include "blocks/tables.hpp"
#include "device/copy_queue.hpp"

namespace halocline::core {

class DevicePieces {
 public:
  DevicePieces(BlockTables &tables, PieceCopies &copies, int rank)
      : tables_(tables), copies_(copies), rank_(rank), queue_("hlc_blocks_init", rank) {}

  /// True if an array is in a device's memory.
  static bool are_in(const BlockTables &tables);
  /// Gives each box of such cells its image. The links have been listed; their copies are planned anew.
  Status create();
  void release() { queue_.close(); }

  /// A function of the API begins, which errors name.
  void begin(const char *call) { queue_.begin(call); }
  /// The next start or finish is in order with a stream of the program.
  void be_in_order(const DeviceStream &stream) { queue_.be_in_order(stream); }
  /// Fetches what the running swap sends; returns once it has been fetched.
  Status fetch_sent(const std::vector<Part> &parts);
  /// What has arrived over a link has been unpacked into images, or in reverse is added, piece by piece.
  void unpack(const BlockLink &link, const void *buffer);
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
  void copy_one(const Piece &piece, std::size_t i, Side side, bool to_device);
  bool copy_piece(const Piece &piece, Side side, bool to_device);
  void copy_list(const PieceList &list, Side side, bool to_device);
  void copy_on_device(const Piece &piece);
  const BlockArray &array_of(const Piece &piece, std::size_t i, Side side) const;

  BlockTables &tables_;
  PieceCopies &copies_;
  const int rank_;
  device::CopyQueue queue_;
};

}  // namespace halocline::core
