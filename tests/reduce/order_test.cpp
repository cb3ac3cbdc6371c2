// User operations: called in the documented order, for every element, with arrays of the stated size.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "reduce/arrays.hpp"
#include "support/skew.hpp"

namespace halocline::test {
namespace {

/// Products of 2 x 2 matrices, modulo 2^64: associative, and the order of the factors matters.
struct Matrix {
  std::array<std::uint64_t, 4> m;
  bool operator==(const Matrix &other) const { return m == other.m; }
};
Matrix product(const Matrix &a, const Matrix &b) {
  return {{a.m[0] * b.m[0] + a.m[1] * b.m[2], a.m[0] * b.m[1] + a.m[1] * b.m[3], a.m[2] * b.m[0] + a.m[3] * b.m[2],
           a.m[2] * b.m[1] + a.m[3] * b.m[3]}};
}
std::ostream &operator<<(std::ostream &out, const Matrix &a) { return out << a.m[0] << " " << a.m[1] << " " << a.m[2] << " " << a.m[3]; }

void multiply(const void *in, void *inout, std::int64_t count, void *user) {
  const auto *right = static_cast<const Matrix *>(in);
  auto *left = static_cast<Matrix *>(inout);
  for (std::int64_t i = 0; i < count; ++i) left[i] = product(left[i], right[i]);
  *static_cast<std::int64_t *>(user) += count;
}

}  // namespace

template <>
struct Element<Matrix> {
  static Matrix of(int origin, int step, std::int64_t i) {
    Matrix made{};
    const auto place = static_cast<std::uint64_t>(origin + 1) * 1315423911u + static_cast<std::uint64_t>(step) * 6700417;
    for (std::size_t e = 0; e < 4; ++e) made.m[e] = mixed_word(place + static_cast<std::uint64_t>(4 * i) + e);
    return made;
  }
};

namespace {

hlc_allreduce_spec products(std::int64_t count, std::int64_t *calls) {
  hlc_allreduce_spec spec{};
  spec.type = HLC_OPAQUE;
  spec.element_bytes = sizeof(Matrix);
  spec.reduction = HLC_REDUCE_USER;
  spec.function = multiply;
  spec.user = calls;
  spec.count = count;
  return spec;
}

TEST(UserOperation, is_applied_in_the_documented_order) {
  for (const std::int64_t count : {1, 3, 100, 5003, 50021}) {
    SCOPED_TRACE(testing::Message() << count << " matrices");
    std::int64_t combined = 0;
    const Plan plan(products(count, &combined));
    for (int step = 0; step < 3; ++step) expect_run(plan, step, folded<Matrix>(step, count, product));
    // All ranks together combine each element with that of each further rank; where there are few elements, each rank all of them.
    std::int64_t all = 0;
    MPI_Allreduce(&combined, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    hlc_allreduce_info_t info{};
    EXPECT_TRUE(ok(hlc_allreduce_info(plan.raw(), &info)));
    EXPECT_EQ(all, 3 * count * (size() - 1) * (info.chunk_bytes == 0 ? size() : 1));
  }
}

TEST(UserOperation, may_have_elements_longer_than_a_chunk) {
  constexpr std::int64_t bytes = 1000 * 1000 + 3;
  hlc_allreduce_spec spec{};
  spec.type = HLC_OPAQUE;
  spec.element_bytes = bytes;
  spec.reduction = HLC_REDUCE_USER;
  spec.function = [](const void *in, void *inout, std::int64_t count, void *) {
    for (std::int64_t i = 0; i < count * bytes; ++i) static_cast<unsigned char *>(inout)[i] ^= static_cast<const unsigned char *>(in)[i];
  };
  spec.count = 5;
  const Plan plan(spec);
  std::vector<std::byte> data = bytes_of(rank(), 3, 5 * bytes), expected = bytes_of(0, 3, 5 * bytes);
  for (int r = 1; r < size(); ++r) {
    const std::vector<std::byte> theirs = bytes_of(r, 3, 5 * bytes);
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] ^= theirs[i];
  }
  EXPECT_TRUE(ok(plan.run(data.data(), data.data())));
  EXPECT_TRUE(data == expected);
}

/// Sums of numbers of very different sizes, which another order would round otherwise. All ranks have the same bits in every run, whichever
/// rank is late.
TEST(Results, have_the_same_bits_in_every_run_and_on_every_rank) {
  constexpr std::int64_t count = 60013;
  hlc_allreduce_spec spec{};
  spec.type = HLC_FLOAT64;
  spec.count = count;
  const std::vector<double> mine = elements_of<double>(rank(), 9, count);
  std::vector<double> first;
  Skew skew(3);
  for (int i = 0; i < times(24); ++i) {
    const Plan plan(spec);
    std::vector<double> out(static_cast<std::size_t>(count));
    skew.delay();
    EXPECT_TRUE(ok(plan.run(mine.data(), out.data())));
    if (first.empty()) first = out;
    EXPECT_TRUE(same_bits(out.data(), first)) << "in run " << i;
  }
  std::vector<double> of_rank_0 = first;
  MPI_Bcast(of_rank_0.data(), static_cast<int>(count), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  EXPECT_TRUE(same_bits(first.data(), of_rank_0));
}

}  // namespace
}  // namespace halocline::test
