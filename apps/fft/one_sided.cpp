// The transposes on memory that other ranks write: a window of MPI, and a segment. Both have room for two exchanges, of which one is
// received while the other is still read. A rank that begins the next but one has received blocks from every rank of its group in the next
// one. So each of them has read what it received in this one.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "transpose.hpp"

#include <halocline/segment.h>

#include <atomic>

namespace fft {
namespace {

/// Every other exchange uses the same half.
class Halves {
 public:
  void swap() { second_ = !second_; }
  std::int64_t times(std::int64_t elements) const { return second_ ? elements : 0; }

 private:
  bool second_ = true;
};

class Rma : public Transpose {
 public:
  explicit Rma(const Shape &shape) : Transpose(shape), others_(others()), sent_(static_cast<std::size_t>(shape.total())) {
    const auto bytes = static_cast<MPI_Aint>(sizeof(Complex)) * 2 * shape.total();
    MPI_Win_allocate(bytes, sizeof(Complex), MPI_INFO_NULL, shape.group.comm, &base_, &window_);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window_);
  }
  Rma(const Rma &) = delete;
  Rma &operator=(const Rma &) = delete;
  ~Rma() override {
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window_);
    MPI_Win_free(&window_);
  }

  void start() override { half_.swap(); }
  Complex *block(int plane, int to) override { return (to == me() ? received() : sent_.data()) + shape().place(to, plane); }
  void send(int plane) override {
    const auto count = static_cast<int>(shape().elements);
    const MPI_Aint place = half_.times(shape().total()) + shape().place(me(), plane);
    for (const int to : others_) MPI_Put(block(plane, to), count, MPI_C_DOUBLE_COMPLEX, to, place, count, MPI_C_DOUBLE_COMPLEX, window_);
    if (plane + 1 == shape().planes) MPI_Win_fence(0, window_);
  }
  void wait(int) override {}
  Complex *received() override { return base_ + half_.times(shape().total()); }

 private:
  std::vector<int> others_;
  std::vector<Complex> sent_;
  Complex *base_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
  Halves half_;
};

class Notify : public Transpose {
 public:
  Notify(const halocline::Context &context, const Shape &shape)
      : Transpose(shape),
        others_(others()),
        segment_(context, static_cast<std::int64_t>(sizeof(Complex)) * 2 * shape.total(), 2 * shape.group.size * shape.planes) {
    for (const int rank : shape.group.ranks) mapped_.push_back(static_cast<Complex *>(segment_.info(rank).data));
    for (const Complex *part : mapped_)
      if (!part) sent_.resize(static_cast<std::size_t>(shape.total()));
  }

  void start() override {
    half_.swap();
    if (!sent_.empty()) segment_.flush_local();
  }
  Complex *block(int plane, int to) override {
    Complex *const part = mapped_[static_cast<std::size_t>(to)];
    return part ? part + place_of(plane) : sent_.data() + shape().place(to, plane);
  }
  void send(int plane) override {
    // The blocks were written by plain stores.
    std::atomic_thread_fence(std::memory_order_release);
    for (const int to : others_) {
      const int rank = shape().group.ranks[static_cast<std::size_t>(to)];
      if (mapped_[static_cast<std::size_t>(to)])
        segment_.notify(rank, {id_of(me(), plane), 1});
      else
        segment_.put_notify({rank, place_of(plane) * static_cast<std::int64_t>(sizeof(Complex))}, block(plane, to), shape().elements,
                            {id_of(me(), plane), 1});
    }
  }
  void wait(int plane) override {
    for (const int from : others_) segment_.reset(segment_.wait({id_of(from, plane), 1}));
  }
  Complex *received() override { return segment_.data<Complex>() + half_.times(shape().total()); }

 private:
  /// Of this rank's block, in the target's part.
  std::int64_t place_of(int plane) const { return half_.times(shape().total()) + shape().place(me(), plane); }
  int id_of(int from, int plane) const {
    const int planes = shape().planes;
    return static_cast<int>(half_.times(std::int64_t{shape().group.size} * planes)) + from * planes + plane;
  }

  std::vector<int> others_;
  halocline::Segment segment_;
  std::vector<Complex *> mapped_;  ///< parts of the group's ranks; null on another node
  std::vector<Complex> sent_;      ///< what is put to other nodes
  Halves half_;
};

}  // namespace

std::unique_ptr<Transpose> make_rma(const halocline::Context &, const Shape &shape) { return std::make_unique<Rma>(shape); }
std::unique_ptr<Transpose> make_notify(const halocline::Context &context, const Shape &shape) {
  return std::make_unique<Notify>(context, shape);
}

}  // namespace fft
