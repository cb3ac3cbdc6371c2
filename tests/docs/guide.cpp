// The blocks of C++ in docs/guide, and what they take for granted. scripts/readme.py compares the lines.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <halocline/halocline.hpp>

#include <array>
#include <cstdio>
#include <vector>

namespace {

using namespace halocline;

/// Whether each halo cell of a row of blocks, joined at its ends, has the value of its owner.
template <class Array>
bool is_filled(const Array &u, const Grid &grid, double of) {
  const auto cells = grid.global(0), first = grid.start(0), here = grid.local(0);
  return u(-1) == of + static_cast<double>((first + cells - 1) % cells) && u(here) == of + static_cast<double>((first + here) % cells);
}

bool other_arrays(Context &context) {
  const Grid grid(context, {4 * context.size()}, {true});
  Field<double, 1> u(context, grid, 1), v(context, grid, 1), u_new(context, grid, 1);
  int of = 0;
  for (auto *field : {&u, &v, &u_new}) {
    for (std::int64_t i = 0; i < grid.local(0); ++i) (*field)(i) = of + static_cast<double>(grid.start(0) + i);
    of += 1000;
  }
  HaloOptions options;
  options.rebind = true;
  Halo halo(context, grid, {u, v}, options);
  halo.swap_with(u_new, v);
  return is_filled(u_new, grid, 2000) && is_filled(v, grid, 1000) && u(-1) == 0;
}

bool reductions(Context &context) {
  const std::int64_t n = 2;
  const std::vector<double> mine{1, static_cast<double>(context.rank())};
  std::vector<double> total(2);
  halocline::Allreduce<double> sum(context, n, halocline::Reduction::sum);
  sum.run(mine.data(), total.data());
  // clang-format off
  struct Extreme { double value; std::int64_t rank; };
  // clang-format on
  halocline::Allreduce<Extreme> hottest(context, 1, [](Extreme a, Extreme b) {
    return b.value > a.value || (b.value == a.value && b.rank < a.rank) ? b : a;   // equal values: the lower rank
  });
  // The last rank and the one before it are the hottest.
  const int ranks = context.size(), last = ranks - 1;
  const Extreme here{context.rank() >= last - 1 ? 7.0 : 1.0, context.rank()};
  Extreme found{};
  hottest.run(&here, &found);
  return total[0] == ranks && total[1] == ranks * last / 2 && found.value == 7 && found.rank == (last > 0 ? last - 1 : 0);
}

}  // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int right = 0, all = 0;
  {
    Context context(MPI_COMM_WORLD);
    right = other_arrays(context) && reductions(context);
  }
  MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::printf("the guide's C++: %s\n", all ? "right" : "WRONG");
  MPI_Finalize();
  return all ? 0 : 1;
}
