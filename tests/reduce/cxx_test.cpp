// The C++ wrapper of reductions: named operations, and lambdas with state.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <halocline/halocline.hpp>

#include "reduce/arrays.hpp"

namespace halocline::test {
namespace {

TEST(CxxAllreduce, combines_by_name_and_by_lambda) {
  const halocline::Context all(MPI_COMM_WORLD);
  halocline::Allreduce<double> greatest(all, 3, halocline::Reduction::max);
  std::vector<double> data{1.0 + rank(), -1.0 - rank(), 7.5};
  greatest.run(data.data());
  EXPECT_EQ(data, (std::vector<double>{1.0 * size(), -1.0, 7.5}));

  struct Pair {
    std::int64_t least, sum;
  };
  std::int64_t combined = 0;
  halocline::Allreduce<Pair> both(all, 1000, [&combined](Pair a, Pair b) {
    ++combined;
    return Pair{std::min(a.least, b.least), a.sum + b.sum};
  });
  const std::vector<Pair> in(1000, Pair{-rank(), rank() + 1});
  std::vector<Pair> out(1000);
  both.run(in.data(), out.data());
  EXPECT_EQ(out.back().least, 1 - size());
  EXPECT_EQ(out.back().sum, std::int64_t{size()} * (size() + 1) / 2);
  std::int64_t by_all = 0;
  MPI_Allreduce(&combined, &by_all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_GE(by_all, 1000 * (size() - 1));
  EXPECT_EQ(both.info().parts, all.info().nodes);
  EXPECT_THROW(halocline::Allreduce<double>(all, -1, halocline::Reduction::sum), halocline::Error);
}

TEST(CxxAllreduce, that_is_made_in_another_order_is_refused_by_its_name) {
  if (size() == 1) GTEST_SKIP() << "one rank has one order";
  const halocline::Context all(MPI_COMM_WORLD);
  const char *name = rank() == size() - 1 ? "mass" : "energy";
  const auto sum = [](double a, double b) { return a + b; };
  EXPECT_THROW(halocline::Allreduce<double>(all, 1, halocline::Reduction::sum, name), halocline::Error);
  EXPECT_THROW(halocline::Allreduce<double>(all, 1, sum, name), halocline::Error);
  halocline::Allreduce<double> both(all, 1, sum, "mass");
}

}  // namespace
}  // namespace halocline::test
