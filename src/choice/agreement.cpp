// SPDX-License-Identifier: BSD-3-Clause
#include "choice/agreement.hpp"

#include <algorithm>
#include <utility>

#include "engine/communicator/wait.hpp"

namespace halocline::core {

Agreement::Agreement(Communicator &communicator, const PlanName &plan, int numbers)
    : communicator_(communicator), plan_(plan), job_(std::make_unique<Numbers>()) {
  job_->requests.assign(1, MPI_REQUEST_NULL);
  job_->mine.assign(static_cast<std::size_t>(numbers), 0);
  job_->all.assign(static_cast<std::size_t>(numbers), 0);
}

Agreement::~Agreement() { give_up(); }

Status Agreement::create() { return check_mpi(MPI_Comm_dup(communicator_.comm(), &comm_), "MPI_Comm_dup"); }

Status Agreement::begin(int swaps) {
  begun_ += 1;
  left_ = swaps;
  pending_ = true;
  std::fill(job_->mine.begin() + static_cast<std::ptrdiff_t>(contributed_), job_->mine.end() - 1, 0);
  contributed_ = 0;
  return check_mpi(MPI_Iallreduce(job_->mine.data(), job_->all.data(), static_cast<int>(job_->mine.size()), MPI_INT64_T, MPI_SUM, comm_,
                                  job_->requests.data()),
                   "MPI_Iallreduce");
}

Status Agreement::pass() {
  if (const Status polled = poll(); failed(polled)) return polled;
  left_ -= 1;
  return left_ > 0 ? Status::again : Status::ok;
}

/// `again` while ranks are missing.
Status Agreement::poll() {
  if (!pending_) return Status::ok;
  int done = 0;
  HLC_TRY(check_mpi(MPI_Test(job_->requests.data(), &done, MPI_STATUS_IGNORE), "MPI_Test"));
  pending_ = !done;
  if (!done) return Status::again;
  for (std::int64_t &number : job_->all) number /= communicator_.size();
  return Status::ok;
}

Status Agreement::await() {
  ending_since_ns_ = 0;
  ending_checks_ = 0;
  Wait wait(communicator_, WakeUp::by_polling, {CallName::swap, plan_.serial});
  return wait_until(wait, [this] { return poll(); }, [&] { return find_failure(wait.timed_out()); });
}

/// The member that ends the plan, while each of the others ends it or waits in a swap. None if one computes: it may be the rank that is waited
/// for, and one that ends the plan may have done its part. None with several nodes, whose ranks do not see each other's calls.
Member Agreement::find_ending() const {
  Member ending = kNotOnNode;
  if (communicator_.calls().collective().ends(plan_.serial) || !communicator_.doorbell().attached() ||
      communicator_.members() != communicator_.size())
    return ending;
  for (Member member = 0; member < communicator_.members(); ++member) {
    const CallWord call = communicator_.call_of(member);
    if (call.ends(plan_.serial))
      ending = member;
    else if (call.name != CallName::swap || call.plan != plan_.serial)
      return kNotOnNode;
  }
  return ending;
}

/// A rank that ends the plan before it has done its part, after an interrupt or an error, would wait for this one.
Status Agreement::suspect_ending() {
  constexpr std::int64_t kCertain_ns = 3'000'000'000;  // MPI needs all ranks, in turns, to pass on what has been contributed
  constexpr int kCertainChecks = 50;  // while a job is suspended, time passes and nothing is looked at
  const Member ending = find_ending();
  if (ending == kNotOnNode) {
    ending_since_ns_ = 0;
    ending_checks_ = 0;
    return Status::ok;
  }
  if (ending_since_ns_ == 0) ending_since_ns_ = now_ns();
  ending_checks_ += 1;
  if (ending_checks_ < kCertainChecks || now_ns() - ending_since_ns_ < kCertain_ns) return Status::ok;
  return fail(Status::mismatch,
              "a swap of %s: rank %d waits for rank %d to agree on a mode, which ends the plan (in %s); this swap can only fail, end "
              "the plan here, too",
              plan_.text().c_str(), communicator_.rank(), communicator_.rank_of(ending), communicator_.call_of(ending).text().c_str());
}

Status Agreement::find_failure(bool timed_out) {
  const int me = communicator_.rank();
  const auto swap = [this] { return "a swap of " + plan_.text(); };  // a wait that fails for nothing allocates nothing
  if (const int dead = communicator_.find_dead(); dead >= 0)
    return fail(Status::peer_died, "%s: rank %d waits for rank %d to agree on a mode, whose process has ended", swap().c_str(), me, dead);
  const RemoteProgress *network = communicator_.remote();
  if (network && network->lost() >= 0)
    return fail(Status::peer_died, "%s: rank %d waits for other ranks to agree on a mode, and rank %d is lost", swap().c_str(), me,
                network->lost());
  if (!timed_out) return suspect_ending();
  return fail(Status::timeout, "%s: rank %d timed out after %lld s waiting for other ranks to agree on a mode (HALOCLINE_TIMEOUT)%s",
              swap().c_str(), me, static_cast<long long>(communicator_.timeout_ns() / 1'000'000'000), kFindDifferentSwaps);
}

/// Ranks that have made different numbers of swaps have begun different agreements: those cannot be completed.
void Agreement::end(bool broken) {
  std::int64_t begun[] = {begun_, -begun_};
  const bool met = !broken && !failed(reduce(communicator_, communicator_.comm(), MPI_MAX, begun, 2)) && begun[0] == -begun[1];
  if (!met || failed(await())) return give_up();
  if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

/// MPI can only free the communicator collectively, and may still write the numbers.
void Agreement::give_up() {
  comm_ = MPI_COMM_NULL;
  if (pending_) leak(std::move(job_));
  pending_ = false;
}

}  // namespace halocline::core
