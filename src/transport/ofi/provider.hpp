// The choice of a libfabric provider: by its capabilities, or by the user.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rdma/fabric.h>

#include <memory>
#include <string>

#include "transport/network.hpp"
#include "transport/ofi/library.hpp"

namespace halocline::core::transport::ofi {

struct FreeInfo {
  const Library *library = nullptr;
  void operator()(fi_info *info) const { library->free_info(info); }
};
using Info = std::unique_ptr<fi_info, FreeInfo>;

/// Chooses a provider and an interface of this host. With an agreed choice: the same provider, on the same network if it is there.
/// Unsupported, with the reason, if there is none.
Status choose(const Library &library, const Wish &wish, const Choice *agreed, Info &chosen);

/// The choice that the other ranks must make as well.
Choice choice_of(const fi_info &info);

/// "tcp on eth0".
std::string describe(const fi_info &info);

}  // namespace halocline::core::transport::ofi
