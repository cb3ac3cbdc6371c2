// SPDX-License-Identifier: BSD-3-Clause
#include "bench/armci/armci.hpp"

#include <armci.h>
#include <halocline/halocline.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <list>
#include <stdexcept>

#include "bench/armci/calls.hpp"
#include "bench/frame/refusal.hpp"
#include "bench/frame/work.hpp"
#include "bench/rma/backends.hpp"

namespace bench {

namespace {

enum class Move { put, get, acc, add, swap };

/// What an operation moves: `rows` runs of doubles, of which each begins `pitch` doubles behind the one before. One row is contiguous.
struct Shape {
  int rows, length, pitch;
  std::int64_t bytes() const { return 8L * rows * length; }
};

/// The target's rows lie apart as those of a patch in a larger array.
constexpr int kPitch = 1024;
constexpr long kMemory = 8L * kPitch * 512;

class ArmciRace {
 public:
  ArmciRace(MPI_Comm comm, const ArmciOptions &options) : comm_(comm), rank_(rank_of(comm)), target_(size_of(comm) - 1) {
    const int ranks = size_of(comm);
    sides_.emplace_back("halocline", own_armci(), ranks, rank_, kMemory);
    if (!options.against.empty()) sides_.emplace_back("against", loaded_armci(options.against), ranks, rank_, kMemory);
    buffer_.resize(kMemory / 8);
  }

  Operation operation_of(Move move, const Shape &shape) {
    static const char *const names[] = {"put", "get", "accumulate", "fetch-and-add", "swap"};
    std::string name = std::string(names[static_cast<int>(move)]) + (shape.rows > 1 ? ", strided" : "");
    Operation operation{name, shape.bytes(), {}, 1'000'000, "us", shape.rows};
    for (ArmciSide &side : sides_)
      operation.backends.push_back({side.by, [this, &side, move, shape](int count) { return sample(side, move, shape, count); }});
    if (own().calls.same_node(target_) != 0 || target_ == rank_)
      operation.backends.push_back({kLimitBackend, [this, move, shape](int count) { return sample_limit(move, shape, count); }});
    return operation;
  }

  std::list<ArmciSide> &sides() { return sides_; }
  int target() const { return target_; }

 private:
  const ArmciSide &own() const { return sides_.front(); }

  /// `count` operations and a fence by rank 0. The others wait in the barrier of this ARMCI, where they serve rank 0.
  double sample(ArmciSide &side, Move move, const Shape &shape, int count) {
    char *const there = side.memory(target_);
    prepare(side, move, shape);
    meet(comm_);
    double mine = 0;
    if (rank_ == 0) {
      const double begin = MPI_Wtime();
      for (int i = 0; i < count; ++i) carry_out(side.calls, move, shape, there);
      side.calls.fence(target_);
      mine = (MPI_Wtime() - begin) / count * 1e6;
    }
    side.calls.barrier();
    verify(side, move, shape, count);
    return slowest(mine, comm_);
  }

  /// Zeros to which is added, and numbers of this sample in what moves.
  void prepare(ArmciSide &side, Move move, const Shape &shape) {
    ++stamp_;
    if (rank_ == 0) std::fill_n(buffer_.begin(), shape.rows * shape.length, move == Move::get ? 0.0 : move == Move::acc ? 1.0 : stamp_);
    if (rank_ == 0) word_ = move == Move::swap ? static_cast<long>(stamp_) : 0;
    if (rank_ == target_) {
      auto *const doubles = reinterpret_cast<double *>(side.memory(rank_));
      for (int row = 0; row < shape.rows; ++row) std::fill_n(doubles + row * shape.pitch, shape.length, move == Move::get ? stamp_ : 0.0);
      if (move == Move::add || move == Move::swap) std::memset(doubles, 0, 8);
    }
    side.calls.barrier();
  }

  void carry_out(const ArmciCalls &calls, Move move, const Shape &shape, char *there) {
    int here_stride[1] = {8 * shape.length}, there_stride[1] = {8 * shape.pitch}, count[2] = {8 * shape.length, shape.rows};
    double one = 1.0;
    if (move == Move::add) calls.rmw(ARMCI_FETCH_AND_ADD_LONG, &word_, there, 1, target_);
    if (move == Move::swap) calls.rmw(ARMCI_SWAP_LONG, &word_, there, 0, target_);
    if (shape.rows > 1) {
      if (move == Move::put) calls.put_strided(buffer_.data(), here_stride, there, there_stride, count, 1, target_);
      if (move == Move::get) calls.get_strided(there, there_stride, buffer_.data(), here_stride, count, 1, target_);
      if (move == Move::acc) calls.acc_strided(ARMCI_ACC_DBL, &one, buffer_.data(), here_stride, there, there_stride, count, 1, target_);
    } else {
      if (move == Move::put) calls.put(buffer_.data(), there, count[0], target_);
      if (move == Move::get) calls.get(there, buffer_.data(), count[0], target_);
      if (move == Move::acc) calls.acc(ARMCI_ACC_DBL, &one, buffer_.data(), there, count[0], target_);
    }
  }

  /// By processor instructions on the target's memory, which is mapped here.
  double sample_limit(Move move, const Shape &shape, int count) {
    auto *const there = reinterpret_cast<double *>(own().memory(target_));
    meet(comm_);
    double mine = 0;
    if (rank_ == 0) mine = time_calls(count, [&] { move_rows(move, shape, there); });
    return slowest(mine, comm_);
  }

  void move_rows(Move move, const Shape &shape, double *there) {
    if (move == Move::add) word_ = __atomic_fetch_add(reinterpret_cast<long *>(there), 1, __ATOMIC_SEQ_CST);
    if (move == Move::swap) word_ = __atomic_exchange_n(reinterpret_cast<long *>(there), word_, __ATOMIC_SEQ_CST);
    if (move == Move::add || move == Move::swap) return;
    for (int row = 0; row < shape.rows; ++row) {
      double *const here = buffer_.data() + row * shape.length, *const far = there + row * shape.pitch;
      const auto bytes = sizeof(double) * static_cast<std::size_t>(shape.length);
      if (move == Move::put) std::memcpy(far, here, bytes);
      if (move == Move::get) std::memcpy(here, far, bytes);
      if (move == Move::acc)
        for (int i = 0; i < shape.length; ++i) far[i] += here[i];
    }
  }

  void verify(ArmciSide &side, Move move, const Shape &shape, int count) {
    bool right = true;
    const auto are = [&](const double *row, double value) {
      return std::all_of(row, row + shape.length, [&](double x) { return x == value; });
    };
    if (rank_ == 0 && move == Move::get)
      right = are(buffer_.data(), stamp_) && are(buffer_.data() + (shape.rows - 1) * shape.length, stamp_);
    if (rank_ == target_) {
      const auto *const doubles = reinterpret_cast<const double *>(side.memory(rank_));
      const double value = move == Move::acc ? count : stamp_;
      if (move == Move::put || move == Move::acc)
        for (int row = 0; row < shape.rows; ++row) right = right && are(doubles + row * shape.pitch, value);
      long word = 0;
      std::memcpy(&word, doubles, 8);
      if (move == Move::add) right = word == count;
    }
    int wrong = right ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, comm_);
    if (wrong > 0) throw std::runtime_error("wrong data by " + side.by + " in an operation of " + std::to_string(shape.bytes()) + " bytes");
  }

  MPI_Comm comm_;
  int rank_, target_;
  std::list<ArmciSide> sides_;
  std::vector<double> buffer_;
  double stamp_ = 0;
  long word_ = 0;
};

/// The host MPI's window, by the names of its profiling interface.
class HostWindow {
 public:
  explicit HostWindow(MPI_Comm comm) {
    PMPI_Win_allocate(kMemory, 1, MPI_INFO_NULL, comm, &data_, &win_);
    PMPI_Win_lock_all(0, win_);
  }
  HostWindow(const HostWindow &) = delete;
  HostWindow &operator=(const HostWindow &) = delete;
  ~HostWindow() {
    PMPI_Win_unlock_all(win_);
    PMPI_Win_free(&win_);
  }
  MPI_Win win() const { return win_; }

 private:
  void *data_ = nullptr;
  MPI_Win win_ = MPI_WIN_NULL;
};

/// Rank 0 accesses the target's memory while that computes and calls nothing.
class Computing {
 public:
  Computing(MPI_Comm comm, ArmciRace &race, const ArmciOptions &options) : comm_(comm), race_(race), options_(options), host_(comm) {}

  std::vector<ResultRow> measure(std::mt19937_64 &random) {
    std::vector<ResultRow> rows;
    for (const Move move : {Move::put, Move::get, Move::acc, Move::add}) {
      static const char *const names[] = {"put", "get", "accumulate", "fetch-and-add"};
      const std::string name = std::string(names[static_cast<int>(move)]) + " to a target that computes";
      std::vector<std::pair<std::string, std::function<void()>>> contenders;
      for (ArmciSide &side : race_.sides()) contenders.emplace_back(side.by, [this, &side, move] { by_armci(side, move); });
      contenders.emplace_back("host MPI", [this, move] { by_host(move); });
      const std::size_t first = rows.size();
      for (const auto &contender : contenders) rows.push_back({name, contender.first, move == Move::add ? 8 : 4096});
      for (const auto &contender : contenders) round(contender.second);  // not counted
      in_rounds(contenders.size(), options_.repetitions, random,
                [&](std::size_t k) { rows[first + k].samples.push_back(round(contenders[k].second)); });
    }
    return rows;
  }

 private:
  /// Microseconds of the access. The target starts to compute before it, and then waits in the barriers of all.
  double round(const std::function<void()> &access) {
    meet(comm_);
    const int rank = rank_of(comm_);
    double mine = 0;
    if (rank == 0) {
      const double begin = MPI_Wtime();
      access();
      mine = (MPI_Wtime() - begin) * 1e6;
    } else if (rank == race_.target()) {
      work_.compute(work_.steps_for(options_.compute_ms * 1e3));
    }
    for (ArmciSide &side : race_.sides()) side.calls.barrier();
    return slowest(mine, comm_);
  }

  void by_armci(ArmciSide &side, Move move) {
    char *const there = side.memory(race_.target());
    double one = 1;
    if (move == Move::put) side.calls.put(buffer_, there, sizeof buffer_, race_.target());
    if (move == Move::get) side.calls.get(there, buffer_, sizeof buffer_, race_.target());
    if (move == Move::acc) side.calls.acc(ARMCI_ACC_DBL, &one, buffer_, there, sizeof buffer_, race_.target());
    if (move == Move::add) side.calls.rmw(ARMCI_FETCH_AND_ADD_LONG, &word_, there, 1, race_.target());
    side.calls.fence(race_.target());
  }

  void by_host(Move move) {
    const int target = race_.target(), count = sizeof buffer_ / sizeof buffer_[0];
    if (move == Move::put) PMPI_Put(buffer_, count, MPI_DOUBLE, target, 0, count, MPI_DOUBLE, host_.win());
    if (move == Move::get) PMPI_Get(buffer_, count, MPI_DOUBLE, target, 0, count, MPI_DOUBLE, host_.win());
    if (move == Move::acc) PMPI_Accumulate(buffer_, count, MPI_DOUBLE, target, 0, count, MPI_DOUBLE, MPI_SUM, host_.win());
    long one = 1;
    if (move == Move::add) PMPI_Fetch_and_op(&one, &word_, MPI_LONG, target, 0, MPI_SUM, host_.win());
    PMPI_Win_flush(target, host_.win());
  }

  MPI_Comm comm_;
  ArmciRace &race_;
  const ArmciOptions &options_;
  HostWindow host_;
  Work work_;
  double buffer_[512] = {};
  long word_ = 0;
};

std::vector<Operation> operations_of(ArmciRace &race, const std::string &part, const ArmciOptions &options) {
  std::vector<Operation> operations;
  for (const Move move : {Move::put, Move::get, Move::acc}) {
    if (part == "contiguous")
      for (const std::int64_t bytes : options.sizes)
        operations.push_back(race.operation_of(move, {1, static_cast<int>(bytes / 8), kPitch}));
    if (part == "strided")
      for (const int side : {8, 32, 128}) operations.push_back(race.operation_of(move, {side, side, kPitch}));
  }
  if (part == "rmw") operations = {race.operation_of(Move::add, {1, 1, 1}), race.operation_of(Move::swap, {1, 1, 1})};
  return operations;
}

}  // namespace

std::vector<std::string> armci_parts() { return {"contiguous", "strided", "rmw", "computing"}; }

Results run_armci(MPI_Comm comm, const ArmciOptions &options, int argc, char **argv) {
  if (size_of(comm) < 2) throw Refusal("the command armci is for 2 ranks or more");
  const halocline::Context context(comm);
  std::mt19937_64 random(options.seed);
  Results results{"armci", find_environment(context, argc, argv), {}};
  ArmciRace contenders(comm, options);
  for (const std::string &part : options.parts) {
    if (part == "computing") {
      Computing computing(comm, contenders, options);
      for (ResultRow &row : computing.measure(random)) results.rows.push_back(std::move(row));
    }
    for (const Operation &operation : operations_of(contenders, part, options))
      for (ResultRow &row : rows_of(operation, race(operation, options, random))) results.rows.push_back(std::move(row));
  }
  return results;
}

}  // namespace bench
