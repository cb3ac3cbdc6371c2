// Shared memory of ranks that are threads, in place of src/transport/shm/region.cpp. All of them use the very same memory, because
// ThreadSanitizer takes two mappings of one page for different memory. A count before the first part says how many ranks still use it.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/region.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/atomics.hpp"

namespace halocline::core::transport::shm {
namespace {

constexpr std::int64_t kPage = 4096;

std::atomic<int> &users_of(char *base) { return *reinterpret_cast<std::atomic<int> *>(base - kPage); }

/// Zeroed memory with room for the count before it, which is 1.
char *new_memory(std::int64_t bytes) {
  auto *memory = static_cast<char *>(std::aligned_alloc(kPage, static_cast<std::size_t>(kPage + bytes)));
  if (!memory) return nullptr;
  std::fill(memory, memory + kPage + bytes, '\0');
  users_of(memory + kPage) = 1;
  return memory + kPage;
}

}  // namespace

Region::Region(Region &&other) noexcept { *this = std::move(other); }

Region &Region::operator=(Region &&other) noexcept {
  std::swap(base_, other.base_);
  std::swap(offsets_, other.offsets_);
  return *this;
}

Region::~Region() {
  if (base_ && users_of(base_).fetch_sub(1) == 1) std::free(base_ - kPage);
}

std::int64_t Region::rounded(std::int64_t bytes, Pages) { return round_up(bytes > 0 ? bytes : 1, kPage); }

void Region::lay_out(const std::vector<std::int64_t> &part_bytes) {
  offsets_.assign(1, 0);
  for (const auto part : part_bytes) offsets_.push_back(offsets_.back() + part);
}

/// The address of the memory is passed as the inode of the object.
int Region::make_nameless(ObjectAddress &address) {
  base_ = new_memory(bytes());
  address.inode = reinterpret_cast<ino_t>(base_);
  return base_ ? 0 : ENOMEM;
}

int Region::make_named(ObjectAddress &address) { return make_nameless(address); }
void Region::unlink(const ObjectAddress &) {}
int Region::describe(ObjectAddress &) const { return ENOTSUP; }  // there is no helper process
void Region::close() {}
void Region::abandon() {}  // no network writes to it

int Region::open(const ObjectAddress &address) {
  base_ = reinterpret_cast<char *>(address.inode);
  users_of(base_).fetch_add(1);
  return 0;
}

int Region::promise() { return 0; }

/// Mapped already, unless the rank is alone on its node.
int Region::map(Member, Pages) {
  if (!base_) base_ = new_memory(bytes());
  return base_ ? 0 : ENOMEM;
}

}  // namespace halocline::core::transport::shm
