// SPDX-License-Identifier: BSD-3-Clause
#include "library/allreduce.hpp"

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
  AllreduceRace(const halocline::Context &context, MPI_Comm comm, std::int64_t bytes, const AllreduceOptions &options,
                const Connection *wire)
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
    for (const char *name : {"halocline", "halocline_shared", "MPI", "limit"}) row_.series.push_back({name});
  }

  AllreduceRow run(std::mt19937_64 &random) {
    verify();
    const auto samples = sample_in_turn(kSeries, options_, random, [this](std::size_t k, int count) { return sample(k, count); });
    for (std::size_t k = 0; k < kSeries; ++k) {
      row_.series[k].samples = samples[k];
      row_.series[k].conclude();
    }
    verify();
    row_.ratio = ratio_of(row_.series[kMpi], row_.series[kOurs]);
    row_.ratio_shared = ratio_of(row_.series[kMpi], row_.series[kOursShared]);
    return row_;
  }

 private:
  /// Before each call a rank writes all lines of its array anew, as a solver does: so no rank has another's array in its own cache.
  double sample(std::size_t k, int count) {
    double *in = k == kOursShared ? shared_in_.data() : in_.data();
    const auto write = [&](int) {
      for (std::size_t e = 0; e < in_.size(); e += kLine) in[e] = element(rank_, static_cast<std::int64_t>(e));
    };
    return time_prepared(comm_, count, write, calls_[k]);
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

  static AllreduceRatio ratio_of(const Sampled &mpi, const Sampled &ours) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < ours.samples.size(); ++i) ratios.push_back(mpi.samples[i] / ours.samples[i]);
    return {mpi.median / ours.median, quantile(ratios, 0.1), quantile(ratios, 0.9)};
  }

  MPI_Comm comm_;
  const AllreduceOptions &options_;
  int rank_ = 0, size_ = 1;
  std::vector<double> in_, out_;
  halocline::SharedArray<double> shared_in_, shared_out_;
  halocline::Allreduce<double> plan_;
  std::array<std::function<void()>, kSeries> calls_;
  AllreduceRow row_;
};

}  // namespace

AllreduceReport run_allreduce(MPI_Comm comm, const AllreduceOptions &options, int argc, char **argv) {
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
      cells.push_back(significant(row.series[k].median));
      cells.push_back(spread_of(row.series[k]));
    }
    for (const AllreduceRatio &ratio : {row.ratio, row.ratio_shared}) {
      cells.push_back(number(ratio.median, 2));
      cells.push_back(number(ratio.p10, 2) + " - " + number(ratio.p90, 2));
    }
    const double limit_us = row.series[kLimit].median;
    cells.push_back(significant(limit_us));
    for (const std::size_t k : {kOurs, kOursShared}) cells.push_back(number(limit_us > 0 ? row.series[k].median / limit_us : 0, 2));
    rows.push_back(cells);
  }
  std::string text = head_of("Sums over all ranks", report.environment);
  if (report.environment.context.nodes > 1) text += "network: " + report.network + "\n";
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
    for (const Sampled &series : row.series)
      if (const auto way = ways.find(series.name); way != ways.end())
        rows.push_back({"allreduce", way->second, row.bytes, series.samples, row.series[kLimit].median});
  return rows;
}

}  // namespace

Document document_of(const AllreduceReport &report) {
  Json sizes = Json::array();
  for (const AllreduceRow &row : report.rows) {
    Json size = {{"bytes", row.bytes}, {"ratio", of(row.ratio)}, {"ratio_shared", of(row.ratio_shared)}};
    for (const Sampled &series : row.series) size[series.name] = json_of(series);
    sizes.push_back(size);
  }
  return {{"allreduce", report.environment, rows_of(report)}, {{"network", report.network}, {"limit", report.limit}, {"sizes", sizes}}};
}

}  // namespace bench
