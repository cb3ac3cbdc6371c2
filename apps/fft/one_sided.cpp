// The transposes on memory that other ranks write: a window of MPI, and a segment. A rank must have read an exchange before the next one
// overwrites it. The window has room for two exchanges: a rank that is past a fence has read what it received before the one before it. With
// a segment each rank notifies the others that it has read, and they wait for that where they first write to it.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "transpose.hpp"

#include <halocline/segment.h>

#include <atomic>
#include <utility>

namespace fft {
namespace {

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

  void start() override { second_ = !second_; }
  Complex *block(int plane, int to) override { return (to == me() ? received() : sent_.data()) + shape().place(to, plane); }
  void send(int plane) override {
    const auto count = static_cast<int>(shape().elements);
    const MPI_Aint place = half() + shape().place(me(), plane);
    for (const int to : others_) MPI_Put(block(plane, to), count, MPI_C_DOUBLE_COMPLEX, to, place, count, MPI_C_DOUBLE_COMPLEX, window_);
    if (plane + 1 == shape().planes) MPI_Win_fence(0, window_);
  }
  void wait(int) override {}
  Complex *received() override { return base_ + half(); }

 private:
  std::int64_t half() const { return second_ ? shape().total() : 0; }

  std::vector<int> others_;
  std::vector<Complex> sent_;
  Complex *base_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
  bool second_ = true;  ///< every other exchange uses the same half
};

class Notify : public Transpose {
 public:
  Notify(const halocline::Context &context, const Shape &shape)
      : Transpose(shape),
        others_(others()),
        segment_(context, shape.total() * kElementBytes, shape.group.size * (shape.planes + 1)),
        writable_(static_cast<std::size_t>(shape.group.size), true) {
    for (const int rank : shape.group.ranks) mapped_.push_back(static_cast<Complex *>(segment_.info(rank).data));
    for (const Complex *part : mapped_)
      if (!part) sent_.resize(static_cast<std::size_t>(shape.total()));
  }

  void start() override {
    if (!sent_.empty()) segment_.flush_local();
    if (std::exchange(started_, true)) allow_writes();
  }
  Complex *block(int plane, int to) override {
    if (!writable_[static_cast<std::size_t>(to)]) wait_until_writable(to);
    Complex *const part = mapped_[static_cast<std::size_t>(to)];
    return part ? part + shape().place(me(), plane) : sent_.data() + shape().place(to, plane);
  }
  void send(int plane) override {
    // The blocks were written by plain stores.
    std::atomic_thread_fence(std::memory_order_release);
    for (const int to : others_) {
      const int rank = shape().group.ranks[static_cast<std::size_t>(to)];
      const halocline::Notification arrived{id_of(me(), plane), 1};
      if (mapped_[static_cast<std::size_t>(to)])
        segment_.notify(rank, arrived);
      else
        segment_.put_notify({rank, shape().place(me(), plane) * kElementBytes}, block(plane, to), shape().elements, arrived);
    }
  }
  void wait(int plane) override {
    for (const int from : others_) segment_.reset(segment_.wait({id_of(from, plane), 1}));
  }
  Complex *received() override { return segment_.data<Complex>(); }

 private:
  static constexpr auto kElementBytes = static_cast<std::int64_t>(sizeof(Complex));

  /// What this rank has received may be overwritten.
  void allow_writes() {
    std::atomic_thread_fence(std::memory_order_release);
    for (const int to : others_) {
      segment_.notify(shape().group.ranks[static_cast<std::size_t>(to)], {id_of(me(), shape().planes), 1});
      writable_[static_cast<std::size_t>(to)] = false;
    }
  }
  void wait_until_writable(int to) {
    segment_.reset(segment_.wait({id_of(to, shape().planes), 1}));
    writable_[static_cast<std::size_t>(to)] = true;
  }
  /// Of a plane from a rank; one more per rank: it has read the previous exchange.
  int id_of(int from, int plane) const { return from * (shape().planes + 1) + plane; }

  std::vector<int> others_;
  halocline::Segment segment_;
  std::vector<Complex *> mapped_;  ///< parts of the group's ranks; null on another node
  std::vector<Complex> sent_;  ///< what is put to other nodes
  std::vector<bool> writable_;  ///< parts of the group's ranks
  bool started_ = false;
};

}  // namespace

std::unique_ptr<Transpose> make_rma(const halocline::Context &, const Shape &shape) { return std::make_unique<Rma>(shape); }
std::unique_ptr<Transpose> make_notify(const halocline::Context &context, const Shape &shape) {
  return std::make_unique<Notify>(context, shape);
}

}  // namespace fft
