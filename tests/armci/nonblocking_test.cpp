// Non-blocking forms: explicit, implicit and aggregate handles.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "armci_test.hpp"

namespace halocline::test {
namespace {

enum class Completion { wait, test, wait_proc, wait_all };
constexpr Completion completions[] = {Completion::wait, Completion::test, Completion::wait_proc, Completion::wait_all};

/// Completes what was posted with these handles to one rank.
void complete(Completion how, std::vector<armci_hdl_t> &handles, int proc) {
  for (armci_hdl_t &handle : handles) {
    if (how == Completion::wait) {
      EXPECT_EQ(ARMCI_Wait(&handle), 0);
    }
    // ARMCI_Test is 0 once the operation is complete.
    if (how == Completion::test)
      while (ARMCI_Test(&handle) != 0) continue;
  }
  if (how == Completion::wait_proc) {
    EXPECT_EQ(ARMCI_WaitProc(proc), 0);
  }
  if (how == Completion::wait_all) {
    EXPECT_EQ(ARMCI_WaitAll(), 0);
  }
}

std::vector<armci_hdl_t> new_handles(std::size_t count) {
  std::vector<armci_hdl_t> handles(count);
  for (armci_hdl_t &handle : handles) ARMCI_INIT_HANDLE(&handle);
  return handles;
}

constexpr std::size_t pieces = 20, piece_words = 50, piece_bytes = 8 * piece_words;

TEST(ArmciNbPut, is_there_after_completion_and_barrier) {
  const GlobalMemory memory(pieces * piece_bytes);
  std::uint64_t step = 0;
  for (const Completion how : completions) {
    step += 1;
    auto words = words_of(rank(), step, pieces * piece_words);
    std::vector<armci_hdl_t> handles = new_handles(pieces);
    for (std::size_t i = 0; i < pieces; ++i)
      EXPECT_EQ(ARMCI_NbPut(words.data() + i * piece_words, memory.of(next()) + i * piece_bytes, piece_bytes, next(), &handles[i]), 0);
    complete(how, handles, next());
    // The buffer is the program's again.
    words.assign(words.size(), 0);
    ARMCI_Barrier();
    EXPECT_EQ(memory.copy_of<std::uint64_t>(0, pieces * piece_words), words_of(previous(), step, pieces * piece_words));
    ARMCI_Barrier();
  }
}

TEST(ArmciNbGet, is_there_after_completion) {
  const GlobalMemory memory(pieces * piece_bytes);
  memory.store(0, words_of(rank(), 9, pieces * piece_words));
  ARMCI_Barrier();
  for (const Completion how : completions)
    for (int source = 0; source < size(); ++source) {
      std::vector<std::uint64_t> got(pieces * piece_words);
      std::vector<armci_hdl_t> handles = new_handles(pieces);
      for (std::size_t i = 0; i < pieces; ++i)
        EXPECT_EQ(ARMCI_NbGet(memory.of(source) + i * piece_bytes, got.data() + i * piece_words, piece_bytes, source, &handles[i]), 0);
      complete(how, handles, source);
      EXPECT_EQ(got, words_of(source, 9, pieces * piece_words));
    }
}

/// Without a handle an operation completes with those of its rank, or with all.
TEST(ArmciNbPut, with_no_handle_is_complete_after_wait_all) {
  const GlobalMemory memory(size() * 8L);
  for (int turn = 0; turn < 5; ++turn) {
    std::vector<long> values(as_index(size()));
    for (int target = 0; target < size(); ++target) {
      values[as_index(target)] = 1000 * turn + 10 * rank() + target;
      EXPECT_EQ(ARMCI_NbPut(&values[as_index(target)], memory.words<long>(target) + rank(), 8, target, nullptr), 0);
    }
    EXPECT_EQ(ARMCI_WaitAll(), 0);
    ARMCI_Barrier();
    const auto now = memory.copy_of<long>(0, as_index(size()));
    for (int r = 0; r < size(); ++r) EXPECT_EQ(now[as_index(r)], 1000 * turn + 10 * r + rank());
    ARMCI_Barrier();
  }
}

TEST(ArmciNbPut, of_an_aggregate_handle_is_complete_after_one_wait) {
  const GlobalMemory memory(pieces * piece_bytes);
  for (std::uint64_t step = 20; step < 24; ++step) {
    auto words = words_of(rank(), step, pieces * piece_words);
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_SET_AGGREGATE_HANDLE(&handle);
    for (std::size_t i = 0; i < pieces; ++i)
      EXPECT_EQ(ARMCI_NbPut(words.data() + i * piece_words, memory.of(next()) + i * piece_bytes, piece_bytes, next(), &handle), 0);
    EXPECT_EQ(ARMCI_Wait(&handle), 0);
    ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
    words.assign(words.size(), 0);
    ARMCI_Barrier();
    EXPECT_EQ(memory.copy_of<std::uint64_t>(0, pieces * piece_words), words_of(previous(), step, pieces * piece_words));
    ARMCI_Barrier();
  }
}

TEST(ArmciNbPut, whose_handle_is_used_again_after_its_wait) {
  const GlobalMemory memory(8);
  armci_hdl_t handle;
  ARMCI_INIT_HANDLE(&handle);
  long value = 0;
  for (int turn = 0; turn < 500; ++turn) {
    value = turn * 100L + rank();
    EXPECT_EQ(ARMCI_NbPut(&value, memory.of(next()), 8, next(), &handle), 0);
    EXPECT_EQ(ARMCI_Wait(&handle), 0);
  }
  ARMCI_Barrier();
  EXPECT_EQ(memory.copy_of<long>(0, 1)[0], 499 * 100L + previous());
}

/// A handle whose operation no rank waits for is completed by a fence and a barrier.
TEST(ArmciNbPut, that_no_call_waits_for_is_there_after_a_barrier) {
  const GlobalMemory memory(8);
  static long value = 0;
  value = 77 + rank();
  armci_hdl_t handle;
  ARMCI_INIT_HANDLE(&handle);
  EXPECT_EQ(ARMCI_NbPut(&value, memory.of(next()), 8, next(), &handle), 0);
  ARMCI_WaitAll();
  ARMCI_AllFence();
  ARMCI_Barrier();
  EXPECT_EQ(memory.copy_of<long>(0, 1)[0], 77 + previous());
}

template <class T>
class ArmciNbAcc : public testing::Test {};
TYPED_TEST_SUITE(ArmciNbAcc, AccumulateTypes);

TYPED_TEST(ArmciNbAcc, in_all_forms_adds_each_element_once) {
  using T = TypeParam;
  constexpr std::size_t count = 60;
  const GlobalMemory memory(count * sizeof(T));
  for (const Completion how : completions) {
    memory.store(0, std::vector<T>(count, T{}));
    ARMCI_Barrier();
    std::vector<T> source(count);
    for (std::size_t i = 0; i < count; ++i) source[i] = element_of<T>(static_cast<int>(i) + 1);
    T scale = real_element<T>(2);
    const int type = accumulate_type<T>(), bytes = static_cast<int>(count * sizeof(T));
    for (int target = 0; target < size(); ++target) {
      auto handles = new_handles(3);
      EXPECT_EQ(ARMCI_NbAcc(type, &scale, source.data(), memory.of(target), bytes, target, &handles[0]), 0);
      int counts[2] = {10 * sizeof(T), 6}, stride[1] = {10 * sizeof(T)};
      EXPECT_EQ(ARMCI_NbAccS(type, &scale, source.data(), stride, memory.of(target), stride, counts, 1, target, &handles[1]), 0);
      void *from[2] = {source.data(), source.data() + count / 2};
      void *to[2] = {memory.words<T>(target), memory.words<T>(target) + count / 2};
      armci_giov_t vector;
      vector.src_ptr_array = from;
      vector.dst_ptr_array = to;
      vector.bytes = bytes / 2;
      vector.ptr_array_len = 2;
      EXPECT_EQ(ARMCI_NbAccV(type, &scale, &vector, 1, target, &handles[2]), 0);
      complete(how, handles, target);
    }
    ARMCI_AllFence();
    ARMCI_Barrier();
    const auto now = memory.copy_of<T>(0, count);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(now[i], real_element<T>(6 * size()) * source[i]) << "element " << i;
    ARMCI_Barrier();
  }
}

TEST(ArmciNbStrided, and_vectors_move_what_the_blocking_forms_move) {
  constexpr int side = 12, inner = 5;
  const GlobalMemory memory(3 * side * side * 8L);
  memory.store(0, std::vector<std::uint64_t>(3 * side * side, 1));
  ARMCI_Barrier();
  auto source = words_of(rank(), 4, side * side);
  int count[2] = {8 * inner, inner}, stride[1] = {8 * side};
  auto handles = new_handles(2);
  EXPECT_EQ(ARMCI_NbPutS(source.data(), stride, memory.of(next()), stride, count, 1, next(), &handles[0]), 0);
  void *from[2] = {source.data(), source.data() + 40}, *to[2] = {memory.words<long>(next()) + 200, memory.words<long>(next()) + 150};
  armci_giov_t vector;
  vector.src_ptr_array = from;
  vector.dst_ptr_array = to;
  vector.bytes = 80;
  vector.ptr_array_len = 2;
  EXPECT_EQ(ARMCI_NbPutV(&vector, 1, next(), &handles[1]), 0);
  complete(Completion::wait, handles, next());
  ARMCI_Barrier();
  const auto sent = words_of(previous(), 4, side * side);
  std::vector<std::uint64_t> expected(3 * side * side, 1);
  for (std::size_t i = 0; i < inner; ++i)
    for (std::size_t j = 0; j < inner; ++j) expected[i * side + j] = sent[i * side + j];
  for (std::size_t i = 0; i < 10; ++i) expected[200 + i] = sent[i], expected[150 + i] = sent[40 + i];
  EXPECT_EQ(memory.copy_of<std::uint64_t>(0, 3 * side * side), expected);

  std::vector<std::uint64_t> got(3 * side * side, 9), wanted = got;
  auto more = new_handles(2);
  EXPECT_EQ(ARMCI_NbGetS(memory.mine(), stride, got.data(), stride, count, 1, rank(), &more[0]), 0);
  void *there[1] = {memory.words<long>(rank()) + 200}, *here[1] = {got.data() + 300};
  vector.src_ptr_array = there;
  vector.dst_ptr_array = here;
  vector.ptr_array_len = 1;
  EXPECT_EQ(ARMCI_NbGetV(&vector, 1, rank(), &more[1]), 0);
  complete(Completion::test, more, rank());
  for (std::size_t i = 0; i < inner; ++i)
    for (std::size_t j = 0; j < inner; ++j) wanted[i * side + j] = sent[i * side + j];
  for (std::size_t i = 0; i < 10; ++i) wanted[300 + i] = sent[i];
  EXPECT_EQ(got, wanted);
}

TEST(ArmciNbPutValue, is_there_after_completion_and_barrier) {
  const GlobalMemory memory(32);
  auto handles = new_handles(4);
  char *const far = memory.of(next());
  EXPECT_EQ(ARMCI_NbPutValueInt(5 + rank(), far, next(), &handles[0]), 0);
  EXPECT_EQ(ARMCI_NbPutValueLong(-5 - rank(), far + 8, next(), &handles[1]), 0);
  EXPECT_EQ(ARMCI_NbPutValueFloat(1.5f * static_cast<float>(rank()), far + 16, next(), &handles[2]), 0);
  EXPECT_EQ(ARMCI_NbPutValueDouble(2.5 * rank(), far + 24, next(), &handles[3]), 0);
  complete(Completion::wait, handles, next());
  ARMCI_Barrier();
  EXPECT_EQ(memory.copy_of<int>(0, 1)[0], 5 + previous());
  EXPECT_EQ(memory.copy_of<long>(1, 1)[0], -5 - previous());
  EXPECT_EQ(memory.copy_of<float>(4, 1)[0], 1.5f * static_cast<float>(previous()));
  EXPECT_EQ(memory.copy_of<double>(3, 1)[0], 2.5 * previous());
}

}  // namespace
}  // namespace halocline::test
