// Binding a halo's fields to other arrays when a swap starts: addresses of this rank are found anew, and those of neighbours that are read
// directly when they have told where their fields lie.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "halo/check.hpp"
#include "halo/staged.hpp"

namespace halocline {

void Halo::make_bindings() {
  const std::size_t n = fields_.size(), paths = paths_.size();
  bindings_ = std::make_unique<Bindings>();
  for (const Field &field : fields_) bindings_->planned.push_back(field.data);
  bindings_->wanted = bindings_->planned;
  bindings_->reach.resize(paths * n);
  bindings_->held.reserve((paths + 1) * n);
  exchange_.places().resize(n);
}

Status Halo::start_with(const hlc_swap *what, void *const *data) {
  if (!bindings_ && !staged_ && data)
    return fail(Status::state,
                "hlc_halo_start_with on rank %d: hlc_halo_init was not told that swaps bring other arrays; set rebind in its spec",
                context_.rank());
  given_ = data;
  const Status started = begin("hlc_halo_start_with", what);
  given_ = nullptr;
  return started;
}

/// An array that is brought must end in the memory in which it begins. The list of fields has been checked.
Status Halo::check_given(const hlc_swap *what) const {
  const int listed = what ? what->nfields : 0, count = listed > 0 ? listed : static_cast<int>(fields_.size());
  for (int i = 0; given_ && i < count; ++i) {
    const int f = listed > 0 ? what->fields[i] : i;
    const Field &field = fields_[static_cast<std::size_t>(f)];
    if (given_[f])
      HLC_TRY(check_room(context_, "hlc_halo_start_with", given_[f], field.extent,
                         [&] { return indexed("data", f) + ", for field '" + field.name + "',"; }));
  }
  return Status::ok;
}

/// Binds the fields that a swap moves, all or none: to what was given, else to the spec's arrays. *moved: one lies elsewhere than in the last swap.
Status Halo::bind(const hlc_swap *what, bool *moved) {
  Bindings &now = *bindings_;
  let_go();
  now.wanted = now.planned;
  const int listed = what ? what->nfields : 0, count = listed > 0 ? listed : static_cast<int>(fields_.size());
  for (int i = 0; given_ && i < count; ++i) {
    const int f = listed > 0 ? what->fields[i] : i;
    if (given_[f]) now.wanted[static_cast<std::size_t>(f)] = static_cast<char *>(given_[f]);
  }
  for (int i = 0; now.is_read && i < count; ++i) {
    const Status held = hold(static_cast<std::size_t>(listed > 0 ? what->fields[i] : i));
    if (failed(held)) let_go();
    HLC_TRY(held);
  }
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    *moved = *moved || fields_[f].data != now.wanted[f];
    fields_[f].data = now.wanted[f];
  }
  if (*moved) aim_all();
  return Status::ok;
}

/// Where a neighbour finds a field of mine in the swap that is being started.
Status Halo::hold(std::size_t f) {
  Bindings &now = *bindings_;
  FieldPlace &place = exchange_.places()[f];
  place = context_.fields().hold(now.wanted[f], fields_[f].extent);
  if (place.serial < 0)
    return fail(
        Status::argument,
        "hlc_halo_start_with on rank %d: data[%zu], for field '%s', must lie in memory from hlc_field_alloc, as the spec's array does, "
        "because neighbours read it there",
        context_.rank(), f, fields_[f].name.c_str());
  now.held.push_back({place.serial, context_.member(), now.wanted[f] - place.offset});
  return Status::ok;
}

/// The swap is over: its arrays may be released.
void Halo::let_go() {
  for (const Bindings::Held &held : bindings_->held) context_.fields().use(held.serial, -1);
  bindings_->held.clear();
}

void Halo::aim_all() {
  for (Path &path : paths_) aim(path);
  for (auto *paths : {&self_paths_, &repeats_})
    for (Path &path : *paths) aim_at_myself(path);
}

/// Finds my cells of a path.
void Halo::aim(Path &path) const {
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const Field &field = fields_[f];
    path.moves[f].halo = field.data + box_offset(path.direction.halo, field.strides);
    path.moves[f].edge = field.data + box_offset(path.direction.edge, field.strides);
  }
}

void Halo::aim_at_myself(Path &path) const {
  aim(path);
  for (std::size_t f = 0; f < fields_.size(); ++f) path.moves[f].peer_edge = fields_[f].data + box_offset(path.source, fields_[f].strides);
}

/// Where the neighbour's fields lie in this swap.
Status Halo::found(int edge, std::span<const FieldPlace> places) {
  const auto e = static_cast<std::size_t>(edge);
  const std::size_t n = fields_.size();
  const Member member = exchange_.plan().edges[e].member;
  for (const int number : swapped_) {
    const auto f = static_cast<std::size_t>(number);
    char *part = borrow(places[f].serial, member);
    if (!part) return refuse_place(paths_[e], f);
    if (check_ && places[f].serial != exchange_.places()[f].serial) check_->found_other_array(paths_[e], f);
    Move &move = paths_[e].moves[f];
    move.peer_halo = part + places[f].offset + bindings_->reach[e * n + f].halo;
    move.peer_edge = part + places[f].offset + bindings_->reach[e * n + f].edge;
  }
  if (!reverse_) aim_copies(e);
  return Status::ok;
}

/// The table of copies has an entry for each field that an edge brings.
void Halo::aim_copies(std::size_t e) {
  std::size_t i = 0;
  const std::span<BoundCopy> copies = pulls_.groups(e, e + 1);
  for (const int f : swapped_) {
    const Move &move = paths_[e].moves[static_cast<std::size_t>(f)];
    if (paths_[e].active && move.halo_bytes > 0) copies[i++].from = move.peer_edge;
  }
}

/// A member's part of a field's memory, held until the swap is over; NULL if this rank has it no more.
char *Halo::borrow(std::int64_t serial, Member member) {
  std::vector<Bindings::Held> &held = bindings_->held;
  const auto known =
      std::find_if(held.begin(), held.end(), [&](const Bindings::Held &h) { return h.serial == serial && h.member == member; });
  if (known != held.end()) return known->part;
  char *part = context_.fields().borrow(serial, member);
  if (part) held.push_back({serial, member, part});
  return part;
}

Status Halo::refuse_place(const Path &path, std::size_t f) const {
  return fail(Status::state, "rank %d: fields[%zu] '%s' of rank %d lies in memory from an hlc_field_alloc that rank %d has freed",
              context_.rank(), f, fields_[f].name.c_str(), path.direction.rank, context_.rank());
}

}  // namespace halocline
