// Listing the pieces that blocks exchange.
// SPDX-License-Identifier: BSD-3-Clause
#include "blocks/links.hpp"

#include <algorithm>
#include <utility>

#include "engine/communicator/collective.hpp"

namespace halocline::core {
namespace {

void keep_each_once(std::vector<int> &numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

/// The piece of an overlap: what my block gets from another one, or gives to it.
Piece make_piece(const BlockTables &tables, const Overlap &o, bool incoming) {
  const int block = incoming ? o.to : o.from, peer_block = incoming ? o.from : o.to;
  const Box &mine = incoming ? o.halo : o.edge, &theirs = incoming ? o.edge : o.halo;
  Piece piece{block, peer_block, mine, theirs, 0, {}};
  for (std::size_t f = 0; f < tables.fields.size(); ++f) {
    const BlockField &field = tables.fields[f];
    const BlockArray &from = tables.array(block, f);
    const Strides packed = packed_strides(mine.count, field.element, field.order);
    BlockMove move;
    move.mine = from.data + box_offset(mine, from.strides);
    move.to_buffer = plan_copy(mine.count, packed, from.strides, field.element, field.order);
    move.from_buffer = plan_copy(mine.count, from.strides, packed, field.element, field.order);
    piece.moves.push_back(move);
  }
  return piece;
}

void close_list(const BlockTables &tables, PieceList &list) {
  std::vector<int> parts;
  for (Piece &piece : list.pieces) {
    piece.cells_before = list.cells;
    list.cells += piece.mine.cells();
    parts.push_back(tables.part_of[static_cast<std::size_t>(piece.block)]);
  }
  list.order.sort(parts, tables.parts);
}

void point_to_self(BlockTables &tables) {
  for (Piece &piece : tables.own.in.pieces)
    for (std::size_t f = 0; f < tables.fields.size(); ++f) {
      const BlockField &field = tables.fields[f];
      const BlockArray &to = tables.array(piece.block, f), &from = tables.array(piece.peer_block, f);
      BlockMove &move = piece.moves[f];
      move.theirs = from.data + box_offset(piece.theirs, from.strides);
      move.pull = plan_copy(piece.mine.count, to.strides, from.strides, field.element, field.order);
      move.push = plan_copy(piece.mine.count, from.strides, to.strides, field.element, field.order);
    }
}

/// The boxes of all ranks, and what the cells around them are.
struct World {
  const Domain &domain;
  const BoxTable &boxes;
};

void make_link(const World &world, int me, int rank, BlockTables &tables) {
  const auto mine = world.boxes.of(me), theirs = world.boxes.of(rank);
  const bool is_self = rank == me;
  BlockLink link;
  link.rank = rank;
  for (const Overlap &o : list_overlaps(world.domain, mine, theirs, is_self)) {
    link.in.pieces.push_back(make_piece(tables, o, true));
    link.my_blocks.push_back(o.to);
    link.peer_blocks.push_back(o.from);
  }
  for (const Overlap &o : is_self ? std::vector<Overlap>() : list_overlaps(world.domain, theirs, mine, false)) {
    link.out.pieces.push_back(make_piece(tables, o, false));
    link.my_blocks.push_back(o.from);
    link.peer_blocks.push_back(o.to);
  }
  close_list(tables, link.in);
  close_list(tables, link.out);
  keep_each_once(link.my_blocks);
  keep_each_once(link.peer_blocks);
  if (is_self)
    tables.own = std::move(link);
  else if (!link.my_blocks.empty())
    tables.links.push_back(std::move(link));
}

/// A hash of the boxes in a message. Both ends compute it from the same boxes; it detects ranks that did not.
std::int64_t shape_of(const PieceList &first, const PieceList &second) {
  std::int64_t shape = 0;
  for (const PieceList *list : {&first, &second})
    for (const Piece &piece : list->pieces)
      for (const std::int64_t count : piece.mine.count) shape = (shape * 1'000'003 + count) % 1'000'000'007;
  return shape;
}

}  // namespace

/// The table of all ranks' boxes exists only during this call.
Status find_links(Communicator &communicator, NodeLeaders &leaders, const hlc_blocks_spec &spec, BlockTables &tables) {
  const Domain domain = Domain::of(spec);
  std::vector<Placed> mine;
  HLC_TRY(prepare(communicator, communicator.comm(), [&] {
    for (int b = 0; b < spec.nblocks; ++b) {
      Placed placed;
      std::copy_n(spec.blocks[b].start, tables.ndims, placed.box.start.begin());
      std::copy_n(spec.blocks[b].count, tables.ndims, placed.box.count.begin());
      placed.id = spec.blocks[b].id;
      mine.push_back(placed);
    }
    return Status::ok;
  }));
  BoxTable boxes;
  HLC_TRY(boxes.share(communicator, leaders, mine));
  return prepare(communicator, communicator.comm(), [&] {
    HLC_TRY(check_disjoint(communicator, domain, boxes));
    for (int rank = 0; rank < communicator.size(); ++rank) make_link({domain, boxes}, communicator.rank(), rank, tables);
    point_to_self(tables);
    return Status::ok;
  });
}

std::vector<Edge> make_edges(const BlockTables &tables, int rank) {
  const bool readable = std::all_of(tables.arrays.begin(), tables.arrays.end(), [](const BlockArray &a) { return a.place.serial >= 0; });
  const std::int64_t cell = tables.all_bytes();
  std::vector<Edge> edges;
  for (const BlockLink &link : tables.links) {
    Edge edge;
    edge.rank = link.rank;
    edge.in = link.in.cells * cell;
    edge.out = link.out.cells * cell;
    edge.space_in = edge.space_out = std::max(edge.in, edge.out);
    // The lower rank's incoming pieces are first at both ends.
    edge.shape = rank < link.rank ? shape_of(link.in, link.out) : shape_of(link.out, link.in);
    edge.readable = readable;
    edges.push_back(edge);
  }
  return edges;
}

}  // namespace halocline::core
