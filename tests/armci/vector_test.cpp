// Vectors: descriptors of segments of equal length anywhere in the memory of one rank.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "armci_test.hpp"

namespace halocline::test {
namespace {

/// Segments of some lengths: places at both sides by which nothing overlaps, in an order that does not rise.
class Vectors {
 public:
  Vectors(char *from, char *to, std::size_t element) {
    std::size_t at[2] = {0, 0};
    for (const std::size_t length : {1u, 3u, 8u, 40u}) {
      const std::size_t bytes = length * element;
      sources_.emplace_back();
      targets_.emplace_back();
      for (std::size_t i = 0; i < 5 + length % 4; ++i) {
        sources_.back().push_back(from + at[0]);
        targets_.back().insert(targets_.back().begin(), to + at[1]);
        at[0] += bytes + element * (i % 3);
        at[1] += bytes + element * (i % 2);
      }
      lengths_.push_back(bytes);
    }
    extent_ = at[0] > at[1] ? at[0] : at[1];
    for (std::size_t i = 0; i < lengths_.size(); ++i) {
      armci_giov_t one;
      one.src_ptr_array = sources_[i].data();
      one.dst_ptr_array = targets_[i].data();
      one.bytes = static_cast<int>(lengths_[i]);
      one.ptr_array_len = static_cast<int>(sources_[i].size());
      list_.push_back(one);
    }
  }
  armci_giov_t *list() { return list_.data(); }
  int count() const { return static_cast<int>(list_.size()); }
  std::size_t extent() const { return extent_; }

  /// Calls visit(offset at the source, at the target, bytes) for each segment.
  template <class Visit>
  void each(const char *from, const char *to, Visit visit) const {
    for (std::size_t v = 0; v < list_.size(); ++v)
      for (std::size_t i = 0; i < sources_[v].size(); ++i)
        visit(static_cast<std::size_t>(static_cast<char *>(sources_[v][i]) - from),
              static_cast<std::size_t>(static_cast<char *>(targets_[v][i]) - to), lengths_[v]);
  }

 private:
  std::vector<std::vector<void *>> sources_, targets_;
  std::vector<std::size_t> lengths_;
  std::vector<armci_giov_t> list_;
  std::size_t extent_ = 0;
};

constexpr std::size_t vector_room = 8192;

TEST(ArmciPutV, writes_every_segment_and_nothing_else) {
  const GlobalMemory memory(vector_room);
  for (const int target : {next(), rank()}) {
    const int writer = target == rank() ? rank() : previous();
    memory.fill(0x42);
    ARMCI_Barrier();
    std::vector<char> source = bytes_of(rank(), 5, vector_room);
    Vectors vectors(source.data(), memory.of(target), 8);
    ASSERT_LE(vectors.extent(), vector_room);
    EXPECT_EQ(ARMCI_PutV(vectors.list(), vectors.count(), target), 0);
    ARMCI_Barrier();
    std::vector<char> expected(vector_room, 0x42);
    const std::vector<char> sent = bytes_of(writer, 5, vector_room);
    vectors.each(source.data(), memory.of(target), [&](std::size_t from, std::size_t to, std::size_t bytes) {
      std::memcpy(expected.data() + to, sent.data() + from, bytes);
    });
    EXPECT_TRUE(memory.copy() == expected);
    ARMCI_Barrier();
  }
}

TEST(ArmciGetV, reads_every_segment_and_writes_nothing_else) {
  const GlobalMemory memory(vector_room);
  memory.store(0, bytes_of(rank(), 6, vector_room));
  ARMCI_Barrier();
  for (int source = 0; source < size(); ++source) {
    std::vector<char> got(vector_room, 0x43), expected = got;
    Vectors vectors(memory.of(source), got.data(), 1);
    EXPECT_EQ(ARMCI_GetV(vectors.list(), vectors.count(), source), 0);
    const std::vector<char> there = bytes_of(source, 6, vector_room);
    vectors.each(memory.of(source), got.data(), [&](std::size_t from, std::size_t to, std::size_t bytes) {
      std::memcpy(expected.data() + to, there.data() + from, bytes);
    });
    EXPECT_TRUE(got == expected) << "from rank " << source;
  }
}

template <class T>
class ArmciAccV : public testing::Test {};
TYPED_TEST_SUITE(ArmciAccV, AccumulateTypes);

TYPED_TEST(ArmciAccV, adds_every_segment_of_all_ranks) {
  using T = TypeParam;
  constexpr std::size_t elements = vector_room / 8;
  const GlobalMemory memory(elements * sizeof(T));
  memory.store(0, std::vector<T>(elements, element_of<T>(2)));
  ARMCI_Barrier();
  std::vector<T> source(elements), expected(elements, element_of<T>(2));
  for (std::size_t i = 0; i < elements; ++i) source[i] = element_of<T>(static_cast<int>(i % 70) + 1);
  T scale = element_of<T>(2);
  auto *const from = reinterpret_cast<char *>(source.data());
  for (int target = 0; target < size(); ++target) {
    Vectors vectors(from, memory.of(target), sizeof(T));
    for (int turn = 0; turn < 3; ++turn) EXPECT_EQ(ARMCI_AccV(accumulate_type<T>(), &scale, vectors.list(), vectors.count(), target), 0);
  }
  ARMCI_Barrier();
  Vectors(from, memory.mine(), sizeof(T)).each(from, memory.mine(), [&](std::size_t at, std::size_t to, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes / sizeof(T); ++i)
      expected[to / sizeof(T) + i] += real_element<T>(3 * size()) * (scale * source[at / sizeof(T) + i]);
  });
  EXPECT_TRUE(memory.copy_of<T>(0, elements) == expected);
}

TEST(ArmciPutV, of_an_empty_list_does_nothing) {
  const GlobalMemory memory(64);
  armci_giov_t empty;
  empty.src_ptr_array = empty.dst_ptr_array = nullptr;
  empty.bytes = 8;
  empty.ptr_array_len = 0;
  EXPECT_EQ(ARMCI_PutV(&empty, 1, next()), 0);
  EXPECT_EQ(ARMCI_GetV(&empty, 1, next()), 0);
  ARMCI_Barrier();
  for (const char byte : memory.copy()) EXPECT_EQ(byte, 0x5a);
}

}  // namespace
}  // namespace halocline::test
