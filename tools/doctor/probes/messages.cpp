// The messages that modes p2p and passive and the handshakes use: persistent and plain ones, to all neighbours and to myself, empty ones,
// large ones, synchronous ones that a non-blocking barrier ends.
// SPDX-License-Identifier: BSD-3-Clause
#include "../memory.hpp"
#include "../probe.hpp"
#include "../watchdog.hpp"

namespace doctor {
namespace {

constexpr std::size_t kSizes[] = {1, 24, 8192, 70001};
constexpr int kMessageRounds = 3;

/// Messages over the edges of a ring: to the next rank, to the one before, to myself; edge e of one rank meets edge e of the other.
class Ring {
 public:
  explicit Ring(Bench &bench) : bench_(bench) {
    to_ = {bench.next(), bench.previous(), bench.rank()};
    from_ = {bench.previous(), bench.next(), bench.rank()};
  }
  static constexpr std::size_t edges() { return 3; }
  int to(std::size_t e) const { return to_[e]; }
  int from(std::size_t e) const { return from_[e]; }

  void fill(std::size_t bytes, unsigned round) {
    for (std::size_t e = 0; e < edges(); ++e) {
      out_[e].resize(bytes);
      in_[e].resize(bytes);
      write_stream(out_[e].data(), bytes, stream(e, bench_.rank(), to_[e], round));
      write_stream(in_[e].data(), bytes, Image::poison(bench_.rank(), round));
    }
  }
  void look(std::size_t e, unsigned round, const std::string &words) {
    const Stream expected = stream(e, from_[e], bench_.rank(), round);
    for (std::size_t i = 0; i < in_[e].size(); ++i) {
      if (in_[e][i] == byte_of(expected, i)) continue;
      return bench_.wrong("", words + " of " + std::to_string(in_[e].size()) + " bytes from rank " + std::to_string(from_[e]) +
                                  " to rank " + std::to_string(bench_.rank()) + ": byte " + std::to_string(i) + " is wrong, there is " +
                                  what_stands(in_[e].data(), in_[e].size(), i, bench_.size()));
    }
  }
  unsigned char *out(std::size_t e) { return out_[e].data(); }
  unsigned char *in(std::size_t e) { return in_[e].data(); }

 private:
  static Stream stream(std::size_t e, int origin, int target, unsigned round) {
    return {static_cast<unsigned>(origin), static_cast<unsigned>(target), static_cast<unsigned>(e), round};
  }
  Bench &bench_;
  std::vector<int> to_, from_;
  std::vector<unsigned char> out_[3], in_[3];
};

/// Takes what comes, in the order in which it comes, as the library does: a request that has been found is not looked at again.
void take_all(Ring &ring, std::vector<MPI_Request> receives, unsigned round, const std::string &words) {
  for (std::size_t found = 0; found < receives.size();) {
    int index = MPI_UNDEFINED, flag = 0;
    POLL(MPI_Testany, static_cast<int>(receives.size()), receives.data(), &index, &flag, MPI_STATUS_IGNORE);
    if (!flag || index == MPI_UNDEFINED) continue;
    receives[static_cast<std::size_t>(index)] = MPI_REQUEST_NULL;
    ring.look(static_cast<std::size_t>(index), round, words);
    found += 1;
  }
}

void send_persistent(Bench &bench, Ring &ring, std::size_t bytes) {
  const std::size_t n = Ring::edges();
  std::vector<MPI_Request> receives(n), sends(n);
  ring.fill(bytes, 0);
  for (std::size_t e = 0; e < n; ++e) {
    const int count = static_cast<int>(bytes), tag = static_cast<int>(e);
    CALL(MPI_Recv_init, ring.in(e), count, MPI_BYTE, ring.from(e), tag, bench.comm(), &receives[e]);
    CALL(MPI_Send_init, ring.out(e), count, MPI_BYTE, ring.to(e), tag, bench.comm(), &sends[e]);
  }
  for (int i = 0; i < kMessageRounds; ++i) {
    const unsigned round = bench.next_round();
    ring.fill(bytes, round);
    for (MPI_Request &request : receives) CALL(MPI_Start, &request);
    for (MPI_Request &request : sends) CALL(MPI_Start, &request);
    take_all(ring, receives, round, "a persistent message");
    CALL(MPI_Waitall, static_cast<int>(n), sends.data(), MPI_STATUSES_IGNORE);
  }
  for (auto *requests : {&receives, &sends})
    for (MPI_Request &request : *requests) CALL(MPI_Request_free, &request);
}

void probe_persistent(Bench &bench) {
  Ring ring(bench);
  for (const std::size_t bytes : kSizes) send_persistent(bench, ring, bytes);
}

void probe_plain(Bench &bench) {
  Ring ring(bench);
  for (const std::size_t bytes : kSizes) {
    const unsigned round = bench.next_round();
    ring.fill(bytes, round);
    std::vector<MPI_Request> receives(Ring::edges()), sends(Ring::edges());
    for (std::size_t e = 0; e < Ring::edges(); ++e) {
      const int count = static_cast<int>(bytes), tag = static_cast<int>(e);
      CALL(MPI_Irecv, ring.in(e), count, MPI_BYTE, ring.from(e), tag, bench.comm(), &receives[e]);
      CALL(MPI_Isend, ring.out(e), count, MPI_BYTE, ring.to(e), tag, bench.comm(), &sends[e]);
    }
    take_all(ring, receives, round, "a message");
    CALL(MPI_Waitall, static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE);
  }
}

/// Ranks that do not know who will write to them: synchronous sends, and a barrier that a rank enters once its own have been received.
void probe_handshake(Bench &bench) {
  MPI_Comm comm = MPI_COMM_NULL;
  CALL(MPI_Comm_dup, bench.comm(), &comm);
  const int mine = bench.rank();
  MPI_Request send = MPI_REQUEST_NULL, barrier = MPI_REQUEST_NULL;
  CALL(MPI_Issend, &mine, 1, MPI_INT, bench.next(), 7, comm, &send);
  int received = 0;
  for (int done = 0; !done;) {
    int flag = 0, sent = 0;
    MPI_Status status;
    POLL(MPI_Iprobe, MPI_ANY_SOURCE, 7, comm, &flag, &status);
    if (flag) {
      int theirs = -1;
      CALL(MPI_Recv, &theirs, 1, MPI_INT, status.MPI_SOURCE, 7, comm, MPI_STATUS_IGNORE);
      bench.expect(theirs == bench.previous(),
                   "a message from rank " + std::to_string(theirs) + ", expected " + std::to_string(bench.previous()));
      received += 1;
    }
    if (barrier != MPI_REQUEST_NULL) {
      POLL(MPI_Test, &barrier, &done, MPI_STATUS_IGNORE);
      continue;
    }
    POLL(MPI_Test, &send, &sent, MPI_STATUS_IGNORE);
    if (sent) CALL(MPI_Ibarrier, comm, &barrier);
  }
  bench.expect(received == 1, std::to_string(received) + " messages arrived before the barrier ended, expected 1");
  CALL(MPI_Comm_free, &comm);
}

/// Bytes beyond an int are sent as one element of a struct of blocks; here the blocks are small.
void probe_struct_of_bytes(Bench &bench) {
  constexpr std::size_t block = 4096, bytes = 5 * block + 17;
  MPI_Datatype one = MPI_DATATYPE_NULL, blocks = MPI_DATATYPE_NULL, all = MPI_DATATYPE_NULL;
  CALL(MPI_Type_contiguous, static_cast<int>(block), MPI_BYTE, &one);
  CALL(MPI_Type_contiguous, 5, one, &blocks);
  const int lengths[2] = {1, 17};
  const MPI_Aint places[2] = {0, 5 * block};
  const MPI_Datatype types[2] = {blocks, MPI_BYTE};
  CALL(MPI_Type_create_struct, 2, lengths, places, types, &all);
  CALL(MPI_Type_commit, &all);
  Ring ring(bench);
  const unsigned round = bench.next_round();
  ring.fill(bytes, round);
  for (std::size_t e = 0; e < Ring::edges(); ++e) {
    CALL(MPI_Sendrecv, ring.out(e), 1, all, ring.to(e), 0, ring.in(e), 1, all, ring.from(e), 0, bench.comm(), MPI_STATUS_IGNORE);
    ring.look(e, round, "a message of a struct of blocks of bytes");
  }
  for (MPI_Datatype *type : {&one, &blocks, &all}) CALL(MPI_Type_free, type);
}

}  // namespace

std::vector<Probe> message_probes() {
  return {{"messages/persistent", "MPI_Send_init, MPI_Recv_init, MPI_Start, MPI_Testany", probe_persistent},
          {"messages/plain", "MPI_Isend, MPI_Irecv, MPI_Testany", probe_plain},
          {"messages/handshake", "MPI_Issend, MPI_Iprobe, MPI_Ibarrier", probe_handshake},
          {"messages/struct_of_bytes", "MPI_Type_create_struct, MPI_Sendrecv", probe_struct_of_bytes}};
}

}  // namespace doctor
