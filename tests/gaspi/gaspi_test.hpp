// What the tests of the GASPI interface share: the job, which lives as long as the program, and segments for the length of a test. The data
// written identify their writer.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <GASPI.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "support/mpi_test.hpp"

namespace halocline::test {

/// The job's limit of elements in a reduction: one of that many needs many pieces.
inline constexpr gaspi_number_t kMaxElements = 100'000;
inline constexpr gaspi_size_t kMaxReducedBytes = 300'000;

/// Fails with the code's text unless a call returned what is expected.
inline testing::AssertionResult comes_to(gaspi_return_t expected, gaspi_return_t code) {
  if (code == expected) return testing::AssertionSuccess();
  gaspi_string_t text = nullptr, wanted = nullptr;
  if (gaspi_print_error(code, &text) != GASPI_SUCCESS || gaspi_print_error(expected, &wanted) != GASPI_SUCCESS)
    return testing::AssertionFailure() << "expected " << expected << ", got " << code;
  const auto failure = testing::AssertionFailure() << "expected " << wanted << ", got " << text;
  std::free(text);
  std::free(wanted);
  return failure;
}
inline testing::AssertionResult succeeds(gaspi_return_t code) { return comes_to(GASPI_SUCCESS, code); }

inline void barrier() { EXPECT_TRUE(succeeds(gaspi_barrier(GASPI_GROUP_ALL, GASPI_BLOCK))); }
inline void wait_for(gaspi_queue_id_t queue) { EXPECT_TRUE(succeeds(gaspi_wait(queue, GASPI_BLOCK))); }
inline gaspi_rank_t as_rank(int rank) { return static_cast<gaspi_rank_t>(rank); }
inline gaspi_rank_t next() { return as_rank((rank() + 1) % size()); }
inline gaspi_rank_t previous() { return as_rank((rank() + size() - 1) % size()); }

/// A segment of all ranks, made and deleted by them together.
class Segment {
 public:
  explicit Segment(gaspi_size_t bytes, gaspi_segment_id_t id = 0) : id_(id) {
    EXPECT_TRUE(succeeds(gaspi_segment_create(id, bytes, GASPI_GROUP_ALL, GASPI_BLOCK, GASPI_MEM_INITIALIZED)));
  }
  Segment(const Segment &) = delete;
  Segment &operator=(const Segment &) = delete;
  ~Segment() {
    barrier();
    EXPECT_TRUE(succeeds(gaspi_segment_delete(id_)));
  }

  gaspi_segment_id_t id() const { return id_; }
  std::uint64_t *words() const {
    gaspi_pointer_t pointer = nullptr;
    EXPECT_TRUE(succeeds(gaspi_segment_ptr(id_, &pointer)));
    return static_cast<std::uint64_t *>(pointer);
  }

 private:
  gaspi_segment_id_t id_;
};

/// Word `index` of what a rank writes in a step: it depends on all three, and is never 0.
inline std::uint64_t word_of(int rank, std::uint64_t step, std::uint64_t index) {
  std::uint64_t word = (static_cast<std::uint64_t>(rank) << 48) + (step << 24) + index + 1;
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
  return (word ^ (word >> 27)) | 1;
}

/// Fails unless count words from `words` on are what a rank writes in a step. The caller continues: other ranks wait for it in the next
/// call.
inline void expect_words(const std::uint64_t *words, std::uint64_t count, int writer, std::uint64_t step) {
  for (std::uint64_t i = 0; i < count; ++i)
    ASSERT_EQ(words[i], word_of(writer, step, i)) << "word " << i << " of " << count << ", step " << step;
}

/// Waits for one notification and takes it.
inline gaspi_notification_t take(gaspi_segment_id_t segment, gaspi_notification_id_t id) {
  gaspi_notification_id_t found = 0;
  gaspi_notification_t value = 0;
  EXPECT_TRUE(succeeds(gaspi_notify_waitsome(segment, id, 1, &found, GASPI_BLOCK)));
  EXPECT_EQ(found, id);
  EXPECT_TRUE(succeeds(gaspi_notify_reset(segment, id, &value)));
  return value;
}

}  // namespace halocline::test
