// SPDX-License-Identifier: BSD-3-Clause
#include "library/mesh.hpp"

#include <random>
#include <stdexcept>

namespace bench {

namespace {

class LibraryMesh final : public MeshContender {
 public:
  LibraryMesh(const std::string &name, const halocline::Context &context, const MeshPart &part, int components, double *values)
      : MeshContender(name),
        halo_(context, part.entries, lists_of(part), {halocline::IndexField(values, components, "values")},
              {halocline::mode_from_name(name)}) {}
  void forward() override { halo_.swap(); }
  void reverse() override { halo_.swap_reverse(); }

 private:
  static std::vector<halocline::IndexNeighbour> lists_of(const MeshPart &part) {
    std::vector<halocline::IndexNeighbour> lists;
    for (const MeshNeighbour &neighbour : part.neighbours) lists.emplace_back(neighbour.rank, neighbour.out, neighbour.in);
    return lists;
  }
  halocline::IndexHalo halo_;
};

/// One mesh with one number of components: the array, and all that swap it.
class MeshRace {
 public:
  MeshRace(const halocline::Context &context, MPI_Comm comm, int side, int components, const MeshOptions &options, const MeshGuests &guests)
      : comm_(comm),
        options_(options),
        components_(components),
        part_(make_part(side, context.rank(), context.size())),
        values_(context, static_cast<std::size_t>(part_.entries * components)) {
    for (const std::string &mode : options.modes)
      contenders_.push_back(std::make_unique<LibraryMesh>(mode, context, part_, components, values_.data()));
    const std::size_t ours = contenders_.size();
    for (auto &guest : guests.make ? guests.make(comm, part_, components, values_.data()) : MeshContenders())
      contenders_.push_back(std::move(guest));
    const std::int64_t ghosts = part_.entries - part_.own;
    row_ = {side, components, ghosts, -ghosts, {}};
    MPI_Allreduce(MPI_IN_PLACE, &row_.ghosts, 1, MPI_INT64_T, MPI_MAX, comm);
    MPI_Allreduce(MPI_IN_PLACE, &row_.least_ghosts, 1, MPI_INT64_T, MPI_MAX, comm);
    row_.least_ghosts = -row_.least_ghosts;
    for (std::size_t k = 0; k < contenders_.size(); ++k)
      for (const bool in_reverse : {false, true}) row_.series.push_back({contenders_[k]->name(), in_reverse, k >= ours, {}});
  }

  MeshRow run(std::mt19937_64 &random) {
    verify();
    const auto samples =
        sample_in_turn(row_.series.size(), options_, random, [this](std::size_t k, int count) { return sample(k, count); });
    for (std::size_t k = 0; k < samples.size(); ++k) row_.series[k].samples_us = samples[k];
    verify();
    return row_;
  }

 private:
  void call(std::size_t k) {
    MeshContender &contender = *contenders_[k / 2];
    row_.series[k].in_reverse ? contender.reverse() : contender.forward();
  }

  double sample(std::size_t k, int count) {
    return time_prepared(comm_, count, [this](int step) { write_shared(step); }, [this, k] { call(k); });
  }

  /// As a solver does: the nodes that others need change between two swaps.
  void write_shared(int step) {
    for (const MeshNeighbour &neighbour : part_.neighbours)
      for (const std::int64_t i : neighbour.out)
        for (int c = 0; c < components_; ++c) at(i, c) = value(i, c) + step % 7;
  }

  double &at(std::int64_t entry, int component) { return values_.data()[entry * components_ + component]; }
  /// A small whole number, so that sums have the same bits in any order.
  double value(std::int64_t entry, int component) const {
    return 1.0 + static_cast<double>(part_.global[static_cast<std::size_t>(entry)] % 100003) + 1000003.0 * component;
  }

  void verify() {
    for (std::size_t k = 0; k < row_.series.size(); ++k) {
      const bool in_reverse = row_.series[k].in_reverse;
      for (std::int64_t i = 0; i < part_.entries; ++i)
        for (int c = 0; c < components_; ++c) at(i, c) = i < part_.own || in_reverse ? value(i, c) : -7;
      meet(comm_);
      call(k);
      std::int64_t wrong = in_reverse ? count_wrong_sums() : count_wrong_ghosts();
      MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, comm_);
      if (wrong > 0)
        throw std::runtime_error(row_.series[k].name + (in_reverse ? ", in reverse" : "") + ": " + std::to_string(wrong) + " wrong values");
    }
  }

  std::int64_t count_wrong_ghosts() {
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < part_.entries; ++i)
      for (int c = 0; c < components_; ++c) wrong += at(i, c) != value(i, c) ? 1 : 0;
    return wrong;
  }

  /// Each owner's node holds its value once for itself and once for each rank that has it as a ghost.
  std::int64_t count_wrong_sums() {
    std::vector<int> copies(static_cast<std::size_t>(part_.own), 1);
    for (const MeshNeighbour &neighbour : part_.neighbours)
      for (const std::int64_t i : neighbour.out) copies[static_cast<std::size_t>(i)] += 1;
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < part_.own; ++i)
      for (int c = 0; c < components_; ++c) wrong += at(i, c) != copies[static_cast<std::size_t>(i)] * value(i, c) ? 1 : 0;
    return wrong;
  }

  MPI_Comm comm_;
  const MeshOptions &options_;
  int components_;
  MeshPart part_;
  halocline::SharedArray<double> values_;
  MeshContenders contenders_;
  MeshRow row_;
};

/// The fastest guest of a direction; NULL if there is none.
const MeshSeries *best_guest(const MeshRow &row, bool in_reverse) {
  const MeshSeries *best = nullptr;
  for (const MeshSeries &series : row.series)
    if (series.in_reverse == in_reverse && series.is_guest && (!best || median(series.samples_us) < median(best->samples_us)))
      best = &series;
  return best;
}

/// How many times as long the best guest takes, of each round.
std::vector<double> ratios_to(const MeshSeries &guest, const MeshSeries &series) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < series.samples_us.size(); ++i) ratios.push_back(guest.samples_us[i] / series.samples_us[i]);
  return ratios;
}

Cells cells_of(const MeshRow &row, const MeshSeries &series) {
  const Spread us = spread_of(series.samples_us);
  Cells cells{std::to_string(row.side) + "^3",
              std::to_string(row.ghosts),
              std::to_string(row.components),
              series.in_reverse ? "reverse" : "forward",
              series.name,
              significant(us.median),
              significant(us.p10) + " - " + significant(us.p90)};
  if (const MeshSeries *guest = best_guest(row, series.in_reverse)) {
    const Spread ratio = spread_of(ratios_to(*guest, series));
    cells.insert(cells.end(), {number(ratio.median, 2), number(ratio.p10, 2) + " - " + number(ratio.p90, 2)});
  }
  return cells;
}

}  // namespace

MeshReport run_mesh(MPI_Comm comm, const MeshOptions &options, int argc, char **argv, const MeshGuests &guests) {
  const halocline::Context context(comm);
  MeshReport report;
  std::mt19937_64 random(options.seed);
  for (const int side : options.sides)
    for (const int components : options.components)
      report.rows.push_back(MeshRace(context, comm, side, components, options, guests).run(random));
  report.environment = find_environment(context, argc, argv);
  report.guests = guests.name;
  return report;
}

std::string table_of(const MeshReport &report) {
  std::vector<Cells> rows{{"nodes", "ghosts", "components", "direction", "by", "us", "spread"}};
  if (!report.guests.empty()) rows.front().insert(rows.front().end(), {"best guest/it", "spread"});
  for (const MeshRow &row : report.rows)
    for (const bool in_reverse : {false, true})
      for (const MeshSeries &series : row.series)
        if (series.in_reverse == in_reverse) rows.push_back(cells_of(row, series));
  std::string text = head_of("Swaps of a mesh of tetrahedra", report.environment);
  text += "Microseconds of the slowest rank. ghosts: the most of a rank\n";
  if (!report.guests.empty()) text += "Guests: " + report.guests + "; a ratio above 1: faster than the fastest of them\n";
  return text + drawn(rows);
}

Document document_of(const MeshReport &report) {
  Document document{{"mesh", report.environment, {}}, {}};
  Json swaps = Json::array();
  for (const MeshRow &row : report.rows)
    for (const MeshSeries &series : row.series) {
      swaps.push_back({{"side", row.side},
                       {"components", row.components},
                       {"ghosts", row.ghosts},
                       {"least_ghosts", row.least_ghosts},
                       {"by", series.name},
                       {"reverse", series.in_reverse},
                       {"median_us", median(series.samples_us)},
                       {"samples_us", series.samples_us}});
      document.results.rows.push_back({series.in_reverse ? "mesh, reverse" : "mesh", series.name,
                                       row.ghosts * row.components * static_cast<std::int64_t>(sizeof(double)), series.samples_us});
    }
  document.details = {{"guests", report.guests}, {"swaps", swaps}};
  return document;
}

}  // namespace bench
