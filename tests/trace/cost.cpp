// What cost.py counts the instructions of: `cost CALLS` makes so many puts, notifications, and swaps whose data have arrived before finish, so
// that no call waits.
// SPDX-License-Identifier: BSD-3-Clause
#include <halocline/segment.h>
#include <halocline/halocline.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace {

void use_segment(const halocline::Context &context, int calls) {
  const halocline::Segment segment(context, 64, 1);
  const double number = context.rank();
  const int right = (context.rank() + 1) % context.size();
  for (int i = 0; i < calls; ++i) {
    segment.put({right, 8}, &number, 1);
    segment.put_notify({right, 0}, &number, 1, {0, 1});
    segment.flush(right);
  }
  segment.barrier();
}

void swap(const halocline::Context &context, halocline::Mode mode, int calls) {
  const halocline::Grid grid(context, {8 * context.size()}, {true});
  halocline::Field<double, 1> u(context, grid, 1);
  std::fill_n(u.data(), u.size(), 1.0 + context.rank());
  halocline::HaloOptions options;
  options.mode = mode;
  halocline::Halo halo(context, grid, {u}, options);
  for (int i = 0; i < calls; ++i) {
    halo.start();
    MPI_Barrier(MPI_COMM_WORLD);
    halo.finish();
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

}  // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  try {
    const halocline::Context context(MPI_COMM_WORLD);
    const int calls = argc > 1 ? std::atoi(argv[1]) : 1;
    use_segment(context, calls);
    swap(context, halocline::Mode::notify, calls);
  } catch (const std::exception &failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
  MPI_Finalize();
  return 0;
}
