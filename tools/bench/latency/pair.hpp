// Two ranks, and what carries bytes from one to the other: puts of the library, its GASPI face, raw TCP, the host MPI, and plain stores where
// both ranks share memory. Each sends and receives, so that all are measured by the same code.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/halocline.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace bench {

/// The two ranks, seen by one of them.
struct Pair {
  MPI_Comm comm;
  int rank;
  int other() const { return 1 - rank; }
};

/// True if it is so on both ranks. Collective.
bool on_both(bool mine, MPI_Comm comm);

/// True if both ranks could share memory, whatever nodes are pretended. Collective.
bool on_one_host(const Pair &pair);

/// Frees the segment and throws the library's error on both ranks if it does not reach the other one. Collective.
void require_reach(halocline::Segment &segment, const Pair &pair);

/// Where messages lie on both sides: `bytes` apart, so that one after the other goes to a place of its own.
struct Slots {
  static constexpr std::int64_t window = std::int64_t{16} << 20;
  static std::int64_t count(std::int64_t bytes);
  static std::int64_t offset(std::int64_t bytes, std::int64_t message) { return message % count(bytes) * bytes; }
};

class Carrier {
 public:
  Carrier(std::string name, const Pair &pair) : name_(std::move(name)), pair_(pair) {}
  virtual ~Carrier() = default;
  Carrier(const Carrier &) = delete;
  Carrier &operator=(const Carrier &) = delete;

  const std::string &name() const { return name_; }

  /// A message there and one back, so many times.
  void ping_pong(std::int64_t bytes, int trips) {
    for (int i = 0; i < trips; ++i) {
      if (pair_.rank == 0) send(bytes);
      receive(bytes);
      if (pair_.rank == 1) send(bytes);
    }
  }
  /// So many messages from rank 0 to rank 1, one after the other; rank 0 returns when all have arrived.
  void stream(std::int64_t bytes, int messages) {
    if (pair_.rank == 0)
      pour(bytes, messages);
    else
      drain(bytes, messages);
  }

  /// Both ranks, before either waits inside MPI, which moves nothing of ours: all that was sent has arrived.
  virtual void see_off() {}

  /// What is sent, Slots::window bytes; and what has been received.
  virtual char *outgoing() { return outgoing_.data(); }
  virtual const char *incoming() { return incoming_.data(); }

 protected:
  /// One message from the first slot, and one into it.
  virtual void send(std::int64_t bytes) = 0;
  virtual void receive(std::int64_t bytes) = 0;
  virtual void pour(std::int64_t bytes, int messages) = 0;
  virtual void drain(std::int64_t bytes, int messages) = 0;

  std::string name_;
  Pair pair_;
  std::vector<char> outgoing_ = std::vector<char>(Slots::window), incoming_ = std::vector<char>(Slots::window);
};

using Carriers = std::vector<std::unique_ptr<Carrier>>;

/// put_notify and notify_wait; put and flush. Throws halocline::Error where the library cannot do that. Collective.
std::unique_ptr<Carrier> make_puts(const Pair &pair, const halocline::Context &context);
/// gaspi_write_notify and gaspi_notify_waitsome of the GASPI face, which opens a job of its own on MPI_COMM_WORLD. Collective.
std::unique_ptr<Carrier> make_gaspi(const Pair &pair);
/// MPI_Send and MPI_Recv; MPI_Isend and MPI_Irecv, 64 at a time.
std::unique_ptr<Carrier> make_mpi(const Pair &pair);
/// A copy into memory that both share, and a flag. Both ranks must be of one node. Collective.
std::unique_ptr<Carrier> make_shared_memory(const Pair &pair);

}  // namespace bench
