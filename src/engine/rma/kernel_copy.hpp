// Copies to and from private memory of another process of the node, by the kernel (cross-memory attach).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/uio.h>

#include <array>

#include "engine/rma/remote_memory.hpp"

namespace halocline::core {

/// Gathers pieces, so that one system call copies many. They are copied in any order until run() returns.
class KernelCopy {
 public:
  enum class Direction { put, get };

  KernelCopy(const char *call, const RemoteMemory &memory, Direction direction) : call_(call), memory_(memory), direction_(direction) {}

  /// Copies one piece.
  static Status copy(const char *call, Target target, Direction direction, Sink local);
  /// Adds bytes at an offset of the memory; `data` is read by a put and written by a get.
  Status add(std::int64_t offset, void *data, std::int64_t bytes);
  /// Copies what has been added since.
  Status run();

 private:
  static constexpr std::size_t kMax = 64;  // pieces of a system call

  ssize_t copy_some(std::size_t first) const;
  Status failure() const;

  const char *call_;
  const RemoteMemory &memory_;
  Direction direction_;
  std::size_t count_ = 0;
  std::array<iovec, kMax> here_, there_;
};

}  // namespace halocline::core
