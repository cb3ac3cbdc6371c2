// Memory that is registered with the fabric.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "support/loopback/endpoint.hpp"

namespace halocline::core::transport::loopback {

/// transport/network.hpp describes each member.
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
  void *desc() const { return memory_; }
  RemoteKey remote() const { return {0, memory_ ? memory_->key : 0}; }

 private:
  char *base_ = nullptr;
  std::int64_t bytes_ = 0;
  bool owns_ = false;
  Memory *memory_ = nullptr;  // as the fabric knows it
};

static_assert(NetworkRegionContract<Region, Endpoint>);

}  // namespace halocline::core::transport::loopback
