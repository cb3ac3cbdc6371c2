// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collectives/allreduce.hpp"

#include "bench/frame/json.hpp"
#include "bench/latency/tcp.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>

namespace bench {

namespace {

/// Element i of a rank's array.
double element(int rank, std::int64_t i) { return 1.0 + 1e-3 * rank + 1e-7 * static_cast<double>(i % 1009 + 1); }

constexpr std::size_t kLine = 64 / sizeof(double);

enum : std::size_t { kOurs, kOursShared, kMpi, kLimit, kSeries };

/// One size: the arrays, and the four that work on them.
class AllreduceRace {
 public:
  /// `wire`: of the two ranks, where each is a node of its own; else NULL.
  AllreduceRace(const halocline::Context &context, MPI_Comm comm, std::int64_t bytes, const PairOptions &options, const Connection *wire)
      : comm_(comm),
        options_(options),
        in_(static_cast<std::size_t>((bytes + 7) / 8)),
        out_(in_.size()),
        shared_in_(context, in_.size()),
        shared_out_(context, in_.size()),
        plan_(context, static_cast<std::int64_t>(in_.size()), halocline::Reduction::sum) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    for (std::size_t i = 0; i < in_.size(); ++i) in_[i] = shared_in_[i] = element(rank_, static_cast<std::int64_t>(i));
    const auto count = static_cast<int>(in_.size());
    calls_ = {[this] { plan_.run(in_.data(), out_.data()); }, [this] { plan_.run(shared_in_.data(), shared_out_.data()); },
              [this, count] { MPI_Allreduce(in_.data(), out_.data(), count, MPI_DOUBLE, MPI_SUM, comm_); },
              [this] { std::memcpy(out_.data(), in_.data(), in_.size() * sizeof(double)); }};
    if (wire)
      calls_[kLimit] = [this, wire] {
        const auto moved = static_cast<std::int64_t>(in_.size() * sizeof(double));
        exchange(*wire, reinterpret_cast<const char *>(in_.data()), reinterpret_cast<char *>(out_.data()), moved);
      };
    row_.bytes = static_cast<std::int64_t>(in_.size() * sizeof(double));
    row_.series = {{"halocline", {}}, {"halocline_shared", {}}, {"MPI", {}}, {"limit", {}}};
  }

  AllreduceRow run(std::mt19937_64 &random) {
    verify();
    std::array<int, kSeries> counts{};
    for (std::size_t k = 0; k < calls_.size(); ++k) counts[k] = count_for(std::max(sample(k, 1), sample(k, 1)));
    for (int round = 0; round < options_.repetitions; ++round) {
      std::array<std::size_t, kSeries> order{kOurs, kOursShared, kMpi, kLimit};
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

  /// All begin together; the slowest counts. Before each call a rank writes all lines of its array anew, as a solver does, which is not timed:
  /// so nobody finds another's array in its own cache.
  double sample(std::size_t k, int count) {
    double *in = k == kOursShared ? shared_in_.data() : in_.data();
    meet(comm_);
    double seconds = 0;
    for (int i = -1; i < count; ++i) {
      for (std::size_t e = 0; e < in_.size(); e += kLine) in[e] = element(rank_, static_cast<std::int64_t>(e));
      const double begin = MPI_Wtime();
      calls_[k]();
      if (i >= 0) seconds += MPI_Wtime() - begin;
    }
    return slowest(seconds / count * 1e6, comm_);
  }

  /// The library's sum and MPI's differ from the serial one by no more than rounding, and the library's has the same bits on all ranks.
  void verify() {
    for (const std::size_t k : {kOurs, kOursShared, kMpi}) {
      double *out = k == kOursShared ? shared_out_.data() : out_.data();
      std::fill_n(out, out_.size(), -1.0);
      calls_[k]();
      std::int64_t wrong = 0;
      for (std::size_t i = 0; i < out_.size(); ++i) {
        double sum = 0;
        for (int r = 0; r < size_; ++r) sum += element(r, static_cast<std::int64_t>(i));
        wrong += std::fabs(out[i] - sum) > 1e-12 * sum ? 1 : 0;
      }
      MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, comm_);
      if (wrong > 0)
        throw std::runtime_error(row_.series[k].name + ": " + std::to_string(wrong) + " wrong elements of " + std::to_string(out_.size()));
      if (k != kMpi) compare_bits(out);
    }
  }

  void compare_bits(const double *out) {
    std::uint64_t hash = 1469598103934665603u;
    for (std::size_t i = 0; i < out_.size(); ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, &out[i], sizeof word);
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
    row_.ratio = ratio_of(row_.series[kMpi], row_.series[kOurs]);
    row_.ratio_shared = ratio_of(row_.series[kMpi], row_.series[kOursShared]);
  }

  static AllreduceRatio ratio_of(const AllreduceSeries &mpi, const AllreduceSeries &ours) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < ours.samples_us.size(); ++i) ratios.push_back(mpi.samples_us[i] / ours.samples_us[i]);
    return {mpi.median_us / ours.median_us, quantile(ratios, 0.1), quantile(ratios, 0.9)};
  }

  MPI_Comm comm_;
  const PairOptions &options_;
  int rank_ = 0, size_ = 1;
  std::vector<double> in_, out_;
  halocline::SharedArray<double> shared_in_, shared_out_;
  halocline::Allreduce<double> plan_;
  std::array<std::function<void()>, kSeries> calls_;
  AllreduceRow row_;
};

}  // namespace

AllreduceReport run_allreduce(MPI_Comm comm, const PairOptions &options, int argc, char **argv) {
  const halocline::Context context(comm);
  AllreduceReport report;
  std::mt19937_64 random(options.seed);
  report.limit = "every rank copies its array";
  std::optional<Connection> wire;
  const hlc_context_info_t where = context.info();
  if (where.nodes == 2 && where.size == 2) {
    // The network is named once a plan has opened it.
    const halocline::Allreduce<double> opening(context, 1, halocline::Reduction::sum);
    wire.emplace(Pair{comm, where.rank}, context.network());
    report.limit = "raw TCP, " + wire->description() + ": all bytes of an array both ways at the same time, which is what must go round";
  }
  for (const std::int64_t bytes : options.sizes)
    if (bytes <= options.largest) report.rows.push_back(AllreduceRace(context, comm, bytes, options, wire ? &*wire : nullptr).run(random));
  report.environment = find_environment(context, argc, argv);
  report.network = context.network();
  return report;
}

std::string table_of(const AllreduceReport &report) {
  std::vector<Cells> rows{{"bytes", "halocline us", "spread", "its arrays shared", "spread", "MPI us", "spread", "MPI/halocline", "spread",
                           "MPI/shared", "spread", "limit us", "to the limit", "shared to it"}};
  for (const AllreduceRow &row : report.rows) {
    Cells cells{std::to_string(row.bytes)};
    for (const std::size_t k : {kOurs, kOursShared, kMpi}) {
      cells.push_back(significant(row.series[k].median_us));
      cells.push_back(significant(row.series[k].p10_us) + " - " + significant(row.series[k].p90_us));
    }
    for (const AllreduceRatio &ratio : {row.ratio, row.ratio_shared}) {
      cells.push_back(number(ratio.median, 2));
      cells.push_back(number(ratio.p10, 2) + " - " + number(ratio.p90, 2));
    }
    const double limit_us = row.series[kLimit].median_us;
    cells.push_back(significant(limit_us));
    for (const std::size_t k : {kOurs, kOursShared}) cells.push_back(number(limit_us > 0 ? row.series[k].median_us / limit_us : 0, 2));
    rows.push_back(cells);
  }
  std::string text = title_of("Sums over all ranks", report.environment);
  if (report.environment.context.nodes > 1) text += "network: " + report.network + "\n";
  if (report.environment.oversubscribed()) text += "The ranks share cores: all times hold their waiting for one.\n";
  text += "limit: " + report.limit + "\n";
  return text + "Microseconds of the slowest rank; a ratio above 1: the library is faster\n" + drawn(rows);
}

namespace {

Json of(const AllreduceRatio &ratio) { return {{"median", ratio.median}, {"p10", ratio.p10}, {"p90", ratio.p90}}; }

std::vector<ResultRow> rows_of(const AllreduceReport &report) {
  static const std::map<std::string, const char *> ways{
      {"halocline", "engine"}, {"halocline_shared", "engine, shared arrays"}, {"MPI", "host"}};
  std::vector<ResultRow> rows;
  for (const AllreduceRow &row : report.rows)
    for (const AllreduceSeries &series : row.series)
      if (const auto way = ways.find(series.name); way != ways.end())
        rows.push_back({"allreduce", way->second, row.bytes, series.samples_us, row.series[kLimit].median_us});
  return rows;
}

}  // namespace

Document document_of(const AllreduceReport &report) {
  Json sizes = Json::array();
  for (const AllreduceRow &row : report.rows) {
    Json size = {{"bytes", row.bytes}, {"ratio", of(row.ratio)}, {"ratio_shared", of(row.ratio_shared)}};
    for (const AllreduceSeries &series : row.series)
      size[series.name] = {
          {"median_us", series.median_us}, {"p10_us", series.p10_us}, {"p90_us", series.p90_us}, {"samples_us", series.samples_us}};
    sizes.push_back(size);
  }
  return {{"allreduce", report.environment, rows_of(report)}, {{"network", report.network}, {"limit", report.limit}, {"sizes", sizes}}};
}

}  // namespace bench
