// halocline-replay: times a recorded exchange as the program has it and in every mode but view, notify_node and passive_naive, interleaved
// in one run, in the shape of the recorded job. `halocline advise` starts it. What arrives is verified before and after.
// SPDX-License-Identifier: BSD-3-Clause
#include <halocline/halocline.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numeric>
#include <random>

#include "contender.hpp"

namespace {

using namespace replay;

constexpr double kSampleSeconds = 0.002;
constexpr int kMostSwaps = 2000, kWarmUps = 3;
/// Mode auto tries its candidates in the first exchanges, and the best two once more.
constexpr int kAutoSwaps = 200;
constexpr double kAutoSeconds = 2;

constexpr const char *kUsage =
    "Usage: halocline-replay PATTERN RESULT [SECONDS]\n"
    "Times a recorded exchange in every mode but view, notify_node and passive_naive. halocline advise writes PATTERN and starts it;\n"
    "RESULT gets one line per contender: its name, the number of samples, median, 10th and 90th percentile in microseconds, and the mode\n"
    "that auto has chosen; of a mode that can't be made: `without`, its name and the reason. SECONDS: how long it may measure (5).\n";

struct Row {
  std::string name;
  std::unique_ptr<Contender> contender;
  int swaps = 1;
  std::vector<double> samples;  // microseconds per exchange of the slowest rank
};

double slowest(double mine) {
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

/// The mean time of an exchange. What is sent is written anew before each, which is not part of the time.
double time_of(Row &row, Sides &sides, int swaps) {
  MPI_Barrier(MPI_COMM_WORLD);
  double inside = 0;
  for (int i = 0; i < swaps; ++i) {
    for (Side &side : sides.out) side.touch();
    const double begin = MPI_Wtime();
    row.contender->exchange();
    inside += MPI_Wtime() - begin;
  }
  return slowest(inside / swaps);
}

/// Fails on all ranks if one has other bytes than were sent.
void verify(Row &row, Sides &sides, int turn) {
  for (Side &side : sides.out) side.fill(turn);
  for (Side &side : sides.in) side.clear();
  row.contender->exchange();
  int wrong = 0, any = 0;
  for (const Side &side : sides.in) wrong += side.is_right(turn) ? 0 : 1;
  MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (any > 0) throw Bad(row.name + " has delivered " + std::to_string(any) + " messages with wrong bytes; please report this");
}

struct Job {
  hlc_context *context;
  Sides &sides;
  const std::vector<Entry> &entries;
};

/// The contenders, and why modes are left out.
struct Race {
  std::vector<Row> rows;
  std::vector<std::string> without;  // a mode and the reason
};

/// A row for a mode, if it can be made.
void add_row(Race &race, const Job &job, hlc_mode mode, decltype(in_mode) make) {
  std::string reason;
  if (auto contender = make(job.context, job.sides, job.entries, mode, reason)) {
    race.rows.push_back({hlc_mode_name(mode), std::move(contender), 1, {}});
  } else {
    std::replace(reason.begin(), reason.end(), '\n', ' ');
    race.without.push_back(hlc_mode_name(mode) + (' ' + reason));
  }
}

Race make_race(const Job &job) {
  Race race;
  race.rows.push_back({"recorded", as_recorded(job.sides), 1, {}});
  for (const hlc_mode mode : {HLC_MODE_P2P, HLC_MODE_NEIGHBOR, HLC_MODE_FENCE, HLC_MODE_PSCW, HLC_MODE_PASSIVE, HLC_MODE_NOTIFY})
    add_row(race, job, mode, in_mode);
  for (const hlc_mode mode : {HLC_MODE_DIRECT, HLC_MODE_AUTO}) add_row(race, job, mode, in_place);
  return race;
}

void warm_up(std::vector<Row> &rows, Sides &sides) {
  for (Row &row : rows) {
    verify(row, sides, 1);
    const double begin = MPI_Wtime();
    for (int i = 0; !row.contender->mode().empty() && i < kAutoSwaps && slowest(MPI_Wtime() - begin) < kAutoSeconds; ++i)
      row.contender->exchange();
    const double seconds = time_of(row, sides, kWarmUps);
    row.swaps = std::clamp(static_cast<int>(kSampleSeconds / std::max(seconds, 1e-7)), 1, kMostSwaps);
  }
}

void measure(std::vector<Row> &rows, Sides &sides, double seconds) {
  std::mt19937 random(1);
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const double begin = MPI_Wtime();
  for (int round = 0; round < 200 && (round < 5 || slowest(MPI_Wtime() - begin) < seconds); ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) rows[i].samples.push_back(1e6 * time_of(rows[i], sides, rows[i].swaps));
  }
}

double percentile(std::vector<double> samples, double part) {
  std::sort(samples.begin(), samples.end());
  return samples[static_cast<std::size_t>(part * static_cast<double>(samples.size() - 1) + 0.5)];
}

void write(const Race &race, const std::string &path) {
  std::ofstream file(path);
  for (const std::string &left_out : race.without) file << "without " << left_out << '\n';
  for (const Row &row : race.rows)
    file << row.name << ' ' << row.samples.size() << ' ' << percentile(row.samples, 0.5) << ' ' << percentile(row.samples, 0.1) << ' '
         << percentile(row.samples, 0.9) << ' ' << row.contender->mode() << '\n';
  file.close();
  if (!file) throw Bad(path + ": can't be written");
}

void time_all(hlc_context *context, const std::string &pattern, const std::string &result, double seconds) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::vector<Message> messages = read_pattern(pattern, ranks);
  const std::vector<Entry> entries = entries_of(messages, rank);
  Sides sides(context, messages, rank);
  Race race = make_race({context, sides, entries});
  warm_up(race.rows, sides);
  measure(race.rows, sides, seconds);
  for (Row &row : race.rows) verify(row, sides, 2);
  if (rank == 0) write(race, result);
}

void run(const std::string &pattern, const std::string &result, double seconds) {
  hlc_context *context = nullptr;
  if (hlc_init(MPI_COMM_WORLD, &context) != HLC_OK) throw Bad(hlc_error_message());
  time_all(context, pattern, result, seconds);
  if (hlc_finalise(&context) != HLC_OK) throw Bad(hlc_error_message());
}

}  // namespace

int main(int argc, char **argv) {
  if (argc < 3 || std::strcmp(argv[1], "--help") == 0) {
    std::fputs(kUsage, argc < 2 || std::strcmp(argv[1], "--help") != 0 ? stderr : stdout);
    return argc >= 2 && std::strcmp(argv[1], "--help") == 0 ? 0 : 2;
  }
  MPI_Init(&argc, &argv);
  try {
    run(argv[1], argv[2], argc > 3 ? std::atof(argv[3]) : 5);
  } catch (const std::exception &why) {
    std::fprintf(stderr, "halocline-replay: %s\n", why.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
