// SPDX-License-Identifier: BSD-3-Clause
#include "problem.hpp"

#include "nersc.hpp"

#include <algorithm>

namespace lattice {
namespace {

double disorder_of(const std::string &start) { return start == "hot" ? HUGE_VAL : start == "warm" ? 0.3 : 0; }

/// With --local as many ranks as possible along t, then z, y, x.
std::vector<int> ranks_of(const halocline::Context &context, const Options &options) {
  if (!options.global.empty()) return options.ranks;
  int dims[kDims] = {options.ranks[3], options.ranks[2], options.ranks[1], options.ranks[0]};
  std::int64_t fixed = 1;
  for (const int ranks : dims) fixed = std::min<std::int64_t>(fixed * std::max(ranks, 1), INT32_MAX);
  if (context.size() % fixed != 0 || (fixed != context.size() && std::find(dims, dims + kDims, 0) == dims + kDims))
    throw halocline::Error(HLC_ERR_ARGUMENT, "--ranks does not fit " + std::to_string(context.size()) + " ranks");
  MPI_Dims_create(context.size(), kDims, dims);
  return {dims[3], dims[2], dims[1], dims[0]};
}

/// Blocks begin at even sites, so the grid has cells of two sites along each dimension.
halocline::Grid grid_of(const halocline::Context &context, const Options &options) {
  const std::vector<int> ranks = ranks_of(context, options);
  std::vector<std::int64_t> cells(kDims);
  for (int d = 0; d < kDims; ++d) cells[d] = (options.global.empty() ? options.local[d] * ranks[d] : options.global[d]) / 2;
  return halocline::Grid(context, cells, std::vector<int>(kDims, 1), ranks);
}

}  // namespace

Problem::Problem(const halocline::Context &the_context, const Options &the_options, common::Skew &the_skew)
    : context(the_context),
      options(the_options),
      skew(the_skew),
      cells(grid_of(context, options)),
      geometry(cells, options.naik ? 3 : 1),
      gauge(setup<double>()) {
  const Block &block = geometry.block();
  if (options.read.empty())
    gauge.set([&](const Site &x) { return random_links(options.seed, disorder_of(options.start), block.global_number(x)); });
  else
    read_field(options.read, gauge);
  terms = make_terms<double>(setup<double>(), gauge, options.naik);
  b = make_fermion(geometry, [&](const Site &x) { return random_vector({options.seed, Purpose::source, block.global_number(x)}); });
}

Fermion<double> make_fermion(const Geometry &geometry, const std::function<Vector<double>(const Site &)> &value) {
  Fermion<double> field;
  for (int parity = 0; parity < 2; ++parity)
    for (std::int64_t i = 0; i < geometry.half(); ++i) field[parity].push_back(value(geometry.site(parity, i)));
  return field;
}

double norm2(const Fermion<double> &field) {
  double sum = 0;
  for (const auto &half : field) sum += dot(half.data(), half.data(), half.size());
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

Fermion<double> difference(const Fermion<double> &a, const Fermion<double> &b) {
  Fermion<double> result = a;
  for (int parity = 0; parity < 2; ++parity)
    for (std::size_t i = 0; i < b[parity].size(); ++i)
      for (int c = 0; c < 3; ++c) result[parity][i].c[c] = a[parity][i].c[c] - b[parity][i].c[c];
  return result;
}

Fermion<double> serial_solution(const Problem &problem, const OnIteration &on_iteration) {
  const Options &options = problem.options;
  const Block &block = problem.geometry.block();
  const Block whole{block.global, {}, block.global};
  SerialProblem serial{block.global, {}, {}, problem.limits(), options.naik};
  // In single precision the right answer is wanted, not one that is as far from it.
  serial.limits.residual = std::min(serial.limits.residual, 1e-9);
  for (std::int64_t number = 0; number < volume(block.global); ++number) {
    if (options.read.empty()) serial.links.push_back(random_links(options.seed, disorder_of(options.start), number));
    serial.b.push_back(random_vector({options.seed, Purpose::source, number}));
  }
  if (!options.read.empty()) serial.links = read_links(options.read, whole);
  const std::vector<Vector<double>> x = solve_serially(serial, on_iteration);
  return make_fermion(problem.geometry, [&](const Site &site) { return x[block.global_number(site)]; });
}

}  // namespace lattice
