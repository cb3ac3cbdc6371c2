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
    // Rank 0 says, which makes the operations: all ranks have to run the same rows.
    int is_mapped = own().calls.same_node(target_);
    MPI_Bcast(&is_mapped, 1, MPI_INT, 0, comm_);
    has_limit_ = is_mapped != 0;
  }

  Operation operation_of(Move move, const Shape &shape) {
    static const char *const names[] = {"put", "get", "accumulate", "fetch-and-add", "swap"};
    std::string name = std::string(names[static_cast<int>(move)]) + (shape.rows > 1 ? ", strided" : "");
    Operation operation{name, shape.bytes(), {}, 1'000'000, "us", shape.rows};
    for (ArmciSide &side : sides_)
      operation.backends.push_back({side.by, [this, &side, move, shape](int count) { return sample(side, move, shape, count); }});
    if (has_limit_)
      operation.backends.push_back({kLimitBackend, [this, move, shape](int count) { return sample_limit(move, shape, count); }});
    return operation;
  }

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
  bool has_limit_ = false;  // the target's memory is mapped where the operations are made
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

std::vector<std::string> armci_parts() { return {"contiguous", "strided", "rmw"}; }

Results run_armci(MPI_Comm comm, const ArmciOptions &options, int argc, char **argv) {
  if (size_of(comm) < 2) throw Refusal("the command armci is for 2 ranks or more");
  const halocline::Context context(comm);
  std::mt19937_64 random(options.seed);
  Results results{"armci", find_environment(context, argc, argv), {}};
  ArmciRace contenders(comm, options);
  for (const std::string &part : options.parts)
    for (const Operation &operation : operations_of(contenders, part, options))
      for (ResultRow &row : rows_of(operation, race(operation, options, random))) results.rows.push_back(std::move(row));
  return results;
}

}  // namespace bench
