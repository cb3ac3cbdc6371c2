// What the tests of the core of the OpenSHMEM interface share: the job, which lives as long as the program, and data that identify their writer.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#define SHMEM_NO_OVERLOADS
#include <shmem.h>

#include "support/mpi_test.hpp"

namespace halocline::test {

inline int next() { return (rank() + 1) % size(); }
inline int previous() { return (rank() + size() - 1) % size(); }

/// Completes what all PEs have begun, then waits for all, by MPI too: a fault of the barrier is not to hide others. A PE serves no other one
/// while it waits in MPI, so that is last.
inline void meet() {
  shmem_barrier_all();
  everyone(true);
}

/// Word `index` of what a PE writes in a step: it depends on all three, and is never 0.
inline std::uint64_t word_of(int pe, std::uint64_t step, std::uint64_t index) {
  std::uint64_t word = (static_cast<std::uint64_t>(pe) << 48) + (step << 24) + index + 1;
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
  return (word ^ (word >> 27)) | 1;
}

inline void write_words(std::uint64_t *words, std::size_t count, int writer, std::uint64_t step) {
  for (std::size_t i = 0; i < count; ++i) words[i] = word_of(writer, step, i);
}

/// Fails unless `count` words are what a PE writes in a step.
inline void expect_words(const std::uint64_t *words, std::size_t count, int writer, std::uint64_t step) {
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_EQ(words[i], word_of(writer, step, i)) << "word " << i << " of " << count << ", step " << step;
}

/// Symmetric words, allocated and freed by all PEs together.
class Words {
 public:
  explicit Words(std::size_t count) : words_(static_cast<std::uint64_t *>(shmem_calloc(count, sizeof(std::uint64_t)))) {
    EXPECT_NE(words_, nullptr);
  }
  Words(const Words &) = delete;
  Words &operator=(const Words &) = delete;
  ~Words() { shmem_free(words_); }
  std::uint64_t *get() const { return words_; }

 private:
  std::uint64_t *words_;
};

}  // namespace halocline::test
