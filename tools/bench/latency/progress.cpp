// SPDX-License-Identifier: BSD-3-Clause
#include "bench/latency/progress.hpp"

#include "bench/frame/work.hpp"
#include "bench/latency/contexts.hpp"
#include "bench/latency/pair.hpp"

#include <cstring>
#include <list>
#include <stdexcept>

namespace bench {

namespace {

/// Rank 0 puts, rank 1 computes.
class Trial {
 public:
  Trial(const ContextWith &with, std::int64_t bytes, MPI_Comm comm)
      : segment_(with.context(), bytes), comm_(comm), message_(static_cast<std::size_t>(bytes)), row_{bytes, with.progress(), {}, {}, 0, 0,
                                                                                                      false} {
    MPI_Comm_rank(comm, &rank_);
    require_reach(segment_, {comm, rank_});
  }

  void round(Work &work, double compute_us) {
    std::memset(message_.data(), ++round_, message_.size());
    double us[2] = {0, 0};
    meet(comm_);
    const double begin = MPI_Wtime();
    if (rank_ == 0)
      put();
    else
      work.compute(work.steps_for(compute_us));
    us[rank_] = (MPI_Wtime() - begin) * 1e6;
    // The target comes to the library at last, and stays until the put is complete: who waits inside MPI serves nobody.
    segment_.barrier();
    MPI_Allreduce(MPI_IN_PLACE, us, 2, MPI_DOUBLE, MPI_MAX, comm_);
    verify();
    row_.completion_us.push_back(us[0]);
    row_.compute_us.push_back(us[1]);
  }

  /// A round whose samples do not count; the target computes for a millisecond.
  void warm_up(Work &work) {
    round(work, 1e3);
    row_.completion_us.clear();
    row_.compute_us.clear();
  }

  ProgressRow result() {
    row_.median_completion_us = median(row_.completion_us);
    row_.median_compute_us = median(row_.compute_us);
    std::size_t waited = 0;
    for (std::size_t i = 0; i < row_.completion_us.size(); ++i) waited += row_.completion_us[i] >= row_.compute_us[i] ? 1 : 0;
    row_.waits = 2 * waited >= row_.completion_us.size();
    return row_;
  }

 private:
  void put() {
    segment_.put({1, 0}, message_.data(), row_.bytes);
    segment_.flush(1);
  }

  void verify() {
    const bool right = rank_ == 0 || std::memcmp(segment_.data<char>(), message_.data(), message_.size()) == 0;
    if (!on_both(right, comm_))
      throw std::runtime_error("wrong bytes: a put of " + std::to_string(row_.bytes) + " bytes was flushed and is not there");
  }

  halocline::Segment segment_;
  MPI_Comm comm_;
  std::vector<char> message_;
  ProgressRow row_;
  int rank_ = 0, round_ = 0;
};

}  // namespace

ProgressReport run_progress(MPI_Comm comm, const ProgressOptions &options, int argc, char **argv) {
  std::list<ContextWith> contexts = all_progress(comm);
  contexts.emplace_back("helper", comm);  // it serves puts; in a swap, which overlap measures, it has no part
  Work work;
  std::mt19937_64 random(options.seed);
  ProgressReport report;
  for (const std::int64_t bytes : options.sizes) {
    std::list<Trial> trials;
    for (const ContextWith &with : contexts) trials.emplace_back(with, bytes, comm);
    for (Trial &trial : trials) trial.warm_up(work);
    for (int round = 0; round < options.repetitions; ++round)
      for (Trial *trial : shuffled(trials, random)) trial->round(work, options.compute_ms * 1e3);
    for (Trial &trial : trials) report.rows.push_back(trial.result());
  }
  report.environment = find_environment(contexts.front().context(), argc, argv);
  report.network = contexts.back().network();
  return report;
}

std::string table_of(const ProgressReport &report) {
  std::vector<Cells> rows{{"bytes", "put and flush ms", "least", "most", "target computes ms", "waits for it", "progress"}};
  for (const ProgressRow &row : report.rows)
    rows.push_back({std::to_string(row.bytes), number(row.median_completion_us * 1e-3, 3), number(quantile(row.completion_us, 0) * 1e-3, 3),
                    number(quantile(row.completion_us, 1) * 1e-3, 3), number(row.median_compute_us * 1e-3, 1), row.waits ? "yes" : "no",
                    row.progress});
  return title_of("A put to a rank that computes and does not call the library", report.environment) + "network: " + report.network + "\n" +
         drawn(rows);
}

Document document_of(const ProgressReport &report) {
  Json sizes = Json::array();
  for (const ProgressRow &row : report.rows)
    sizes.push_back({{"bytes", row.bytes},
                     {"progress", row.progress},
                     {"completion_us", row.median_completion_us},
                     {"compute_us", row.median_compute_us},
                     {"waits_for_target", row.waits},
                     {"samples_us", {{"completion", row.completion_us}, {"compute", row.compute_us}}}});
  Results results{"progress", report.environment, {}};
  for (const ProgressRow &row : report.rows)
    results.rows.push_back({"put + flush to a rank that computes", row.progress, row.bytes, row.completion_us});
  return {results, {{"network", report.network}, {"sizes", sizes}}};
}

}  // namespace bench
