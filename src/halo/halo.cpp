// The running of a halo: which part of it a swap moves, and the copies themselves. Planning stands in plan.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/check.hpp"
#include "halo/staged.hpp"

#include <algorithm>
#include <cstdlib>

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

Status Halo::check_swap(const char *call, const hlc_swap &what) const {
  const int me = context_.rank();
  HLC_TRY(check_field_list(call, me, what, static_cast<int>(fields_.size())));
  if (what.one_dim && staged_)
    return fail(Status::unsupported, "%s on rank %d: one_dim is set, but a staged halo swaps all its dimensions", call, me);
  if (what.one_dim && (what.dim < 0 || what.dim >= ndims_))
    return fail(Status::argument, "%s on rank %d: dim is %d, it must be 0 to %d", call, me, what.dim, ndims_ - 1);
  if (what.side < HLC_SIDE_BOTH || what.side > HLC_SIDE_HIGH)
    return fail(Status::argument, "%s on rank %d: side is %d, it must be HLC_SIDE_BOTH (%d), HLC_SIDE_LOW (%d) or HLC_SIDE_HIGH (%d)", call,
                me, static_cast<int>(what.side), HLC_SIDE_BOTH, HLC_SIDE_LOW, HLC_SIDE_HIGH);
  if (!what.one_dim && what.side != HLC_SIDE_BOTH)
    return fail(Status::argument, "%s on rank %d: side is %d; a side needs one_dim", call, me, static_cast<int>(what.side));
  return check_addable(call, me, what, fields_, [](const Field &field) { return field.type; });
}

Status Halo::start(const hlc_swap *what) { return begin("hlc_halo_start", what); }

/// The call is for messages.
Status Halo::begin(const char *call, const hlc_swap *what) {
  HLC_TRY(exchange_.may_start(call, state()));
  if (what) HLC_TRY(check_swap(call, *what));
  HLC_TRY(check_given(what));
  if (what && what->reverse && exchange_.views_out())
    return exchange_.bad_call(call,
                              "views of the last swap are out, and a reverse swap writes what they show; call hlc_halo_release first");
  if (staged_) return staged_->start(what, given_);
  bool moved = false;
  if (bindings_) HLC_TRY(bind(what, &moved));
  set_swap(what);
  if (moved) list_copies();
  if (reverse_) copy_inside(repeats_);
  return exchange_.start([&] { return check_->start(what); });
}

Status Halo::test() {
  HLC_TRY(exchange_.may_go_on("hlc_halo_test", state()));
  return staged_ ? staged_->test() : exchange_.test();
}

Status Halo::finish() {
  HLC_TRY(exchange_.may_go_on("hlc_halo_finish", state()));
  return staged_ ? staged_->finish() : exchange_.finish();
}

Looks *Halo::looks() { return check_.get(); }

void Halo::set_swap(const hlc_swap *what) {
  // However it is said: all fields may be listed, and in one dimension both sides are all there is.
  const bool all_fields = !what || what->nfields == 0 || what->nfields == static_cast<int>(fields_.size());
  const bool all_sides = !what || !what->one_dim || (ndims_ == 1 && what->side == HLC_SIDE_BOTH);
  const bool everything = all_fields && all_sides && !(what && what->reverse);
  if (everything && everything_) return;
  everything_ = everything;
  reverse_ = what && what->reverse;

  list_swapped(what, fields_.size(), swapped_);
  set_parts(what);
  list_copies();
  exchange_.set_round(everything, reverse_);
}

/// What a swap copies stands in tables, in the order in which it is used. A reverse swap has none.
void Halo::list_copies() {
  for (CopyTable *table : {&pulls_, &packs_, &unpacks_}) table->clear();
  for (std::size_t e = 0; e < paths_.size(); ++e) {
    for (CopyTable *table : {&pulls_, &packs_, &unpacks_}) table->begin_group();
    const bool packs = exchange_.packs(static_cast<int>(e));
    if (packs || check_) list_messages(paths_[e]);
    if (!packs) list_pulls(paths_[e]);
  }
  for (const Path &path : self_paths_) {
    pulls_.begin_group();
    list_pulls(path);
  }
}

void Halo::list_pulls(const Path &path) {
  if (!path.active || reverse_) return;
  for (const int f : swapped_) {
    const Move &move = path.moves[static_cast<std::size_t>(f)];
    if (move.halo_bytes > 0) pulls_.add(bind_copy(move.halo, move.peer_edge, move.pull_halo));
  }
}

/// Into the message to the neighbour, and out of the one from it.
void Halo::list_messages(const Path &path) {
  if (reverse_) return;
  std::int64_t out = 0, in = 0;
  for (const int number : swapped_) {
    const auto f = static_cast<std::size_t>(number);
    const Move &move = path.moves[f];
    out = aligned(out, f);
    in = aligned(in, f);
    if (move.edge_bytes > 0) packs_.add(bind_to_message(out, move.edge, move.pack_edge));
    if (move.halo_bytes > 0) unpacks_.add(bind_from_message(move.halo, in, move.unpack_halo));
    out += move.edge_bytes;
    in += move.halo_bytes;
  }
}

void Halo::set_parts(const hlc_swap *what) {
  for (auto *paths : {&self_paths_, &repeats_})
    for (Path &path : *paths) path.active = role_of(path.direction.v, what).fills;
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    const Role role = role_of(paths_[i].direction.v, what);
    paths_[i].active = role.fills;
    std::int64_t halo = 0, edge = 0;
    for (const int number : swapped_) {
      const auto f = static_cast<std::size_t>(number);
      halo = aligned(halo, f) + paths_[i].moves[f].halo_bytes;
      edge = aligned(edge, f) + paths_[i].moves[f].edge_bytes;
    }
    if (!role.fills) halo = 0;
    if (!role.gives) edge = 0;
    exchange_.parts()[i] = reverse_ ? Part{halo, edge} : Part{edge, halo};
  }
}

void Halo::pack(int edge, void *buffer, bool past_caches) {
  const auto e = static_cast<std::size_t>(edge);
  auto *message = static_cast<char *>(buffer);
  if (reverse_) return pack_halos(paths_[e], message, past_caches);
  pack_copies(packs_.groups(e, e + 1), message, past_caches);
}

void Halo::unpack(int edge, const void *buffer) {
  const auto e = static_cast<std::size_t>(edge);
  const auto *message = static_cast<const char *>(buffer);
  if (reverse_) return add_message(paths_[e], message);
  unpack_copies(unpacks_.groups(e, e + 1), message);
}

void Halo::pack_halos(const Path &path, char *message, bool past_caches) const {
  const auto copy_cells = past_caches ? copy_past_caches : copy;
  std::int64_t offset = 0;
  for (const int number : swapped_) {
    const auto f = static_cast<std::size_t>(number);
    const Move &move = path.moves[f];
    offset = aligned(offset, f);
    copy_cells(message + offset, move.halo, move.pack_halo);
    offset += move.halo_bytes;
  }
}

/// Adds what the neighbour's halo held to my edge.
void Halo::add_message(const Path &path, const char *message) const {
  std::int64_t offset = 0;
  for (const int number : swapped_) {
    const auto f = static_cast<std::size_t>(number);
    const Move &move = path.moves[f];
    offset = aligned(offset, f);
    add(move.edge, message + offset, move.add_edge, fields_[f].type);
    offset += move.edge_bytes;
  }
}

void Halo::pull(int edge) { pull_several({&edge, 1}); }

/// Edges that follow each other have their copies one behind the other.
void Halo::pull_several(Edges edges) {
  for (std::size_t first = 0, end = 0; first < edges.size(); first = end) {
    const auto e = static_cast<std::size_t>(edges[first]);
    while (end < edges.size() && static_cast<std::size_t>(edges[end]) == e + (end - first)) ++end;
    run_copies(pulls_.groups(e, e + (end - first)));
  }
  for (std::size_t i = 0; reverse_ && i < edges.size(); ++i) add_halos(paths_[static_cast<std::size_t>(edges[i])]);
}

/// All neighbours' cells have come, or have been taken.
void Halo::end_round() {
  reverse_ ? clear_halo() : copy_inside(repeats_);
  if (bindings_) let_go();
}

void Halo::copy_to_myself() {
  run_copies(pulls_.groups(paths_.size(), paths_.size() + self_paths_.size()));
  if (reverse_) copy_inside(self_paths_);
}

/// For a path to myself, peer_edge is my own edge on the other side: the halo takes its values, or gives them back. For a repeat it lies in
/// another halo of mine.
void Halo::copy_inside(const std::vector<Path> &paths) {
  for (const Path &path : paths) {
    if (!path.active) continue;
    for (const int f : swapped_) {
      const Move &move = path.moves[static_cast<std::size_t>(f)];
      if (reverse_)
        add(const_cast<char *>(move.peer_edge), move.halo, move.pull_edge, fields_[static_cast<std::size_t>(f)].type);
      else
        copy(move.halo, move.peer_edge, move.pull_halo);
    }
  }
}

/// Adds what the neighbour's halo holds to my edge.
void Halo::add_halos(const Path &path) {
  for (const int f : swapped_) {
    const Move &move = path.moves[static_cast<std::size_t>(f)];
    add(move.edge, move.peer_halo, move.pull_edge, fields_[static_cast<std::size_t>(f)].type);
  }
}

void Halo::clear_halo() {
  for (const auto *paths : {&paths_, &self_paths_, &repeats_})
    for (const Path &path : *paths)
      if (path.active)
        for (const int f : swapped_)
          clear(path.moves[static_cast<std::size_t>(f)].halo, path.moves[static_cast<std::size_t>(f)].unpack_halo);
}

}  // namespace halocline
