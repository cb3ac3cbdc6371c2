// Segments: memory of the node's ranks, made by them together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/communicator/communicator.hpp"

namespace halocline {

/// What becomes of the file of a segment's object: mostly nobody needs it any more. A helper process reaches the object through it; whoever
/// keeps it closes it.
enum class ObjectFile { closed, kept };
using transport::shm::Pages;

/// Makes a segment with a part of my_bytes for this rank, which may differ between ranks. Collective over the ranks of the node, who all
/// leave with the same status; the message names the rank that is short of something, and of what.
Status create_shared_memory(Communicator &communicator, std::int64_t my_bytes, SharedMemory &segment, ObjectFile file = ObjectFile::closed,
                            Pages pages = Pages::reserved);

}  // namespace halocline
