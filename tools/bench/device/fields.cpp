// SPDX-License-Identifier: BSD-3-Clause
#include "bench/device/fields.hpp"

#include <algorithm>
#include <stdexcept>

namespace bench {

namespace {

constexpr std::int64_t kDouble = sizeof(double);
constexpr double kPoison = -1;

std::int64_t bytes_of(std::int64_t cells) { return cells * kDouble; }

/// One side of a copy of whole columns of an array on the device, from column (x, y) on.
cuda::Side columns(cuda::Address field, const std::array<std::int64_t, 3> &whole, std::int64_t x, std::int64_t y) {
  cuda::Side side{};
  side.type = cuda::kDevice;
  side.device = field + static_cast<cuda::Address>(bytes_of((x * whole[1] + y) * whole[2]));
  side.pitch = static_cast<std::size_t>(bytes_of(whole[2]));
  side.height = static_cast<std::size_t>(whole[1]);
  return side;
}

/// The other side, packed in pinned memory.
cuda::Side packed(double *memory, const std::array<std::int64_t, 2> &count, std::int64_t column) {
  cuda::Side side{};
  side.type = cuda::kHost;
  side.host = memory;
  side.pitch = static_cast<std::size_t>(bytes_of(column));
  side.height = static_cast<std::size_t>(count[1]);
  return side;
}

cuda::Copy copy_of(const cuda::Side &from, const cuda::Side &to, const std::array<std::int64_t, 2> &count, std::int64_t column) {
  return {from, to, static_cast<std::size_t>(bytes_of(column)), static_cast<std::size_t>(count[1]), static_cast<std::size_t>(count[0])};
}

}  // namespace

// ---- the grid

std::string DeviceShape::name() const {
  return std::to_string(local[0]) + " x " + std::to_string(local[1]) + " x " + std::to_string(local[2]);
}

int DeviceShape::neighbour(int dx, int dy) const {
  const int x = (at[0] + dx + ranks[0]) % ranks[0], y = (at[1] + dy + ranks[1]) % ranks[1];
  return x * ranks[1] + y;
}

DeviceShape shape_for(MPI_Comm comm, const std::vector<std::int64_t> &local, const DeviceOptions &options) {
  DeviceShape shape{{local[0], local[1], local[2]}, options.fields, options.depth};
  MPI_Dims_create(size_of(comm), 2, shape.ranks.data());
  shape.at = {rank_of(comm) / shape.ranks[1], rank_of(comm) % shape.ranks[1]};
  return shape;
}

// ---- fields

DeviceFields::DeviceFields(const cuda::Driver &driver, const DeviceShape &shape, int)
    : driver_(driver),
      shape_(shape),
      stream_(driver.make_stream()),
      image_(static_cast<double *>(driver.allocate_pinned(static_cast<std::size_t>(bytes_of(shape.cells()))))) {
  for (int f = 0; f < shape.fields; ++f) fields_.push_back(driver.allocate(static_cast<std::size_t>(bytes_of(shape.cells()))));
}

DeviceFields::~DeviceFields() {
  for (const cuda::Address field : fields_) driver_.free(field);
  driver_.free_pinned(image_);
  driver_.destroy(stream_);
}

/// Of a cell of the block or its halo, which begins at -depth: its place in the periodic grid, exact in a double.
double DeviceFields::value(int field, std::int64_t x, std::int64_t y, std::int64_t z) const {
  const std::int64_t width = shape_.local[0] * shape_.ranks[0], height = shape_.local[1] * shape_.ranks[1];
  const std::int64_t gx = (x + shape_.at[0] * shape_.local[0] + width) % width, gy = (y + shape_.at[1] * shape_.local[1] + height) % height;
  return static_cast<double>(((field * width + gx) * height + gy) * shape_.local[2] + z + 1);
}

void DeviceFields::move(int field, bool to_device) {
  const auto whole = shape_.whole();
  const std::array<std::int64_t, 2> count{whole[0], whole[1]};
  const cuda::Side there = columns(fields_[static_cast<std::size_t>(field)], whole, 0, 0), here = packed(image_, count, whole[2]);
  driver_.copy(to_device ? copy_of(here, there, count, whole[2]) : copy_of(there, here, count, whole[2]), stream_);
  driver_.wait(stream_);
}

void DeviceFields::fill() {
  const auto whole = shape_.whole();
  const int d = shape_.depth;
  for (int f = 0; f < shape_.fields; ++f) {
    double *cell = image_;
    for (std::int64_t x = 0; x < whole[0]; ++x)
      for (std::int64_t y = 0; y < whole[1]; ++y) {
        const bool inside = x >= d && x < whole[0] - d && y >= d && y < whole[1] - d;
        for (std::int64_t z = 0; z < whole[2]; ++z) *cell++ = inside ? value(f, x - d, y - d, z) : kPoison;
      }
    move(f, true);
  }
}

std::string DeviceFields::find_wrong() {
  const auto whole = shape_.whole();
  for (int f = 0; f < shape_.fields; ++f) {
    move(f, false);
    const double *cell = image_;
    for (std::int64_t x = 0; x < whole[0]; ++x)
      for (std::int64_t y = 0; y < whole[1]; ++y)
        for (std::int64_t z = 0; z < whole[2]; ++z, ++cell)
          if (*cell != value(f, x - shape_.depth, y - shape_.depth, z))
            return "field " + std::to_string(f) + ", cell (" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) +
                   ") holds " + std::to_string(*cell) + " but must hold " + std::to_string(value(f, x - shape_.depth, y - shape_.depth, z));
  }
  return "";
}

// ---- the swap by hand

DeviceByHand::DeviceByHand(const cuda::Driver &driver, const DeviceShape &shape, const DeviceFields &fields, MPI_Comm comm)
    : driver_(driver), shape_(shape), fields_(fields), comm_(comm), stream_(driver.make_stream()) {
  const int d = shape.depth;
  std::int64_t all = 0;
  for (int dx = -1; dx <= 1; ++dx)
    for (int dy = -1; dy <= 1; ++dy) {
      if (dx == 0 && dy == 0) continue;
      Way way{shape.neighbour(dx, dy), shape.neighbour(-dx, -dy), {}, {}, {}, 0, nullptr, nullptr};
      const std::array<int, 2> step{dx, dy};
      for (std::size_t i = 0; i < 2; ++i) {
        way.count[i] = step[i] == 0 ? shape.local[i] : d;
        way.edge[i] = step[i] > 0 ? shape.local[i] : d;
        way.halo[i] = step[i] > 0 ? 0 : step[i] < 0 ? shape.local[i] + d : d;
      }
      way.cells = way.count[0] * way.count[1] * shape.local[2];
      all += way.cells * shape.fields;
      ways_.push_back(way);
    }
  pinned_ = static_cast<double *>(driver.allocate_pinned(static_cast<std::size_t>(2 * bytes_of(all))));
  double *next = pinned_;
  for (Way &way : ways_) {
    way.out = next;
    way.in = next + all;
    next += way.cells * shape.fields;
  }
}

DeviceByHand::~DeviceByHand() {
  driver_.free_pinned(pinned_);
  driver_.destroy(stream_);
}

void DeviceByHand::copy(const Way &way, bool to_device) {
  const auto whole = shape_.whole();
  for (int f = 0; f < shape_.fields; ++f) {
    const auto &first = to_device ? way.halo : way.edge;
    const cuda::Side there = columns(fields_.field(f), whole, first[0], first[1]),
                     here = packed((to_device ? way.in : way.out) + f * way.cells, way.count, whole[2]);
    driver_.copy(to_device ? copy_of(here, there, way.count, whole[2]) : copy_of(there, here, way.count, whole[2]), stream_);
  }
}

void DeviceByHand::swap() {
  std::vector<MPI_Request> requests(2 * ways_.size(), MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < ways_.size(); ++i)
    MPI_Irecv(ways_[i].in, static_cast<int>(ways_[i].cells * shape_.fields), MPI_DOUBLE, ways_[i].from, static_cast<int>(i), comm_,
              &requests[2 * i]);
  for (const Way &way : ways_) copy(way, false);
  driver_.wait(stream_);
  for (std::size_t i = 0; i < ways_.size(); ++i)
    MPI_Isend(ways_[i].out, static_cast<int>(ways_[i].cells * shape_.fields), MPI_DOUBLE, ways_[i].to, static_cast<int>(i), comm_,
              &requests[2 * i + 1]);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  for (const Way &way : ways_) copy(way, true);
  driver_.wait(stream_);
}

// ---- the copy

DeviceCopy::DeviceCopy(const cuda::Driver &driver, std::int64_t bytes)
    : driver_(driver),
      row_(std::min<std::int64_t>(bytes, std::int64_t{1} << 20)),
      rows_((bytes + row_ - 1) / row_),
      from_(driver.allocate(static_cast<std::size_t>(row_ * rows_))),
      to_(driver.allocate(static_cast<std::size_t>(row_ * rows_))),
      stream_(driver.make_stream()) {}

DeviceCopy::~DeviceCopy() {
  driver_.free(from_);
  driver_.free(to_);
  driver_.destroy(stream_);
}

void DeviceCopy::run() {
  cuda::Side side{};
  side.type = cuda::kDevice;
  side.pitch = static_cast<std::size_t>(row_);
  side.height = static_cast<std::size_t>(rows_);
  cuda::Copy copy{side, side, static_cast<std::size_t>(row_), static_cast<std::size_t>(rows_), 1};
  copy.from.device = from_;
  copy.to.device = to_;
  driver_.copy(copy, stream_);
  driver_.wait(stream_);
}

}  // namespace bench
