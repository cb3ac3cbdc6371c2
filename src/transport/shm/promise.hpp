// Room in /dev/shm for objects whose pages are taken when they are touched. tmpfs has no reservation but the pages themselves, so processes tell
// each other what they have promised, and each counts that before it takes more (docs/design/053-late-pages.md).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>

namespace halocline::core::transport::shm {

/// The promise of room for one object. Every process of the machine sees it, until the object is freed or the process has ended: it is a lock
/// of bytes of the directory /dev/shm, which nothing waits for and which the kernel removes. Move-only; any thread.
class Promise {
 public:
  Promise() = default;
  Promise(Promise &&other) noexcept { *this = std::move(other); }
  Promise &operator=(Promise &&other) noexcept {
    std::swap(directory_, other.directory_);
    return *this;
  }
  ~Promise() { withdraw(); }

  /// Promises that an object has room for `bytes`, which is its size. Its file stays open until the promise is withdrawn: by it others see
  /// which pages are there already. Returns an errno or 0; ENOSPC if there is not so much room beside what is promised.
  int make(int file, std::int64_t bytes);
  void withdraw();
  bool is_made() const { return directory_ >= 0; }

 private:
  int directory_ = -1;
};

/// Room in /dev/shm that is promised to objects of all processes, and not taken yet.
std::int64_t promised_bytes();
/// Returns ENOSPC if the file's file system has no room for so many bytes beside what is promised, else another errno or 0.
int look_for_room(int file, std::int64_t bytes);

}  // namespace halocline::core::transport::shm
