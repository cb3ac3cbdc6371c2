// Binding a halo's fields when a swap starts, and finding those of its neighbours.
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/bindings.hpp"

#include <algorithm>
#include <utility>

namespace halocline::core {
namespace {

/// Calls visit(field) for each field that a swap moves, until it fails.
template <class Visit>
Status for_each_moved(const hlc_swap *what, std::size_t nfields, Visit visit) {
  const bool listed = what && what->nfields > 0;
  for (std::size_t i = 0; i < (listed ? static_cast<std::size_t>(what->nfields) : nfields); ++i)
    HLC_TRY(visit(listed ? static_cast<std::size_t>(what->fields[i]) : i));
  return Status::ok;
}

}  // namespace

Bindings::Bindings(HaloTables &tables, const Topology &topology, Fields &fields, std::vector<FieldPlace> &places)
    : tables_(tables), topology_(topology), fields_(fields), places_(places) {
  const std::size_t n = tables_.fields.size(), paths = tables_.paths.size();
  for (const HaloField &field : tables_.fields) planned_.push_back(field.data);
  wanted_ = planned_;
  reach_.resize(paths * n);
  held_.reserve((paths + 1) * n);
  held_before_.reserve((paths + 1) * n);
  places_.resize(n);
}

Status Bindings::bind(const hlc_swap *what, void *const *data, bool *moved) {
  wanted_ = planned_;
  const std::size_t n = tables_.fields.size();
  HLC_TRY(for_each_moved(what, n, [&](std::size_t f) {
    if (data && data[f]) wanted_[f] = static_cast<char *>(data[f]);
    return Status::ok;
  }));
  // Views of the last swap may be out: they stay valid if this one is refused.
  std::swap(held_, held_before_);
  const Status held = is_read_ ? for_each_moved(what, n, [this](std::size_t f) { return hold(f); }) : Status::ok;
  if (failed(held)) std::swap(held_, held_before_);
  release(held_before_);
  HLC_TRY(held);
  for (std::size_t f = 0; f < n; ++f) {
    *moved = *moved || tables_.fields[f].data != wanted_[f];
    tables_.fields[f].data = wanted_[f];
  }
  if (*moved) aim_all(tables_);
  return Status::ok;
}

/// Where a neighbour finds a field of mine in the swap that is being started.
Status Bindings::hold(std::size_t f) {
  FieldPlace &place = places_[f];
  place = fields_.hold(wanted_[f], tables_.fields[f].extent);
  if (place.serial < 0)
    return fail(Status::argument,
                "hlc_halo_start_with on rank %d: data[%zu], for field '%s', must be in memory from hlc_field_alloc, as the spec's array "
                "is, because neighbours read it in place",
                topology_.rank(), f, tables_.fields[f].name.c_str());
  held_.push_back({place.serial, topology_.member(), wanted_[f] - place.offset});
  return Status::ok;
}

void Bindings::release(std::vector<Held> &some) {
  for (const Held &held : some) fields_.use(held.serial, -1);
  some.clear();
}

Status Bindings::find(std::size_t e, Member member, std::span<const FieldPlace> places) {
  HaloPath &path = tables_.paths[e];
  for (const int number : tables_.swapped) {
    const auto f = static_cast<std::size_t>(number);
    char *part = borrow(places[f].serial, member);
    if (!part)
      return fail(Status::state, "rank %d: fields[%zu] '%s' of rank %d is in an hlc_field_alloc block that rank %d has freed",
                  topology_.rank(), f, tables_.fields[f].name.c_str(), path.direction.rank, topology_.rank());
    const Reach &reach = reach_[e * tables_.fields.size() + f];
    const char *const array = part + places[f].offset;
    aim_at_peer(tables_.fields[f], path.direction, path.moves[f], array + reach.halo, array + reach.edge);
  }
  return Status::ok;
}

/// A member's part of a field's memory, held until the swap is over; NULL if this rank no longer has it.
char *Bindings::borrow(std::int64_t serial, Member member) {
  const auto known = std::find_if(held_.begin(), held_.end(), [&](const Held &h) { return h.serial == serial && h.member == member; });
  if (known != held_.end()) return known->part;
  char *part = fields_.borrow(serial, member);
  if (part) held_.push_back({serial, member, part});
  return part;
}

}  // namespace halocline::core
