// What `halocline-bench model` measures: operations between two ranks, operations of all ranks, and halo swaps of several shapes.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "bench/frame/progress_line.hpp"
#include "bench/frame/refusal.hpp"
#include "bench/frame/team.hpp"
#include "bench/halo/halo.hpp"
#include "bench/model/model.hpp"
#include "bench/rma/operations.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>

namespace bench {

namespace {

/// The parts that two ranks need, and those that take all.
const std::vector<std::string> kBetweenTwo{"transfers", "rate", "datatypes", "accumulate", "fetching", "completion", "locks", "notify"};
const std::vector<std::string> kOfAll{"epochs", "contention", "creation"};
const std::vector<std::string> kCollective{"barrier", "allreduce"};
/// Those of collective calls that plans choose among; the others are the MPI's, which may take long where ranks share cores.
const std::vector<std::string> kOurs{"engine", "at_once", "chunks"}, kHosts{"host"};

/// Bytes of reductions: combining at once and in chunks take about as long in the middle.
const std::vector<std::int64_t> kDense{8, 128, 1024, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288};
const std::vector<std::int64_t> kSparse{8, 1024, 8192, 32768, 131072, 524288};

struct Shape {
  std::int64_t x, y, z, depth;
  int fields;
  halocline::Stencil stencil;
  bool split_z = false;  // the faces in z consist of short runs
};
/// From 200 bytes to 5 MB: flat and deep, one field and many, long runs and short ones. A half of them has so many of each kind that it tells
/// what messages, runs and bytes take.
const Shape kShapes[] = {{4, 4, 4, 1, 1, halocline::Stencil::star},         {16, 16, 256, 2, 4, halocline::Stencil::box},
                         {8, 8, 64, 2, 1, halocline::Stencil::box},         {16, 16, 256, 2, 29, halocline::Stencil::box},
                         {8, 8, 16, 1, 1, halocline::Stencil::box},         {16, 16, 256, 2, 1, halocline::Stencil::box},
                         {6, 6, 32, 1, 16, halocline::Stencil::box},        {32, 32, 128, 2, 4, halocline::Stencil::box},
                         {16, 16, 64, 2, 1, halocline::Stencil::star},      {8, 8, 64, 2, 8, halocline::Stencil::box},
                         {24, 24, 96, 2, 2, halocline::Stencil::star},      {32, 32, 32, 1, 2, halocline::Stencil::box},
                         {48, 48, 64, 1, 8, halocline::Stencil::star},      {16, 16, 16, 1, 1, halocline::Stencil::box, true},
                         {24, 24, 24, 2, 4, halocline::Stencil::box, true}, {48, 48, 12, 1, 1, halocline::Stencil::star, true},
                         {8, 8, 32, 1, 1, halocline::Stencil::star},        {4, 4, 8, 1, 1, halocline::Stencil::box},
                         {16, 16, 128, 1, 2, halocline::Stencil::star},     {12, 12, 96, 2, 1, halocline::Stencil::box},
                         {32, 32, 128, 2, 4, halocline::Stencil::star},     {24, 24, 64, 2, 2, halocline::Stencil::box},
                         {12, 12, 64, 1, 1, halocline::Stencil::star},      {16, 16, 128, 2, 8, halocline::Stencil::box},
                         {8, 8, 64, 2, 1, halocline::Stencil::star},        {6, 6, 16, 1, 2, halocline::Stencil::box},
                         {32, 32, 64, 2, 1, halocline::Stencil::star},      {48, 48, 64, 2, 4, halocline::Stencil::box},
                         {48, 48, 96, 2, 8, halocline::Stencil::star},      {8, 8, 8, 1, 1, halocline::Stencil::box, true},
                         {32, 32, 16, 1, 2, halocline::Stencil::box, true}, {40, 40, 20, 1, 2, halocline::Stencil::star, true}};

/// What an item has measured; its rows are complete.
struct ItemRows {
  std::vector<ResultRow> rows;
  bool is_whole = true;  ///< false: the time was over before its last operation
};

/// One measurement on so many ranks, in which no operation begins after `until`, but for the first.
struct Item {
  std::string what;
  int ranks;
  std::function<ItemRows(MPI_Comm, double until)> measure;
};

/// The numbers of ranks: as asked for, else 2, 3, 4, 6, 8 and twice as many again and again, up to those started.
std::vector<int> ranks_of(const ModelOptions &options, int started) {
  if (!options.ranks.empty()) return options.ranks;
  std::vector<int> all;
  for (const int ranks : {2, 3, 4, 6}) all.push_back(ranks);
  for (int ranks = 8; ranks <= started; ranks *= 2) all.push_back(ranks);
  all.erase(std::remove_if(all.begin(), all.end(), [started](int ranks) { return ranks > started; }), all.end());
  return all;
}

class Plan {
 public:
  Plan(const ModelOptions &options, int started, int argc, char **argv) : options_(options), argc_(argc), argv_(argv) {
    const std::vector<int> ranks = ranks_of(options, started);
    for (const int some : ranks) {
      if (some > started || some < 2) throw Refusal("--ranks " + std::to_string(some) + ": 2 at least, and no more than were started");
    }
    if (ranks.empty()) throw Refusal("a model needs 2 ranks or more");
    // What is left out for lack of time is the end. More ranks than cores take long, so the larger numbers of ranks share the shapes at first.
    for (const int some : ranks) add_halo(some, kShapes[0]);
    add_operations(ranks.front(), kBetweenTwo, sizes_between_two());
    add_operations(ranks.front(), kOfAll, {});
    for (const int some : ranks) add_operations(some, kCollective, some == ranks.front() ? kDense : kSparse, kOurs);
    add_operations(ranks.front(), kCollective, kDense, kHosts);
    for (std::size_t shape = 1; shape < std::size(kShapes); ++shape) add_halo(ranks.front(), kShapes[shape]);
    for (std::size_t turn = 1; turn < ranks.size(); ++turn)
      for (std::size_t shape = 1; shape < std::size(kShapes); ++shape)
        add_halo(ranks[1 + (shape + turn) % (ranks.size() - 1)], kShapes[shape]);
    for (std::size_t i = 1; i < ranks.size(); ++i) {
      add_operations(ranks[i], kOfAll, {});
      add_operations(ranks[i], kCollective, kSparse, kHosts);
    }
  }
  const std::vector<Item> &items() const { return items_; }

 private:
  std::vector<std::int64_t> sizes_between_two() const {
    if (!options_.sizes.empty()) return options_.sizes;
    std::vector<std::int64_t> sizes{8, 32, 128};
    for (std::int64_t bytes = 512; bytes < 1 << 20; bytes *= 2) sizes.insert(sizes.end(), {bytes, bytes / 2 * 3});
    sizes.push_back(1 << 20);
    return sizes;
  }

  void add_operations(int ranks, const std::vector<std::string> &parts, const std::vector<std::int64_t> &sizes,
                      const std::vector<std::string> &backends = {}) {
    OperationOptions options;
    static_cast<CommonOptions &>(options) = options_;
    options.parts = parts, options.sizes = sizes, options.backends = backends;
    items_.push_back({"operations", ranks, [this, options](MPI_Comm comm, double until) {
                        OperationOptions timed = options;
                        timed.until = until;
                        return completed_rows(run_operations(comm, timed, argc_, argv_));
                      }});
  }

  void add_halo(int ranks, const Shape &shape) {
    HaloOptions options;
    static_cast<CommonOptions &>(options) = options_;
    options.local = {shape.x, shape.y, shape.z}, options.depth = shape.depth, options.fields = shape.fields;
    options.stencil = shape.stencil, options.split_z = shape.split_z, options.warmups = 1;
    items_.push_back({"halo", ranks, [this, options](MPI_Comm comm, double) {
                        const HaloOutcome outcome = measure_halo(comm, options, argc_, argv_);
                        if (outcome.wrong) throw Refusal("WRONG HALO: " + *outcome.wrong);
                        return completed_rows(document_of(*outcome.report).results);
                      }});
  }

  static ItemRows completed_rows(const Results &results) {
    ItemRows found{{}, results.is_whole};
    for (const ResultRow &row : results.rows) found.rows.push_back(completed(row, results.environment));
    return found;
  }

  ModelOptions options_;
  int argc_;
  char **argv_;
  std::vector<Item> items_;
};

/// All items are measured so often if there is time. The cores of a virtual machine may be farther from each other for a while, and another
/// program may run for a while. What took the least time is the machine's own.
constexpr int kMaxPasses = 5;
/// Another pass takes at most so many times as long as the first one.
constexpr double kSlack = 1.3;

/// Whether the rows of an item took less time than those of another pass, in the mean of the ratios. A part of them is no rival.
bool is_calmer(const ItemRows &now, const ItemRows &before) {
  if (now.rows.size() < before.rows.size()) return false;
  double sum = 0;
  for (std::size_t i = 0; i < before.rows.size(); ++i) {
    const double ours = spread_of(now.rows[i].samples).median, theirs = spread_of(before.rows[i].samples).median;
    if (now.rows[i].unit == "us" && ours > 0 && theirs > 0) sum += std::log(ours / theirs);
  }
  return sum < 0;
}

ResultRow row_of(const Json &json) {
  ResultRow row{json.at("operation"), json.at("by"), json.at("bytes"), {}};
  row.samples =
      json.contains("samples") ? json.at("samples").get<std::vector<double>>() : std::vector<double>{json.at("median").get<double>()};
  row.unit = json.value("unit", "us");
  row.ranks = json.at("ranks"), row.nodes = json.value("nodes", 1);
  row.ranks_per_core = json.value("ranks_per_core", 1.0);
  row.local_bytes = json.value("local_bytes", 0.0), row.neighbours = json.value("neighbours", 0.0), row.blocks = json.value("blocks", 0.0);
  row.messages = json.value("messages", 0.0);
  row.far_bytes = json.value("far_bytes", 0.0), row.far_messages = json.value("far_messages", 0.0);
  return row;
}

/// Rows of a file that a command wrote with --json.
std::vector<ResultRow> rows_in(const std::string &path) {
  std::ifstream file(path);
  if (!file) throw Refusal("cannot read " + path);
  try {
    std::vector<ResultRow> rows;
    const Json whole = Json::parse(file);
    for (const Json &row : whole.at("rows")) rows.push_back(row_of(row));
    return rows;
  } catch (const Json::exception &error) {
    throw Refusal(path + " is not a file of results: " + error.what());
  }
}

}  // namespace

Measured measure_model(MPI_Comm all, const ModelOptions &options, int argc, char **argv) {
  Measured measured;
  {
    const halocline::Context context(all);
    measured.results = {"model", find_environment(context, argc, argv), {}};
  }
  std::vector<ResultRow> &rows = measured.results.rows;
  if (!options.from.empty()) {
    rows = rows_in(options.from);
    return measured;
  }

  const Plan plan(options, size_of(all), argc, argv);
  const double begin = MPI_Wtime(), end = begin + options.seconds;
  const ProgressLine progress(options, rank_of(all));
  std::vector<ItemRows> calmest(plan.items().size());
  const auto pass = [&] {
    std::size_t begun = 0;
    for (const Item &item : plan.items()) {
      if ((begun > 0 || measured.passes > 0) && !is_time_left(all, end)) break;
      ItemRows now;
      with_team(all, item.ranks, [&](MPI_Comm team) {
        now = item.measure(team, end);
        return 0;
      });
      if (measured.passes == 0 || is_calmer(now, calmest[begun])) calmest[begun] = std::move(now);
      progress(item.what + " of " + std::to_string(item.ranks) + " ranks", static_cast<int>(++begun),
               static_cast<int>(plan.items().size()));
    }
    ++measured.passes;
    return begun;
  };
  const std::size_t begun = pass();
  // Each pass as a whole, so that the samples of an item lie apart.
  const double once = MPI_Wtime() - begin;
  while (measured.passes < kMaxPasses && is_time_left(all, end - kSlack * once)) pass();
  for (ItemRows &some : calmest) {
    for (ResultRow &row : some.rows) rows.push_back(std::move(row));
    measured.left_out += some.is_whole ? 0 : 1;
  }
  measured.left_out += static_cast<int>(plan.items().size() - begun);
  return measured;
}

}  // namespace bench
