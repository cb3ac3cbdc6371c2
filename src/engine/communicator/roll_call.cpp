// Queries and answers are messages of eight bytes: the call that their sender is in.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/communicator/roll_call.hpp"

#include <algorithm>
#include <ctime>
#include <memory>
#include <new>

#include "base/clock.hpp"
#include "base/leaked_on_failure.hpp"

namespace halocline::core {
namespace {

constexpr int kAskTag = 32'752,
              kAnswerTag = 32'753;  // below the least upper bound that MPI allows for tags, above all others of the library

/// What MPI reads until the queries have been sent.
struct Queries : LeakedOnFailure {
  std::vector<MPI_Request> requests;
  std::int64_t word = 0;
};

}  // namespace

void RollCall::answer(MPI_Comm comm, CallWord mine) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  while (receive(comm, kAskTag)) send_reply(comm, received_.back().rank, mine);
}

/// Receives one query or answer. It is discarded if there is no memory for it.
bool RollCall::receive(MPI_Comm comm, int tag) {
  int there = 0;
  MPI_Status status;
  Received received{};
  if (MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &there, &status) != MPI_SUCCESS || !there) return false;
  if (MPI_Recv(&received.word, 1, MPI_INT64_T, status.MPI_SOURCE, tag, comm, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
  received.rank = status.MPI_SOURCE;
  received.asking = tag == kAskTag;
  try {
    received_.push_back(received);
  } catch (const std::bad_alloc &) {
    return false;
  }
  return true;
}

/// If all of this rank's answers are still being sent, the query is not answered.
void RollCall::send_reply(MPI_Comm comm, int rank, CallWord mine) {
  for (Answer &answer : answers_) {
    int free = answer.request == MPI_REQUEST_NULL ? 1 : 0;
    if (!free) MPI_Test(&answer.request, &free, MPI_STATUS_IGNORE);
    if (!free) continue;
    answer.word = mine.packed();
    MPI_Isend(&answer.word, 1, MPI_INT64_T, rank, kAnswerTag, comm, &answer.request);
    return;
  }
}

std::size_t RollCall::received_count() {
  const std::lock_guard lock(mutex_);
  return received_.size();
}

void RollCall::ask(MPI_Comm comm, CallWord mine, std::int64_t longest_ns, std::vector<Absent> &asked,
                   const std::function<void()> &drive_progress) {
  auto queries = std::make_unique<Queries>();
  queries->word = mine.packed();
  queries->requests.resize(asked.size(), MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < asked.size(); ++i)
    MPI_Isend(&queries->word, 1, MPI_INT64_T, asked[i].rank, kAskTag, comm, &queries->requests[i]);

  const std::int64_t end_ns = now_ns() + longest_ns;
  const std::size_t before = received_count();
  // A rank that has asked in this call before may have left it since: only an answer shows that it is still in it.
  const auto is_old = [&](std::size_t i) { return i < before && received_[i].asking && received_[i].word == mine.packed(); };
  const auto find = [&](Absent &of) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < received_.size(); ++i)
      if (const Received &received = received_[i]; received.rank == of.rank && !is_old(i))
        of.word = CallWord::unpacked(received.word), of.known = true;
    return of.known;
  };
  const auto find_all = [&] { return std::count_if(asked.begin(), asked.end(), find) == static_cast<std::ptrdiff_t>(asked.size()); };
  while (!find_all() && now_ns() < end_ns) {
    constexpr std::timespec kPause{0, 50'000};
    drive_progress();
    {
      const std::lock_guard lock(mutex_);
      while (receive(comm, kAnswerTag)) continue;
    }
    nanosleep(&kPause, nullptr);
  }
  leak(std::move(queries));
}

}  // namespace halocline::core
