// SPDX-License-Identifier: BSD-3-Clause
#include "allreduce.hpp"

#include "drawing.hpp"
#include "json.hpp"
#include "statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>

namespace bench {

namespace {

double slowest(double mine, MPI_Comm comm) {
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, comm);
  return all;
}

/// Element i of a rank's array.
double element(int rank, std::int64_t i) { return 1.0 + 1e-3 * rank + 1e-7 * static_cast<double>(i % 1009 + 1); }

/// One size: the arrays, and the three that work on them.
class AllreduceRace {
 public:
  AllreduceRace(const halocline::Context &context, MPI_Comm comm, std::int64_t bytes, const PairOptions &options)
      : comm_(comm),
        options_(options),
        in_(static_cast<std::size_t>((bytes + 7) / 8)),
        out_(in_.size()),
        plan_(context, static_cast<std::int64_t>(in_.size()), halocline::Reduction::sum) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    for (std::size_t i = 0; i < in_.size(); ++i) in_[i] = element(rank_, static_cast<std::int64_t>(i));
    const auto count = static_cast<int>(in_.size());
    calls_ = {[this] { plan_.run(in_.data(), out_.data()); },
              [this, count] { MPI_Allreduce(in_.data(), out_.data(), count, MPI_DOUBLE, MPI_SUM, comm_); },
              [this] { std::memcpy(out_.data(), in_.data(), in_.size() * sizeof(double)); }};
    row_.bytes = static_cast<std::int64_t>(in_.size() * sizeof(double));
    row_.series = {{"halocline", {}}, {"MPI", {}}, {"limit", {}}};
  }

  AllreduceRow run(std::mt19937_64 &random) {
    verify();
    std::array<int, 3> counts{};
    for (std::size_t k = 0; k < calls_.size(); ++k) counts[k] = count_for(std::max(sample(k, 1), sample(k, 1)));
    for (int round = 0; round < options_.repetitions; ++round) {
      std::array<std::size_t, 3> order{0, 1, 2};
      std::shuffle(order.begin(), order.end(), random);
      for (const std::size_t k : order) {
        const double us = sample(k, counts[k]);
        row_.series[k].samples_us.push_back(us);
        counts[k] = std::min(2 * counts[k], count_for(us));
      }
    }
    verify();
    conclude();
    return row_;
  }

 private:
  int count_for(double us) const {
    return static_cast<int>(std::clamp(std::ceil(options_.sample_ms * 1e3 / std::max(us, 0.01)), 1.0, 1e5));
  }

  /// All begin together; the slowest counts.
  double sample(std::size_t k, int count) {
    MPI_Barrier(comm_);
    calls_[k]();
    const double begin = MPI_Wtime();
    for (int i = 0; i < count; ++i) calls_[k]();
    return slowest((MPI_Wtime() - begin) / count * 1e6, comm_);
  }

  /// The library's sum and MPI's differ from the serial one by no more than rounding, and the library's has the same bits on all ranks.
  void verify() {
    for (std::size_t k = 0; k < 2; ++k) {
      std::fill(out_.begin(), out_.end(), -1.0);
      calls_[k]();
      std::int64_t wrong = 0;
      for (std::size_t i = 0; i < out_.size(); ++i) {
        double sum = 0;
        for (int r = 0; r < size_; ++r) sum += element(r, static_cast<std::int64_t>(i));
        wrong += std::fabs(out_[i] - sum) > 1e-12 * sum ? 1 : 0;
      }
      MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, comm_);
      if (wrong > 0)
        throw std::runtime_error(row_.series[k].name + ": " + std::to_string(wrong) + " wrong elements of " + std::to_string(out_.size()));
      if (k == 0) compare_bits();
    }
  }

  void compare_bits() {
    std::uint64_t hash = 1469598103934665603u;
    for (const double value : out_) {
      std::uint64_t word = 0;
      std::memcpy(&word, &value, sizeof word);
      hash = (hash ^ word) * 1099511628211u;
    }
    std::uint64_t first = hash;
    MPI_Bcast(&first, 1, MPI_UINT64_T, 0, comm_);
    int differ = first != hash ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &differ, 1, MPI_INT, MPI_MAX, comm_);
    if (differ) throw std::runtime_error("the ranks have different results");
  }

  void conclude() {
    for (AllreduceSeries &series : row_.series) {
      series.median_us = median(series.samples_us);
      series.p10_us = quantile(series.samples_us, 0.1);
      series.p90_us = quantile(series.samples_us, 0.9);
    }
    std::vector<double> ratios;
    for (std::size_t i = 0; i < row_.series[0].samples_us.size(); ++i)
      ratios.push_back(row_.series[1].samples_us[i] / row_.series[0].samples_us[i]);
    row_.ratio = row_.series[1].median_us / row_.series[0].median_us;
    row_.ratio_p10 = quantile(ratios, 0.1);
    row_.ratio_p90 = quantile(ratios, 0.9);
  }

  MPI_Comm comm_;
  const PairOptions &options_;
  int rank_ = 0, size_ = 1;
  std::vector<double> in_, out_;
  halocline::Allreduce<double> plan_;
  std::array<std::function<void()>, 3> calls_;
  AllreduceRow row_;
};

}  // namespace

AllreduceReport run_allreduce(MPI_Comm comm, const PairOptions &options, int argc, char **argv) {
  const halocline::Context context(comm);
  AllreduceReport report;
  std::mt19937_64 random(options.seed);
  for (const std::int64_t bytes : options.sizes)
    if (bytes <= options.largest) report.rows.push_back(AllreduceRace(context, comm, bytes, options).run(random));
  report.environment = find_environment(context, argc, argv);
  report.network = context.network();
  return report;
}

std::string table_of(const AllreduceReport &report) {
  std::vector<Cells> rows{{"bytes", "halocline us", "spread", "MPI us", "spread", "MPI/halocline", "spread", "copy us", "to the copy"}};
  for (const AllreduceRow &row : report.rows) {
    const AllreduceSeries &ours = row.series[0], &mpi = row.series[1], &copy = row.series[2];
    const auto spread = [](const AllreduceSeries &s) { return significant(s.p10_us) + " - " + significant(s.p90_us); };
    rows.push_back({std::to_string(row.bytes), significant(ours.median_us), spread(ours), significant(mpi.median_us), spread(mpi),
                    number(row.ratio, 2), number(row.ratio_p10, 2) + " - " + number(row.ratio_p90, 2), significant(copy.median_us),
                    number(copy.median_us > 0 ? ours.median_us / copy.median_us : 0, 2)});
  }
  std::string text = title_of("Sums over all ranks", report.environment);
  if (report.environment.context.nodes > 1) text += "network: " + report.network + "\n";
  if (report.environment.oversubscribed()) text += "The ranks share cores: all times hold their waiting for one.\n";
  return text + "Microseconds of the slowest rank; a ratio above 1: the library is faster\n" + drawn(rows);
}

void write_json(const AllreduceReport &report, const std::string &path) {
  Json sizes = Json::array();
  for (const AllreduceRow &row : report.rows) {
    Json size = {{"bytes", row.bytes}, {"ratio", row.ratio}, {"ratio_p10", row.ratio_p10}, {"ratio_p90", row.ratio_p90}};
    for (const AllreduceSeries &series : row.series)
      size[series.name] = {
          {"median_us", series.median_us}, {"p10_us", series.p10_us}, {"p90_us", series.p90_us}, {"samples_us", series.samples_us}};
    sizes.push_back(size);
  }
  Json all = opening("allreduce", report.environment, report.network);
  all["sizes"] = sizes;
  write_file(all, path);
}

}  // namespace bench
