// The running of a stage: which part of the halo a swap moves, and the copies themselves. For the planning see plan.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/stage.hpp"

namespace halocline::core {
namespace {

/// How a direction takes part in a swap: its halo is filled, or its edge is sent.
struct Role {
  bool fills = true, gives = true;
};

Role role_of(const std::array<int, kMaxDims> &v, const hlc_swap *what) {
  if (!what || !what->one_dim) return {};
  const auto dim = static_cast<std::size_t>(what->dim);
  for (std::size_t d = 0; d < v.size(); ++d)
    if ((v[d] != 0) != (d == dim)) return {false, false};
  const bool low = what->side != HLC_SIDE_HIGH, high = what->side != HLC_SIDE_LOW;
  // The neighbour below fills my low halo; I send it what its high halo needs.
  return v[dim] < 0 ? Role{low, high} : Role{high, low};
}

/// A call may list all fields, and in one dimension both sides are all sides.
bool moves_everything(const HaloTables &tables, const hlc_swap &what) {
  const bool all_fields = what.nfields == 0 || what.nfields == static_cast<int>(tables.fields.size());
  const bool all_sides = !what.one_dim || (tables.ndims == 1 && what.side == HLC_SIDE_BOTH);
  return all_fields && all_sides && !what.reverse;
}

}  // namespace

Status Stage::start(const hlc_swap *what, void *const *data) {
  bool moved = false;
  if (bindings_) HLC_TRY(bind(what, data, &moved));
  set_swap(what);
  if (moved) list_copies();
  if (tables_.reverse) copies_.copy_repeats();
  return exchange_.start([&] { return check_->start(what); });
}

void Stage::set_swap(const hlc_swap *what) {
  const bool everything = !what || moves_everything(tables_, *what);
  if (everything && everything_) return;
  everything_ = everything;
  tables_.reverse = what && what->reverse;

  list_swapped(what, tables_.fields.size(), tables_.swapped);
  set_parts(what);
  list_copies();
  exchange_.set_round(everything, tables_.reverse);
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

Status Stage::finish_views() {
  if (!views_ || tables_.reverse) return finish();
  views_->clear();
  return exchange_.finish_views();
}

Status Stage::release() {
  const Status released = exchange_.release();
  if (bindings_ && !failed(released)) abandon();
  return released;
}

void Stage::put_views(std::size_t field, hlc_view *views) const {
  put_ranks(tables_, views);
  if (exchange_.views_out()) views_->put(field, views);
}

void Stage::list_copies() {
  copies_.list([this](int edge) { return exchange_.packs(edge); });
}

/// All neighbours' cells have arrived, or have been read.
void Stage::end_round() {
  tables_.reverse ? copies_.clear_halo() : copies_.copy_repeats();
  if (bindings_) abandon();
}

}  // namespace halocline::core
