// libfabric, loaded at run time. Without a link dependency the library works where libfabric is missing, and shares the copy that the
// application's MPI has loaded. libfabric's other calls are inline in its headers, through the objects that these functions create.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rdma/fabric.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "transport/network.hpp"

namespace halocline::core::transport::ofi {

/// The version of libfabric's interface that this folder is written for.
inline constexpr std::uint32_t kInterface = FI_VERSION(1, 14);

/// The functions that libfabric exports as symbols, and the path of the file that contains them.
struct Library {
  decltype(&fi_getinfo) get_info = nullptr;
  decltype(&fi_dupinfo) dup_info = nullptr;
  decltype(&fi_freeinfo) free_info = nullptr;
  decltype(&fi_fabric) fabric = nullptr;
  decltype(&fi_strerror) text_of = nullptr;
  decltype(&fi_version) version = nullptr;
  decltype(&fi_open) open = nullptr;  // null before libfabric 1.11
  // What of libfabric this process had loaded before. Plugins are loaded, and all is initialised, by the first question to libfabric.
  bool was_loaded = false, had_plugins = false;
  std::string path;

  /// "libfabric 2.5 (/usr/lib/libfabric.so.1)".
  std::string name() const;
};

/// The files that may be libfabric, in order: the named one, if any; the system's; those beside the file that contains MPI. None is
/// relative to the working directory.
std::vector<std::string> places(const std::string &named, const std::string &mpi);

/// Finds libfabric once per process; it stays loaded until the end. Of the wish: the file that the user names is the only one that is tried, the
/// other is tried first. Unsupported, with the reason, if there is none.
Status find_library(const Wish &wish, const Library **library);

}  // namespace halocline::core::transport::ofi
