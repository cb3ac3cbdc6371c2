// The copies of a halo's swaps: into messages and out of them, from neighbours that are read, and from myself; in reverse, the sums.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "exchange/channel.hpp"
#include "halo/copy.hpp"
#include "halo/tables.hpp"

namespace halocline::core {

class Copies {
 public:
  explicit Copies(const HaloTables &tables) : tables_(tables) {}

  /// Makes room for all copies of a swap. packs(edge): its cells go through a message, and are not read.
  template <class Packs>
  void make_room(Packs packs) {
    std::size_t packed = 0;
    for (std::size_t e = 0; e < tables_.paths.size(); ++e) packed += packs(static_cast<int>(e)) ? 1U : 0U;
    reserve(packed);
  }
  /// Lists what a swap copies, in the order in which it is used. A reverse swap has no lists.
  template <class Packs>
  void list(Packs packs) {
    forget();
    for (std::size_t e = 0; e < tables_.paths.size(); ++e) {
      begin_groups();
      packs(static_cast<int>(e)) ? list_messages(tables_.paths[e]) : list_pulls(tables_.paths[e]);
    }
    list_own();
  }
  /// An edge that is read: the neighbour's fields are at other addresses than before.
  void aim(std::size_t edge);

  void pack(int edge, void *buffer, bool past_caches);
  void unpack(int edge, const void *buffer);
  /// Of a forward swap: the copies from neighbours that are read, a group per edge; those to myself.
  CopyTable &pulls() { return pulls_; }
  std::span<BoundCopy> own() { return pulls_.groups_from(tables_.paths.size()); }
  /// Of a reverse swap: adds the halos of neighbours that are read to my edges, but not those on a device; zeroes my halo.
  void add_halos(Edges edges);
  /// The same of fields on a device, of one such neighbour: adds its halos, which are where the images of my halos are.
  void add_images(const HaloPath &path);
  void clear_halo();
  /// Paths inside my own arrays: copies their cells, but not those on a device, or in reverse adds them.
  void copy_inside(std::span<const HaloPath> paths);
  std::int64_t memory_bytes() const { return pulls_.memory_bytes() + packs_.memory_bytes() + unpacks_.memory_bytes(); }

 private:
  void reserve(std::size_t packed);
  void forget();
  void begin_groups();
  void list_own();
  void list_pulls(const HaloPath &path);
  void list_messages(const HaloPath &path);
  void pack_halos(const HaloPath &path, char *message, bool past_caches) const;
  void add_message(const HaloPath &path, const char *message) const;

  const HaloTables &tables_;
  // Of a forward swap. pulls_ has a group per path: those of neighbours that are read, then those to myself. packs_ and unpacks_ have the
  // other paths.
  CopyTable pulls_, packs_, unpacks_;
};

}  // namespace halocline::core
