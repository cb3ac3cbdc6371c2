// Neighbourhood exchanges of Cartesian communicators. In a periodic dimension of one or two ranks both neighbours are the same rank. Only the
// order of the blocks tells which is which. What a rank sends in the negative direction of a dimension, its neighbour receives from the positive
// one (MPI 4.1, section 8.6). No mode calls these: they are for programs that do.
// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "../probe.hpp"
#include "../watchdog.hpp"

namespace doctor {
namespace {

constexpr int kMostDims = 3, kMaxBlocks = 2 * kMostDims;
constexpr int kInts = 3;  // of a block

/// A periodic grid of all ranks, and a block of integers for each neighbour.
class Torus {
 public:
  /// extents: ranks of each dimension; 0: as MPI_Dims_create decides.
  Torus(Bench &bench, std::vector<int> extents) : bench_(bench), extents_(std::move(extents)) {
    const std::vector<int> periodic(extents_.size(), 1);
    CALL(MPI_Dims_create, bench.size(), dims(), extents_.data());
    CALL(MPI_Cart_create, bench.comm(), dims(), extents_.data(), periodic.data(), 0, &comm_);
    counts_.fill(kInts), types_.fill(MPI_INT);
    for (int block = 0; block < kMaxBlocks; ++block) {
      places_[at(block)] = kInts * block;
      bytes_[at(block)] = static_cast<MPI_Aint>(kInts * block * sizeof(int));
    }
    fill();
  }
  void end() { CALL(MPI_Comm_free, &comm_); }

  void fill() {
    for (int i = 0; i < kInts * blocks(); ++i) out_[at(i)] = value(bench_.rank(), i), in_[at(i)] = -1;
  }
  /// Says which blocks a call has brought to the wrong places.
  void look(const char *call) {
    std::vector<std::string> wrong;
    for (int dim = 0; dim < dims(); ++dim) {
      int low = 0, high = 0;
      CALL(MPI_Cart_shift, comm_, dim, 1, &low, &high);
      check(2 * dim, low, 2 * dim + 1, wrong);
      check(2 * dim + 1, high, 2 * dim, wrong);
    }
    if (!wrong.empty())
      bench_.wrong(call, "periodic grid of " + described() + " ranks, rank " + std::to_string(bench_.rank()) + ": " +
                             std::to_string(wrong.size()) + " of " + std::to_string(blocks()) + " blocks are wrong; " + wrong.front());
    fill();
  }

  MPI_Comm comm() const { return comm_; }
  const int *out() const { return out_.data(); }
  int *in() { return in_.data(); }
  const int *counts() const { return counts_.data(); }
  const int *places() const { return places_.data(); }
  const MPI_Aint *bytes() const { return bytes_.data(); }
  const MPI_Datatype *types() const { return types_.data(); }

 private:
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  static int value(int rank, int place) { return 1000 * (rank + 1) + place; }
  int dims() const { return static_cast<int>(extents_.size()); }
  int blocks() const { return 2 * dims(); }
  std::string described() const {
    std::string text;
    for (const int extent : extents_) text += (text.empty() ? "" : " x ") + std::to_string(extent);
    return text;
  }
  /// Says what is wrong with a block from a rank, which sent it as its block `sent`.
  void check(int block, int rank, int sent, std::vector<std::string> &wrong) const {
    for (int i = 0; i < kInts; ++i)
      if (const int got = in_[at(kInts * block + i)], wanted = value(rank, kInts * sent + i); got != wanted)
        return wrong.push_back("block " + std::to_string(block) + " has " + std::to_string(got) + ", expected " + std::to_string(wanted) +
                               " of block " + std::to_string(sent) + " of rank " + std::to_string(rank));
  }

  Bench &bench_;
  std::vector<int> extents_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::array<int, kInts * kMaxBlocks> out_{}, in_{};
  std::array<int, kMaxBlocks> counts_{}, places_{};
  std::array<MPI_Aint, kMaxBlocks> bytes_{};
  std::array<MPI_Datatype, kMaxBlocks> types_{};
};

void exchange_blocking(Torus &t) {
  CALL(MPI_Neighbor_alltoall, t.out(), kInts, MPI_INT, t.in(), kInts, MPI_INT, t.comm());
  t.look("MPI_Neighbor_alltoall");
  CALL(MPI_Neighbor_alltoallv, t.out(), t.counts(), t.places(), MPI_INT, t.in(), t.counts(), t.places(), MPI_INT, t.comm());
  t.look("MPI_Neighbor_alltoallv");
  CALL(MPI_Neighbor_alltoallw, t.out(), t.counts(), t.bytes(), t.types(), t.in(), t.counts(), t.bytes(), t.types(), t.comm());
  t.look("MPI_Neighbor_alltoallw");
}

void exchange_nonblocking(Torus &t) {
  MPI_Request request = MPI_REQUEST_NULL;
  CALL(MPI_Ineighbor_alltoall, t.out(), kInts, MPI_INT, t.in(), kInts, MPI_INT, t.comm(), &request);
  complete(request);
  t.look("MPI_Ineighbor_alltoall");
  CALL(MPI_Ineighbor_alltoallv, t.out(), t.counts(), t.places(), MPI_INT, t.in(), t.counts(), t.places(), MPI_INT, t.comm(), &request);
  complete(request);
  t.look("MPI_Ineighbor_alltoallv");
  CALL(MPI_Ineighbor_alltoallw, t.out(), t.counts(), t.bytes(), t.types(), t.in(), t.counts(), t.bytes(), t.types(), t.comm(), &request);
  complete(request);
  t.look("MPI_Ineighbor_alltoallw");
}

#if MPI_VERSION >= 4
void finish(Torus &t, MPI_Request &request, const char *call) {
  CALL(MPI_Start, &request);
  complete(request);
  CALL(MPI_Request_free, &request);
  t.look(call);
}

void exchange_persistent(Torus &t) {
  MPI_Request request = MPI_REQUEST_NULL;
  CALL(MPI_Neighbor_alltoall_init, t.out(), kInts, MPI_INT, t.in(), kInts, MPI_INT, t.comm(), MPI_INFO_NULL, &request);
  finish(t, request, "MPI_Neighbor_alltoall_init");
  CALL(MPI_Neighbor_alltoallv_init, t.out(), t.counts(), t.places(), MPI_INT, t.in(), t.counts(), t.places(), MPI_INT, t.comm(),
       MPI_INFO_NULL, &request);
  finish(t, request, "MPI_Neighbor_alltoallv_init");
  CALL(MPI_Neighbor_alltoallw_init, t.out(), t.counts(), t.bytes(), t.types(), t.in(), t.counts(), t.bytes(), t.types(), t.comm(),
       MPI_INFO_NULL, &request);
  finish(t, request, "MPI_Neighbor_alltoallw_init");
}
#else
void exchange_persistent(Torus &) {}
#endif

/// Grids of one, two and three dimensions, in some of which a rank is its own neighbour.
void probe_cartesian(Bench &bench) {
  for (const std::vector<int> &extents : {std::vector<int>{0}, {1, 0}, {0, 1, 0}}) {
    Torus torus(bench, extents);
    exchange_blocking(torus);
    exchange_nonblocking(torus);
    exchange_persistent(torus);
    torus.end();
  }
}

}  // namespace

std::vector<Probe> cartesian_probes() {
  return {{"collectives/cartesian", "MPI_Cart_create, MPI_Neighbor_alltoall[vw], MPI_Ineighbor_alltoall[vw]", probe_cartesian}};
}

}  // namespace doctor
