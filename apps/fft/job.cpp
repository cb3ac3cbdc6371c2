// SPDX-License-Identifier: BSD-3-Clause
#include "job.hpp"

#include <algorithm>
#include <cstdio>

namespace fft {
namespace {

constexpr double kSilence_s = 5;

/// Of a transform with planes of y and rows of z.
Box box_of(const Part &part) { return {part.columns, part.planes, part.rows}; }

/// The same values with planes and rows exchanged.
std::vector<Complex> with_planes_as_rows(const Complex *values, const Part &part) {
  std::vector<Complex> result(static_cast<std::size_t>(part.points()));
  const std::int64_t planes = part.planes.count, rows = part.rows.count, columns = part.columns.count;
  for (std::int64_t plane = 0; plane < planes; ++plane)
    for (std::int64_t row = 0; row < rows; ++row)
      std::copy_n(values + (plane * rows + row) * columns, columns, result.data() + (row * planes + plane) * columns);
  return result;
}

}  // namespace

Job::Job(const halocline::Context &context, const Problem &problem, const Decomposition &decomposition, std::uint64_t skew)
    : context_(context),
      problem_(problem),
      decomposition_(decomposition),
      groups_(decomposition),
      skew_(skew, context.rank()),
      transformed_(first_transform()) {}

Fft3d Job::make_transform(const Kind &kind) const {
  const Size &size = problem_.size;
  return Fft3d({context_, {size.y, size.z, size.x}, decomposition_.pencils, groups_.first, groups_.second, kind});
}

/// This one has planes of z and rows of y, and its pencils have the groups exchanged: so its result is where the others begin.
std::vector<Complex> Job::first_transform() const {
  const Size &size = problem_.size;
  const bool pencils = decomposition_.pencils;
  const Group &first = pencils ? groups_.second : groups_.first, &second = pencils ? groups_.first : groups_.second;
  Fft3d transform({context_, {size.z, size.y, size.x}, pencils, first, second, {"alltoall", make_alltoall}});
  const Part &part = transform.input();
  std::vector<Complex> field = initial_field(size, {part.columns, part.rows, part.planes});
  return with_planes_as_rows(transform.run(field.data(), Direction::forward, [](int, Complex *) {}), transform.output());
}

Outcome Job::run(Contestant &one, bool with_results) {
  const Evolution evolution(problem_.size, box_of(one.transform.input()));
  Checksums checksums(problem_.size, box_of(one.transform.output()), problem_.iterations);
  const auto evolve = [&](int plane, Complex *values) {
    skew_.delay();
    evolution.step(plane, values);
  };
  field_ = transformed_;
  const Complex *result = nullptr;
  common::meet(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int iteration = 0; iteration < problem_.iterations; ++iteration) {
    result = one.transform.run(field_.data(), Direction::backward, evolve);
    checksums.collect(iteration, result);
    say_progress(one, iteration);
  }
  const double seconds = common::slowest(MPI_Wtime() - begin, MPI_COMM_WORLD);
  if (!with_results) return {seconds, {}, 0};
  return {seconds, checksums.sums(), fingerprint_of(problem_.size, box_of(one.transform.output()), result)};
}

void Job::say_progress(const Contestant &one, int iteration) {
  if (context_.rank() != 0 || MPI_Wtime() - last_said_ < kSilence_s) return;
  std::fprintf(stderr, "fft: %s, iteration %d of %d\n", one.name, iteration + 1, problem_.iterations);
  last_said_ = MPI_Wtime();
}

}  // namespace fft
