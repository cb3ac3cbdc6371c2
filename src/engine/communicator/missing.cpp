// Finds the ranks that are missing from a call, and describes them for error messages.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/communicator/missing.hpp"

#include <algorithm>
#include <vector>

namespace halocline::core {
namespace {

constexpr std::size_t kMaxNamed = 8, kMaxAsked = 1024;
constexpr std::int64_t kLongestAsking_ns = 1'000'000'000;

/// A rank that has not answered, or is in another call, as text.
std::string text_of(const Absent &absent) {
  const std::string rank = "rank " + std::to_string(absent.rank);
  return rank + (absent.known ? " (in " + absent.word.text() + ")" : " (not responding)");
}

void find_late_members(Communicator &communicator, std::vector<Absent> &absent) {
  const Doorbell &doorbell = communicator.doorbell();
  for (Member member = 0; doorbell.attached() && member < communicator.members(); ++member)
    if (doorbell.steps(member) < doorbell.steps(communicator.member()))
      absent.push_back({communicator.rank_of(member), true, CallWord::unpacked(doorbell.call(member))});
}

void ask_other_nodes(Communicator &communicator, std::vector<Absent> &absent) {
  std::vector<Absent> asked;
  const int size = communicator.size();
  for (int i = 1; i < size && asked.size() < kMaxAsked; ++i)
    if (const int rank = (communicator.rank() + i) % size; communicator.member_of(rank) == kNotOnNode) asked.push_back({rank, false, {}});
  const CallWord mine = communicator.call();
  communicator.roll_call().ask(communicator.comm(), mine, longest_asking_ns(communicator), asked, [&] { communicator.drive_progress(); });
  for (const Absent &of : asked)
    if (!of.known || of.word.packed() != mine.packed()) absent.push_back(of);
}

std::string list(const std::vector<Absent> &absent) {
  std::string text;
  const std::size_t shown = std::min(absent.size(), kMaxNamed);
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : i + 1 == absent.size() ? " and " : ", ") + text_of(absent[i]);
  if (shown < absent.size()) text += " and " + std::to_string(absent.size() - shown) + " more";
  return text;
}

}  // namespace

std::int64_t longest_asking_ns(const Topology &topology) { return std::min(kLongestAsking_ns, topology.timeout_ns() / 4); }

std::string name_missing(Communicator &communicator) {
  std::vector<Absent> absent;
  find_late_members(communicator, absent);
  if (communicator.nodes() > 1 && communicator.comm() != MPI_COMM_NULL) ask_other_nodes(communicator, absent);
  // A rank may have entered the call and left it: it has abandoned the step, which MPI cannot complete without it.
  return absent.empty() && communicator.doorbell().attached() ? name_missing_members(communicator, communicator.call()) : list(absent);
}

std::string name_missing_members(Communicator &communicator, CallWord mine) {
  std::vector<Absent> absent;
  for (Member member = 0; member < communicator.members(); ++member)
    if (member != communicator.member() && communicator.call_of(member).packed() != mine.packed())
      absent.push_back({communicator.rank_of(member), true, communicator.call_of(member)});
  return list(absent);
}

}  // namespace halocline::core
