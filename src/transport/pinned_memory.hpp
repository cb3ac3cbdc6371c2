// What a program must know where a network pins its memory, that is, keeps the pages at their place: how much the system allows, and whether the
// program may fork.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace halocline::core::transport {

/// For the end of a message about memory that could not be pinned: what this process may pin, and how to raise it. "" where there is no limit.
std::string limit_of_pinned_memory();

/// For the end of a network's description, once its device is open: that the program must not fork, and how that changes. After a fork the
/// first write to a page moves the parent's page elsewhere, and the device still uses the old one, unless the kernel copies pinned pages for the
/// child at once (Linux 5.12), or libibverbs keeps them from the child (ibv_fork_init(3)). "" where libibverbs says that one of these is so, or
/// is too old to say (ibv_is_fork_initialized(3)).
std::string caution_of_fork();

}  // namespace halocline::core::transport
