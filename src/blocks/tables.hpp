// What is known of a rank's blocks: their fields, the boxes of cells that they exchange, and which fields the running swap moves.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "blocks/team.hpp"
#include "engine/memory/fields.hpp"
#include "halo/geometry.hpp"

namespace halocline::core {

/// The properties of a field that are the same in all blocks.
struct BlockField {
  hlc_type type = HLC_OPAQUE;
  std::int64_t element = 0;
  std::array<int, kMaxDims> order{};
  std::string name;  // for messages
};

/// A field of one block.
struct BlockArray {
  char *data = nullptr;
  Strides strides{};
  FieldPlace place;
};

/// In one field: a box of cells of one of my blocks, and the matching box of another block.
struct BlockMove {
  char *mine = nullptr;
  char *theirs = nullptr;          // if it can be accessed directly, in this array:
  char *their_array = nullptr;
  Strides their_strides{};
  BoxCopy to_buffer, from_buffer;  // mine, packed and unpacked
  BoxCopy pull, push;              // from theirs to mine, and from mine to theirs
};

/// The same in all fields. `mine` is the halo of an incoming piece, or the edge of an outgoing one; `theirs` is the other.
struct Piece {
  int block = 0, peer_block = 0;
  Box mine, theirs;  // as far as the running swap is deep
  Box whole_mine, whole_theirs;
  bool is_incoming = false;
  Cells owner{1, 1, 1, 1};  // cells of the block whose halo it is part of
  std::int64_t cells_before = 0;  // in the message
  std::vector<BlockMove> moves;   // per field
};

struct PieceList {
  std::vector<Piece> pieces;
  PartOrder order;
  std::int64_t cells = 0;
};

/// The pieces exchanged with another rank, or between my own blocks (then only `in`).
struct BlockLink {
  int rank = 0;
  PieceList in, out;
  std::vector<int> my_blocks, peer_blocks;  // that take part, each once, ascending
};

struct BlockTables {
  int ndims = 0, parts = 1;
  std::vector<BlockField> fields;
  std::vector<BlockArray> arrays;  // per block and field
  std::vector<int> part_of;        // per block
  std::vector<BlockLink> links;    // link i is edge i of the exchange
  BlockLink own;                   // in: between my blocks

  Cells low{}, high{};          // depths of the halos
  std::int64_t deepest = 0;     // of all sides
  std::int64_t self_cells = 0;  // between my blocks, of the whole halos

  std::vector<int> swapped;     // fields of the running swap
  std::int64_t most = kWholeDepth;  // its halo cells per side
  std::int64_t cell_bytes = 0;  // of a cell in all of them
  bool reverse = false;

  BlockArray &array(int block, std::size_t field) { return arrays[static_cast<std::size_t>(block) * fields.size() + field]; }
  const BlockArray &array(int block, std::size_t field) const { return arrays[static_cast<std::size_t>(block) * fields.size() + field]; }
  /// The depth of a swap. A call may name the whole one.
  std::int64_t depth_of(const hlc_swap *what) const { return what && what->depth > 0 && what->depth < deepest ? what->depth : kWholeDepth; }
  /// Bytes of a cell in all fields.
  std::int64_t all_bytes() const {
    std::int64_t bytes = 0;
    for (const BlockField &field : fields) bytes += field.element;
    return bytes;
  }
};

}  // namespace halocline::core
