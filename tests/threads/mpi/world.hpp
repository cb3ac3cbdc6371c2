// The objects of the thread MPI, whose ranks are threads of one process. It is slow and simple, and as unhelpful as the standard allows. It
// completes late, moves data at the last or the first legal moment (at random), and orders nothing that it need not order.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <random>
#include <type_traits>
#include <vector>

#include "threads/mpi/ordering.hpp"

namespace halocline::threads {

/// Ends the program: the library, or the thread MPI itself, did what MPI forbids.
[[noreturn]] inline void forbid(const char *what) {
  std::fprintf(stderr, "thread MPI: %s\n", what);
  std::abort();
}

/// One collective call of a communicator: the bytes that each rank contributes.
struct Meeting {
  std::deque<Order> orders;
  std::vector<std::vector<char>> given;
  std::size_t arrived = 0, left = 0;
};

struct Message {
  int source = 0, tag = 0;
  const char *data = nullptr;
  std::size_t bytes = 0;
  std::vector<char> copy;  // of a buffered message, taken when it is sent
  bool buffered = false, taken = false;
  int hidden = 0;  // so many probes do not find it
  Order sent, received;
};

struct Request;

/// The unexpected messages and posted receives of a rank of a communicator, in order.
struct Mailbox {
  std::list<std::shared_ptr<Message>> unexpected;
  std::list<Request *> posted;
};

struct Comm {
  explicit Comm(std::vector<int> members) : ranks(std::move(members)), turns(ranks.size()), mailboxes(ranks.size()) {}
  std::vector<int> ranks;  // in the world
  std::vector<std::uint64_t> turns;
  std::map<std::uint64_t, Meeting> meetings;
  std::vector<Mailbox> mailboxes;
  std::size_t freed = 0;
  std::map<int, std::pair<std::vector<int>, std::vector<int>>> graph;  // per rank: sources and destinations, if it is a graph

  int size() const { return static_cast<int>(ranks.size()); }
  int me() const;
};

struct Request {
  enum class Kind { send, receive, meeting, bundle } kind = Kind::send;
  bool persistent = false, active = false, synchronous = false;
  Comm *comm = nullptr;
  int peer = 0, tag = 0;
  char *data = nullptr;
  std::size_t bytes = 0;
  std::shared_ptr<Message> message;
  int source = 0;  // of a receive that is complete
  std::uint64_t turn = 0;  // of a meeting
  int first = 0, last = 0;  // of a meeting: the ranks whose bytes it delivers, and after which it is ordered
  std::function<void(Meeting &)> take;  // of a meeting: delivers the bytes
  std::vector<std::unique_ptr<Request>> parts;
};

using Group = std::vector<int>;  // ranks in the world

/// Handles are numbers to some MPIs and pointers to others.
template <class Handle>
std::uintptr_t number_of(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>)
    return reinterpret_cast<std::uintptr_t>(handle);
  else
    return static_cast<std::uintptr_t>(handle);
}

template <class Handle>
Handle handle_of(std::uintptr_t number) {
  if constexpr (std::is_pointer_v<Handle>)
    return reinterpret_cast<Handle>(number);
  else
    return static_cast<Handle>(number);
}

/// Objects by handle.
template <class Handle, class Object>
class Table {
 public:
  Object *add(std::unique_ptr<Object> object, Handle *handle) {
    const std::uintptr_t number = next_++;
    *handle = handle_of<Handle>(number);
    return (objects_[number] = std::move(object)).get();
  }
  Object &at(Handle handle) {
    const auto found = objects_.find(number_of(handle));
    if (found == objects_.end()) forbid("a handle that is none, or was freed");
    return *found->second;
  }
  void remove(Handle handle) { objects_.erase(number_of(handle)); }

 private:
  std::map<std::uintptr_t, std::unique_ptr<Object>> objects_;
  std::uintptr_t next_ = 1 << 16;
};

Table<MPI_Comm, Comm> &comms();
Comm &comm_at(MPI_Comm comm);
Table<MPI_Group, Group> &groups();
Table<MPI_Request, Request> &requests();
Table<MPI_Datatype, std::size_t> &types();  // those that were made, and their bytes

/// This thread's rank in the world, and its random choice, true once in one_in times.
int world_rank();
bool dice(int one_in);

std::size_t bytes_of(MPI_Datatype type);

/// Enters the next meeting of a communicator with some bytes; returns the meeting's number.
std::uint64_t arrive(Comm &comm, const void *data, std::size_t bytes);
/// True once every rank has entered.
bool is_complete(const Comm &comm, std::uint64_t turn);
/// Takes the order of the ranks from first to last, passes the meeting to the caller's function, and leaves it.
void leave(Comm &comm, std::uint64_t turn, int first, int last, const std::function<void(Meeting &)> &take);
/// Waits for all and leaves.
void meet(Inside &inside, Comm &comm, const void *data, std::size_t bytes, int first, int last, const std::function<void(Meeting &)> &take);

/// Starts a request.
void begin(Request &request);
/// True if a request is complete, or can be made so now.
bool try_complete(Request &request);

/// Runs the body once per rank, each in a thread of its own, and returns when all have ended. Within it MPI_COMM_WORLD has that many ranks.
void play(int ranks, unsigned seed, const std::function<void()> &body);

}  // namespace halocline::threads
