// What is known of an index halo: its fields, its lists, and which of them the running swap moves. The halo runs on these tables, check
// mode reads them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "engine/memory/fields.hpp"
#include "index_halo/entries.hpp"

namespace halocline::core {

struct IndexField {
  EntryKind kind;
  EntryLayout layout;
  FieldPlace place;
  std::string name;  // for messages
  std::int64_t extent = 0;  // bytes
  int device = -1;  // in whose memory it is; -1: the host's
  char *on_device = nullptr;  // then where, and the layout is that of its image in the host's memory

  /// As the program has it.
  EntryLayout given() const { return {on_device ? on_device : layout.data, layout.entry, layout.component}; }

  /// The offset of the field in a message, behind the fields before it. It is aligned where the field is shown there.
  std::int64_t aligned(std::int64_t offset) const { return round_up(offset, std::min<std::int64_t>(kind.element & -kind.element, 16)); }
};

/// A neighbour's array of one field, where it can be read.
struct IndexPeerField {
  std::int64_t serial = -1, offset = 0;  // its place in the node's fields
  EntryLayout layout;  // as this process sees it
};

/// The runs of a list in my array, and the stretch of it that has them all.
struct EntryStretch {
  std::vector<EntryRun> runs;
  std::int64_t first = 0, count = 0;
};

/// One entry of the list of neighbours. If it names another rank, the maps lead to a buffer, or to the neighbour's array where that is read
/// directly. If it names this rank, they lead to my own array.
struct IndexLink {
  int rank = 0, tag_out = 0, tag_in = 0;
  int entry = 0;  // its index in the list
  Indices out, in;
  EntryMap out_map, in_map;
  Indices shown;  // mode view: where the neighbour has what I receive
  std::vector<IndexPeerField> fields;  // the neighbour's; none where it is not read directly
  std::vector<const char *> data;  // mode view: per field, where the last swap shows its values; NULL: it did not move them
  std::vector<hlc_index_run> runs, own_runs;  // of its views, in that place and in my ghosts; found when first asked for
  EntryStretch out_stretch, in_stretch;  // only where fields are in a device's memory
  // Of a neighbour whose fields in a device's memory are read in place: my ghosts and its entries; its ghosts of my entries, and their places in a
  // message; my entries, and their places there.
  std::vector<EntryRun> pulled, peer_ghosts;
  EntryMap added;
  bool in_buffer = false;  // the last swap shows its values in a buffer
};

struct IndexTables {
  std::int64_t entries = 0;
  std::vector<IndexField> fields;
  std::vector<IndexLink> links;  // to other ranks; link i is edge i of the exchange
  std::vector<IndexLink> self_links;  // to myself: in_map and out_map lead from the entries of one list to those that another sends

  std::vector<int> swapped;  // fields of the running swap
  bool reverse = false;

  /// Bytes of a message of this number of entries of these fields.
  std::int64_t message_bytes(std::int64_t count, const std::vector<int> &of) const;
};

}  // namespace halocline::core
