// Plays random RMA programs and compares windows and results with what the plan says. It uses nothing but MPI, so that it runs on any
// implementation of MPI-3 RMA. Compiled with RANDOM_RMA_NOTIFIED it makes some accesses by halocline/mpix.h (notices.hpp).
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <set>
#include <string>

#include "mpi_rma/notices.hpp"
#include "mpi_rma/plan.hpp"

namespace random_rma {
namespace {

constexpr char kMark = 0x5a;

/// A window of one of the flavours, and its memory.
class Window {
 public:
  Window(const Plan &plan, MPI_Comm comm);
  ~Window();
  Window(const Window &) = delete;
  Window &operator=(const Window &) = delete;

  operator MPI_Win() const { return win_; }
  char *data() const { return data_; }
  /// The displacement of byte `offset` of a rank's part.
  MPI_Aint displacement(int rank, std::int64_t offset) const {
    if (flavor_ == Flavor::dynamic) return MPI_Aint_add(bases_[static_cast<std::size_t>(rank)], static_cast<MPI_Aint>(offset));
    return static_cast<MPI_Aint>(offset) / disp_unit_;
  }

 private:
  void attach(MPI_Aint bytes, MPI_Comm comm);

  Flavor flavor_;
  int disp_unit_;
  MPI_Win win_ = MPI_WIN_NULL;
  char *data_ = nullptr;
  std::vector<char> own_;
  std::vector<MPI_Aint> bases_;
};

Window::Window(const Plan &plan, MPI_Comm comm) : flavor_(plan.flavor()), disp_unit_(plan.disp_unit()) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const auto bytes = static_cast<MPI_Aint>(plan.bytes_of(rank));
  if (flavor_ == Flavor::allocate) MPI_Win_allocate(bytes, disp_unit_, MPI_INFO_NULL, comm, &data_, &win_);
  if (flavor_ == Flavor::shared) MPI_Win_allocate_shared(bytes, disp_unit_, MPI_INFO_NULL, comm, &data_, &win_);
  if (flavor_ == Flavor::create || flavor_ == Flavor::dynamic) {
    own_.resize(static_cast<std::size_t>(bytes) + 16);
    data_ = own_.data() + (16 - reinterpret_cast<std::uintptr_t>(own_.data()) % 16) % 16 + (plan.bytes_of(0) % 16 == 0 ? 0 : 8);
  }
  if (flavor_ == Flavor::alloc_mem) MPI_Alloc_mem(bytes, MPI_INFO_NULL, &data_);
  if (flavor_ == Flavor::create || flavor_ == Flavor::alloc_mem) MPI_Win_create(data_, bytes, disp_unit_, MPI_INFO_NULL, comm, &win_);
  if (flavor_ == Flavor::dynamic) attach(bytes, comm);
}

void Window::attach(MPI_Aint bytes, MPI_Comm comm) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &win_);
  if (bytes > 0) MPI_Win_attach(win_, data_, bytes);
  MPI_Aint base = 0;
  MPI_Get_address(data_, &base);
  bases_.resize(static_cast<std::size_t>(ranks));
  MPI_Allgather(&base, 1, MPI_AINT, bases_.data(), 1, MPI_AINT, comm);
}

Window::~Window() {
  MPI_Win_free(&win_);
  if (flavor_ == Flavor::alloc_mem) MPI_Free_mem(data_);
}

MPI_Op handle_of(Op op) {
  const MPI_Op handles[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_LAND, MPI_LOR, MPI_REPLACE, MPI_NO_OP};
  return handles[static_cast<std::size_t>(op)];
}

/// The buffers of an operation, which stay until its epoch ends.
struct Buffers {
  const Operation &operation;
  Memory origin, result;
  char compare[8] = {};

  explicit Buffers(const Operation &of)
      : operation(of), origin(static_cast<std::size_t>(of.from.bytes), kMark), result(static_cast<std::size_t>(of.from.bytes), kMark) {
    for (std::size_t i = 0; i < of.values.size(); ++i) write_number(origin.data() + of.from.offsets[i], of.from.basic, of.values[i]);
    write_number(compare, of.from.basic, of.compared[0]);
  }
  char *given() { return origin.data() + operation.from.origin; }
  char *fetched() { return result.data() + operation.from.origin; }
};

/// Calls that were told of conflicting accesses.
int conflicts_found = 0;

void count_conflict(MPI_Win *, int *code, ...) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(*code, &error_class);
  conflicts_found += error_class == MPI_ERR_RMA_CONFLICT ? 1 : 100;
}

MPI_Errhandler counting_handler() {
  static MPI_Errhandler made = MPI_ERRHANDLER_NULL;
  if (made == MPI_ERRHANDLER_NULL) MPI_Win_create_errhandler(count_conflict, &made);
  return made;
}

class Player {
 public:
  Player(const Options &options, MPI_Comm comm) : options_(options), comm_(comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &ranks_);
    random_.seed(options.seed * 31 + static_cast<std::uint64_t>(rank_));
  }

  /// The number of wrong values that this rank has found.
  int play(int number);

 private:
  void play(const Epoch &epoch);
  void fence(const Epoch &epoch);
  void pscw(const Epoch &epoch);
  void lock(const Epoch &epoch);
  void lock_all(const Epoch &epoch);
  void start(const Operation &operation, bool is_repeated = false);
  void choose_conflict(const Epoch &epoch);
  void expect_conflict();
  void issue(Buffers &buffers, MPI_Datatype from, MPI_Datatype at, MPI_Aint place);
  void issue_with_request(Buffers &buffers, MPI_Datatype from, MPI_Datatype at, MPI_Aint place);
  void await_notices(const std::vector<Operation> &operations);
  void wait_for_requests();
  void finish_operations();
  void look_at_window();
  void store(const Epoch &epoch);
  void delay();
  void wrong(const std::string &what);
  MPI_Group group_of(const std::set<int> &ranks) const;

  Options options_;
  MPI_Comm comm_;
  int rank_ = 0, ranks_ = 0, errors_ = 0, window_number_ = 0;
  int conflict_ = 0;  // the put that is done twice, the same on all ranks; 0: there is none so far
  Random random_;
  Sync epoch_ = Sync::fence;
  Plan *plan_ = nullptr;
  Window *window_ = nullptr;
  std::deque<Buffers> buffers_;
  std::vector<MPI_Request> requests_;
  Notices notices_;
  std::string where_;
};

int Player::play(int number) {
  Plan plan(options_, ranks_, number);
  Window window(plan, comm_);
  plan_ = &plan;
  window_ = &window;
  conflict_ = 0;
  if (options_.conflict) MPI_Win_set_errhandler(window, counting_handler());
  notices_.open(window, rank_, ranks_);
  window_number_ = number;
  if (plan.bytes_of(rank_) > 0) std::memcpy(window.data(), plan.memory(rank_).data(), plan.memory(rank_).size());
  for (int i = 0; i < options_.epochs; ++i) {
    const Epoch epoch = plan.next();
    where_ = "seed " + std::to_string(options_.seed) + ", window " + std::to_string(number) + " (" + name_of(plan.flavor()) + ", unit " +
             std::to_string(plan.disp_unit()) + "), epoch " + std::to_string(i) + " (" + name_of(epoch.sync) + ")";
    if (std::getenv("RANDOM_RMA_VERBOSE") && rank_ == 0) std::fprintf(stderr, "%s\n", where_.c_str());
    store(epoch);
    if (options_.conflict && conflict_ == 0) choose_conflict(epoch);
    play(epoch);
    // The ends of fence and of post and start say that all has arrived here; locks of others say nothing.
    if (epoch.sync == Sync::lock || epoch.sync == Sync::lock_all) MPI_Barrier(comm_);
    look_at_window();
  }
  if (conflict_ > 0) expect_conflict();
  return errors_;
}

/// The first put of the first phase.
void Player::choose_conflict(const Epoch &epoch) {
  for (const Operation &operation : epoch.phases[0].operations)
    if (operation.kind == Kind::put && conflict_ == 0) conflict_ = operation.id;
}

/// Exactly one call of all ranks has found it.
void Player::expect_conflict() {
  int found = conflicts_found, all = 0;
  MPI_Allreduce(&found, &all, 1, MPI_INT, MPI_SUM, comm_);
  conflicts_found = 0;
  if (all != 1 && rank_ == 0) wrong("operation " + std::to_string(conflict_) + " is done twice: " + std::to_string(all) + " calls said so");
}

/// Local loads and stores are done under a lock of this rank alone, between barriers: right in either memory model.
void Player::store(const Epoch &epoch) {
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank_, 0, *window_);
  for (const Store &store : epoch.stores)
    for (std::size_t i = 0; i < store.values.size() && store.target == rank_; ++i)
      write_number(window_->data() + store.place + store.at.offsets[i], store.at.basic, store.values[i]);
  MPI_Win_unlock(rank_, *window_);
  MPI_Barrier(comm_);
}

void Player::look_at_window() {
  const Memory &expected = plan_->memory(rank_);
  MPI_Win_lock(MPI_LOCK_SHARED, rank_, 0, *window_);
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (window_->data()[i] != expected[i]) {
      wrong("byte " + std::to_string(i) + " of the window of rank " + std::to_string(rank_) + " is " + std::to_string(window_->data()[i]) +
            ", expected " + std::to_string(expected[i]));
      break;
    }
  MPI_Win_unlock(rank_, *window_);
  MPI_Barrier(comm_);
}

void Player::play(const Epoch &epoch) {
  buffers_.clear();
  epoch_ = epoch.sync;
  if (epoch.sync == Sync::fence) fence(epoch);
  if (epoch.sync == Sync::pscw) pscw(epoch);
  if (epoch.sync == Sync::lock) lock(epoch);
  if (epoch.sync == Sync::lock_all) lock_all(epoch);
}

void Player::fence(const Epoch &epoch) {
  MPI_Win_fence(chance(random_, 0) ? 0 : MPI_MODE_NOPRECEDE, *window_);
  for (std::size_t i = 0; i < epoch.phases.size(); ++i) {
    for (const Operation &operation : epoch.phases[i].operations) {
      if (operation.origin == rank_) start(operation);
      // Another rank does it as well. In other epochs it is the same rank, as those of two ranks need not meet.
      if (operation.id == conflict_ && (operation.origin + 1) % ranks_ == rank_) start(operation);
    }
    delay();
    await_notices(epoch.phases[i].operations);
    MPI_Win_fence(i + 1 == epoch.phases.size() ? MPI_MODE_NOSUCCEED : 0, *window_);
  }
  finish_operations();
}

MPI_Group Player::group_of(const std::set<int> &ranks) const {
  MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
  const std::vector<int> list(ranks.begin(), ranks.end());
  MPI_Comm_group(comm_, &all);
  MPI_Group_incl(all, static_cast<int>(list.size()), list.data(), &some);
  MPI_Group_free(&all);
  return some;
}

void Player::pscw(const Epoch &epoch) {
  std::set<int> targets, origins;
  for (const Operation &operation : epoch.phases[0].operations) {
    if (operation.origin == rank_) targets.insert(operation.target);
    if (operation.target == rank_) origins.insert(operation.origin);
  }
  MPI_Group to = group_of(targets), from = group_of(origins);
  MPI_Win_post(from, 0, *window_);
  delay();
  MPI_Win_start(to, 0, *window_);
  for (const Operation &operation : epoch.phases[0].operations)
    if (operation.origin == rank_) start(operation);
  await_notices(epoch.phases[0].operations);
  MPI_Win_complete(*window_);
  finish_operations();
  if (chance(random_, 50))
    MPI_Win_wait(*window_);
  else
    for (int done = 0; !done;) MPI_Win_test(*window_, &done);
  MPI_Group_free(&to);
  MPI_Group_free(&from);
}

/// An epoch for each operation, or for some that follow each other with the same target.
void Player::lock(const Epoch &epoch) {
  int locked = -1;
  const auto unlock = [&] {
    wait_for_requests();
    if (locked >= 0) MPI_Win_unlock(locked, *window_);
    locked = -1;
    finish_operations();
  };
  for (const Operation &operation : epoch.phases[0].operations) {
    if (operation.origin != rank_) continue;
    if (locked != operation.target || chance(random_, 50)) {
      unlock();
      delay();
      locked = operation.target;
      MPI_Win_lock(chance(random_, 40) ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, locked, 0, *window_);
    }
    start(operation);
  }
  unlock();
  await_notices(epoch.phases[0].operations);
}

void Player::lock_all(const Epoch &epoch) {
  MPI_Win_lock_all(0, *window_);
  for (const Phase &phase : epoch.phases) {
    for (const Operation &operation : phase.operations) {
      if (operation.origin != rank_) continue;
      start(operation);
      if (chance(random_, 15)) MPI_Win_flush(operation.target, *window_);
      if (chance(random_, 10)) MPI_Win_flush_local_all(*window_);
    }
    wait_for_requests();
    await_notices(phase.operations);
    MPI_Win_flush_all(*window_);
    finish_operations();
    delay();
    MPI_Barrier(comm_);
  }
  MPI_Win_unlock_all(*window_);
}

void Player::start(const Operation &operation, bool is_repeated) {
  buffers_.emplace_back(operation);
  const Datatype from(operation.from), at(operation.at);
  const MPI_Aint place = window_->displacement(operation.target, operation.place + operation.at.origin);
  if (operation.with_request)
    issue_with_request(buffers_.back(), from, at, place);
  else
    issue(buffers_.back(), from, at, place);
  if (operation.id == conflict_ && epoch_ != Sync::fence && !is_repeated) start(operation, true);
  if (chance(random_, 10)) MPI_Put(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, 0, MPI_INT, *window_);
}

void Player::issue(Buffers &buffers, MPI_Datatype from, MPI_Datatype at, MPI_Aint place) {
  const Operation &operation = buffers.operation;
  const int target = operation.target, count = operation.from.count, at_count = operation.at.count;
  const MPI_Op op = handle_of(operation.op);
  char *given = buffers.given(), *fetched = buffers.fetched();
  if (notices_.issue(operation, {operation.kind == Kind::get ? fetched : given, from, at, place, op})) return;
  switch (operation.kind) {
    case Kind::put: MPI_Put(given, count, from, target, place, at_count, at, *window_); return;
    case Kind::get: MPI_Get(fetched, count, from, target, place, at_count, at, *window_); return;
    case Kind::accumulate: MPI_Accumulate(given, count, from, target, place, at_count, at, op, *window_); return;
    case Kind::get_accumulate:
      MPI_Get_accumulate(given, count, from, fetched, count, from, target, place, at_count, at, op, *window_);
      return;
    case Kind::fetch_op: MPI_Fetch_and_op(given, fetched, at, target, place, op, *window_); return;
    default: MPI_Compare_and_swap(given, buffers.compare, fetched, at, target, place, *window_);
  }
}

void Player::issue_with_request(Buffers &buffers, MPI_Datatype from, MPI_Datatype at, MPI_Aint place) {
  const Operation &operation = buffers.operation;
  const int target = operation.target, count = operation.from.count, at_count = operation.at.count;
  const MPI_Op op = handle_of(operation.op);
  char *given = buffers.given(), *fetched = buffers.fetched();
  requests_.push_back(MPI_REQUEST_NULL);
  MPI_Request *request = &requests_.back();
  switch (operation.kind) {
    case Kind::put: MPI_Rput(given, count, from, target, place, at_count, at, *window_, request); return;
    case Kind::get: MPI_Rget(fetched, count, from, target, place, at_count, at, *window_, request); return;
    case Kind::accumulate: MPI_Raccumulate(given, count, from, target, place, at_count, at, op, *window_, request); return;
    default: MPI_Rget_accumulate(given, count, from, fetched, count, from, target, place, at_count, at, op, *window_, request);
  }
}

/// Before the epoch ends: notifications need none of its calls.
void Player::await_notices(const std::vector<Operation> &operations) {
  const std::string fault = notices_.await(operations, window_->data(), random_);
  if (!fault.empty()) wrong(fault);
}

/// Waits by one of several calls, together with requests of the host MPI.
void Player::wait_for_requests() {
  if (requests_.empty()) return;
  int sent = 1, received = 0;
  requests_.resize(requests_.size() + 2);
  MPI_Irecv(&received, 1, MPI_INT, rank_, 7, comm_, &requests_[requests_.size() - 2]);
  MPI_Isend(&sent, 1, MPI_INT, rank_, 7, comm_, &requests_.back());
  const int count = static_cast<int>(requests_.size());
  const std::int64_t way = pick(random_, 0, 2);
  int done = 0, index = 0;
  if (way == 0) MPI_Waitall(count, requests_.data(), MPI_STATUSES_IGNORE);
  while (way == 1 && !done) MPI_Testall(count, requests_.data(), &done, MPI_STATUSES_IGNORE);
  for (int i = 0; way == 2 && i < count; ++i) MPI_Waitany(count, requests_.data(), &index, MPI_STATUS_IGNORE);
  if (received != 1) wrong("a message to myself did not arrive");
  requests_.clear();
}

/// Compares what completed operations have fetched, and what they were given.
void Player::finish_operations() {
  for (Buffers &buffers : buffers_) {
    const Operation &operation = buffers.operation;
    const bool fetches = operation.kind != Kind::put && operation.kind != Kind::accumulate;
    const auto size = static_cast<std::size_t>(bytes_of(operation.from.basic));
    Memory expected(buffers.result.size(), kMark);
    for (std::size_t i = 0; i < operation.values.size(); ++i) {
      const auto at = static_cast<std::size_t>(operation.from.offsets[i]);
      const char *right = operation.exact ? operation.before.data() + i * size : buffers.result.data() + at;
      if (fetches) std::memcpy(expected.data() + at, right, size);
    }
    const auto differs = std::mismatch(expected.begin(), expected.end(), buffers.result.begin());
    if (differs.first != expected.end())
      wrong(describe(operation) + ": byte " + std::to_string(differs.first - expected.begin()) + " of the result is " +
            std::to_string(*differs.second) + ", expected " + std::to_string(*differs.first));
  }
  buffers_.clear();
}

void Player::delay() {
  if (options_.delay_us > 0 && chance(random_, 50)) usleep(static_cast<useconds_t>(pick(random_, 0, options_.delay_us)));
}

void Player::wrong(const std::string &what) {
  if (++errors_ <= 5) std::fprintf(stderr, "%s: %s\n", where_.c_str(), what.c_str());
}

std::int64_t number_after(const char *text, const char *option) {
  const std::size_t length = std::strlen(option);
  return std::strncmp(text, option, length) == 0 ? std::atoll(text + length) : -1;
}

Options read_options(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const auto set = [&](const char *option, auto &value) {
      if (const std::int64_t number = number_after(argv[i], option); number >= 0)
        value = static_cast<std::decay_t<decltype(value)>>(number);
    };
    set("--seed=", options.seed);
    set("--windows=", options.windows);
    set("--epochs=", options.epochs);
    set("--operations=", options.operations);
    set("--flavor=", options.flavor);
    set("--sync=", options.sync);
    set("--delay-us=", options.delay_us);
    set("--conflict=", options.conflict);
  }
  return options;
}

/// Every second seed: the ranks in reverse order, in a communicator of their own.
MPI_Comm make_communicator(std::uint64_t seed) {
  int rank = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, 0, seed % 2 == 0 ? -rank : rank, &comm);
  return comm;
}

int run(int argc, char **argv) {
  const Options options = read_options(argc, argv);
  MPI_Comm comm = make_communicator(options.seed);
  int mine = 0, all = 0, rank = 0;
  Player player(options, comm);
  for (int window = 0; window < options.windows; ++window) mine = player.play(window);
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, comm);
  MPI_Comm_rank(comm, &rank);
  if (rank == 0)
    std::printf("random_rma: seed %llu, %d windows of %d epochs: %d wrong values\n", static_cast<unsigned long long>(options.seed),
                options.windows, options.epochs, all);
  MPI_Comm_free(&comm);
  return all == 0 ? 0 : 1;
}

}  // namespace
}  // namespace random_rma

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const int result = random_rma::run(argc, argv);
  MPI_Finalize();
  return result;
}
