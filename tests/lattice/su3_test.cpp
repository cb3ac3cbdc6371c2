// The algebra of the mini-app lattice: products against sums over indices, SU(3) matrices, random numbers that belong to sites.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <random.hpp>

#include <gtest/gtest.h>

#include <complex>

namespace {

using namespace lattice;

Matrix<double> any_matrix(int number) {
  SiteRandom random(7, Purpose::link, number);
  Matrix<double> m;
  for (auto &row : m.e)
    for (Complex<double> &value : row) value = random.gaussian();
  return m;
}

std::complex<double> standard(Complex<double> a) { return {a.re, a.im}; }

double distance(const Matrix<double> &a, const Matrix<double> &b) {
  double most = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) most = std::max(most, std::abs(standard(a.e[i][j] - b.e[i][j])));
  return most;
}

TEST(Su3, products_are_sums_over_the_inner_index) {
  const Matrix<double> a = any_matrix(1), b = any_matrix(2), product = a * b;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      std::complex<double> sum;
      for (int k = 0; k < 3; ++k) sum += standard(a.e[i][k]) * standard(b.e[k][j]);
      EXPECT_LT(std::abs(standard(product.e[i][j]) - sum), 1e-14);
    }
}

TEST(Su3, matrices_act_one_after_the_other) {
  const Matrix<double> a = any_matrix(3), b = any_matrix(4);
  const Vector<double> v = random_vector({7, Purpose::source, 5}), once = (a * b) * v, twice = a * (b * v);
  for (int c = 0; c < 3; ++c) EXPECT_LT(std::abs(standard(once.c[c] - twice.c[c])), 1e-13);
}

TEST(Su3, the_adjoint_of_a_product_is_the_product_of_adjoints_reversed) {
  const Matrix<double> a = any_matrix(6), b = any_matrix(7);
  EXPECT_LT(distance(adjoint(a * b), adjoint(b) * adjoint(a)), 1e-14);
}

TEST(Su3, determinants_multiply) {
  const Matrix<double> a = any_matrix(8), b = any_matrix(9);
  EXPECT_LT(std::abs(standard(determinant(a * b)) - standard(determinant(a)) * standard(determinant(b))), 1e-12);
}

TEST(Su3, any_matrix_is_reunitarised_and_a_special_unitary_one_stays) {
  EXPECT_GT(deviation(any_matrix(10)), 0.1);
  const Matrix<double> u = reunitarised(any_matrix(10));
  EXPECT_LT(deviation(u), 1e-14);
  EXPECT_LT(distance(reunitarised(u), u), 1e-14);
}

TEST(Su3, two_rows_determine_the_third) {
  Matrix<double> u = reunitarised(any_matrix(11));
  const Matrix<double> whole = u;
  for (Complex<double> &value : u.e[2]) value = {};
  complete(u);
  EXPECT_LT(distance(u, whole), 1e-14);
}

TEST(SiteRandom, numbers_belong_to_seed_purpose_site_and_direction) {
  const auto first = [](SiteRandom random) { return random.uniform(); };
  const double one = first({1, Purpose::link, 5, 2});
  EXPECT_EQ(one, first({1, Purpose::link, 5, 2}));
  EXPECT_NE(one, first({2, Purpose::link, 5, 2}));
  EXPECT_NE(one, first({1, Purpose::source, 5, 2}));
  EXPECT_NE(one, first({1, Purpose::link, 6, 2}));
  EXPECT_NE(one, first({1, Purpose::link, 5, 3}));
}

TEST(SiteRandom, without_disorder_there_is_the_unit_matrix_and_with_much_none_is_preferred) {
  EXPECT_EQ(distance(random_su3({1, Purpose::link, 1}, 0), unit<double>()), 0);
  constexpr int many = 4000;
  double sum = 0, squares = 0;
  for (int site = 0; site < many; ++site) {
    const double value = trace(random_su3({1, Purpose::link, site}, HUGE_VAL));
    sum += value;
    squares += value * value;
  }
  // With Haar's measure the real part of the trace has the mean 0 and the variance 1/2.
  EXPECT_LT(std::abs(sum / many), 0.06);
  EXPECT_LT(std::abs(squares / many - 0.5), 0.06);
}

}  // namespace
