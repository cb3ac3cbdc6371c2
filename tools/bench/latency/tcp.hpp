// A TCP connection between the two ranks, over the interface that the library's network uses: what the network itself takes.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/latency/pair.hpp"

namespace bench {

/// A socket that is closed in the end.
class Socket {
 public:
  explicit Socket(int number = -1) : number_(number) {}
  Socket(Socket &&other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Socket &operator=(Socket &&other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Socket();
  operator int() const { return number_; }

 private:
  int number_;
};

/// The connection of two ranks, TCP_NODELAY on both sides.
class Connection {
 public:
  /// Rank 0 listens at the address of this host that `network` (hlc_context_network) names, else on loopback if both ranks share a host, else at
  /// the first address that is not loopback's. Addresses are exchanged by MPI. Throws std::runtime_error. Collective.
  Connection(const Pair &pair, const std::string &network);

  int socket() const { return socket_; }
  /// "10.0.0.1 to 10.0.0.2".
  const std::string &description() const { return description_; }

 private:
  Socket socket_;
  std::string description_;
};

/// How a rank waits for what has not come yet: inside the kernel, or by asking again and again.
enum class Waiting { blocking, polling };

/// Both ranks send and receive so many bytes at the same time, polling. Collective over the two.
void exchange(const Connection &connection, const char *out, char *in, std::int64_t bytes);

/// Messages over a connection. Two of them may share one, in turn.
std::unique_ptr<Carrier> make_tcp(const Pair &pair, const Connection &connection, Waiting waiting);

}  // namespace bench
