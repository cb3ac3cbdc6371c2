// Shared memory whose pages are taken when they are touched. Where the kernel then has none, the process ends by SIGBUS; the message says why.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>

namespace halocline::core::transport::shm {

/// Lets a signal that a missing page of this memory raises be explained on stderr, before it ends the process as it would without that. Up to
/// 256 pieces of a process are watched, and none once the program handles SIGBUS itself. Move-only; any thread.
class LatePages {
 public:
  LatePages() = default;
  LatePages(LatePages &&other) noexcept { *this = std::move(other); }
  LatePages &operator=(LatePages &&other) noexcept {
    std::swap(piece_, other.piece_);
    return *this;
  }
  ~LatePages() { end(); }

  /// `rank`: of this process, for the message.
  void watch(const char *memory, std::int64_t bytes, int rank);
  void end();

 private:
  int piece_ = -1;
};

}  // namespace halocline::core::transport::shm
