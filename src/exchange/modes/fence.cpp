// Mode fence: MPI_Put between two fences. With early epochs the fence that ends a round opens the next one, so that start never blocks.
// FenceGetChannel drives the same swap by MPI_Get, for comparison. Source: Brown et al., sections IV-B1 and IV-C.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "exchange/modes/window_channel.hpp"

namespace halocline::core {
namespace {

Status fence(MPI_Win window, int assertion) { return check_mpi(MPI_Win_fence(assertion, window), "MPI_Win_fence"); }

class FenceChannel final : public WindowChannel {
 public:
  using WindowChannel::WindowChannel;

  ~FenceChannel() override {
    if (open_epoch_) static_cast<void>(fence(window(), MPI_MODE_NOSUCCEED));
  }

  Status create() override {
    HLC_TRY(create_windows(1));
    open_epoch_ = early();
    return early() ? fence(window(), MPI_MODE_NOPRECEDE) : Status::ok;
  }

  Status open() override {
    HLC_TRY(WindowChannel::open());
    fenced_ = false;
    return early() ? Status::ok : fence(window(), MPI_MODE_NOPRECEDE);
  }

  Status poll(int *e) override {
    HLC_TRY(end_epoch());
    return next_arrival(e);
  }

  Status close(int *rank) override {
    *rank = some_peer();
    return end_epoch();
  }
  BlockingSteps blocks() const override { return {.poll = true}; }
  bool knows_who() const override { return false; }

 private:
  bool early() const { return plan_.options.epoch == HLC_EPOCH_EARLY; }

  /// No local store touches the window, ever: NOSTORE holds for each fence.
  Status end_epoch() {
    if (fenced_) return Status::ok;
    fenced_ = true;
    return fence(window(), early() ? MPI_MODE_NOSTORE : MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED);
  }

  bool fenced_ = true, open_epoch_ = false;
};

/// The window holds what this rank sends; its peers read it by MPI_Get. The first fence must follow the packing. It may not assert
/// NOPRECEDE, which would allow MPI not to make it a barrier.
class FenceGetChannel final : public Channel {
 public:
  using Channel::Channel;

  ~FenceGetChannel() override {
    if (window_ != MPI_WIN_NULL) MPI_Win_free(&window_);
  }

  Status create() override {
    HLC_TRY(prepare([this] {
      chunks_ = lay_out(plan_, edges_, &Edge::space_out);
      arrived_.reserve(edges_.size());
      sources_ = std::make_unique<Descriptors>(plan_, edges_);
      return incoming_.create(plan_.topology->rank(), lay_out(plan_, edges_, &Edge::space_in));
    }));
    std::int64_t skip = 0;
    HLC_TRY(allocate_window(plan_.comm, chunks_.bytes, &window_, &base_, &skip));
    for (const int e : edges_) sources_->mine[static_cast<std::size_t>(e)].a = skip + chunks_.offset[static_cast<std::size_t>(e)];
    return swap_descriptors(plan_, edges_, sources_);
  }

  Status open() override {
    arrived_.clear();
    fenced_ = false;
    for (const int e : edges_)
      if (part(e).in > 0) arrived_.push_back(e);
    return Status::ok;
  }

  Status place(int e, void **buffer) override {
    *buffer = base_ + chunks_.offset[static_cast<std::size_t>(e)];
    return Status::ok;
  }

  Status send(int) override { return Status::ok; }

  Status launched() override {
    HLC_TRY(fence(window_, MPI_MODE_NOPUT));
    for (const int e : arrived_) HLC_TRY(get_bytes(e));
    return Status::ok;
  }

  Status poll(int *e) override {
    HLC_TRY(end_epoch());
    if (arrived_.empty()) return Status::again;
    *e = arrived_.back();
    arrived_.pop_back();
    return Status::ok;
  }

  const void *arrived(int e) const override { return incoming_.chunk(e); }
  Status release(int) override { return Status::ok; }
  Status close(int *rank) override {
    *rank = plan_.topology->rank();
    return end_epoch();
  }
  BlockingSteps blocks() const override { return {.poll = true}; }
  bool knows_who() const override { return false; }
  std::int64_t memory_bytes() const override { return incoming_.bytes() + chunks_.bytes; }

 private:
  Status get_bytes(int e) {
    constexpr std::int64_t largest = std::int64_t{1} << 30;
    const std::int64_t from = sources_->theirs[static_cast<std::size_t>(e)].a;
    for (std::int64_t done = 0; done < part(e).in; done += largest) {
      const int count = static_cast<int>(std::min(largest, part(e).in - done));
      HLC_TRY(check_mpi(
          MPI_Get(incoming_.chunk(e) + done, count, MPI_BYTE, edge(e).rank, static_cast<MPI_Aint>(from + done), count, MPI_BYTE, window_),
          "MPI_Get"));
    }
    return Status::ok;
  }

  Status end_epoch() {
    if (fenced_) return Status::ok;
    fenced_ = true;
    return fence(window_, MPI_MODE_NOSUCCEED);
  }

  MPI_Win window_ = MPI_WIN_NULL;
  char *base_ = nullptr;
  ChunkLayout chunks_;
  ChunkBuffer incoming_;
  std::unique_ptr<Descriptors> sources_;  // theirs: displacements of what this rank reads
  std::vector<int> arrived_;
  bool fenced_ = true;
};

}  // namespace

std::unique_ptr<Channel> make_fence(Plan &plan, std::vector<int> edges) {
  if (plan.options.drive == HLC_DRIVE_GET) return std::make_unique<FenceGetChannel>(plan, std::move(edges));
  return std::make_unique<FenceChannel>(plan, std::move(edges));
}

}  // namespace halocline::core
