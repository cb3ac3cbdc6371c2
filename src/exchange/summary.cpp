// Gathers the rows of all ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/summary.hpp"

#include <memory>

#include "engine/communicator/collective.hpp"
#include "trace/recorder.hpp"

namespace halocline::core {
namespace {

constexpr int kNumbers = 11;

struct SummaryJob : Job {
  std::vector<std::int64_t> mine, all;           // the numbers of rows
  std::vector<std::int64_t> waits, waits_of_all;  // by rank of the plan
};

std::vector<std::int64_t> numbers_of(const Topology &topology, const SwapSums &sums) {
  return {topology.in_world(topology.rank()),
          sums.swaps,
          sums.bytes_out,
          sums.bytes_in,
          sums.in_calls,
          sums.least,
          sums.most,
          sums.waits,
          sums.all_waits,
          sums.begun,
          sums.ended};
}

SummaryRow row_of(const std::int64_t *n, std::int64_t awaited) {
  return {n[0], {n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9], n[10]}, awaited};
}

/// Room for what is gathered, and this rank's part of it.
void fill(const Topology &topology, const SwapTimes &times, SummaryJob &job) {
  const auto ranks = static_cast<std::size_t>(topology.size());
  job.mine = numbers_of(topology, times.sums());
  job.all.resize(ranks * kNumbers);
  job.waits = times.waits_by_rank();
  job.waits.resize(ranks);
  job.waits_of_all.resize(ranks);
  job.requests.resize(2, MPI_REQUEST_NULL);
}

Status gather(Communicator &communicator, std::unique_ptr<SummaryJob> &job) {
  MPI_Comm comm = communicator.comm();
  HLC_TRY(
      check_mpi(MPI_Igather(job->mine.data(), kNumbers, MPI_INT64_T, job->all.data(), kNumbers, MPI_INT64_T, 0, comm, &job->requests[0]),
                "MPI_Igather"));
  HLC_TRY(check_mpi(MPI_Iallreduce(job->waits.data(), job->waits_of_all.data(), static_cast<int>(job->waits.size()), MPI_INT64_T, MPI_SUM,
                                   comm, &job->requests[1]),
                    "MPI_Iallreduce"));
  return await(communicator, job);
}

}  // namespace

Status summarise(Communicator &communicator, SwapTimes &times) {
  std::unique_ptr<SummaryJob> job;
  HLC_TRY(prepare(communicator, communicator.comm(), [&] {
    job = std::make_unique<SummaryJob>();
    fill(communicator, times, *job);
    return Status::ok;
  }));
  HLC_TRY(gather(communicator, job));
  if (communicator.rank() > 0) return Status::ok;
  return alone(communicator, [&] {
    std::vector<SummaryRow> rows;
    for (std::size_t rank = 0; rank < job->waits_of_all.size(); ++rank)
      rows.push_back(row_of(&job->all[rank * kNumbers], job->waits_of_all[rank]));
    for (const std::string &line : summary_lines(times.title(), rows)) trace::add_line(line);
    times.set_shown();
    return Status::ok;
  });
}

}  // namespace halocline::core
