// The running of a stage: which part of the halo a swap moves, and the copies themselves. Planning stands in plan.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/stage.hpp"

namespace halocline {
namespace {

/// How a direction takes part in a swap: its halo is filled, or its edge is given.
struct Role {
  bool fills = true, gives = true;
};

Role role_of(const std::array<int, kMaxDims> &v, const hlc_swap *what) {
  if (!what || !what->one_dim) return {};
  const auto dim = static_cast<std::size_t>(what->dim);
  for (std::size_t d = 0; d < v.size(); ++d)
    if ((v[d] != 0) != (d == dim)) return {false, false};
  const bool low = what->side != HLC_SIDE_HIGH, high = what->side != HLC_SIDE_LOW;
  // The neighbour below fills my low halo; I give it what its high halo needs.
  return v[dim] < 0 ? Role{low, high} : Role{high, low};
}

}  // namespace

Status Stage::start(const hlc_swap *what, void *const *data) {
  bool moved = false;
  if (bindings_) HLC_TRY(bind(what, data, &moved));
  set_swap(what);
  if (moved) list_copies();
  if (tables_.reverse) copy_inside(tables_.repeats);
  return exchange_.start([&] { return check_->start(what); });
}

/// However it is said: all fields may be listed, and in one dimension both sides are all there is.
bool Stage::moves_everything(const hlc_swap &what) const {
  const bool all_fields = what.nfields == 0 || what.nfields == static_cast<int>(tables_.fields.size());
  const bool all_sides = !what.one_dim || (tables_.ndims == 1 && what.side == HLC_SIDE_BOTH);
  return all_fields && all_sides && !what.reverse;
}

void Stage::set_swap(const hlc_swap *what) {
  const bool everything = !what || moves_everything(*what);
  if (everything && everything_) return;
  everything_ = everything;
  tables_.reverse = what && what->reverse;

  list_swapped(what, tables_.fields.size(), tables_.swapped);
  set_parts(what);
  list_copies();
  exchange_.set_round(everything, tables_.reverse);
}

/// What a swap copies stands in tables, in the order in which it is used. A reverse swap has none.
void Stage::list_copies() {
  for (CopyTable *table : {&pulls_, &packs_, &unpacks_}) table->clear();
  for (std::size_t e = 0; e < tables_.paths.size(); ++e) {
    for (CopyTable *table : {&pulls_, &packs_, &unpacks_}) table->begin_group();
    exchange_.packs(static_cast<int>(e)) ? list_messages(tables_.paths[e]) : list_pulls(tables_.paths[e]);
  }
  for (const HaloPath &path : tables_.self_paths) {
    pulls_.begin_group();
    list_pulls(path);
  }
}

void Stage::list_pulls(const HaloPath &path) {
  if (!path.active || tables_.reverse) return;
  for (const int f : tables_.swapped) {
    const HaloMove &move = path.moves[static_cast<std::size_t>(f)];
    if (move.halo_bytes > 0) pulls_.add(bind_copy(move.halo, move.peer_edge, move.pull_halo));
  }
}

/// Into the message to the neighbour, and out of the one from it.
void Stage::list_messages(const HaloPath &path) {
  if (tables_.reverse) return;
  std::int64_t out = 0, in = 0;
  for (const int number : tables_.swapped) {
    const auto f = static_cast<std::size_t>(number);
    const HaloMove &move = path.moves[f];
    out = tables_.aligned(out, f);
    in = tables_.aligned(in, f);
    if (move.edge_bytes > 0) packs_.add(bind_to_message(out, move.edge, move.pack_edge));
    if (move.halo_bytes > 0) unpacks_.add(bind_from_message(move.halo, in, move.unpack_halo));
    out += move.edge_bytes;
    in += move.halo_bytes;
  }
}

void Stage::set_parts(const hlc_swap *what) {
  for (auto *paths : {&tables_.self_paths, &tables_.repeats})
    for (HaloPath &path : *paths) path.active = role_of(path.direction.v, what).fills;
  for (std::size_t i = 0; i < tables_.paths.size(); ++i) {
    const Role role = role_of(tables_.paths[i].direction.v, what);
    tables_.paths[i].active = role.fills;
    std::int64_t halo = 0, edge = 0;
    for (const int number : tables_.swapped) {
      const auto f = static_cast<std::size_t>(number);
      halo = tables_.aligned(halo, f) + tables_.paths[i].moves[f].halo_bytes;
      edge = tables_.aligned(edge, f) + tables_.paths[i].moves[f].edge_bytes;
    }
    if (!role.fills) halo = 0;
    if (!role.gives) edge = 0;
    exchange_.parts()[i] = tables_.reverse ? Part{halo, edge} : Part{edge, halo};
  }
}

void Stage::pack(int edge, void *buffer, bool past_caches) {
  const auto e = static_cast<std::size_t>(edge);
  auto *message = static_cast<char *>(buffer);
  if (tables_.reverse) return pack_halos(tables_.paths[e], message, past_caches);
  pack_copies(packs_.groups(e, e + 1), message, past_caches);
}

void Stage::unpack(int edge, const void *buffer) {
  const auto e = static_cast<std::size_t>(edge);
  const auto *message = static_cast<const char *>(buffer);
  if (tables_.reverse) return add_message(tables_.paths[e], message);
  unpack_copies(unpacks_.groups(e, e + 1), message);
}

void Stage::pack_halos(const HaloPath &path, char *message, bool past_caches) const {
  const auto copy_cells = past_caches ? copy_past_caches : copy;
  std::int64_t offset = 0;
  for (const int number : tables_.swapped) {
    const auto f = static_cast<std::size_t>(number);
    const HaloMove &move = path.moves[f];
    offset = tables_.aligned(offset, f);
    copy_cells(message + offset, move.halo, move.pack_halo);
    offset += move.halo_bytes;
  }
}

/// Adds what the neighbour's halo held to my edge.
void Stage::add_message(const HaloPath &path, const char *message) const {
  std::int64_t offset = 0;
  for (const int number : tables_.swapped) {
    const auto f = static_cast<std::size_t>(number);
    const HaloMove &move = path.moves[f];
    offset = tables_.aligned(offset, f);
    add(move.edge, message + offset, move.add_edge, tables_.fields[f].type);
    offset += move.edge_bytes;
  }
}

void Stage::pull(int edge) { pull_several({&edge, 1}); }

/// Edges that follow each other have their copies one behind the other.
void Stage::pull_several(Edges edges) {
  for (std::size_t first = 0, end = 0; first < edges.size(); first = end) {
    const auto e = static_cast<std::size_t>(edges[first]);
    while (end < edges.size() && static_cast<std::size_t>(edges[end]) == e + (end - first)) ++end;
    run_copies(pulls_.groups(e, e + (end - first)));
  }
  for (std::size_t i = 0; tables_.reverse && i < edges.size(); ++i) add_halos(tables_.paths[static_cast<std::size_t>(edges[i])]);
}

/// All neighbours' cells have come, or have been taken.
void Stage::end_round() {
  tables_.reverse ? clear_halo() : copy_inside(tables_.repeats);
  if (bindings_) let_go();
}

void Stage::copy_to_myself() {
  run_copies(pulls_.groups(tables_.paths.size(), tables_.paths.size() + tables_.self_paths.size()));
  if (tables_.reverse) copy_inside(tables_.self_paths);
}

/// For a path to myself, peer_edge is my own edge on the other side: the halo takes its values, or gives them back. For a repeat it lies in
/// another halo of mine.
void Stage::copy_inside(const std::vector<HaloPath> &paths) {
  for (const HaloPath &path : paths) {
    if (!path.active) continue;
    for (const int f : tables_.swapped) {
      const HaloMove &move = path.moves[static_cast<std::size_t>(f)];
      if (tables_.reverse)
        add(const_cast<char *>(move.peer_edge), move.halo, move.pull_edge, tables_.fields[static_cast<std::size_t>(f)].type);
      else
        copy(move.halo, move.peer_edge, move.pull_halo);
    }
  }
}

/// Adds what the neighbour's halo holds to my edge.
void Stage::add_halos(const HaloPath &path) {
  for (const int f : tables_.swapped) {
    const HaloMove &move = path.moves[static_cast<std::size_t>(f)];
    add(move.edge, move.peer_halo, move.pull_edge, tables_.fields[static_cast<std::size_t>(f)].type);
  }
}

void Stage::clear_halo() {
  for (const auto *paths : {&tables_.paths, &tables_.self_paths, &tables_.repeats})
    for (const HaloPath &path : *paths)
      if (path.active)
        for (const int f : tables_.swapped)
          clear(path.moves[static_cast<std::size_t>(f)].halo, path.moves[static_cast<std::size_t>(f)].unpack_halo);
}

}  // namespace halocline
