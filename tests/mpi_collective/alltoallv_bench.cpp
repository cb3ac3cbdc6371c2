// Times a persistent MPI_Alltoallv of irregular blocks: by the drop-in, by the host MPI, and as a program would write it with windows, by the
// variants of arXiv 2604.05099: what a rank puts where is exchanged once; each exchange is then a fence epoch, or a lock of each target. These
// run on the drop-in's windows and on the host's. All sides take their samples in turn in one process, and all data are verified.
// Arguments: --samples=N, --sample-us=N.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <cstdio>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <halocline/mpi4.h>

#include "race.hpp"

namespace {

/// What one rank sends to each other one, and receives: blocks of one to three units.
struct Blocks {
  int rank = 0, ranks = 0;
  std::vector<int> send_counts, send_places, receive_counts, receive_places;
  std::vector<double> sent, received;
};

int count_of(int from, int to, int unit) { return unit * (1 + (from + 2 * to) % 3); }

double value_of(int from, int to, int i) { return from * 1e6 + to * 1e5 + i; }

std::vector<int> sums_before(const std::vector<int> &counts) {
  std::vector<int> sums(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), sums.begin(), 0);
  return sums;
}

Blocks make_blocks(int unit) {
  Blocks blocks;
  MPI_Comm_rank(MPI_COMM_WORLD, &blocks.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &blocks.ranks);
  for (int r = 0; r < blocks.ranks; ++r) {
    blocks.send_counts.push_back(count_of(blocks.rank, r, unit));
    blocks.receive_counts.push_back(count_of(r, blocks.rank, unit));
    for (int i = 0; i < blocks.send_counts.back(); ++i) blocks.sent.push_back(value_of(blocks.rank, r, i));
    blocks.received.insert(blocks.received.end(), static_cast<std::size_t>(blocks.receive_counts.back()), -1);
  }
  blocks.send_places = sums_before(blocks.send_counts);
  blocks.receive_places = sums_before(blocks.receive_counts);
  return blocks;
}

/// True if all blocks have arrived; what has is made invalid for the next exchange.
bool is_right(Blocks &blocks) {
  bool right = true;
  std::size_t place = 0;
  for (int from = 0; from < blocks.ranks; ++from)
    for (int i = 0; i < blocks.receive_counts[static_cast<std::size_t>(from)]; ++i, ++place) {
      right = right && blocks.received[place] == value_of(from, blocks.rank, i);
      blocks.received[place] = -1;
    }
  return right;
}

/// One library's functions for windows.
struct Windows {
  const char *name;
  decltype(&MPI_Win_create) create;
  decltype(&MPI_Win_free) free;
  decltype(&MPI_Win_fence) fence;
  decltype(&MPI_Win_lock) lock;
  decltype(&MPI_Win_unlock) unlock;
  decltype(&MPI_Put) put;
};

/// A persistent exchange by puts into a window over the received blocks.
class Puts {
 public:
  Puts(const Windows &calls, int unit) : calls_(calls), blocks(make_blocks(unit)) {
    calls_.create(blocks.received.data(), static_cast<MPI_Aint>(blocks.received.size() * sizeof(double)), sizeof(double), MPI_INFO_NULL,
                  MPI_COMM_WORLD, &window_);
    there_.resize(blocks.receive_places.size());
    MPI_Alltoall(blocks.receive_places.data(), 1, MPI_INT, there_.data(), 1, MPI_INT, MPI_COMM_WORLD);
  }
  Puts(const Puts &) = delete;
  Puts &operator=(const Puts &) = delete;
  ~Puts() { calls_.free(&window_); }

  void by_fence() {
    calls_.fence(MPI_MODE_NOPRECEDE, window_);
    for (int r = 0; r < blocks.ranks; ++r) put(r);
    calls_.fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOSUCCEED, window_);
  }

  /// A lock says nothing to the target: barriers say when its blocks may be overwritten, and that they have arrived.
  void by_lock() {
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < blocks.ranks; ++i) {
      const int r = (blocks.rank + i) % blocks.ranks;
      calls_.lock(MPI_LOCK_SHARED, r, 0, window_);
      put(r);
      calls_.unlock(r, window_);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    // The received blocks are read through the window's own lock, so that the stores of the puts are seen in both memory models.
    calls_.lock(MPI_LOCK_SHARED, blocks.rank, 0, window_);
    calls_.unlock(blocks.rank, window_);
  }

 private:
  void put(int r) {
    const auto to = static_cast<std::size_t>(r);
    calls_.put(&blocks.sent[static_cast<std::size_t>(blocks.send_places[to])], blocks.send_counts[to], MPI_DOUBLE, r, there_[to],
               blocks.send_counts[to], MPI_DOUBLE, window_);
  }

  Windows calls_;
  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<int> there_;

 public:
  Blocks blocks;
};

race::Side side_of(const std::string &name, Blocks &blocks, std::function<void()> exchange) {
  return {name,
          [&blocks, exchange = std::move(exchange)] {
            race::rewrite(blocks.sent);
            exchange();
            race::reread(blocks.received);
          },
          [&blocks] { return is_right(blocks); }};
}

/// The library's own persistent call; where the host has none, its blocking one stands for it.
void add_collective(std::vector<race::Side> &sides, const char *name, decltype(&MPI_Alltoallv_init) init,
                    const std::shared_ptr<Blocks> &blocks, MPI_Request *request) {
  if (!init) {
    sides.push_back(side_of("host's MPI_Alltoallv", *blocks, [blocks] {
      static auto *const blocking = HOST(MPI_Alltoallv);
      blocking(blocks->sent.data(), blocks->send_counts.data(), blocks->send_places.data(), MPI_DOUBLE, blocks->received.data(),
               blocks->receive_counts.data(), blocks->receive_places.data(), MPI_DOUBLE, MPI_COMM_WORLD);
    }));
    return;
  }
  init(blocks->sent.data(), blocks->send_counts.data(), blocks->send_places.data(), MPI_DOUBLE, blocks->received.data(),
       blocks->receive_counts.data(), blocks->receive_places.data(), MPI_DOUBLE, MPI_COMM_WORLD, MPI_INFO_NULL, request);
  sides.push_back(side_of(name, *blocks, [blocks, request] {
    MPI_Start(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
  }));
}

bool race_all(const race::Options &options, int unit) {
  const Windows windows[] = {
      {"drop-in's windows", &MPI_Win_create, &MPI_Win_free, &MPI_Win_fence, &MPI_Win_lock, &MPI_Win_unlock, &MPI_Put},
      {"host's windows", HOST(MPI_Win_create), HOST(MPI_Win_free), HOST(MPI_Win_fence), HOST(MPI_Win_lock), HOST(MPI_Win_unlock),
       HOST(MPI_Put)}};
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  std::vector<race::Side> sides;
  add_collective(sides, "drop-in's MPI_Alltoallv_init", &MPI_Alltoallv_init, std::make_shared<Blocks>(make_blocks(unit)), &requests[0]);
  add_collective(sides, "host's MPI_Alltoallv_init", HOST(MPI_Alltoallv_init), std::make_shared<Blocks>(make_blocks(unit)), &requests[1]);
  std::vector<std::unique_ptr<Puts>> puts;
  for (const Windows &calls : windows)
    for (const bool is_fence : {true, false}) {
      Puts &one = *puts.emplace_back(std::make_unique<Puts>(calls, unit));
      sides.push_back(side_of((is_fence ? "fence, " : "lock, ") + std::string(calls.name), one.blocks, [&one, is_fence] {
        if (is_fence)
          one.by_fence();
        else
          one.by_lock();
      }));
    }
  const bool right = race::run(options, sides);
  for (std::size_t i = 1; i < sides.size(); ++i) {
    char line[80];
    std::snprintf(line, sizeof line, "%-31s %8zu", sides[i].name.c_str(), sizeof(double) * static_cast<std::size_t>(unit));
    race::print(line, sides[0], sides[i], right);
  }
  for (MPI_Request &request : requests)
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  return right;
}

}  // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  race::Options options;
  for (int i = 1; i < argc; ++i) race::take(&options, argv[i]);
  if (race::world_rank() == 0)
    std::printf(
        "microseconds: the drop-in's MPI_Alltoallv_init, the rival, rival / drop-in; of the least samples, of the lower quartiles, of the "
        "medians.\nBytes: of a unit; blocks have 1, 2 or 3\n");
  bool right = true;
  for (const int unit : {1, 64, 512, 1024, 4096, 32768}) right &= race_all(options, unit);
  MPI_Finalize();
  return right ? 0 : 1;
}
