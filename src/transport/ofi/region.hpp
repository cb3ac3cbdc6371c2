// Registered memory of this process, which peers access over the network or which its own transfers use. Peers need its RemoteKey.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include "transport/ofi/endpoint.hpp"

struct fid_mr;

namespace halocline::core::transport::ofi {

/// A registered region. Move-only; must be destroyed before its endpoint.
class Region {
 public:
  using Use = transport::Use;

  Region() = default;
  Region(Region &&other) noexcept { *this = std::move(other); }
  Region &operator=(Region &&other) noexcept;
  ~Region();

  /// Allocates pages of zeros and registers them, for peers to access or for this endpoint's transfers. The key is unguessable if the
  /// provider lets us choose it.
  Status open(Endpoint &endpoint, std::int64_t bytes, Use use);
  /// Registers existing memory, for peers to write and read, or for this endpoint's transfers. It has to outlive the region.
  Status cover(Endpoint &endpoint, char *base, std::int64_t bytes, Use use = Use::for_peers);
  char *base() const { return base_; }
  std::int64_t bytes() const { return bytes_; }
  /// The local descriptor for transfers from or into this memory.
  void *desc() const { return desc_; }
  /// The remote key that peers need to access it.
  RemoteKey remote() const { return remote_; }

 private:
  Status enter(Endpoint &endpoint, bool for_peers);

  char *base_ = nullptr;
  std::int64_t bytes_ = 0;
  bool borrowed_ = false;
  Endpoint *endpoint_ = nullptr;
  fid_mr *registration_ = nullptr;
  void *desc_ = nullptr;
  RemoteKey remote_;
};

static_assert(NetworkRegionContract<Region, Endpoint>);

}  // namespace halocline::core::transport::ofi
