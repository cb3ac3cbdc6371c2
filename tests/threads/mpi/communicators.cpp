// The thread MPI: ranks, communicators, groups, and the collective calls of the cold path.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <thread>

#include "threads/mpi/world.hpp"

namespace halocline::threads {
namespace {

thread_local int my_rank = 0;
thread_local std::mt19937 my_dice;
std::unique_ptr<Comm> the_world;
std::map<std::tuple<Comm *, std::uint64_t, int>, MPI_Comm> children;  // of a communicator, by turn and colour

}  // namespace

Comm &comm_at(MPI_Comm comm) { return comm == MPI_COMM_WORLD ? *the_world : comms().at(comm); }

Table<MPI_Comm, Comm> &comms() {
  static Table<MPI_Comm, Comm> table;
  return table;
}
Table<MPI_Datatype, std::size_t> &types() {
  static Table<MPI_Datatype, std::size_t> table;
  return table;
}
Table<MPI_Group, Group> &groups() {
  static Table<MPI_Group, Group> table;
  return table;
}

int world_rank() { return my_rank; }
bool dice(int one_in) { return my_dice() % static_cast<unsigned>(one_in) == 0; }

int Comm::me() const { return static_cast<int>(std::find(ranks.begin(), ranks.end(), my_rank) - ranks.begin()); }

std::uint64_t arrive(Comm &comm, const void *data, std::size_t bytes) {
  const auto me = static_cast<std::size_t>(comm.me());
  const std::uint64_t turn = comm.turns[me]++;
  Meeting &meeting = comm.meetings[turn];
  meeting.given.resize(comm.ranks.size());
  meeting.orders.resize(comm.ranks.size());
  meeting.given[me].resize(bytes);
  copy(meeting.given[me].data(), static_cast<const char *>(data), bytes, Seen::source);
  meeting.orders[me].give();
  meeting.arrived += 1;
  return turn;
}

bool is_complete(const Comm &comm, std::uint64_t turn) {
  const auto meeting = comm.meetings.find(turn);
  return meeting != comm.meetings.end() && meeting->second.arrived == comm.ranks.size();
}

void leave(Comm &comm, std::uint64_t turn, int first, int last, const std::function<void(Meeting &)> &take) {
  Meeting &meeting = comm.meetings[turn];
  for (int r = first; r <= last; ++r) meeting.orders[static_cast<std::size_t>(r)].take();
  if (take) take(meeting);
  if (++meeting.left == comm.ranks.size()) comm.meetings.erase(turn);
}

void meet(Inside &inside, Comm &comm, const void *data, std::size_t bytes, int first, int last,
          const std::function<void(Meeting &)> &take) {
  const std::uint64_t turn = arrive(comm, data, bytes);
  inside.wait_for([&] { return is_complete(comm, turn); });
  leave(comm, turn, first, last, take);
}

void play(int ranks, unsigned seed, const std::function<void()> &body) {
  std::vector<int> everyone;
  for (int r = 0; r < ranks; ++r) everyone.push_back(r);
  the_world = std::make_unique<Comm>(everyone);
  children.clear();
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r)
    threads.emplace_back([&, r] {
      my_rank = r;
      my_dice.seed(seed * 1000 + static_cast<unsigned>(r));
      body();
    });
  for (std::thread &thread : threads) thread.join();
}

/// Makes the communicator of a colour, or finds it if another rank was first.
MPI_Comm child(Comm &parent, std::uint64_t turn, int colour, const std::vector<int> &ranks) {
  const auto [place, is_new] = children.insert({{&parent, turn, colour}, MPI_COMM_NULL});
  if (is_new) comms().add(std::make_unique<Comm>(ranks), &place->second);
  return place->second;
}

int split(MPI_Comm comm, int colour, int key, MPI_Comm *result) {
  Inside inside;
  Comm &parent = comm_at(comm);
  const int mine[2] = {colour, key};
  const std::uint64_t turn = parent.turns[static_cast<std::size_t>(parent.me())];
  meet(inside, parent, mine, sizeof mine, 0, parent.size() - 1, [&](Meeting &meeting) {
    std::vector<std::tuple<int, int>> same;  // key, rank in the parent
    for (int r = 0; r < parent.size(); ++r) {
      int theirs[2];
      std::memcpy(theirs, meeting.given[static_cast<std::size_t>(r)].data(), sizeof theirs);
      if (theirs[0] == colour) same.emplace_back(theirs[1], r);
    }
    std::sort(same.begin(), same.end());
    std::vector<int> ranks;
    for (const auto &[unused, r] : same) ranks.push_back(parent.ranks[static_cast<std::size_t>(r)]);
    *result = colour == MPI_UNDEFINED ? MPI_COMM_NULL : child(parent, turn, colour, ranks);
  });
  return MPI_SUCCESS;
}

}  // namespace halocline::threads

using namespace halocline::threads;

extern "C" {

int MPI_Get_library_version(char *version, int *length) {
  constexpr char kThreads[] = "threads as ranks";
  *length = sizeof kThreads - 1;
  return std::memcpy(version, kThreads, sizeof kThreads), MPI_SUCCESS;
}
int MPI_Initialized(int *flag) { return *flag = 1, MPI_SUCCESS; }
int MPI_Query_thread(int *provided) { return *provided = MPI_THREAD_SINGLE, MPI_SUCCESS; }
int MPI_Is_thread_main(int *flag) { return *flag = 0, MPI_SUCCESS; }
int MPI_Finalized(int *flag) { return *flag = 0, MPI_SUCCESS; }
#ifndef MPI_Comm_f2c  // a macro to some
MPI_Comm MPI_Comm_f2c(MPI_Fint) { return MPI_COMM_WORLD; }
#endif
int MPI_Error_string(int, char *text, int *length) {
  return *length = std::snprintf(text, MPI_MAX_ERROR_STRING, "not in the thread MPI"), MPI_SUCCESS;
}
int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function *, MPI_Comm_delete_attr_function *, int *, void *) { return MPI_SUCCESS; }
int MPI_Comm_set_attr(MPI_Comm, int, void *) { return MPI_SUCCESS; }
int MPI_Comm_free_keyval(int *) { return MPI_SUCCESS; }
int MPI_Comm_set_errhandler(MPI_Comm, MPI_Errhandler) { return MPI_SUCCESS; }
int MPI_Type_create_struct(int, const int[], const MPI_Aint[], const MPI_Datatype[], MPI_Datatype *) { return MPI_ERR_OTHER; }
int MPI_Type_commit(MPI_Datatype *) { return MPI_SUCCESS; }

int MPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype *made) {
  const Inside inside;
  types().add(std::make_unique<std::size_t>(static_cast<std::size_t>(count) * bytes_of(type)), made);
  return MPI_SUCCESS;
}

int MPI_Type_free(MPI_Datatype *type) {
  const Inside inside;
  types().remove(*type);
  *type = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

int MPI_Comm_rank(MPI_Comm comm, int *rank) {
  const Inside inside;
  *rank = comm_at(comm).me();
  return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int *size) {
  const Inside inside;
  *size = comm_at(comm).size();
  return MPI_SUCCESS;
}

/// There are no inter-communicators of threads.
int MPI_Comm_test_inter(MPI_Comm, int *answer) {
  *answer = 0;
  return MPI_SUCCESS;
}

int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *result) { return split(comm, colour, key, result); }
int MPI_Comm_split_type(MPI_Comm comm, int, int key, MPI_Info, MPI_Comm *result) { return split(comm, 0, key, result); }
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *result) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return split(comm, 0, rank, result);
}

/// Groups of all ranks alone are asked for.
int MPI_Comm_create(MPI_Comm comm, MPI_Group, MPI_Comm *result) { return MPI_Comm_dup(comm, result); }

int MPI_Comm_free(MPI_Comm *comm) {
  const Inside inside;
  Comm &mine = comm_at(*comm);
  if (!mine.mailboxes[static_cast<std::size_t>(mine.me())].unexpected.empty()) forbid("a communicator is freed with messages on their way");
  if (++mine.freed == mine.ranks.size()) {
    std::erase_if(children, [&](const auto &entry) { return std::get<0>(entry.first) == &mine; });
    comms().remove(*comm);
  }
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

int MPI_Comm_group(MPI_Comm comm, MPI_Group *group) {
  const Inside inside;
  groups().add(std::make_unique<Group>(comm_at(comm).ranks), group);
  return MPI_SUCCESS;
}

int MPI_Group_incl(MPI_Group all, int n, const int ranks[], MPI_Group *result) {
  const Inside inside;
  auto chosen = std::make_unique<Group>();
  for (int i = 0; i < n; ++i) chosen->push_back(groups().at(all)[static_cast<std::size_t>(ranks[i])]);
  groups().add(std::move(chosen), result);
  return MPI_SUCCESS;
}

int MPI_Group_free(MPI_Group *group) {
  const Inside inside;
  groups().remove(*group);
  *group = MPI_GROUP_NULL;
  return MPI_SUCCESS;
}

int MPI_Group_translate_ranks(MPI_Group from, int n, const int ranks[], MPI_Group to, int result[]) {
  const Inside inside;
  const Group &target = groups().at(to);
  for (int i = 0; i < n; ++i) {
    const auto found = std::find(target.begin(), target.end(), groups().at(from)[static_cast<std::size_t>(ranks[i])]);
    result[i] = found == target.end() ? MPI_UNDEFINED : static_cast<int>(found - target.begin());
  }
  return MPI_SUCCESS;
}

}  // extern "C"
