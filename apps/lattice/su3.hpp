// Algebra of SU(3): colour vectors, 3x3 matrices, and the nearest special unitary matrix.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace lattice {

/// A complex number. std::complex treats infinities apart in each product, which costs more than the product.
template <class R>
struct Complex {
  R re = 0, im = 0;
};

template <class R>
constexpr Complex<R> operator+(Complex<R> a, Complex<R> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class R>
constexpr Complex<R> operator-(Complex<R> a, Complex<R> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class R>
constexpr Complex<R> operator*(Complex<R> a, Complex<R> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class R>
constexpr Complex<R> operator*(R factor, Complex<R> a) {
  return {factor * a.re, factor * a.im};
}
template <class R>
constexpr Complex<R> conj(Complex<R> a) {
  return {a.re, -a.im};
}
template <class R>
constexpr R norm2(Complex<R> a) {
  return a.re * a.re + a.im * a.im;
}

/// A colour vector: what a staggered fermion field has at a site.
template <class R>
struct Vector {
  Complex<R> c[3];
};

/// A 3x3 matrix, e[row][column].
template <class R>
struct Matrix {
  Complex<R> e[3][3];
};

template <class R>
constexpr Matrix<R> unit() {
  Matrix<R> m;
  for (int i = 0; i < 3; ++i) m.e[i][i].re = 1;
  return m;
}

/// sum += m v: the innermost loop of the program.
template <class R>
inline void add_product(Vector<R> &sum, const Matrix<R> &m, const Vector<R> &v) {
  for (int i = 0; i < 3; ++i) {
    R re = sum.c[i].re, im = sum.c[i].im;
    for (int j = 0; j < 3; ++j) {
      re += m.e[i][j].re * v.c[j].re - m.e[i][j].im * v.c[j].im;
      im += m.e[i][j].re * v.c[j].im + m.e[i][j].im * v.c[j].re;
    }
    sum.c[i] = {re, im};
  }
}

template <class R>
inline Vector<R> operator*(const Matrix<R> &m, const Vector<R> &v) {
  Vector<R> product;
  add_product(product, m, v);
  return product;
}

template <class R>
inline Matrix<R> operator*(const Matrix<R> &a, const Matrix<R> &b) {
  Matrix<R> product;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) product.e[i][j] = product.e[i][j] + a.e[i][k] * b.e[k][j];
  return product;
}

template <class R>
inline Matrix<R> adjoint(const Matrix<R> &m) {
  Matrix<R> adjoint;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) adjoint.e[i][j] = conj(m.e[j][i]);
  return adjoint;
}

/// factor m, in another precision.
template <class R>
inline Matrix<R> scaled(const Matrix<double> &m, double factor) {
  Matrix<R> result;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) result.e[i][j] = {static_cast<R>(factor * m.e[i][j].re), static_cast<R>(factor * m.e[i][j].im)};
  return result;
}

/// The real part of the trace.
template <class R>
constexpr R trace(const Matrix<R> &m) {
  return m.e[0][0].re + m.e[1][1].re + m.e[2][2].re;
}

/// The complex conjugate of the cross product of the first two rows: the third row of a special unitary matrix.
template <class R>
inline void complete(Matrix<R> &m) {
  for (int j = 0; j < 3; ++j) {
    const int k = (j + 1) % 3, l = (j + 2) % 3;
    m.e[2][j] = conj(m.e[0][k] * m.e[1][l] - m.e[0][l] * m.e[1][k]);
  }
}

template <class R>
inline void normalise(Complex<R> (&row)[3]) {
  const R factor = 1 / std::sqrt(norm2(row[0]) + norm2(row[1]) + norm2(row[2]));
  for (Complex<R> &value : row) value = factor * value;
}

/// A special unitary matrix: the rows made orthonormal one after the other (Gram-Schmidt), the third one from the first two.
template <class R>
inline Matrix<R> reunitarised(Matrix<R> m) {
  normalise(m.e[0]);
  Complex<R> overlap;
  for (int j = 0; j < 3; ++j) overlap = overlap + conj(m.e[0][j]) * m.e[1][j];
  for (int j = 0; j < 3; ++j) m.e[1][j] = m.e[1][j] - overlap * m.e[0][j];
  normalise(m.e[1]);
  complete(m);
  return m;
}

template <class R>
inline Complex<R> determinant(const Matrix<R> &m) {
  Complex<R> sum;
  for (int j = 0; j < 3; ++j) {
    const int k = (j + 1) % 3, l = (j + 2) % 3;
    sum = sum + m.e[0][j] * (m.e[1][k] * m.e[2][l] - m.e[1][l] * m.e[2][k]);
  }
  return sum;
}

/// How far a matrix is from a special unitary one: the largest deviation of m m^+ from 1, and of the determinant.
template <class R>
inline R deviation(const Matrix<R> &m) {
  const Matrix<R> product = m * adjoint(m), one = unit<R>();
  R most = std::sqrt(norm2(determinant(m) - Complex<R>{1, 0}));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) most = std::max(most, std::sqrt(norm2(product.e[i][j] - one.e[i][j])));
  return most <= std::numeric_limits<R>::max() ? most : std::numeric_limits<R>::infinity();  // also where it is no number
}

}  // namespace lattice
