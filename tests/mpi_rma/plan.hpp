// Random RMA programs that are valid by construction, and the memory that they must leave. All ranks make the same plan from the same seed,
// so each knows what every operation reads and what every window holds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mpi_rma/random_types.hpp"

namespace random_rma {

enum class Kind : int { put, get, accumulate, get_accumulate, fetch_op, compare_swap, count_ };
enum class Op : int { sum, prod, min, max, band, bor, bxor, land, lor, replace, no_op, count_ };
enum class Sync : int { fence, pscw, lock, lock_all, count_ };
enum class Flavor : int { allocate, create, alloc_mem, shared, dynamic, count_ };

using Memory = std::vector<char>;

struct Operation {
  int id = 0;
  Kind kind = Kind::put;
  bool with_request = false;
  int origin = 0, target = 0;
  Op op = Op::sum;
  std::int64_t place = 0;  // of the target layout's offset 0 in the target's window, in bytes
  Layout at, from;  // in the window, in the origin's buffer: the same number of elements
  std::vector<double> values, compared;  // what the origin gives
  int group = -1;  // of operations on the same elements, if it is atomic
  Memory before;  // what the target's elements held, one after another, if it is `exact`
  bool exact = true;  // false: other ranks change the same elements concurrently
};

/// Elements that their owner stores before the epoch.
struct Store {
  int target = 0;
  std::int64_t place = 0;
  Layout at;
  std::vector<double> values;
};

struct Phase {
  std::vector<Operation> operations;
};

struct Epoch {
  Sync sync = Sync::fence;
  std::vector<Store> stores;
  std::vector<Phase> phases;  // fence: between two fences; lock_all: between flushes and a barrier
};

struct Options {
  std::uint64_t seed = 1;
  int windows = 4;  // one after another
  int epochs = 6;  // of each window
  int operations = 24;  // of each phase
  int flavor = -1, sync = -1;  // -1: at random
  int conflict = 0;  // 1: in each window one put is done twice, which no rule allows
  int delay_us = 0;  // the longest of the random delays of a rank
};

/// The life of one window.
class Plan {
 public:
  Plan(const Options &options, int ranks, int window);

  Flavor flavor() const { return flavor_; }
  int disp_unit() const { return disp_unit_; }
  std::int64_t bytes_of(int rank) const { return static_cast<std::int64_t>(memory_[static_cast<std::size_t>(rank)].size()); }
  /// Makes the next epoch. `memory` becomes what the windows hold after it.
  Epoch next();
  const Memory &memory(int rank) const { return memory_[static_cast<std::size_t>(rank)]; }

 private:
  /// Elements that are accumulated in this phase: one operation for all, by one rank or, where the order does not matter, by several.
  struct Group {
    int target = 0, origin = 0;
    Op op = Op::sum;
    bool swaps = false;  // compare_swap: not to be mixed with others
    std::int64_t place = 0;
    Layout at;
    bool shared = false;
  };

  void fill_phase(Epoch &epoch, bool first);
  bool add(Epoch &epoch, Phase &phase, bool first);
  bool place(Operation &operation, const std::vector<char> &allowed);
  bool join(Operation &operation);
  void claim(const Operation &operation, char tag);
  void open_group(Epoch &epoch, Operation &operation);
  void simulate(Epoch &epoch);
  void simulate(Operation &operation);
  char *address(int rank, std::int64_t offset) { return memory_[static_cast<std::size_t>(rank)].data() + offset; }

  Options options_;
  int ranks_;
  Random random_;
  Flavor flavor_ = Flavor::allocate;
  int disp_unit_ = 1;
  std::vector<Memory> memory_;
  std::vector<std::vector<char>> tags_;  // of each byte in this phase: free, read, written
  std::vector<Group> groups_;
  int last_id_ = 0;
};

void write_number(char *to, Basic basic, double value);
double read_number(const char *from, Basic basic);
bool is_integer(Basic basic);
std::string describe(const Operation &operation);
const char *name_of(Kind kind);
const char *name_of(Op op);
const char *name_of(Sync sync);
const char *name_of(Flavor flavor);

}  // namespace random_rma
