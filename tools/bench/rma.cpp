// SPDX-License-Identifier: BSD-3-Clause
#include "rma.hpp"

#include "rma_tasks.hpp"

#include <common/handover.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <stdexcept>

namespace bench {

namespace {

enum RmaTurn : std::size_t { kLoadedTurn, kHostTurn, kLimitTurn, kRmaTurns };

constexpr double kMostCalls = 1e6;

class RmaRace {
 public:
  RmaRace(MPI_Comm comm, const PairOptions &options)
      : options_(options),
        ranks_(comm),
        handover_(ranks_.node),
        sides_{{{loaded_calls(), comm}, {host_calls(), comm}}},
        random_(options.seed) {}

  std::vector<RmaRow> run() {
    std::vector<RmaRow> rows;
    for (const RmaTask &task : rma_tasks(ranks_, options_.sizes, options_.parts)) rows.push_back(race(task));
    return rows;
  }

 private:
  RmaRow race(const RmaTask &task);
  double sample(const RmaTask &task, std::size_t turn, int count);
  double limit_of(const RmaTask &task, int count);
  double sample_side(const RmaTask &task, RmaSide &side, int count);
  void verify(const RmaTask &task, RmaSide &side, std::int64_t done);
  int least_count(const RmaTask &task, std::size_t turn);
  /// A sample takes as long as the options say; the slowest rank's time decides, so that all ranks have the same count.
  int count_for(double us, int least) const {
    return std::max(least, static_cast<int>(std::clamp(std::ceil(options_.sample_ms * 1e3 / std::max(us, 0.001)), 1.0, kMostCalls)));
  }

  const PairOptions &options_;
  RmaRanks ranks_;
  Handover handover_;
  std::array<RmaSide, 2> sides_;
  std::mt19937_64 random_;
};

/// Microseconds of one of `count` calls.
template <class Call>
double time_calls(int count, Call call) {
  const double begin = MPI_Wtime();
  for (int i = 0; i < count; ++i) {
    call();
    asm volatile("" ::: "memory");
  }
  return (MPI_Wtime() - begin) / count * 1e6;
}

RmaRow RmaRace::race(const RmaTask &task) {
  RmaRow row{task.part, task.operation, task.bytes};
  std::array<int, kRmaTurns> least{}, counts{};
  for (std::size_t turn = 0; turn < kRmaTurns; ++turn) {
    least[turn] = least_count(task, turn);
    counts[turn] = count_for(sample(task, turn, least[turn]), least[turn]);
  }
  const std::array<RmaSeries *, kRmaTurns> series{&row.loaded, &row.host, &row.limit};
  for (int round = 0; round < options_.repetitions; ++round) {
    std::array<std::size_t, kRmaTurns> order{kLoadedTurn, kHostTurn, kLimitTurn};
    std::shuffle(order.begin(), order.end(), random_);
    for (const std::size_t turn : order) {
      const double us = sample(task, turn, counts[turn]);
      series[turn]->samples.push_back(us);
      counts[turn] = std::min(2 * counts[turn], count_for(us, least[turn]));
    }
    row.ratio.samples.push_back(row.host.samples.back() / row.loaded.samples.back());
  }
  for (RmaSeries *one : {&row.loaded, &row.host, &row.limit, &row.ratio}) one->conclude();
  row.verified_bytes = 2 * task.verified * (options_.repetitions + 2);
  return row;
}

/// So many calls that more of them do not make each faster. With more ranks than cores the ranks begin a sample time slices apart, as the
/// host's barrier before it lets them.
int RmaRace::least_count(const RmaTask &task, std::size_t turn) {
  constexpr int kMore = 4;
  sample(task, turn, 1);
  int count = 3;
  double us = sample(task, turn, count);
  while (count * kMore < kMostCalls) {
    const double next = sample(task, turn, count * kMore);
    if (next * 1.5 > us) break;
    us = next;
    count *= kMore;
  }
  return count;
}

double RmaRace::sample(const RmaTask &task, std::size_t turn, int count) {
  ++ranks_.stamp;
  return turn == kLimitTurn ? limit_of(task, count) : sample_side(task, sides_[turn], count);
}

double RmaRace::limit_of(const RmaTask &task, int count) {
  if (!task.limit) return slowest(handover_.measure() * task.handovers, ranks_.comm);
  return slowest(ranks_.rank == 0 ? time_calls(count, task.limit) : 0, ranks_.comm);
}

/// `count` calls, and what they must leave.
double RmaRace::sample_side(const RmaTask &task, RmaSide &side, int count) {
  const bool fence = task.operation.rfind("fence", 0) == 0;
  if (task.prepare) {
    side.calls.lock(MPI_LOCK_EXCLUSIVE, ranks_.rank, 0, side.win);
    task.prepare(side);
    side.calls.unlock(ranks_.rank, side.win);
  }
  MPI_Barrier(ranks_.comm);
  if (fence) side.calls.fence(MPI_MODE_NOPRECEDE, side.win);
  const bool works = task.all_ranks || ranks_.rank == 0;
  if (task.in_epoch && works) side.calls.lock_all(0, side.win);
  const double mine = works ? time_calls(count, [&] { task.call(side); }) : 0;
  if (task.in_epoch && works) side.calls.unlock_all(side.win);
  if (fence) side.calls.fence(MPI_MODE_NOSUCCEED, side.win);
  const double us = slowest(mine, ranks_.comm);
  verify(task, side, count);
  return us;
}

void RmaRace::verify(const RmaTask &task, RmaSide &side, std::int64_t done) {
  side.calls.lock(MPI_LOCK_SHARED, ranks_.rank, 0, side.win);
  int wrong = task.right(side, done) ? 0 : 1;
  side.calls.unlock(ranks_.rank, side.win);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, ranks_.comm);
  if (wrong > 0)
    throw std::runtime_error(task.operation + " of " + std::to_string(task.bytes) + " bytes by " +
                             (&side == &sides_[kLoadedTurn] ? "MPI_" : "PMPI_") + " names: wrong data on " + std::to_string(wrong) +
                             " rank(s)");
}

}  // namespace

void RmaSeries::conclude() {
  median = bench::median(samples);
  p10 = quantile(samples, 0.1);
  p90 = quantile(samples, 0.9);
}

RmaReport run_rma(MPI_Comm comm, const PairOptions &options, int argc, char **argv) {
  RmaReport report;
  const halocline::Context context(comm);
  report.environment = find_environment(context, argc, argv);
  report.loaded = is_drop_in_loaded();
  if (size_of(comm) < 2) throw std::runtime_error("rma is for 2 ranks or more");
  report.rows = RmaRace(comm, options).run();
  const auto &parts = options.parts;
  if (report.loaded && std::find(parts.begin(), parts.end(), "interposition") != parts.end())
    report.interposition = measure_interposition(comm, options);
  return report;
}

}  // namespace bench
