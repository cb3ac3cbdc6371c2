// What plans use of the engine. The api hands these parts to what a plan begins with: exchange/list.hpp, halo/halo.hpp, blocks/blocks.hpp,
// index_halo/index_halo.hpp. Nothing between engine and api sees the context, which owns them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include "engine/memory/packings.hpp"

namespace halocline::core {

class CheckMailbox;
class Communicator;
class Fields;
class Network;
class SwapTimes;

/// A plan keeps those that it needs.
struct EngineParts {
  Communicator &communicator;
  Network &network;
  Fields &fields;
  Packings &packings;
  CheckMailbox *check_mailbox;  // null unless HALOCLINE_CHECK=1
  MPI_Comm lent_comm = MPI_COMM_NULL;  // of all messages of the plan; null: each exchange of it makes its own
  SwapTimes *times = nullptr;  // of all exchanges of the plan
};

}  // namespace halocline::core
