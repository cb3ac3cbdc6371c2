// SPDX-License-Identifier: BSD-3-Clause
#include "bench/device/device.hpp"

#include <common/table.hpp>
#include <halocline/halocline.hpp>

#include <memory>
#include <optional>
#include <stdexcept>

#include "bench/device/fields.hpp"
#include "bench/frame/progress_line.hpp"
#include "bench/frame/refusal.hpp"
#include "bench/frame/sampled.hpp"
#include "bench/frame/team.hpp"

namespace bench {

namespace {

const std::vector<std::vector<std::int64_t>> kShapesOfMonc{{16, 16, 256}, {128, 128, 128}};
constexpr std::array kModes{HLC_MODE_DIRECT, HLC_MODE_NOTIFY};
constexpr std::array kModeNames{"direct", "notify"};
const std::string kDeviceCopy = "copy in the device", kHandWritten = "by hand, through the host";
constexpr double kAim = 1.2;  // times a copy in the device

/// A halo over the fields, in one mode.
class DeviceSwap {
 public:
  DeviceSwap(const halocline::Context &context, const DeviceShape &shape, const DeviceFields &fields, hlc_mode mode) {
    hlc_grid grid{};
    grid.ndims = 3;
    for (int d = 0; d < 3; ++d) {
      const auto i = static_cast<std::size_t>(d);
      grid.dims[d] = d < 2 ? shape.ranks[i] : 1;
      grid.coords[d] = d < 2 ? shape.at[i] : 0;
      grid.periodic[d] = d < 2;
      grid.local[d] = shape.local[i];
      grid.start[d] = grid.coords[d] * grid.local[d];
      grid.global[d] = grid.dims[d] * grid.local[d];
    }
    std::vector<hlc_field> described(static_cast<std::size_t>(shape.fields));
    for (int f = 0; f < shape.fields; ++f) {
      hlc_field &field = described[static_cast<std::size_t>(f)];
      field.data = reinterpret_cast<void *>(static_cast<std::uintptr_t>(fields.field(f)));
      field.type = HLC_FLOAT64;
    }
    hlc_halo_spec spec{};
    spec.grid = &grid;
    for (int d = 0; d < 2; ++d) spec.depth_low[d] = spec.depth_high[d] = shape.depth;
    spec.layout = HLC_ROW_MAJOR;
    spec.nfields = shape.fields;
    spec.fields = described.data();
    spec.mode = mode;
    halocline::check(hlc_halo_init(context.raw(), &spec, &halo_));
  }
  DeviceSwap(const DeviceSwap &) = delete;
  DeviceSwap &operator=(const DeviceSwap &) = delete;
  ~DeviceSwap() { static_cast<void>(hlc_halo_finalise(&halo_)); }

  void swap() {
    halocline::check(hlc_halo_start(halo_, nullptr));
    halocline::check(hlc_halo_finish(halo_));
  }
  hlc_plan_info info() const {
    hlc_plan_info info{};
    halocline::check(hlc_halo_info(halo_, &info));
    return info;
  }
  std::string explained() const {
    char words[2000] = "";
    halocline::check(hlc_halo_explain(halo_, HLC_FORMAT_TEXT, words, sizeof words, nullptr));
    return words;
  }

 private:
  hlc_halo *halo_ = nullptr;
};

/// All ranks learn what one of them has found wrong.
void expect_right(MPI_Comm comm, const std::string &wrong, const std::string &by) {
  const int mine = wrong.empty() ? 0 : 1;
  int any = 0;
  MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, comm);
  if (any == 0) return;
  throw std::runtime_error("wrong halo after a swap by " + by + (wrong.empty() ? ", on another rank" : ": " + wrong));
}

/// What takes turns: swaps by the library, by hand, and the copy.
struct Turn {
  std::string by;
  std::function<void()> run;
  bool swaps = true;
};

double sample_of(MPI_Comm comm, const Turn &turn, int repeats) {
  meet(comm);
  const double begin = MPI_Wtime();
  for (int i = 0; i < repeats; ++i) turn.run();
  return slowest((MPI_Wtime() - begin) / repeats * 1e6, comm);
}

/// Each sample of one beside that of another in the same round.
Sampled over(const ResultRow &row, const ResultRow &other) {
  Sampled ratio;
  for (std::size_t i = 0; i < row.samples.size(); ++i) ratio.samples.push_back(row.samples[i] / other.samples[i]);
  ratio.conclude();
  return ratio;
}

/// One shape: all that takes turns is verified, then timed, then verified again.
class ShapeRace {
 public:
  ShapeRace(MPI_Comm comm, const halocline::Context &context, const cuda::Driver &driver, const DeviceShape &shape)
      : comm_(comm),
        shape_(shape),
        fields_(driver, shape, rank_of(comm)),
        by_hand_(driver, shape, fields_, comm),
        copy_(driver, shape.halo_cells() * shape.fields * static_cast<std::int64_t>(sizeof(double))) {
    for (const hlc_mode mode : kModes) swaps_.push_back(std::make_unique<DeviceSwap>(context, shape, fields_, mode));
    for (std::size_t m = 0; m < swaps_.size(); ++m) turns_.push_back({kModeNames[m], [this, m] { swaps_[m]->swap(); }});
    turns_.push_back({kHandWritten, [this] { by_hand_.swap(); }});
    turns_.push_back({kDeviceCopy, [this] { copy_.run(); }, false});
  }

  void verify() {
    for (const Turn &turn : turns_) {
      if (!turn.swaps) continue;
      fields_.fill();
      meet(comm_);
      turn.run();
      expect_right(comm_, fields_.find_wrong(), turn.by);
    }
  }

  /// Ends early, after a whole round, once `end` has passed; false then.
  bool measure(const DeviceOptions &options, std::mt19937_64 &random, double end) {
    rows_.clear();
    std::vector<int> repeats;
    for (const Turn &turn : turns_) {
      rows_.push_back({"swap " + shape_.name(), turn.by, shape_.halo_cells() * shape_.fields * static_cast<std::int64_t>(sizeof(double))});
      repeats.push_back(repeats_for(std::max(sample_of(comm_, turn, 1), sample_of(comm_, turn, 1)), options, 1, 1e4));
    }
    for (int round = 0; round < options.repetitions; ++round) {
      if (round > 0 && !is_time_left(comm_, end)) return false;
      in_rounds(turns_.size(), 1, random, [&](std::size_t k) { rows_[k].samples.push_back(sample_of(comm_, turns_[k], repeats[k])); });
    }
    return true;
  }

  void add_to(DeviceReport &report) {
    const ResultRow &copy = rows_.back(), &hand = rows_[kModes.size()];
    for (ResultRow &row : rows_) row.limit = spread_of(copy.samples).median;
    for (std::size_t m = 0; m < kModes.size(); ++m) {
      const hlc_plan_info info = swaps_[m]->info();
      report.ratios.push_back({shape_.name(), kModeNames[m], info.via_direct, info.neighbours, over(rows_[m], copy), over(rows_[m], hand)});
      if (kModes[m] == HLC_MODE_DIRECT && info.via_direct < info.neighbours) report.notes.push_back(swaps_[m]->explained());
    }
    for (const ResultRow &row : rows_) report.results.rows.push_back(row);
  }

 private:
  MPI_Comm comm_;
  DeviceShape shape_;
  DeviceFields fields_;
  DeviceByHand by_hand_;
  DeviceCopy copy_;
  std::vector<std::unique_ptr<DeviceSwap>> swaps_;
  std::vector<Turn> turns_;
  std::vector<ResultRow> rows_;
};

/// All ranks have a device, or none goes on.
void open(MPI_Comm comm, cuda::Driver &driver) {
  const std::string why = driver.open(rank_of(comm));
  const int mine = why.empty() ? 0 : 1;
  int any = 0;
  MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, comm);
  if (any > 0) throw Refusal("no device can be measured here: " + (why.empty() ? "another rank has none" : why));
}

bool is_reached(const DeviceRatio &ratio) { return ratio.over_copy.median <= kAim; }

std::string verdict_of(const DeviceReport &report) {
  std::string text;
  for (const DeviceRatio &ratio : report.ratios)
    if (ratio.mode == kModeNames[0])
      text += "verdict: " + ratio.shape + ", mode direct takes " + number(ratio.over_copy.median, 2) + " times the copy (aim " +
              number(kAim, 1) + ": " + (is_reached(ratio) ? "reached" : "missed") + ") and " + number(ratio.over_hand_written.median, 2) +
              " times the swap by hand\n";
  return text;
}

}  // namespace

DeviceReport run_device(MPI_Comm comm, const DeviceOptions &options, int argc, char **argv) {
  cuda::Driver driver;
  open(comm, driver);
  const double end = MPI_Wtime() + options.seconds;
  const halocline::Context context(comm);
  std::mt19937_64 random(options.seed);
  DeviceReport report{{"device", find_environment(context, argc, argv), {}}, {}, driver.name(), {}};
  const auto shapes = options.local.empty() ? kShapesOfMonc : std::vector<std::vector<std::int64_t>>{options.local};
  const ProgressLine progress(options, rank_of(comm));
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (i > 0 && !is_time_left(comm, end)) {
      report.results.is_whole = false;
      break;
    }
    progress("swaps of a device's fields", static_cast<int>(i), static_cast<int>(shapes.size()));
    ShapeRace race(comm, context, driver, shape_for(comm, shapes[i], options));
    race.verify();
    report.results.is_whole = race.measure(options, random, end) && report.results.is_whole;
    race.verify();
    race.add_to(report);
  }
  return report;
}

std::string table_of(const DeviceReport &report) {
  std::vector<Cells> rows{{"cells per rank", "mode", "links in place", "over copy", "spread", "over by hand", "spread"}};
  for (const DeviceRatio &ratio : report.ratios)
    rows.push_back({ratio.shape, ratio.mode, std::to_string(ratio.links_in_place) + " of " + std::to_string(ratio.links),
                    number(ratio.over_copy.median, 2), spread_of(ratio.over_copy), number(ratio.over_hand_written.median, 2),
                    spread_of(ratio.over_hand_written)});
  std::string text = "device: " + report.driver + "\n" + table_of(report.results) +
                     "\nEach mode over others of the same round (below 1: faster):\n" + drawn(rows);
  for (const std::string &note : report.notes) text += note;
  return text + verdict_of(report);
}

Document document_of(const DeviceReport &report) {
  Json ratios = Json::array();
  for (const DeviceRatio &ratio : report.ratios)
    ratios.push_back({{"shape", ratio.shape},
                      {"mode", ratio.mode},
                      {"links_in_place", ratio.links_in_place},
                      {"links", ratio.links},
                      {"over_copy", json_of(ratio.over_copy, "")},
                      {"over_hand_written", json_of(ratio.over_hand_written, "")},
                      {"aim", kAim},
                      {"reached", is_reached(ratio)}});
  return {report.results, {{"device", report.driver}, {"ratios", ratios}, {"notes", report.notes}}};
}

}  // namespace bench
