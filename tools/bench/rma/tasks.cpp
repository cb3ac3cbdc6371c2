// SPDX-License-Identifier: BSD-3-Clause
#include "bench/rma/tasks.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace bench {

namespace {

using Tasks = std::vector<RmaTask>;
using Word = std::atomic<std::int64_t>;

std::int64_t *numbers_in(char *memory) { return reinterpret_cast<std::int64_t *>(memory); }

void add_to(Word &word) { word.fetch_add(1); }

/// Both ends of a lock: two atomic instructions.
void lock_and_unlock(Word &word) {
  word.fetch_add(1);
  word.fetch_add(-1);
}

void add_put(RmaRanks &r, std::int64_t bytes, Tasks &tasks) {
  RmaTask task{"transfers", "put + flush", bytes};
  const auto count = static_cast<int>(bytes);
  task.prepare = [&r, bytes](RmaMemory &s) { r.fill(s.buffer.data(), bytes); };
  task.call = [&r, count](RmaSide &s) {
    s.calls.put(s.buffer.data(), count, MPI_BYTE, r.target(), 0, count, MPI_BYTE, s.win);
    s.calls.flush(r.target(), s.win);
  };
  task.engine = [&r, bytes](EngineSide &s) {
    s.segment.put({r.target(), 0}, s.buffer.data(), bytes);
    s.segment.flush(r.target());
  };
  task.right = [&r, bytes](RmaMemory &s, std::int64_t) { return r.rank != r.target() || r.holds(s.window, bytes); };
  task.verified = bytes;
  task.limit = [&r, bytes] { std::memcpy(r.near, r.plain.data(), static_cast<std::size_t>(bytes)); };
  tasks.push_back(task);
}

void add_get(RmaRanks &r, std::int64_t bytes, Tasks &tasks) {
  RmaTask task{"transfers", "get + flush", bytes};
  const auto count = static_cast<int>(bytes);
  task.prepare = [&r, bytes](RmaMemory &s) {
    r.fill(s.window, bytes);
    std::fill_n(s.buffer.begin(), bytes, char{0});
  };
  task.call = [&r, count](RmaSide &s) {
    s.calls.get(s.buffer.data(), count, MPI_BYTE, r.target(), 0, count, MPI_BYTE, s.win);
    s.calls.flush(r.target(), s.win);
  };
  task.engine = [&r, bytes](EngineSide &s) {
    s.segment.get({r.target(), 0}, s.buffer.data(), bytes);
    s.segment.flush(r.target());
  };
  task.right = [&r, bytes](RmaMemory &s, std::int64_t) { return r.rank != 0 || r.holds(s.buffer.data(), bytes); };
  task.verified = bytes;
  task.limit = [&r, bytes] { std::memcpy(r.plain.data(), r.near, static_cast<std::size_t>(bytes)); };
  tasks.push_back(task);
}

/// Zeros in the window, numbers in the buffer.
RmaTask::OnMemory cleared(std::int64_t bytes) {
  return [bytes](RmaMemory &side) {
    std::memset(side.window, 0, static_cast<std::size_t>(bytes));
    std::fill_n(numbers_in(side.buffer.data()), bytes / 8, std::int64_t{3});
  };
}

void add_row(std::int64_t *__restrict to, const std::int64_t *__restrict from, int count) {
  for (int i = 0; i < count; ++i) to[i] += from[i];
}

#ifdef __x86_64__
[[gnu::target("avx2")]] void add_wide_row(std::int64_t *__restrict to, const std::int64_t *__restrict from, int count) {
  for (int i = 0; i < count; ++i) to[i] += from[i];
}
#endif

/// A plain loop, with the wide registers of newer processors where this one has them.
void add_numbers(std::int64_t *to, const std::int64_t *from, int count) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") > 0) return add_wide_row(to, from, count);
#endif
  add_row(to, from, count);
}

/// The limit: of one element an atomic instruction, of more a plain loop between two atomic instructions.
void add_accumulate(RmaRanks &r, std::int64_t bytes, Tasks &tasks) {
  RmaTask task{"atomics", "accumulate + flush", bytes};
  const auto count = static_cast<int>(bytes / 8);
  task.prepare = cleared(bytes);
  task.call = [&r, count](RmaSide &s) {
    s.calls.accumulate(s.buffer.data(), count, MPI_INT64_T, r.target(), 0, count, MPI_INT64_T, MPI_SUM, s.win);
    s.calls.flush(r.target(), s.win);
  };
  task.engine = [&r, count](EngineSide &s) {
    s.segment.accumulate({r.target(), 0}, halocline::Op::sum, numbers_in(s.buffer.data()), count);
    s.segment.flush(r.target());
  };
  task.right = [&r, count](RmaMemory &s, std::int64_t done) {
    const std::int64_t *sums = numbers_in(s.window);
    return r.rank != r.target() || std::all_of(sums, sums + count, [done](std::int64_t n) { return n == 3 * done; });
  };
  task.verified = bytes;
  task.limit = [&r, count] {
    Word &word = *reinterpret_cast<Word *>(r.near);
    if (count == 1) return add_to(word);
    lock_and_unlock(word);
    add_numbers(numbers_in(r.near), numbers_in(r.plain.data()), count);
  };
  tasks.push_back(task);
}

void add_fetch_and_op(RmaRanks &r, Tasks &tasks) {
  RmaTask task{"atomics", "fetch_and_op + flush", 8};
  task.prepare = cleared(64);
  task.call = [&r](RmaSide &s) {
    std::int64_t before = 0;
    s.calls.fetch_and_op(s.buffer.data(), &before, MPI_INT64_T, r.target(), 0, MPI_SUM, s.win);
    s.calls.flush(r.target(), s.win);
  };
  task.engine = [&r](EngineSide &s) { s.segment.fetch_add({r.target(), 0}, *numbers_in(s.buffer.data())); };
  task.right = [&r](RmaMemory &s, std::int64_t done) { return r.rank != r.target() || *numbers_in(s.window) == 3 * done; };
  task.verified = 8;
  task.limit = [&r] { add_to(*reinterpret_cast<Word *>(r.near)); };
  tasks.push_back(task);
}

/// Each call writes one more than was there. The number that is expected is 3 more in the buffer, as it was cleared.
void add_compare_and_swap(RmaRanks &r, Tasks &tasks) {
  RmaTask task{"atomics", "compare_and_swap + flush", 8};
  task.prepare = cleared(64);
  task.call = [&r](RmaSide &s) {
    std::int64_t *mine = numbers_in(s.buffer.data());
    mine[0] = mine[1] - 2;
    mine[2] = mine[1] - 3;
    s.calls.compare_and_swap(mine, mine + 2, mine + 3, MPI_INT64_T, r.target(), 0, s.win);
    s.calls.flush(r.target(), s.win);
    ++mine[1];
  };
  task.engine = [&r](EngineSide &s) {
    std::int64_t *mine = numbers_in(s.buffer.data());
    mine[3] = s.segment.compare_swap({r.target(), 0}, mine[1] - 3, mine[1] - 2);
    ++mine[1];
  };
  task.right = [&r](RmaMemory &s, std::int64_t done) { return r.rank != r.target() || *numbers_in(s.window) == done; };
  task.verified = 8;
  task.limit = [&r] { add_to(*reinterpret_cast<Word *>(r.near)); };
  tasks.push_back(task);
}

void add_lock(RmaRanks &r, int type, Tasks &tasks) {
  RmaTask task{"synchronisation", type == MPI_LOCK_SHARED ? "lock shared, unlock" : "lock exclusive, unlock"};
  task.in_epoch = false;
  task.call = [&r, type](RmaSide &s) {
    s.calls.lock(type, r.target(), 0, s.win);
    s.calls.unlock(r.target(), s.win);
  };
  task.right = [](RmaMemory &, std::int64_t) { return true; };
  task.limit = [&r] { lock_and_unlock(*reinterpret_cast<Word *>(r.near)); };
  tasks.push_back(task);
}

/// Operations of all ranks, which count in the first word of a window.
RmaTask task_of_all(const char *operation, std::int64_t verified) {
  RmaTask task{"synchronisation", operation, 8};
  task.all_ranks = true;
  task.in_epoch = false;
  task.verified = verified;
  task.prepare = [](RmaMemory &s) {
    *numbers_in(s.window) = 0;
    *numbers_in(s.buffer.data()) = 0;
  };
  return task;
}

void add_contended_lock(RmaRanks &r, Tasks &tasks) {
  RmaTask task = task_of_all("lock exclusive of one rank by all", 8);
  task.call = [](RmaSide &s) {
    s.calls.lock(MPI_LOCK_EXCLUSIVE, 0, 0, s.win);
    const std::int64_t one = 1;
    s.calls.accumulate(&one, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, MPI_SUM, s.win);
    s.calls.unlock(0, s.win);
  };
  task.right = [&r](RmaMemory &s, std::int64_t done) { return r.rank != 0 || *numbers_in(s.window) == done * r.size; };
  tasks.push_back(task);
}

void put_count(RmaRanks &r, RmaSide &s) {
  std::int64_t *mine = numbers_in(s.buffer.data());
  ++*mine;
  s.calls.put(mine, 8, MPI_BYTE, r.next(), 0, 8, MPI_BYTE, s.win);
}

bool has_count(RmaMemory &s, std::int64_t done) { return *numbers_in(s.window) == done; }

constexpr int kReady = 0, kArrived = 1, kNotifications = 2;

void take(const halocline::Segment &segment, int id) { segment.reset(segment.wait({id, 1})); }

/// A rank waits for the other's post, and then for its completion: two hand-overs, one after the other.
void add_pscw(RmaRanks &r, Tasks &tasks) {
  RmaTask task = task_of_all("PSCW, put to the next rank", 8 * r.size);
  task.call = [&r](RmaSide &s) {
    s.calls.post(r.left, 0, s.win);
    s.calls.start(r.right, 0, s.win);
    put_count(r, s);
    s.calls.complete(s.win);
    s.calls.wait(s.win);
  };
  task.engine = [&r](EngineSide &s) {
    s.segment.notify(r.previous(), {kReady, 1});
    take(s.segment, kReady);
    std::int64_t *const mine = numbers_in(s.buffer.data());
    ++*mine;
    s.segment.put_notify({r.next(), 0}, mine, 1, {kArrived, 1});
    take(s.segment, kArrived);
    s.segment.flush_local(r.next());
  };
  task.right = has_count;
  task.handovers = 2;
  tasks.push_back(task);
}

void add_fence(RmaRanks &r, Tasks &tasks) {
  RmaTask task = task_of_all("fence, put to the next rank", 8 * r.size);
  task.call = [&r](RmaSide &s) {
    put_count(r, s);
    s.calls.fence(0, s.win);
  };
  task.engine = [&r](EngineSide &s) {
    std::int64_t *const mine = numbers_in(s.buffer.data());
    ++*mine;
    s.segment.put({r.next(), 0}, mine, 1);
    s.segment.flush();
    s.segment.barrier();
  };
  task.right = has_count;
  tasks.push_back(task);
}

// ---- operations of few ranks more

/// Nothing is outstanding: what a flush itself takes.
void add_flush(RmaRanks &r, Tasks &tasks) {
  RmaTask task{"completion", "flush"};
  task.call = [&r](RmaSide &s) { s.calls.flush(r.target(), s.win); };
  task.engine = [&r](EngineSide &s) { s.segment.flush(r.target()); };
  task.right = [](RmaMemory &, std::int64_t) { return true; };
  task.limit = [] { std::atomic_thread_fence(std::memory_order_seq_cst); };
  tasks.push_back(task);
}

void add_lock_all(RmaRanks &r, Tasks &tasks) {
  RmaTask task{"synchronisation", "lock_all, unlock_all"};
  task.in_epoch = false;
  task.call = [](RmaSide &s) {
    s.calls.lock_all(0, s.win);
    s.calls.unlock_all(s.win);
  };
  task.right = [](RmaMemory &, std::int64_t) { return true; };
  task.limit = [&r] { lock_and_unlock(*reinterpret_cast<Word *>(r.near)); };
  tasks.push_back(task);
}

/// Puts that are begun and not completed: what it takes to begin one. A sample has 1000 at most.
void add_rate(RmaRanks &r, std::int64_t bytes, Tasks &tasks) {
  Tasks made;
  add_put(r, bytes, made);
  RmaTask task = made.front();
  task.part = "rate", task.operation = "put, not completed", task.most = 1000;
  const auto count = static_cast<int>(bytes);
  task.call = [&r, count](RmaSide &s) { s.calls.put(s.buffer.data(), count, MPI_BYTE, r.target(), 0, count, MPI_BYTE, s.win); };
  task.engine = [&r, bytes](EngineSide &s) { s.segment.put({r.target(), 0}, s.buffer.data(), bytes); };
  tasks.push_back(task);
}

// ---- all ranks at one target

void add_contended_counter(RmaRanks &r, Tasks &tasks) {
  RmaTask task = task_of_all("fetch_and_op of one rank by all", 8);
  task.part = "contention", task.in_epoch = true, task.handovers = r.size;
  task.prepare = cleared(64);
  task.call = [](RmaSide &s) {
    std::int64_t before = 0;
    s.calls.fetch_and_op(s.buffer.data(), &before, MPI_INT64_T, 0, 0, MPI_SUM, s.win);
    s.calls.flush(0, s.win);
  };
  task.engine = [](EngineSide &s) { s.segment.fetch_add({0, 0}, *numbers_in(s.buffer.data())); };
  task.right = [&r](RmaMemory &s, std::int64_t done) { return r.rank != 0 || *numbers_in(s.window) == 3 * done * r.size; };
  tasks.push_back(task);
}

/// Each rank has a place of its own in the target.
void add_contended_put(RmaRanks &r, Tasks &tasks) {
  constexpr std::int64_t kBytes = 4096;
  if (r.size * kBytes > kOperationBytes) return;
  RmaTask task = task_of_all("put + flush to one rank by all", kBytes * r.size);
  task.part = "contention", task.bytes = kBytes, task.in_epoch = true, task.handovers = r.size;
  task.prepare = [&r](RmaMemory &s) { std::fill_n(s.buffer.begin(), kBytes, static_cast<char>(r.stamp + r.rank)); };
  task.call = [&r](RmaSide &s) {
    s.calls.put(s.buffer.data(), kBytes, MPI_BYTE, 0, r.rank * kBytes, kBytes, MPI_BYTE, s.win);
    s.calls.flush(0, s.win);
  };
  task.engine = [&r](EngineSide &s) {
    s.segment.put({0, r.rank * kBytes}, s.buffer.data(), kBytes);
    s.segment.flush(0);
  };
  task.right = [&r](RmaMemory &s, std::int64_t) {
    for (std::int64_t i = 0; i < r.size * kBytes && r.rank == 0; ++i)
      if (s.window[i] != static_cast<char>(r.stamp + i / kBytes)) return false;
    return true;
  };
  tasks.push_back(task);
}

}  // namespace

RmaSide::RmaSide(const RmaCalls &of, MPI_Comm comm, std::int64_t bytes) : RmaMemory(bytes), calls(of) {
  calls.allocate(bytes, 1, MPI_INFO_NULL, comm, &window, &win);
  std::memset(window, 0, static_cast<std::size_t>(bytes));
}

EngineSide::EngineSide(const halocline::Context &context) : RmaMemory(kOperationBytes), segment(context, kOperationBytes, kNotifications) {
  window = segment.data<char>();
}

void make_type(RmaBlocks &shape) {
  const int words = static_cast<int>(shape.run_bytes / 4);
  MPI_Type_vector(static_cast<int>(shape.count), words, 2 * words, MPI_INT32_T, &shape.type);
  MPI_Type_commit(&shape.type);
}

RmaRanks::RmaRanks(MPI_Comm all, std::int64_t bytes)
    : comm(all), rank(rank_of(all)), size(size_of(all)), node(machine_of(all)), plain(static_cast<std::size_t>(bytes)) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm_group(comm, &group);
  const int before = previous(), after = next();
  MPI_Group_incl(group, 1, &before, &left);
  MPI_Group_incl(group, 1, &after, &right);
  MPI_Group_free(&group);
  for (RmaBlocks &shape : blocks) make_type(shape);
  host_calls().allocate_shared(bytes, 1, MPI_INFO_NULL, node, &near, &near_win);
  MPI_Aint found = 0;
  int unit = 0;
  PMPI_Win_shared_query(near_win, (rank_of(node) + 1) % size_of(node), &found, &unit, &near);
}

RmaRanks::~RmaRanks() {
  host_calls().free(&near_win);
  for (RmaBlocks &shape : blocks) MPI_Type_free(&shape.type);
  MPI_Group_free(&left);
  MPI_Group_free(&right);
}

namespace {

/// Each part's tasks.
void add_part(const std::string &part, RmaRanks &ranks, const std::vector<std::int64_t> &sizes, Tasks &tasks) {
  for (const std::int64_t bytes : part == "transfers" ? sizes : std::vector<std::int64_t>()) {
    add_put(ranks, bytes, tasks);
    add_get(ranks, bytes, tasks);
  }
  for (const std::int64_t bytes : part == "rate" ? sizes : std::vector<std::int64_t>()) add_rate(ranks, bytes, tasks);
  if (part == "blocks") tasks.push_back(put_of_blocks(ranks, ranks.blocks.front()));
  if (part == "datatypes")
    for (const RmaBlocks &shape : ranks.blocks) {
      tasks.push_back(put_of_blocks(ranks, shape));
      tasks.back().operation = "put of blocks";
    }
  if (part == "completion") add_flush(ranks, tasks);
  if (part == "atomics")
    for (const std::int64_t bytes : {std::int64_t{8}, std::int64_t{65536}}) add_accumulate(ranks, bytes, tasks);
  if (part == "atomics" || part == "fetching") {
    add_fetch_and_op(ranks, tasks);
    add_compare_and_swap(ranks, tasks);
  }
  if (part == "accumulate")
    for (const std::int64_t bytes : sizes)
      if (bytes >= 8) add_accumulate(ranks, bytes, tasks);
  if (part == "locks") {
    add_lock_all(ranks, tasks);
    for (const int type : {MPI_LOCK_SHARED, MPI_LOCK_EXCLUSIVE}) add_lock(ranks, type, tasks);
  }
  if (part == "synchronisation") {
    for (const int type : {MPI_LOCK_SHARED, MPI_LOCK_EXCLUSIVE}) add_lock(ranks, type, tasks);
    add_contended_lock(ranks, tasks);
  }
  if (part == "synchronisation" || part == "epochs") {
    add_pscw(ranks, tasks);
    add_fence(ranks, tasks);
  }
  if (part == "contention") {
    add_contended_counter(ranks, tasks);
    add_contended_put(ranks, tasks);
    add_contended_lock(ranks, tasks);
  }
}

}  // namespace

std::vector<RmaTask> rma_tasks(RmaRanks &ranks, const std::vector<std::int64_t> &sizes, const std::vector<std::string> &parts) {
  Tasks all;
  for (const std::string &part : parts) add_part(part, ranks, sizes, all);
  return all;
}

}  // namespace bench
