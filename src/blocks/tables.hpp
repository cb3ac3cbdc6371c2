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
  int device = -1;  // in whose memory it is; -1: the host's
  std::int64_t extent = 0;  // bytes from the first to behind the last
};

/// Fields that have equal boxes: with the same depths, and with their values in the cells or on the same nodes.
struct FieldGroup {
  std::vector<int> fields;  // ascending
  Cells low{}, owned{};     // the depth of their low halos; 1 along a dimension on owned nodes
  std::vector<std::size_t> swapped;  // those of the running swap, as indices in `fields`
  std::int64_t cell_bytes = 0;       // of a value in all of them
};

/// In one field: a box of cells of one of my blocks, and the matching box of another block.
struct BlockMove {
  char *mine = nullptr;
  char *theirs = nullptr;          // if it can be accessed directly, in this array:
  char *their_array = nullptr;
  Strides their_strides{};
  // If the arrays are in a device's memory: where the host has these boxes, packed. mine and theirs are there then.
  char *image = nullptr, *their_image = nullptr;
  char *on_their_device = nullptr;  // a neighbour's array that is read in place there, with their_strides
  BoxCopy copy;  // into mine, or of an outgoing piece out of it, from or to theirs, or else a message; a reverse swap exchanges both sides
};

/// The same in all fields of a group. `mine` is the halo of an incoming piece, or the edge of an outgoing one; `theirs` is the other.
struct Piece {
  int group = 0, block = 0, peer_block = 0;
  bool is_incoming = false;
  Box mine;  // as far as the running swap is deep
  Box whole_mine;
  Cells whole_theirs{};  // where the whole of theirs starts; it has as many cells
  Cells owner{1, 1, 1, 1}, above{};  // values of the block whose halo it is part of, and the depth of its high halo
  std::int64_t bytes_before = 0;  // in the message of the running swap
  std::vector<BlockMove> moves;  // per field of the group

  /// `theirs`, as far as the running swap is deep.
  Box theirs() const {
    Box box{whole_theirs, mine.count};
    for (std::size_t d = 0; d < box.start.size(); ++d) box.start[d] += mine.start[d] - whole_mine.start[d];
    return box;
  }
};

struct PieceList {
  std::vector<Piece> pieces;
  PartOrder order;
  std::int64_t bytes = 0;  // of the running swap
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
  std::vector<hlc_field_shape> shapes;  // per field, with its depths
  std::vector<FieldGroup> groups;
  std::vector<BlockArray> arrays;  // per block and field
  std::vector<int> part_of;  // per block
  std::vector<BlockLink> links;  // link i is edge i of the exchange
  BlockLink own;  // in: between my blocks

  std::int64_t deepest = 0;  // halo values on any side of any field, without owned nodes
  std::int64_t self_bytes = 0;  // between my blocks, of a swap of everything

  std::vector<int> swapped;  // fields of the running swap
  std::int64_t most = kWholeDepth;  // its halo cells per side
  bool reverse = false;

  BlockArray &array(int block, std::size_t field) { return arrays[static_cast<std::size_t>(block) * fields.size() + field]; }
  const BlockArray &array(int block, std::size_t field) const { return arrays[static_cast<std::size_t>(block) * fields.size() + field]; }
  /// The depth of a swap. A call may name the whole one.
  std::int64_t depth_of(const hlc_swap *what) const { return what && what->depth > 0 && what->depth < deepest ? what->depth : kWholeDepth; }
  /// Calls visit(move, field) for the fields of the running swap in a piece.
  template <class AnyPiece, class Visit>
  void for_each_swapped(AnyPiece &piece, Visit visit) const {
    const FieldGroup &group = groups[static_cast<std::size_t>(piece.group)];
    for (const std::size_t i : group.swapped) visit(piece.moves[i], fields[static_cast<std::size_t>(group.fields[i])]);
  }
};

}  // namespace halocline::core
