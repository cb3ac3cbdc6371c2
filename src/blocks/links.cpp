// Listing the pieces that blocks exchange.
// SPDX-License-Identifier: BSD-3-Clause
#include "blocks/links.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/communicator/collective.hpp"
#include "exchange/device_reads.hpp"
#include "exchange/fields.hpp"

namespace halocline::core {
namespace {

void keep_each_once(std::vector<int> &numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

/// The piece of an overlap: what my block gets from another one, or gives to it.
Piece make_piece(const BlockTables &tables, int group, const Overlap &o, bool incoming) {
  Piece piece;
  piece.group = group;
  piece.block = incoming ? o.to : o.from;
  piece.peer_block = incoming ? o.from : o.to;
  piece.mine = piece.whole_mine = incoming ? o.halo : o.edge;
  piece.whole_theirs = incoming ? o.edge.start : o.halo.start;
  piece.is_incoming = incoming;
  piece.moves.resize(tables.groups[static_cast<std::size_t>(group)].fields.size());
  plan_copies(tables, piece);
  return piece;
}

void count_bytes(const BlockTables &tables, PieceList &list) {
  list.bytes = 0;
  for (Piece &piece : list.pieces) {
    piece.bytes_before = list.bytes;
    list.bytes += piece.mine.cells() * tables.groups[static_cast<std::size_t>(piece.group)].cell_bytes;
  }
}

/// Calls visit(list) for the lists of all pieces.
template <class Visit>
void for_each_list(BlockTables &tables, Visit visit) {
  for (BlockLink &link : tables.links)
    for (PieceList *list : {&link.in, &link.out}) visit(*list);
  visit(tables.own.in);
}

/// Leaves of a piece the cells that are so near to the block whose halo they are in.
void limit(const BlockTables &tables, Piece &piece) {
  const FieldGroup &group = tables.groups[static_cast<std::size_t>(piece.group)];
  piece.mine = piece.whole_mine;
  const Box halo{piece.is_incoming ? piece.whole_mine.start : piece.whole_theirs, piece.whole_mine.count};
  for (std::size_t d = 0; d < halo.start.size(); ++d) {
    const std::int64_t first = group.low[d] - std::min(group.low[d], tables.most);
    const std::int64_t end = group.low[d] + piece.owner[d] + std::min(piece.above[d], tables.most + group.owned[d]);
    const std::int64_t before = std::max<std::int64_t>(0, first - halo.start[d]);
    const std::int64_t behind = std::max<std::int64_t>(0, halo.start[d] + halo.count[d] - end);
    piece.mine.count[d] = std::max<std::int64_t>(0, piece.mine.count[d] - before - behind);
    if (piece.mine.count[d] > 0) piece.mine.start[d] += before;
  }
}

void close_list(const BlockTables &tables, PieceList &list) {
  std::vector<int> parts;
  parts.reserve(list.pieces.size());
  for (const Piece &piece : list.pieces) parts.push_back(tables.part_of[static_cast<std::size_t>(piece.block)]);
  list.order.sort(parts, tables.parts);
}

void point_to_self(BlockTables &tables) {
  for (Piece &piece : tables.own.in.pieces) {
    const FieldGroup &group = tables.groups[static_cast<std::size_t>(piece.group)];
    for (std::size_t i = 0; i < piece.moves.size(); ++i) {
      const BlockArray &from = tables.array(piece.peer_block, static_cast<std::size_t>(group.fields[i]));
      piece.moves[i].their_array = from.data;
      piece.moves[i].their_strides = from.strides;
    }
    plan_copies(tables, piece);
  }
}

/// Fields of equal shapes are a group.
void group_fields(BlockTables &tables) {
  for (std::size_t f = 0; f < tables.shapes.size(); ++f) {
    const hlc_field_shape &shape = tables.shapes[f];
    const auto is_alike = [&](const FieldGroup &group) {
      const hlc_field_shape &other = tables.shapes[static_cast<std::size_t>(group.fields.front())];
      return std::equal(shape.stagger, std::end(shape.stagger), other.stagger) &&
             std::equal(shape.depth_low, std::end(shape.depth_low), other.depth_low) &&
             std::equal(shape.depth_high, std::end(shape.depth_high), other.depth_high);
    };
    auto group = std::find_if(tables.groups.begin(), tables.groups.end(), is_alike);
    if (group == tables.groups.end()) {
      group = tables.groups.emplace(tables.groups.end());
      for (std::size_t d = 0; d < group->low.size(); ++d) {
        group->low[d] = shape.depth_low[d];
        group->owned[d] = shape.stagger[d] == HLC_NODES_OWNED ? 1 : 0;
        tables.deepest = std::max({tables.deepest, shape.depth_low[d], shape.depth_high[d]});
      }
    }
    group->fields.push_back(static_cast<int>(f));
  }
  for (FieldGroup &group : tables.groups) group.swapped.reserve(group.fields.size());
}

/// The boxes of all ranks, for each group of fields what the values around them are, and where this rank's boxes are.
struct World {
  const std::vector<Domain> &domains;
  const BoxTable &boxes;
  const BoxIndex &mine;
};

/// Adds the pieces in which one rank's blocks get values from another's: those of the first group, then those of the next.
template <class Add>
void list_pieces(const World &world, int to, const BoxIndex &owners, PieceList &list, Add add) {
  const auto filled = world.boxes.of(to);
  for (std::size_t g = 0; g < world.domains.size(); ++g) {
    const Domain &domain = world.domains[g];
    const std::vector<Overlap> overlaps = list_overlaps(domain, filled, owners);
    list.pieces.reserve(list.pieces.size() + overlaps.size());
    for (const Overlap &o : overlaps) {
      const Box &cells = filled[static_cast<std::size_t>(o.to)].box;
      Piece &piece = add(static_cast<int>(g), o);
      piece.owner = domain.own(cells).count;
      piece.above = domain.above(cells);
      for (std::size_t d = 0; d < piece.owner.size(); ++d) piece.owner[d] += domain.shared[d];
    }
  }
}

void make_link(const World &world, int me, int rank, BlockTables &tables) {
  const bool is_self = rank == me;
  BlockLink link;
  link.rank = rank;
  const BoxIndex theirs(world.domains.front(), world.boxes.of(rank));
  list_pieces(world, me, theirs, link.in, [&](int group, const Overlap &o) -> Piece & {
    link.my_blocks.push_back(o.to);
    link.peer_blocks.push_back(o.from);
    return link.in.pieces.emplace_back(make_piece(tables, group, o, true));
  });
  if (!is_self)
    list_pieces(world, rank, world.mine, link.out, [&](int group, const Overlap &o) -> Piece & {
      link.my_blocks.push_back(o.from);
      link.peer_blocks.push_back(o.to);
      return link.out.pieces.emplace_back(make_piece(tables, group, o, false));
    });
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

/// Neighbours can read a field if all blocks have it on the device, or all on the host.
Readable kind_of_field(const BlockTables &tables, std::size_t field) {
  Readable kind = Readable::no;
  for (std::size_t i = field; i < tables.arrays.size(); i += tables.fields.size()) {
    const Readable one = kind_of_array(tables.arrays[i].place, tables.arrays[i].device);
    if (one == Readable::no || (i != field && one != kind)) return Readable::no;
    kind = one;
  }
  return kind;
}

}  // namespace

void plan_copies(const BlockTables &tables, Piece &piece) {
  const Cells &count = piece.mine.count;
  const FieldGroup &group = tables.groups[static_cast<std::size_t>(piece.group)];
  for (std::size_t i = 0; i < piece.moves.size(); ++i) {
    const auto f = static_cast<std::size_t>(group.fields[i]);
    const BlockField &field = tables.fields[f];
    const BlockArray &array = tables.array(piece.block, f);
    BlockMove &move = piece.moves[i];
    const Strides packed = packed_strides(count, field.element, field.order);
    move.mine = move.image ? move.image : array.data + box_offset(piece.mine, array.strides);
    if (move.their_array) move.theirs = move.their_array + box_offset(piece.theirs(), move.their_strides);
    if (move.their_image) move.theirs = move.their_image;
    const Strides others = move.their_array && !move.their_image ? move.their_strides : packed;
    const Strides mine = move.image ? packed : array.strides;
    const Strides &to = piece.is_incoming ? mine : others, &from = piece.is_incoming ? others : mine;
    move.copy = plan_copy(count, to, from, field.element, field.order);
  }
}

void choose_fields(BlockTables &tables) {
  for (FieldGroup &group : tables.groups) {
    group.swapped.clear();
    group.cell_bytes = 0;
    for (std::size_t i = 0; i < group.fields.size(); ++i) {
      if (!std::binary_search(tables.swapped.begin(), tables.swapped.end(), group.fields[i])) continue;
      group.swapped.push_back(i);
      group.cell_bytes += tables.fields[static_cast<std::size_t>(group.fields[i])].element;
    }
  }
  for_each_list(tables, [&tables](PieceList &list) { count_bytes(tables, list); });
}

void limit_depth(BlockTables &tables, std::int64_t most) {
  tables.most = most;
  for_each_list(tables, [&tables](PieceList &list) {
    for (Piece &piece : list.pieces) {
      limit(tables, piece);
      plan_copies(tables, piece);
    }
  });
}

/// The table of all ranks' boxes exists only during this call.
Status find_links(Communicator &communicator, NodeLeaders &leaders, const hlc_blocks_spec &spec, BlockTables &tables) {
  std::vector<Domain> domains;
  std::vector<Placed> mine;
  HLC_TRY(prepare(communicator, communicator.comm(), [&] {
    for (int b = 0; b < spec.nblocks; ++b) {
      Placed placed;
      std::copy_n(spec.blocks[b].start, tables.ndims, placed.box.start.begin());
      std::copy_n(spec.blocks[b].count, tables.ndims, placed.box.count.begin());
      placed.id = spec.blocks[b].id;
      mine.push_back(placed);
    }
    group_fields(tables);
    for (const FieldGroup &group : tables.groups)
      domains.push_back(Domain::of(spec, tables.shapes[static_cast<std::size_t>(group.fields.front())]));
    return Status::ok;
  }));
  BoxTable boxes;
  HLC_TRY(boxes.share(communicator, leaders, mine));
  return prepare(communicator, communicator.comm(), [&] {
    const int me = communicator.rank();
    const BoxIndex own(domains.front(), boxes.of(me));
    HLC_TRY(name_plan(check_disjoint(communicator, tables.ndims, boxes, own), PlanCall(communicator)));
    for (int rank = 0; rank < communicator.size(); ++rank) make_link({domains, boxes, own}, me, rank, tables);
    point_to_self(tables);
    list_swapped(static_cast<const hlc_swap *>(nullptr), tables.fields.size(), tables.swapped);
    choose_fields(tables);
    tables.self_bytes = tables.own.in.bytes;
    return Status::ok;
  });
}

std::vector<Edge> make_edges(const BlockTables &tables, int rank) {
  std::vector<std::size_t> fields(tables.fields.size());
  std::iota(fields.begin(), fields.end(), 0);
  const int readable = how_readable(fields, [&](std::size_t field) { return kind_of_field(tables, field); });
  std::vector<Edge> edges;
  for (const BlockLink &link : tables.links) {
    Edge edge;
    edge.rank = link.rank;
    edge.in = link.in.bytes;
    edge.out = link.out.bytes;
    edge.space_in = edge.space_out = std::max(edge.in, edge.out);
    // The lower rank's incoming pieces are first at both ends.
    edge.shape = rank < link.rank ? shape_of(link.in, link.out) : shape_of(link.out, link.in);
    edge.readable = readable;
    edges.push_back(edge);
  }
  return edges;
}

}  // namespace halocline::core
