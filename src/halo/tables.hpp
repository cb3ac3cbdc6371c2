// What is known of the cells of a halo: its fields, the paths of its cells, and which of them the running swap moves. A stage runs on these
// tables, check mode reads them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/atomics.hpp"
#include "engine/memory/exposed.hpp"
#include "engine/memory/fields.hpp"
#include "halo/geometry.hpp"

namespace halocline::core {

/// A field as the halo sees it.
struct HaloField {
  char *data = nullptr;
  hlc_type type = HLC_OPAQUE;
  std::int64_t element = 0, extent = 0;  // extent: bytes from the first to behind the last
  Strides strides{};
  std::array<int, kMaxDims> order{};
  Extents extents;
  FieldPlace place;
  ExposedAddress exposed;  // of an array of the caller's own
  int device = -1;  // in whose memory it is; device::kHost: the host's
  std::string name;  // for messages
};

/// One field's cells of one direction, and the copies that a swap makes of them.
struct HaloMove {
  Box halo_box, edge_box;  // of my array
  Box source;  // to myself and of repeats only: the cells of my array that fill the halo
  std::int64_t most = kWholeDepth;  // halo cells per side in these boxes
  char *halo = nullptr, *edge = nullptr;  // my cells; of a field on a device, their images
  char *halo_image = nullptr, *edge_image = nullptr;  // on the host, packed, of cells on a device; NULL otherwise
  const char *peer_halo = nullptr, *peer_edge = nullptr;  // the neighbour's, where they can be read
  const char *peer_whole_halo = nullptr, *peer_whole_edge = nullptr;  // the same of swaps of the whole depth
  Strides peer_strides{};
  std::int64_t halo_bytes = 0, edge_bytes = 0;
  BoxCopy pack_edge, unpack_halo, pack_halo, add_edge;  // through a buffer, forwards and in reverse
  BoxCopy pull_halo, pull_edge;  // read directly, forwards and in reverse
};

/// A direction with its moves, one per field.
struct HaloPath {
  Direction direction;
  std::vector<HaloMove> moves;
  bool active = true;  // fills my halo in the running swap
  bool to_self = false;
};

struct HaloTables {
  int ndims = 0;
  Cells grown{};  // low halo cells that count as block here, see Stage
  std::vector<HaloField> fields;
  std::vector<HaloPath> paths;  // to other ranks; path i is edge i of the exchange
  std::vector<HaloPath> self_paths;  // to myself; peer_* point into my own fields
  std::vector<HaloPath> repeats;  // halos that repeat cells of another of my halos, once that has been filled

  std::vector<int> swapped;  // fields of the running swap
  bool reverse = false;
  std::int64_t deepest = 0;  // halo cells per side, of the field with the deepest halo
  std::int64_t self_bytes = 0;  // to myself and in repeats, of a swap of everything
  std::int64_t most = kWholeDepth;  // halo cells per side of the running swap
  bool aligns = false;  // mode view: fields begin in messages at offsets aligned for their types

  /// The offset of a field in a message, behind the fields before it. It is aligned where the field is shown there.
  std::int64_t aligned(std::int64_t offset, std::size_t field) const {
    const std::int64_t element = fields[field].element;
    return aligns ? round_up(offset, std::min<std::int64_t>(element & -element, 16)) : offset;
  }
};

/// Whether a field is in a device's memory.
bool is_on_device(const HaloField &field);
/// The name of a field of a spec in messages.
std::string field_name(const hlc_halo_spec &spec, int field);
/// What a spec says of a field.
HaloField describe_field(const hlc_halo_spec &spec, int field);

/// Lists the paths for a rank of a spec whose fields are in the tables.
void list_paths(const hlc_halo_spec &spec, int rank, HaloTables &tables);
/// Recomputes this rank's cells of all paths, after fields have moved.
void aim_all(HaloTables &tables);
/// A neighbour's cells, of which those for a swap of the whole depth are given: where its halo and its edge that face me begin.
void aim_at_peer(const HaloField &field, const Direction &direction, HaloMove &move, const char *halo, const char *edge);
/// The fields of the running swap move at most so many halo cells per side. All paths have been listed.
void limit_depth(HaloTables &tables, std::int64_t most);

}  // namespace halocline::core
