// What trace_test.py launches: `traced MODE LATE SWAPS` swaps a row of cells, and uses a segment and a reduction. The rank LATE sleeps before it
// starts a swap or enters a barrier. `traced threads` swaps two halos in two threads; `traced die MODE` kills rank 1 after many swaps. `traced
// plans LATE` has three halos at a time. `traced views LATE` reads views. `traced contexts MODE` opens several contexts, one after the other. `traced fork` starts a process that
// ends before the context does. `traced left` releases nothing.
// SPDX-License-Identifier: BSD-3-Clause
#include <halocline/reduce.h>
#include <halocline/segment.h>
#include <halocline/halocline.hpp>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace {

using halocline::Context;
using halocline::Field;
using halocline::Grid;
using halocline::Halo;
using halocline::HaloOptions;

constexpr int kLate_ms = 20;

void sleep_if(bool late) {
  if (late) std::this_thread::sleep_for(std::chrono::milliseconds(kLate_ms));
}

void require(hlc_status status) {
  if (status == HLC_OK) return;
  std::fprintf(stderr, "%s: %s\n", hlc_status_name(status), hlc_error_message());
  std::exit(1);
}

hlc_mode mode_of(const char *name) {
  hlc_mode mode = HLC_MODE_DEFAULT;
  require(hlc_mode_from_name(name, &mode));
  return mode;
}

/// A periodic row of cells with two fields, and their halo.
struct Row {
  Row(const Context &context, hlc_mode mode, const char *name)
      : grid(context, {8 * context.size()}, {true}),
        u(context, grid, 1),
        v(context, grid, 1),
        halo(context, grid, {{u, "u"}, {v, "the \"v\""}}, options(mode, name)) {
    std::fill_n(u.data(), u.size(), 1.0 + context.rank());
    std::fill_n(v.data(), v.size(), -1.0 - context.rank());
  }

  static HaloOptions options(hlc_mode mode, const char *name) {
    HaloOptions made;
    made.mode = static_cast<halocline::Mode>(mode);
    made.name = name;
    return made;
  }

  Grid grid;
  Field<double, 1> u, v;
  Halo halo;
};

/// Every other swap moves one of the fields alone.
void swap(Row &row, int swaps, bool late) {
  static const int second = 1;
  halocline::Swap one{};
  one.nfields = 1;
  one.fields = &second;
  for (int n = 0; n < swaps; ++n) {
    sleep_if(late);
    if (n % 2 == 0)
      row.halo.start();
    else
      row.halo.start(one);
    row.halo.finish();
  }
}

/// A notified put to the right, a barrier, a flush.
void use_segment(const Context &context, bool late) {
  hlc_segment *segment = nullptr;
  const hlc_segment_spec spec{64, 2, 0};
  require(hlc_segment_create(context.raw(), &spec, &segment));
  const int right = (context.rank() + 1) % context.size();
  const double number = context.rank();
  int id = 0;
  std::uint32_t value = 0;
  sleep_if(late);
  require(hlc_put_notify({segment, right, 8}, &number, sizeof number, {1, 7}));
  require(hlc_notify_wait(segment, {1, 1}, &id));
  require(hlc_notify_reset(segment, id, &value));
  require(hlc_put({segment, right, 16}, &number, sizeof number));
  require(hlc_flush(segment, right));
  sleep_if(late);
  require(hlc_barrier(segment));
  require(hlc_segment_free(&segment));
}

void reduce(const Context &context, bool late) {
  hlc_allreduce_spec spec{};
  spec.count = 4;
  spec.type = HLC_FLOAT64;
  spec.reduction = HLC_REDUCE_SUM;
  hlc_allreduce *plan = nullptr;
  require(hlc_allreduce_create(context.raw(), &spec, &plan));
  double numbers[4] = {1, 2, 3, 4};
  sleep_if(late);
  require(hlc_allreduce_run(plan, numbers, numbers));
  require(hlc_allreduce_destroy(&plan));
}

int run(const Context &context, char **words) {
  const bool late = context.rank() == std::atoi(words[2]);
  {
    Row row(context, mode_of(words[1]), "flow");
    swap(row, std::atoi(words[3]), late);
  }
  use_segment(context, late);
  reduce(context, late);
  return 0;
}

/// Each thread has a context of its own.
int run_threads(const Context &context) {
  MPI_Comm comms[2];
  for (MPI_Comm &comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  {
    const Context second(comms[1]);
    Row one(context, HLC_MODE_NOTIFY, "one"), two(second, HLC_MODE_NOTIFY, "two");
    std::thread other([&] { swap(two, 50, false); });
    swap(one, 50, false);
    other.join();
  }
  for (MPI_Comm &comm : comms) MPI_Comm_free(&comm);
  return 0;
}

/// Rank 1 dies where its buffer of events has been written at least once.
int run_until_death(const Context &context, const char *mode) {
  Row row(context, mode_of(mode), "flow");
  swap(row, 4000, false);
  if (context.rank() == 1) raise(SIGKILL);
  hlc_status status = HLC_OK;
  for (int n = 0; status == HLC_OK && n < 3; ++n) {
    status = hlc_halo_start(row.halo.raw(), nullptr);
    if (status == HLC_OK) status = hlc_halo_finish(row.halo.raw());
  }
  std::exit(0);
}

/// Faces, edges and corners of two dimensions, in two stages.
struct Block {
  explicit Block(const Context &context) : grid(context, {6, 6}, {true, true}), u(context, grid, 1), halo(context, grid, {u}, options()) {
    std::fill_n(u.data(), u.size(), 1.0 + context.rank());
  }

  static HaloOptions options() {
    HaloOptions made;
    made.mode = halocline::Mode::notify;
    made.stencil = halocline::Stencil::box;
    made.staged = true;
    made.name = "staged";
    return made;
  }

  Grid grid;
  Field<double, 2> u;
  Halo halo;
};

/// The rank LATE sleeps between the swaps of the first halo, while the others wait for it in the second one.
int run_plans(const Context &context, int late) {
  Row chosen(context, HLC_MODE_AUTO, "chosen"), other(context, HLC_MODE_DIRECT, "other");
  Block staged(context);
  for (int n = 0; n < 60; ++n) {
    swap(chosen, 1, false);
    swap(other, 1, n % 6 == 0 && context.rank() == late);
    staged.halo.start();
    staged.halo.finish();
    if (n == 30) reduce(context, context.rank() == late);
  }
  return 0;
}

/// A short context, a long one, and another one.
int run_contexts(const char *mode) {
  const struct {
    const char *name;
    int swaps;
  } rows[] = {{"short", 1}, {"long", 60}, {"last", 1}};
  for (const auto &each : rows) {
    const Context context(MPI_COMM_WORLD);
    Row row(context, mode_of(mode), each.name);
    swap(row, each.swaps, false);
  }
  return 0;
}

/// The table of a released halo is printed when the context ends, by this process alone.
int run_with_child(const Context &context) {
  {
    Row row(context, HLC_MODE_NOTIFY, "flow");
    swap(row, 5, false);
  }
  const pid_t child = fork();
  if (child == 0) std::exit(0);
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? 0 : 1;
}

/// A program that forgets its context and its halo. What static pointers lead to is no leak.
int run_and_leave() {
  static const auto *context = new Context(MPI_COMM_WORLD);
  static auto *row = new Row(*context, HLC_MODE_NOTIFY, "flow");
  swap(*row, 5, false);
  return 0;
}

/// The rank LATE reads its neighbours' cells for long, so that they wait in their release.
int run_views(const Context &context, int late) {
  Row row(context, HLC_MODE_VIEW, "flow");
  for (int n = 0; n < 20; ++n) {
    row.halo.start();
    row.halo.finish_views();
    sleep_if(context.rank() == late);
    row.halo.release();
  }
  return 0;
}

int run_case(const Context &context, const std::string &what, char **words, int count) {
  if (what == "plans" && count == 3) return run_plans(context, std::atoi(words[2]));
  if (what == "contexts" && count == 3) return run_contexts(words[2]);
  if (what == "views" && count == 3) return run_views(context, std::atoi(words[2]));
  if (what == "fork") return run_with_child(context);
  if (what == "die" && count == 3) return run_until_death(context, words[2]);
  return count == 4 ? run(context, words) : 1;
}

}  // namespace

int main(int argc, char **argv) {
  int provided = 0, status = 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  try {
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "left") {
      status = run_and_leave();
    } else {
      const Context context(MPI_COMM_WORLD);
      status = what != "threads" ? run_case(context, what, argv, argc) : provided == MPI_THREAD_MULTIPLE ? run_threads(context) : 77;
    }
  } catch (const std::exception &failure) {
    std::fprintf(stderr, "%s\n", failure.what());
  }
  MPI_Finalize();
  return status;
}
