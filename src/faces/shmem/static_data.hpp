// Symmetric static data: the writable pages of the program and of its libraries, as a part of each PE's shared memory
// (docs/design/047-shmem.md).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.hpp"
#include "faces/shmem/loaded_files.hpp"

namespace halocline::core {
class Communicator;
}

namespace halocline::core::shmem {

/// The static data of this PE that are symmetric.
class StaticData {
 public:
  StaticData() = default;
  StaticData(const StaticData &) = delete;
  StaticData &operator=(const StaticData &) = delete;
  ~StaticData() { make_private(); }

  /// Finds what this process has, and keeps what has the same layout on all PEs. PE 0 reports what differs. Collective.
  Status agree(Communicator &communicator);
  /// The bytes that all of it takes.
  std::int64_t bytes() const { return bytes_; }
  /// Moves it to this place in shared memory, which is zero: the addresses stay, with other pages behind them. No other thread writes to static
  /// data meanwhile. Local.
  Status share(char *place);
  /// Gives it private pages again, with the same content. Also done in each child of fork, before the program continues there.
  void make_private();

  /// The offset of bytes of this process among the static data; -1 if they are not symmetric.
  std::int64_t offset_of(std::uintptr_t address, std::size_t bytes) const;
  const std::vector<StaticPages> &all() const { return all_; }

 private:
  std::vector<StaticPages> all_;
  std::int64_t bytes_ = 0;
  bool shared_ = false;
  std::size_t moved_ = 0;  // of all_: how many have shared pages
};

}  // namespace halocline::core::shmem
