// Registering memory with the provider.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ofi/region.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "transport/ofi/state.hpp"

namespace halocline::core::transport::ofi {

Region &Region::operator=(Region &&other) noexcept {
  std::swap(base_, other.base_);
  std::swap(bytes_, other.bytes_);
  std::swap(borrowed_, other.borrowed_);
  std::swap(endpoint_, other.endpoint_);
  std::swap(registration_, other.registration_);
  std::swap(desc_, other.desc_);
  std::swap(remote_, other.remote_);
  return *this;
}

Region::~Region() {
  if (registration_) {
    const auto locked = endpoint_->lock();
    fi_close(&registration_->fid);
  }
  if (base_ && !borrowed_) munmap(base_, static_cast<std::size_t>(bytes_));
}

Status Region::open(Endpoint &endpoint, std::int64_t bytes, Use use) {
  const std::int64_t whole = round_up(bytes > 0 ? bytes : 1, sysconf(_SC_PAGESIZE));
  void *memory = mmap(nullptr, static_cast<std::size_t>(whole), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return fail(Status::memory, "cannot allocate %lld bytes of buffers", static_cast<long long>(whole));
  base_ = static_cast<char *>(memory);
  bytes_ = whole;
  return enter(endpoint, use == Use::for_peers);
}

Status Region::cover(Endpoint &endpoint, char *base, std::int64_t bytes, Use use) {
  base_ = base;
  bytes_ = bytes;
  borrowed_ = true;
  return enter(endpoint, use == Use::for_peers);
}

Status Region::enter(Endpoint &endpoint, bool for_peers) {
  endpoint_ = &endpoint;
  const auto locked = endpoint.lock();
  HLC_TRY(endpoint.state_->register_memory({base_, bytes_, for_peers}, &registration_));
  desc_ = fi_mr_desc(registration_);
  const bool by_address = (endpoint.state_->info->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
  remote_ = {by_address ? reinterpret_cast<std::uint64_t>(base_) : 0, fi_mr_key(registration_)};
  return Status::ok;
}

}  // namespace halocline::core::transport::ofi
