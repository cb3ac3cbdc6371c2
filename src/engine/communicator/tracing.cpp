// Ranks with the same clock need no comparison. For each other clock, one rank asks rank 0 for the time several times and keeps the quickest
// reply.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/communicator/tracing.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "engine/communicator/collective.hpp"
#include "trace/recorder.hpp"

namespace halocline::core {
namespace {

constexpr int kClockTag = 32'751;  // below those of roll calls, above all others of the library
constexpr int kQueries = 16;

struct ClockJob : Job {
  std::uint64_t mine = trace::clock_of_process();
  std::vector<std::uint64_t> clocks;  // by rank
  std::int64_t theirs_ns = 0;
};
using Clocks = std::unique_ptr<ClockJob>;

/// The number of each rank in MPI_COMM_WORLD.
std::vector<int> numbers_in_world(const Communicator &communicator) {
  std::vector<int> ranks(static_cast<std::size_t>(communicator.size())), numbers(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  int has_world = 0;
  MPI_Initialized(&has_world);
  if (!has_world) return ranks;  // a program with sessions alone
  MPI_Group world = MPI_GROUP_NULL, mine = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Comm_group(communicator.comm(), &mine);
  MPI_Group_translate_ranks(mine, communicator.size(), ranks.data(), world, numbers.data());
  MPI_Group_free(&mine);
  MPI_Group_free(&world);
  return numbers;
}

int size_of_world(const Communicator &communicator) {
  int ranks = communicator.size(), has_world = 0;
  MPI_Initialized(&has_world);
  if (has_world) MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

/// Plans are numbered per context. Rank 0 numbers the contexts whose rank 0 it is, so that no two contexts have one number.
Status number_context(Communicator &communicator) {
  static std::atomic<std::int64_t> opened{0};
  std::int64_t number = 0;
  if (communicator.rank() == 0)
    number = 1 + communicator.in_world(0) + size_of_world(communicator) * opened.fetch_add(1, std::memory_order_relaxed);
  HLC_TRY(reduce(communicator, communicator.comm(), MPI_MAX, &number, 1));
  communicator.set_number(number);
  return Status::ok;
}

/// The lowest rank that has no file says so for all.
Status report_closed(Communicator &communicator, Status opened) {
  std::int64_t first = failed(opened) ? communicator.rank() : communicator.size(), count = failed(opened) ? 1 : 0;
  const std::string why = failed(opened) ? error_message() : "";
  HLC_TRY(reduce(communicator, communicator.comm(), MPI_MIN, &first, 1));
  HLC_TRY(reduce(communicator, communicator.comm(), MPI_SUM, &count, 1));
  if (first == communicator.rank())
    report_once("trace", "open", "%s (%lld of %d ranks)", why.c_str(), static_cast<long long>(count), communicator.size());
  return Status::ok;
}

Status open_file(Communicator &communicator, const std::string &folder, unsigned *uses) {
  const Status opened = alone(communicator, [&] {
    return trace::open(folder, {communicator.in_world(communicator.rank()), size_of_world(communicator), trace::clock_of_process()});
  });
  if (opened != Status::ok) *uses &= ~static_cast<unsigned>(trace::kTrace);
  return report_closed(communicator, opened);
}

Status gather_clocks(Communicator &communicator, Clocks &job) {
  HLC_TRY(prepare(communicator, communicator.comm(), [&] {
    job = std::make_unique<ClockJob>();
    job->clocks.resize(static_cast<std::size_t>(communicator.size()));
    job->requests.resize(1);
    return Status::ok;
  }));
  HLC_TRY(
      check_mpi(MPI_Iallgather(&job->mine, 1, MPI_UINT64_T, job->clocks.data(), 1, MPI_UINT64_T, communicator.comm(), job->requests.data()),
                "MPI_Iallgather"));
  return await(communicator, job);
}

/// True for the first rank of its clock, unless that is rank 0's.
bool asks(const std::vector<std::uint64_t> &clocks, int rank) {
  const auto mine = clocks.begin() + rank;
  return std::find(clocks.begin(), mine, *mine) == mine && rank > 0;
}

Status send_time(Communicator &communicator, int to, Clocks &job) {
  HLC_TRY(check_mpi(MPI_Isend(&job->theirs_ns, 1, MPI_INT64_T, to, kClockTag, communicator.comm(), job->requests.data()), "MPI_Isend"));
  return await(communicator, job);
}

Status receive_time(Communicator &communicator, int from, Clocks &job) {
  HLC_TRY(check_mpi(MPI_Irecv(&job->theirs_ns, 1, MPI_INT64_T, from, kClockTag, communicator.comm(), job->requests.data()), "MPI_Irecv"));
  return await(communicator, job);
}

Status answer_queries(Communicator &communicator, int from, Clocks &job) {
  for (int i = 0; i < kQueries; ++i) {
    HLC_TRY(receive_time(communicator, from, job));
    job->theirs_ns = now_ns();
    HLC_TRY(send_time(communicator, from, job));
  }
  return Status::ok;
}

Status ask(Communicator &communicator, Clocks &job) {
  trace::ClockSample best{communicator.in_world(0), job->clocks[0], 0, 0, INT64_MAX};
  for (int i = 0; i < kQueries; ++i) {
    const std::int64_t before = now_ns();
    HLC_TRY(send_time(communicator, 0, job));
    HLC_TRY(receive_time(communicator, 0, job));
    const std::int64_t after = now_ns(), at = before + (after - before) / 2;
    if (after - before >= best.round_trip_ns) continue;
    best.at_ns = at;
    best.offset_ns = job->theirs_ns - at;
    best.round_trip_ns = after - before;
  }
  trace::add_clock(communicator.in_world(communicator.rank()), best);
  return Status::ok;
}

Status compare_clocks(Communicator &communicator) {
  Clocks job;
  HLC_TRY(gather_clocks(communicator, job));
  if (communicator.rank() > 0) return asks(job->clocks, communicator.rank()) ? ask(communicator, job) : Status::ok;
  for (int rank = 1; rank < communicator.size(); ++rank)
    if (asks(job->clocks, rank)) HLC_TRY(answer_queries(communicator, rank, job));
  return Status::ok;
}

}  // namespace

Status open_trace(Communicator &communicator) {
  std::string folder;
  unsigned uses = trace::wanted(&folder);
  if (uses == 0) return Status::ok;
  HLC_TRY(prepare(communicator, communicator.comm(), [&] {
    communicator.number_in_world(numbers_in_world(communicator));
    return Status::ok;
  }));
  HLC_TRY(number_context(communicator));
  if (!folder.empty()) {
    HLC_TRY(open_file(communicator, folder, &uses));
    HLC_TRY(compare_clocks(communicator));
  }
  trace::begin(uses);
  return Status::ok;
}

Status close_trace(Communicator &communicator) {
  std::string folder;
  if (trace::wanted(&folder) == 0) return Status::ok;
  trace::flush();
  if (communicator.rank() == 0) trace::print_lines();
  return folder.empty() ? Status::ok : compare_clocks(communicator);
}

}  // namespace halocline::core
