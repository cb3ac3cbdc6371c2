// Fields out of a spec, and the paths that their cells take.
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/tables.hpp"

#include <utility>

namespace halocline::core {
namespace {

/// Finds my cells of a path.
void aim(const std::vector<HaloField> &fields, HaloPath &path) {
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const HaloField &field = fields[f];
    path.moves[f].halo = field.data + box_offset(path.direction.halo, field.strides);
    path.moves[f].edge = field.data + box_offset(path.direction.edge, field.strides);
  }
}

void aim_at_self(const std::vector<HaloField> &fields, HaloPath &path) {
  aim(fields, path);
  for (std::size_t f = 0; f < fields.size(); ++f) path.moves[f].peer_edge = fields[f].data + box_offset(path.source, fields[f].strides);
}

/// A field that the spec's fills leave out has no bytes here, and copies that do nothing.
HaloPath make_path(const hlc_halo_spec &spec, const std::vector<HaloField> &fields, const Direction &direction) {
  HaloPath path;
  path.direction = direction;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const HaloField &field = fields[f];
    const Strides halo_packed = packed_strides(direction.halo.count, field.element, field.order);
    const Strides edge_packed = packed_strides(direction.edge.count, field.element, field.order);
    HaloMove move;
    if (fills(spec, f, direction.v)) {
      move.halo_bytes = direction.halo.cells() * field.element;
      move.unpack_halo = plan_copy(direction.halo.count, field.strides, halo_packed, field.element, field.order);
      move.pack_halo = plan_copy(direction.halo.count, halo_packed, field.strides, field.element, field.order);
    }
    if (fills(spec, f, opposite(direction.v))) {
      move.edge_bytes = direction.edge.cells() * field.element;
      move.add_edge = plan_copy(direction.edge.count, field.strides, edge_packed, field.element, field.order);
      move.pack_edge = plan_copy(direction.edge.count, edge_packed, field.strides, field.element, field.order);
    }
    path.moves.push_back(move);
  }
  aim(fields, path);
  return path;
}

HaloPath make_own_path(const hlc_halo_spec &spec, const std::vector<HaloField> &fields, const Direction &direction, const Box &source) {
  HaloPath path = make_path(spec, fields, direction);
  path.source = source;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const HaloField &field = fields[f];
    HaloMove &move = path.moves[f];
    if (move.halo_bytes > 0) move.pull_halo = plan_copy(direction.halo.count, field.strides, field.strides, field.element, field.order);
    move.pull_edge = move.pull_halo;
  }
  aim_at_self(fields, path);
  return path;
}

/// My halo on one side takes the edge on the other: that of the direction in which I am my own neighbour again.
void take_own_directions(const hlc_halo_spec &spec, int rank, const std::vector<Direction> &directions, HaloTables &tables) {
  for (const Direction &direction : directions) {
    if (direction.rank != rank || direction.halo.cells() == 0) continue;
    const auto back = opposite(direction.v);
    const auto other = std::find_if(directions.begin(), directions.end(), [&](const Direction &d) { return d.v == back; });
    tables.self_paths.push_back(make_own_path(spec, tables.fields, direction, other->edge));
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
    (inside ? tables.self_paths : tables.repeats).push_back(make_own_path(spec, tables.fields, direction, wrap.source));
  }
}

}  // namespace

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
  field.extent = field_extent(spec, given);
  field.strides = field_strides(spec, given);
  field.name = field_name(spec, f);
  return field;
}

void list_paths(const hlc_halo_spec &spec, int rank, HaloTables &tables) {
  const std::vector<Direction> directions = list_directions(spec);
  for (const Direction &direction : directions) {
    if (direction.rank == rank) continue;
    HaloPath path = make_path(spec, tables.fields, direction);
    const auto moves = [](const HaloMove &move) { return move.halo_bytes > 0 || move.edge_bytes > 0; };
    if (std::any_of(path.moves.begin(), path.moves.end(), moves)) tables.paths.push_back(std::move(path));
  }
  take_own_directions(spec, rank, directions, tables);
  take_wraps(spec, tables);
}

void aim_all(HaloTables &tables) {
  for (HaloPath &path : tables.paths) aim(tables.fields, path);
  for (auto *paths : {&tables.self_paths, &tables.repeats})
    for (HaloPath &path : *paths) aim_at_self(tables.fields, path);
}

}  // namespace halocline::core
