// Allocating and registering memory.
// SPDX-License-Identifier: BSD-3-Clause
#include "support/loopback/region.hpp"

#include <cstdlib>
#include <cstring>
#include <utility>

namespace halocline::core::transport::loopback {

Region &Region::operator=(Region &&other) noexcept {
  std::swap(base_, other.base_);
  std::swap(bytes_, other.bytes_);
  std::swap(owns_, other.owns_);
  std::swap(memory_, other.memory_);
  return *this;
}

Region::~Region() {
  if (memory_) {
    const auto locked = Fabric::instance().lock();
    Fabric::instance().unregister(*memory_);
  }
  if (owns_) std::free(base_);
}

Status Region::open(Endpoint &endpoint, std::int64_t bytes, Use use) {
  constexpr std::int64_t page = 4096;
  const std::int64_t whole = round_up(bytes > 0 ? bytes : 1, page);
  auto *memory = static_cast<char *>(std::aligned_alloc(page, static_cast<std::size_t>(whole)));
  if (!memory) return fail(Status::memory, "cannot allocate %lld bytes of buffers", static_cast<long long>(whole));
  std::memset(memory, 0, static_cast<std::size_t>(whole));
  owns_ = true;
  return cover(endpoint, memory, whole, use);
}

Status Region::cover(Endpoint &endpoint, char *base, std::int64_t bytes, Use use) {
  base_ = base;
  bytes_ = bytes;
  const auto locked = Fabric::instance().lock();
  memory_ = Fabric::instance().register_memory({endpoint.number_, base, bytes, use});
  return Status::ok;
}

}  // namespace halocline::core::transport::loopback
