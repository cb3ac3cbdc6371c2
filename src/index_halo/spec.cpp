// Lists and layouts, one check after the other.
// SPDX-License-Identifier: BSD-3-Clause
#include "index_halo/spec.hpp"

#include <cstddef>
#include <string>
#include <tuple>

#include "base/types.hpp"
#include "exchange/tags.hpp"

namespace halocline::core {
namespace {

Status refuse(int rank, const std::string &sentence) {
  return fail(Status::argument, "hlc_index_halo_init on rank %d: %s", rank, sentence.c_str());
}

Status bad(int rank, const std::string &argument, std::int64_t value, const std::string &rule) {
  return refuse(rank, argument + " is " + std::to_string(value) + " but must be " + rule);
}

// ---------------------------------------------------------------- lists

struct List {
  std::string name;
  std::int64_t count;
  const std::int64_t *indices;
};

List in_list(const hlc_index_halo_spec &spec, int n) {
  return {indexed("neighbours", n) + ".in", spec.neighbours[n].nin, spec.neighbours[n].in};
}
List out_list(const hlc_index_halo_spec &spec, int n) {
  return {indexed("neighbours", n) + ".out", spec.neighbours[n].nout, spec.neighbours[n].out};
}

Status check_list(const hlc_index_halo_spec &spec, const List &list, int rank) {
  if (list.count < 0 || list.count > kMaxBytes) return bad(rank, "the length of " + list.name, list.count, "0 or more");
  if (list.count > 0 && !list.indices) return refuse(rank, list.name + " is NULL, but has " + std::to_string(list.count) + " entries");
  for (std::int64_t k = 0; k < list.count; ++k)
    if (list.indices[k] < 0 || list.indices[k] >= spec.nentries)
      return bad(rank, indexed(list.name, k), list.indices[k],
                 spec.nentries == 0 ? "left out: nentries is 0" : "0 to nentries - 1, which is " + std::to_string(spec.nentries - 1));
  return Status::ok;
}

Status check_neighbour(const hlc_index_halo_spec &spec, int n, int rank, int size) {
  const hlc_index_neighbour &neighbour = spec.neighbours[n];
  const std::string who = indexed("neighbours", n);
  if (neighbour.rank < 0 || neighbour.rank >= size) return bad(rank, who + ".rank", neighbour.rank, "0 to " + std::to_string(size - 1));
  if (neighbour.tag_out < 0) return bad(rank, who + ".tag_out", neighbour.tag_out, "0 or more");
  if (neighbour.tag_in < 0) return bad(rank, who + ".tag_in", neighbour.tag_in, "0 or more");
  // A list that is too long is not read: a wrong count would lead beyond the end of its memory.
  if (neighbour.nin > spec.nentries)
    return bad(rank, who + ".nin", neighbour.nin, "at most nentries, " + std::to_string(spec.nentries) + ": each entry is filled once");
  HLC_TRY(check_list(spec, out_list(spec, n), rank));
  return check_list(spec, in_list(spec, n), rank);
}

/// The first place of an index in the in lists.
std::string place_of(const hlc_index_halo_spec &spec, std::int64_t index) {
  for (int n = 0; n < spec.nneighbours; ++n) {
    const List list = in_list(spec, n);
    for (std::int64_t k = 0; k < list.count; ++k)
      if (list.indices[k] == index) return indexed(list.name, k);
  }
  return "";
}

/// A ghost has one owner, and no ghost is sent. Else a neighbour that reads directly might see it before or after it is filled.
Status check_ghosts(const hlc_index_halo_spec &spec, int rank) {
  std::vector<bool> is_ghost(static_cast<std::size_t>(spec.nentries));
  for (int n = 0; n < spec.nneighbours; ++n) {
    const List list = in_list(spec, n);
    for (std::int64_t k = 0; k < list.count; ++k) {
      const auto i = static_cast<std::size_t>(list.indices[k]);
      if (is_ghost[i])
        return refuse(rank, indexed(list.name, k) + " is " + std::to_string(i) + ", which " + place_of(spec, list.indices[k]) +
                                " fills already: a ghost has one owner");
      is_ghost[i] = true;
    }
  }
  for (int n = 0; n < spec.nneighbours; ++n) {
    const List list = out_list(spec, n);
    for (std::int64_t k = 0; k < list.count; ++k)
      if (is_ghost[static_cast<std::size_t>(list.indices[k])])
        return refuse(rank, indexed(list.name, k) + " is " + std::to_string(list.indices[k]) + ", a ghost that " +
                                place_of(spec, list.indices[k]) + " fills: only a rank's own entries can be sent");
  }
  return Status::ok;
}

// ---------------------------------------------------------------- fields

Status check_element(const hlc_index_field &field, const std::string &who, int rank) {
  const std::int64_t element = kind_of(field).element, own = type_bytes(field.type);
  if (field.type != HLC_OPAQUE && own == 0) return bad(rank, who + ": type", field.type, "an hlc_type");
  if (field.type == HLC_OPAQUE && (element < 1 || element > kMaxBytes))
    return bad(rank, who + ": element_bytes", element, "1 or more for type HLC_OPAQUE");
  if (own != 0 && field.element_bytes != 0 && field.element_bytes != static_cast<std::size_t>(own))
    return bad(rank, who + ": element_bytes", static_cast<std::int64_t>(field.element_bytes),
               "0 or " + std::to_string(own) + " for type " + type_name(field.type));
  if (field.components < 0 || field.components > kMaxBytes / element)
    return bad(rank, who + ": components", field.components, "0 or more, and no more than memory holds");
  return Status::ok;
}

/// Either the components fit within the entry's stride, or the entries within the component's.
Status check_strides(const hlc_index_halo_spec &spec, const hlc_index_field &field, const std::string &who, int rank) {
  const EntryKind kind = kind_of(field);
  const EntryLayout layout = layout_of(field);
  const bool several = spec.nentries > 1, vector = kind.components > 1;
  for (const auto &[name, stride, count] : {std::tuple{"entry_stride_bytes", layout.entry, spec.nentries},
                                            std::tuple{"component_stride_bytes", layout.component, kind.components}}) {
    if (count > 1 && stride < kind.element)
      return bad(rank, who + ": " + name, stride, "at least the bytes of an element, " + std::to_string(kind.element));
    if (count > 1 && stride > kMaxBytes / count) return bad(rank, who + ": " + name, stride, "so small that the field fits into memory");
  }
  const bool inside = layout.entry >= (kind.components - 1) * layout.component + kind.element;
  const bool blocks = layout.component >= (spec.nentries - 1) * layout.entry + kind.element;
  if (!several || !vector || inside || blocks) return Status::ok;
  return refuse(rank, who + ": entries overlap: entry_stride_bytes is " + std::to_string(layout.entry) + ", component_stride_bytes is " +
                          std::to_string(layout.component) + ", with " + std::to_string(kind.components) + " components of " +
                          std::to_string(kind.element) + " bytes and " + std::to_string(spec.nentries) + " entries");
}

/// Fields may be interleaved, as the members of a struct are; no two may begin at the same address.
Status check_apart(const hlc_index_halo_spec &spec, int f, int rank) {
  const hlc_index_field &field = spec.fields[f];
  const char *mine = static_cast<const char *>(field.data);
  for (int g = 0; g < f && spec.nentries > 0; ++g) {
    const char *other = static_cast<const char *>(spec.fields[g].data);
    if (mine < other + kind_of(spec.fields[g]).element && other < mine + kind_of(field).element)
      return refuse(rank, field_name(spec, g) + " and " + field_name(spec, f) + " overlap: their data are " + std::to_string(mine - other) +
                              " bytes apart");
  }
  return Status::ok;
}

Status check_field(const hlc_index_halo_spec &spec, int f, int rank) {
  const hlc_index_field &field = spec.fields[f];
  std::string who = field_name(spec, f);
  if (!field.data && spec.nentries > 0) return refuse(rank, who + ": data is NULL");
  HLC_TRY(check_element(field, who, rank));
  HLC_TRY(check_strides(spec, field, who, rank));
  return check_apart(spec, f, rank);
}

}  // namespace

std::string field_name(const hlc_index_halo_spec &spec, int f) {
  const char *name = spec.fields[f].name;
  return indexed("fields", f) + " '" + (name ? name : "(no name)") + "'";
}

EntryKind kind_of(const hlc_index_field &field) {
  const std::int64_t element = field.type == HLC_OPAQUE ? static_cast<std::int64_t>(field.element_bytes) : type_bytes(field.type);
  return {field.type, element, field.components == 0 ? 1 : field.components};
}

EntryLayout layout_of(const hlc_index_field &field) {
  const EntryKind kind = kind_of(field);
  EntryLayout layout{static_cast<char *>(field.data), field.entry_stride_bytes, field.component_stride_bytes};
  if (layout.component == 0) layout.component = kind.element;
  if (layout.entry == 0) layout.entry = field.component_stride_bytes == 0 ? kind.bytes() : kind.element;
  return layout;
}

std::int64_t field_extent(const hlc_index_halo_spec &spec, const hlc_index_field &field) {
  if (spec.nentries == 0) return 0;
  const EntryKind kind = kind_of(field);
  const EntryLayout layout = layout_of(field);
  return (spec.nentries - 1) * layout.entry + (kind.components - 1) * layout.component + kind.element;
}

Status check_spec(const hlc_index_halo_spec *spec, int rank, int size) {
  if (!spec) return refuse(rank, "spec is NULL");
  if (spec->nentries < 0 || spec->nentries > kMaxBytes) return bad(rank, "nentries", spec->nentries, "0 or more");
  if (spec->nneighbours < 0) return bad(rank, "nneighbours", spec->nneighbours, "0 or more");
  if (spec->nneighbours > 0 && !spec->neighbours) return refuse(rank, "spec.neighbours is NULL");
  for (int n = 0; n < spec->nneighbours; ++n) HLC_TRY(check_neighbour(*spec, n, rank, size));
  HLC_TRY(check_tags("hlc_index_halo_init", rank, spec->neighbours, spec->nneighbours));
  HLC_TRY(check_ghosts(*spec, rank));
  if (spec->nfields < 1) return bad(rank, "nfields", spec->nfields, "1 or more");
  if (!spec->fields) return refuse(rank, "spec.fields is NULL");
  for (int f = 0; f < spec->nfields; ++f) HLC_TRY(check_field(*spec, f, rank));
  return Status::ok;
}

}  // namespace halocline::core
