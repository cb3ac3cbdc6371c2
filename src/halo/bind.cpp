// Binding a stage's fields to other arrays when a swap starts. The addresses of this rank's cells are computed anew. Those of neighbours
// that are read directly are computed once they have sent the places of their fields.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "halo/stage.hpp"

namespace halocline::core {

void Stage::make_bindings() {
  const std::size_t n = tables_.fields.size(), paths = tables_.paths.size();
  bindings_ = std::make_unique<Bindings>();
  for (const HaloField &field : tables_.fields) bindings_->planned.push_back(field.data);
  bindings_->wanted = bindings_->planned;
  bindings_->reach.resize(paths * n);
  bindings_->held.reserve((paths + 1) * n);
  exchange_.places().resize(n);
}

/// Binds the fields that a swap moves, all or none: to the arrays in data, else to the spec's. Sets *moved if an array is not that of the
/// last swap.
Status Stage::bind(const hlc_swap *what, void *const *data, bool *moved) {
  Bindings &now = *bindings_;
  abandon();
  now.wanted = now.planned;
  const int listed = what ? what->nfields : 0, count = listed > 0 ? listed : static_cast<int>(tables_.fields.size());
  for (int i = 0; data && i < count; ++i) {
    const int f = listed > 0 ? what->fields[i] : i;
    if (data[f]) now.wanted[static_cast<std::size_t>(f)] = static_cast<char *>(data[f]);
  }
  for (int i = 0; now.is_read && i < count; ++i) {
    const Status held = hold(static_cast<std::size_t>(listed > 0 ? what->fields[i] : i));
    if (failed(held)) abandon();
    HLC_TRY(held);
  }
  for (std::size_t f = 0; f < tables_.fields.size(); ++f) {
    *moved = *moved || tables_.fields[f].data != now.wanted[f];
    tables_.fields[f].data = now.wanted[f];
  }
  if (*moved) aim_all(tables_);
  return Status::ok;
}

/// Where a neighbour finds a field of mine in the swap that is being started.
Status Stage::hold(std::size_t f) {
  Bindings &now = *bindings_;
  FieldPlace &place = exchange_.places()[f];
  place = fields_.hold(now.wanted[f], tables_.fields[f].extent);
  if (place.serial < 0)
    return fail(
        Status::argument,
        "hlc_halo_start_with on rank %d: data[%zu], for field '%s', must lie in memory from hlc_field_alloc, as the spec's array does, "
        "because neighbours read it there",
        communicator_.rank(), f, tables_.fields[f].name.c_str());
  now.held.push_back({place.serial, communicator_.member(), now.wanted[f] - place.offset});
  return Status::ok;
}

/// The swap is over: its arrays may be released.
void Stage::abandon() {
  for (const Bindings::Held &held : bindings_->held) fields_.use(held.serial, -1);
  bindings_->held.clear();
}

/// Finds the neighbour's cells from the places of its fields in this swap.
Status Stage::found(int edge, std::span<const FieldPlace> places) {
  const auto e = static_cast<std::size_t>(edge);
  const std::size_t n = tables_.fields.size();
  const Member member = exchange_.plan().edges[e].member;
  for (const int number : tables_.swapped) {
    const auto f = static_cast<std::size_t>(number);
    char *part = borrow(places[f].serial, member);
    if (!part) return refuse_place(tables_.paths[e], f);
    if (check_ && places[f].serial != exchange_.places()[f].serial) check_->found_other_array(tables_.paths[e], f);
    HaloMove &move = tables_.paths[e].moves[f];
    move.peer_halo = part + places[f].offset + bindings_->reach[e * n + f].halo;
    move.peer_edge = part + places[f].offset + bindings_->reach[e * n + f].edge;
  }
  if (!tables_.reverse) copies_.aim(e);
  return Status::ok;
}

/// A member's part of a field's memory, held until the swap is over; NULL if this rank no longer has it.
char *Stage::borrow(std::int64_t serial, Member member) {
  std::vector<Bindings::Held> &held = bindings_->held;
  const auto known =
      std::find_if(held.begin(), held.end(), [&](const Bindings::Held &h) { return h.serial == serial && h.member == member; });
  if (known != held.end()) return known->part;
  char *part = fields_.borrow(serial, member);
  if (part) held.push_back({serial, member, part});
  return part;
}

Status Stage::refuse_place(const HaloPath &path, std::size_t f) const {
  return fail(Status::state, "rank %d: fields[%zu] '%s' of rank %d lies in memory from an hlc_field_alloc that rank %d has freed",
              communicator_.rank(), f, tables_.fields[f].name.c_str(), path.direction.rank, communicator_.rank());
}

}  // namespace halocline::core
