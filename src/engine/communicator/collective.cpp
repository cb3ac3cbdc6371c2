// Collective steps. Each is a non-blocking MPI operation; the wait for it yields, sleeps, and checks that the node's processes are alive.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/communicator/collective.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <limits>
#include <string>

#include "base/clock.hpp"
#include "base/test_all.hpp"
#include "engine/communicator/missing.hpp"

namespace halocline::core {
namespace {

constexpr std::int64_t kSecond_ns = 1'000'000'000;
/// A rank that did its part and then ended has not failed: what it sent may need progress of the others to arrive. So a death counts only
/// if the step is still not complete this much later.
constexpr std::int64_t kCertain_ns = kSecond_ns / 2;
constexpr std::int64_t kAskAfter_ns = kSecond_ns / 4;  // then probe whether the ranks of other nodes are alive

/// Fails if a process of this node has ended.
Status look_at_node(const Communicator &communicator) {
  const int dead = communicator.find_dead();
  if (dead < 0) return Status::ok;
  return fail(Status::peer_died, "rank %d waits for rank %d, whose process has ended", communicator.rank(), dead);
}

/// A meeting finds the least and the greatest of numbers that are never negative. A rank that has none passes this value, which fits all.
constexpr std::int64_t kFits = std::numeric_limits<std::int64_t>::max();

/// FNV-1a.
std::int64_t hash(const std::string &text) {
  std::uint64_t hash = 14'695'981'039'346'656'037u;
  for (const char character : text) hash = (hash ^ static_cast<unsigned char>(character)) * 1'099'511'628'211u;
  return static_cast<std::int64_t>(hash >> 2);
}

/// What ranks report about themselves at the first meeting of a call, reduced by MPI_MIN over all of them.
struct Meeting {
  enum { first_failed, first_called, first_planned, call, minus_call, plan, minus_plan, minus_number, count };
  static_assert(count <= AgreementBuffer::kNumbers);
  std::int64_t of[count];

  /// The lowest rank that reports a call, or a plan if all calls are the same.
  int first_rank() const { return static_cast<int>(of[same_call() ? first_planned : first_called]); }
  int failed_rank() const { return static_cast<int>(of[first_failed]); }
  int largest_number() const { return static_cast<int>(-of[minus_number]); }
  bool same_call() const { return of[call] == kFits || of[call] == -of[minus_call]; }
  bool same_plan() const { return of[plan] == kFits || of[plan] == -of[minus_plan]; }
};

void take_place(Communicator &communicator, Status mine, const std::string &plan) {
  AgreementBuffer::Place &place = communicator.agreement().place;
  const CallWord call = communicator.calls().collective();
  char text[64];
  call.write(text, sizeof text);
  place.call = call.name == CallName::refuse ? kFits : call.packed();
  place.plan = failed(mine) || call.name == CallName::refuse || plan == kAnyPlan ? kFits : hash(plan);
  std::snprintf(place.text, sizeof place.text, "%s%s%s", text, plan.empty() ? "" : " ", plan.c_str());
}

Status reduce_meeting(Communicator &communicator, Status mine, int number, std::int64_t grace_ns, Meeting *meeting) {
  const AgreementBuffer::Place &place = communicator.agreement().place;
  const auto minus = [](std::int64_t value) { return value == kFits ? kFits : -value; };
  const auto mine_unless = [&](bool left_out) { return left_out ? communicator.size() : communicator.rank(); };
  *meeting = {{mine_unless(!failed(mine)), mine_unless(place.call == kFits), mine_unless(place.plan == kFits), place.call,
               minus(place.call), place.plan, minus(place.plan), -number}};
  return reduce(communicator, communicator.comm(), MPI_MIN, meeting->of, Meeting::count, grace_ns);
}

/// `root`, the lowest rank that reports its call, broadcasts it; the others compare.
Status name_two(Communicator &communicator, int root) {
  AgreementBuffer &agreement = communicator.agreement();
  const AgreementBuffer::Place mine = agreement.place;
  HLC_TRY(check_mpi(MPI_Ibcast(&agreement.place, sizeof agreement.place, MPI_BYTE, root, communicator.comm(), &agreement.request),
                    "MPI_Ibcast"));
  HLC_TRY(await(communicator, 1, &agreement.request));
  const AgreementBuffer::Place &first = agreement.place;
  const auto differ = [](std::int64_t a, std::int64_t b) { return a != b && a != kFits && b != kFits; };
  Status same = Status::ok;
  if (differ(first.call, mine.call) || differ(first.plan, mine.plan))
    same = fail(Status::mismatch,
                "ranks are in different collective calls: rank %d is in %s, rank %d in %s; all ranks must make the collective calls of a "
                "context in the same order",
                root, first.text, communicator.rank(), mine.text);
  HLC_TRY(agree(communicator, communicator.comm(), same));
  return fail(Status::mismatch, "ranks are in different collective calls; one of them is in %s", mine.text);
}

/// Broadcasts the error message of the lowest rank that failed.
Status spread_failure(Communicator &communicator, MPI_Comm comm, int first) {
  AgreementBuffer &agreement = communicator.agreement();
  const Status begun =
      check_mpi(MPI_Ibcast(&agreement.outcome, sizeof agreement.outcome, MPI_BYTE, first, comm, &agreement.request), "MPI_Ibcast");
  if (failed(begun)) return communicator.lose(begun);
  HLC_TRY(await(communicator, 1, &agreement.request));
  return fail(static_cast<Status>(agreement.outcome.status), "%s", agreement.outcome.message);
}

void write_notice(AgreementBuffer &agreement, Status mine) {
  agreement.outcome.status = static_cast<int>(mine);
  std::snprintf(agreement.outcome.message, sizeof agreement.outcome.message, "%s", failed(mine) ? error_message() : "");
}

}  // namespace

/// MPI may notice the end of a process a moment before the operating system reports it.
Status name_failure(Communicator &communicator, Status status) {
  constexpr std::timespec moment{0, 10'000'000};
  for (int tries = 0; tries < 20; ++tries) {
    if (const Status dead = look_at_node(communicator); failed(dead)) return dead;
    nanosleep(&moment, nullptr);
  }
  return status;
}

/// A timeout has no message yet: give_up writes it.
Status BoundedWait::find_failure() {
  if (const Status dead = look_for_dead(); failed(dead)) {
    if (dead_since_ns_ == 0) dead_since_ns_ = now_ns();
    if (now_ns() - dead_since_ns_ > kCertain_ns) return dead;
  } else {
    dead_since_ns_ = 0;
  }
  return wait_.timed_out(lost_ < 0 ? grace_ns_ : 0) ? Status::timeout : Status::ok;
}

Status BoundedWait::give_up(Status failure) { return communicator_.lose(failure == Status::timeout ? look_for_late() : failure); }

/// Ranks of other nodes are probed once the step takes long, or at once if a transfer has failed. If a transfer has failed, a rank that is
/// no longer reached counts as dead. Otherwise it may be a fault of the network, but the wait gets no grace time.
Status BoundedWait::look_for_dead() {
  HLC_TRY(look_at_node(communicator_));
  if (begun_ns_ == 0) begun_ns_ = now_ns();
  RemoteProgress *network = communicator_.remote();
  if (!network) return Status::ok;
  if (network->lost() >= 0)
    return fail(Status::peer_died, "rank %d waits for other ranks, and rank %d is lost", communicator_.rank(), network->lost());
  if (!network->has_failed() && now_ns() - begun_ns_ < kAskAfter_ns) return Status::ok;
  lost_ = network->find_lost();
  if (lost_ < 0 || !network->has_failed()) return Status::ok;
  return fail(Status::peer_died, "rank %d waits for ranks of other nodes and cannot reach %s", communicator_.rank(),
              network->name_of(lost_).c_str());
}

/// Ranks of this node count their steps in shared memory; those of other nodes are asked.
Status BoundedWait::look_for_late() {
  const double seconds = static_cast<double>(communicator_.timeout_ns() + (lost_ < 0 ? grace_ns_ : 0)) / kSecond_ns;
  const int me = communicator_.rank();
  char call[64];
  communicator_.call().write(call, sizeof call);
  if (lost_ >= 0)
    return fail(Status::timeout, "rank %d timed out after %.3g s in %s: cannot reach %s (HALOCLINE_TIMEOUT)", me, seconds, call,
                communicator_.remote()->name_of(lost_).c_str());
  std::string missing;
  static_cast<void>(alone(communicator_, [&] {
    missing = name_missing(communicator_);
    return Status::ok;
  }));
  return fail(Status::timeout, "rank %d timed out after %.3g s in %s: %s did not enter the call (HALOCLINE_TIMEOUT)", me, seconds, call,
              missing.empty() ? "other ranks" : missing.c_str());
}

Status await(Communicator &communicator, int count, MPI_Request *requests, std::int64_t grace_ns) {
  BoundedWait wait(communicator, grace_ns);
  return wait.until([&] {
    int done = 0;
    const Status status = test_all(count, requests, &done);
    if (failed(status)) return wait.name_failure(status);
    return done ? Status::ok : Status::again;
  });
}

Status reduce(Communicator &communicator, MPI_Comm comm, MPI_Op operation, std::int64_t *numbers, int count, std::int64_t grace_ns) {
  if (communicator.lost()) return communicator.why_lost();
  AgreementBuffer &agreement = communicator.agreement();
  std::copy_n(numbers, count, agreement.mine);
  if (communicator.doorbell().attached()) communicator.doorbell().count_step();
  const Status begun =
      check_mpi(MPI_Iallreduce(agreement.mine, agreement.all, count, MPI_INT64_T, operation, comm, &agreement.request), "MPI_Iallreduce");
  if (failed(begun)) return communicator.lose(begun);
  HLC_TRY(await(communicator, 1, &agreement.request, grace_ns));
  std::copy_n(agreement.all, count, numbers);
  return Status::ok;
}

Status agree(Communicator &communicator, MPI_Comm comm, Status mine) {
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  AgreementBuffer &agreement = communicator.agreement();
  if (communicator.lost()) return communicator.why_lost();
  write_notice(agreement, mine);
  std::int64_t first = failed(mine) ? rank : size;
  HLC_TRY(reduce(communicator, comm, MPI_MIN, &first, 1));
  return first == size ? Status::ok : spread_failure(communicator, comm, static_cast<int>(first));
}

Status meet(Communicator &communicator, Status mine, const std::string &plan) {
  if (communicator.lost()) return communicator.why_lost();
  write_notice(communicator.agreement(), mine);
  take_place(communicator, mine, plan);
  Meeting meeting;
  HLC_TRY(reduce_meeting(communicator, mine, 0, 0, &meeting));
  if (!meeting.same_call()) return name_two(communicator, meeting.first_rank());
  if (meeting.failed_rank() < communicator.size()) return spread_failure(communicator, communicator.comm(), meeting.failed_rank());
  return meeting.same_plan() ? Status::ok : name_two(communicator, meeting.first_rank());
}

Status meet_to_release(Communicator &communicator, int mine, int *largest) {
  if (communicator.lost()) return communicator.why_lost();
  take_place(communicator, Status::ok, {});
  Meeting meeting;
  HLC_TRY(reduce_meeting(communicator, Status::ok, mine, communicator.timeout_ns() / 2, &meeting));
  if (!meeting.same_call()) return name_two(communicator, meeting.first_rank());
  // A binding of another rank refuses its call, whichever that is. It says why, and nothing is released.
  if (meeting.failed_rank() < communicator.size()) {
    const Status refused = spread_failure(communicator, communicator.comm(), meeting.failed_rank());
    if (communicator.lost()) return refused;
    char why[512];
    std::snprintf(why, sizeof why, "%s", error_message());
    return fail(Status::mismatch, "ranks are in different collective calls: rank %d refuses its own: %s", meeting.failed_rank(), why);
  }
  *largest = meeting.largest_number();
  return Status::ok;
}

Status agree_on_largest(Communicator &communicator, MPI_Comm comm, int mine, int *largest) {
  std::int64_t number = mine;
  const std::int64_t timeout_ns = communicator.timeout_ns(),
                     end_ns = communicator.calls().begun_ns() + 2 * timeout_ns - longest_asking_ns(communicator);
  const std::int64_t left_ns = std::max(end_ns - now_ns(), timeout_ns / 4);
  HLC_TRY(reduce(communicator, comm, MPI_MAX, &number, 1, left_ns - timeout_ns));
  *largest = static_cast<int>(number);
  return Status::ok;
}

}  // namespace halocline::core
