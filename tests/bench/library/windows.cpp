// SPDX-License-Identifier: BSD-3-Clause
#include "library/windows.hpp"

#include "bench/rma/calls.hpp"
#include "library/process_memory.hpp"

#include <malloc.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <stdexcept>

namespace bench {

namespace {

/// One open window, whose data are there.
struct OpenWindow {
  MPI_Win win = MPI_WIN_NULL;
  void *memory = nullptr;
};

/// Makes and frees windows of one kind by one set of names.
class WindowMaker {
 public:
  WindowMaker(const std::string &kind, const RmaCalls &calls, MPI_Comm comm, std::int64_t bytes)
      : kind_(kind), calls_(calls), comm_(comm), data_(static_cast<std::size_t>(bytes), 1) {}

  OpenWindow open() {
    OpenWindow made;
    check(make(made), "made");
    if (made.memory) std::memset(made.memory, 1, data_.size());
    return made;
  }
  void close(OpenWindow &window) { check(calls_.free(&window.win), "freed"); }
  /// Touches what a window only has once it is used.
  void use(const OpenWindow &window) { check(calls_.fence(0, window.win) | calls_.fence(MPI_MODE_NOSUCCEED, window.win), "used"); }
  bool allocates() const { return kind_ == "allocate" || kind_ == "allocate_shared"; }
  MPI_Aint bytes() const { return static_cast<MPI_Aint>(data_.size()); }
  double microseconds_of_one();

 private:
  int make(OpenWindow &made) {
    if (kind_ == "create") return calls_.create(data_.data(), bytes(), 1, MPI_INFO_NULL, comm_, &made.win);
    if (kind_ == "dynamic") return calls_.create_dynamic(MPI_INFO_NULL, comm_, &made.win);
    const auto allocate = kind_ == "allocate" ? calls_.allocate : calls_.allocate_shared;
    return allocate(bytes(), 1, MPI_INFO_NULL, comm_, &made.memory, &made.win);
  }
  void check(int code, const char *what) const {
    if (code != MPI_SUCCESS) throw std::runtime_error("a window of kind " + kind_ + " cannot be " + what);
  }

  std::string kind_;
  const RmaCalls &calls_;
  MPI_Comm comm_;
  std::vector<char> data_;
};

double WindowMaker::microseconds_of_one() {
  meet(comm_);
  const double begin = MPI_Wtime();
  OpenWindow window = open();
  close(window);
  return slowest((MPI_Wtime() - begin) * 1e6, comm_);
}

double mean_of(double mine, MPI_Comm comm) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_SUM, comm);
  return mine / size_of(comm);
}

/// The memory of this process, without what it has freed.
ProcessMemory memory_in_use(MPI_Comm comm) {
  meet(comm);
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  const ProcessMemory found = process_memory();
  meet(comm);
  return found;
}

/// Opens many windows and compares the memory before and after.
void measure_memory(WindowMaker &maker, int windows, MPI_Comm comm, WindowCost &cost) {
  std::vector<OpenWindow> open(static_cast<std::size_t>(windows));
  const ProcessMemory before = memory_in_use(comm);
  for (OpenWindow &window : open) window = maker.open();
  for (const OpenWindow &window : open) maker.use(window);
  const ProcessMemory after = memory_in_use(comm);
  for (OpenWindow &window : open) maker.close(window);

  const double data = maker.allocates() ? static_cast<double>(maker.bytes()) : 0;
  cost.windows = windows;
  cost.own_bytes = mean_of(after.own - before.own, comm) / windows;
  cost.shared_bytes = mean_of(after.shared - before.shared, comm) / windows - data;
  cost.reserved_bytes = mean_of(after.reserved - before.reserved, comm) / size_of(comm) / windows - data;
}

/// As many as fit into the time, of which one takes `us`.
int as_many(double seconds, double us, int most) {
  return static_cast<int>(std::clamp(seconds * 1e6 / std::max(us, 1.0), 1.0, most * 1.0));
}

/// Both sets of names, in shuffled order in each round; one that takes longer has fewer rounds. Each has half of its time for the windows one
/// by one, and half for those that are open together.
WindowRow race_windows(const std::string &kind, MPI_Comm comm, const WindowOptions &options, std::mt19937_64 &random) {
  WindowRow row{kind};
  WindowMaker makers[]{{kind, loaded_calls(), comm, options.window_bytes}, {kind, host_calls(), comm, options.window_bytes}};
  WindowCost *const costs[]{&row.loaded, &row.host};
  int rounds[2]{};
  double typical_us[2]{};
  for (const int k : {0, 1}) {
    costs[k]->first_us = makers[k].microseconds_of_one();
    typical_us[k] = makers[k].microseconds_of_one();
    rounds[k] = as_many(options.seconds / 2, typical_us[k], options.repetitions);
  }
  // The first time is for what an MPI keeps of windows that have ended, as it would count for the kind that is measured first.
  for (const int k : {0, 1, 0, 1})
    measure_memory(makers[k], as_many(options.seconds / 4, 2 * typical_us[k], options.windows), comm, *costs[k]);
  std::array<int, 2> order{0, 1};
  for (int round = 0; round < std::max(rounds[0], rounds[1]); ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const int k : order)
      if (round < rounds[k]) costs[k]->us.samples.push_back(makers[k].microseconds_of_one());
  }
  for (WindowCost *cost : costs) cost->us.conclude();
  return row;
}

}  // namespace

std::vector<std::string> window_kinds() { return {"create", "allocate", "allocate_shared", "dynamic"}; }

WindowReport run_windows(MPI_Comm comm, const WindowOptions &options, int argc, char **argv) {
  WindowReport report;
  {
    const halocline::Context context(comm);
    report.environment = find_environment(context, argc, argv);
  }
  report.loaded = is_drop_in_loaded();
  report.window_bytes = options.window_bytes;
  std::mt19937_64 random(options.seed);
  for (const std::string &kind : options.kinds) {
    // A communicator of its own, so that the first window of each kind opens what a communicator needs.
    MPI_Comm own = MPI_COMM_NULL;
    MPI_Comm_dup(comm, &own);
    report.rows.push_back(race_windows(kind, own, options, random));
    MPI_Comm_free(&own);
  }
  return report;
}

}  // namespace bench
