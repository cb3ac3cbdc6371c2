// The three-dimensional transform of a distributed field. It begins with planes of which each rank has some, and ends with the planes of all
// ranks, of which each rank has a part.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "field.hpp"
#include "transform.hpp"
#include "transpose.hpp"

#include <functional>

namespace fft {

/// Points of all ranks: a plane has rows and columns. Columns are x. Planes and rows are y and z, or z and y.
struct Extent {
  int planes, rows, columns;
};

/// Which part of it a rank has.
struct Part {
  Range planes, rows, columns;

  std::int64_t points() const { return std::int64_t{planes.count} * rows.count * columns.count; }
};

/// Slabs have all columns throughout: a plane is transformed in two directions, then its rows are distributed. Pencils have first all rows,
/// then all columns, then all planes. Sources: Bell et al., IPDPS 2006; Gerstenberger et al., SC13, section 4.2.
class Fft3d {
 public:
  struct Setup {
    const halocline::Context &context;
    Extent extent;
    bool pencils;
    const Group &first, &second;
    const Kind &kind;
  };
  explicit Fft3d(const Setup &setup);

  /// What is transformed, and what the result is. The order is planes, rows, columns.
  const Part &input() const { return input_; }
  const Part &output() const { return output_; }

  /// Calls `prepare` with each plane of the field, and transforms it. The result is valid until the next call. Collective.
  using Prepare = std::function<void(int plane, Complex *values)>;
  Complex *run(Complex *field, Direction direction, const Prepare &prepare);

 private:
  void run_slabs(Complex *field, Direction direction, const Prepare &prepare);
  void run_pencils(Complex *field, Direction direction, const Prepare &prepare);
  void send_rows(int plane, Direction direction);
  void send_columns(int plane);
  void gather_columns(int plane);
  Complex *finish(Direction direction);

  Extent extent_;
  Part input_, output_;
  std::vector<Complex> plane_;  ///< a plane with all columns
  std::unique_ptr<Transpose> to_columns_;  ///< of pencils: from all rows to all columns
  std::unique_ptr<Transpose> to_planes_;  ///< to all planes
};

}  // namespace fft
