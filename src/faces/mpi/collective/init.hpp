// Persistent collectives: links of their own, whose slots fit the messages.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <tuple>

#include "faces/mpi/collective/blocks.hpp"
#include "faces/mpi/collective/exchange_request.hpp"

namespace halocline::core::mpi {

/// The blocks of a collective, in the order of the pattern's edges.
struct BlockLists {
  std::vector<Block> out, in;
};

/// What a rank knows of a collective before the ranks meet.
struct Described {
  Pattern pattern;
  BlockLists blocks;
  bool copies_first = false;  // what is sent is overwritten by what is received
  Status ready = Status::ok;  // else the host carries the collective on all ranks
  int refused = MPI_SUCCESS;  // what is wrong with the program's arguments: then no rank makes a request

  /// Keeps an error, if it is one, for the meeting.
  void note(int code);
};

/// A persistent call of the host, which may lack it. Open MPI 5.0, an MPI of MPI 3.1, has them, and its requests use datatypes and communicators that
/// the program has freed: those of such hosts are not called.
template <class Function, class... Arguments>
struct HostInit {
  Function *function;
  std::tuple<Arguments...> arguments;

  bool exists() const { return MPI_VERSION >= 4 && function != nullptr; }
  int operator()(MPI_Request *request) const { return std::apply(function, std::tuple_cat(arguments, std::tuple(request))); }
};
template <class Function, class... Arguments>
HostInit<Function, Arguments...> host_init(Function *function, Arguments... arguments) {
  return {function, {arguments...}};
}

/// Makes a request with links, and gives it its handle. Collective; null, the same on all ranks, if the host carries the collective, or with an error
/// code on all ranks if one of them has refused its arguments.
std::unique_ptr<OwnRequest> make_persistent(MPI_Comm comm, Described described, int *code);

}  // namespace halocline::core::mpi
