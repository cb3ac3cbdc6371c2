// The thread MPI: windows. A put moves its data at random at the first moment that the standard allows, or at the last. A missing flush,
// wait, post or fence then shows as a wrong value. It also shows as a race, because there is no other order than the standard's.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "threads/mpi/world.hpp"

namespace halocline::threads {
namespace {

/// A put or get whose data have not moved yet.
struct Transfer {
  char *mine;
  std::size_t bytes;
  int target;
  std::size_t place;
  bool put;
};

/// What one rank has done towards one other by post, start, complete and wait.
struct Pair {
  std::uint64_t posts = 0, starts = 0, completes = 0;  // exposures to, accesses to, accesses ended
  Order posted, completed;
};

/// One rank's part in a window.
struct Member {
  std::vector<char> memory;
  std::vector<Transfer> pending;
  std::uint64_t fences = 0;
  Order fenced[2];                 // by the number of the fence, even or odd
  std::vector<int> starts, posts;  // the groups of the open access and exposure, as ranks of the communicator
  bool access = false, exposure = false, locked = false, fence_epoch = false;
};

struct Window {
  explicit Window(Comm &c) : comm(c), members(c.ranks.size()), pairs(c.ranks.size() * c.ranks.size()) {}
  Comm &comm;
  std::deque<Member> members;
  std::deque<Pair> pairs;
  std::size_t freed = 0;

  Member &me() { return members[static_cast<std::size_t>(comm.me())]; }
  Pair &pair(int from, int to) { return pairs[static_cast<std::size_t>(from * comm.size() + to)]; }
};

Table<MPI_Win, Window> &windows() {
  static Table<MPI_Win, Window> table;
  return table;
}
std::map<std::pair<Comm *, std::uint64_t>, MPI_Win> shared;  // by the turn of the call that made it

void move(Window &window, const Transfer &t) {
  char *theirs = window.members[static_cast<std::size_t>(t.target)].memory.data() + t.place;
  copy(t.put ? theirs : t.mine, t.put ? t.mine : theirs, t.bytes, Seen::both);
}

void move_all(Window &window) {
  for (const Transfer &t : window.me().pending) move(window, t);
  window.me().pending.clear();
}

/// The fence that opened this rank's epoch must have been called by the target too before its memory may be accessed.
bool may_enter(Window &window, int target, std::uint64_t opening) {
  Member &other = window.members[static_cast<std::size_t>(target)];
  if (other.fences < opening) return false;
  other.fenced[opening % 2].take();
  return true;
}

/// Whether a transfer may move its data now; if so, takes the order that allows it.
bool may_move(Window &window, int target) {
  Member &mine = window.me();
  if (mine.locked) return true;
  if (mine.access) {
    Pair &exposure = window.pair(target, window.comm.me());
    if (exposure.posts < window.pair(window.comm.me(), target).starts) return false;
    exposure.posted.take();
    return true;
  }
  if (!mine.fence_epoch) forbid("a put or get outside any epoch");
  return may_enter(window, target, mine.fences);
}

int transfer(const void *mine, int count, MPI_Datatype type, int target, MPI_Aint place, MPI_Win handle, bool put) {
  const Inside inside;
  Window &window = windows().at(handle);
  const Transfer t{static_cast<char *>(const_cast<void *>(mine)), static_cast<std::size_t>(count) * bytes_of(type), target,
                   static_cast<std::size_t>(place), put};
  if (t.place + t.bytes > window.members[static_cast<std::size_t>(target)].memory.size()) forbid("a put or get beyond the window");
  if (dice(2) && may_move(window, target))
    move(window, t);
  else
    window.me().pending.push_back(t);
  return MPI_SUCCESS;
}

std::vector<int> ranks_in(const Window &window, MPI_Group group) {
  std::vector<int> ranks;
  for (const int world : groups().at(group))
    ranks.push_back(static_cast<int>(std::find(window.comm.ranks.begin(), window.comm.ranks.end(), world) - window.comm.ranks.begin()));
  return ranks;
}

/// True once all ranks to which this one has posted have completed as often.
bool exposure_is_over(Window &window) {
  const int me = window.comm.me();
  for (const int origin : window.me().posts)
    if (window.pair(origin, me).completes < window.pair(me, origin).posts) return false;
  for (const int origin : window.me().posts) window.pair(origin, me).completed.take();
  window.me().exposure = false;
  return true;
}

}  // namespace
}  // namespace halocline::threads

using namespace halocline::threads;

extern "C" {

int MPI_Win_set_errhandler(MPI_Win, MPI_Errhandler) { return MPI_SUCCESS; }

int MPI_Win_get_attr(MPI_Win, int, void *value, int *flag) {
  static int model = MPI_WIN_UNIFIED;
  *static_cast<int **>(value) = &model;
  *flag = 1;
  return MPI_SUCCESS;
}

int MPI_Win_allocate(MPI_Aint bytes, int, MPI_Info, MPI_Comm comm, void *base, MPI_Win *handle) {
  Inside inside;
  Comm &mine = comm_at(comm);
  const std::uint64_t turn = mine.turns[static_cast<std::size_t>(mine.me())];
  const auto [place, is_new] = shared.insert({{&mine, turn}, MPI_WIN_NULL});
  if (is_new) windows().add(std::make_unique<Window>(mine), &place->second);
  *handle = place->second;
  Member &me = windows().at(*handle).me();
  me.memory.resize(static_cast<std::size_t>(bytes));
  *static_cast<void **>(base) = me.memory.data();
  meet(inside, mine, nullptr, 0, 0, mine.size() - 1, nullptr);
  return MPI_SUCCESS;
}

int MPI_Win_free(MPI_Win *handle) {
  Inside inside;
  Window &window = windows().at(*handle);
  const Member &me = window.me();
  if (me.access || me.exposure || me.locked || !me.pending.empty()) forbid("a window is freed in an open epoch");
  meet(inside, window.comm, nullptr, 0, 0, window.comm.size() - 1, nullptr);
  if (++window.freed == window.members.size()) {
    std::erase_if(shared, [&](const auto &entry) { return entry.second == *handle; });
    windows().remove(*handle);
  }
  *handle = MPI_WIN_NULL;
  return MPI_SUCCESS;
}

int MPI_Put(const void *from, int count, MPI_Datatype type, int target, MPI_Aint place, int, MPI_Datatype, MPI_Win window) {
  return transfer(from, count, type, target, place, window, true);
}

int MPI_Get(void *to, int count, MPI_Datatype type, int target, MPI_Aint place, int, MPI_Datatype, MPI_Win window) {
  return transfer(to, count, type, target, place, window, false);
}

/// Only a fence that may end an epoch is a barrier; NOPRECEDE asserts that it ends none.
int MPI_Win_fence(int assertion, MPI_Win handle) {
  Inside inside;
  Window &window = windows().at(handle);
  Member &me = window.me();
  const std::uint64_t opening = me.fences++;
  me.fenced[me.fences % 2].give();
  me.fence_epoch = (assertion & MPI_MODE_NOSUCCEED) == 0;
  if (assertion & MPI_MODE_NOPRECEDE) {
    if (!me.pending.empty()) forbid("a fence with NOPRECEDE after a put or get");
    return MPI_SUCCESS;
  }
  for (const Transfer &t : me.pending) inside.wait_for([&] { return may_enter(window, t.target, opening); });
  move_all(window);
  meet(inside, window.comm, nullptr, 0, 0, window.comm.size() - 1, nullptr);
  return MPI_SUCCESS;
}

int MPI_Win_post(MPI_Group group, int, MPI_Win handle) {
  const Inside inside;
  Window &window = windows().at(handle);
  if (window.me().exposure) forbid("a window is posted twice");
  window.me().exposure = true;
  window.me().posts = ranks_in(window, group);
  for (const int origin : window.me().posts) {
    Pair &pair = window.pair(window.comm.me(), origin);
    pair.posted.give();
    pair.posts += 1;
  }
  return MPI_SUCCESS;
}

/// Waits for the posts, or leaves that to the puts and to complete, at random: both are allowed.
int MPI_Win_start(MPI_Group group, int, MPI_Win handle) {
  Inside inside;
  Window &window = windows().at(handle);
  if (window.me().access) forbid("an access epoch is started twice");
  window.me().access = true;
  window.me().starts = ranks_in(window, group);
  for (const int target : window.me().starts) window.pair(window.comm.me(), target).starts += 1;
  if (dice(2))
    for (const int target : window.me().starts) inside.wait_for([&] { return may_move(window, target); });
  return MPI_SUCCESS;
}

int MPI_Win_complete(MPI_Win handle) {
  Inside inside;
  Window &window = windows().at(handle);
  if (!window.me().access) forbid("complete without start");
  for (const int target : window.me().starts) inside.wait_for([&] { return may_move(window, target); });
  move_all(window);
  for (const int target : window.me().starts) {
    Pair &pair = window.pair(window.comm.me(), target);
    pair.completed.give();
    pair.completes += 1;
  }
  window.me().access = false;
  return MPI_SUCCESS;
}

int MPI_Win_test(MPI_Win handle, int *flag) {
  const Inside inside;
  Window &window = windows().at(handle);
  if (!window.me().exposure) forbid("MPI_Win_test without post");
  *flag = !dice(4) && exposure_is_over(window);
  return MPI_SUCCESS;
}

int MPI_Win_wait(MPI_Win handle) {
  Inside inside;
  Window &window = windows().at(handle);
  inside.wait_for([&] { return exposure_is_over(window); });
  return MPI_SUCCESS;
}

int MPI_Win_lock_all(int, MPI_Win handle) {
  const Inside inside;
  windows().at(handle).me().locked = true;
  return MPI_SUCCESS;
}

int MPI_Win_unlock_all(MPI_Win handle) {
  const Inside inside;
  Window &window = windows().at(handle);
  move_all(window);
  window.me().locked = false;
  return MPI_SUCCESS;
}

int MPI_Win_flush_all(MPI_Win handle) {
  const Inside inside;
  move_all(windows().at(handle));
  return MPI_SUCCESS;
}

/// A shared lock of the rank's own memory, and its unlock: they order no other rank.
int MPI_Win_lock(int, int, int, MPI_Win) { return MPI_SUCCESS; }
int MPI_Win_unlock(int, MPI_Win) { return MPI_SUCCESS; }
int MPI_Win_sync(MPI_Win) { return MPI_SUCCESS; }

}  // extern "C"
