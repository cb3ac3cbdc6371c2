// Gathers the rows, and lays out the table.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/summary.hpp"

#include <algorithm>
#include <cstdio>

#include "base/printed.hpp"
#include "trace/recorder.hpp"

namespace halocline::core {
namespace {

constexpr std::size_t kMostRows = 16;
constexpr int kNumbers = 10;

struct SummaryJob : Job {
  std::vector<std::int64_t> mine, all;           // the numbers of rows
  std::vector<std::int64_t> waits, waits_of_all;  // by rank of the plan
};

std::vector<std::int64_t> numbers_of(const Communicator &communicator, const RoundTimes &times) {
  return {communicator.in_world(communicator.rank()),
          times.rounds,
          times.bytes_out,
          times.bytes_in,
          times.in_calls,
          times.least,
          times.most,
          times.waits,
          times.begun_ns,
          times.ended_ns};
}

SummaryRow row_of(const std::int64_t *numbers, std::int64_t awaited) {
  const RoundTimes times{numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6], numbers[7], numbers[8], numbers[9]};
  return {numbers[0], times, awaited};
}

/// Room for what is gathered, and this rank's part of it.
void fill(const Plan &plan, const RoundTrace &trace, SummaryJob &job) {
  const auto ranks = static_cast<std::size_t>(plan.communicator->size());
  job.mine = numbers_of(*plan.communicator, trace.times());
  job.all.resize(ranks * kNumbers);
  job.waits.resize(ranks);
  job.waits_of_all.resize(ranks);
  for (std::size_t e = 0; e < trace.waits_by_edge().size(); ++e)
    job.waits[static_cast<std::size_t>(plan.edges[e].rank)] += trace.waits_by_edge()[e];
  job.requests.resize(2, MPI_REQUEST_NULL);
}

Status gather(const Plan &plan, std::unique_ptr<SummaryJob> &job) {
  HLC_TRY(check_mpi(
      MPI_Igather(job->mine.data(), kNumbers, MPI_INT64_T, job->all.data(), kNumbers, MPI_INT64_T, 0, plan.comm, &job->requests[0]),
      "MPI_Igather"));
  HLC_TRY(check_mpi(MPI_Iallreduce(job->waits.data(), job->waits_of_all.data(), static_cast<int>(job->waits.size()), MPI_INT64_T, MPI_SUM,
                                   plan.comm, &job->requests[1]),
                    "MPI_Iallreduce"));
  return await(*plan.communicator, job);
}

std::string name_of(const Plan &plan) {
  const std::string number = "plan " + std::to_string(plan.serial);
  return plan.options.name.empty() ? number : "'" + plan.options.name + "' (" + number + ")";
}

double share(std::int64_t part, std::int64_t whole) { return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0; }

/// The time in which a rank did not wait, from its first start to its last finish.
std::int64_t busy_ns(const SummaryRow &row) { return row.times.ended_ns - row.times.begun_ns - row.times.waits; }

/// By how much the busiest rank exceeds the mean.
double imbalance(const std::vector<SummaryRow> &rows) {
  std::int64_t most = 0, sum = 0;
  for (const SummaryRow &row : rows) {
    most = std::max(most, busy_ns(row));
    sum += busy_ns(row);
  }
  return sum > 0 ? share(most, sum) * static_cast<double>(rows.size()) - 1 : 0;
}

std::string line_of(const SummaryRow &row) {
  const RoundTimes &times = row.times;
  return printed("halocline: %6lld %9lld %11.3f %9.2f %9.2f %9.2f %7.1f%% %14.3f", static_cast<long long>(row.rank),
                 static_cast<long long>(times.rounds), static_cast<double>(times.bytes_out) / 1e6, static_cast<double>(times.least) / 1e3,
                 share(times.in_calls, times.rounds) / 1e3, static_cast<double>(times.most) / 1e3, 100 * share(times.waits, times.in_calls),
                 static_cast<double>(row.awaited) / 1e6);
}

/// Which rank waits most, and for which the others wait most.
std::string verdict(const std::vector<SummaryRow> &rows) {
  const auto waits = [](const SummaryRow &a, const SummaryRow &b) { return a.times.waits < b.times.waits; };
  const auto late = [](const SummaryRow &a, const SummaryRow &b) { return a.awaited < b.awaited; };
  const SummaryRow &most = *std::max_element(rows.begin(), rows.end(), waits);
  const SummaryRow &latest = *std::max_element(rows.begin(), rows.end(), late);
  std::string text = printed("halocline: imbalance of the time between waits %.1f%%; rank %lld waits most", 100 * imbalance(rows),
                             static_cast<long long>(most.rank));
  if (latest.awaited <= 0) return text;
  std::int64_t all = 0, known = 0;
  for (const SummaryRow &row : rows) all += row.times.waits, known += row.awaited;
  return text + printed("; of %.0f%% it is known for whom, most of that for rank %lld", 100 * std::min(1.0, share(known, all)),
                        static_cast<long long>(latest.rank));
}

/// Those that the others wait for most, if there are many.
void shorten(std::vector<SummaryRow> &rows) {
  if (rows.size() <= kMostRows) return;
  std::sort(rows.begin(), rows.end(),
            [](const SummaryRow &a, const SummaryRow &b) { return a.awaited != b.awaited ? a.awaited > b.awaited : a.rank < b.rank; });
  rows.resize(kMostRows);
}

}  // namespace

std::vector<std::string> summary_lines(const std::string &name, std::vector<SummaryRow> rows) {
  std::vector<std::string> lines{printed("halocline: swaps of %s by %zu ranks (HALOCLINE_SUMMARY)", name.c_str(), rows.size()),
                                 "halocline:   rank     swaps     MB sent  us least   us mean   us most   waits  ms awaited by others"};
  const std::string last = verdict(rows);
  const std::size_t count = rows.size();
  shorten(rows);
  for (const SummaryRow &row : rows) lines.push_back(line_of(row));
  if (rows.size() < count) lines.push_back(printed("halocline:   and %zu ranks for which the others waited less", count - rows.size()));
  lines.push_back(last);
  return lines;
}

Status summarise(const Plan &plan, const RoundTrace &trace) {
  std::unique_ptr<SummaryJob> job;
  HLC_TRY(prepare(*plan.communicator, plan.comm, [&] {
    job = std::make_unique<SummaryJob>();
    fill(plan, trace, *job);
    return Status::ok;
  }));
  HLC_TRY(gather(plan, job));
  if (plan.communicator->rank() > 0) return Status::ok;
  return alone(*plan.communicator, [&] {
    std::vector<SummaryRow> rows;
    for (std::size_t rank = 0; rank < job->waits_of_all.size(); ++rank)
      rows.push_back(row_of(&job->all[rank * kNumbers], job->waits_of_all[rank]));
    for (const std::string &line : summary_lines(name_of(plan), rows)) trace::add_line(line);
    return Status::ok;
  });
}

}  // namespace halocline::core
