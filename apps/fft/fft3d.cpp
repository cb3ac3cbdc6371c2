// SPDX-License-Identifier: BSD-3-Clause
#include "fft3d.hpp"

#include <algorithm>

namespace fft {
namespace {

Range part_of(int points, const Group &group) {
  const int count = points / group.size;
  return {group.rank * count, count};
}

Range all_of(int points) { return {0, points}; }

Part input_of(const Fft3d::Setup &s) {
  const Extent &extent = s.extent;
  return {part_of(extent.planes, s.first), all_of(extent.rows), s.pencils ? part_of(extent.columns, s.second) : all_of(extent.columns)};
}

Part output_of(const Fft3d::Setup &s) {
  const Extent &extent = s.extent;
  if (!s.pencils) return {all_of(extent.planes), part_of(extent.rows, s.first), all_of(extent.columns)};
  return {all_of(extent.planes), part_of(extent.rows, s.second), part_of(extent.columns, s.first)};
}

/// Rows that are `stride` elements apart.
struct Matrix {
  Complex *data;
  std::int64_t stride;
};

void copy_rows(MatrixSize size, Matrix from, Matrix to) {
  for (std::int64_t i = 0; i < size.rows; ++i) std::copy_n(from.data + i * from.stride, size.columns, to.data + i * to.stride);
}

}  // namespace

Fft3d::Fft3d(const Setup &s) : extent_(s.extent), input_(input_of(s)), output_(output_of(s)) {
  const std::int64_t rows = s.pencils ? output_.rows.count : extent_.rows;
  plane_.resize(static_cast<std::size_t>(rows * extent_.columns));
  if (s.pencils)
    to_columns_ = s.kind.make(s.context, {s.second, input_.planes.count, std::int64_t{output_.rows.count} * input_.columns.count});
  to_planes_ = s.kind.make(s.context, {s.first, input_.planes.count, std::int64_t{output_.rows.count} * output_.columns.count});
}

Complex *Fft3d::run(Complex *field, Direction direction, const Prepare &prepare) {
  to_planes_->start();
  if (to_columns_)
    run_pencils(field, direction, prepare);
  else
    run_slabs(field, direction, prepare);
  return finish(direction);
}

void Fft3d::run_slabs(Complex *field, Direction direction, const Prepare &prepare) {
  const MatrixSize size{extent_.rows, extent_.columns};
  const Rows transformed{{plane_.data()}, size.rows, size.columns};
  for (int plane = 0; plane < input_.planes.count; ++plane, field += size.rows * size.columns) {
    prepare(plane, field);
    transform_columns(size, {{field}, size.rows, size.columns}, transformed, direction);
    send_rows(plane, direction);
  }
}

/// The second transform of a plane writes its rows to where they are sent from.
void Fft3d::send_rows(int plane, Direction direction) {
  const MatrixSize size{output_.rows.count, extent_.columns};
  for (int to = 0; to < to_planes_->shape().group.size; ++to)
    transform_rows(size, plane_.data() + to * size.rows * size.columns, to_planes_->block(plane, to), direction);
  to_planes_->send(plane);
}

void Fft3d::run_pencils(Complex *field, Direction direction, const Prepare &prepare) {
  to_columns_->start();
  const MatrixSize size{extent_.rows, input_.columns.count};
  for (int plane = 0; plane < input_.planes.count; ++plane, field += size.rows * size.columns) {
    prepare(plane, field);
    Rows blocks{{}, output_.rows.count, size.columns};
    for (int to = 0; to < to_columns_->shape().group.size; ++to) blocks.blocks.push_back(to_columns_->block(plane, to));
    transform_columns(size, {{field}, size.rows, size.columns}, blocks, direction);
    to_columns_->send(plane);
  }
  for (int plane = 0; plane < input_.planes.count; ++plane) {
    to_columns_->wait(plane);
    gather_columns(plane);
    transform_rows({output_.rows.count, extent_.columns}, plane_.data(), plane_.data(), direction);
    send_columns(plane);
  }
}

/// Each rank has sent its columns.
void Fft3d::gather_columns(int plane) {
  const Shape &shape = to_columns_->shape();
  const MatrixSize size{output_.rows.count, input_.columns.count};
  for (int from = 0; from < shape.group.size; ++from)
    copy_rows(size, {to_columns_->received() + shape.place(from, plane), size.columns},
              {plane_.data() + from * size.columns, extent_.columns});
}

void Fft3d::send_columns(int plane) {
  const MatrixSize size{output_.rows.count, output_.columns.count};
  for (int to = 0; to < to_planes_->shape().group.size; ++to)
    copy_rows(size, {plane_.data() + to * size.columns, extent_.columns}, {to_planes_->block(plane, to), size.columns});
  to_planes_->send(plane);
}

/// The last direction needs all planes of all ranks.
Complex *Fft3d::finish(Direction direction) {
  for (int plane = 0; plane < input_.planes.count; ++plane) to_planes_->wait(plane);
  Complex *const result = to_planes_->received();
  const MatrixSize size{extent_.planes, std::int64_t{output_.rows.count} * output_.columns.count};
  const Rows planes{{result}, size.rows, size.columns};
  transform_columns(size, planes, planes, direction);
  return result;
}

}  // namespace fft
