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
Piece make_piece(const BlockTables &tables, const Overlap &o, const Cells &owner, bool incoming) {
  Piece piece;
  piece.block = incoming ? o.to : o.from;
  piece.peer_block = incoming ? o.from : o.to;
  piece.mine = piece.whole_mine = incoming ? o.halo : o.edge;
  piece.theirs = piece.whole_theirs = incoming ? o.edge : o.halo;
  piece.is_incoming = incoming;
  piece.owner = owner;
  piece.moves.resize(tables.fields.size());
  plan_copies(tables, piece);
  return piece;
}

void count_cells(PieceList &list) {
  list.cells = 0;
  for (Piece &piece : list.pieces) {
    piece.cells_before = list.cells;
    list.cells += piece.mine.cells();
  }
}

/// Leaves of a piece the cells that are so near to the block whose halo they are in.
void limit(const BlockTables &tables, Piece &piece) {
  piece.mine = piece.whole_mine;
  piece.theirs = piece.whole_theirs;
  const Box &halo = piece.is_incoming ? piece.whole_mine : piece.whole_theirs;
  for (std::size_t d = 0; d < halo.start.size(); ++d) {
    const std::int64_t first = tables.low[d] - std::min(tables.low[d], tables.most);
    const std::int64_t end = tables.low[d] + piece.owner[d] + std::min(tables.high[d], tables.most);
    const std::int64_t before = std::max<std::int64_t>(0, first - halo.start[d]);
    const std::int64_t behind = std::max<std::int64_t>(0, halo.start[d] + halo.count[d] - end);
    for (Box *box : {&piece.mine, &piece.theirs}) {
      box->count[d] = std::max<std::int64_t>(0, box->count[d] - before - behind);
      if (box->count[d] > 0) box->start[d] += before;
    }
  }
}

void close_list(const BlockTables &tables, PieceList &list) {
  std::vector<int> parts;
  parts.reserve(list.pieces.size());
  for (const Piece &piece : list.pieces) parts.push_back(tables.part_of[static_cast<std::size_t>(piece.block)]);
  list.order.sort(parts, tables.parts);
  count_cells(list);
}

void point_to_self(BlockTables &tables) {
  for (Piece &piece : tables.own.in.pieces) {
    for (std::size_t f = 0; f < tables.fields.size(); ++f) {
      const BlockArray &from = tables.array(piece.peer_block, f);
      piece.moves[f].their_array = from.data;
      piece.moves[f].their_strides = from.strides;
    }
    plan_copies(tables, piece);
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
    link.in.pieces.push_back(make_piece(tables, o, mine[static_cast<std::size_t>(o.to)].box.count, true));
    link.my_blocks.push_back(o.to);
    link.peer_blocks.push_back(o.from);
  }
  for (const Overlap &o : is_self ? std::vector<Overlap>() : list_overlaps(world.domain, theirs, mine, false)) {
    link.out.pieces.push_back(make_piece(tables, o, theirs[static_cast<std::size_t>(o.to)].box.count, false));
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

void plan_copies(const BlockTables &tables, Piece &piece) {
  const Cells &count = piece.mine.count;
  for (std::size_t f = 0; f < tables.fields.size(); ++f) {
    const BlockField &field = tables.fields[f];
    const BlockArray &array = tables.array(piece.block, f);
    const Strides packed = packed_strides(count, field.element, field.order);
    BlockMove &move = piece.moves[f];
    move.mine = array.data + box_offset(piece.mine, array.strides);
    move.to_buffer = plan_copy(count, packed, array.strides, field.element, field.order);
    move.from_buffer = plan_copy(count, array.strides, packed, field.element, field.order);
    if (!move.their_array) continue;
    move.theirs = move.their_array + box_offset(piece.theirs, move.their_strides);
    move.pull = plan_copy(count, array.strides, move.their_strides, field.element, field.order);
    move.push = plan_copy(count, move.their_strides, array.strides, field.element, field.order);
  }
}

void limit_depth(BlockTables &tables, std::int64_t most) {
  tables.most = most;
  const auto limit_list = [&tables](PieceList &list) {
    for (Piece &piece : list.pieces) {
      limit(tables, piece);
      plan_copies(tables, piece);
    }
    count_cells(list);
  };
  for (BlockLink &link : tables.links)
    for (PieceList *list : {&link.in, &link.out}) limit_list(*list);
  limit_list(tables.own.in);
}

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
    tables.low = domain.low;
    tables.high = domain.high;
    for (std::size_t d = 0; d < domain.low.size(); ++d) tables.deepest = std::max({tables.deepest, domain.low[d], domain.high[d]});
    tables.self_cells = tables.own.in.cells;
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
