// Memory that ranks of a node share: who shares it, loads and stores into a neighbour's part, and whether an allocated window can be asked for
// the address of a neighbour's part.
// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>

#include "../errors.hpp"
#include "../memory.hpp"
#include "../probe.hpp"
#include "../watchdog.hpp"
#include "../window.hpp"

namespace doctor {
namespace {

/// The ranks that share memory with me.
class NodeComm {
 public:
  explicit NodeComm(Bench &bench) {
    CALL(MPI_Comm_split_type, bench.comm(), MPI_COMM_TYPE_SHARED, bench.rank(), MPI_INFO_NULL, &comm_);
    CALL(MPI_Comm_rank, comm_, &rank_);
    CALL(MPI_Comm_size, comm_, &size_);
  }
  void end() { CALL(MPI_Comm_free, &comm_); }
  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
};

void probe_node(Bench &bench) {
  NodeComm node(bench);
  char mine[MPI_MAX_PROCESSOR_NAME] = "", first[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  CALL(MPI_Get_processor_name, mine, &length);
  std::copy(std::begin(mine), std::end(mine), std::begin(first));
  CALL(MPI_Bcast, first, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, 0, node.comm());
  bench.expect(std::string(mine) == first, std::string("MPI_Comm_split_type puts '") + mine + "' and '" + first + "' on one node");
  const int is_first = node.rank() == 0;
  int nodes = 0;
  CALL(MPI_Reduce, &is_first, &nodes, 1, MPI_INT, MPI_SUM, 0, bench.comm());
  bench.fact(std::to_string(bench.size()) + (bench.size() == 1 ? " rank on " : " ranks on ") + std::to_string(nodes) +
             (nodes == 1 ? " node" : " nodes"));
  node.end();
}

/// Every rank stores into its neighbour's part, then reads what the other neighbour has stored into its own.
void store_into(Bench &bench, const NodeComm &node, MPI_Win window, std::size_t bytes, unsigned char *base) {
  const int next = (node.rank() + 1) % node.size(), previous = (node.rank() + node.size() - 1) % node.size();
  MPI_Aint size = 0;
  int unit = 0;
  unsigned char *there = nullptr;
  CALL(MPI_Win_shared_query, window, next, &size, &unit, &there);
  bench.expect(size == static_cast<MPI_Aint>(bytes),
               "the part of rank " + std::to_string(next) + " has " + std::to_string(size) + " bytes, expected " + std::to_string(bytes));
  const unsigned round = bench.next_round();
  CALL(MPI_Win_lock_all, MPI_MODE_NOCHECK, window);
  write_stream(there, bytes, {static_cast<unsigned>(node.rank()), static_cast<unsigned>(next), 0, round});
  std::atomic_thread_fence(std::memory_order_release);
  CALL(MPI_Win_sync, window);
  CALL(MPI_Barrier, node.comm());
  CALL(MPI_Win_sync, window);
  const Stream expected{static_cast<unsigned>(previous), static_cast<unsigned>(node.rank()), 0, round};
  for (std::size_t i = 0; i < bytes; ++i) {
    if (base[i] == byte_of(expected, i)) continue;
    bench.wrong("", "byte " + std::to_string(i) + " that rank " + std::to_string(previous) + " stored into the part of rank " +
                        std::to_string(node.rank()) + " is wrong: there is " + what_stands(base, bytes, i, bench.size()));
    break;
  }
  CALL(MPI_Win_unlock_all, window);
}

void probe_load_store(Bench &bench) {
  NodeComm node(bench);
  for (const std::size_t bytes : {8u, 24u, 4096u, 100000u}) {
    Window window(Kind::shared, node.comm(), {bytes, 0, 1});
    store_into(bench, node, window, bytes, window.base());
    window.free();
  }
  node.end();
}

/// MPI 4.1 lets the shared memory of any window be queried; earlier an MPI may refuse.
void probe_query_allocated(Bench &bench) {
  NodeComm node(bench);
  Window window(Kind::allocate, node.comm(), {4096, 0, 1});
  MPI_Aint size = 0;
  int unit = 0, mine = 0, all = 0;
  unsigned char *there = nullptr;
  watch_call("MPI_Win_shared_query");
  const int code = error_of(MPI_Win_shared_query(window, (node.rank() + 1) % node.size(), &size, &unit, &there));
  mine = code == MPI_SUCCESS && there && size == 4096;
  CALL(MPI_Allreduce, &mine, &all, 1, MPI_INT, MPI_MIN, node.comm());
  if (all) store_into(bench, node, window, 4096, window.base());
  bench.fact(all ? "the memory of MPI_Win_allocate can be queried and loaded from directly"
                 : "the memory of MPI_Win_allocate cannot be queried (MPI 4.1 would allow it)");
  window.free();
  node.end();
}

}  // namespace

std::vector<Probe> shared_memory_probes() {
  return {{"memory/node", "MPI_Comm_split_type (MPI_COMM_TYPE_SHARED)", probe_node},
          {"memory/load_store", "MPI_Win_allocate_shared, MPI_Win_shared_query, loads and stores", probe_load_store},
          {"memory/query_allocated", "MPI_Win_shared_query of MPI_Win_allocate", probe_query_allocated}};
}

}  // namespace doctor
