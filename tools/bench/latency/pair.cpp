// SPDX-License-Identifier: BSD-3-Clause
#include "bench/latency/pair.hpp"

#include "bench/frame/shared.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <new>

namespace bench {

std::int64_t Slots::count(std::int64_t bytes) { return std::clamp<std::int64_t>(window / bytes, 1, 1024); }

bool on_both(bool mine, MPI_Comm comm) {
  int both = mine ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &both, 1, MPI_INT, MPI_MIN, comm);
  return both != 0;
}

bool on_one_host(const Pair &pair) { return size_of(machine_of(pair.comm)) == 2; }

void require_reach(halocline::Segment &segment, const Pair &pair) {
  const char byte = 0;
  int status = HLC_OK;
  std::string message = "the other rank cannot put to this one";
  try {
    segment.put({pair.other(), 0}, &byte, 1);
    segment.flush(pair.other());
    segment.barrier();  // who waits inside MPI serves nobody
  } catch (const halocline::Error &error) {
    status = error.status();
    message = error.what();
  }
  MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_MAX, pair.comm);
  if (status == HLC_OK) return;
  segment.finalise();
  throw halocline::Error(static_cast<hlc_status>(status), message);
}

namespace {

class Puts : public Carrier {
 public:
  Puts(const Pair &pair, const halocline::Context &context) : Carrier("put", pair), segment_(context, Slots::window, 1) {
    require_reach(segment_, pair);
  }

  const char *incoming() override { return segment_.data<char>(); }
  void see_off() override {
    segment_.flush(pair_.other());
    segment_.barrier();
  }

 protected:
  void send(std::int64_t bytes) override { segment_.put_notify({pair_.other(), 0}, outgoing_.data(), bytes, {0, 1}); }
  void receive(std::int64_t) override { segment_.reset(segment_.wait({0, 1})); }
  /// The flush is what says that all have arrived; the notification lets the target go on.
  void pour(std::int64_t bytes, int messages) override {
    for (int i = 0; i < messages; ++i) {
      const std::int64_t offset = Slots::offset(bytes, i);
      segment_.put({pair_.other(), offset}, outgoing_.data() + offset, bytes);
    }
    segment_.flush(pair_.other());
    segment_.notify(pair_.other(), {0, 1});
  }
  void drain(std::int64_t bytes, int) override { receive(bytes); }

 private:
  halocline::Segment segment_;
};

class Messages : public Carrier {
 public:
  explicit Messages(const Pair &pair) : Carrier("MPI", pair) {}

 protected:
  void send(std::int64_t bytes) override { MPI_Send(outgoing_.data(), static_cast<int>(bytes), MPI_BYTE, pair_.other(), 0, pair_.comm); }
  void receive(std::int64_t bytes) override {
    MPI_Recv(incoming_.data(), static_cast<int>(bytes), MPI_BYTE, pair_.other(), 0, pair_.comm, MPI_STATUS_IGNORE);
  }
  void pour(std::int64_t bytes, int messages) override {
    in_batches(bytes, messages, [&](std::int64_t offset, MPI_Request *request) {
      MPI_Isend(outgoing_.data() + offset, static_cast<int>(bytes), MPI_BYTE, pair_.other(), 0, pair_.comm, request);
    });
    receive(1);
  }
  void drain(std::int64_t bytes, int messages) override {
    in_batches(bytes, messages, [&](std::int64_t offset, MPI_Request *request) {
      MPI_Irecv(incoming_.data() + offset, static_cast<int>(bytes), MPI_BYTE, pair_.other(), 0, pair_.comm, request);
    });
    send(1);
  }

 private:
  template <class Begin>
  void in_batches(std::int64_t bytes, int messages, Begin begin) {
    for (int done = 0; done < messages;) {
      const int batch = std::min<int>(messages - done, static_cast<int>(requests_.size()));
      for (int i = 0; i < batch; ++i) begin(Slots::offset(bytes, done + i), &requests_[static_cast<std::size_t>(i)]);
      MPI_Waitall(batch, requests_.data(), MPI_STATUSES_IGNORE);
      done += batch;
    }
  }

  std::array<MPI_Request, 64> requests_{};
};

/// Each rank's part of a shared window: a flag that counts what has been written into it, and the slots.
class SharedMemory : public Carrier {
 public:
  explicit SharedMemory(const Pair &pair) : Carrier("shared memory", pair) {
    char *mine = nullptr;
    MPI_Win_allocate_shared(kFlagBytes + Slots::window, 1, MPI_INFO_NULL, pair.comm, &mine, &window_);
    new (mine) Flag{0};
    std::memset(mine + kFlagBytes, 0, Slots::window);
    meet(pair.comm);
    parts_ = {part_of(0), part_of(1)};
  }
  ~SharedMemory() override { MPI_Win_free(&window_); }

  const char *incoming() override { return part(pair_.rank) + kFlagBytes; }

 protected:
  void send(std::int64_t bytes) override {
    std::memcpy(part(pair_.other()) + kFlagBytes, outgoing_.data(), static_cast<std::size_t>(bytes));
    raise();
  }
  void receive(std::int64_t) override { wait(); }
  void pour(std::int64_t bytes, int messages) override {
    for (int i = 0; i < messages; ++i) {
      const std::int64_t offset = Slots::offset(bytes, i);
      std::memcpy(part(pair_.other()) + kFlagBytes + offset, outgoing_.data() + offset, static_cast<std::size_t>(bytes));
    }
    raise();
    wait();
  }
  void drain(std::int64_t, int) override {
    wait();
    raise();
  }

 private:
  using Flag = std::atomic<std::int64_t>;
  static constexpr std::int64_t kFlagBytes = 4096;

  char *part(int rank) const { return parts_[static_cast<std::size_t>(rank)]; }
  char *part_of(int rank) const {
    MPI_Aint bytes = 0;
    int unit = 1;
    char *base = nullptr;
    MPI_Win_shared_query(window_, rank, &bytes, &unit, &base);
    return base;
  }
  Flag &flag(int rank) const { return *std::launder(reinterpret_cast<Flag *>(part(rank))); }
  void raise() { flag(pair_.other()).store(++sent_, std::memory_order_release); }
  /// Spins, and gives the core away now and then so that two ranks on one core get on.
  void wait() {
    ++received_;
    for (int spins = 1; flag(pair_.rank).load(std::memory_order_acquire) != received_; ++spins)
      if (spins % 4096 == 0) sched_yield();
  }

  MPI_Win window_ = MPI_WIN_NULL;
  std::array<char *, 2> parts_{};
  std::int64_t sent_ = 0, received_ = 0;
};

}  // namespace

std::unique_ptr<Carrier> make_puts(const Pair &pair, const halocline::Context &context) { return std::make_unique<Puts>(pair, context); }
std::unique_ptr<Carrier> make_mpi(const Pair &pair) { return std::make_unique<Messages>(pair); }
std::unique_ptr<Carrier> make_shared_memory(const Pair &pair) { return std::make_unique<SharedMemory>(pair); }

}  // namespace bench
