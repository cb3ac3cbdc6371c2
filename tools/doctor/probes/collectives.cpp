// The collectives that plans and mode neighbor use: neighbourhood exchanges, persistent and not, with several edges between two ranks and
// edges to myself; non-blocking barrier and reduction; who shares a node.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>

#include "../memory.hpp"
#include "../probe.hpp"
#include "../watchdog.hpp"

namespace doctor {
namespace {

constexpr int kCollectiveRounds = 3;
constexpr int kBroadcastBytes = 1000;  // bytes of a broadcast

/// A graph with two edges to the next rank, one to the rank before, one to myself; edge by edge another number of bytes.
class Graph {
 public:
  explicit Graph(Bench &bench) : bench_(bench) {
    sources_ = {bench.previous(), bench.previous(), bench.next(), bench.rank()};
    targets_ = {bench.next(), bench.next(), bench.previous(), bench.rank()};
    types_.assign(edges(), MPI_BYTE);
    const int n = static_cast<int>(edges());
    CALL(MPI_Dist_graph_create_adjacent, bench.comm(), n, sources_.data(), MPI_UNWEIGHTED, n, targets_.data(), MPI_UNWEIGHTED,
         MPI_INFO_NULL, 0, &comm_);
    for (std::size_t e = 0; e < edges(); ++e) places_.push_back(static_cast<MPI_Aint>(e * kRoom));
    out_.resize(edges() * kRoom);
    in_.resize(edges() * kRoom);
  }
  void end() { CALL(MPI_Comm_free, &comm_); }

  static constexpr std::size_t edges() { return 4; }
  MPI_Comm comm() const { return comm_; }

  void fill(unsigned round) {
    write_stream(in_.data(), in_.size(), Image::poison(bench_.rank(), round));
    for (std::size_t e = 0; e < edges(); ++e)
      write_stream(out_.data() + e * kRoom, kRoom,
                   {static_cast<unsigned>(bench_.rank()), static_cast<unsigned>(targets_[e]), number(e), round});
  }
  void look(unsigned round, const std::string &words) {
    Image expected(in_.size(), bench_.rank(), round);
    for (std::size_t e = 0; e < edges(); ++e) {
      const Stream stream{static_cast<unsigned>(sources_[e]), static_cast<unsigned>(bench_.rank()), number(e), round};
      expected.write(e * kRoom, bytes_of(e), stream);
    }
    if (const auto wrong = expected.difference(in_.data(), bench_.size()))
      bench_.wrong("", words + ": what rank " + std::to_string(bench_.rank()) + " received over edge " +
                           std::to_string(wrong->place / kRoom) + ": " + wrong->text);
  }
  template <class Start>
  void start(const Start &call) {
    call(out_.data(), counts_.data(), places_.data(), types_.data(), in_.data(), comm_);
  }
  std::vector<int> counts_{kBytes[0], kBytes[1], kBytes[2], kBytes[3]};

 private:
  static constexpr int kBytes[] = {24, 5000, 1, 777};
  static constexpr std::size_t kRoom = 5056;
  static unsigned number(std::size_t e) { return static_cast<unsigned>(e); }
  static Layout bytes_of(std::size_t e) { return Layout(Arrangement::basic, {MPI_BYTE, 1, "MPI_BYTE"}, kBytes[e]); }

  Bench &bench_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<int> sources_, targets_;
  std::vector<MPI_Aint> places_;
  std::vector<MPI_Datatype> types_;
  std::vector<unsigned char> out_, in_;
};

void probe_neighbor(Bench &bench) {
  Graph graph(bench);
  for (int i = 0; i < kCollectiveRounds; ++i) {
    const unsigned round = bench.next_round();
    graph.fill(round);
    graph.start([](void *out, int *counts, MPI_Aint *places, MPI_Datatype *types, void *in, MPI_Comm comm) {
      MPI_Request request = MPI_REQUEST_NULL;
      CALL(MPI_Ineighbor_alltoallw, out, counts, places, types, in, counts, places, types, comm, &request);
      complete(request);
    });
    graph.look(round, "MPI_Ineighbor_alltoallw");
  }
  graph.end();
}

void probe_persistent_neighbor(Bench &bench) {
#if MPI_VERSION >= 4
  Graph graph(bench);
  MPI_Request request = MPI_REQUEST_NULL;
  graph.start([&request](void *out, int *counts, MPI_Aint *places, MPI_Datatype *types, void *in, MPI_Comm comm) {
    CALL(MPI_Neighbor_alltoallw_init, out, counts, places, types, in, counts, places, types, comm, MPI_INFO_NULL, &request);
  });
  for (int i = 0; i < kCollectiveRounds; ++i) {
    const unsigned round = bench.next_round();
    graph.fill(round);
    CALL(MPI_Start, &request);
    complete(request);
    graph.look(round, "MPI_Neighbor_alltoallw_init");
  }
  CALL(MPI_Request_free, &request);
  graph.end();
#else
  static_cast<void>(bench);
  throw Lacks("MPI_Neighbor_alltoallw_init needs MPI 4; this is MPI " + std::to_string(MPI_VERSION) + "." + std::to_string(MPI_SUBVERSION));
#endif
}

void probe_nonblocking(Bench &bench) {
  for (int i = 0; i < kCollectiveRounds; ++i) {
    MPI_Request barrier = MPI_REQUEST_NULL, reduction = MPI_REQUEST_NULL;
    const int mine = bench.rank() + i;
    int largest = -1;
    CALL(MPI_Iallreduce, &mine, &largest, 1, MPI_INT, MPI_MAX, bench.comm(), &reduction);
    CALL(MPI_Ibarrier, bench.comm(), &barrier);
    complete(reduction);
    complete(barrier);
    bench.expect(largest == bench.size() - 1 + i,
                 "MPI_Iallreduce: the largest is " + std::to_string(largest) + ", expected " + std::to_string(bench.size() - 1 + i));
  }
}

std::int64_t reduce(std::int64_t mine, MPI_Op operation, MPI_Comm comm) {
  std::int64_t all = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  CALL(MPI_Iallreduce, &mine, &all, 1, MPI_INT64_T, operation, comm, &request);
  complete(request);
  return all;
}

/// The steps in which plans are agreed on: 64-bit numbers reduced, counted up, gathered; a message of bytes from a rank that all know.
void probe_agreements(Bench &bench) {
  const std::int64_t far = std::int64_t{1} << 40, mine = far + bench.rank(), last = bench.size() - 1;
  bench.expect(reduce(mine, MPI_MIN, bench.comm()) == far, "MPI_Iallreduce with MPI_MIN");
  bench.expect(reduce(mine, MPI_MAX, bench.comm()) == far + last, "MPI_Iallreduce with MPI_MAX");
  bench.expect(reduce(mine, MPI_SUM, bench.comm()) == far * (last + 1) + last * (last + 1) / 2, "MPI_Iallreduce with MPI_SUM");

  std::int64_t before = -1;
  std::vector<std::int64_t> all(static_cast<std::size_t>(bench.size()), -1);
  std::vector<unsigned char> broadcast(kBroadcastBytes, static_cast<unsigned char>(bench.rank()));
  MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  CALL(MPI_Iscan, &mine, &before, 1, MPI_INT64_T, MPI_MAX, bench.comm(), &requests[0]);
  CALL(MPI_Iallgather, &mine, 1, MPI_INT64_T, all.data(), 1, MPI_INT64_T, bench.comm(), &requests[1]);
  CALL(MPI_Ibcast, broadcast.data(), kBroadcastBytes, MPI_BYTE, static_cast<int>(last), bench.comm(), &requests[2]);
  for (MPI_Request &request : requests) complete(request);
  bench.expect(before == mine, "MPI_Iscan with MPI_MAX returned " + std::to_string(before - far));
  for (std::size_t r = 0; r < all.size(); ++r)
    bench.expect(all[r] == far + static_cast<std::int64_t>(r), "MPI_Iallgather returned a wrong number of rank " + std::to_string(r));
  const auto wrong =
      std::count_if(broadcast.begin(), broadcast.end(), [&](unsigned char c) { return c != static_cast<unsigned char>(last); });
  bench.expect(wrong == 0, "MPI_Ibcast: " + std::to_string(wrong) + " bytes are wrong");
}

void probe_reductions(Bench &bench) {
  const int mine[2] = {bench.rank() == bench.size() / 2 ? -5 : 7, bench.rank()};
  int least[2] = {0, 0}, before = -1, root = bench.rank();
  CALL(MPI_Allreduce, mine, least, 1, MPI_2INT, MPI_MINLOC, bench.comm());
  bench.expect(least[0] == -5 && least[1] == bench.size() / 2, "MPI_MINLOC found rank " + std::to_string(least[1]));
  const int one = 1;
  CALL(MPI_Scan, &one, &before, 1, MPI_INT, MPI_SUM, bench.comm());
  bench.expect(before == bench.rank() + 1,
               "MPI_Scan counted " + std::to_string(before) + " ranks up to rank " + std::to_string(bench.rank()));
  CALL(MPI_Bcast, &root, 1, MPI_INT, bench.size() - 1, bench.comm());
  bench.expect(root == bench.size() - 1, "MPI_Bcast delivered " + std::to_string(root));
}

}  // namespace

std::vector<Probe> collective_probes() {
  return {{"collectives/reductions", "MPI_Allreduce (MPI_MINLOC), MPI_Scan, MPI_Bcast", probe_reductions},
          {"collectives/nonblocking", "MPI_Ibarrier, MPI_Iallreduce", probe_nonblocking},
          {"collectives/agreements", "MPI_Iallreduce, MPI_Iscan, MPI_Iallgather, MPI_Ibcast", probe_agreements},
          {"collectives/neighbor", "MPI_Dist_graph_create_adjacent, MPI_Ineighbor_alltoallw", probe_neighbor},
          {"collectives/neighbor_persistent", "MPI_Neighbor_alltoallw_init, MPI_Start", probe_persistent_neighbor}};
}

}  // namespace doctor
