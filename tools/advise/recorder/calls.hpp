// What the recorded calls of a chapter share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "host.hpp"

namespace advise {

struct Message {
  MPI_Count count;
  MPI_Datatype type;
  int peer, tag;
  MPI_Comm comm;
};

/// Nothing for MPI_PROC_NULL.
void record_message(const Call &call, Kind kind, const Message &message, std::uint64_t request = 0);

void record_starts(const Call &call, int count, const MPI_Request *requests);

/// Whether some receive was posted from any source: only then do waits ask who has sent.
extern bool has_wildcards;

inline std::int64_t bytes_of(MPI_Count count, MPI_Datatype type) {
  return count > 0 && type != MPI_DATATYPE_NULL ? count * layout_of(type).bytes : 0;
}

}  // namespace advise
