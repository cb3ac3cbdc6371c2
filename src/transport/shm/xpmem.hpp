// Memory of a process that others of its node read where it lies, by the kernel module XPMEM. Its library is looked for at run time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace halocline::transport::shm {

/// Why the library that HALOCLINE_XPMEM names cannot be used; "" if it can, or if none is named. Loads it.
const char *xpmem_trouble();

/// How others reach exposed memory. Plain bytes, to be sent as they are.
struct ExposedAddress {
  std::int64_t segment = -1;  // XPMEM's name of it; below 0: not exposed
  std::int64_t bytes = 0;     // whole pages
  std::int64_t offset = 0;    // of the first byte that was asked for
};

/// Pages of this process that others may attach. Move-only; withdrawn when it goes.
class Exposed {
 public:
  /// Exposes the pages of bytes from data on. address().segment stays below 0 where there is no XPMEM, or it refuses.
  Exposed(const void *data, std::int64_t bytes);
  Exposed(Exposed &&other) noexcept;
  Exposed &operator=(Exposed &&) = delete;
  ~Exposed();
  const ExposedAddress &address() const { return address_; }

 private:
  ExposedAddress address_;
};

/// Pages of another process, mapped here. Move-only; unmapped when it goes.
class Attached {
 public:
  explicit Attached(const ExposedAddress &address);
  Attached(Attached &&other) noexcept;
  Attached &operator=(Attached &&) = delete;
  ~Attached();
  /// The first byte that was asked for; NULL if the pages cannot be attached.
  char *data() const { return pages_ ? pages_ + offset_ : nullptr; }
  std::int64_t segment() const { return segment_; }

 private:
  std::int64_t segment_, handle_ = -1, offset_;
  char *pages_ = nullptr;
};

}  // namespace halocline::transport::shm
