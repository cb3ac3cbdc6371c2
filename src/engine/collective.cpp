// Steps are non-blocking operations of MPI, waited for politely and with an eye on the processes of the node.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/collective.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>

namespace halocline {
namespace {

constexpr std::int64_t kSecond_ns = 1'000'000'000;
/// Who did its part and then ended has not failed: what it sent may need the others to move on. So a death counts only if the step is not
/// over so much later.
constexpr std::int64_t kCertain_ns = kSecond_ns / 2;
constexpr std::int64_t kAskAfter_ns = kSecond_ns / 4;  // whether the ranks of other nodes are still there
constexpr std::int64_t kPatience = 10;

Status find_dead(Context &context) {
  Port &port = context.port();
  for (Member member = 0; port.attached() && member < context.members(); ++member)
    if (!port.alive(member))
      return fail(Status::peer_died, "rank %d waits for rank %d, whose process has ended", context.rank(), context.rank_of(member));
  return Status::ok;
}

}  // namespace

/// MPI may meet the end of a process a moment before the system tells it.
Status blame(Context &context, Status status) {
  constexpr std::timespec moment{0, 10'000'000};
  for (int tries = 0; tries < 20; ++tries) {
    if (const Status dead = find_dead(context); failed(dead)) return dead;
    nanosleep(&moment, nullptr);
  }
  return status;
}

Status Patience::pause() {
  if (wait_.pause() == Wait::Turn::look_again) return Status::ok;
  if (const Status dead = find_dead(); failed(dead)) {
    if (dead_since_ns_ == 0) dead_since_ns_ = now_ns();
    if (now_ns() - dead_since_ns_ > kCertain_ns) return context_.lose(dead);
  } else {
    dead_since_ns_ = 0;
  }
  return wait_.timed_out(lost_ < 0 ? grace_ns_ : 0) ? context_.lose(look_for_late()) : Status::ok;
}

/// Ranks of other nodes are looked for once the step takes long, or at once where a transfer has failed. One that is not reached any more is
/// taken for dead if a transfer has failed; without that it may be an accident of the network, but there is no reason for more patience.
Status Patience::find_dead() {
  HLC_TRY(halocline::find_dead(context_));
  if (begun_ns_ == 0) begun_ns_ = now_ns();
  Network &network = context_.network();
  if (network.lost() >= 0)
    return fail(Status::peer_died, "rank %d waits for other ranks, and rank %d is lost", context_.rank(), network.lost());
  if (!network.pulses() || (!network.has_failed() && now_ns() - begun_ns_ < kAskAfter_ns)) return Status::ok;
  lost_ = network.pulses()->find_lost();
  if (lost_ < 0 || !network.has_failed()) return Status::ok;
  return fail(Status::peer_died, "rank %d waits for ranks of other nodes, and cannot reach %s any more", context_.rank(),
              network.pulses()->name_of(lost_).c_str());
}

/// Ranks of this node count their steps where the others can see it.
Status Patience::look_for_late() const {
  const auto seconds = static_cast<long long>((context_.timeout_ns() + (lost_ < 0 ? grace_ns_ : 0)) / kSecond_ns);
  Port &port = context_.port();
  for (Member member = 0; port.attached() && member < context_.members(); ++member)
    if (port.steps(member) < port.steps(context_.member()))
      return fail(Status::timeout, "rank %d has waited %lld s for rank %d to come to the same call (HALOCLINE_TIMEOUT)", context_.rank(),
                  seconds, context_.rank_of(member));
  if (lost_ >= 0)
    return fail(Status::timeout, "rank %d has waited %lld s for ranks of other nodes, and cannot reach %s any more (HALOCLINE_TIMEOUT)",
                context_.rank(), seconds, context_.network().pulses()->name_of(lost_).c_str());
  return fail(Status::timeout, "rank %d has waited %lld s for %s to come to the same call (HALOCLINE_TIMEOUT)", context_.rank(), seconds,
              port.attached() && context_.nodes() > 1 ? "ranks of other nodes" : "other ranks");
}

Status await(Context &context, int count, MPI_Request *requests, std::int64_t grace_ns) {
  Patience patience(context, grace_ns);
  while (true) {
    int done = 0;
    const Status status = check_mpi(MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE), "MPI_Testall");
    if (failed(status)) return patience.blame(status);
    if (done) return Status::ok;
    HLC_TRY(patience.pause());
  }
}

Status reduce(Context &context, MPI_Comm comm, MPI_Op operation, std::int64_t *numbers, int count, std::int64_t grace_ns) {
  if (context.lost()) return context.why_lost();
  Ballot &ballot = context.ballot();
  std::copy_n(numbers, count, ballot.mine);
  if (context.port().attached()) context.port().count_step();
  const Status begun =
      check_mpi(MPI_Iallreduce(ballot.mine, ballot.all, count, MPI_INT64_T, operation, comm, &ballot.request), "MPI_Iallreduce");
  if (failed(begun)) return context.lose(begun);
  HLC_TRY(await(context, 1, &ballot.request, grace_ns));
  std::copy_n(ballot.all, count, numbers);
  return Status::ok;
}

Status agree(Context &context, MPI_Comm comm, Status mine) {
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  Ballot &ballot = context.ballot();
  if (context.lost()) return context.why_lost();
  ballot.news.status = static_cast<int>(mine);
  std::snprintf(ballot.news.message, sizeof ballot.news.message, "%s", failed(mine) ? error_message() : "");
  std::int64_t first = failed(mine) ? rank : size;
  HLC_TRY(reduce(context, comm, MPI_MIN, &first, 1));
  if (first == size) return Status::ok;

  const Status begun =
      check_mpi(MPI_Ibcast(&ballot.news, sizeof ballot.news, MPI_BYTE, static_cast<int>(first), comm, &ballot.request), "MPI_Ibcast");
  if (failed(begun)) return context.lose(begun);
  HLC_TRY(await(context, 1, &ballot.request));
  return fail(static_cast<Status>(ballot.news.status), "%s", ballot.news.message);
}

Status vote(Context &context, MPI_Comm comm, int mine, int *largest) {
  std::int64_t number = mine;
  HLC_TRY(reduce(context, comm, MPI_MAX, &number, 1, mine != 0 ? kPatience * kSecond_ns : kPatience * context.timeout_ns()));
  // All have come; that all know it, a second meeting makes sure.
  HLC_TRY(reduce(context, comm, MPI_MAX, &number, 1, kPatience * kSecond_ns));
  *largest = static_cast<int>(number);
  return Status::ok;
}

}  // namespace halocline
