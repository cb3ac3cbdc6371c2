// Runs rows of the covering array of MPI RMA (covering.py), and compares every byte of windows and buffers with a model. The model does all
// ranks' accesses, one after another. The program knows nothing of Halocline, so the same rows show what an MPI does alone.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "mpi_rma/covering_window.hpp"

namespace covering {
namespace {

constexpr int kRounds = 2;
constexpr int kCalls = 2;  // of each rank and round
constexpr std::ptrdiff_t kGap = 64;  // before and after each place of a window or a buffer
char running[1024] = "the start";

char background(int rank, std::ptrdiff_t at) {
  const auto place = static_cast<unsigned>(at);
  return static_cast<char>(1 + (static_cast<unsigned>(rank) * 31 + place * 7 + (place >> 8) * 3) % 251);
}

Bytes background(int rank, std::ptrdiff_t first, std::ptrdiff_t bytes) {
  Bytes made(static_cast<std::size_t>(bytes));
  for (std::ptrdiff_t i = 0; i < bytes; ++i) made[static_cast<std::size_t>(i)] = background(rank, first + i);
  return made;
}

/// The elements one after another, their gaps 0.
Bytes pack(const Element &element, const Layout &layout, const char *from) {
  Bytes packed(layout.places.size() * static_cast<std::size_t>(element.extent));
  for (std::size_t i = 0; i < layout.places.size(); ++i)
    for (const Part &part : element.parts)
      std::memcpy(packed.data() + static_cast<std::ptrdiff_t>(i) * element.extent + part.offset, from + layout.places[i] + part.offset,
                  part.bytes);
  return packed;
}

void unpack(const Element &element, const Layout &layout, const Bytes &packed, char *to) {
  for (std::size_t i = 0; i < layout.places.size(); ++i)
    for (const Part &part : element.parts)
      std::memcpy(to + layout.places[i] + part.offset, packed.data() + static_cast<std::ptrdiff_t>(i) * element.extent + part.offset,
                  part.bytes);
}

/// Copies the gaps of elements from what is there, where MPI does not say what becomes of them.
void excuse_gaps(const Element &element, const Layout &layout, const char *found, char *expected) {
  if (!element.gaps_may_change) return;
  for (const std::ptrdiff_t place : layout.places) {
    Bytes whole(found + place, found + place + element.extent);
    for (const Part &part : element.parts) std::memcpy(whole.data() + part.offset, expected + place + part.offset, part.bytes);
    std::memcpy(expected + place, whole.data(), whole.size());
  }
}

/// A call of this rank, its buffers, and what it has to fetch.
struct Access {
  std::ptrdiff_t slot = 0;  // in the target's window, in bytes
  Bytes given, result, given_image, result_image, compared;
  MPI_Request request = MPI_REQUEST_NULL;
};

/// A second window, on which each rank puts a number to its target in an epoch around that of the row.
class Other {
 public:
  Other(const Row &row, MPI_Comm comm) : row_(row) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    MPI_Win_allocate(static_cast<MPI_Aint>(sizeof(int)) * size_, sizeof(int), MPI_INFO_NULL, comm, &numbers_, &win_);
    std::fill_n(numbers_, size_, -1);
    MPI_Barrier(comm);
  }
  ~Other() { MPI_Win_free(&win_); }
  Other(const Other &) = delete;
  Other &operator=(const Other &) = delete;

  void begin(int round, int target, const std::vector<int> &origins) {
    number_ = 100 * (round + 1) + rank_;
    epoch_ = std::make_unique<Epoch>(row_, win_, target, origins);
    epoch_->begin();
    MPI_Put(&number_, 1, MPI_INT, target, rank_, 1, MPI_INT, win_);
  }
  void end() {
    epoch_->end();
    epoch_.reset();
  }
  /// After a barrier.
  bool holds(int round, const std::vector<int> &origins) const {
    if (!row_.active()) MPI_Win_lock(MPI_LOCK_SHARED, rank_, 0, win_);
    const bool right =
        std::all_of(origins.begin(), origins.end(), [&](int origin) { return numbers_[origin] == 100 * (round + 1) + origin; });
    if (!row_.active()) MPI_Win_unlock(rank_, win_);
    return right;
  }

 private:
  const Row &row_;
  int rank_ = 0, size_ = 0, number_ = 0;
  int *numbers_ = nullptr;
  MPI_Win win_ = MPI_WIN_NULL;
  std::unique_ptr<Epoch> epoch_;
};

/// One row on one communicator.
class Case {
 public:
  Case(const Row &row, MPI_Comm comm);
  ~Case() = default;
  Case(const Case &) = delete;
  Case &operator=(const Case &) = delete;
  /// The number of wrong values that this rank has found.
  int run();

 private:
  void fill();
  void play(int round);
  void prepare(int round);
  void simulate(int round, int origin, int call);
  void make_given(Access &access, const Bytes &operand) const;
  Bytes operand_of(int round, int origin, int call) const;
  Bytes compared_by(int origin, int call) const;
  void issue(Access &access);
  void issue_single(Access &access, MPI_Aint place);
  void issue_plain(Access &access, MPI_Aint place);
  void issue_with_request(Access &access, MPI_Aint place);
  void wait_for_requests();
  void wait_for_one(MPI_Request &request);
  void wait_for_several(std::vector<MPI_Request> &requests);
  void complete(const Epoch &epoch);
  void read_back();
  void spoil_given();
  void check_results();
  void check_fetched();
  void check_fetched_in_any_order();
  void check_window();
  void look_at_window();
  void compare(const std::string &what, const char *found, const Bytes &expected);
  void wrong(const std::string &what);
  void delay(unsigned salt) const;

  bool moves() const { return op_ == "-" && !row_.is("call", "compare_and_swap"); }
  bool gets() const { return row_.is("call", "get") || row_.is("call", "rget"); }
  bool puts() const { return moves() && !gets(); }
  bool fetches() const { return !puts() && !row_.is("call", "accumulate") && !row_.is("call", "raccumulate"); }
  bool common() const { return row_.is("place", "common"); }
  bool in_order() const { return !common() && !row_.is("info", "any_order"); }
  int target_of(int rank) const;
  std::ptrdiff_t slot_of(int origin, int call) const;
  char *model(int rank, std::ptrdiff_t at) { return model_[static_cast<std::size_t>(rank)].data() + at; }

  const Row &row_;
  MPI_Comm comm_;
  int rank_ = 0, size_ = 0, errors_ = 0;
  const Element &element_;
  const std::string op_;
  const int elements_;
  const Layout from_, at_;
  const std::ptrdiff_t stride_;
  std::vector<Bytes> model_, begun_;  // what each rank's window holds, now and at the beginning of the round
  std::unique_ptr<Window> window_;
  std::unique_ptr<Other> other_;
  std::vector<Access> accesses_;
  std::vector<Bytes> before_;  // what the target's elements held before this rank's calls; before all calls, if all change the same
};

int number_of_elements(const std::string &amount) { return amount == "zero" ? 0 : amount == "one" ? 1 : amount == "several" ? 6 : 600; }

Case::Case(const Row &row, MPI_Comm comm)
    : row_(row),
      comm_(comm),
      element_(element_named(row["basic"])),
      op_(row["op"]),
      elements_(number_of_elements(row["amount"])),
      from_(element_, row["from"], elements_),
      at_(element_, row["at"], elements_),
      stride_(at_.bytes + kGap) {
  MPI_Comm_rank(comm, &rank_);
  MPI_Comm_size(comm, &size_);
  const std::ptrdiff_t bytes = kGap + stride_ * kCalls * size_;
  for (int rank = 0; rank < size_; ++rank) model_.push_back(background(rank, 0, bytes));
  window_ = std::make_unique<Window>(row, comm, bytes);
}

int Case::target_of(int rank) const {
  if (row_.is("target", "proc_null")) return MPI_PROC_NULL;
  if (row_.is("target", "next")) return (rank + 1) % size_;
  return row_.is("target", "self") ? rank : 0;
}

/// Calls that move data have their places; those that change it change the same.
std::ptrdiff_t Case::slot_of(int origin, int call) const {
  return kGap + stride_ * ((common() ? 0 : kCalls * origin) + (moves() ? call : 0));
}

int Case::run() {
  if (const std::string found = window_->inspect(); !found.empty()) wrong(found);
  fill();
  for (int round = 0; round < kRounds; ++round) {
    play(round);
    look_at_window();
    MPI_Barrier(comm_);
    if (round == 0 && row_.is("kind", "dynamic")) window_->move();
  }
  if (!window_->guards_are_whole()) wrong("bytes beside the window have changed");
  other_.reset();
  window_.reset();
  return errors_;
}

/// Before the first round every slot holds numbers.
void Case::fill() {
  for (int rank = 0; rank < size_; ++rank)
    for (int slot = 0; slot < kCalls * size_; ++slot)
      for (std::size_t i = 0; i < at_.places.size(); ++i)
        write_number(element_, model(rank, kGap + stride_ * slot + at_.places[i]),
                     static_cast<unsigned>(3 * rank + 5 * slot) + static_cast<unsigned>(i));
  const Bytes &mine = model_[static_cast<std::size_t>(rank_)];
  window_->store([&] { std::memcpy(window_->data(), mine.data(), mine.size()); });
}

Bytes Case::operand_of(int round, int origin, int call) const {
  Bytes packed(at_.places.size() * static_cast<std::size_t>(element_.extent));
  const int own = common() ? 0 : 5 * origin + (in_order() ? 7 * call : 0);
  for (std::size_t i = 0; i < at_.places.size(); ++i) {
    char *const to = packed.data() + static_cast<std::ptrdiff_t>(i) * element_.extent;
    const unsigned seed = static_cast<unsigned>(13 * round + own + 1) + static_cast<unsigned>(3 * i);
    if (moves())
      write_pattern(element_, to, seed);
    else
      write_operand(element_, op_, to, seed);
  }
  return packed;
}

void Case::make_given(Access &access, const Bytes &operand) const {
  access.given = background(rank_ + 100, 0, from_.bytes + 2 * kGap);
  access.result = access.result_image = background(rank_ + 50, 0, from_.bytes + 2 * kGap);
  unpack(element_, from_, operand, access.given.data() + kGap);
  access.given_image = access.given;
}

/// Makes this rank's calls ready, and lets all ranks' calls change the model.
void Case::prepare(int round) {
  begun_ = model_;
  accesses_.clear();
  accesses_.resize(kCalls);
  before_.clear();
  for (int call = 0; call < kCalls; ++call) {
    Access &access = accesses_[static_cast<std::size_t>(call)];
    access.slot = slot_of(rank_, call);
    make_given(access, operand_of(round, rank_, call));
    access.compared = compared_by(rank_, call);
  }
  for (int origin = 0; origin < size_; ++origin)
    for (int call = 0; call < kCalls; ++call) simulate(round, origin, call);
}

/// MPI_Compare_and_swap expects what the target holds at the beginning of the round.
Bytes Case::compared_by(int origin, int call) const {
  const int target = std::max(target_of(origin), 0);
  return pack(element_, at_, begun_[static_cast<std::size_t>(target)].data() + slot_of(origin, call));
}

void Case::simulate(int round, int origin, int call) {
  const int target = target_of(origin);
  if (target == MPI_PROC_NULL) return;
  char *const slot = model(target, slot_of(origin, call));
  const Bytes held = pack(element_, at_, slot), operand = operand_of(round, origin, call);
  if (origin == rank_ || (common() && !moves())) before_.push_back(held);
  const bool swaps = row_.is("call", "compare_and_swap");
  if (puts() || (swaps && held == compared_by(origin, call))) unpack(element_, at_, operand, slot);
  for (std::size_t i = 0; i < at_.places.size() && !moves() && !swaps; ++i)
    combine(element_, op_, slot + at_.places[i], operand.data() + static_cast<std::ptrdiff_t>(i) * element_.extent);
}

void Case::issue(Access &access) {
  const MPI_Aint place = window_->displacement(target_of(rank_), access.slot + at_.origin);
  if (row_.is("call", "fetch_and_op") || row_.is("call", "compare_and_swap"))
    issue_single(access, place);
  else if (row_["call"][0] == 'r')
    issue_with_request(access, place);
  else
    issue_plain(access, place);
}

void Case::issue_single(Access &access, MPI_Aint place) {
  const char *const given = op_ == "no_op" ? nullptr : access.given.data() + kGap;
  char *const result = access.result.data() + kGap;
  if (row_.is("call", "fetch_and_op"))
    MPI_Fetch_and_op(given, result, element_.type, target_of(rank_), place, op_named(op_), window_->win());
  else
    MPI_Compare_and_swap(given, access.compared.data(), result, element_.type, target_of(rank_), place, window_->win());
}

void Case::issue_plain(Access &access, MPI_Aint place) {
  const std::string &call = row_["call"];
  [[maybe_unused]] const bool large = row_.large();  // where the MPI has large counts
  const bool ignored = op_ == "no_op";
  const int target = target_of(rank_), count = ignored ? 0 : from_.count;
  const char *const given = ignored ? nullptr : access.given.data() + kGap + from_.origin;
  char *const result = access.result.data() + kGap + from_.origin;
  const MPI_Win win = window_->win();
  if (call == "put") COVERING_CALL(large, MPI_Put, given, count, from_.type, target, place, at_.count, at_.type, win);
  if (call == "get") COVERING_CALL(large, MPI_Get, result, count, from_.type, target, place, at_.count, at_.type, win);
  if (call == "accumulate")
    COVERING_CALL(large, MPI_Accumulate, given, count, from_.type, target, place, at_.count, at_.type, op_named(op_), win);
  if (call == "get_accumulate")
    COVERING_CALL(large, MPI_Get_accumulate, given, count, from_.type, result, from_.count, from_.type, target, place, at_.count, at_.type,
                  op_named(op_), win);
}

void Case::issue_with_request(Access &access, MPI_Aint place) {
  const std::string &call = row_["call"];
  [[maybe_unused]] const bool large = row_.large();  // where the MPI has large counts
  const bool ignored = op_ == "no_op";
  const int target = target_of(rank_), count = ignored ? 0 : from_.count;
  const char *const given = ignored ? nullptr : access.given.data() + kGap + from_.origin;
  char *const result = access.result.data() + kGap + from_.origin;
  const MPI_Win win = window_->win();
  MPI_Request *const request = &access.request;
  if (call == "rput") COVERING_CALL(large, MPI_Rput, given, count, from_.type, target, place, at_.count, at_.type, win, request);
  if (call == "rget") COVERING_CALL(large, MPI_Rget, result, count, from_.type, target, place, at_.count, at_.type, win, request);
  if (call == "raccumulate")
    COVERING_CALL(large, MPI_Raccumulate, given, count, from_.type, target, place, at_.count, at_.type, op_named(op_), win, request);
  if (call == "rget_accumulate")
    COVERING_CALL(large, MPI_Rget_accumulate, given, count, from_.type, result, from_.count, from_.type, target, place, at_.count, at_.type,
                  op_named(op_), win, request);
}

/// Beside requests of the host: a message to this rank itself, for others may wait for a lock.
void Case::wait_for_requests() {
  if (row_.is("wait", "-")) return;
  int sent = 11 + rank_, received = 0;
  std::vector<MPI_Request> requests(4, MPI_REQUEST_NULL);
  requests[0] = accesses_[0].request;
  MPI_Irecv(&received, 1, MPI_INT, rank_, 7, comm_, &requests[1]);
  requests[2] = accesses_[1].request;
  MPI_Isend(&sent, 1, MPI_INT, rank_, 7, comm_, &requests[3]);
  const std::string &wait = row_["wait"];
  if (wait == "wait" || wait == "test" || wait == "get_status")
    for (MPI_Request &request : requests) wait_for_one(request);
  else
    wait_for_several(requests);
  if (received != sent) wrong("a message to this rank itself did not arrive");
  if (std::any_of(requests.begin(), requests.end(), [](MPI_Request request) { return request != MPI_REQUEST_NULL; }))
    wrong("a request that is complete is not MPI_REQUEST_NULL");
  if (in_order()) check_fetched();
  spoil_given();
}

void Case::wait_for_one(MPI_Request &request) {
  int done = 0;
  while (row_.is("wait", "test") && !done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  while (row_.is("wait", "get_status") && !done) MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
  if (!row_.is("wait", "test")) MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void Case::wait_for_several(std::vector<MPI_Request> &requests) {
  const std::string &wait = row_["wait"];
  const int count = static_cast<int>(requests.size());
  std::vector<MPI_Status> statuses(requests.size());
  std::vector<int> indices(requests.size());
  int done = 0, index = 0;
  if (wait == "waitall") MPI_Waitall(count, requests.data(), statuses.data());
  while (wait == "testall" && !done) MPI_Testall(count, requests.data(), &done, statuses.data());
  while (wait == "waitany" && index != MPI_UNDEFINED) MPI_Waitany(count, requests.data(), &index, statuses.data());
  while (wait == "waitsome" && done != MPI_UNDEFINED) MPI_Waitsome(count, requests.data(), &done, indices.data(), statuses.data());
  while (wait == "testsome" && done != MPI_UNDEFINED) MPI_Testsome(count, requests.data(), &done, indices.data(), statuses.data());
  while (wait == "testany" && !(done && index == MPI_UNDEFINED)) MPI_Testany(count, requests.data(), &index, &done, statuses.data());
}

/// What completes accesses before the epoch ends.
void Case::complete(const Epoch &epoch) {
  const std::string &done = row_["done"];
  const MPI_Win win = window_->win();
  if (done == "end") return;
  if (done == "flush") MPI_Win_flush(epoch.flushed(), win);
  if (done == "flush_all" || done == "sync") MPI_Win_flush_all(win);
  if (done == "flush_local") MPI_Win_flush_local(epoch.flushed(), win);
  if (done == "flush_local_all") MPI_Win_flush_local_all(win);
  if (in_order()) check_fetched();
  spoil_given();
  if (done == "flush" || done == "flush_all") read_back();
  if (done != "sync") return;
  MPI_Barrier(comm_);
  MPI_Win_sync(win);
  check_window();
  MPI_Barrier(comm_);
}

/// What has been flushed is at the target.
void Case::read_back() {
  const int target = target_of(rank_);
  if (target == MPI_PROC_NULL || common()) return;
  for (const Access &access : accesses_) {
    Bytes found(static_cast<std::size_t>(at_.bytes), 1);
    const char *const slot = model(target, access.slot);
    Bytes expected(slot, slot + at_.bytes);
    MPI_Get(found.data(), static_cast<int>(at_.bytes), MPI_BYTE, target, window_->displacement(target, access.slot),
            static_cast<int>(at_.bytes), MPI_BYTE, window_->win());
    MPI_Win_flush(target, window_->win());
    excuse_gaps(element_, at_, found.data(), expected.data());
    compare("what a flush has completed", found.data(), expected);
  }
}

/// A buffer may be used again once its access is complete here.
void Case::spoil_given() {
  for (Access &access : accesses_) {
    compare("the buffer that a call was given", access.given.data(), access.given_image);
    std::fill(access.given.begin(), access.given.end(), char{0x33});
    access.given_image = access.given;
  }
}

void Case::check_results() {
  if (fetches() && !before_.empty() && !in_order() && !moves()) check_fetched_in_any_order();
  if (in_order() || moves()) check_fetched();
  for (const Access &access : accesses_) compare("the buffer that a call was given", access.given.data(), access.given_image);
}

/// `before_` is what this rank's calls have to fetch.
void Case::check_fetched() {
  for (std::size_t call = 0; call < accesses_.size(); ++call) {
    Access &access = accesses_[call];
    Bytes expected = access.result_image;
    if (fetches() && !before_.empty()) unpack(element_, from_, before_[call], expected.data() + kGap);
    excuse_gaps(element_, from_, access.result.data() + kGap, expected.data() + kGap);
    compare("the result", access.result.data(), expected);
  }
}

/// All calls on the same elements, of all ranks or of this one, have fetched together what the elements held in turn.
void Case::check_fetched_in_any_order() {
  Bytes mine;
  for (const Access &access : accesses_) {
    const Bytes packed = pack(element_, from_, access.result.data() + kGap);
    mine.insert(mine.end(), packed.begin(), packed.end());
  }
  Bytes all = mine;
  const int bytes = static_cast<int>(mine.size());
  if (common()) {
    all.resize(mine.size() * static_cast<std::size_t>(size_));
    MPI_Allgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, comm_);
  }
  const auto extent = static_cast<std::size_t>(element_.extent);
  const std::size_t each = from_.places.size() * extent;
  for (std::size_t at = 0; at < each; at += extent) {
    std::vector<std::string> found, expected;
    for (std::size_t i = 0; i < before_.size(); ++i) found.emplace_back(all.data() + i * each + at, extent);
    for (const Bytes &held : before_) expected.emplace_back(held.data() + at, extent);
    std::sort(found.begin(), found.end());
    std::sort(expected.begin(), expected.end());
    if (found != expected) wrong("element " + std::to_string(at / extent) + ": the calls have fetched other values than it held in turn");
  }
}

void Case::check_window() {
  Bytes expected = model_[static_cast<std::size_t>(rank_)];
  for (int slot = 0; slot < kCalls * size_; ++slot) {
    const std::ptrdiff_t first = kGap + stride_ * slot;
    excuse_gaps(element_, at_, window_->data() + first, expected.data() + first);
  }
  compare("the window of rank " + std::to_string(rank_), window_->data(), expected);
  if (!row_.is("kind", "shared")) return;
  const int next = (rank_ + 1) % size_;
  const char *const memory = window_->shared_memory_of(next);
  if (!memory) return wrong("MPI_Win_shared_query is wrong");
  if (!element_.gaps_may_change) compare("the shared memory of the next rank", memory, model_[static_cast<std::size_t>(next)]);
}

/// After a fence, or a wait, the window may be read at once. After other ranks' locks a lock is needed.
void Case::look_at_window() {
  MPI_Barrier(comm_);
  if (!row_.active()) MPI_Win_lock(MPI_LOCK_SHARED, rank_, 0, window_->win());
  check_window();
  if (!row_.active()) MPI_Win_unlock(rank_, window_->win());
}

void Case::compare(const std::string &what, const char *found, const Bytes &expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (found[i] == expected[i]) continue;
    return wrong("byte " + std::to_string(i) + " of " + what + " is " + std::to_string(found[i]) + ", expected " +
                 std::to_string(expected[i]));
  }
}

void Case::wrong(const std::string &what) {
  if (++errors_ <= 5) std::fprintf(stderr, "rank %d of %d: %s\n  in %s\n", rank_, size_, what.c_str(), row_.line().c_str());
}

void Case::delay(unsigned salt) const {
  if (row_.is("late", "some")) usleep((static_cast<unsigned>(rank_) * 7919 + salt * 104729) % 400);
}

void Case::play(int round) {
  const int target = target_of(rank_);
  std::vector<int> origins;
  for (int origin = 0; origin < size_; ++origin)
    if (target_of(origin) == rank_) origins.push_back(origin);
  prepare(round);
  if (row_.is("windows", "other") && !other_) other_ = std::make_unique<Other>(row_, comm_);
  delay(2 * static_cast<unsigned>(round));
  if (other_) other_->begin(round, target, origins);
  Epoch epoch(row_, window_->win(), target, origins);
  epoch.begin();
  delay(2 * static_cast<unsigned>(round) + 1);
  for (Access &access : accesses_) issue(access);
  wait_for_requests();
  complete(epoch);
  epoch.end();
  if (other_) other_->end();
  check_results();
  MPI_Barrier(comm_);
  if (other_ && !other_->holds(round, origins)) wrong("the other window misses a number");
}

/// The communicators of the rows.
class Communicators {
 public:
  Communicators() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank_, &reversed_);
    MPI_Comm_split(MPI_COMM_WORLD, 2 * rank_ / size_, rank_, &half_);
  }
  ~Communicators() {
    MPI_Comm_free(&half_);
    MPI_Comm_free(&reversed_);
  }
  Communicators(const Communicators &) = delete;
  Communicators &operator=(const Communicators &) = delete;
  MPI_Comm named(const std::string &name) const {
    return name == "world" ? MPI_COMM_WORLD : name == "reversed" ? reversed_ : name == "halves" ? half_ : MPI_COMM_SELF;
  }
  int rank() const { return rank_; }
  int size() const { return size_; }

 private:
  int rank_ = 0, size_ = 0;
  MPI_Comm reversed_ = MPI_COMM_NULL, half_ = MPI_COMM_NULL;
};

/// What the command line asks for.
struct Options {
  const char *file = nullptr;
  std::string nodes = "1";
  std::string number;  // of the only row; empty: all
  bool on_host = false;  // leave out what MPICH 5.0.2 does wrong

  Options(int argc, char **argv) {
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      if (word.rfind("--nodes=", 0) == 0)
        nodes = word.substr(8);
      else if (word.rfind("--row=", 0) == 0)
        number = word.substr(6);
      else if (word == "--host")
        on_host = true;
      else
        file = argv[i];
    }
  }
};

/// See docs/known-mpi-bugs.md: dynamic windows locked with MPI_MODE_NOCHECK, and fetches of pairs with a gap.
bool is_wrong_on_mpich(const Row &row) {
  if (row.is("call", "fetch_and_op") && row.is("basic", "short_int")) return true;
  return row.is("kind", "dynamic") && !row.active() && !row.is("hint", "-");
}

std::vector<Row> read_rows(const Options &options, int ranks) {
  std::vector<Row> rows;
  std::ifstream file(options.file ? options.file : "");
  for (std::string line; std::getline(file, line);) {
    Row row(line);
    const bool wanted =
        options.number.empty() ? row.is("ranks", std::to_string(ranks)) && row.is("nodes", options.nodes) : row.is("row", options.number);
    if (wanted && !(options.on_host && is_wrong_on_mpich(row))) rows.push_back(std::move(row));
  }
  return rows;
}

/// Names the row that hangs, before the test is ended without a message.
void report_hang(int) {
  const char head[] = "hangs in ";
  if (write(STDERR_FILENO, head, sizeof head - 1) < 0 || write(STDERR_FILENO, running, std::strlen(running)) < 0) _exit(1);
  _exit(1);
}

void start_watchdog() {
  const char *const seconds = std::getenv("HALOCLINE_TEST_WATCHDOG");
  if (!seconds) return;
  signal(SIGALRM, report_hang);
  alarm(static_cast<unsigned>(std::atoi(seconds)));
}

int run(int argc, char **argv) {
  const Options options(argc, argv);
  const Communicators comms;
  const std::vector<Row> rows = read_rows(options, comms.size());
  int wrong_rows = 0, number = 0;
  for (const Row &row : rows) {
    std::snprintf(running, sizeof running, "rank %d, the %d. of %zu rows: %s\n", comms.rank(), ++number, rows.size(), row.line().c_str());
    int mine = Case(row, comms.named(row["comm"])).run(), all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    wrong_rows += all > 0 ? 1 : 0;
  }
  if (comms.rank() == 0)
    std::printf("covering: %zu rows on %d ranks, nodes %s%s: %d wrong\n", rows.size(), comms.size(), options.nodes.c_str(),
                MPI_VERSION < 4 ? ", without the functions with large counts, which this MPI lacks" : "", wrong_rows);
  return wrong_rows > 0 || rows.empty() ? 1 : 0;
}

}  // namespace
}  // namespace covering

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  covering::start_watchdog();
  const int result = covering::run(argc, argv);
  MPI_Finalize();
  return result;
}
