// Memory of this process that peers may write and read, by key.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "transport/network.hpp"

namespace halocline::core::transport::ucx {

/// One thread at a time. A key is random, and never used again.
class Exposed {
 public:
  /// Returns the key of the memory. ucx_key: the bytes of UCX's key, if there is one.
  std::uint64_t add(char *base, std::int64_t bytes, std::vector<char> ucx_key);
  void remove(std::uint64_t key) { memory_.erase(key); }
  /// Finds `bytes` at an address; null if they are not in the memory with this key.
  char *find(RemoteKey at, std::int64_t bytes) const;
  /// UCX's key for the memory with this key; null if there is no such memory.
  const std::vector<char> *find_ucx_key(std::uint64_t key) const;

 private:
  struct Memory {
    char *base = nullptr;
    std::int64_t bytes = 0;
    std::vector<char> ucx_key;
  };
  std::unordered_map<std::uint64_t, Memory> memory_;
};

}  // namespace halocline::core::transport::ucx
