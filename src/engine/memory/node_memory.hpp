// Shared memory of the node's ranks, created by them collectively.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/communicator/communicator.hpp"

namespace halocline::core {

/// What happens to the object's file descriptor once the object is mapped. A helper process opens the object through it; else it is not
/// needed. If kept, the owner of the SharedMemory closes it.
enum class ObjectFile { closed, kept };
using transport::shm::ObjectAddress;
using transport::shm::Pages;

/// Creates shared memory with a part of my_bytes for this rank; ranks may pass different sizes. Collective over the ranks of the node,
/// which all return the same status. The message names the rank that lacks memory or another resource.
Status create_shared_memory(Communicator &communicator, std::int64_t my_bytes, SharedMemory &segment, ObjectFile file = ObjectFile::closed,
                            Pages pages = Pages::reserved);

}  // namespace halocline::core
