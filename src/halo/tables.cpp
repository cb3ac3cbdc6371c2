// Fields out of a spec, and the paths that their cells take.
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/tables.hpp"

#include <utility>

#include "device/pointers.hpp"

namespace halocline::core {
namespace {

/// Finds my cells of a move.
void aim(const HaloField &field, HaloMove &move) {
  move.halo = is_on_device(field) ? move.halo_image : field.data + box_offset(move.halo_box, field.strides);
  move.edge = is_on_device(field) ? move.edge_image : field.data + box_offset(move.edge_box, field.strides);
}

void aim_at_self(const HaloField &field, HaloMove &move) {
  aim(field, move);
  move.peer_edge = is_on_device(field) ? move.edge_image : field.data + box_offset(move.source, field.strides);
}

/// The strides with which a swap reads and writes cells of a field. Images of cells are packed.
const Strides &own_strides(const HaloField &field, const Strides &packed) { return is_on_device(field) ? packed : field.strides; }

/// Calls visit(field, move) for all moves of a path.
template <class Visit>
void for_each_move(const std::vector<HaloField> &fields, HaloPath &path, Visit visit) {
  for (std::size_t f = 0; f < fields.size(); ++f) visit(fields[f], path.moves[f]);
}

/// Plans the copies through a buffer of what a move moves. One that moves nothing has no bytes, and copies that do nothing.
void plan_messages(const HaloField &field, bool fills, bool gives, HaloMove &move) {
  const Cells &halo = move.halo_box.count, &edge = move.edge_box.count;
  const Strides halo_packed = packed_strides(halo, field.element, field.order),
                edge_packed = packed_strides(edge, field.element, field.order);
  if (fills) {
    move.halo_bytes = move.halo_box.cells() * field.element;
    move.unpack_halo = plan_copy(halo, own_strides(field, halo_packed), halo_packed, field.element, field.order);
    move.pack_halo = plan_copy(halo, halo_packed, own_strides(field, halo_packed), field.element, field.order);
  }
  if (gives) {
    move.edge_bytes = move.edge_box.cells() * field.element;
    move.add_edge = plan_copy(edge, own_strides(field, edge_packed), edge_packed, field.element, field.order);
    move.pack_edge = plan_copy(edge, edge_packed, own_strides(field, edge_packed), field.element, field.order);
  }
}

/// Plans the copies of a move whose peer's cells can be read.
void plan_pulls(const HaloField &field, HaloMove &move) {
  if (move.halo_bytes > 0) move.pull_halo = plan_copy(move.halo_box.count, field.strides, move.peer_strides, field.element, field.order);
  if (move.edge_bytes > 0) move.pull_edge = plan_copy(move.edge_box.count, field.strides, move.peer_strides, field.element, field.order);
}

/// To myself there is one copy, which a reverse swap makes backwards.
void plan_own_pulls(const HaloField &field, HaloMove &move) {
  const Strides packed = packed_strides(move.halo_box.count, field.element, field.order), &own = own_strides(field, packed);
  move.peer_strides = own;
  if (move.halo_bytes > 0) move.pull_halo = plan_copy(move.halo_box.count, own, own, field.element, field.order);
  move.pull_edge = move.pull_halo;
  aim_at_self(field, move);
}

/// The moves of a direction, in boxes that boxes_of(field, move) fills in.
template <class Boxes>
HaloPath make_path(const hlc_halo_spec &spec, const std::vector<HaloField> &fields, const Direction &direction, Boxes boxes_of) {
  HaloPath path;
  path.direction = direction;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    HaloMove move;
    boxes_of(fields[f], move);
    plan_messages(fields[f], fills(spec, f, direction.v), fills(spec, f, opposite(direction.v)), move);
    aim(fields[f], move);
    path.moves.push_back(move);
  }
  return path;
}

template <class Boxes>
HaloPath make_own_path(const hlc_halo_spec &spec, const std::vector<HaloField> &fields, const Direction &direction, Boxes boxes_of) {
  HaloPath path = make_path(spec, fields, direction, boxes_of);
  for_each_move(fields, path, plan_own_pulls);
  path.to_self = true;
  return path;
}

bool moves_anything(const HaloPath &path) {
  return std::any_of(path.moves.begin(), path.moves.end(), [](const HaloMove &move) { return move.halo_bytes > 0 || move.edge_bytes > 0; });
}

/// Where a box begins if it has fewer cells per side than the whole: those of the lower sides are nearer to the block.
std::int64_t skipped(const Extents &extents, const std::array<int, kMaxDims> &v, int side, std::int64_t most, const Strides &strides) {
  std::int64_t bytes = 0;
  for (std::size_t d = 0; d < v.size(); ++d)
    if (v[d] == side) bytes += (extents.low_above[d] - std::min(extents.low_above[d], most)) * strides[d];
  return bytes;
}

/// What is not moved at the whole depth stays so.
void limit(const HaloField &field, const Direction &direction, bool to_self, std::int64_t most, HaloMove &move) {
  const bool fills = move.unpack_halo.run > 0, gives = move.pack_edge.run > 0;
  move.most = most;
  move.halo_box = field.extents.halo(direction.v, most);
  move.edge_box = field.extents.edge(direction.v, most);
  plan_messages(field, fills, gives, move);
  aim(field, move);
  if (to_self) {
    move.source = field.extents.edge(opposite(direction.v), most);
    plan_own_pulls(field, move);
  } else if (move.peer_whole_edge) {
    plan_pulls(field, move);
    aim_at_peer(field, direction, move, move.peer_whole_halo, move.peer_whole_edge);
  }
}

/// My halo on one side takes the edge on the other: that of the direction in which I am my own neighbour again.
void take_own_directions(const hlc_halo_spec &spec, int rank, const std::vector<Direction> &directions, HaloTables &tables) {
  for (const Direction &direction : directions) {
    if (direction.rank != rank) continue;
    HaloPath path = make_own_path(spec, tables.fields, direction, [&](const HaloField &field, HaloMove &move) {
      move.halo_box = field.extents.halo(direction.v);
      move.edge_box = field.extents.edge(direction.v);
      move.source = field.extents.edge(opposite(direction.v));
    });
    const auto fills = [](const HaloMove &move) { return move.halo_box.cells() > 0; };
    if (std::any_of(path.moves.begin(), path.moves.end(), fills)) tables.self_paths.push_back(std::move(path));
  }
}

/// Halos deeper than the block: from the block itself, or from the halo that neighbours fill.
void take_wraps(const hlc_halo_spec &spec, HaloTables &tables) {
  for (const Wrap &wrap : list_wraps(spec)) {
    Direction direction;
    direction.v = wrap.v;
    direction.rank = wrap.rank;
    direction.halo = wrap.halo;
    direction.edge = wrap.source;
    const bool inside = wrap.base == std::array<int, kMaxDims>{};
    (inside ? tables.self_paths : tables.repeats)
        .push_back(make_own_path(spec, tables.fields, direction, [&](const HaloField &, HaloMove &move) {
          move.halo_box = wrap.halo;
          move.edge_box = move.source = wrap.source;
        }));
  }
}

}  // namespace

bool is_on_device(const HaloField &field) { return field.device != device::kHost; }

std::string field_name(const hlc_halo_spec &spec, int f) {
  const char *given = spec.fields[f].name;
  return given ? given : "field " + std::to_string(f);
}

HaloField describe_field(const hlc_halo_spec &spec, int f) {
  const hlc_field &given = spec.fields[f];
  HaloField field;
  field.data = static_cast<char *>(given.data);
  field.type = given.type;
  field.element = element_bytes(given);
  field.extents = Extents::of(spec, f);
  field.extent = field_extent(spec, given, field.extents);
  field.strides = field_strides(spec, given, field.extents);
  field.name = field_name(spec, f);
  field.device = device::find_device(field.data);
  return field;
}

void list_paths(const hlc_halo_spec &spec, int rank, HaloTables &tables) {
  const std::vector<Direction> directions = list_directions(spec);
  for (const Direction &direction : directions) {
    if (direction.rank == rank) continue;
    HaloPath path = make_path(spec, tables.fields, direction, [&](const HaloField &field, HaloMove &move) {
      move.halo_box = field.extents.halo(direction.v);
      move.edge_box = field.extents.edge(direction.v);
    });
    if (moves_anything(path)) tables.paths.push_back(std::move(path));
  }
  tables.deepest = deepest_halo(spec);
  take_own_directions(spec, rank, directions, tables);
  take_wraps(spec, tables);
  for (const auto *paths : {&tables.self_paths, &tables.repeats})
    for (const HaloPath &path : *paths)
      for (const HaloMove &move : path.moves) tables.self_bytes += move.halo_bytes;
}

void aim_all(HaloTables &tables) {
  for (HaloPath &path : tables.paths) for_each_move(tables.fields, path, aim);
  for (auto *paths : {&tables.self_paths, &tables.repeats})
    for (HaloPath &path : *paths) for_each_move(tables.fields, path, aim_at_self);
}

void aim_at_peer(const HaloField &field, const Direction &direction, HaloMove &move, const char *halo, const char *edge) {
  move.peer_whole_halo = halo;
  move.peer_whole_edge = edge;
  // My upper neighbour's halo that faces me is its low one; my lower neighbour's edge ends where its block does.
  move.peer_halo = halo + skipped(field.extents, direction.v, 1, move.most, move.peer_strides);
  move.peer_edge = edge + skipped(field.extents, direction.v, -1, move.most, move.peer_strides);
}

void limit_depth(HaloTables &tables, std::int64_t most) {
  tables.most = most;
  for (auto *paths : {&tables.paths, &tables.self_paths})
    for (HaloPath &path : *paths)
      for (const int number : tables.swapped) {
        const auto f = static_cast<std::size_t>(number);
        if (path.moves[f].most != most) limit(tables.fields[f], path.direction, paths == &tables.self_paths, most, path.moves[f]);
      }
}

}  // namespace halocline::core
