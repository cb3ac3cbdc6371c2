// The exchange inside a transform: each rank of a group sends a block of each of its planes to every rank. The variants differ in how the
// blocks are moved, and in nothing else.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "decomposition.hpp"

#include <halocline/halocline.hpp>

#include <memory>

namespace fft {

/// What is exchanged: `planes` of each rank of the group, each with a block of `elements` for every rank.
struct Shape {
  const Group &group;
  int planes;
  std::int64_t elements;

  std::int64_t total() const { return std::int64_t{group.size} * planes * elements; }
  /// Where a block stands in an array of all blocks: by rank, then by plane.
  std::int64_t place(int rank, int plane) const { return (std::int64_t{rank} * planes + plane) * elements; }
};

/// Calls are in this order: start; for each plane block and send; wait for planes; received.
class Transpose {
 public:
  explicit Transpose(const Shape &shape) : shape_(shape) {}
  virtual ~Transpose() = default;
  /// Begins an exchange. What the previous one received has been read.
  virtual void start() = 0;
  /// Where the block of a plane for a rank of the group is to be written.
  virtual Complex *block(int plane, int to) = 0;
  /// All blocks of this plane are written. Planes are sent in order.
  virtual void send(int plane) = 0;
  /// Waits until this plane of every rank is there.
  virtual void wait(int plane) = 0;
  /// The blocks for this rank, in the order of Shape::place by origin.
  virtual Complex *received() = 0;

  const Shape &shape() const { return shape_; }

 protected:
  int me() const { return shape_.group.rank; }
  /// The other ranks of the group, beginning with the next one: so not all ranks send to the same one at the same time.
  std::vector<int> others() const {
    std::vector<int> ranks;
    for (int i = 1; i < shape_.group.size; ++i) ranks.push_back((me() + i) % shape_.group.size);
    return ranks;
  }

 private:
  const Shape shape_;
};

/// A row of the table of variants. Making a transpose is collective over the context.
struct Kind {
  const char *name;
  std::unique_ptr<Transpose> (*make)(const halocline::Context &context, const Shape &shape);
};
const std::vector<Kind> &kinds();

/// No exchange: each rank keeps its blocks, and results are meaningless. Its time is that of the transforms alone.
std::unique_ptr<Transpose> make_local(const halocline::Context &context, const Shape &shape);
/// MPI_Alltoall after the last plane.
std::unique_ptr<Transpose> make_alltoall(const halocline::Context &context, const Shape &shape);
/// MPI_Isend of each plane.
std::unique_ptr<Transpose> make_p2p(const halocline::Context &context, const Shape &shape);
/// MPI_Put of each plane, MPI_Win_fence after the last one.
std::unique_ptr<Transpose> make_rma(const halocline::Context &context, const Shape &shape);
/// Blocks are written to the target's memory where it is mapped, else put; each with a notification.
std::unique_ptr<Transpose> make_notify(const halocline::Context &context, const Shape &shape);

}  // namespace fft
