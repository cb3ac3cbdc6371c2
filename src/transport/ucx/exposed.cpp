// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ucx/exposed.hpp"

#include <utility>

#include "transport/random.hpp"

namespace halocline::core::transport::ucx {

std::uint64_t Exposed::add(char *base, std::int64_t bytes, std::vector<char> ucx_key) {
  std::uint64_t key = 0;
  do key = random_bits();
  while (memory_.count(key) != 0);
  memory_[key] = {base, bytes, std::move(ucx_key)};
  return key;
}

const std::vector<char> *Exposed::find_ucx_key(std::uint64_t key) const {
  const auto found = memory_.find(key);
  return found == memory_.end() ? nullptr : &found->second.ucx_key;
}

/// Addresses are those of the owner.
char *Exposed::find(RemoteKey at, std::int64_t bytes) const {
  const auto found = memory_.find(at.key);
  if (found == memory_.end()) return nullptr;
  const Memory &memory = found->second;
  const std::uint64_t offset = at.address - reinterpret_cast<std::uint64_t>(memory.base);
  const auto whole = static_cast<std::uint64_t>(memory.bytes);
  const bool is_within = bytes >= 0 && offset <= whole && static_cast<std::uint64_t>(bytes) <= whole - offset;
  return is_within ? memory.base + offset : nullptr;
}

}  // namespace halocline::core::transport::ucx
