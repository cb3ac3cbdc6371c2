// Segments through the C++ header: the same calls, errors as exceptions.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <halocline/halocline.hpp>

#include <numeric>
#include <vector>

#include "support/mpi_test.hpp"

namespace halocline::test {
namespace {

class CxxSegment : public testing::Test {
 protected:
  Context context_{MPI_COMM_WORLD};
  int next() const { return (rank() + 1) % size(); }
  int before() const { return (rank() + size() - 1) % size(); }
};

TEST_F(CxxSegment, sends_a_vector_round_a_ring) {
  const Segment segment(context_, 80, 1);
  std::vector<double> mine(10);
  std::iota(mine.begin(), mine.end(), 100.0 * rank() + 1);
  segment.put_notify({next(), 0}, mine.data(), 10, {0, 7});
  EXPECT_EQ(segment.wait({0, 1}), 0);
  EXPECT_EQ(segment.test({0, 1}), std::optional<int>(0));
  EXPECT_EQ(segment.reset(0), 7u);
  EXPECT_EQ(segment.test({0, 1}), std::nullopt);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(segment.data<double>()[i], 100.0 * before() + 1 + i);
  segment.barrier();
}

TEST_F(CxxSegment, puts_gets_and_counts_elements_of_their_type) {
  const Segment segment(context_, 64);
  const std::int32_t pair[2] = {rank(), -rank()};
  std::int32_t got[2] = {};
  segment.put({next(), 8}, pair, 2);
  segment.flush();
  segment.barrier();
  segment.get({rank(), 8}, got, 2);
  segment.flush_local(rank());
  EXPECT_EQ(got[0], before());
  EXPECT_EQ(got[1], -before());
  const Block transposed{4, 1, {2}, {4}, {-4}};
  segment.get({rank(), 12}, got, transposed);
  EXPECT_EQ(got[0], -before());
  segment.barrier();
}

TEST_F(CxxSegment, adds_swaps_and_compares) {
  const Segment segment(context_, 16);
  segment.fetch_add<std::uint16_t>({0, 2}, 3);
  const double halves[1] = {0.5};
  segment.accumulate({0, 8}, Op::sum, halves, 1);
  segment.flush(0);
  segment.barrier();
  EXPECT_EQ(segment.fetch_op<std::uint16_t>({0, 2}, Op::read, 0), 3 * size());
  EXPECT_EQ(segment.fetch_op<double>({0, 8}, Op::read, 0), 0.5 * size());
  segment.barrier();
  EXPECT_EQ(segment.swap<std::int32_t>({rank(), 4}, -5), 0);
  EXPECT_EQ((segment.compare_swap<std::int32_t>({rank(), 4}, 1, 2)), -5);
  EXPECT_EQ((segment.compare_swap<std::int32_t>({rank(), 4}, -5, 2)), -5);
  EXPECT_EQ((segment.compare_swap<std::int32_t>({rank(), 4}, 0, 0)), 2);
}

TEST_F(CxxSegment, throws_the_librarys_sentence) {
  const Segment segment(context_, 8, 1);
  try {
    segment.notify(size(), {0, 1});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error &error) {
    EXPECT_EQ(error.status(), HLC_ERR_ARGUMENT);
    EXPECT_NE(std::string(error.what()).find("rank is " + std::to_string(size())), std::string::npos) << error.what();
  }
  EXPECT_THROW(segment.put({0, 0}, segment.data<double>(), INT64_MAX / 2), Error);
}

}  // namespace
}  // namespace halocline::test
