// SPDX-License-Identifier: BSD-3-Clause
#include "bench/latency/overlap.hpp"

#include "bench/frame/work.hpp"
#include "bench/latency/contexts.hpp"
#include "bench/latency/pair.hpp"

#include <list>
#include <stdexcept>

namespace bench {

namespace {

/// A line of cells, split between the ranks: one message of `bytes` each way.
class Line {
 public:
  Line(const ContextWith &with, std::int64_t bytes)
      : cells_(bytes / 8),
        grid_(with.context(), {2 * cells_}),
        field_(with.context(), grid_, cells_),
        halo_(with.context(), grid_, {field_}) {
    for (std::int64_t i = 0; i < cells_; ++i) field_(i) = static_cast<double>(grid_.start(0) + i + 1);
  }
  void start() { halo_.start(); }
  void finish() { halo_.finish(); }
  /// True if the halo towards the other rank holds what that rank has there.
  bool is_right() const {
    const std::int64_t first = grid_.start(0) == 0 ? cells_ : -cells_;
    for (std::int64_t i = first; i < first + cells_; ++i)
      if (field_(i) != static_cast<double>(grid_.start(0) + i + 1)) return false;
    return true;
  }

 private:
  std::int64_t cells_;
  halocline::Grid grid_;
  halocline::Field<double, 1> field_;
  halocline::Halo halo_;
};

/// One kind of progress at one size.
class Contest {
 public:
  Contest(const ContextWith &with, std::int64_t bytes, MPI_Comm comm)
      : line_(with, bytes), comm_(comm), row_{bytes, with.progress(), {}, 0, 0, 0, 0, 0} {}

  void round(Work &work) {
    const double communication = timed([&] {
      line_.start();
      line_.finish();
    });
    // Slightly more than the communication takes, so that all of it could hide.
    const std::int64_t steps = work.steps_for(1.1 * communication);
    const double compute = timed([&] { work.compute(steps); });
    double start = 0;
    const double combined = timed([&] {
      const double begin = MPI_Wtime();
      line_.start();
      start = (MPI_Wtime() - begin) * 1e6;
      work.compute(steps);
      line_.finish();
    });
    OverlapSamples &samples = row_.samples;
    samples.communication_us.push_back(communication);
    samples.compute_us.push_back(compute);
    samples.combined_us.push_back(combined);
    samples.start_us.push_back(slowest(start, comm_));
  }

  /// A round whose samples do not count.
  void warm_up(Work &work) {
    round(work);
    row_.samples = {};
  }

  bool is_right() const { return on_both(line_.is_right(), comm_); }

  OverlapRow result() {
    const OverlapSamples &samples = row_.samples;
    std::vector<double> hidden;
    for (std::size_t i = 0; i < samples.combined_us.size(); ++i)
      hidden.push_back(100 * (samples.communication_us[i] + samples.compute_us[i] - samples.combined_us[i]) / samples.communication_us[i]);
    row_.communication_us = median(samples.communication_us);
    row_.start_us = median(samples.start_us);
    row_.compute_us = median(samples.compute_us);
    row_.combined_us = median(samples.combined_us);
    row_.hidden_percent = median(hidden);
    return row_;
  }

 private:
  /// Both begin together; the slower one counts.
  template <class Step>
  double timed(Step step) {
    meet(comm_);
    const double begin = MPI_Wtime();
    step();
    return slowest((MPI_Wtime() - begin) * 1e6, comm_);
  }

  Line line_;
  MPI_Comm comm_;
  OverlapRow row_;
};

}  // namespace

OverlapReport run_overlap(MPI_Comm comm, const CommonOptions &options, int argc, char **argv) {
  std::list<ContextWith> contexts = all_progress(comm);
  Work work;
  std::mt19937_64 random(options.seed);
  OverlapReport report;
  for (const std::int64_t bytes : options.sizes) {
    std::list<Contest> contests;
    for (const ContextWith &with : contexts) contests.emplace_back(with, bytes, comm);
    for (Contest &contest : contests) contest.warm_up(work);
    for (int round = 0; round < options.repetitions; ++round)
      for (Contest *contest : shuffled(contests, random)) contest->round(work);
    for (Contest &contest : contests) {
      if (!contest.is_right()) throw std::runtime_error("wrong halo: " + std::to_string(bytes) + " bytes");
      report.rows.push_back(contest.result());
    }
  }
  report.environment = find_environment(contexts.front().context(), argc, argv);
  report.network = contexts.back().network();
  return report;
}

std::string table_of(const OverlapReport &report) {
  std::vector<Cells> rows{{"bytes", "swap us", "start us", "compute us", "combined us", "hidden", "progress"}};
  for (const OverlapRow &row : report.rows)
    rows.push_back({std::to_string(row.bytes), significant(row.communication_us), significant(row.start_us), significant(row.compute_us),
                    significant(row.combined_us), number(row.hidden_percent, 0, " %"), row.progress});
  return title_of("Overlap of a halo swap with computation", report.environment) + "network: " + report.network + "\n" + drawn(rows) +
         "hidden: swap + compute - combined, as a part of swap. The computation is counted in steps: a thread that takes its core makes it "
         "longer.\n";
}

Document document_of(const OverlapReport &report) {
  Json sizes = Json::array();
  for (const OverlapRow &row : report.rows)
    sizes.push_back({{"bytes", row.bytes},
                     {"progress", row.progress},
                     {"communication_us", row.communication_us},
                     {"start_us", row.start_us},
                     {"compute_us", row.compute_us},
                     {"combined_us", row.combined_us},
                     {"hidden_percent", row.hidden_percent},
                     {"samples_us",
                      {{"communication", row.samples.communication_us},
                       {"start", row.samples.start_us},
                       {"compute", row.samples.compute_us},
                       {"combined", row.samples.combined_us}}}});
  Results results{"overlap", report.environment, {}};
  for (const OverlapRow &row : report.rows) {
    const OverlapSamples &samples = row.samples;
    results.rows.push_back({"swap", row.progress, row.bytes, samples.communication_us});
    results.rows.push_back({"swap with computation", row.progress, row.bytes, samples.combined_us, row.compute_us});
  }
  return {results, {{"network", report.network}, {"sizes", sizes}}};
}

}  // namespace bench
