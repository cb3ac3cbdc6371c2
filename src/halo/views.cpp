// Finishing a swap without copies, and telling where its cells are.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "base/log.hpp"
#include "halo/stage.hpp"

namespace halocline {

/// With HALOCLINE_CHECK=1 values are compared in the halo, so they are copied there. Cells that occur more than once in a halo have no box of
/// their own in anybody's memory.
void Stage::make_views(const hlc_halo_spec &spec) {
  if (context_.post()) {
    report_once("view", "check",
                "mode view: with HALOCLINE_CHECK=1 cells are copied into the halo, as in mode direct, and views show the halo");
    return;
  }
  tables_.aligns = true;
  if (const int d = find_wrapped(spec); d >= 0)
    return report_once(
        "view", "deep",
        "mode view: along dimension %d the halo is deeper than the block; cells are copied into it, as in mode direct, and views "
        "show the halo",
        d);
  views_ = std::make_unique<Views>();
  views_->shown.resize(tables_.paths.size() * tables_.fields.size());
  views_->peer_strides.resize(tables_.paths.size() * tables_.fields.size());
}

Status Stage::finish_views() {
  if (!views_ || tables_.reverse) return finish();
  std::fill(views_->shown.begin(), views_->shown.end(), Shown{});
  return exchange_.finish_views();
}

/// The fields of a message lie one behind the other, as pack has put them.
void Stage::show(int edge, const void *buffer) {
  const auto e = static_cast<std::size_t>(edge);
  const HaloPath &path = tables_.paths[e];
  std::int64_t offset = 0;
  for (const int number : tables_.swapped) {
    const auto f = static_cast<std::size_t>(number);
    const std::size_t at = e * tables_.fields.size() + f;
    offset = tables_.aligned(offset, f);
    if (path.moves[f].halo_bytes == 0) continue;
    views_->shown[at] = buffer ? Shown{static_cast<const char *>(buffer) + offset,
                                       packed_strides(path.direction.halo.count, tables_.fields[f].element, tables_.fields[f].order)}
                               : Shown{path.moves[f].peer_edge, views_->peer_strides[at]};
    offset += path.moves[f].halo_bytes;
  }
}

Status Stage::release() {
  const Status released = exchange_.release();
  if (bindings_ && !failed(released)) let_go();
  return released;
}

void Stage::put_views(std::size_t field, hlc_view *views) const {
  for (std::size_t e = 0; e < tables_.paths.size(); ++e) put_view(e, field, views);
  for (const auto *paths : {&tables_.self_paths, &tables_.repeats})
    for (const HaloPath &path : *paths) put_own_view(path, field, views);
}

void Stage::put_view(std::size_t e, std::size_t f, hlc_view *views) const {
  const HaloPath &path = tables_.paths[e];
  if (path.direction.halo.cells() == 0) return;
  hlc_view &view = views[direction_index(path.direction.v, tables_.ndims)];
  view.rank = path.direction.rank;
  if (!exchange_.views_out()) return;
  const Shown &shown = views_->shown[e * tables_.fields.size() + f];
  view.data = shown.data;
  std::copy(shown.strides.begin(), shown.strides.end(), view.stride_bytes);
}

/// Around a block that is its own neighbour lie its own cells of the other side; those of a halo that repeats another belong to that one's rank.
void Stage::put_own_view(const HaloPath &path, std::size_t f, hlc_view *views) const {
  hlc_view &view = views[direction_index(path.direction.v, tables_.ndims)];
  view.rank = path.direction.rank;
  if (exchange_.views_out()) view.data = is_swapped(path, f) ? path.moves[f].peer_edge : nullptr;
}

bool Stage::is_swapped(const HaloPath &path, std::size_t f) const {
  return path.active && path.moves[f].halo_bytes > 0 &&
         std::find(tables_.swapped.begin(), tables_.swapped.end(), static_cast<int>(f)) != tables_.swapped.end();
}

}  // namespace halocline
