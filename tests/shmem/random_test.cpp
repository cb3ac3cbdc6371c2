// Random programs against a serial oracle: every PE works out what all of them do, and compares its memory after each phase. In a phase each
// word is accessed by one operation.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <random>
#include <vector>

#include "core_test.hpp"

namespace halocline::test {
namespace {

constexpr std::size_t per_pe = 512;
std::uint64_t static_words[per_pe];

/// An operation of one PE on words of another one.
struct Operation {
  enum class Kind { put, put_nbi, put_one, strided, signalled, get, add, increment, swap, exclusive_or, count };
  Kind kind;
  int origin, target;
  std::size_t first, count, stride;
  std::uint64_t value;
};

/// What all PEs have in one of the two symmetric arrays.
using Memory = std::vector<std::vector<std::uint64_t>>;

class Program {
 public:
  Program(std::uint64_t seed, bool heap, std::uint64_t *words)
      : random_(seed),
        what_(heap ? "heap" : "static"),
        words_(words),
        expected_(static_cast<std::size_t>(size()), std::vector<std::uint64_t>(per_pe)) {
    std::fill_n(words, per_pe, 0);
    meet();
  }

  /// One phase: every PE does its operations in the order of the list; then all compare.
  void run_phase(int phase) {
    std::vector<std::vector<char>> taken(static_cast<std::size_t>(size()), std::vector<char>(per_pe));
    for (int i = 0; i < 30; ++i) {
      const Operation operation = choose(taken);
      if (operation.count == 0) continue;
      if (operation.origin == rank()) do_it(operation);
      expect(operation);
    }
    if (phase % 3 == 0)
      shmem_barrier_all();
    else
      meet();
    for (std::size_t i = 0; i < per_pe; ++i)
      ASSERT_EQ(words_[i], expected_[static_cast<std::size_t>(rank())][i])
          << what_ << ", word " << i << ", phase " << phase << ": HALOCLINE_TEST_SEED=" << seed();
    meet();
  }

 private:
  std::size_t pick(std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_); }

  /// Words that no other operation of the phase uses; count is 0 if there are none at the chosen place.
  Operation choose(std::vector<std::vector<char>> &taken) {
    Operation operation{static_cast<Operation::Kind>(pick(static_cast<std::size_t>(Operation::Kind::count))),
                        static_cast<int>(pick(static_cast<std::size_t>(size()))),
                        static_cast<int>(pick(static_cast<std::size_t>(size()))),
                        pick(per_pe - 1),
                        1 + pick(40),
                        1,
                        random_() | 1};
    using Kind = Operation::Kind;
    if (operation.kind == Kind::strided) operation.stride = 1 + pick(4);
    if (operation.kind == Kind::put_one || operation.kind >= Kind::add) operation.count = 1;
    const std::size_t words = (operation.count - 1) * operation.stride + 1 + (operation.kind == Kind::signalled ? 1 : 0);
    auto &of = taken[static_cast<std::size_t>(operation.target)];
    const bool fits = operation.first + words <= per_pe;
    if (!fits || std::any_of(of.begin() + static_cast<long>(operation.first), of.begin() + static_cast<long>(operation.first + words),
                             [](char use) { return use != 0; }))
      operation.count = 0;
    else
      std::fill_n(of.begin() + static_cast<long>(operation.first), words, char{1});
    return operation;
  }

  std::vector<std::uint64_t> data_of(const Operation &operation) const {
    std::vector<std::uint64_t> data(operation.count);
    write_words(data.data(), operation.count, operation.origin, operation.value % 1000);
    return data;
  }

  void do_it(const Operation &operation) {
    std::uint64_t *at = words_ + operation.first;
    const std::vector<std::uint64_t> data = data_of(operation);
    const auto stride = static_cast<std::ptrdiff_t>(operation.stride);
    switch (operation.kind) {
      case Operation::Kind::put: return shmem_put64(at, data.data(), operation.count, operation.target);
      case Operation::Kind::put_nbi: shmem_put64_nbi(at, data.data(), operation.count, operation.target); return shmem_quiet();
      case Operation::Kind::put_one: return shmem_uint64_p(at, data[0], operation.target);
      case Operation::Kind::strided: return shmem_uint64_iput(at, data.data(), stride, 1, operation.count, operation.target);
      case Operation::Kind::signalled:
        return shmem_uint64_put_signal(at, data.data(), operation.count, at + operation.count, operation.value, SHMEM_SIGNAL_ADD,
                                       operation.target);
      case Operation::Kind::get: return compare_with_get(operation);
      case Operation::Kind::add: return shmem_uint64_atomic_add(at, operation.value, operation.target);
      case Operation::Kind::increment: return shmem_uint64_atomic_inc(at, operation.target);
      case Operation::Kind::swap: shmem_uint64_atomic_swap(at, operation.value, operation.target); return;
      case Operation::Kind::exclusive_or: return shmem_uint64_atomic_xor(at, operation.value, operation.target);
      case Operation::Kind::count: return;
    }
  }

  /// No PE writes these words in this phase.
  void compare_with_get(const Operation &operation) {
    std::vector<std::uint64_t> here(operation.count);
    shmem_get64(here.data(), words_ + operation.first, operation.count, operation.target);
    for (std::size_t i = 0; i < operation.count; ++i)
      EXPECT_EQ(here[i], expected_[static_cast<std::size_t>(operation.target)][operation.first + i]) << what_ << ", get of word " << i;
  }

  void expect(const Operation &operation) {
    auto &memory = expected_[static_cast<std::size_t>(operation.target)];
    std::uint64_t &word = memory[operation.first];
    const std::vector<std::uint64_t> data = data_of(operation);
    switch (operation.kind) {
      case Operation::Kind::add: word += operation.value; return;
      case Operation::Kind::increment: word += 1; return;
      case Operation::Kind::swap: word = operation.value; return;
      case Operation::Kind::exclusive_or: word ^= operation.value; return;
      case Operation::Kind::get: return;
      default: break;
    }
    for (std::size_t i = 0; i < operation.count; ++i) memory[operation.first + i * operation.stride] = data[i];
    if (operation.kind == Operation::Kind::signalled) memory[operation.first + operation.count] += operation.value;
  }

  std::mt19937_64 random_;
  const char *what_;
  std::uint64_t *words_;
  Memory expected_;
};

TEST(ShmemRandom, programs_leave_what_the_serial_oracle_has) {
  const Words words(per_pe);
  Program on_heap(seed(), true, words.get()), on_static(seed() + 1, false, static_words);
  for (int phase = 0; phase < 60; ++phase) {
    on_heap.run_phase(phase);
    on_static.run_phase(phase);
    if (!everyone(!HasFailure())) return;
  }
}

}  // namespace
}  // namespace halocline::test
