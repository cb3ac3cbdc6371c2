// SPDX-License-Identifier: BSD-3-Clause
#include "bench/latency/tcp.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace bench {

Socket::~Socket() {
  if (number_ >= 0) close(number_);
}

namespace {

[[noreturn]] void give_up(const char *call) { throw std::runtime_error(std::string("raw TCP: ") + call + ": " + std::strerror(errno)); }

sockaddr *generic(sockaddr_in *address) { return reinterpret_cast<sockaddr *>(address); }

/// The IPv4 address in the last parentheses of "tcp on eth0 (10.0.0.1), libfabric ... (path)" that hold one.
in_addr address_in(const std::string &network) {
  in_addr found{};
  for (std::size_t open = network.find('('); open != std::string::npos; open = network.find('(', open + 1)) {
    const std::string inside = network.substr(open + 1, network.find(')', open) - open - 1);
    if (inet_pton(AF_INET, inside.c_str(), &found) == 1) return found;
  }
  return {};
}

bool is_loopback(in_addr address) { return ntohl(address.s_addr) >> 24 == 127; }

in_addr first_address() {
  in_addr found{};
  ifaddrs *all = nullptr;
  if (getifaddrs(&all) != 0) give_up("getifaddrs");
  for (const ifaddrs *one = all; one && found.s_addr == 0; one = one->ifa_next) {
    if (!one->ifa_addr || one->ifa_addr->sa_family != AF_INET) continue;
    const in_addr address = reinterpret_cast<const sockaddr_in *>(one->ifa_addr)->sin_addr;
    if (!is_loopback(address)) found = address;
  }
  freeifaddrs(all);
  return found;
}

sockaddr_in own_address(const Pair &pair, const std::string &network) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr = address_in(network);
  const bool one_host = on_one_host(pair);
  if (address.sin_addr.s_addr == 0) address.sin_addr = one_host ? in_addr{htonl(INADDR_LOOPBACK)} : first_address();
  return address;
}

Socket new_socket() {
  Socket made(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (made < 0) give_up("socket");
  return made;
}

std::string text_of(const sockaddr_in &address) {
  char text[INET_ADDRSTRLEN] = "";
  inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
  return text;
}

/// Listens, and fills in the port.
Socket listen_at(sockaddr_in *address) {
  Socket listening = new_socket();
  socklen_t bytes = sizeof *address;
  if (bind(listening, generic(address), bytes) != 0) give_up("bind");
  if (listen(listening, 1) != 0) give_up("listen");
  if (getsockname(listening, generic(address), &bytes) != 0) give_up("getsockname");
  return listening;
}

/// From its own address, so that the interface is the one that was named.
Socket connect_to(sockaddr_in *listener, sockaddr_in *mine) {
  Socket made = new_socket();
  if (bind(made, generic(mine), sizeof *mine) != 0) give_up("bind");
  if (connect(made, generic(listener), sizeof *listener) != 0) give_up("connect");
  return made;
}

class Tcp : public Carrier {
 public:
  Tcp(const Pair &pair, int socket, Waiting waiting)
      : Carrier(waiting == Waiting::blocking ? "raw TCP, blocking" : "raw TCP, polling", pair),
        socket_(socket),
        flags_(MSG_NOSIGNAL | (waiting == Waiting::polling ? MSG_DONTWAIT : 0)) {}

 protected:
  void send(std::int64_t bytes) override { push(outgoing_.data(), bytes); }
  void receive(std::int64_t bytes) override { pull(incoming_.data(), bytes); }
  void pour(std::int64_t bytes, int messages) override {
    for (int i = 0; i < messages; ++i) push(outgoing_.data() + Slots::offset(bytes, i), bytes);
    char end = 0;
    pull(&end, 1);
  }
  /// A stream has no messages: what is there is taken, as far as the slots reach.
  void drain(std::int64_t bytes, int messages) override {
    const std::int64_t round = Slots::count(bytes) * bytes;
    for (std::int64_t left = bytes * messages; left > 0; left -= round) pull(incoming_.data(), std::min(left, round));
    const char end = 0;
    push(&end, 1);
  }

 private:
  void push(const char *from, std::int64_t bytes) {
    whole(bytes, "send", [&](std::int64_t done) { return ::send(socket_, from + done, static_cast<std::size_t>(bytes - done), flags_); });
  }
  void pull(char *to, std::int64_t bytes) {
    whole(bytes, "recv", [&](std::int64_t done) { return ::recv(socket_, to + done, static_cast<std::size_t>(bytes - done), flags_); });
  }
  template <class Step>
  void whole(std::int64_t bytes, const char *call, Step step) {
    for (std::int64_t done = 0, idle = 0; done < bytes;) {
      const ssize_t count = step(done);
      if (count > 0) {
        done += count;
        continue;
      }
      if (count == 0) throw std::runtime_error("raw TCP: the other rank has closed the connection");
      if (errno != EAGAIN && errno != EINTR) give_up(call);
      if (++idle % 64 == 0) sched_yield();
    }
  }

  int socket_, flags_;
};

}  // namespace

Connection::Connection(const Pair &pair, const std::string &network) {
  sockaddr_in mine = own_address(pair, network), theirs{};
  Socket listening;
  if (pair.rank == 0) listening = listen_at(&mine);
  MPI_Sendrecv(&mine, sizeof mine, MPI_BYTE, pair.other(), 0, &theirs, sizeof theirs, MPI_BYTE, pair.other(), 0, pair.comm,
               MPI_STATUS_IGNORE);
  if (pair.rank == 0)
    socket_ = Socket(accept4(listening, nullptr, nullptr, SOCK_CLOEXEC));
  else
    socket_ = connect_to(&theirs, &mine);
  if (socket_ < 0) give_up("accept");
  const int on = 1;
  if (setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) give_up("setsockopt");
  description_ = text_of(mine) + " to " + text_of(theirs);
}

void exchange(const Connection &connection, const char *out, char *in, std::int64_t bytes) {
  std::int64_t sent = 0, received = 0;
  const auto step = [&](ssize_t count, const char *call, std::int64_t &done) {
    if (count == 0) throw std::runtime_error("raw TCP: the other rank has closed the connection");
    if (count < 0 && errno != EAGAIN && errno != EINTR) give_up(call);
    if (count > 0) done += count;
    return count > 0;
  };
  for (std::int64_t idle = 1; sent < bytes || received < bytes; ++idle) {
    bool moved = false;
    if (sent < bytes)
      moved |=
          step(::send(connection.socket(), out + sent, static_cast<std::size_t>(bytes - sent), MSG_NOSIGNAL | MSG_DONTWAIT), "send", sent);
    if (received < bytes)
      moved |= step(::recv(connection.socket(), in + received, static_cast<std::size_t>(bytes - received), MSG_DONTWAIT), "recv", received);
    if (!moved && idle % 64 == 0) sched_yield();
  }
}

std::unique_ptr<Carrier> make_tcp(const Pair &pair, const Connection &connection, Waiting waiting) {
  return std::make_unique<Tcp>(pair, connection.socket(), waiting);
}

}  // namespace bench
