// Memory of this process that peers may write into over the network, or that it writes from. Each process has its own; what the others need
// to know of it is a RemoteKey.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include "transport/ofi/endpoint.hpp"

struct fid_mr;

namespace halocline::transport::ofi {

/// Pages that hold zeros at first. Move-only; goes before its endpoint.
class Region {
 public:
  using Use = transport::Use;

  Region() = default;
  Region(Region &&other) noexcept { *this = std::move(other); }
  Region &operator=(Region &&other) noexcept;
  ~Region();

  /// Takes the memory, and tells the provider of it: for peers to write into, under a key that nobody can guess where the provider lets us
  /// choose it, or for me to write from.
  Status open(Endpoint &endpoint, std::int64_t bytes, Use use);
  /// Tells the provider of memory that exists already, for peers to write into and to read, or for me to write from. It has to outlive the
  /// region.
  Status cover(Endpoint &endpoint, char *base, std::int64_t bytes, Use use = Use::for_peers);
  char *base() const { return base_; }
  std::int64_t bytes() const { return bytes_; }
  /// What goes with every write from this memory.
  void *desc() const { return desc_; }
  /// What peers have to know to write into it.
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

}  // namespace halocline::transport::ofi
