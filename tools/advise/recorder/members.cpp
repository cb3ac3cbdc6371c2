// Whose ranks a communicator or a window has: the records name ranks of MPI_COMM_WORLD.
// SPDX-License-Identifier: BSD-3-Clause
#include <mutex>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>

#include "host.hpp"

namespace advise {
namespace {

struct Known {
  std::mutex mutex;
  std::uint16_t next = 0;
};

Known &known() {
  static Known &all = *new Known;
  return all;
}

/// The group's ranks in MPI_COMM_WORLD. Those that are not in it are negative.
std::vector<int> world_ranks(MPI_Group group) {
  int size = 0;
  MPI_Group world = MPI_GROUP_NULL;
  PMPI_Group_size(group, &size);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  std::vector<int> own(static_cast<std::size_t>(size)), ranks(own.size());
  std::iota(own.begin(), own.end(), 0);
  PMPI_Group_translate_ranks(group, size, own.data(), world, ranks.data());
  for (int &rank : ranks)
    if (rank < 0) rank = kUnknown;
  PMPI_Group_free(&world);
  PMPI_Group_free(&group);
  return ranks;
}

/// A hash of the ranks stands for the group: the same on all of them.
std::uint64_t hash_of(const std::vector<int> &ranks) {
  std::uint64_t hash = 14695981039346656037U;
  for (const int rank : ranks) hash = (hash ^ static_cast<std::uint64_t>(static_cast<std::uint32_t>(rank))) * 1099511628211U;
  return hash;
}

Members *add(const char *word, const std::vector<int> &ranks) {
  auto *const members = new Members;
  members->id = ++known().next;
  members->size = static_cast<int>(ranks.size());
  int *const world = new int[ranks.size() + 1];
  std::copy(ranks.begin(), ranks.end(), world);
  members->world = world;
  // The ranks themselves, unless they are those of MPI_COMM_WORLD in order.
  std::string line = word;
  add_numbers(line, members->id, hash_of(ranks), members->size);
  bool is_world = true;
  for (std::size_t i = 0; i < ranks.size(); ++i) is_world = is_world && ranks[i] == static_cast<int>(i);
  for (std::size_t i = 0; !is_world && i < ranks.size(); ++i) add_numbers(line, ranks[i]);
  write_line(line);
  return members;
}

void write_neighbours(Members &members, const std::vector<int> &in, const std::vector<int> &out) {
  members.in = static_cast<int>(in.size());
  members.out = static_cast<int>(out.size());
  for (const auto &[word, list] : {std::pair{"in", &in}, {"out", &out}}) {
    std::string line = "neighbours";
    add_numbers(line, members.id);
    add_word(line, word);
    for (const int rank : *list) add_numbers(line, rank == MPI_PROC_NULL ? kUnknown : world_rank(members, rank));
    write_line(line);
  }
}

std::vector<int> find_beside(MPI_Comm comm) {
  int dims = 0;
  PMPI_Cartdim_get(comm, &dims);
  std::vector<int> beside;
  for (int d = 0; d < dims; ++d) {
    int low = 0, high = 0;
    PMPI_Cart_shift(comm, d, 1, &low, &high);
    beside.insert(beside.end(), {low, high});
  }
  return beside;
}

void note_topology(MPI_Comm comm, Members &members) {
  int topology = MPI_UNDEFINED;
  PMPI_Topo_test(comm, &topology);
  if (topology == MPI_CART) {
    const std::vector<int> beside = find_beside(comm);
    write_neighbours(members, beside, beside);
  } else if (topology == MPI_GRAPH) {
    int rank = 0, count = 0;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Graph_neighbors_count(comm, rank, &count);
    std::vector<int> list(static_cast<std::size_t>(count));
    PMPI_Graph_neighbors(comm, rank, count, list.data());
    write_neighbours(members, list, list);
  } else if (topology == MPI_DIST_GRAPH) {
    int in = 0, out = 0, weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    std::vector<int> from(static_cast<std::size_t>(in) + 1), to(static_cast<std::size_t>(out) + 1), weights(from.size() + to.size());
    PMPI_Dist_graph_neighbors(comm, in, from.data(), weights.data(), out, to.data(), weights.data());
    from.resize(static_cast<std::size_t>(in));
    to.resize(static_cast<std::size_t>(out));
    write_neighbours(members, from, to);
  }
}

const Members *describe_comm(MPI_Comm comm) {
  int is_inter = 0;
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_test_inter(comm, &is_inter);
  is_inter ? PMPI_Comm_remote_group(comm, &group) : PMPI_Comm_group(comm, &group);
  Members *const members = add("comm", world_ranks(group));
  if (!is_inter) note_topology(comm, *members);
  return members;
}

const Members *describe_window(MPI_Win window) {
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Win_get_group(window, &group);
  return add("window", world_ranks(group));
}

/// The handles of some MPIs are all numbers, so the table's type tells communicators from windows.
template <class Handle, const Members *(*describe)(Handle)>
struct Table {
  std::unordered_map<std::uint64_t, const Members *> all;
  std::uint32_t generation = 1;

  const Members &find(Handle handle) {
    struct Last {
      std::uint64_t handle;
      std::uint32_t generation;
      const Members *members;
    };
    static thread_local Last last{};
    if (last.members && last.handle == number(handle) && last.generation == generation) return *last.members;
    const std::lock_guard lock(known().mutex);
    const Members *&entry = all[number(handle)];
    if (!entry) entry = describe(handle);
    last = {number(handle), generation, entry};
    return *entry;
  }

  void erase(Handle handle) {
    const std::lock_guard lock(known().mutex);
    all.erase(number(handle));
    ++generation;
  }
};

auto &comms() {
  static auto &table = *new Table<MPI_Comm, describe_comm>;
  return table;
}

auto &windows() {
  static auto &table = *new Table<MPI_Win, describe_window>;
  return table;
}

}  // namespace

const Members &members_of_comm(MPI_Comm comm) { return comms().find(comm); }
const Members &members_of_window(MPI_Win window) { return windows().find(window); }
void forget_comm(MPI_Comm comm) { comms().erase(comm); }
void forget_window(MPI_Win window) { windows().erase(window); }

}  // namespace advise
