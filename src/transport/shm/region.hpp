// Shared memory of the ranks of one node: one object with a part per rank, mapped completely by each. Here are the steps of one process;
// the engine combines them into a collective (engine/memory/node_memory.cpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <vector>

#include "transport/shm/late_pages.hpp"
#include "transport/shm/promise.hpp"
#include "transport/transport.hpp"

namespace halocline::core::transport::shm {

/// How the other processes of the node open an object: through the open file of its maker, or by a name in /dev/shm. Plain bytes, to be
/// sent as they are.
struct ObjectAddress {
  pid_t maker = 0;
  int file = -1;
  dev_t device = 0;
  ino_t inode = 0;
  char name[64] = "";  // "": it has none
};

/// When a part gets its pages.
///
/// - reserved: at once, from its owner.
/// - huge: so, too, in huge pages where the kernel can make them (base/pages.hpp).
/// - promised: a large part when they are touched, in the owner's memory, whichever rank touches them. Until then processes of the machine that ask
///   for room leave as much to it (promise.hpp).
/// - untouched: when they are touched, in the memory of the core that does so. Room is looked for, and not promised.
enum class Pages { reserved, untouched, huge, promised };

/// Memory with one part per rank of the node. Move-only; the destructor unmaps and closes. Functions that may fail return an errno or 0.
/// Only reserve allocates, or lay_out without it.
///
///   object: | part of member 0 ... | part of member 1 ... | ... |     each part starts on a page and is zero at first
///
/// Pages are reserved or promised at creation: so a full /dev/shm is an error then and no signal later.
class Region {
 public:
  Region() = default;
  Region(Region &&other) noexcept;
  Region &operator=(Region &&other) noexcept;
  ~Region();

  /// The bytes of a part, rounded up to pages; at least one page, because an empty mapping is not possible. Up to huge pages if asked for
  /// and if that adds an eighth at most, or as much again where nothing touches it.
  static std::int64_t rounded(std::int64_t bytes, Pages pages = Pages::reserved);
  /// Allocates the table of parts; the only call that allocates.
  void reserve(int members) { offsets_.reserve(static_cast<std::size_t>(members) + 1); }
  /// Lays out the parts one after the other.
  void lay_out(const std::vector<std::int64_t> &part_bytes);

  /// Creates the object, accessible to this user only. Without a name a crash at any moment leaves nothing behind. But the others can open
  /// it only if they may access this process's /proc.
  int make_nameless(ObjectAddress &address);
  /// Creates it under an unguessable name. To be unlinked as soon as all have opened it
  /// (open_or_name, engine/memory/node_memory.cpp).
  int make_named(ObjectAddress &address);
  /// Opens the object that another process has created.
  int open(const ObjectAddress &address);
  /// The address by which others open the object through this process, without a name, while its file is open here.
  int describe(ObjectAddress &address) const;
  /// Removes the name, if there is one.
  static void unlink(const ObjectAddress &address);
  /// Promises room for an object that is to be mapped with Pages::promised, if any part is large; one process does so, and keeps the file open.
  int promise();
  /// Maps all parts, and reserves my own if its pages are to be there at once; without an object it maps anonymous memory.
  int map(Member me, Pages pages = Pages::reserved);
  /// Maps the laid out bytes of an object that others have created, from an offset of whole pages. Reserves nothing.
  int map_from(std::int64_t place);
  /// Lets a missing page of what is mapped be explained before it ends the process. `rank`: of this process.
  void explain_missing_pages(int rank) { late_.watch(base_, bytes(), rank); }
  /// Closes the file, unless room is promised; the mapping keeps the object.
  void close();
  /// Releases the object and maps private memory in its place, zero at first and allocated on first touch. For addresses that may still be
  /// written to.
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
  int reserve_part(Member me, Pages pages);
  void close_file();

  LatePages late_;
  Promise promise_;
  char *base_ = nullptr;
  int file_ = -1;
  std::vector<std::int64_t> offsets_;  // per member, and the end
};

static_assert(RegionContract<Region>);

}  // namespace halocline::core::transport::shm
