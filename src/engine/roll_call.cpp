// Questions and answers are messages of eight bytes: the call in which their sender is.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/roll_call.hpp"

#include <algorithm>
#include <ctime>
#include <memory>
#include <new>

#include "engine/collective.hpp"

namespace halocline {
namespace {

constexpr int kAskTag = 32'752,
              kAnswerTag = 32'753;  // below the least upper bound that MPI allows for tags, above all others of the library
constexpr std::size_t kMostNamed = 8;

/// What MPI reads until the questions have left.
struct Questions : Job {
  std::int64_t word = 0;
};

/// Where a rank is that has said nothing, or has said another call.
std::string text_of(const Absent &absent) {
  const std::string rank = "rank " + std::to_string(absent.rank);
  return rank + (absent.known ? " (in " + absent.word.text() + ")" : " (which does not answer)");
}

void find_late_members(Context &context, std::vector<Absent> &absent) {
  const Port &port = context.port();
  for (Member member = 0; port.attached() && member < context.members(); ++member)
    if (port.steps(member) < port.steps(context.member()))
      absent.push_back({context.rank_of(member), true, CallWord::unpacked(port.call(member))});
}

}  // namespace

std::int64_t RollCall::patience_ns(const Context &context) { return std::min(kLongestWait_ns, context.timeout_ns() / 4); }

void RollCall::answer(MPI_Comm comm, CallWord mine) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  while (receive(comm, kAskTag)) send_answer(comm, heard_.back().rank, mine);
}

/// Takes what one rank says of itself. What there is no memory for is not said.
bool RollCall::receive(MPI_Comm comm, int tag) {
  int there = 0;
  MPI_Status status;
  Heard heard{};
  if (MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &there, &status) != MPI_SUCCESS || !there) return false;
  if (MPI_Recv(&heard.word, 1, MPI_INT64_T, status.MPI_SOURCE, tag, comm, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
  heard.rank = status.MPI_SOURCE;
  heard.asking = tag == kAskTag;
  try {
    heard_.push_back(heard);
  } catch (const std::bad_alloc &) {
    return false;
  }
  return true;
}

/// A rank that finds all its answers under way says nothing.
void RollCall::send_answer(MPI_Comm comm, int rank, CallWord mine) {
  for (Answer &answer : answers_) {
    int free = answer.request == MPI_REQUEST_NULL ? 1 : 0;
    if (!free) MPI_Test(&answer.request, &free, MPI_STATUS_IGNORE);
    if (!free) continue;
    answer.word = mine.packed();
    MPI_Isend(&answer.word, 1, MPI_INT64_T, rank, kAnswerTag, comm, &answer.request);
    return;
  }
}

std::size_t RollCall::heard_count() {
  const std::lock_guard lock(mutex_);
  return heard_.size();
}

void RollCall::ask(Context &context, CallWord mine, std::vector<Absent> &absent) {
  const MPI_Comm comm = context.comm();
  std::vector<Absent> asked;
  for (int i = 1; i < context.size() && asked.size() < kMostAsked; ++i)
    if (const int rank = (context.rank() + i) % context.size(); context.member_of(rank) == kOtherNode) asked.push_back({rank, false, {}});
  auto questions = std::make_unique<Questions>();
  questions->word = mine.packed();
  questions->requests.resize(asked.size(), MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < asked.size(); ++i)
    MPI_Isend(&questions->word, 1, MPI_INT64_T, asked[i].rank, kAskTag, comm, &questions->requests[i]);

  const std::int64_t end_ns = now_ns() + patience_ns(context);
  const std::size_t before = heard_count();
  // A rank that has asked in this call before may have left it since: only an answer says that it is still there.
  const auto is_old = [&](std::size_t i) { return i < before && heard_[i].asking && heard_[i].word == mine.packed(); };
  const auto find = [&](Absent &of) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < heard_.size(); ++i)
      if (const Heard &heard = heard_[i]; heard.rank == of.rank && !is_old(i)) of.word = CallWord::unpacked(heard.word), of.known = true;
    return of.known;
  };
  while (now_ns() < end_ns && !std::all_of(asked.begin(), asked.end(), find)) {
    constexpr std::timespec nap{0, 50'000};
    context.nudge();
    {
      const std::lock_guard lock(mutex_);
      while (receive(comm, kAnswerTag)) continue;
    }
    nanosleep(&nap, nullptr);
  }
  keep_for_ever(std::move(questions));
  for (const Absent &of : asked)
    if (!of.known || of.word.packed() != mine.packed()) absent.push_back(of);
}

namespace {

std::string list(const std::vector<Absent> &absent) {
  std::string text;
  const std::size_t shown = std::min(absent.size(), kMostNamed);
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : i + 1 == absent.size() ? " and " : ", ") + text_of(absent[i]);
  if (shown < absent.size()) text += " and " + std::to_string(absent.size() - shown) + " more";
  return text;
}

}  // namespace

std::string name_missing(Context &context) {
  std::vector<Absent> absent;
  find_late_members(context, absent);
  if (context.nodes() > 1 && context.comm() != MPI_COMM_NULL) context.roll_call().ask(context, context.call(), absent);
  // A rank may have come and gone: it has given up, and MPI needs it to end the step.
  return absent.empty() && context.port().attached() ? name_missing_members(context, context.call()) : list(absent);
}

std::string name_missing_members(Context &context, CallWord mine) {
  std::vector<Absent> absent;
  for (Member member = 0; member < context.members(); ++member)
    if (member != context.member() && context.call_of(member).packed() != mine.packed())
      absent.push_back({context.rank_of(member), true, context.call_of(member)});
  return list(absent);
}

}  // namespace halocline
