// Private memory of a process that others of its node map with the kernel module XPMEM. Its library is loaded at run time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace halocline::core::transport::shm {

/// Why the library that HALOCLINE_XPMEM names cannot be used; "" if it can, or if none is named. Loads it.
const char *xpmem_trouble();

/// The address by which others attach exposed memory. Plain bytes, to be sent as they are.
struct ExposedAddress {
  std::int64_t segment = -1;  // XPMEM's segment id; below 0: not exposed
  std::int64_t bytes = 0;     // whole pages
  std::int64_t offset = 0;    // of the first byte that was asked for
};

/// Pages of this process that others may attach. Move-only; the destructor withdraws them.
class Exposed {
 public:
  /// Exposes the pages that contain `bytes` from `data` on. address().segment stays below 0 if there is no XPMEM, or it refuses.
  Exposed(const void *data, std::int64_t bytes);
  Exposed(Exposed &&other) noexcept;
  Exposed &operator=(Exposed &&) = delete;
  ~Exposed();
  const ExposedAddress &address() const { return address_; }

 private:
  ExposedAddress address_;
};

/// Pages of another process, mapped here. Move-only; the destructor unmaps them.
class Attached {
 public:
  explicit Attached(const ExposedAddress &address);
  Attached(Attached &&other) noexcept;
  Attached &operator=(Attached &&) = delete;
  ~Attached();
  /// The first byte that was asked for; null if the pages could not be attached.
  char *data() const { return pages_ ? pages_ + offset_ : nullptr; }
  std::int64_t segment() const { return segment_; }

 private:
  std::int64_t segment_, handle_ = -1, offset_;
  char *pages_ = nullptr;
};

}  // namespace halocline::core::transport::shm
