// A vote is a non-blocking reduction, waited for politely and with an eye on the processes of the node.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/vote.hpp"

#include "engine/wait.hpp"

namespace halocline {
namespace {

/// A rank that gives up while the others still come leaves them alone in a collective call. So voters are more patient than swaps: by
/// this many seconds if something has failed before, else by this many times.
constexpr std::int64_t kPatience = 10;

Status look_for_dead(Context &context) {
  for (Member member = 0; member < context.members(); ++member)
    if (!context.port().alive(member))
      return fail(Status::peer_died, "rank %d: the process of rank %d of this node has ended before all ranks had come", context.rank(),
                  member);
  return Status::ok;
}

}  // namespace

Status vote(Context &context, MPI_Comm comm, int mine, int *largest) {
  // Static storage would not do for two votes at once: what MPI may still write lives on the heap and is given up with a failed vote.
  struct Ballot {
    int mine, largest;
    MPI_Request request;
  };
  auto *ballot = new Ballot{mine, mine, MPI_REQUEST_NULL};
  HLC_TRY(check_mpi(MPI_Iallreduce(&ballot->mine, &ballot->largest, 1, MPI_INT, MPI_MAX, comm, &ballot->request), "MPI_Iallreduce"));
  const std::int64_t grace_ns = mine != 0 ? kPatience * 1'000'000'000 : kPatience * context.timeout_ns();
  Wait wait(context, WakeUp::by_polling);
  for (int done = 0; !done;) {
    HLC_TRY(check_mpi(MPI_Test(&ballot->request, &done, MPI_STATUS_IGNORE), "MPI_Test"));
    if (done || wait.pause() == Wait::Turn::look_again) continue;
    const Status dead = look_for_dead(context);
    // Who voted and then ended has not failed: one more look before the verdict.
    if (failed(dead)) HLC_TRY(check_mpi(MPI_Test(&ballot->request, &done, MPI_STATUS_IGNORE), "MPI_Test"));
    if (failed(dead) && !done) return dead;
    if (!done && wait.timed_out(grace_ns))
      return fail(Status::timeout, "rank %d has waited too long for all ranks to come (HALOCLINE_TIMEOUT)", context.rank());
  }
  *largest = ballot->largest;
  delete ballot;
  return Status::ok;
}

}  // namespace halocline
