// libfabric, found at run time: nothing links to it, so that the library works where it is missing, and the copy that the application's MPI
// has loaded serves both. Its other calls are inline in libfabric's headers and go through the objects that these make.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rdma/fabric.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.hpp"

namespace halocline::transport::ofi {

/// The version of libfabric's interface that the calls here are written for.
inline constexpr std::uint32_t kInterface = FI_VERSION(1, 14);

/// The functions of libfabric that are symbols, and where they come from.
struct Library {
  decltype(&fi_getinfo) get_info = nullptr;
  decltype(&fi_dupinfo) dup_info = nullptr;
  decltype(&fi_freeinfo) free_info = nullptr;
  decltype(&fi_fabric) fabric = nullptr;
  decltype(&fi_strerror) text_of = nullptr;
  decltype(&fi_version) version = nullptr;
  std::string path;

  /// "libfabric 2.5 (/usr/lib/libfabric.so.1)".
  std::string name() const;
};

/// The files in which libfabric is looked for, in this order: the one that is named, if any; the system's; beside the file that MPI is in. None
/// is relative to the working directory.
std::vector<std::string> places(const std::string &named, const std::string &mpi);

/// Finds libfabric, once for the process; it stays until the end. A file that is named comes first. Unsupported, with the reason, if there is
/// none.
Status find_library(const std::string &file, const Library **library);

}  // namespace halocline::transport::ofi
