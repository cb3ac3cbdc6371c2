// Allocating memory, and exposing it to peers.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ucx/region.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <vector>

#include "transport/ucx/state.hpp"

namespace halocline::core::transport::ucx {

Region &Region::operator=(Region &&other) noexcept {
  std::swap(base_, other.base_);
  std::swap(bytes_, other.bytes_);
  std::swap(borrowed_, other.borrowed_);
  std::swap(endpoint_, other.endpoint_);
  std::swap(mapped_, other.mapped_);
  std::swap(remote_, other.remote_);
  return *this;
}

Region::~Region() {
  if (endpoint_) {
    const auto locked = endpoint_->lock();
    endpoint_->exposed_.remove(remote_.key);
    if (mapped_) endpoint_->state_->unmap(mapped_);
  }
  if (base_ && !borrowed_) munmap(base_, static_cast<std::size_t>(bytes_));
}

Status Region::open(Endpoint &endpoint, std::int64_t bytes, Use use) {
  const std::int64_t whole = round_up(bytes > 0 ? bytes : 1, sysconf(_SC_PAGESIZE));
  void *memory = mmap(nullptr, static_cast<std::size_t>(whole), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return fail(Status::memory, "cannot allocate %lld bytes of buffers", static_cast<long long>(whole));
  base_ = static_cast<char *>(memory);
  bytes_ = whole;
  return expose(endpoint, use);
}

Status Region::cover(Endpoint &endpoint, char *base, std::int64_t bytes, Use use) {
  base_ = base;
  bytes_ = bytes;
  borrowed_ = true;
  return expose(endpoint, use);
}

Status Region::expose(Endpoint &endpoint, Use use) {
  if (use != Use::for_peers) return Status::ok;
  const auto locked = endpoint.lock();
  std::vector<char> ucx_key;
  if (endpoint.state_->one_sided) HLC_TRY(endpoint.state_->map(base_, bytes_, &mapped_, &ucx_key));
  endpoint_ = &endpoint;
  remote_ = {reinterpret_cast<std::uint64_t>(base_), endpoint.exposed_.add(base_, bytes_, std::move(ucx_key))};
  return Status::ok;
}

}  // namespace halocline::core::transport::ucx
