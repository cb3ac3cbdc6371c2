// SPDX-License-Identifier: BSD-3-Clause
#include "rma.hpp"

#include "json.hpp"

#include <common/handover.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <stdexcept>

namespace bench {

namespace {

/// The calls as the program finds them, or as the host MPI has them.
struct Calls {
  decltype(&MPI_Win_allocate) allocate;
  decltype(&MPI_Win_free) free;
  decltype(&MPI_Put) put;
  decltype(&MPI_Get) get;
  decltype(&MPI_Accumulate) accumulate;
  decltype(&MPI_Fetch_and_op) fetch_and_op;
  decltype(&MPI_Compare_and_swap) compare_and_swap;
  decltype(&MPI_Win_flush) flush;
  decltype(&MPI_Win_lock) lock;
  decltype(&MPI_Win_unlock) unlock;
  decltype(&MPI_Win_lock_all) lock_all;
  decltype(&MPI_Win_unlock_all) unlock_all;
  decltype(&MPI_Win_fence) fence;
  decltype(&MPI_Win_post) post;
  decltype(&MPI_Win_start) start;
  decltype(&MPI_Win_complete) complete;
  decltype(&MPI_Win_wait) wait;
};

/// The host's function: libhalocline_mpi takes both names of its own.
template <class Function>
Function host(Function named, const char *name) {
  Dl_info where{};
  if (dladdr(reinterpret_cast<void *>(&PMPI_Comm_rank), &where) == 0) return named;
  void *const mpi = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  void *const found = mpi ? dlsym(mpi, name) : nullptr;
  return found ? reinterpret_cast<Function>(found) : named;
}
#define HOST(name) host(&PMPI_##name, "PMPI_" #name)

const Calls kLoaded{MPI_Win_allocate,     MPI_Win_free,  MPI_Put,       MPI_Get,          MPI_Accumulate,   MPI_Fetch_and_op,
                    MPI_Compare_and_swap, MPI_Win_flush, MPI_Win_lock,  MPI_Win_unlock,   MPI_Win_lock_all, MPI_Win_unlock_all,
                    MPI_Win_fence,        MPI_Win_post,  MPI_Win_start, MPI_Win_complete, MPI_Win_wait};
const Calls kHost{HOST(Win_allocate),     HOST(Win_free),  HOST(Put),       HOST(Get),          HOST(Accumulate),   HOST(Fetch_and_op),
                  HOST(Compare_and_swap), HOST(Win_flush), HOST(Win_lock),  HOST(Win_unlock),   HOST(Win_lock_all), HOST(Win_unlock_all),
                  HOST(Win_fence),        HOST(Win_post),  HOST(Win_start), HOST(Win_complete), HOST(Win_wait)};

enum : std::size_t { kOurs, kTheirs, kLimit, kSeries };
constexpr std::int64_t kMost = std::int64_t{1} << 20;
constexpr int kBlocks = 16000;

bool is_loaded() {
  Dl_info where{};
  return dladdr(reinterpret_cast<void *>(&MPI_Put), &where) != 0 && where.dli_fname && std::strstr(where.dli_fname, "libhalocline_mpi");
}

/// A window by one set of names, and what rank 0 moves. `kMost` bytes per rank.
struct Side {
  const Calls &calls;
  MPI_Win win = MPI_WIN_NULL;
  char *window = nullptr;
  std::vector<char> buffer = std::vector<char>(kMost);

  Side(const Calls &of, MPI_Comm comm) : calls(of) {
    calls.allocate(kMost, 1, MPI_INFO_NULL, comm, &window, &win);
    std::memset(window, 0, kMost);
  }
  ~Side() { calls.free(&win); }
  Side(const Side &) = delete;
  Side &operator=(const Side &) = delete;
};

/// What is timed: the operation on each side, on rank 0 alone or on all ranks, and what must be true after some of them.
struct Task {
  std::string operation;
  std::int64_t bytes;
  bool all_ranks = false;
  bool in_epoch = true;  // rank 0 is in a lock_all epoch
  std::function<void(Side &)> prepare;  // on all ranks, before a sample; may be empty
  std::function<void(Side &)> call;
  std::function<bool(Side &, std::int64_t done)> right;  // on the target, after `done` calls; on rank 0 too
  std::function<void()> limit;  // empty: the hand-over of a cache line
};

class RmaRace {
 public:
  RmaRace(MPI_Comm comm, const PairOptions &options)
      : comm_(comm),
        options_(options),
        rank_(rank_of(comm)),
        size_(size_of(comm)),
        node_(machine_of(comm)),
        handover_(node_),
        sides_{{{kLoaded, comm}, {kHost, comm}}},
        random_(options.seed) {
    PMPI_Win_allocate_shared(kMost, 1, MPI_INFO_NULL, node_, &near_, &near_win_);
    MPI_Aint bytes = 0;
    int unit = 0;
    PMPI_Win_shared_query(near_win_, (rank_of(node_) + 1) % size_of(node_), &bytes, &unit, &near_);
    MPI_Type_vector(kBlocks, 1, 2, MPI_INT32_T, &vector_);
    MPI_Type_commit(&vector_);
    group_all();
  }
  ~RmaRace() {
    MPI_Group_free(&left_);
    MPI_Group_free(&right_);
    MPI_Type_free(&vector_);
    PMPI_Win_free(&near_win_);
  }
  RmaRace(const RmaRace &) = delete;
  RmaRace &operator=(const RmaRace &) = delete;

  std::vector<RmaRow> run() {
    std::vector<RmaRow> rows;
    for (const Task &task : tasks()) rows.push_back(race(task));
    return rows;
  }

 private:
  using Sides = std::array<Side, 2>;

  void group_all() {
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Comm_group(comm_, &all);
    const int left = (rank_ + size_ - 1) % size_, right = (rank_ + 1) % size_;
    MPI_Group_incl(all, 1, &left, &left_);
    MPI_Group_incl(all, 1, &right, &right_);
    MPI_Group_free(&all);
  }

  std::vector<Task> tasks();
  void add_transfers(std::vector<Task> &tasks);
  void add_atomics(std::vector<Task> &tasks);
  void add_synchronisation(std::vector<Task> &tasks);
  RmaRow race(const Task &task);
  double sample(const Task &task, std::size_t k, int count);
  double time(const Task &task, std::size_t k, int count);
  void verify(const Task &task, Side &side, std::int64_t done);
  int count_for(double us) const {
    return static_cast<int>(std::clamp(std::ceil(options_.sample_ms * 1e3 / std::max(us, 0.01)), 1.0, 1e5));
  }
  int target() const { return size_ - 1; }

  MPI_Comm comm_;
  const PairOptions &options_;
  int rank_, size_;
  const Comm node_;
  Handover handover_;
  Sides sides_;
  MPI_Win near_win_ = MPI_WIN_NULL;
  char *near_ = nullptr;  // memory of another rank of the node
  std::vector<char> plain_ = std::vector<char>(kMost);
  MPI_Datatype vector_ = MPI_DATATYPE_NULL;
  MPI_Group left_ = MPI_GROUP_NULL, right_ = MPI_GROUP_NULL;
  std::mt19937_64 random_;
  char stamp_ = 0;
  std::vector<char> expected_ = std::vector<char>(kMost);
};

char byte_of(char stamp, std::int64_t i) { return static_cast<char>(stamp + i % 113); }

std::vector<Task> RmaRace::tasks() {
  std::vector<Task> all;
  add_transfers(all);
  add_atomics(all);
  add_synchronisation(all);
  return all;
}

void RmaRace::add_transfers(std::vector<Task> &tasks) {
  const auto stamp_source = [this](Side &side) {
    for (std::int64_t i = 0; i < kMost; ++i) side.buffer[static_cast<std::size_t>(i)] = byte_of(stamp_, i);
  };
  const auto stamp_window = [this](Side &side) {
    for (std::int64_t i = 0; i < kMost; ++i) side.window[i] = byte_of(stamp_, i);
    std::fill(side.buffer.begin(), side.buffer.end(), char{0});
  };
  for (const std::int64_t bytes : options_.sizes) {
    const auto count = static_cast<int>(bytes);
    const auto same = [this, bytes](const char *data) {
      for (std::int64_t i = 0; i < bytes; ++i)
        if (data[i] != byte_of(stamp_, i)) return false;
      return true;
    };
    const auto copy = [this, bytes] { std::memcpy(near_, plain_.data(), static_cast<std::size_t>(bytes)); };
    const auto copy_back = [this, bytes] { std::memcpy(plain_.data(), near_, static_cast<std::size_t>(bytes)); };
    tasks.push_back({"put + flush", bytes, false, true, stamp_source,
                     [this, count](Side &s) {
                       s.calls.put(s.buffer.data(), count, MPI_BYTE, target(), 0, count, MPI_BYTE, s.win);
                       s.calls.flush(target(), s.win);
                     },
                     [this, same](Side &s, std::int64_t) { return rank_ != target() || same(s.window); }, copy});
    tasks.push_back({"get + flush", bytes, false, true, stamp_window,
                     [this, count](Side &s) {
                       s.calls.get(s.buffer.data(), count, MPI_BYTE, target(), 0, count, MPI_BYTE, s.win);
                       s.calls.flush(target(), s.win);
                     },
                     [this, same](Side &s, std::int64_t) { return rank_ != 0 || same(s.buffer.data()); }, copy_back});
  }
  const auto strided = [this] {
    for (int i = 0; i < kBlocks; ++i) std::memcpy(near_ + 8 * i, plain_.data() + 8 * i, 4);
  };
  tasks.push_back({"put of 16000 blocks", 4 * kBlocks, false, true, stamp_source,
                   [this](Side &s) {
                     s.calls.put(s.buffer.data(), 1, vector_, target(), 0, 1, vector_, s.win);
                     s.calls.flush(target(), s.win);
                   },
                   [this](Side &s, std::int64_t) {
                     for (std::int64_t i = 0; i < kBlocks && rank_ == target(); ++i)
                       if (s.window[8 * i] != byte_of(stamp_, 8 * i) || s.window[8 * i + 3] != byte_of(stamp_, 8 * i + 3)) return false;
                     return true;
                   },
                   strided});
}

void RmaRace::add_atomics(std::vector<Task> &tasks) {
  const auto clear = [](Side &side) {
    std::memset(side.window, 0, kMost);
    std::fill_n(reinterpret_cast<std::int64_t *>(side.buffer.data()), kMost / 8, std::int64_t{3});
  };
  const auto add_one = [this] { reinterpret_cast<std::atomic<std::int64_t> *>(near_)->fetch_add(1); };
  for (const std::int64_t bytes : {std::int64_t{8}, std::int64_t{65536}}) {
    const auto sums = [this, bytes](Side &s, std::int64_t done) {
      const auto *numbers = reinterpret_cast<const std::int64_t *>(s.window);
      return rank_ != target() || std::all_of(numbers, numbers + bytes / 8, [done](std::int64_t n) { return n == 3 * done; });
    };
    const auto add_all = [this, bytes] {
      auto *numbers = reinterpret_cast<std::atomic<std::int64_t> *>(near_);
      for (std::int64_t i = 0; i < bytes / 8; ++i) numbers[i].fetch_add(3);
    };
    tasks.push_back({"accumulate + flush", bytes, false, true, clear,
                     [this, bytes](Side &s) {
                       const auto count = static_cast<int>(bytes / 8);
                       s.calls.accumulate(s.buffer.data(), count, MPI_INT64_T, target(), 0, count, MPI_INT64_T, MPI_SUM, s.win);
                       s.calls.flush(target(), s.win);
                     },
                     sums, add_all});
  }
  tasks.push_back(
      {"fetch_and_op + flush", 8, false, true, clear,
       [this](Side &s) {
         std::int64_t before = 0;
         s.calls.fetch_and_op(s.buffer.data(), &before, MPI_INT64_T, target(), 0, MPI_SUM, s.win);
         s.calls.flush(target(), s.win);
       },
       [this](Side &s, std::int64_t done) { return rank_ != target() || *reinterpret_cast<std::int64_t *>(s.window) == 3 * done; },
       add_one});
  tasks.push_back({"compare_and_swap + flush", 8, false, true, clear,
                   [this](Side &s) {
                     auto *numbers = reinterpret_cast<std::int64_t *>(s.buffer.data());  // one more than was there, each time
                     numbers[0] = numbers[1] - 2;
                     numbers[2] = numbers[1] - 3;
                     s.calls.compare_and_swap(numbers, numbers + 2, numbers + 3, MPI_INT64_T, target(), 0, s.win);
                     s.calls.flush(target(), s.win);
                     ++numbers[1];
                   },
                   [this](Side &s, std::int64_t done) { return rank_ != target() || *reinterpret_cast<std::int64_t *>(s.window) == done; },
                   add_one});
}

void RmaRace::add_synchronisation(std::vector<Task> &tasks) {
  const auto clear = [](Side &side) { std::memset(side.window, 0, 4096); };
  const auto two_atomics = [this] {
    auto *word = reinterpret_cast<std::atomic<std::int64_t> *>(near_);
    word->fetch_add(1);
    word->fetch_add(-1);
  };
  const auto always = [](Side &, std::int64_t) { return true; };
  for (const bool exclusive : {false, true})
    tasks.push_back({exclusive ? "lock exclusive, unlock" : "lock shared, unlock", 0, false, false, clear,
                     [this, exclusive](Side &s) {
                       s.calls.lock(exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target(), 0, s.win);
                       s.calls.unlock(target(), s.win);
                     },
                     always, two_atomics});
  const auto counted = [](Side &s, std::int64_t done) {
    std::int64_t number = 0;
    std::memcpy(&number, s.window, sizeof number);
    return number == done;
  };
  const auto put_count = [this](Side &s) {
    auto *mine = reinterpret_cast<std::int64_t *>(s.buffer.data());
    ++*mine;
    s.calls.put(mine, 8, MPI_BYTE, (rank_ + 1) % size_, 0, 8, MPI_BYTE, s.win);
  };
  const auto from_zero = [](Side &s) {
    std::memset(s.window, 0, 8);
    std::fill_n(s.buffer.begin(), 8, char{0});
  };
  tasks.push_back({"lock exclusive of one rank by all",
                   8,
                   true,
                   false,
                   from_zero,
                   [](Side &s) {
                     s.calls.lock(MPI_LOCK_EXCLUSIVE, 0, 0, s.win);
                     const std::int64_t one = 1;
                     s.calls.accumulate(&one, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, MPI_SUM, s.win);
                     s.calls.unlock(0, s.win);
                   },
                   [this](Side &s, std::int64_t done) { return rank_ != 0 || *reinterpret_cast<std::int64_t *>(s.window) == done * size_; },
                   {}});
  tasks.push_back({"PSCW, put to the next rank",
                   8,
                   true,
                   false,
                   from_zero,
                   [this, put_count](Side &s) {
                     s.calls.post(left_, 0, s.win);
                     s.calls.start(right_, 0, s.win);
                     put_count(s);
                     s.calls.complete(s.win);
                     s.calls.wait(s.win);
                   },
                   counted,
                   {}});
  tasks.push_back({"fence, put to the next rank",
                   8,
                   true,
                   false,
                   from_zero,
                   [put_count](Side &s) {
                     put_count(s);
                     s.calls.fence(0, s.win);
                   },
                   counted,
                   {}});
}

RmaRow RmaRace::race(const Task &task) {
  RmaRow row{task.operation, task.bytes, {{"loaded", {}}, {"host", {}}, {"limit", {}}}};
  std::array<int, kSeries> counts{};
  for (std::size_t k = 0; k < kSeries; ++k) {
    sample(task, k, 1);
    counts[k] = count_for(sample(task, k, 3));
  }
  for (int round = 0; round < options_.repetitions; ++round) {
    std::array<std::size_t, kSeries> order{kOurs, kTheirs, kLimit};
    std::shuffle(order.begin(), order.end(), random_);
    for (const std::size_t k : order) {
      const double us = sample(task, k, counts[k]);
      row.series[k].samples_us.push_back(us);
      counts[k] = std::min(2 * counts[k], count_for(us));
    }
  }
  std::vector<double> ratios;
  for (RmaSeries &series : row.series) {
    series.median_us = median(series.samples_us);
    series.p10_us = quantile(series.samples_us, 0.1);
    series.p90_us = quantile(series.samples_us, 0.9);
  }
  for (std::size_t i = 0; i < row.series[kOurs].samples_us.size(); ++i)
    ratios.push_back(row.series[kTheirs].samples_us[i] / row.series[kOurs].samples_us[i]);
  row.ratio = row.series[kTheirs].median_us / row.series[kOurs].median_us;
  row.ratio_p10 = quantile(ratios, 0.1);
  row.ratio_p90 = quantile(ratios, 0.9);
  return row;
}

/// `count` calls, and what they must leave. All ranks have the same count: the slowest rank's time decides it.
double RmaRace::sample(const Task &task, std::size_t k, int count) {
  ++stamp_;
  if (k == kLimit && !task.limit) return slowest(handover_.measure(), comm_);
  if (k == kLimit) return slowest(rank_ == 0 ? time(task, k, count) : 0, comm_);
  Side &side = sides_[k];
  const bool fence = task.operation.rfind("fence", 0) == 0;
  if (task.prepare) {
    side.calls.lock(MPI_LOCK_EXCLUSIVE, rank_, 0, side.win);
    task.prepare(side);
    side.calls.unlock(rank_, side.win);
  }
  MPI_Barrier(comm_);
  if (fence) side.calls.fence(MPI_MODE_NOPRECEDE, side.win);
  const bool works = task.all_ranks || rank_ == 0;
  if (task.in_epoch && works) side.calls.lock_all(0, side.win);
  const double mine = works ? time(task, k, count) : 0;
  if (task.in_epoch && works) side.calls.unlock_all(side.win);
  if (fence) side.calls.fence(MPI_MODE_NOSUCCEED, side.win);
  const double us = slowest(mine, comm_);
  verify(task, side, count);
  return us;
}

double RmaRace::time(const Task &task, std::size_t k, int count) {
  const double begin = MPI_Wtime();
  for (int i = 0; i < count; ++i) {
    if (k == kLimit)
      task.limit();
    else
      task.call(sides_[k]);
    asm volatile("" ::: "memory");
  }
  return (MPI_Wtime() - begin) / count * 1e6;
}

void RmaRace::verify(const Task &task, Side &side, std::int64_t done) {
  side.calls.lock(MPI_LOCK_SHARED, rank_, 0, side.win);
  int wrong = task.right(side, done) ? 0 : 1;
  side.calls.unlock(rank_, side.win);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, comm_);
  if (wrong > 0)
    throw std::runtime_error(task.operation + " of " + std::to_string(task.bytes) + " bytes by " +
                             (&side == &sides_[kOurs] ? "MPI_" : "PMPI_") + " names: wrong data on " + std::to_string(wrong) + " rank(s)");
}

}  // namespace

RmaReport run_rma(MPI_Comm comm, const PairOptions &options, int argc, char **argv) {
  RmaReport report;
  const halocline::Context context(comm);
  report.environment = find_environment(context, argc, argv);
  report.loaded = is_loaded();
  if (size_of(comm) < 2) throw std::runtime_error("rma is for 2 ranks or more");
  report.rows = RmaRace(comm, options).run();
  return report;
}

std::string table_of(const RmaReport &report) {
  std::vector<Cells> rows{
      {"operation", "bytes", "halocline us", "spread", "host us", "spread", "host/halocline", "spread", "limit us", "to the limit"}};
  for (const RmaRow &row : report.rows) {
    Cells cells{row.operation, std::to_string(row.bytes)};
    for (const std::size_t k : {kOurs, kTheirs}) {
      cells.push_back(significant(row.series[k].median_us));
      cells.push_back(significant(row.series[k].p10_us) + " - " + significant(row.series[k].p90_us));
    }
    cells.push_back(number(row.ratio, 2));
    cells.push_back(number(row.ratio_p10, 2) + " - " + number(row.ratio_p90, 2));
    cells.push_back(significant(row.series[kLimit].median_us));
    cells.push_back(number(row.series[kOurs].median_us / row.series[kLimit].median_us, 1));
    rows.push_back(cells);
  }
  std::string text = title_of("MPI RMA", report.environment);
  if (!report.loaded) text += "libhalocline_mpi is not loaded: both columns are the host MPI's\n";
  if (report.environment.oversubscribed()) text += "The ranks share cores: all times hold their waiting for one.\n";
  text +=
      "limit: a copy, or the atomic instructions that an operation needs at least, on memory of the same node; where all ranks take part, "
      "the hand-over of a cache line\n";
  return text + "Microseconds of the slowest rank; a ratio above 1: the library is faster\n" + drawn(rows);
}

void write_json(const RmaReport &report, const std::string &path) {
  Json rows = Json::array();
  for (const RmaRow &row : report.rows) {
    Json one = {{"operation", row.operation},
                {"bytes", row.bytes},
                {"ratio", {{"median", row.ratio}, {"p10", row.ratio_p10}, {"p90", row.ratio_p90}}}};
    for (const RmaSeries &series : row.series)
      one[series.name] = {
          {"median_us", series.median_us}, {"p10_us", series.p10_us}, {"p90_us", series.p90_us}, {"samples_us", series.samples_us}};
    rows.push_back(one);
  }
  Json all = opening("rma", report.environment, "");
  all["loaded"] = report.loaded;
  all["operations"] = rows;
  write_file(all, path);
}

}  // namespace bench
