// The part `elements` of `halocline_library_bench rma`: accumulates of several types and operations, get_accumulate, blocks of few bytes, and many
// calls before one flush. Numbers are small and whole, so that sums are exact in any order.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "library/rma.hpp"

#include <algorithm>
#include <atomic>
#include <complex>
#include <cstring>

namespace bench {

namespace {

using Tasks = std::vector<RmaTask>;

/// How elements are combined, and with what: of element `i` the window has first(i), and each call brings operand(i).
template <class Element>
struct Combining {
  const char *operation;
  MPI_Datatype type;
  MPI_Op op;
  Element (*first)(int i);
  Element (*operand)(int i);
  Element (*after)(int i, std::int64_t done);
  bool (*same)(const Element &a, const Element &b) = [](const Element &a, const Element &b) { return a == b; };
};

template <class Element>
Element *elements_in(char *memory) {
  return reinterpret_cast<Element *>(memory);
}

/// Reads and writes as many bytes between two atomic instructions.
void change_between_atomics(RmaRanks &r, std::int64_t bytes) {
  auto &word = *reinterpret_cast<std::atomic<std::int64_t> *>(r.near);
  word.fetch_add(1);
  std::memcpy(r.near + 8, r.plain.data(), static_cast<std::size_t>(bytes - 8));
  word.fetch_add(-1);
}

template <class Element>
RmaTask task_of(RmaRanks &r, const Combining<Element> &what, int count) {
  const auto bytes = static_cast<std::int64_t>(sizeof(Element)) * count;
  RmaTask task{"elements", what.operation, bytes};
  task.prepare = [what, count](RmaMemory &s) {
    for (int i = 0; i < count; ++i) {
      elements_in<Element>(s.window)[i] = what.first(i);
      elements_in<Element>(s.buffer.data())[i] = what.operand(i);
    }
  };
  task.right = [&r, what, count](RmaMemory &s, std::int64_t done) {
    for (int i = 0; i < count && r.rank == r.target(); ++i)
      if (!what.same(elements_in<Element>(s.window)[i], what.after(i, done))) return false;
    return true;
  };
  task.verified = bytes;
  task.limit = [&r, bytes] { change_between_atomics(r, bytes); };
  return task;
}

template <class Element>
RmaTask accumulate_of(RmaRanks &r, const Combining<Element> &what, int count) {
  RmaTask task = task_of(r, what, count);
  task.call = [&r, what, count](RmaSide &s) {
    s.calls.accumulate(s.buffer.data(), count, what.type, r.target(), 0, count, what.type, what.op, s.win);
    s.calls.flush(r.target(), s.win);
  };
  return task;
}

template <class Element>
Element to_sum(int i) {
  return static_cast<Element>(i % 5 + 1);
}

template <class Element>
Element summed(int i, std::int64_t done) {
  return static_cast<Element>((i % 5 + 1) * done);
}

/// Real and imaginary part are two different sums.
template <class Complex>
Complex pair_to_sum(int i) {
  using Part = typename Complex::value_type;
  return {static_cast<Part>(i % 5 + 1), static_cast<Part>(-2)};
}

template <class Complex>
Complex pair_summed(int i, std::int64_t done) {
  using Part = typename Complex::value_type;
  return {static_cast<Part>((i % 5 + 1) * done), static_cast<Part>(-2 * done)};
}

template <class Element>
Element none(int) {
  return {};
}

template <class Element>
Combining<Element> sum_of(const char *operation, MPI_Datatype type) {
  return {operation, type, MPI_SUM, none<Element>, to_sum<Element>, summed<Element>};
}

template <class Complex>
Combining<Complex> sum_of_pairs(const char *operation, MPI_Datatype type) {
  return {operation, type, MPI_SUM, none<Complex>, pair_to_sum<Complex>, pair_summed<Complex>};
}

/// What MPI_DOUBLE_INT is.
struct Located {
  double value;
  int place;
};

Combining<Located> greatest() {
  return {"accumulate MAXLOC + flush",
          MPI_DOUBLE_INT,
          MPI_MAXLOC,
          [](int i) { return Located{1.0, i}; },
          [](int i) { return Located{i % 2 ? 2.0 : 0.0, i + 1}; },
          [](int i, std::int64_t) { return i % 2 ? Located{2.0, i + 1} : Located{1.0, i}; },
          [](const Located &a, const Located &b) { return a.value == b.value && a.place == b.place; }};
}

Combining<int> both_true() {
  return {"accumulate LAND + flush",
          MPI_INT,
          MPI_LAND,
          [](int i) { return i % 3; },
          [](int i) { return i % 2 * 7; },
          [](int i, std::int64_t) { return i % 3 != 0 && i % 2 != 0 ? 1 : 0; }};
}

constexpr int kElements = 512;

/// The last of the values that are fetched is where the buffer's second half begins.
RmaTask get_accumulate_of(RmaRanks &r, int count) {
  RmaTask task = task_of(r, sum_of<double>("get_accumulate of doubles + flush", MPI_DOUBLE), count);
  const auto before_of = [count](RmaMemory &s) { return elements_in<double>(s.buffer.data()) + count; };
  task.call = [&r, count, before_of](RmaSide &s) {
    s.calls.get_accumulate(s.buffer.data(), count, MPI_DOUBLE, before_of(s), count, MPI_DOUBLE, r.target(), 0, count, MPI_DOUBLE, MPI_SUM,
                           s.win);
    s.calls.flush(r.target(), s.win);
  };
  const auto is_in_window = task.right;
  task.right = [&r, count, is_in_window, before_of](RmaMemory &s, std::int64_t done) {
    for (int i = 0; i < count && r.rank == 0; ++i)
      if (before_of(s)[i] != summed<double>(i, done - 1)) return false;
    return is_in_window(s, done);
  };
  task.verified = 2 * task.bytes;
  return task;
}

/// An accumulate of every other double; the others stay zeros.
RmaTask strided_accumulate(RmaRanks &r, MPI_Datatype doubles) {
  Combining<double> every_other = sum_of<double>("accumulate of 512 blocks", MPI_DOUBLE);
  every_other.after = [](int i, std::int64_t done) { return i % 2 ? 0.0 : summed<double>(i, done); };
  RmaTask task = task_of(r, every_other, 2 * kElements);
  task.bytes /= 2;
  task.call = [&r, doubles](RmaSide &s) {
    s.calls.accumulate(s.buffer.data(), 1, doubles, r.target(), 0, 1, doubles, MPI_SUM, s.win);
    s.calls.flush(r.target(), s.win);
  };
  return task;
}

/// A row of calls and one flush behind them.
template <class Call>
void call_many(RmaRanks &r, RmaSide &s, int calls, Call call) {
  for (int i = 0; i < calls; ++i) call(i);
  s.calls.flush(r.target(), s.win);
}

RmaTask many_fetches(RmaRanks &r) {
  constexpr int kCalls = 2000;
  RmaTask task{"elements", "2000 fetch_and_op + flush", 8 * kCalls};
  task.prepare = [](RmaMemory &s) { *elements_in<std::int64_t>(s.window) = 0; };
  task.call = [&r](RmaSide &s) {
    static constexpr std::int64_t kOne = 1;
    auto *const before = elements_in<std::int64_t>(s.buffer.data());
    call_many(r, s, kCalls, [&](int i) { s.calls.fetch_and_op(&kOne, before + i, MPI_INT64_T, r.target(), 0, MPI_SUM, s.win); });
  };
  task.right = [&r](RmaMemory &s, std::int64_t done) {
    // Only accumulates to the same place by the same rank are ordered, so each finds what the one before it has left.
    const auto *const before = elements_in<std::int64_t>(s.buffer.data());
    for (int i = 0; i < kCalls && r.rank == 0; ++i)
      if (before[i] != (done - 1) * kCalls + i) return false;
    return r.rank != r.target() || *elements_in<std::int64_t>(s.window) == done * kCalls;
  };
  task.verified = 8 * kCalls;
  task.limit = [&r] {
    for (int i = 0; i < kCalls; ++i) reinterpret_cast<std::atomic<std::int64_t> *>(r.near)->fetch_add(1);
  };
  return task;
}

RmaTask many_puts(RmaRanks &r) {
  constexpr int kCalls = 2000;
  constexpr std::int64_t kBytes = 8 * kCalls;
  RmaTask task{"elements", "2000 puts + flush", kBytes};
  task.prepare = [&r](RmaMemory &s) { r.fill(s.buffer.data(), kBytes); };
  task.call = [&r](RmaSide &s) {
    call_many(r, s, kCalls, [&](int i) { s.calls.put(s.buffer.data() + 8 * i, 8, MPI_BYTE, r.target(), 8 * i, 8, MPI_BYTE, s.win); });
  };
  task.right = [&r](RmaMemory &s, std::int64_t) { return r.rank != r.target() || r.holds(s.window, kBytes); };
  task.verified = kBytes;
  task.limit = [&r] { std::memcpy(r.near, r.plain.data(), kBytes); };
  return task;
}

RmaTask many_gets(RmaRanks &r) {
  constexpr int kCalls = 64;
  constexpr std::int64_t kBytes = 8 * kCalls;
  RmaTask task{"elements", "64 gets + flush", kBytes};
  task.prepare = [&r](RmaMemory &s) {
    r.fill(s.window, kBytes);
    std::fill_n(s.buffer.begin(), kBytes, static_cast<char>(r.stamp - 1));
  };
  task.call = [&r](RmaSide &s) {
    call_many(r, s, kCalls, [&](int i) { s.calls.get(s.buffer.data() + 8 * i, 8, MPI_BYTE, r.target(), 8 * i, 8, MPI_BYTE, s.win); });
  };
  task.right = [&r](RmaMemory &s, std::int64_t) { return r.rank != 0 || r.holds(s.buffer.data(), kBytes); };
  task.verified = kBytes;
  task.limit = [&r] { std::memcpy(r.plain.data(), r.near, kBytes); };
  return task;
}

}  // namespace

FewBlocks::FewBlocks() {
  make_type(shape);
  MPI_Type_vector(static_cast<int>(shape.count), 1, 2, MPI_DOUBLE, &doubles);
  MPI_Type_commit(&doubles);
}

FewBlocks::~FewBlocks() {
  MPI_Type_free(&shape.type);
  MPI_Type_free(&doubles);
}

std::vector<RmaTask> element_tasks(RmaRanks &r, const FewBlocks &few, const std::vector<std::int64_t> &sizes) {
  Tasks tasks;
  for (const std::int64_t bytes : sizes)
    if (bytes % 8 == 0)
      tasks.push_back(accumulate_of(r, sum_of<double>("accumulate of doubles + flush", MPI_DOUBLE), static_cast<int>(bytes / 8)));
  for (const int count : {1, 8, 64, 2048}) tasks.push_back(get_accumulate_of(r, count));
  tasks.push_back(accumulate_of(r, both_true(), kElements));
  tasks.push_back(accumulate_of(r, greatest(), kElements));
  tasks.push_back(
      accumulate_of(r, sum_of_pairs<std::complex<float>>("accumulate of float complex + flush", MPI_C_FLOAT_COMPLEX), kElements));
  tasks.push_back(
      accumulate_of(r, sum_of_pairs<std::complex<double>>("accumulate of double complex + flush", MPI_C_DOUBLE_COMPLEX), kElements));
  tasks.push_back(accumulate_of(r, sum_of<long double>("accumulate of long doubles + flush", MPI_LONG_DOUBLE), kElements));
  tasks.push_back(put_of_blocks(r, few.shape));
  tasks.push_back(get_of_blocks(r, few.shape));
  tasks.push_back(strided_accumulate(r, few.doubles));
  tasks.push_back(get_of_blocks(r, r.blocks.front()));
  for (const auto make : {many_fetches, many_puts, many_gets}) tasks.push_back(make(r));
  for (RmaTask &task : tasks) task.part = "elements";
  return tasks;
}

}  // namespace bench
