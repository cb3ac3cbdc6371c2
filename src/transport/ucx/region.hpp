// Memory of this process that peers access over UCX, or which its own transfers use.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include "transport/ucx/endpoint.hpp"

namespace halocline::core::transport::ucx {

/// transport/network.hpp describes each member. Move-only; must be destroyed before its endpoint.
class Region {
 public:
  using Use = transport::Use;

  Region() = default;
  Region(Region &&other) noexcept { *this = std::move(other); }
  Region &operator=(Region &&other) noexcept;
  ~Region();

  Status open(Endpoint &endpoint, std::int64_t bytes, Use use);
  Status cover(Endpoint &endpoint, char *base, std::int64_t bytes, Use use = Use::for_peers);
  char *base() const { return base_; }
  std::int64_t bytes() const { return bytes_; }
  /// UCX finds the registration of a source itself.
  void *desc() const { return nullptr; }
  RemoteKey remote() const { return remote_; }

 private:
  Status expose(Endpoint &endpoint, Use use);

  char *base_ = nullptr;
  std::int64_t bytes_ = 0;
  bool borrowed_ = false;
  Endpoint *endpoint_ = nullptr;  // null: nothing is exposed
  void *mapped_ = nullptr;        // UCX's handle, where it writes and reads
  RemoteKey remote_;
};

static_assert(NetworkRegionContract<Region, Endpoint>);

}  // namespace halocline::core::transport::ucx
