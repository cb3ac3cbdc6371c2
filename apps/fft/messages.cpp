// The transposes on messages of MPI.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "transpose.hpp"

#include <climits>
#include <stdexcept>

namespace fft {
namespace {

/// MPI counts in int.
int count_of(std::int64_t elements) {
  if (elements > INT_MAX) throw std::length_error("a message of " + std::to_string(elements) + " elements is too long for MPI");
  return static_cast<int>(elements);
}

class Alltoall : public Transpose {
 public:
  explicit Alltoall(const Shape &shape)
      : Transpose(shape),
        count_(count_of(shape.planes * shape.elements)),
        sent_(static_cast<std::size_t>(shape.total())),
        received_(static_cast<std::size_t>(shape.total())) {}

  void start() override {}
  Complex *block(int plane, int to) override { return sent_.data() + shape().place(to, plane); }
  void send(int plane) override {
    if (plane + 1 < shape().planes) return;
    MPI_Alltoall(sent_.data(), count_, MPI_C_DOUBLE_COMPLEX, received_.data(), count_, MPI_C_DOUBLE_COMPLEX, shape().group.comm);
  }
  void wait(int) override {}
  Complex *received() override { return received_.data(); }

 private:
  int count_;
  std::vector<Complex> sent_, received_;
};

class P2p : public Transpose {
 public:
  explicit P2p(const Shape &shape)
      : Transpose(shape),
        count_(count_of(shape.elements)),
        others_(others()),
        sent_(static_cast<std::size_t>(shape.total())),
        received_(static_cast<std::size_t>(shape.total())),
        receives_(others_.size() * static_cast<std::size_t>(shape.planes), MPI_REQUEST_NULL) {}
  P2p(const P2p &) = delete;
  P2p &operator=(const P2p &) = delete;
  ~P2p() override { wait_for_sends(); }

  void start() override {
    wait_for_sends();
    MPI_Request *request = receives_.data();
    for (int plane = 0; plane < shape().planes; ++plane)
      for (const int from : others_)
        MPI_Irecv(received_.data() + shape().place(from, plane), count_, MPI_C_DOUBLE_COMPLEX, from, plane, shape().group.comm, request++);
  }
  /// A rank's own blocks stay where they are needed.
  Complex *block(int plane, int to) override { return (to == me() ? received_ : sent_).data() + shape().place(to, plane); }
  void send(int plane) override {
    for (const int to : others_) {
      sends_.push_back(MPI_REQUEST_NULL);
      MPI_Isend(block(plane, to), count_, MPI_C_DOUBLE_COMPLEX, to, plane, shape().group.comm, &sends_.back());
    }
    drive_progress();
  }
  void wait(int plane) override {
    const std::size_t ranks = others_.size();
    MPI_Waitall(static_cast<int>(ranks), receives_.data() + static_cast<std::size_t>(plane) * ranks, MPI_STATUSES_IGNORE);
  }
  Complex *received() override { return received_.data(); }

 private:
  /// MPI moves long messages only while it is called.
  void drive_progress() {
    int done = 0;
    if (!sends_.empty()) MPI_Testall(static_cast<int>(sends_.size()), sends_.data(), &done, MPI_STATUSES_IGNORE);
  }
  void wait_for_sends() {
    MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE);
    sends_.clear();
  }

  int count_;
  std::vector<int> others_;
  std::vector<Complex> sent_, received_;
  std::vector<MPI_Request> receives_, sends_;
};

}  // namespace

std::unique_ptr<Transpose> make_alltoall(const halocline::Context &, const Shape &shape) { return std::make_unique<Alltoall>(shape); }
std::unique_ptr<Transpose> make_p2p(const halocline::Context &, const Shape &shape) { return std::make_unique<P2p>(shape); }

}  // namespace fft
