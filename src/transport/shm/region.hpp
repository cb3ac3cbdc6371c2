// Shared memory of the ranks of one node: one object with a part per rank, mapped whole by each. What one process does of it stands here;
// the engine brings the processes together (engine/memory/node_memory.cpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <vector>

#include "transport/transport.hpp"

namespace halocline::transport::shm {

/// How the other processes of the node reach an object: through the open file of its maker, or by a name in /dev/shm. Plain bytes, to be
/// sent as they are.
struct ObjectAddress {
  pid_t maker = 0;
  int file = -1;
  dev_t device = 0;
  ino_t inode = 0;
  char name[64] = "";  // "": it has none
};

/// Whether the owner of a part takes its pages at once.
enum class Pages { reserved, untouched };

/// Memory with one part per rank of the node. Move-only; unmaps and closes when it goes. Functions that may fail return an errno, 0 if all
/// went well, and allocate nothing but lay_out.
///
///   object: | part of member 0 ... | part of member 1 ... | ... |     each part starts on a page, holds zeros at first
///
/// Pages are reserved at creation, by the rank that owns the part: a full /dev/shm is an error then and never a signal later.
class Region {
 public:
  Region() = default;
  Region(Region &&other) noexcept;
  Region &operator=(Region &&other) noexcept;
  ~Region();

  /// The bytes of a part, rounded up to pages; one page at least, so that there is something to map.
  static std::int64_t rounded(std::int64_t bytes);
  /// Makes room for the places of so many parts; the one call that allocates.
  void reserve(int members) { offsets_.reserve(static_cast<std::size_t>(members) + 1); }
  /// Lays out the parts, one behind the other.
  void lay_out(const std::vector<std::int64_t> &part_bytes);

  /// Makes the object, readable by this user alone. Without a name a crash at any moment leaves nothing behind; but the others can only
  /// open it if they may look into this process's /proc.
  int make_nameless(ObjectAddress &address);
  /// Makes it under a name that nobody can guess. To be unlinked as soon as all have opened it.
  int make_named(ObjectAddress &address);
  /// Opens what another process has made.
  int open(const ObjectAddress &address);
  /// How others reach the object through this process, while its file is open here. They open it, and need no name.
  int describe(ObjectAddress &address) const;
  /// Removes the name, if there is one.
  static void unlink(const ObjectAddress &address);
  /// Reserves my part and maps all; without an object that was made or opened: memory of this process alone. With Pages::untouched nothing is reserved: each
  /// page lies on the memory of the core that touches it first, and it is only looked whether there is room for them now.
  int map(Member me, Pages pages = Pages::reserved);
  /// Maps the laid out bytes of an object that others have made, from a place that is a whole number of pages. Reserves nothing.
  int map_from(std::int64_t place);
  /// The mapping holds the object; its file is needed no more.
  void close();
  /// Lets go of the object: in its place comes memory of this process alone, zeros at first and none taken until it is touched. For addresses that
  /// somebody may still write to.
  void abandon();

  bool mapped() const { return base_ != nullptr; }
  std::int64_t bytes() const { return offsets_.empty() ? 0 : offsets_.back(); }
  /// First byte of a member's part, in this process's address space.
  char *part(Member member) const { return base_ + offsets_[static_cast<std::size_t>(member)]; }
  /// Bytes of a member's part, rounded up to pages.
  std::int64_t part_bytes(Member member) const {
    return offsets_[static_cast<std::size_t>(member) + 1] - offsets_[static_cast<std::size_t>(member)];
  }

 private:
  int resize_and_describe(ObjectAddress &address);

  char *base_ = nullptr;
  int file_ = -1;
  std::vector<std::int64_t> offsets_;  // per member, and the end
};

static_assert(RegionContract<Region>);

}  // namespace halocline::transport::shm
