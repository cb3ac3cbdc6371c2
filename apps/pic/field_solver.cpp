// SPDX-License-Identifier: BSD-3-Clause
#include "field_solver.hpp"

namespace pic {
namespace {

/// sum += a block of the mass matrix times a field
void add_product(const double *block, const double *field, double *sum) {
  for (int r = 0; r < 3; ++r) sum[r] += block[3 * r] * field[0] + block[3 * r + 1] * field[1] + block[3 * r + 2] * field[2];
}

}  // namespace

FieldSolver::FieldSolver(const Setup &setup, const Array &moments, double step)
    : block_(setup.block),
      moments_(moments),
      step_(step),
      pairs_(setup.block),
      field_(setup.context, setup.block, 3),
      curl_(setup.context, setup.block, 3),
      curl_curl_(setup.context, setup.block, 3),
      swaps_(setup, field_, Sides::both, Way::forward, Site::solver, "new field"),
      right_(size()),
      x_(size()),
      product_(size()) {}

/// The mass matrix times the field, and the field itself: of nodes that need no halo, or of all others.
void FieldSolver::multiply_mass(bool inner, double *to) const {
  for_own(block_, [&](std::size_t cell, std::size_t own, std::int64_t i, std::int64_t j, std::int64_t k) {
    const bool is_inner = i > 0 && i < block_.n(0) - 1 && j > 0 && j < block_.n(1) - 1 && k > 0 && k < block_.n(2) - 1;
    if (is_inner != inner) return;
    const double *field = field_.at(cell);
    double sum[3] = {0, 0, 0};
    add_product(moments_.at(cell), field, sum);
    for (int pair = 1; pair < kPairs; ++pair) {
      const std::size_t above = moved(cell, pairs_.cells[pair]), below = moved(cell, -pairs_.cells[pair]);
      add_product(moments_.at(cell) + pair * kBlock, field_.at(above), sum);
      add_product(moments_.at(below) + pair * kBlock, field_.at(below), sum);
    }
    for (int c = 0; c < 3; ++c) to[3 * own + static_cast<std::size_t>(c)] = field[c] + step_ * sum[c];
  });
}

void FieldSolver::apply(const double *from, double *to) {
  scatter(block_, from, field_);
  swaps_.start();
  multiply_mass(true, to);
  swaps_.finish();
  multiply_mass(false, to);
  add_curl_curl(to);
}

void FieldSolver::add_curl_curl(double *to) {
  curl(block_, field_, To::centres, wider(block_, 1, 0), curl_);
  curl(block_, curl_, To::nodes, own(block_), curl_curl_);
  for_own(block_, [&](std::size_t cell, std::size_t own, auto, auto, auto) {
    for (std::size_t c = 0; c < 3; ++c) to[3 * own + c] += step_ * step_ * curl_curl_.at(cell)[c];
  });
}

Solved FieldSolver::solve(const Array &electric, const Array &curl_of_magnetic, Sums &sums, const Limits &limits) {
  for_own(block_, [&](std::size_t cell, std::size_t own, auto, auto, auto) {
    const double *current = moments_.at(cell) + kCurrent;
    for (std::size_t c = 0; c < 3; ++c) right_[3 * own + c] = electric.at(cell)[c] + step_ * (curl_of_magnetic.at(cell)[c] - current[c]);
  });
  gather(block_, electric, x_.data());
  field_.copy(electric);
  multiply_mass(true, product_.data());
  multiply_mass(false, product_.data());
  add_curl_curl(product_.data());
  const Solved solved = solve_gmres(*this, sums, limits, right_, x_, product_);
  if (solved.right == 0) field_.clear();  // else it is what was multiplied last, with its halo
  return solved;
}

}  // namespace pic
