// SPDX-License-Identifier: BSD-3-Clause
#include "bench/rma/notified.hpp"

#include "bench/frame/work.hpp"

#include <dlfcn.h>

#include <array>
#include <cstring>
#include <stdexcept>
#include <string>

namespace bench {

namespace {

template <class Function>
void find(Function &function, const char *name) {
  function = is_drop_in_loaded() ? reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name)) : nullptr;
}

/// The sides of a rank: what it sends to the left arrives on the right.
constexpr int kSides = 2;

class Swap {
 public:
  Swap(const Stage &stage, std::int64_t bytes)
      : comm_(stage.comm),
        bytes_(bytes),
        neighbours_{(rank_of(comm_) + size_of(comm_) - 1) % size_of(comm_), (rank_of(comm_) + 1) % size_of(comm_)},
        exchange_(stage.context, list(), Pack{this}, Unpack{this}, {halocline::Mode::notify}),
        host_(host_calls(), comm_, kSides * bytes) {
    if (notified_calls().put)
      window_ = std::make_unique<NotifiedWindow>(comm_, 2 * kSides * bytes, std::vector<int>(neighbours_.begin(), neighbours_.end()));
    for (int side = 0; side < kSides; ++side) {
      outgoing_[at(side)].resize(static_cast<std::size_t>(bytes));
      incoming_[at(side)].resize(static_cast<std::size_t>(bytes));
    }
    host_.calls.fence(0, host_.win);
  }
  ~Swap() { host_.calls.fence(MPI_MODE_NOSUCCEED, host_.win); }
  Swap(const Swap &) = delete;
  Swap &operator=(const Swap &) = delete;

  bool has_window() const { return window_ != nullptr; }

  double by_engine(int count) {
    return sample(count, [&] {
      exchange_.start();
      exchange_.finish();
    });
  }
  /// Two places per side in turn: a neighbour that has notified me of a swap has unpacked the one before.
  double by_window(int count) {
    const double us = sample(count, [&] {
      const MPI_Aint turn = (turn_ ^= 1) * kSides * bytes_;
      for (int side = 0; side < kSides; ++side)
        window_->put(outgoing_[at(side)].data(), static_cast<int>(bytes_), neighbours_[at(side)], turn + (1 - side) * bytes_, 1 - side);
      for (int side = 0; side < kSides; ++side) {
        window_->wait(side);
        std::memcpy(incoming_[at(side)].data(), window_->data() + turn + side * bytes_, static_cast<std::size_t>(bytes_));
      }
    });
    for (const int neighbour : neighbours_) window_->flush(neighbour);
    return us;
  }
  double by_host(int count) {
    const int size = static_cast<int>(bytes_);
    return sample(count, [&] {
      for (int side = 0; side < kSides; ++side)
        host_.calls.put(outgoing_[at(side)].data(), size, MPI_BYTE, neighbours_[at(side)], (1 - side) * bytes_, size, MPI_BYTE, host_.win);
      host_.calls.fence(0, host_.win);
      for (int side = 0; side < kSides; ++side)
        std::memcpy(incoming_[at(side)].data(), host_.window + side * bytes_, static_cast<std::size_t>(bytes_));
      host_.calls.fence(0, host_.win);
    });
  }

 private:
  static std::size_t at(int side) { return static_cast<std::size_t>(side); }
  struct Pack {
    Swap *swap;
    void operator()(int side, void *to) const { std::memcpy(to, swap->outgoing_[at(side)].data(), swap->outgoing_[at(side)].size()); }
  };
  struct Unpack {
    Swap *swap;
    void operator()(int side, const void *from) const {
      std::memcpy(swap->incoming_[at(side)].data(), from, swap->incoming_[at(side)].size());
    }
  };
  /// Tags are the sides from which the receiver sees the data.
  std::vector<halocline::Neighbour> list() const {
    return {{neighbours_[0], 1, 0, bytes_, bytes_}, {neighbours_[1], 0, 1, bytes_, bytes_}};
  }

  /// What is sent differs from sample to sample, and from side to side.
  template <class Call>
  double sample(int count, Call call) {
    stamp_ = static_cast<char>((stamp_ + kSides) & 0x7e);
    for (int side = 0; side < kSides; ++side) std::memset(outgoing_[at(side)].data(), stamp_ + side, outgoing_[at(side)].size());
    meet(comm_);
    const double us = slowest(time_calls(count, call), comm_);
    int wrong = 0;
    for (int side = 0; side < kSides; ++side) {
      const char expected = static_cast<char>(stamp_ + 1 - side);
      if (incoming_[at(side)].front() != expected || incoming_[at(side)].back() != expected) wrong = 1;
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, comm_);
    if (wrong > 0) throw std::runtime_error("swap: wrong data after " + std::to_string(bytes_) + " bytes");
    return us;
  }

  MPI_Comm comm_;
  std::int64_t bytes_;
  std::array<int, kSides> neighbours_;
  std::array<std::vector<char>, kSides> outgoing_{}, incoming_{};
  halocline::Exchange<Pack, Unpack> exchange_;
  RmaSide host_;
  std::unique_ptr<NotifiedWindow> window_;
  int turn_ = 0;
  char stamp_ = 0;
};

}  // namespace

const NotifiedCalls &notified_calls() {
  static const NotifiedCalls calls = [] {
    NotifiedCalls found{};
    find(found.set_number, "MPIX_Win_set_num_notify");
    find(found.put, "MPIX_Put_notify");
    find(found.init, "MPIX_Win_notify_init");
    find(found.start, "MPIX_Notify_start");
    find(found.wait, "MPIX_Notify_wait");
    find(found.free, "MPIX_Notify_free");
    return found;
  }();
  return calls;
}

NotifiedWindow::NotifiedWindow(MPI_Comm comm, std::int64_t bytes, const std::vector<int> &sources)
    : calls_(notified_calls()), side_(loaded_calls(), comm, bytes), requests_(sources.size()) {
  if (calls_.set_number(side_.win, MPI_INFO_NULL, static_cast<int>(sources.size())) != MPI_SUCCESS)
    throw std::runtime_error("the window of libhalocline_mpi has no notifications");
  for (std::size_t i = 0; i < sources.size(); ++i) calls_.init(sources[i], static_cast<int>(i), 1, side_.win, &requests_[i]);
  side_.calls.lock_all(0, side_.win);
}

NotifiedWindow::~NotifiedWindow() {
  side_.calls.unlock_all(side_.win);
  for (MPIX_Notify &request : requests_) calls_.free(&request);
}

Operation make_swap(Stage &stage, std::int64_t bytes) {
  const auto swap = std::make_shared<Swap>(stage, bytes);
  RmaRanks &ranks = stage.backends.ranks();
  const auto limit = [&stage, &ranks, bytes](int count) {
    const double copy = time_calls(count, [&] { std::memcpy(ranks.near, ranks.plain.data(), static_cast<std::size_t>(bytes)); });
    return slowest(ranks.rank == 0 ? kSides * copy : 0, stage.comm) + stage.backends.handovers(1);
  };
  Operation operation{"swap with two neighbours", bytes, {}};
  operation.backends.push_back({"engine", [swap](int count) { return swap->by_engine(count); }});
  if (swap->has_window()) operation.backends.push_back({"drop-in", [swap](int count) { return swap->by_window(count); }});
  operation.backends.push_back({"host", [swap](int count) { return swap->by_host(count); }});
  operation.backends.push_back({kLimitBackend, limit});
  return operation;
}

}  // namespace bench
