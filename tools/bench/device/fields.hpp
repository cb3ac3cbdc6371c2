// Fields in the memory of a device, what their cells are, and the swap that a program without the library would write.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/device/device.hpp"
#include "bench/device/driver.hpp"

#include <mpi.h>

#include <array>
#include <vector>

namespace bench {

/// A block of x, y, z cells with halos along x and y, of which all ranks together make a periodic grid.
struct DeviceShape {
  std::array<std::int64_t, 3> local;
  int fields, depth;
  std::array<int, 2> ranks{}, at{};  ///< along x and y

  std::string name() const;
  std::array<std::int64_t, 3> whole() const { return {local[0] + 2 * depth, local[1] + 2 * depth, local[2]}; }
  std::int64_t cells() const { return whole()[0] * whole()[1] * whole()[2]; }
  /// Cells of the halo of one field.
  std::int64_t halo_cells() const { return cells() - local[0] * local[1] * local[2]; }
  /// The rank in a direction.
  int neighbour(int dx, int dy) const;
};
DeviceShape shape_for(MPI_Comm comm, const std::vector<std::int64_t> &local, const DeviceOptions &options);

/// All fields, in one allocation each.
class DeviceFields {
 public:
  DeviceFields(const cuda::Driver &driver, const DeviceShape &shape, int rank);
  DeviceFields(const DeviceFields &) = delete;
  DeviceFields &operator=(const DeviceFields &) = delete;
  ~DeviceFields();

  cuda::Address field(int f) const { return fields_[static_cast<std::size_t>(f)]; }
  /// Each cell of the block says its field and where it is in the whole grid; the halo is wrong.
  void fill();
  /// Whether every cell of the halo is its owner's. Names the first that is not.
  std::string find_wrong();

 private:
  double value(int field, std::int64_t x, std::int64_t y, std::int64_t z) const;
  void move(int field, bool to_device);

  const cuda::Driver &driver_;
  const DeviceShape shape_;
  std::vector<cuda::Address> fields_;
  cuda::Stream stream_;
  double *image_;  // pinned, of one field
};

/// Copies the edges into pinned memory, sends them with MPI, and copies what arrives into the halo.
class DeviceByHand {
 public:
  DeviceByHand(const cuda::Driver &driver, const DeviceShape &shape, const DeviceFields &fields, MPI_Comm comm);
  DeviceByHand(const DeviceByHand &) = delete;
  DeviceByHand &operator=(const DeviceByHand &) = delete;
  ~DeviceByHand();
  void swap();

 private:
  struct Way {
    int to, from;  ///< ranks
    std::array<std::int64_t, 2> edge, halo, count;  ///< first cells, along x and y
    std::int64_t cells;  ///< of one field
    double *out, *in;
  };

  void copy(const Way &way, bool to_device);

  const cuda::Driver &driver_;
  const DeviceShape shape_;
  const DeviceFields &fields_;
  MPI_Comm comm_;
  cuda::Stream stream_;
  double *pinned_;
  std::vector<Way> ways_;
};

/// A copy of as many bytes as the halos have, inside the device.
class DeviceCopy {
 public:
  DeviceCopy(const cuda::Driver &driver, std::int64_t bytes);
  DeviceCopy(const DeviceCopy &) = delete;
  DeviceCopy &operator=(const DeviceCopy &) = delete;
  ~DeviceCopy();
  void run();

 private:
  const cuda::Driver &driver_;
  const std::int64_t row_, rows_;
  cuda::Address from_, to_;
  cuda::Stream stream_;
};

}  // namespace bench
