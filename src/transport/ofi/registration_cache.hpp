// libfabric's cache of memory registrations, which this library does without. The cache keeps registrations after fi_close and finds them again
// by address. Its default monitor does not see pages that the C library releases by itself (free, malloc_trim). A registration found again
// then refers to the old pages, and their bytes travel: silently wrong data over verbs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "transport/ofi/library.hpp"

namespace halocline::core::transport::ofi {

/// Sees to it, before a domain is opened, that fi_close ends a registration. Providers that copy by the processor register nothing (tcp). If
/// this library was the first that asked libfabric, it found the cache switched off (find_library). Where another user of the process may
/// have been first, such as the host MPI, a monitor of ours takes the place of libfabric's. It does not reach a provider that is a plugin,
/// which has its own cache, nor a cache in use. Unsupported then, with the remedy.
Status do_without_cache(const Library &library, const fid_fabric &fabric, const std::string &provider);

/// True if a provider registers pages, which stay in memory meanwhile. Those that move bytes by copies of the processor do not.
bool registers_pages(const std::string &provider);

}  // namespace halocline::core::transport::ofi
