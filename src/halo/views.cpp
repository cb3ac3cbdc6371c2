// Finishing a swap without copies, and telling where its cells are.
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/views.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "halo/staged.hpp"

namespace halocline {

/// With HALOCLINE_CHECK=1 values are compared in the halo, so they are copied there. Cells that occur more than once in a halo have no box of
/// their own in anybody's memory.
void Halo::make_views(const hlc_halo_spec &spec) {
  if (context_.post()) {
    report_once("view", "check",
                "mode view: with HALOCLINE_CHECK=1 cells are copied into the halo, as in mode direct, and views show the halo");
    return;
  }
  aligned_ = true;
  if (const int d = find_wrapped(spec); d >= 0)
    return report_once(
        "view", "deep",
        "mode view: along dimension %d the halo is deeper than the block; cells are copied into it, as in mode direct, and views "
        "show the halo",
        d);
  views_ = std::make_unique<Views>();
  views_->shown.resize(paths_.size() * fields_.size());
  views_->peer_strides.resize(paths_.size() * fields_.size());
}

Status Halo::finish_views() {
  HLC_TRY(exchange_.may_go_on("hlc_halo_finish_views", state()));
  if (!views_ || reverse_) return finish();
  std::fill(views_->shown.begin(), views_->shown.end(), Shown{});
  return exchange_.finish_views();
}

/// The fields of a message lie one behind the other, as pack has put them.
void Halo::show(int edge, const void *buffer) {
  const auto e = static_cast<std::size_t>(edge);
  const Path &path = paths_[e];
  std::int64_t offset = 0;
  for (const int number : swapped_) {
    const auto f = static_cast<std::size_t>(number);
    const std::size_t at = e * fields_.size() + f;
    offset = aligned(offset, f);
    if (path.moves[f].halo_bytes == 0) continue;
    views_->shown[at] = buffer ? Shown{static_cast<const char *>(buffer) + offset,
                                       packed_strides(path.direction.halo.count, fields_[f].element, fields_[f].order)}
                               : Shown{path.moves[f].peer_edge, views_->peer_strides[at]};
    offset += path.moves[f].halo_bytes;
  }
}

Status Halo::release() {
  if (broken()) return exchange_.bad_call("hlc_halo_release", "an earlier swap of this halo failed; it can only be finalised");
  if (in_flight()) return exchange_.bad_call("hlc_halo_release", "a swap of this halo is in flight; finish it first");
  const Status released = exchange_.release();
  if (bindings_ && !failed(released)) let_go();
  return released;
}

Status Halo::list_views(int field, hlc_view *views) const {
  const int nfields = static_cast<int>(fields_.size());
  if (field < 0 || field >= nfields)
    return fail(Status::argument, "hlc_halo_views on rank %d: field is %d, it must be 0 to %d", context_.rank(), field, nfields - 1);
  if (!views) return fail(Status::argument, "hlc_halo_views on rank %d: views is NULL", context_.rank());
  if (in_flight()) return exchange_.bad_call("hlc_halo_views", "a swap of this halo is in flight; finish it first");
  list_own(static_cast<std::size_t>(field), views);
  for (std::size_t e = 0; e < paths_.size(); ++e) put_view(e, static_cast<std::size_t>(field), views);
  for (const auto *paths : {&self_paths_, &repeats_})
    for (const Path &path : *paths) put_own_view(path, static_cast<std::size_t>(field), views);
  return Status::ok;
}

/// Every direction shows my own array, until somebody is found who fills it.
void Halo::list_own(std::size_t f, hlc_view *views) const {
  const Field &field = fields_[f];
  for (int v = 0; v < HLC_DIRECTIONS(ndims_); ++v) {
    const Box box = extents_.box(v + HLC_DIRECTIONS(HLC_MAX_DIMS) / 2 - HLC_DIRECTIONS(ndims_) / 2);
    views[v] = {field.data + box_offset(box, field.strides), {}, {}, v == HLC_DIRECTIONS(ndims_) / 2 ? context_.rank() : HLC_NO_NEIGHBOUR};
    std::copy(box.count.begin(), box.count.end(), views[v].count);
    std::copy(field.strides.begin(), field.strides.end(), views[v].stride_bytes);
    if (staged_ && views[v].rank == HLC_NO_NEIGHBOUR) views[v].rank = staged_->rank_of(v);
  }
}

void Halo::put_view(std::size_t e, std::size_t f, hlc_view *views) const {
  const Path &path = paths_[e];
  if (path.direction.halo.cells() == 0) return;
  hlc_view &view = views[direction_index(path.direction.v, ndims_)];
  view.rank = path.direction.rank;
  if (!exchange_.views_out()) return;
  const Shown &shown = views_->shown[e * fields_.size() + f];
  view.data = shown.data;
  std::copy(shown.strides.begin(), shown.strides.end(), view.stride_bytes);
}

/// Around a block that is its own neighbour lie its own cells of the other side; those of a halo that repeats another belong to that one's rank.
void Halo::put_own_view(const Path &path, std::size_t f, hlc_view *views) const {
  hlc_view &view = views[direction_index(path.direction.v, ndims_)];
  view.rank = path.direction.rank;
  if (exchange_.views_out()) view.data = is_swapped(path, f) ? path.moves[f].peer_edge : nullptr;
}

bool Halo::is_swapped(const Path &path, std::size_t f) const {
  return path.active && path.moves[f].halo_bytes > 0 && std::find(swapped_.begin(), swapped_.end(), static_cast<int>(f)) != swapped_.end();
}

}  // namespace halocline
